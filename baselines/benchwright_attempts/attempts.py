"""Attempts as people see them: what came out so far, and which are unfinished."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from pydantic import ValidationError

from benchwright_attempts.clock import AttemptState, ClockState, next_clock
from benchwright_attempts.errors import AttemptError
from benchwright_attempts.events import (
    Answered,
    Interrupted,
    Judged,
    Opened,
    RunCancelled,
    RunFinished,
    RunStarted,
    Save,
    TextCause,
    TextSet,
)
from benchwright_attempts.evidence import Recording
from benchwright_attempts.file_text import FileText
from benchwright_attempts.record import AttemptHeader, RecordedEvent
from benchwright_attempts.terms import Solver
from benchwright_problems.verdict import Outcome, outcome_of

if TYPE_CHECKING:
    from benchwright_attempts.log import EventLog


@dataclass(frozen=True, slots=True)
class AttemptVerdict:
    """A verdict of an attempt, as the log has it."""

    number: int
    """Which try it was, from 1."""
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
    runs: int = 0
    """Verdicts so far, of runs and of judged answers."""
    verdict: AttemptVerdict | None = None
    """The newest one."""
    first_pass: AttemptVerdict | None = None
    files: Mapping[str, str] = field(default_factory=dict)
    """SHA-256 of each file as last seen on disk."""
    undecided: Mapping[int, AttemptVerdict] = field(default_factory=dict)
    """Answers that no judge has decided yet, by number."""
    snapshots: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Files of each run that has no verdict yet, by run id."""
    kinds: frozenset[str] = frozenset()
    """Types of all events so far."""

    @property
    def state(self) -> AttemptState:
        """The attempt's state."""
        return self.clock.state

    @property
    def passed(self) -> bool:
        """Whether the newest verdict is a pass."""
        return self.verdict is not None and self.verdict.outcome is Outcome.PASSED

    @property
    def next_number(self) -> int:
        """The number of the next try."""
        return self.runs + 1


def next_summary(summary: Summary, recorded: RecordedEvent) -> Summary:
    """The summary after one more event."""
    event = recorded.event
    summary = replace(
        summary,
        seq=recorded.seq,
        head=recorded.hash,
        process=recorded.moment.process,
        clock=next_clock(summary.clock, recorded),
        kinds=summary.kinds if event.type in summary.kinds else summary.kinds | {event.type},
    )
    match event:
        case Opened():
            return replace(summary, files={path: file.sha256 for path, file in event.files.items()})
        case Save():
            return replace(summary, files={**summary.files, event.path: event.sha256})
        case TextSet(file=None):
            return replace(
                summary, files={path: digest for path, digest in summary.files.items() if path != event.path}
            )
        case TextSet(file=FileText() as file) if event.cause is not TextCause.RESYNC:
            return replace(summary, files={**summary.files, event.path: file.sha256})
        case RunStarted():
            return replace(summary, snapshots={**summary.snapshots, event.run: event.snapshot})
        case RunFinished():
            snapshots = dict(summary.snapshots)
            snapshot = snapshots.pop(event.run, {})
            return _judge(replace(summary, snapshots=snapshots), recorded, event, snapshot)
        case RunCancelled():
            waiting = {run: files for run, files in summary.snapshots.items() if run != event.run}
            return replace(summary, snapshots=waiting)
        case Answered():
            return _judge(summary, recorded, event, event.snapshot)
        case Judged():
            return _judge_later(summary, event)
        case _:
            return summary


def _judge(
    summary: Summary, recorded: RecordedEvent, event: RunFinished | Answered, snapshot: Mapping[str, str]
) -> Summary:
    verdict = AttemptVerdict(
        number=event.number,
        outcome=outcome_of(event.reason, event.outcome),
        reason=event.reason,
        message=event.message,
        passed=event.passed if isinstance(event, RunFinished) else None,
        total=event.total if isinstance(event, RunFinished) else None,
        wall_s=event.wall_s,
        digests=event.digests,
        snapshot=snapshot,
        seq=recorded.seq,
        at=recorded.moment.wall,
        active_s=summary.clock.active_s,
    )
    undecided = summary.undecided
    if isinstance(event, Answered) and verdict.outcome is Outcome.ERROR:
        undecided = {**undecided, verdict.number: verdict}
    first = _earlier_pass(summary.first_pass, verdict)
    return replace(summary, runs=summary.runs + 1, verdict=verdict, first_pass=first, undecided=undecided)


def _judge_later(summary: Summary, event: Judged) -> Summary:
    """The verdict on an answer counts for the time when it was given, not when it was judged."""
    answered = summary.undecided.get(event.number)
    if answered is None:
        return summary
    verdict = replace(
        answered, outcome=outcome_of(event.reason, event.outcome), reason=event.reason, message=event.message
    )
    undecided = dict(summary.undecided)
    if verdict.outcome is not Outcome.ERROR:
        del undecided[event.number]
    newest = verdict if summary.verdict is not None and summary.verdict.number == event.number else summary.verdict
    first = _earlier_pass(summary.first_pass, verdict)
    return replace(summary, verdict=newest, first_pass=first, undecided=undecided)


def _earlier_pass(first: AttemptVerdict | None, verdict: AttemptVerdict) -> AttemptVerdict | None:
    if verdict.outcome is not Outcome.PASSED or (first is not None and first.number <= verdict.number):
        return first
    return verdict


def summarize(events: Iterable[RecordedEvent], summary: Summary | None = None) -> Summary:
    """The summary after all events, continuing an earlier one if given."""
    summary = summary or Summary()
    for recorded in events:
        summary = next_summary(summary, recorded)
    return summary


class ProblemState(StrEnum):
    """What was done with a problem so far."""

    NEW = "new"
    OPEN = "open"
    """There is an unfinished attempt, and none that passed."""
    PASSED = "passed"


@dataclass(frozen=True, slots=True)
class ProblemRecord:
    """All attempts at one problem, in one line."""

    state: ProblemState = ProblemState.NEW
    attempts: int = 0
    best_s: float | None = None
    """Shortest active time to a passing submission, in seconds."""


_MACHINES = frozenset(solver.value for solver in Solver if not solver.is_person)
"""Conditions in which no person solves: nobody continues such an attempt in an editor."""


class Attempts:
    """Makes attempts and summarises them.

    All methods wait for the disk; asynchronous code calls them in a thread.
    """

    def __init__(self, log: EventLog) -> None:
        """Takes the log that has the events."""
        self._log = log
        self._summaries: dict[str, Summary] = {}
        self._lock = Lock()

    def create(
        self,
        problem: str,
        problem_digest: str,
        workspace: Path,
        files: Mapping[str, FileText],
        *,
        solver: str = "human",
        condition: str = "human",
        study: str = "",
        recording: Recording = Recording.FULL,
    ) -> AttemptHeader:
        """Makes an attempt in state `open`.

        Args:
            problem: `pack/id`.
            problem_digest: Digest of the problem as it is opened.
            workspace: Folder the problem was opened into.
            files: Every file of that folder by its relative path.
            solver: Who.
            condition: With what help.
            study: Id of the study it belongs to.
            recording: How much of what the solver does may be recorded.

        Raises:
            AttemptError: A name cannot be recorded, or the log not be written.
        """
        try:
            header = AttemptHeader(
                id=uuid.uuid4().hex,
                problem=problem,
                problem_digest=problem_digest,
                workspace=str(workspace),
                solver=solver,
                condition=condition,
                created=self._log.moment().wall,
                study=study,
                recording=recording,
            )
            opened = Opened(files=files)
        except ValidationError as error:
            flaw = error.errors()[0]
            where = ".".join(str(part) for part in flaw["loc"])
            raise AttemptError(
                f"An attempt in {str(workspace)!a} cannot be recorded: {where}: {flaw['msg']}. "
                "Rename that folder or file, then open the problem again."
            ) from error
        self._log.create(header, opened)
        return header

    def unfinished(
        self,
        *,
        problem: str | None = None,
        workspace: Path | None = None,
        study: str = "",
        solver: str | None = None,
    ) -> AttemptHeader | None:
        """The newest attempt of a person at a problem, or in a workspace, that has not ended.

        Args:
            problem: `pack/id`; any if not given.
            workspace: A folder; any if not given.
            study: Id of the study it belongs to; those outside studies if empty.
            solver: Who; anybody if not given.
        """
        found = self._log.states(problem=problem, workspace=None if workspace is None else str(workspace))
        mine = (
            header
            for header, state in found
            if not state.ended
            and header.condition not in _MACHINES
            and header.study == study
            and solver in (None, header.solver)
        )
        return next(mine, None)

    def interrupt_stale(self, attempt: str) -> bool:
        """Continues an attempt whose clock another process left running.

        The time since that process' last event does not count, unless it turns out to be alive.

        Returns:
            Whether there was such an attempt.
        """
        summary = self.summary(attempt)
        if summary.state is not AttemptState.RUNNING or summary.process == self._log.process:
            return False
        self._log.append_blocking(attempt, Interrupted())
        return True

    def summary(self, attempt: str) -> Summary:
        """The state of an attempt after its newest event.

        The clock is that of this event; `clock.advance(summary.clock, log.moment())` is the live one.
        """
        with self._lock:
            known = self._summaries.get(attempt, Summary())
        summary = summarize(self._log.events(attempt, after=known.seq), known)
        if summary.seq == 0:
            self._log.header(attempt)
        with self._lock:
            self._summaries[attempt] = summary
        return summary

    def by_problem(self) -> dict[str, ProblemRecord]:
        """One line for each problem that a person ever opened outside studies."""
        records: dict[str, ProblemRecord] = {}
        for header, state in self._log.states():
            if header.condition in _MACHINES or header.study:
                continue
            record = records.get(header.problem, ProblemRecord())
            record = replace(record, attempts=record.attempts + 1)
            if state is AttemptState.SUBMITTED:
                record = self._with_submission(record, header.id)
            elif not state.ended and record.state is ProblemState.NEW:
                record = replace(record, state=ProblemState.OPEN)
            records[header.problem] = record
        return records

    def _with_submission(self, record: ProblemRecord, attempt: str) -> ProblemRecord:
        summary = self.summary(attempt)
        if not summary.passed:
            return record
        active_s = summary.clock.active_s
        best_s = active_s if record.best_s is None else min(record.best_s, active_s)
        return replace(record, state=ProblemState.PASSED, best_s=best_s)
