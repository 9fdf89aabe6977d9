"""The trace of a recorded attempt: what its event log says was asked, shown, accepted, edited and run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchwright_analysis.trace.exchanges import Exchange
from benchwright_analysis.trace.step import AttemptTrace, StepKind, TracePart, TraceStep, change_excerpt, whole_excerpt
from benchwright_analysis.trace.turns import steps_merged_by_turn
from benchwright_attempts.attribution import EditOrigin, attributions_of_edits
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
    Continued,
    EditShape,
    ModelUsage,
    ReplyRead,
    TimedOut,
    ToolCalled,
    ToolFinished,
    Violation,
)
from benchwright_attempts.log.record import AttemptHeader, RecordedEvent
from benchwright_attempts.standing import ShownVerdict, cancelled_run_standing, verdict_standing
from benchwright_attempts.summary.replay import replayed_states
from benchwright_attempts.terms import Solver
from benchwright_problems.verdict import present_outcome_of_recorded

_BURST_S = 2.0
"""Keys that follow each other within this time are one step."""
_ORIGINS = {
    EditOrigin.TYPED: "typed",
    EditOrigin.PASTE: "pasted",
    EditOrigin.COMPLETION: "an assistant's completion",
    EditOrigin.COMPLETION_PART: "part of an assistant's completion",
    EditOrigin.OWN_COMPLETION: "a completion of Benchwright's assistant",
    EditOrigin.CHAT: "written by a chat",
    EditOrigin.AGENT: "written by an agent",
    EditOrigin.SUGGESTION: "selected from the suggestions",
    EditOrigin.SNIPPET: "a snippet",
    EditOrigin.UNDO: "undone or redone",
    EditOrigin.FORMAT: "changed by a tool",
    EditOrigin.OUTSIDE: "changed by another program",
    EditOrigin.UNKNOWN: "of unknown origin",
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


@dataclass(frozen=True)
class _EditBurst:
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
        fact_texts = {"edits": f"{self.edits:,}"} if self.edits > 1 else {}
        title = f"{self.path}: {self.origin_label}"
        if self.old_text is None and self.new_text is None:
            return TraceStep(StepKind.EDITED, title, self.from_s, {**fact_texts, "text": "not in the log"})
        excerpt = change_excerpt("What changed", self.old_text or "", self.new_text or "")
        return TraceStep(StepKind.EDITED, title, self.from_s, fact_texts, [excerpt])


class _AttemptStepReader:
    """From an attempt's first event to its last."""

    def __init__(self, events: Sequence[RecordedEvent]) -> None:
        self._events = events
        self._at_s = time_line(events).at_s
        self._origins = {attribution.seq: attribution.origin for attribution in attributions_of_edits(events)}
        self._burst: _EditBurst | None = None
        self._steps: list[TraceStep] = []
        self._tools = {
            recorded_event.event.call: recorded_event.event.tool
            for recorded_event in events
            if isinstance(recorded_event.event, ToolCalled)
        }
        # What a study does not show to its participant stays out of a page that may be the participant's.
        self._shows_results = all(
            recorded_event.event.feedback != "none"
            for recorded_event in events
            if isinstance(recorded_event.event, Assigned)
        )

    def steps(self) -> list[TraceStep]:
        texts: dict[str, str | None] = {}
        for recorded, files in replayed_states(self._events):
            event = recorded.event
            path = getattr(event, "path", "")
            current_text = files[path].text if path in files else None
            if isinstance(event, Edit | EditShape | TextSet):
                self._add_to_burst_or_begin(recorded, texts.get(path), current_text)
            elif (step := self._step_if_shown(event, self._at_s[recorded.seq])) is not None:
                self._append_burst_if_text_changed()
                self._steps.append(step)
            if isinstance(event, Opened | Activity):
                texts = {name: file.text for name, file in files.items()}
            elif path:
                texts[path] = current_text
        self._append_burst_if_text_changed()
        return self._steps

    def _add_to_burst_or_begin(self, recorded: RecordedEvent, old_text: str | None, new_text: str | None) -> None:
        event, at_s = recorded.event, self._at_s[recorded.seq]
        if isinstance(event, TextSet):
            origin_label = _CAUSES.get(event.cause.value, event.cause.value)
        else:
            origin_label = _ORIGINS.get(self._origins.get(recorded.seq, EditOrigin.UNKNOWN), "")
        path, last_burst = str(getattr(event, "path", "")), self._burst
        is_more = (
            last_burst is not None
            and (last_burst.path, last_burst.origin_label) == (path, origin_label)
            and at_s - last_burst.to_s < _BURST_S
        )
        if last_burst is not None and is_more and origin_label == _ORIGINS[EditOrigin.TYPED]:
            self._burst = _EditBurst(
                path, origin_label, last_burst.from_s, at_s, last_burst.old_text, new_text, last_burst.edits + 1
            )
            return
        self._append_burst_if_text_changed()
        self._burst = _EditBurst(path, origin_label, at_s, at_s, old_text, new_text)

    def _append_burst_if_text_changed(self) -> None:
        if self._burst is not None and (self._burst.old_text != self._burst.new_text or self._burst.new_text is None):
            self._steps.append(self._burst.step)
        self._burst = None

    def _step_if_shown(self, event: Event, at_s: float) -> TraceStep | None:
        return (
            _step_of_model_use(event, at_s)
            or self._step_of_run_or_verdict(event, at_s)
            or self._step_of_tool(event, at_s)
            or _step_of_state_change_or_violation(event, at_s)
        )

    def _step_of_run_or_verdict(self, event: Event, at_s: float) -> TraceStep | None:
        match event:
            case RunStarted():
                return TraceStep(StepKind.RAN, f"Run {event.number} of the hidden tests began", at_s, is_end=False)
            case RunCancelled():
                standing = cancelled_run_standing(event.reason).value
                return TraceStep(StepKind.RAN, f"Run {event.number}: {standing} ({event.reason})", at_s)
            case RunFinished() | Regraded():
                suffix = " again" if isinstance(event, Regraded) else ""
                fact_texts = {"message": event.message} if event.message else {}
                counts = f", {event.passed} of {event.total} tests" if event.total is not None else ""
                return self._verdict_step_if_shown(
                    f"Run {event.number}{suffix}", event.number, event.reason, event.outcome, counts, fact_texts, at_s
                )
            case Answered() | Judged():
                return self._verdict_step_if_shown(
                    f"Answer {event.number}", event.number, event.reason, event.outcome, "", {}, at_s
                )
            case _:
                return None

    def _step_of_tool(self, event: Event, at_s: float) -> TraceStep | None:
        match event:
            case ToolCalled():
                excerpts = [whole_excerpt("Its arguments", event.arguments)] if event.arguments else []
                title = f"The agent calls {event.tool or 'a tool'}"
                return TraceStep(StepKind.CALLED, title, at_s, {"kind": event.kind}, excerpts)
            case ToolFinished():
                excerpts = [whole_excerpt("Its result", event.result)] if event.result else []
                title = f"{self._tools.get(event.call) or 'A tool'}: {event.outcome}"
                return TraceStep(StepKind.CALLED, title, at_s, {"approval": event.approval}, excerpts)
            case _:
                return None

    def _verdict_step_if_shown(
        self,
        subject: str,
        run_number: int,
        reason: str,
        outcome: str,
        counts_suffix: str,
        fact_texts: Mapping[str, str],
        at_s: float,
    ) -> TraceStep:
        if not self._shows_results:
            return TraceStep(StepKind.RAN, f"{subject}: recorded; the study shows no results", at_s)
        shown_verdict = ShownVerdict(run_number, present_outcome_of_recorded(reason, outcome).value, reason)
        return TraceStep(
            StepKind.RAN, f"{subject} {verdict_standing(shown_verdict).value}{counts_suffix}", at_s, fact_texts
        )


def _step_of_model_use(event: Event, at_s: float) -> TraceStep | None:
    match event:
        case AidUsed():
            aid_label = f"{event.aid.replace('_', ' ')}: {event.feature.replace('_', ' ')} {event.detail}".rstrip()
            fact_texts = {"outcome": event.outcome} if event.outcome else {}
            if event.cost:
                fact_texts["cost"] = f"{100 * event.cost:g} % of the points"
            return TraceStep(
                StepKind.SHOWN, f"{event.path}: {aid_label}" if event.path else aid_label, at_s, fact_texts
            )
        case ModelUsage():
            amounts = {
                "requests": event.calls,
                "input tokens": event.input_tokens,
                "output tokens": event.output_tokens,
                "of these for reasoning": event.reasoning_tokens,
            }
            fact_texts = {name: f"{amount:,}" for name, amount in amounts.items() if amount}
            if event.cost_usd is not None:
                fact_texts["cost"] = f"{event.cost_usd:.4f} USD"
            return TraceStep(StepKind.ASKED, f"{event.model} was asked", at_s, fact_texts)
        case ReplyRead():
            return _reply_step(event, at_s)
        case AssistShown():
            fact_texts = {name: value for name, value in (("trigger", event.trigger), ("model", event.model)) if value}
            excerpts = [] if event.text is None else [whole_excerpt("What was offered", event.text)]
            length = f", {event.length:,} characters" if event.length else ""
            return TraceStep(
                StepKind.SHOWN, f"{event.path}: {event.provider} showed an offer{length}", at_s, fact_texts, excerpts
            )
        case AssistAccepted():
            offer_label = "a part of an offer" if event.partial else "an offer"
            return TraceStep(StepKind.ACCEPTED, f"{event.path}: {offer_label} of {event.provider} was accepted", at_s)
        case AssistRejected():
            fact_texts = {"reason": event.reason.replace("_", " ")} if event.reason else {}
            return TraceStep(
                StepKind.REFUSED, f"{event.path}: an offer of {event.provider} was refused", at_s, fact_texts
            )
        case _:
            return None


def _reply_step(event: ReplyRead, at_s: float) -> TraceStep:
    """What of a reply became which files."""
    fact_texts = {
        name: ", ".join(words)
        for name, words in (("files", event.files), ("modules", event.modules), ("from", event.block_labels))
        if words
    }
    if event.ignored:
        fact_texts["ignored"] = "; ".join(event.ignored)
    return TraceStep(StepKind.READ, "The reply was read", at_s, fact_texts)


def _step_of_state_change_or_violation(event: Event, at_s: float) -> TraceStep | None:
    fact_texts: dict[str, str] = {}
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
        case Continued(checkpoint=None):
            title = "Begun again, from the starting files"
        case Continued():
            title = f"Continued from the checkpoint after event {event.checkpoint}"
        case Submitted():
            title = "Submitted"
        case Abandoned():
            title, fact_texts = "Given up", {"reason": event.reason} if event.reason else {}
        case TimedOut():
            title, fact_texts = "A limit ended the attempt", {"limit": event.reason.replace("_", " ")}
        case Violation():
            title, fact_texts = f"A violation of the rules: {event.rule.replace('_', ' ')}", {"detail": event.detail}
        case _:
            return None
    return TraceStep(StepKind.OTHER, title, at_s, {name: value for name, value in fact_texts.items() if value})


def _is_by_program(header: AttemptHeader, events: Sequence[RecordedEvent]) -> bool:
    solvers = [recorded.event.solver for recorded in events if isinstance(recorded.event, Assigned)]
    return {header.condition, *solvers} & {Solver.MODEL, Solver.AGENT} != set()


def trace_of_attempt(
    header: AttemptHeader, events: Sequence[RecordedEvent], exchanges: Sequence[Exchange] = ()
) -> AttemptTrace:
    """The trace of one attempt.

    Args:
        header: The attempt's.
        events: All of it, in order.
        exchanges: What a model was asked and replied, as far as that is kept.
    """
    steps = _AttemptStepReader(events).steps()
    if events and _is_by_program(header, events):
        steps = steps_merged_by_turn(steps, exchanges, events[0].moment.wall)
    fact_texts = {
        "attempt": header.id,
        "solver": header.solver,
        "condition": header.condition,
        "created": f"{header.created:%Y-%m-%d %H:%M} UTC",
    }
    return AttemptTrace(f"Trace of {header.problem}", fact_texts, [TracePart("", steps)])
