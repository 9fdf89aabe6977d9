"""Instructions to models that label questions: files beside this module, named by content in every label."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import resources

from pydantic import JsonValue

from benchwright_judges.models.json_reply import read_only_object
from benchwright_judges.models.prompt import JudgePrompt, object_schema, question_prompt
from benchwright_problems.problem import Problem
from benchwright_problems.storage.labels import LabelKind

_LONGEST_REASON = 500


@dataclass(frozen=True)
class Topic:
    """One topic that questions can be about."""

    name: str
    description: str = ""


@dataclass(frozen=True)
class StatedChoice:
    """Choice that a reply states."""

    value: str
    reason: str
    second_choice: str = ""
    second_reason: str = ""


def instructions_and_reference(label_kind: LabelKind) -> tuple[str, str]:
    """The instructions for a kind of label, and their name with the beginning of their SHA-256."""
    folder = resources.files("benchwright_judges.labelling")
    content = (folder / f"{label_kind.value}.txt").read_bytes() + (folder / "frame.txt").read_bytes()
    return content.decode(), f"label-{label_kind.value}@{hashlib.sha256(content).hexdigest()[:12]}"


def label_prompt(
    label_kind: LabelKind,
    problem: Problem,
    shortlist: Sequence[Topic] = (),
    *,
    draw_code: Callable[[], str] = lambda: secrets.token_hex(16),
) -> JudgePrompt:
    """Ask for a label; the request has nothing of a question's hidden part.

    Args:
        label_kind: Kind of the label.
        problem: A question.
        shortlist: The topics to choose from.
        draw_code: Draws a random code.
    """
    text, _ = instructions_and_reference(label_kind)
    if label_kind is LabelKind.TOPIC:
        topic_list = "\n".join(
            f"- {topic.name}" + (f": {topic.description}" if topic.description else "") for topic in shortlist
        )
        names = [topic.name for topic in shortlist]
        name: dict[str, JsonValue] = {"type": "string", "enum": [*names]}
        reason: dict[str, JsonValue] = {"type": "string"}
        schema = object_schema({"first": name, "first_reason": reason, "second": name, "second_reason": reason})
        return question_prompt(problem, f"{text}\nThe topics:\n{topic_list}\n", schema, draw_code=draw_code)
    values: dict[str, JsonValue] = {"type": "string", "enum": [*label_kind.possible_values]}
    return question_prompt(
        problem, text, object_schema({"reason": {"type": "string"}, label_kind.value: values}), draw_code=draw_code
    )


def read_choice(label_kind: LabelKind, reply_text: str, shortlist: Sequence[Topic] = ()) -> StatedChoice:
    """Choice that a reply states; strict: nothing is guessed.

    Raises:
        ValueError: The reply is not exactly one object with the fields asked for, or names something else.
    """
    fields = read_only_object(reply_text)
    names = (
        ("first", "first_reason", "second", "second_reason")
        if label_kind is LabelKind.TOPIC
        else ("reason", label_kind.value)
    )
    if set(fields) != {*names}:
        raise ValueError(f"the reply does not have the fields {', '.join(names)}, and only these")
    if not all(isinstance(value, str) for value in fields.values()):
        raise ValueError("a field of the reply is not a string")
    texts = {name: str(value).strip() for name, value in fields.items()}
    if label_kind is not LabelKind.TOPIC:
        return StatedChoice(
            _known_value_matching(texts[label_kind.value], label_kind.possible_values),
            texts["reason"][:_LONGEST_REASON],
        )
    topics = [topic.name for topic in shortlist]
    first_topic, second_topic = (
        _known_value_matching(texts["first"], topics),
        _known_value_matching(texts["second"], topics),
    )
    if first_topic == second_topic and len(topics) > 1:
        raise ValueError("the reply's first and second choice are the same")
    return StatedChoice(
        first_topic, texts["first_reason"][:_LONGEST_REASON], second_topic, texts["second_reason"][:_LONGEST_REASON]
    )


def _known_value_matching(stated_value: str, known_values: Sequence[str]) -> str:
    match = next(
        (known_value for known_value in known_values if known_value.casefold() == stated_value.casefold()), None
    )
    if match is None:
        raise ValueError(f"the reply names none of: {', '.join(known_values)}")
    return match
