"""Facts from an attempt's events about completions, and about the program that worked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from benchwright_attempts.attribution import EditOrigin, origin_of_change_reason
from benchwright_attempts.events.event_body import EventBody
from benchwright_attempts.events.evidence import AssistAccepted, EditReason

_FAILED = "subject_failed: "
_COMPLETIONS = frozenset({EditOrigin.COMPLETION, EditOrigin.COMPLETION_PART, EditOrigin.OWN_COMPLETION})
_PROGRAM = ("subject", "subject_kind", "subject_version", "configuration_sha256", "policy", "start")


@dataclass(frozen=True, slots=True)
class AssistanceUse:
    """Of one attempt."""

    requests: int = 0
    """Requests for a completion; 0 where the editor does not report them."""
    empty_answers: int = 0
    """Of these, answered with nothing to offer."""
    latencies_ms: tuple[float | None, ...] = ()
    """Of each request; None of one that was given up."""
    accepted_offers: int = 0
    """Offers accepted, whole or in part."""
    partly_accepted_offers: int = 0
    """Of these, those of which only a part was."""
    program: Mapping[str, str] = field(default_factory=dict)
    """Name, version, configuration and policy of the program that worked; empty if none did."""
    failure: str = ""
    """Failure of the program; empty if it behaved."""


NO_ASSISTANCE = AssistanceUse()


@dataclass(slots=True)
class AssistanceFold:
    """Takes events in order."""

    _latencies: list[float | None] = field(default_factory=list)
    _empty_answers: int = 0
    _whole: set[str] = field(default_factory=set)
    _partly: set[str] = field(default_factory=set)
    _by_reason: list[int] = field(default_factory=lambda: [0, 0])
    _program: dict[str, str] = field(default_factory=dict)
    _failure: str = ""

    def add_request(self, event_fields: Mapping[str, Any]) -> None:
        """A completion was asked for."""
        self._latencies.append(event_fields.get("latency_ms"))
        self._empty_answers += event_fields.get("outcome") == "nothing"

    def count_if_completion_accepted(self, event: EventBody) -> None:
        """An edit was a completion."""
        if isinstance(event, AssistAccepted):
            (self._partly if event.partial else self._whole).add(event.assist)
        elif isinstance(event, EditReason):
            origin = origin_of_change_reason(event.reason, event.metadata)
            if origin in _COMPLETIONS:
                self._by_reason[origin is EditOrigin.COMPLETION_PART] += 1

    def keep_program_if_named(self, event_fields: Mapping[str, Any]) -> None:
        """A model was used, or a program started."""
        parameters = event_fields.get("parameters", {})
        if parameters.get("subject"):
            self._program = {name: str(parameters[name]) for name in _PROGRAM if parameters.get(name)}

    def keep_program_failure(self, event_fields: Mapping[str, Any]) -> None:
        """The attempt was given up."""
        reason = str(event_fields.get("reason") or "")
        # Details of its end follow in brackets.
        self._failure = reason.removeprefix(_FAILED).partition(" (")[0] if reason.startswith(_FAILED) else ""

    def summary(self) -> AssistanceUse:
        """Summary of the events. Editors that report no acceptance report what each edit was."""
        partly = len(self._partly - self._whole)
        named_count = len(self._whole) + partly
        accepted_count, partly = (named_count, partly) if named_count else (sum(self._by_reason), self._by_reason[1])
        assistance = AssistanceUse(
            len(self._latencies),
            self._empty_answers,
            tuple(self._latencies),
            accepted_count,
            partly,
            self._program,
            self._failure,
        )
        return NO_ASSISTANCE if assistance == NO_ASSISTANCE else assistance
