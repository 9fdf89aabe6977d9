"""The outcome of an attempt so far: a fold over its events, kept beside them in the database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial

from benchwright_attempts.actor import Actor
from benchwright_attempts.clock.clock import AttemptClock, AttemptState, ClockState, excluded_s
from benchwright_attempts.clock.time_source import GIVEN, TimeSource, time_source
from benchwright_attempts.events.event_body import EventBody, Request
from benchwright_attempts.events.events import (
    Abandoned,
    AidUsed,
    Answered,
    Given,
    Interrupted,
    Judged,
    Opened,
    Regraded,
    RunCancelled,
    RunFinished,
    RunStarted,
    Save,
    TextCause,
    TextSet,
)
from benchwright_attempts.events.file_text import FileText
from benchwright_attempts.grading.verdict_sequence import VerdictSequence
from benchwright_attempts.log.record import Moment
from benchwright_problems.verdict import Outcome, present_outcome_of_recorded


@dataclass(frozen=True, slots=True)
class AttemptVerdict:
    """A verdict of an attempt, as the log has it."""

    number: int
    """Number of the try, from 1."""
    outcome: Outcome
    reason: str
    message: str
    passed: int | None
    """Hidden tests passed; `None` for questions and if they could not be counted."""
    total: int | None
    wall_s: float
    digests: Mapping[str, str]
    snapshot: Mapping[str, str]
    """SHA-256 of each file that was judged."""
    seq: int
    at: datetime
    active_s: float
    """Time the clock had run by then, in seconds."""


@dataclass(frozen=True, slots=True)
class Summary:
    """The state of an attempt after one of its events."""

    seq: int = 0
    """Number of the newest event; 0 before the first."""
    head: str = ""
    """Its hash."""
    process: str = ""
    """The process that recorded it."""
    clock: ClockState = field(default_factory=ClockState)
    verdicts: VerdictSequence[AttemptVerdict] = field(default_factory=VerdictSequence)
    files: Mapping[str, str] = field(default_factory=dict)
    """SHA-256 of each file as last seen on disk."""
    snapshots: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Files of each run that has no verdict yet, by run id."""
    open_run_numbers_by_id: Mapping[str, int] = field(default_factory=dict)
    """Numbers of the runs that go on, by run id: a run that died with its process does not."""
    abandon_reason: str = ""
    """Reason that its solver gave up for; empty if there is none."""
    event_types: frozenset[str] = frozenset()
    """Types of all events so far."""
    opened_with_files: bool = False
    """True if it was opened with files to work on."""
    reported_s: float | None = None
    """The time that a file states, in seconds; None if none does."""
    has_agent: bool = False
    """True if an agent asked for something, or files changed by themselves after one had connected."""

    @property
    def time_source(self) -> TimeSource:
        """The source of the attempt's time."""
        return time_source(self.event_types, opened_with_files=self.opened_with_files, reported_s=self.reported_s)

    @property
    def has_clock(self) -> bool:
        """True if the attempt's clock measured its time."""
        return self.time_source is TimeSource.CLOCK

    @property
    def state(self) -> AttemptState:
        """The attempt's state."""
        return self.clock.state

    @property
    def verdict_count(self) -> int:
        """Verdicts so far, of runs and of judged answers."""
        return self.verdicts.count

    @property
    def verdict(self) -> AttemptVerdict | None:
        """The newest verdict."""
        return self.verdicts.newest_verdict

    @property
    def first_pass(self) -> AttemptVerdict | None:
        """The verdict of the first try that passed."""
        return self.verdicts.first_pass

    @property
    def has_passed(self) -> bool:
        """True if the newest verdict is a pass."""
        return self.verdict is not None and self.verdict.outcome is Outcome.PASSED

    @property
    def next_run_number(self) -> int:
        """The number of the next try."""
        return self.verdict_count + 1


SUMMARISED_EVENT_TYPES = frozenset(
    {
        *("opened", GIVEN, "save", "text", "run_started", "run_finished", "run_cancelled"),
        *("answered", "judged", "regraded", "interrupted", "abandoned", "time_excluded"),
        *("started", "submitted", "aid_used"),
    }
)
"""Types of events of which a summary needs more than the type."""


class SummaryFold:
    """Takes an attempt's events in order. It changes in place, as logs have many events.

    Args:
        summary: After the events so far.
    """

    def __init__(self, summary: Summary | None = None) -> None:
        self._parts = summary or Summary()
        self._clock = AttemptClock()
        self._clock.continue_from_reading(self._parts.clock)
        self._started, self._newest = self._parts.clock.start_wall, self._parts.clock.newest_wall
        self._seq, self._head, self._process = self._parts.seq, self._parts.head, self._parts.process
        self._kinds = set(self._parts.event_types)
        self._has_agent = self._parts.has_agent

    def take_event(self, seq: int, digest: str, moment: Moment, event_type: str, event: EventBody | None) -> None:
        """Takes one more event.

        Args:
            seq: Its number.
            digest: Its hash.
            moment: Time at which it was handed over.
            event_type: Its type.
            event: The event; `None` will do for types outside `SUMMARISED_EVENT_TYPES`.

        Raises:
            IllegalTransitionError: The attempt's state does not allow it.
        """
        if not self._clock.has_ended:
            self._newest = moment.wall
        self._clock.follow_event(event_type, moment.mono_ns, moment.process, excluded_s(event))
        if event_type == "started":
            self._started = moment.wall
        self._seq, self._head, self._process = seq, digest, moment.process
        self._kinds.add(event_type)
        if event is not None and event_type in SUMMARISED_EVENT_TYPES:
            self._has_agent |= self._is_requested_by_agent(event)
            self._parts = _summary_with(self._parts, event, seq, moment.wall, self._clock.active_ns / 1e9)

    def summary(self) -> Summary:
        """The summary after all events that were taken."""
        clock = self._clock
        reading = ClockState(
            clock.state, clock.held, clock.active_ns, self._started, self._newest, clock.at_ns, clock.marks()
        )
        return replace(
            self._parts,
            seq=self._seq,
            head=self._head,
            process=self._process,
            clock=reading,
            event_types=frozenset(self._kinds),
            has_agent=self._has_agent,
        )

    def _is_requested_by_agent(self, event: EventBody) -> bool:
        if isinstance(event, TextSet) and event.actor is None:
            return event.cause is TextCause.OUTSIDE and "agent_connection" in self._kinds
        asked_by_tool = isinstance(event, AidUsed) and event.through == "agent"
        return asked_by_tool or (isinstance(event, Request) and event.actor is Actor.AGENT)


def _summary_with(summary: Summary, event: EventBody, seq: int, wall_time: datetime, active_s: float) -> Summary:
    """The summary with what an event says, its clock aside."""
    match event:
        case Opened():
            files = {path: file.sha256 for path, file in event.files.items()}
            return replace(summary, files=files, opened_with_files=bool(files))
        case Given():
            return replace(summary, reported_s=event.reported_s)
        case Save():
            return replace(summary, files={**summary.files, event.path: event.sha256})
        case TextSet(file=None):
            return replace(
                summary, files={path: digest for path, digest in summary.files.items() if path != event.path}
            )
        case TextSet(file=FileText() as file) if event.cause is not TextCause.RESYNC:
            return replace(summary, files={**summary.files, event.path: file.sha256})
        case RunStarted():
            return replace(
                summary,
                # Another program may have written a file that the editor holds otherwise.
                files={**summary.files, **event.snapshot},
                snapshots={**summary.snapshots, event.run: event.snapshot},
                open_run_numbers_by_id={**summary.open_run_numbers_by_id, event.run: event.number},
            )
        case RunFinished():
            snapshots = dict(summary.snapshots)
            snapshot = snapshots.pop(event.run, {})
            verdicts = summary.verdicts.with_verdict(_attempt_verdict(event, seq, wall_time, active_s, snapshot))
            return replace(
                summary,
                snapshots=snapshots,
                open_run_numbers_by_id=_open_run_numbers_without(summary, event.run),
                verdicts=verdicts,
            )
        case RunCancelled():
            open_snapshots = {run: files for run, files in summary.snapshots.items() if run != event.run}
            return replace(
                summary, snapshots=open_snapshots, open_run_numbers_by_id=_open_run_numbers_without(summary, event.run)
            )
        case Answered():
            return replace(
                summary,
                files={**summary.files, **event.snapshot},
                verdicts=summary.verdicts.with_verdict(
                    _attempt_verdict(event, seq, wall_time, active_s, event.snapshot)
                ),
            )
        case Judged() | Regraded():
            return replace(summary, verdicts=_verdicts_with_late_one(summary, event))
        case Interrupted():
            # A run that died with its process has no end in the log.
            return replace(summary, open_run_numbers_by_id={})
        case Abandoned():
            return replace(summary, abandon_reason=event.reason or "")
        case _:
            return summary


def _open_run_numbers_without(summary: Summary, run: str) -> Mapping[str, int]:
    return {open_run: number for open_run, number in summary.open_run_numbers_by_id.items() if open_run != run}


def _verdicts_with_late_one(summary: Summary, event: Judged | Regraded) -> VerdictSequence[AttemptVerdict]:
    return summary.verdicts.with_late_verdict(
        event.number, partial(_revised_verdict, event), replaces_decided=event.replaces
    )


def _attempt_verdict(
    event: RunFinished | Answered, seq: int, wall_time: datetime, active_s: float, snapshot: Mapping[str, str]
) -> AttemptVerdict:
    return AttemptVerdict(
        number=event.number,
        outcome=present_outcome_of_recorded(event.reason, event.outcome),
        reason=event.reason,
        message=event.message,
        passed=event.passed if isinstance(event, RunFinished) else None,
        total=event.total if isinstance(event, RunFinished) else None,
        wall_s=event.wall_s,
        digests=event.digests,
        snapshot=snapshot,
        seq=seq,
        at=wall_time,
        active_s=active_s,
    )


def _revised_verdict(event: Judged | Regraded, verdict: AttemptVerdict) -> AttemptVerdict:
    revised = replace(
        verdict,
        outcome=present_outcome_of_recorded(event.reason, event.outcome),
        reason=event.reason,
        message=event.message,
    )
    if isinstance(event, Judged):
        return revised
    return replace(revised, passed=event.passed, total=event.total, wall_s=event.wall_s, digests=event.digests)
