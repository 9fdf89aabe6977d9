"""The trace of a recorded attempt: what its event log says was asked, shown, accepted, edited and run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchwright_analysis.trace.step import StepKind, Trace, TracePart, TraceStep, change, whole
from benchwright_attempts.attribution import Origin, attribute
from benchwright_attempts.clock.timeline import time_line
from benchwright_attempts.events.events import (
    Abandoned,
    AidUsed,
    Answered,
    Edit,
    Event,
    Interrupted,
    Judged,
    Opened,
    Paused,
    Regraded,
    Resumed,
    RunCancelled,
    RunFinished,
    RunStarted,
    Started,
    Submitted,
    TextSet,
)
from benchwright_attempts.events.evidence import (
    Activity,
    Assigned,
    AssistAccepted,
    AssistRejected,
    AssistShown,
    EditShape,
    ModelUsage,
    TimedOut,
    Violation,
)
from benchwright_attempts.log.record import AttemptHeader, RecordedEvent
from benchwright_attempts.summary.replay import states
from benchwright_problems.verdict import outcome_of

_BURST_S = 2.0
"""Keys that follow each other within this time are one step."""
_ORIGINS = {
    Origin.TYPED: "typed",
    Origin.PASTE: "pasted",
    Origin.COMPLETION: "an assistant's completion",
    Origin.COMPLETION_PART: "part of an assistant's completion",
    Origin.OWN_COMPLETION: "a completion of Benchwright's assistant",
    Origin.CHAT: "written by a chat or an agent",
    Origin.SUGGESTION: "selected from the suggestions",
    Origin.SNIPPET: "a snippet",
    Origin.UNDO: "undone or redone",
    Origin.FORMAT: "changed by a tool",
    Origin.OUTSIDE: "changed by another program",
    Origin.UNKNOWN: "of unknown origin",
}
_CAUSES = {
    "opened": "opened with another content",
    "outside": "changed by another program",
    "created": "created",
    "written": "written by a model or an agent",
    "deleted": "deleted",
    "discarded": "closed without saving",
    "resync": "brought in step with the editor",
}
_WORDS = {
    "passed": "passed",
    "failed": "did not pass",
    "error": "undecided",
    "pending": "waits for a judge",
}


@dataclass(frozen=True)
class _Burst:
    """Edits that are one step."""

    path: str
    origin_label: str
    from_s: float
    to_s: float
    old_text: str | None
    new_text: str | None
    edits: int = 1

    @property
    def step(self) -> TraceStep:
        facts = {"edits": f"{self.edits:,}"} if self.edits > 1 else {}
        title = f"{self.path}: {self.origin_label}"
        if self.old_text is None and self.new_text is None:
            return TraceStep(StepKind.EDITED, title, self.from_s, {**facts, "text": "not in the log"})
        excerpt = change("What changed", self.old_text or "", self.new_text or "")
        return TraceStep(StepKind.EDITED, title, self.from_s, facts, [excerpt])


class _Reading:
    """From an attempt's first event to its last."""

    def __init__(self, events: Sequence[RecordedEvent]) -> None:
        self._events = events
        self._at_s = time_line(events).at_s
        self._origins = {attribution.seq: attribution.origin for attribution in attribute(events)}
        self._burst: _Burst | None = None
        self._steps: list[TraceStep] = []
        # What a study does not show to its participant stays out of a page that may be the participant's.
        self._shows_results = all(
            recorded_event.event.feedback != "none"
            for recorded_event in events
            if isinstance(recorded_event.event, Assigned)
        )

    def steps(self) -> list[TraceStep]:
        texts: dict[str, str | None] = {}
        for recorded, files in states(self._events):
            event = recorded.event
            path = getattr(event, "path", "")
            now = files[path].text if path in files else None
            if isinstance(event, Edit | EditShape | TextSet):
                self._edited(recorded, texts.get(path), now)
            elif (step := self._other_step(event, self._at_s[recorded.seq])) is not None:
                self._flush()
                self._steps.append(step)
            if isinstance(event, Opened | Activity):
                texts = {name: file.text for name, file in files.items()}
            elif path:
                texts[path] = now
        self._flush()
        return self._steps

    def _edited(self, recorded: RecordedEvent, old_text: str | None, new_text: str | None) -> None:
        event, at_s = recorded.event, self._at_s[recorded.seq]
        if isinstance(event, TextSet):
            origin_label = _CAUSES.get(event.cause.value, event.cause.value)
        else:
            origin_label = _ORIGINS.get(self._origins.get(recorded.seq, Origin.UNKNOWN), "")
        path, last = str(getattr(event, "path", "")), self._burst
        is_more = (
            last is not None and (last.path, last.origin_label) == (path, origin_label) and at_s - last.to_s < _BURST_S
        )
        if last is not None and is_more and origin_label == _ORIGINS[Origin.TYPED]:
            self._burst = _Burst(path, origin_label, last.from_s, at_s, last.old_text, new_text, last.edits + 1)
            return
        self._flush()
        self._burst = _Burst(path, origin_label, at_s, at_s, old_text, new_text)

    def _flush(self) -> None:
        if self._burst is not None and (self._burst.old_text != self._burst.new_text or self._burst.new_text is None):
            self._steps.append(self._burst.step)
        self._burst = None

    def _other_step(self, event: Event, at_s: float) -> TraceStep | None:
        return _of_model(event, at_s) or self._of_tests(event, at_s) or _of_clock(event, at_s)

    def _of_tests(self, event: Event, at_s: float) -> TraceStep | None:
        match event:
            case RunStarted():
                return TraceStep(StepKind.RAN, f"Run {event.number} of the hidden tests began", at_s)
            case RunCancelled():
                return TraceStep(StepKind.RAN, f"Run {event.number} was cancelled: {event.reason}", at_s)
            case RunFinished() | Regraded():
                suffix = " again" if isinstance(event, Regraded) else ""
                facts = {"message": event.message} if event.message else {}
                counts = f", {event.passed} of {event.total} tests" if event.total is not None else ""
                return self._result(f"Run {event.number}{suffix}", event.reason, event.outcome, counts, facts, at_s)
            case Answered() | Judged():
                return self._result(f"Answer {event.number}", event.reason, event.outcome, "", {}, at_s)
            case _:
                return None

    def _result(
        self, subject: str, reason: str, outcome: str, counts: str, facts: Mapping[str, str], at_s: float
    ) -> TraceStep:
        if not self._shows_results:
            return TraceStep(StepKind.RAN, f"{subject}: recorded; the study shows no results", at_s)
        word = outcome_of(reason, outcome).value
        return TraceStep(StepKind.RAN, f"{subject} {_WORDS.get(word, word)}{counts}", at_s, facts)


def _of_model(event: Event, at_s: float) -> TraceStep | None:
    match event:
        case AidUsed():
            aid_label = f"{event.aid.replace('_', ' ')}: {event.feature.replace('_', ' ')} {event.detail}".rstrip()
            facts = {"outcome": event.outcome} if event.outcome else {}
            if event.cost:
                facts["cost"] = f"{100 * event.cost:g} % of the points"
            return TraceStep(StepKind.SHOWN, f"{event.path}: {aid_label}" if event.path else aid_label, at_s, facts)
        case ModelUsage():
            amounts = {
                "requests": event.calls,
                "input tokens": event.input_tokens,
                "output tokens": event.output_tokens,
                "of these for reasoning": event.reasoning_tokens,
            }
            facts = {name: f"{amount:,}" for name, amount in amounts.items() if amount}
            if event.cost_usd is not None:
                facts["cost"] = f"{event.cost_usd:.4f} USD"
            return TraceStep(StepKind.ASKED, f"{event.model} was asked", at_s, facts)
        case AssistShown():
            facts = {name: value for name, value in (("trigger", event.trigger), ("model", event.model)) if value}
            texts = [] if event.text is None else [whole("What was offered", event.text)]
            length = f", {event.length:,} characters" if event.length else ""
            return TraceStep(
                StepKind.SHOWN, f"{event.path}: {event.provider} showed an offer{length}", at_s, facts, texts
            )
        case AssistAccepted():
            part = "a part of an offer" if event.partial else "an offer"
            return TraceStep(StepKind.ACCEPTED, f"{event.path}: {part} of {event.provider} was accepted", at_s)
        case AssistRejected():
            facts = {"reason": event.reason.replace("_", " ")} if event.reason else {}
            return TraceStep(StepKind.REFUSED, f"{event.path}: an offer of {event.provider} was refused", at_s, facts)
        case _:
            return None


def _of_clock(event: Event, at_s: float) -> TraceStep | None:
    facts: dict[str, str] = {}
    match event:
        case Opened():
            title = f"The problem was opened with {len(event.files):,} file{'' if len(event.files) == 1 else 's'}"
        case Started():
            title = "The clock was started"
        case Paused():
            title = "The clock was paused"
        case Resumed():
            title = "The clock was resumed"
        case Interrupted():
            title = "Another process went on"
        case Submitted():
            title = "Submitted"
        case Abandoned():
            title, facts = "Given up", {"reason": event.reason} if event.reason else {}
        case TimedOut():
            title, facts = "A limit ended the attempt", {"limit": event.reason.replace("_", " ")}
        case Violation():
            title, facts = f"A violation of the rules: {event.rule.replace('_', ' ')}", {"detail": event.detail}
        case _:
            return None
    return TraceStep(StepKind.OTHER, title, at_s, {name: value for name, value in facts.items() if value})


def trace_of_attempt(header: AttemptHeader, events: Sequence[RecordedEvent]) -> Trace:
    """The trace of one attempt.

    Args:
        header: The attempt's.
        events: All of it, in order.
    """
    steps = _Reading(events).steps()
    facts = {
        "attempt": header.id,
        "solver": header.solver,
        "condition": header.condition,
        "created": f"{header.created:%Y-%m-%d %H:%M} UTC",
    }
    return Trace(f"Trace of {header.problem}", facts, [TracePart("", steps)])
