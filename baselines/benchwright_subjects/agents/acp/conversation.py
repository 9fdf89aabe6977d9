"""Identity that an agent speaking ACP gives, its requests, and what it has got."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import JsonValue

from benchwright_subjects.agents.acp.failure import printable_words
from benchwright_subjects.agents.acp.tool_calls import ToolCalls

_MOST_SAID = 64_000
_MOST_OUTSIDE = 20
"""Paths that are recorded; what is asked for is refused in any case."""
_COUNTS = ("used", "size")
_TOKENS = ("inputTokens", "outputTokens", "totalTokens", "thoughtTokens", "cachedReadTokens", "cachedWriteTokens")


@dataclass
class Conversation:
    """One session with one agent."""

    tool_calls: ToolCalls
    """Its calls of tools."""
    agent: dict[str, JsonValue] = field(default_factory=dict)
    """Name and version that it gives itself, and the version of the protocol."""
    output_tail: str = ""
    """The end of what it said to its user."""
    granted_counts: Counter[str] = field(default_factory=Counter)
    """Number of times it got permission, by kind of tool."""
    refused_counts: Counter[str] = field(default_factory=Counter)
    outside: list[str] = field(default_factory=list)
    """Paths that it asked for although they are not in its folder."""
    session_id: str = ""
    """Id of a session that the agent can load in another sandbox; empty if it can't."""
    is_repeated: bool = False
    """True while the agent reports the past of a session that it loads."""
    stop_reason: str = ""
    usage: dict[str, JsonValue] = field(default_factory=dict)
    """Tokens as it counts them itself."""

    def record_identity(self, implementation: Any, protocol_version: int) -> None:
        """It has said who it is: ACP's `Implementation`, if it gives one."""
        self.agent = {"protocol_version": protocol_version}
        if implementation is not None:
            self.agent |= {
                "name": printable_words(implementation.name),
                "version": printable_words(implementation.version),
            }

    def record_notification(self, method: str, notification_params: Any) -> None:
        """A notification has come. What does not look as the protocol says is left out."""
        update = (
            notification_params.get("update")
            if method == "session/update" and isinstance(notification_params, dict)
            else None
        )
        if self.is_repeated or not isinstance(update, dict):
            return
        match update.get("sessionUpdate"):
            case "agent_message_chunk":
                content = update.get("content")
                if isinstance(content, dict) and isinstance(text := content.get("text"), str):
                    self.output_tail = (self.output_tail + text)[-_MOST_SAID:]
            case "usage_update":
                self.record_token_counts(update, _COUNTS)
                cost = update.get("cost")
                if isinstance(cost, dict) and isinstance(amount := cost.get("amount"), int | float):
                    self.usage["cost"] = f"{amount:g} {printable_words(cost.get('currency', ''), 8)}".rstrip()
            case "tool_call" | "tool_call_update":
                self.tool_calls.record_update(update)

    def decide_permission(self, call_fields: Mapping[str, Any], refused_kinds: frozenset[str]) -> bool:
        """Decide by the policy whether a tool may be called, and keep account of it.

        Args:
            call_fields: The call, as the agent states it.
            refused_kinds: Kinds of tools that get no permission.
        """
        self.tool_calls.record_update(call_fields)
        kind = self.tool_calls.kind(call_fields.get("toolCallId"))
        is_allowed = kind not in refused_kinds
        (self.granted_counts if is_allowed else self.refused_counts)[kind] += 1
        self.tool_calls.record_decision(call_fields.get("toolCallId"), is_allowed=is_allowed)
        return is_allowed

    def record_token_counts(self, token_counts: Mapping[str, Any], count_names: tuple[str, ...] = _TOKENS) -> None:
        """It has told how many tokens it used."""
        for name in count_names:
            number = token_counts.get(name)
            if isinstance(number, int) and 0 <= number < 1 << 53:
                self.usage[name] = number

    def record_gemini_quota(self, quota: Any) -> None:
        """It has told so in the way of Gemini CLI, `_meta.quota`."""
        counts = quota.get("token_count") if isinstance(quota, dict) else None
        if isinstance(counts, dict):
            self.record_token_counts(
                {"inputTokens": counts.get("input_tokens"), "outputTokens": counts.get("output_tokens")}
            )

    def record_outside_path(self, path: str) -> None:
        """It has asked for a path that is not in its folder."""
        if len(self.outside) < _MOST_OUTSIDE:
            self.outside.append(printable_words(path))

    @property
    def facts(self) -> dict[str, JsonValue]:
        """For the attempt's record."""
        record_facts: dict[str, JsonValue] = {"acp_" + name: value for name, value in self.agent.items()}
        if self.stop_reason:
            record_facts["acp_stop_reason"] = self.stop_reason
        record_facts["acp_granted"] = dict(sorted(self.granted_counts.items()))
        record_facts["acp_refused"] = dict(sorted(self.refused_counts.items()))
        if self.usage:
            record_facts["acp_usage"] = dict(self.usage)
        return record_facts
