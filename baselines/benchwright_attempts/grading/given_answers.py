"""Answers that were given elsewhere, as attempts of the event log, which gets what it does not have yet.

An attempt's name follows from the answer, so the same answer is one attempt, however often its file is graded. An
answer that says which attempt of this log it is, and is what that attempt was decided on, is that attempt. All events
of all answers are handed over without waiting and share the log's transactions.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from benchwright_attempts.actor import Actor, KnownActor
from benchwright_attempts.attribution_method import AttributionMethod
from benchwright_attempts.clock.time_source import GIVEN
from benchwright_attempts.events.event_body import Request
from benchwright_attempts.events.events import (
    Answered,
    Event,
    Given,
    Judged,
    Opened,
    Regraded,
    RunCancelled,
    RunFinished,
    RunStarted,
    Save,
    Submitted,
    TextCause,
    TextSet,
)
from benchwright_attempts.events.file_text import FileText, sha256
from benchwright_attempts.grading.grading import ANSWER, GradingOutcome
from benchwright_attempts.grading.judging import judged_by
from benchwright_attempts.grading.run_records import RunRecords
from benchwright_attempts.log.record import AttemptHeader, RecordedEvent
from benchwright_attempts.summary.summary import AttemptVerdict, Summary
from benchwright_attempts.terms import Solver
from benchwright_foundation.home import Home
from benchwright_problems.problem import Problem, ProblemKind
from benchwright_problems.verdict import Outcome, Verdict

if TYPE_CHECKING:
    # The database library takes a third of a second to import: nobody pays before a log is needed.
    from benchwright_attempts.log.log import EventLog

REPLY = "reply.md"
"""The file of a whole reply in which steps come before the answer. It is recorded, and not judged."""


@dataclass(frozen=True)
class GivenAnswer:
    """An answer, and who gave it."""

    attempt: str
    """Its attempt's id."""
    problem_ref: str
    """`pack/id`."""
    problem: Problem
    public_digest: str
    """Of the problem's public part."""
    files: Mapping[str, bytes]
    """Content by path; `answer.md` for questions."""
    solver: str
    condition: Solver
    stated_attempt: str = ""
    """The attempt that it is, as it says; another one's id is no harm."""
    try_number: int = 1
    """Of the try that it was in its attempt."""
    flaw: Verdict | None = None
    """Reason why a reply to a design problem has no files."""
    reply: str = ""
    """The whole reply, if steps came before the answer."""
    reported_s: float | None = None
    """How long it took, in seconds, as its file states; None if it does not."""
    extra_events: tuple[Event, ...] = ()
    """Other events that are recorded of it."""

    @property
    def text(self) -> str:
        """The answer to a question."""
        return self.files[ANSWER].decode()

    @property
    def digests(self) -> dict[str, str]:
        """Digests of what is judged."""
        return {path: sha256(content) for path, content in self.files.items()}


def with_logged_attempt_ids(log: EventLog, given_answers: Sequence[GivenAnswer]) -> list[GivenAnswer]:
    """The same answers, under the attempts that they say they are, as far as this log has those.

    Raises:
        LogError: The log can't be read.
    """
    recorded_ids = {answer.stated_attempt for answer in given_answers if answer.stated_attempt}
    if not recorded_ids:
        return list(given_answers)
    known_attempts = {header.id: (header, summary) for header, summary in log.summaries() if header.id in recorded_ids}
    matched_answers = []
    for answer in given_answers:
        header, summary = known_attempts.get(answer.stated_attempt, (None, Summary()))
        earlier_verdict = summary.verdict
        # Whoever writes the file could name any attempt: only the same answer of the same solver is the same one.
        is_it = header is not None and (header.problem, header.solver) == (answer.problem_ref, answer.solver)
        if (
            is_it
            and earlier_verdict is not None
            and summary.state.ended
            and dict(earlier_verdict.snapshot) == answer.digests
        ):
            answer = replace(answer, attempt=answer.stated_attempt, try_number=earlier_verdict.number)
        matched_answers.append(answer)
    return matched_answers


class GivenAnswers:
    """Records answers and their verdicts.

    Args:
        log: Gets the attempts.
        home: Home in which verdicts with the names of tests are kept.
        given_answers: All of them.
    """

    def __init__(self, log: EventLog, home: Home, given_answers: Sequence[GivenAnswer]) -> None:
        self._log = log
        self._home = home
        self._answers = {answer.attempt: answer for answer in given_answers}

    def record_answers(self) -> None:
        """Record the answers; returns once they are on disk.

        Raises:
            LogError: The answers can't be written.
        """
        recorded_attempts = self._logged_attempts_by_id()
        writing: list[Future[RecordedEvent]] = []
        for name, answer in self._answers.items():
            if name not in recorded_attempts:
                writing.append(self._log.create_nowait(self._attempt_header(answer), Opened(files={})))
                writing += [
                    self._log.append_nowait(name, _with_reported_actor(answer, event)) for event in answer.extra_events
                ]
            _, summary = recorded_attempts.get(name, (None, Summary()))
            writing += [
                self._log.append_nowait(name, _with_reported_actor(answer, event))
                for event in _unrecorded_answer_events(answer, summary)
            ]
        _wait_for_writes(writing)

    def record_outcomes(self, outcome_by_attempt: Mapping[str, GradingOutcome]) -> None:
        """Record verdicts. A decided one gives way only to another decided one; a study's is left as it is.

        Args:
            outcome_by_attempt: Grading outcomes by attempt.

        Raises:
            LogError: The verdicts can't be written.
        """
        recorded_attempts = self._logged_attempts_by_id()
        writing: list[Future[RecordedEvent]] = []
        for name, graded_answer in outcome_by_attempt.items():
            answer, (header, summary) = self._answers[name], recorded_attempts[name]
            if header.study:
                continue
            events = [*_new_verdict_events(answer, summary, graded_answer)]
            if events and answer.problem.kind is ProblemKind.DESIGN:
                RunRecords(self._home, name).keep_verdict(answer.try_number, graded_answer.verdict)
            if not summary.state.ended:
                events.append(Submitted())
            writing += [self._log.append_nowait(name, _with_reported_actor(answer, event)) for event in events]
        _wait_for_writes(writing)

    def _logged_attempts_by_id(self) -> dict[str, tuple[AttemptHeader, Summary]]:
        return {header.id: (header, summary) for header, summary in self._log.summaries() if header.id in self._answers}

    def _attempt_header(self, answer: GivenAnswer) -> AttemptHeader:
        return AttemptHeader(
            id=answer.attempt,
            problem=answer.problem_ref,
            problem_digest=answer.public_digest,
            workspace="",
            solver=answer.solver,
            condition=answer.condition.value,
            created=self._log.moment().wall,
        )


def _with_reported_actor(answer: GivenAnswer, event: Event) -> Event:
    """The event with the actor that the answer's file says, in a condition in which a person works."""
    if not isinstance(event, Request) or not answer.condition.is_person:
        return event
    author = _AUTHORS.get(answer.condition, Actor.PERSON) if isinstance(event, TextSet) else Actor.PERSON
    return event.with_actor_if_missing(KnownActor(author, AttributionMethod.REPORTED))


_AUTHORS = {Solver.HUMAN_COPILOT: Actor.CHAT, Solver.HUMAN_AGENT: Actor.AGENT}
"""Condition → who helps a person in it."""


def _wait_for_writes(pending_writes: Iterable[Future[RecordedEvent]]) -> None:
    for future in pending_writes:
        future.result()


def _unrecorded_answer_events(answer: GivenAnswer, summary: Summary) -> Iterator[Event]:
    # An attempt that was made here keeps the time of its clock, whatever a file says.
    is_time_news = answer.reported_s not in (None, summary.reported_s) and answer.attempt != answer.stated_attempt
    is_known = GIVEN in summary.event_types or summary.state.ended
    if is_time_news or not is_known:
        yield Given(reported_s=answer.reported_s)
    if summary.state.ended:
        return
    reply_files = {REPLY: answer.reply.encode("utf-8", "replace")} if answer.reply else {}
    for path, content in {**reply_files, **answer.files}.items():
        if summary.files.get(path) != sha256(content):
            yield TextSet(path=path, cause=TextCause.WRITTEN, file=FileText.of_bytes(content))
            yield Save(path=path, sha256=sha256(content), size=len(content))


def _new_verdict_events(answer: GivenAnswer, summary: Summary, grading_outcome: GradingOutcome) -> Iterable[Event]:
    earlier_verdict, verdict = summary.verdict, grading_outcome.verdict
    if earlier_verdict is not None:
        earlier_message = (earlier_verdict.reason, earlier_verdict.message)
        is_news = verdict.outcome is not Outcome.ERROR and earlier_message != (verdict.reason.value, verdict.detail)
        return [_late_verdict_event(answer, earlier_verdict, grading_outcome)] if is_news else []
    snapshot = answer.digests
    if answer.problem.kind is ProblemKind.DESIGN:
        run = uuid.uuid4().hex
        run_start = RunStarted(run=run, number=answer.try_number, snapshot=snapshot)
        lost = [RunCancelled(run=name, number=answer.try_number, reason="interrupted") for name in summary.snapshots]
        return [*lost, run_start, RunFinished.of(answer.try_number, verdict, run=run)]
    return [
        Answered(
            number=answer.try_number,
            outcome=verdict.outcome,
            reason=verdict.reason.value,
            message=verdict.detail,
            snapshot=snapshot,
            wall_s=verdict.wall_s,
            digests=verdict.digests.model_dump(),
            judged_by=judged_by(grading_outcome.judgement) if grading_outcome.judgement is not None else None,
        )
    ]


def _late_verdict_event(answer: GivenAnswer, earlier_verdict: AttemptVerdict, grading_outcome: GradingOutcome) -> Event:
    verdict, replaces = grading_outcome.verdict, earlier_verdict.outcome is not Outcome.ERROR
    if grading_outcome.judgement is None:
        return Regraded.of(earlier_verdict.number, verdict, replaces=replaces)
    return Judged(
        number=earlier_verdict.number,
        sha256=earlier_verdict.snapshot[ANSWER],
        outcome=verdict.outcome,
        reason=verdict.reason.value,
        message=verdict.detail,
        judged_by=judged_by(grading_outcome.judgement),
        replaces=replaces,
    )
