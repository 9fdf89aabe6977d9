"""An agent's calls of tools, as it reports them to its client: each begins once and ends once in the event log."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from benchwright_attempts.events.evidence import ToolCalled, ToolFinished
from benchwright_subjects.agents.acp.failure import printable_words
from benchwright_subjects.agents.launch import TOOL_KINDS

_MOST_CALLS = 10_000
"""More than that are not recorded."""
_LONGEST = 64_000
"""Characters of arguments, and of a result, that are recorded."""
_MOST_CHARACTERS = 8 << 20
"""Of all of them together; later calls are recorded without arguments and results."""
_ENDED = ("completed", "failed")

RecordToolEvent = Callable[[ToolCalled | ToolFinished], None]


@dataclass
class _Call:
    kind: str = "other"
    approval: str = "unasked"
    has_begun: bool = False
    has_ended: bool = False


class ToolCalls:
    """The calls of one session. What does not look as the protocol says is left out.

    Args:
        record: Records an event of the attempt.
    """

    def __init__(self, record: RecordToolEvent) -> None:
        self._record = record
        self._calls: dict[str, _Call] = {}
        self._characters = 0

    def kind(self, call_id: object) -> str:
        """The kind of a call's tool, which may have been stated before."""
        recorded_call = self._calls.get(call_id) if isinstance(call_id, str) else None
        return recorded_call.kind if recorded_call is not None else "other"

    def record_update(self, call_fields: Mapping[str, Any]) -> None:
        """A call has begun, goes on or has ended: fields of `tool_call` or `tool_call_update`."""
        if (recorded_call := self._call_if_recorded(call_fields.get("toolCallId"))) is None:
            return
        if (kind := call_fields.get("kind")) in TOOL_KINDS:
            recorded_call.kind = kind
        call_id = call_fields["toolCallId"]
        if not recorded_call.has_begun and (call_fields.get("title") or call_fields.get("rawInput") is not None):
            recorded_call.has_begun = True
            self._record(
                ToolCalled(
                    call=printable_words(call_id),
                    tool=printable_words(call_fields.get("title") or recorded_call.kind),
                    kind=recorded_call.kind,
                    arguments=self._recorded_text(call_fields.get("rawInput")),
                )
            )
        if call_fields.get("status") in _ENDED:
            raw_output = call_fields.get("rawOutput")
            self._record_end(
                call_id,
                recorded_call,
                call_fields["status"],
                call_fields.get("content") if raw_output is None else raw_output,
            )

    def record_decision(self, call_id: object, *, is_allowed: bool) -> None:
        """The policy has granted or refused a call."""
        if (recorded_call := self._call_if_recorded(call_id)) is None:
            return
        recorded_call.approval = "granted" if is_allowed else "refused"
        if not is_allowed:
            self._record_end(str(call_id), recorded_call, "refused", None)

    def _record_end(self, call_id: str, recorded_call: _Call, outcome: str, tool_output: object) -> None:
        if not recorded_call.has_ended:
            recorded_call.has_ended = True
            self._record(
                ToolFinished(
                    call=printable_words(call_id),
                    outcome=outcome,
                    approval=recorded_call.approval,
                    result=self._recorded_text(tool_output),
                )
            )

    def _call_if_recorded(self, call_id: object) -> _Call | None:
        if not isinstance(call_id, str):
            return None
        if call_id not in self._calls and len(self._calls) >= _MOST_CALLS:
            return None
        return self._calls.setdefault(call_id, _Call())

    def _recorded_text(self, value: object) -> str:
        """A string as it is, anything else as JSON; the beginning, if it is long."""
        if value is None or self._characters >= _MOST_CHARACTERS:
            return ""
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        text = text[:_LONGEST].encode("utf-8", "replace").decode()
        self._characters += len(text)
        return text
