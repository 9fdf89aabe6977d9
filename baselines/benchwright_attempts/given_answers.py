"""Answers that were given elsewhere, as attempts of the event log, which gets what it does not have yet.

An attempt's name follows from the answer, so the same answer is one attempt, however often its file is graded. All
events of all answers are handed over without waiting and share the log's transactions.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchwright_attempts.clock import AttemptState
from benchwright_attempts.events import (
    Answered,
    Event,
    Interrupted,
    Judged,
    Opened,
    RunCancelled,
    RunFinished,
    RunStarted,
    Save,
    Started,
    Submitted,
    TextCause,
    TextSet,
)
from benchwright_attempts.file_text import FileText, sha256
from benchwright_attempts.grading import ANSWER, Graded
from benchwright_attempts.judging import judged_by
from benchwright_attempts.record import AttemptHeader, RecordedEvent
from benchwright_attempts.regraded import Regraded
from benchwright_attempts.run_records import RunRecords
from benchwright_attempts.summary import AttemptVerdict, Summary
from benchwright_attempts.terms import Solver
from benchwright_problems.home import Home
from benchwright_problems.problem import Kind, Problem
from benchwright_problems.verdict import Outcome

if TYPE_CHECKING:
    # The database library takes a third of a second to import: nobody pays before a log is needed.
    from benchwright_attempts.log import EventLog

_NUMBER = 1
"""Such an attempt has one try."""


@dataclass(frozen=True)
class GivenAnswer:
    """An answer, and who gave it."""

    attempt: str
    """Its attempt's id."""
    ref: str
    """`pack/id`."""
    problem: Problem
    files: Mapping[str, bytes]
    """Content by path; `answer.md` for questions."""
    solver: str
    condition: Solver


class GivenAnswers:
    """Records answers and their verdicts.

    Args:
        log: Gets the attempts.
        home: Where verdicts with the names of tests are kept.
        answers: All of them.
    """

    def __init__(self, log: EventLog, home: Home, answers: Sequence[GivenAnswer]) -> None:
        self._log = log
        self._home = home
        self._answers = {answer.attempt: answer for answer in answers}

    def receive(self) -> None:
        """Record the answers; returns once they are on disk.

        Raises:
            LogError: They can't be written.
        """
        here = self._here()
        writing: list[Future[RecordedEvent]] = []
        for name, answer in self._answers.items():
            if name not in here:
                writing.append(self._log.create_nowait(self._header(answer), Opened(files={})))
            events = _beginning(answer, here.get(name, Summary()))
            writing += [self._log.append_nowait(name, event) for event in events]
        _wait(writing)

    def decide(self, graded: Mapping[str, Graded]) -> None:
        """Record verdicts; of attempts that have one already, only those that decide what was undecided.

        Args:
            graded: By attempt.

        Raises:
            LogError: They can't be written.
        """
        here = self._here()
        writing: list[Future[RecordedEvent]] = []
        for name, found in graded.items():
            answer, summary = self._answers[name], here[name]
            events = [*_decision(answer, summary, found)]
            if events and answer.problem.kind is Kind.DESIGN:
                RunRecords(self._home, name).keep(_NUMBER, found.verdict)
            if not summary.state.ended:
                events.append(Submitted())
            writing += [self._log.append_nowait(name, event) for event in events]
        _wait(writing)

    def _here(self) -> dict[str, Summary]:
        return {header.id: summary for header, summary in self._log.summaries() if header.id in self._answers}

    def _header(self, answer: GivenAnswer) -> AttemptHeader:
        return AttemptHeader(
            id=answer.attempt,
            problem=answer.ref,
            problem_digest=answer.problem.public_digest,
            workspace="",
            solver=answer.solver,
            condition=answer.condition.value,
            created=self._log.moment().wall,
        )


def _wait(writing: Iterable[Future[RecordedEvent]]) -> None:
    for one in writing:
        one.result()


def _beginning(answer: GivenAnswer, summary: Summary) -> Iterator[Event]:
    if summary.state.ended:
        return
    # After an interruption, the time since then does not count.
    yield Interrupted() if summary.state is AttemptState.RUNNING else Started()
    for path, content in answer.files.items():
        if summary.files.get(path) != sha256(content):
            yield TextSet(path=path, cause=TextCause.WRITTEN, file=FileText.of_bytes(content))
            yield Save(path=path, sha256=sha256(content), size=len(content))


def _decision(answer: GivenAnswer, summary: Summary, graded: Graded) -> Iterable[Event]:
    earlier, verdict = summary.verdict, graded.verdict
    if earlier is not None:
        is_news = earlier.outcome is Outcome.ERROR and verdict.outcome is not Outcome.ERROR
        return [_late(answer, earlier, graded)] if is_news else []
    snapshot = {path: sha256(content) for path, content in answer.files.items()}
    if answer.problem.kind is Kind.DESIGN:
        run = uuid.uuid4().hex
        started = RunStarted(run=run, number=_NUMBER, snapshot=snapshot)
        lost = [RunCancelled(run=name, number=_NUMBER, reason="interrupted") for name in summary.snapshots]
        return [*lost, started, RunFinished.of(_NUMBER, verdict, run=run)]
    return [
        Answered(
            number=_NUMBER,
            outcome=verdict.outcome,
            reason=verdict.reason.value,
            message=verdict.detail,
            snapshot=snapshot,
            wall_s=verdict.wall_s,
            digests=verdict.digests.model_dump(),
            judged_by=judged_by(graded.judgement) if graded.judgement is not None else None,
        )
    ]


def _late(answer: GivenAnswer, earlier: AttemptVerdict, graded: Graded) -> Event:
    verdict = graded.verdict
    if graded.judgement is None:
        return Regraded.of(earlier.number, verdict)
    return Judged(
        number=earlier.number,
        sha256=earlier.snapshot[ANSWER],
        outcome=verdict.outcome,
        reason=verdict.reason.value,
        message=verdict.detail,
        judged_by=judged_by(graded.judgement),
    )
