"""Progress of the students of a course: by problem, and one student's attempts at one of them."""

from __future__ import annotations

import asyncio
import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import Row, case, distinct, func, select

from benchwright_attempts.log.log import EventLog
from benchwright_attempts.summary.summary import Summary
from benchwright_foundation.database import Database
from benchwright_problems.verdict import Outcome, Verdict
from benchwright_remote.messages import AssignmentView, Role, RunState
from benchwright_service.runs.run_rows import GOING
from benchwright_service.storage.tables import ACCOUNTS, ASSIGNMENTS, ATTEMPTS_HELD, MEMBERS, RECEIPTS, RUNS, moment


class ProblemStanding(StrEnum):
    """Standing of somebody with a problem."""

    NEW = "not begun"
    STARTED = "begun"
    FAILED = "not passed"
    PASSED = "passed"


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

    standing: ProblemStanding = ProblemStanding.NEW
    runs: int = 0
    """That ended by a verdict."""
    waiting: int = 0
    """That wait or run."""
    last: datetime | None = None
    """Time at which the newest run was asked for, or the newest attempt begun."""


@dataclass(frozen=True)
class Matrix:
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
    state: str
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
    summary: Summary
    runs: Sequence[RunLine]


class CourseProgress:
    """Reads it.

    Args:
        database: Database of the service.
        log: The service's.
    """

    def __init__(self, database: Database, log: EventLog) -> None:
        self._database = database
        self._log = log

    async def students(self, course: str, section: str = "") -> Sequence[CourseStudent]:
        """The participants of a course, or of one of its sections, by name."""
        query = (
            select(ACCOUNTS.c.id, ACCOUNTS.c.name, MEMBERS.c.section, MEMBERS.c.team)
            .join(MEMBERS, MEMBERS.c.account == ACCOUNTS.c.id)
            .where(MEMBERS.c.course == course, MEMBERS.c.role == Role.PARTICIPANT.value)
            .order_by(func.lower(ACCOUNTS.c.name), ACCOUNTS.c.id)
        )
        if section:
            query = query.where(MEMBERS.c.section == section)
        async with self._database.read_transaction() as connection:
            return [CourseStudent(row.id, row.name, row.section, row.team) for row in await connection.execute(query)]

    async def matrix(self, course: str, assignments: Sequence[AssignmentView], section: str = "") -> Matrix:
        """All students of a course, or of a section, by all problems of these assignments."""
        students = await self.students(course, section)
        held_columns = ATTEMPTS_HELD.c
        query = (
            select(
                held_columns.account,
                held_columns.assignment,
                held_columns.problem,
                func.max(held_columns.created).label("created"),
                func.max(RUNS.c.queued).label("queued"),
                func.count(RUNS.c.verdict).label("runs"),
                func.sum(case((RUNS.c.outcome == Outcome.PASSED.value, 1), else_=0)).label("passed"),
                func.sum(case((RUNS.c.state.in_(GOING) & (RUNS.c.regrade == ""), 1), else_=0)).label("waiting"),
            )
            .join(ASSIGNMENTS, ASSIGNMENTS.c.id == held_columns.assignment)
            .outerjoin(RUNS, RUNS.c.attempt == held_columns.attempt)
            .where(ASSIGNMENTS.c.course == course)
            .group_by(held_columns.account, held_columns.assignment, held_columns.problem)
        )
        async with self._database.read_transaction() as connection:
            rows = (await connection.execute(query)).all()
        cells = {(row.account, row.assignment, row.problem.partition("/")[2]): _cell(row) for row in rows}
        matrix_columns = [(assignment, problem) for assignment in assignments for problem in assignment.problems]
        return Matrix(students, matrix_columns, cells)

    async def passed_problem_counts(self, account: str, course: str) -> Mapping[str, int]:
        """Returns the number of problems of each assignment that somebody has passed, by assignment."""
        held_columns = ATTEMPTS_HELD.c
        query = (
            select(held_columns.assignment, func.count(distinct(held_columns.problem)).label("passed"))
            .join(ASSIGNMENTS, ASSIGNMENTS.c.id == held_columns.assignment)
            .join(RUNS, RUNS.c.attempt == held_columns.attempt)
            .where(held_columns.account == account, ASSIGNMENTS.c.course == course)
            .where(RUNS.c.outcome == Outcome.PASSED.value)
            .group_by(held_columns.assignment)
        )
        async with self._database.read_transaction() as connection:
            return {row.assignment: row.passed for row in (await connection.execute(query)).all()}

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
        summaries = await asyncio.to_thread(lambda: [self._log.summary(attempt) for attempt in ids])
        by_attempt: dict[str, list[RunLine]] = defaultdict(list)
        for run_row in run_rows:
            by_attempt[run_row.attempt].append(_run_line(run_row))
        return [
            AttemptLine(
                row.attempt,
                moment(row.created),
                row.clock_difference_s,
                _clock_difference_range(
                    row.clock_difference_s, [receipt.anchor for receipt in receipts if receipt.attempt == row.attempt]
                ),
                summary,
                by_attempt[row.attempt],
            )
            for row, summary in zip(rows, summaries, strict=True)
        ]


def text_sources(inserted: Mapping[str, int]) -> Sequence[TextFromSource]:
    """Sources of text, the most first.

    Args:
        inserted: Origin → code points put in.
    """
    counts = Counter(inserted)
    return [
        TextFromSource(origin, number, number / counts.total()) for origin, number in counts.most_common() if number
    ]


def _clock_difference_range(newest_difference_s: float, receipts: Sequence[str]) -> tuple[float, float]:
    differences = [newest_difference_s]
    for line in receipts:
        anchor = json.loads(line)
        service, student = (datetime.fromisoformat(time) for time in (anchor["receipt"]["time"], anchor["made"]))
        differences.append((service - student).total_seconds())
    return min(differences), max(differences)


def _cell(row: Row[Any]) -> ProgressCell:
    standing = ProblemStanding.PASSED if row.passed else ProblemStanding.FAILED if row.runs else ProblemStanding.STARTED
    return ProgressCell(standing, row.runs, row.waiting, moment(max(row.created, row.queued or 0.0)))


def _run_line(row: Row[Any]) -> RunLine:
    verdict = Verdict.model_validate_json(row.verdict) if row.verdict is not None else None
    state = RunState.DONE.value if row.regrade else row.state
    return RunLine(row.id, row.number, state, verdict, moment(row.queued), row.files)
