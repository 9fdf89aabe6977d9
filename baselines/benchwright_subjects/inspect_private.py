"""The names of Inspect that are not public and that Benchwright needs; no other module imports one.

The lock file fixes Inspect's version. With another, check what is here.
"""

from __future__ import annotations

import functools
from uuid import uuid4

from inspect_ai._util import version
from inspect_ai._util.error import PrerequisiteError
from inspect_ai._util.json import to_json_str_safe
from inspect_ai._util.registry import registry_add, registry_info
from inspect_ai._util.working import sample_clock, sample_waiting_time
from inspect_ai.agent._bridge.anthropic_api import inspect_anthropic_api_request
from inspect_ai.agent._bridge.completions import inspect_completions_api_request
from inspect_ai.agent._bridge.google_api import inspect_google_api_request
from inspect_ai.agent._bridge.responses import inspect_responses_api_request
from inspect_ai.agent._bridge.types import AgentBridge, message_json_hash
from inspect_ai.log._transcript import init_transcript
from inspect_ai.model import ChatMessage, ModelUsage
from inspect_ai.model._model import (
    init_active_model,
    model_usage_context_var,
    sample_model_usage,
    sample_model_usage_context_var,
    set_model_usage,
)
from inspect_ai.util._limit import record_model_cost, record_model_usage

__all__ = [  # noqa: RUF022 - sorted by reason
    # The bridge and its translation of each protocol; the public bridges bring a sandbox service or patch clients.
    "AgentBridge",
    "inspect_anthropic_api_request",
    "inspect_completions_api_request",
    "inspect_google_api_request",
    "inspect_responses_api_request",
    # Ours, made of private parts.
    "NamingBridge",
    "cache_package_versions",
    # What `eval` raises where a person has to do something first, such as setting a key; it has no public name.
    "PrerequisiteError",
    # A model that an inline server asks belongs to no sample; in a sample Inspect does both by itself.
    "init_active_model",
    "init_transcript",
    # No public name registers a task under another name.
    "registry_add",
    "registry_info",
    # No public name gives it while the sample runs.
    "sample_model_usage",
    # No public name counts for a sample what it used in an earlier run.
    "count_sample_usage",
    # No public name gives the time that a sample has waited for its provider within a part of it.
    "sample_clock",
    "sample_waiting_time",
]


class NamingBridge(AgentBridge):
    """A bridge that remembers which names the messages of a conversation have so far.

    Inspect's own gives a message the same name in each request. For each message it collects the names of all others,
    so that the time grows with the square of their number; here it grows with their number.
    """

    _given: set[str]

    def _id_for_message(self, message: ChatMessage, conversation: list[ChatMessage]) -> str:
        # Inspect asks for all messages of a request, one after the other.
        if message is conversation[0]:
            self._given = set()
        known_ids = self._message_ids.setdefault(message_json_hash(to_json_str_safe(message)), [])
        name = next((message_id for message_id in known_ids if message_id not in self._given), None)
        if name is None:
            name = uuid4().hex
            known_ids.append(name)
        self._given.add(name)
        return name


def count_sample_usage(model: str, usage: ModelUsage) -> None:
    """Count tokens and cost for the sample that runs, its limits and its log."""
    set_model_usage(model, usage, sample_model_usage_context_var.get(None))
    set_model_usage(model, usage, model_usage_context_var.get(None))
    record_model_usage(usage)
    if usage.total_cost is not None:
        record_model_cost(usage.total_cost)


def cache_package_versions() -> None:
    """Have Inspect keep which version of a package is installed.

    It compares that of `openai` three times with each request, and reads all of the package's metadata each time. A
    version does not change while a program runs.
    """
    if not hasattr(version._installed_version, "cache_info"):
        version._installed_version = functools.cache(version._installed_version)
