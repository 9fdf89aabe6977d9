"""Names of kinds of failure: a model names what explanations that read alike have in common (CVDP's Algorithm 1)."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping, Sequence
from importlib import resources

from benchwright_judges.errors import LabellingError
from benchwright_judges.models.budget import JudgingBudget
from benchwright_judges.models.configuration import JudgesSettings, open_all_endpoints
from benchwright_judges.models.json_reply import read_only_object
from benchwright_judges.models.prompt import JudgePrompt, escape_hidden_characters, object_schema

_MOST_TEXTS = 20
_TEXT_CHARACTERS = 600
_NAME_CHARACTERS = 80


async def name_failures(
    failure_explanations: Sequence[str],
    settings: JudgesSettings,
    budget: JudgingBudget,
    environ: Mapping[str, str] = os.environ,
) -> str:
    """Name that the first model of `judges.toml` gives a group of failures.

    Args:
        failure_explanations: Those of the group's failures, hostile text; at most 20 of them are sent, evenly chosen.
        settings: Name the model.
        budget: Pays.
        environ: Holds the model's key.

    Raises:
        LabellingError: No usable name was given; the message says why.
        ConfigurationError: The key's environment variable is not set.
        OutOfBudgetError: The budget does not hold what the request may cost.
    """
    endpoints = open_all_endpoints(settings, environ)
    try:
        reply = await endpoints[0].request_reply(_naming_prompt(failure_explanations), seed_offset=0, budget=budget)
    finally:
        for endpoint in endpoints:
            await endpoint.close()
    if reply.error:
        raise LabellingError(f"{endpoints[0].settings.name} gave a kind of failure no name: {reply.error}")
    try:
        return _read_name(reply.text)
    except ValueError as error:
        raise LabellingError(f"{endpoints[0].settings.name} gave a kind of failure no name: {error}") from error


def _naming_prompt(failure_explanations: Sequence[str]) -> JudgePrompt:
    step = max(1, -(-len(failure_explanations) // _MOST_TEXTS))
    listing = "\n".join(
        f"- {escape_hidden_characters(' '.join(text.split())[:_TEXT_CHARACTERS])}"
        for text in failure_explanations[::step]
    )
    code = secrets.token_hex(16)
    instructions = (resources.files("benchwright_judges") / "rubrics" / "failure-name.txt").read_text().strip()
    explanations = f"The code is {code}.\n\nBEGIN EXPLANATIONS {code}\n{listing}\nEND EXPLANATIONS {code}"
    schema = object_schema({"name": {"type": "string"}})
    return JudgePrompt(({"role": "system", "content": instructions}, {"role": "user", "content": explanations}), schema)


def _read_name(reply_text: str) -> str:
    fields = read_only_object(reply_text)
    name = fields.get("name")
    if set(fields) != {"name"} or not isinstance(name, str):
        raise ValueError("the reply does not have the field name, and only that")
    name = " ".join(name.split()).strip(" .\"'")
    if not name or len(name) > _NAME_CHARACTERS or not name.isprintable():
        raise ValueError(f"the name is empty, longer than {_NAME_CHARACTERS} characters, or not plain text")
    return name
