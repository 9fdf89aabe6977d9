"""Progress of the students of a course: by problem, and one student's attempts at one of them."""

from __future__ import annotations

import asyncio
import json
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import Row, case, func, select

from benchwright_attempts.events.evidence import Recording
from benchwright_attempts.log.log import EventLog
from benchwright_attempts.standing import (
    AttemptView,
    PendingRun,
    ShownVerdict,
    Standing,
    attempt_view,
    cancelled_run_standing,
    has_changed_files,
    problem_view,
    verdict_standing,
)
from benchwright_attempts.state import CONSENT_WITHDRAWN, AttemptState
from benchwright_attempts.summary.summary import Summary
from benchwright_foundation.database import Database
from benchwright_problems.verdict import Outcome, Verdict
from benchwright_remote.messages import AssignmentView, Role, RunState
from benchwright_service.runs.queue_rows import GOING
from benchwright_service.storage.tables import (
    ACCOUNTS,
    ASSIGNMENTS,
    ATTEMPTS_HELD,
    MEMBERS,
    RECEIPTS,
    RUNS,
    WORTH,
    moment,
)


@dataclass(frozen=True)
class CourseStudent:
    """A participant of a course."""

    account: str
    name: str
    section: str
    group: str = ""
    """Of those who work together; empty for who works alone."""


@dataclass(frozen=True)
class ProgressCell:
    """A student and a problem of an assignment."""

    view: AttemptView = field(default_factory=AttemptView)
    """The student's standing with it after all attempts: nothing takes a pass back."""
    runs: int = 0
    """Number of runs that ended by a verdict."""
    last: datetime | None = None
    """Time at which the newest run was asked for, or the newest attempt begun."""


@dataclass(frozen=True)
class ProgressMatrix:
    """Students by problems."""

    students: Sequence[CourseStudent]
    columns: Sequence[tuple[AssignmentView, str]]
    """Assignment and problem."""
    cells: Mapping[tuple[str, str, str], ProgressCell]
    """By account, assignment and problem; those that were not begun are left out."""

    def cell(self, student: CourseStudent, assignment: AssignmentView, problem: str) -> ProgressCell:
        """One of them."""
        return self.cells.get((student.account, assignment.id, problem), ProgressCell())


@dataclass(frozen=True)
class TextFromSource:
    """Text of an attempt that came from one source."""

    origin: str
    characters: int
    """Inserted, also those that were deleted later."""
    share: float
    """Of all characters, from 0 to 1."""


@dataclass(frozen=True)
class RunLine:
    """A run of an attempt."""

    id: str
    number: int
    standing: Standing
    verdict: Verdict | None
    queued: datetime
    files: str
    """JSON: path → sha256."""


@dataclass(frozen=True)
class AttemptLine:
    """An attempt of a student."""

    id: str
    created: datetime
    clock_difference_s: float
    """The service's clock minus the student's, when events came last."""
    clock_span_s: tuple[float, float]
    """The least and the most that it was at any receipt: far apart if the student's clock was set."""
    recording: Recording | None
    """Level at which it was recorded; None if its recording was deleted."""
    summary: Summary | None
    """None if its recording was deleted."""
    view: AttemptView
    runs: Sequence[RunLine]

    @property
    def event_count(self) -> int:
        """Number of events that were recorded and are here."""
        return self.summary.seq if self.summary is not None else 0


class CourseProgress:
    """Reads it.

    Args:
        database: Database of the service.
        log: The service's.
    """

    def __init__(self, database: Database, log: EventLog) -> None:
        self._database = database
        self._log = log

    async def students(self, course: str, *, accounts: Collection[str] | None = None) -> Sequence[CourseStudent]:
        """The participants of a course by name; all, or those of some accounts."""
        query = (
            select(ACCOUNTS.c.id, ACCOUNTS.c.name, MEMBERS.c.section, MEMBERS.c.team)
            .join(MEMBERS, MEMBERS.c.account == ACCOUNTS.c.id)
            .where(MEMBERS.c.course == course, MEMBERS.c.role == Role.PARTICIPANT.value)
            .order_by(func.lower(ACCOUNTS.c.name), ACCOUNTS.c.id)
        )
        if accounts is not None:
            query = query.where(MEMBERS.c.account.in_(accounts))
        async with self._database.read_transaction() as connection:
            return [CourseStudent(row.id, row.name, row.section, row.team) for row in await connection.execute(query)]

    async def matrix(
        self, course: str, students: Sequence[CourseStudent], columns: Sequence[tuple[AssignmentView, str]]
    ) -> ProgressMatrix:
        """Students of a course by problems of assignments."""
        assignments = {assignment.id for assignment, _ in columns}
        cells = await self._cells(course, [student.account for student in students], assignments)
        return ProgressMatrix(students, columns, cells)

    async def passed_count_by_assignment(self, account: str, course: str) -> Mapping[str, int]:
        """Returns the number of problems of each assignment that a student has passed, by assignment."""
        query = (
            select(WORTH.c.assignment, func.count().label("passed"))
            .join(ASSIGNMENTS, ASSIGNMENTS.c.id == WORTH.c.assignment)
            .where(ASSIGNMENTS.c.course == course, WORTH.c.account == account, WORTH.c.passed != 0)
            .group_by(WORTH.c.assignment)
        )
        async with self._database.read_transaction() as connection:
            return {row.assignment: row.passed for row in await connection.execute(query)}

    async def passed_count_by_account(
        self, assignments: Sequence[AssignmentView], students: Sequence[CourseStudent]
    ) -> Mapping[str, int]:
        """Returns the number of problems that students have passed, by account; those without any are left out."""
        assignment_problems = {(view.id, problem) for view in assignments for problem in view.problems}
        query = select(WORTH.c.account, WORTH.c.assignment, WORTH.c.problem).where(
            WORTH.c.account.in_([student.account for student in students]), WORTH.c.passed != 0
        )
        async with self._database.read_transaction() as connection:
            rows = (await connection.execute(query)).all()
        return Counter(row.account for row in rows if (row.assignment, row.problem) in assignment_problems)

    async def student_cells(self, course: str, account: str, assignment: str) -> Mapping[str, ProgressCell]:
        """By problem, a student's standing in an assignment; problems that were not begun are left out."""
        cells = await self._cells(course, [account], [assignment])
        return {problem: cell for (_, _, problem), cell in cells.items()}

    async def _cells(
        self, course: str, accounts: Collection[str], assignments: Collection[str]
    ) -> dict[tuple[str, str, str], ProgressCell]:
        """By account, assignment and problem."""
        held_columns = ATTEMPTS_HELD.c
        query = (
            select(
                held_columns.account,
                held_columns.assignment,
                held_columns.problem,
                held_columns.attempt,
                held_columns.created,
                *(RUNS.c[name] for name in ("number", "state", "why", "outcome", "regrade", "queued")),
                # Only what is undecided has to say why.
                case((RUNS.c.outcome == Outcome.ERROR.value, RUNS.c.verdict), else_=None).label("verdict"),
            )
            .join(ASSIGNMENTS, ASSIGNMENTS.c.id == held_columns.assignment)
            .outerjoin(RUNS, RUNS.c.attempt == held_columns.attempt)
            .where(ASSIGNMENTS.c.course == course, held_columns.assignment.in_(assignments))
            .where(held_columns.account.in_(accounts))
            .order_by(held_columns.created.desc(), RUNS.c.number)
        )
        async with self._database.read_transaction() as connection:
            held_rows = (await connection.execute(query)).all()
        return await asyncio.to_thread(self._cells_of_rows, held_rows)

    def _cells_of_rows(self, held_rows: Sequence[Any]) -> dict[tuple[str, str, str], ProgressCell]:
        rows_by_attempt: dict[str, list[Any]] = defaultdict(list)
        for row in held_rows:
            rows_by_attempt[row.attempt].append(row)
        summaries = self._log.summaries_by_attempt(rows_by_attempt)
        by_problem: dict[tuple[str, str, str], list[list[Any]]] = defaultdict(list)
        for attempt, attempt_rows in rows_by_attempt.items():
            row = attempt_rows[0]
            # Of one whose recording was deleted, there are the runs.
            if attempt not in summaries and row.number is None:
                continue
            by_problem[row.account, row.assignment, row.problem.partition("/")[2]].append(attempt_rows)
        return {
            place: ProgressCell(
                problem_view(
                    attempt_view_by_runs(summaries.get(held_rows[0].attempt), held_rows)
                    for held_rows in rows_of_attempts
                ),
                sum(bool(row.outcome) for held_rows in rows_of_attempts for row in held_rows),
                moment(
                    max(
                        time
                        for held_rows in rows_of_attempts
                        for row in held_rows
                        for time in (row.created, row.queued or 0.0)
                    )
                ),
            )
            for place, rows_of_attempts in by_problem.items()
        }

    async def attempts(self, account: str, assignment: str, problem: str) -> Sequence[AttemptLine]:
        """The attempts of a student at a problem of an assignment, in their order, with their runs."""
        query = (
            select(ATTEMPTS_HELD)
            .where(ATTEMPTS_HELD.c.account == account, ATTEMPTS_HELD.c.assignment == assignment)
            .where(ATTEMPTS_HELD.c.problem.endswith(f"/{problem}", autoescape=True))
            .order_by(ATTEMPTS_HELD.c.created)
        )
        async with self._database.read_transaction() as connection:
            rows = (await connection.execute(query)).all()
            ids = [row.attempt for row in rows]
            run_rows = (
                await connection.execute(select(RUNS).where(RUNS.c.attempt.in_(ids)).order_by(RUNS.c.number))
            ).all()
            receipts_query = select(RECEIPTS.c.attempt, RECEIPTS.c.anchor).where(RECEIPTS.c.attempt.in_(ids))
            receipts = (await connection.execute(receipts_query)).all()
        summaries, recordings = await asyncio.to_thread(self._summaries_and_recordings, ids)
        by_attempt: dict[str, list[Row[Any]]] = defaultdict(list)
        for run_row in run_rows:
            by_attempt[run_row.attempt].append(run_row)
        return [
            AttemptLine(
                row.attempt,
                moment(row.created),
                row.clock_difference_s,
                _clock_difference_range_s(
                    row.clock_difference_s, [receipt.anchor for receipt in receipts if receipt.attempt == row.attempt]
                ),
                recordings.get(row.attempt),
                summaries.get(row.attempt),
                attempt_view_by_runs(summaries.get(row.attempt), by_attempt[row.attempt]),
                [_run_line(run_row) for run_row in by_attempt[row.attempt]],
            )
            for row in rows
        ]

    def _summaries_and_recordings(
        self, attempts: Sequence[str]
    ) -> tuple[Mapping[str, Summary], Mapping[str, Recording]]:
        """By attempt, without those whose recording was deleted."""
        summaries = self._log.summaries_by_attempt(attempts)
        return summaries, {attempt: self._log.header(attempt).recording for attempt in summaries}


def text_sources(inserted_by_origin: Mapping[str, int]) -> Sequence[TextFromSource]:
    """Sources of text, the most first.

    Args:
        inserted_by_origin: Origin → code points put in.
    """
    counts = Counter(inserted_by_origin)
    return [
        TextFromSource(origin, number, number / counts.total()) for origin, number in counts.most_common() if number
    ]


def _clock_difference_range_s(newest_difference_s: float, anchor_json_lines: Sequence[str]) -> tuple[float, float]:
    differences = [newest_difference_s]
    for line in anchor_json_lines:
        anchor = json.loads(line)
        service_time, student = (datetime.fromisoformat(time) for time in (anchor["receipt"]["time"], anchor["made"]))
        differences.append((service_time - student).total_seconds())
    return min(differences), max(differences)


def attempt_view_by_runs(summary: Summary | None, run_rows: Sequence[Row[Any]]) -> AttemptView:
    """The standing of an attempt, by the verdicts that count at the service.

    Args:
        summary: Summary of the attempt's events; None if they were deleted, and the runs alone say what it is.
        run_rows: Its runs in their order; a row without a number is none.
    """
    decided = [_shown_verdict(row) for row in run_rows if row.outcome]
    pending = [row for row in run_rows if row.state in GOING and not row.regrade]
    newest = decided[-1] if decided else None
    known_verdict = summary.verdict if summary is not None else None
    is_known_here = known_verdict is not None and newest is not None and known_verdict.number == newest.run
    return attempt_view(
        summary.state if summary is not None else AttemptState.RUNNING,
        newest_verdict=newest,
        pending_run=PendingRun(pending[-1].number, pending[-1].state == RunState.QUEUED.value) if pending else None,
        first_passed_run=next((verdict.run for verdict in decided if verdict.outcome == Outcome.PASSED.value), None),
        has_changed_files=is_known_here and summary is not None and has_changed_files(summary),
        is_withdrawn=summary is not None and summary.abandon_reason == CONSENT_WITHDRAWN,
    )


def _shown_verdict(run_row: Row[Any]) -> ShownVerdict:
    reason = json.loads(run_row.verdict)["reason"] if run_row.verdict is not None else ""
    return ShownVerdict(run_row.number, run_row.outcome, reason)


def run_standing(run_row: Row[Any]) -> Standing:
    """The standing of a run as it is stored."""
    if run_row.outcome:
        return verdict_standing(_shown_verdict(run_row))
    match RunState(run_row.state):
        case RunState.QUEUED:
            return Standing.QUEUED
        case RunState.RUNNING:
            return Standing.RUNNING
        case _:
            return cancelled_run_standing(run_row.why)


def _run_line(run_row: Row[Any]) -> RunLine:
    verdict = Verdict.model_validate_json(run_row.verdict) if run_row.verdict is not None else None
    return RunLine(run_row.id, run_row.number, run_standing(run_row), verdict, moment(run_row.queued), run_row.files)
