"""The gradebook of a course: points by student and assignment, what made them, extensions and adjustments."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType
from typing import Any, TypeVar

from sqlalchemy import insert, select

from benchwright_foundation.database import Database
from benchwright_problems.verdict import Outcome
from benchwright_remote.messages import AssignmentView, Role
from benchwright_service.courses.progress import Progress, Student
from benchwright_service.errors import BenchServiceError
from benchwright_service.runs.run_rows import DECIDED
from benchwright_service.storage.tables import (
    ACCOUNTS,
    ADJUSTMENTS,
    ASSIGNMENTS,
    ATTEMPTS_HELD,
    EXTENSION_HISTORY,
    EXTENSIONS,
    HINTS,
    IDENTITIES,
    MEMBERS,
    RUNS,
    moment,
)
from benchwright_teaching.grade_files import Column, Line
from benchwright_teaching.points import (
    CostlyHint,
    Counting,
    DecidedRun,
    Grading,
    Times,
    Worth,
    charged,
    times_of,
    worth_of,
)

_Key = tuple[str, str]
_Fact = TypeVar("_Fact", DecidedRun, CostlyHint)


@dataclass(frozen=True)
class Adjustment:
    """Points that staff gave or took."""

    points: float
    reason: str
    by: str
    """The name of who did."""
    at: datetime


@dataclass(frozen=True)
class Grade:
    """A student's points for an assignment."""

    worth: Mapping[str, Worth]
    """By problem, those that were worked on."""
    adjustments: Sequence[Adjustment]
    times: Times
    is_extended: bool

    @property
    def counted(self) -> Mapping[str, str]:
        """By problem, the id of the run that counts."""
        return {problem: worth.run.id for problem, worth in self.worth.items() if worth.run is not None}

    @property
    def points(self) -> float:
        """All of them; never below 0."""
        earned = sum(worth.points for worth in self.worth.values())
        return max(0.0, round(earned + sum(adjustment.points for adjustment in self.adjustments), 3))


@dataclass(frozen=True)
class Gradebook:
    """All grades of a course."""

    students: Sequence[Student]
    assignments: Sequence[tuple[AssignmentView, Grading]]
    grades: Mapping[_Key, Grade]
    """By account and assignment."""
    logins: Mapping[str, str]
    """By account, of who signed in by another program."""

    def grade(self, student: Student, assignment: AssignmentView) -> Grade:
        """One of them."""
        return self.grades[student.account, assignment.id]

    def of_section(self, section: str) -> Gradebook:
        """The same with the students of one section alone; all of it if none is named."""
        if not section:
            return self
        students = [student for student in self.students if student.section == section]
        accounts = {student.account for student in students}
        grades = {key: grade for key, grade in self.grades.items() if key[0] in accounts}
        return replace(self, students=students, grades=grades)

    def maximum_points(self, assignment: AssignmentView) -> float:
        """The points of an assignment in which everything is solved in time."""
        return next(rules.points for view, rules in self.assignments if view.id == assignment.id) * len(
            assignment.problems
        )

    @property
    def columns(self) -> Sequence[Column]:
        """The assignments, for a file."""
        return [Column(view.title, rules.points * len(view.problems)) for view, rules in self.assignments]

    @property
    def lines(self) -> Sequence[Line]:
        """The students, for a file."""
        return [
            Line(
                student.name,
                self.logins.get(student.account, ""),
                student.section,
                [self.grade(student, view).points for view, _ in self.assignments],
            )
            for student in self.students
        ]


class Gradebooks:
    """Reads gradebooks, and changes what staff decide.

    Args:
        database: Database of the service.
        progress: Knows the students.
        now: Seconds since 1970.
    """

    def __init__(self, database: Database, progress: Progress, now: Callable[[], float] = time.time) -> None:
        self._database = database
        self._progress = progress
        self._now = now

    async def gradebook(
        self,
        course: str,
        assignments: Sequence[AssignmentView],
        instead: Mapping[str, tuple[Outcome, float]] = MappingProxyType({}),
    ) -> Gradebook:
        """The gradebook of a course.

        Args:
            course: Its id.
            assignments: Its assignments.
            instead: Outcome and share of runs, by id, as if they were these.
        """
        students = await self._progress.students(course)
        rules = await self._rules(course)
        runs = await self._runs(course, instead)
        hints = await self._hints(course)
        groups = _groups(students)
        extensions = await self._extensions(course)
        adjustments = await self._adjustments(course)

        def graded() -> dict[_Key, Grade]:
            return {
                (student.account, view.id): _grade(
                    view,
                    rules[view.id],
                    _charged(
                        runs, hints, groups[student.account] if rules[view.id].by_group else [student.account], view.id
                    ),
                    extensions.get((student.account, view.id)),
                    adjustments.get((student.account, view.id), ()),
                )
                for student in students
                for view in assignments
            }

        # Of a large course it takes longer than others should wait.
        grades = await asyncio.to_thread(graded)
        return Gradebook(students, [(view, rules[view.id]) for view in assignments], grades, await self._logins(course))

    async def grade_by(self, course: str, assignment: str, grading: Grading) -> None:
        """Changes how an assignment is graded.

        Raises:
            BenchServiceError: A number is out of range, or the course has no such assignment.
        """
        if not 0 <= grading.points <= 1_000_000 or not 0 <= grading.late_percent <= 100:
            raise BenchServiceError("points go from 0 to 1,000,000, and what a late day takes from 0 to 100 percent")
        if grading.graders not in (1, 2):
            raise BenchServiceError("an answer is graded by one person, or by two and a third if they differ")
        changed = (
            ASSIGNMENTS.update()
            .where(ASSIGNMENTS.c.id == assignment, ASSIGNMENTS.c.course == course)
            .values(
                points=grading.points,
                counting=grading.counting.value,
                partial=int(grading.partial),
                late_percent=grading.late_percent,
                by_group=int(grading.by_group),
                graders=grading.graders,
            )
        )
        async with self._database.writing() as connection:
            if not (await connection.execute(changed)).rowcount:
                raise BenchServiceError(f"the course {course!r} has no assignment {assignment!r}")

    async def extend(
        self,
        course: str,
        assignment: str,
        account: str,
        *,
        due: datetime | None,
        closes: datetime | None,
        reason: str,
        staff_account: str,
    ) -> None:
        """Gives a student other times; the newest extension counts, and all of them are kept.

        Raises:
            BenchServiceError: The course has no such assignment or student.
        """
        await self._demand(course, assignment, account)
        values = {"due": due and due.timestamp(), "closes": closes and closes.timestamp(), "reason": reason}
        row = {"assignment": assignment, "account": account, **values}
        upsert = self._database.insert_into(EXTENSIONS).values(row)
        upsert = upsert.on_conflict_do_update(index_elements=["assignment", "account"], set_=values)
        async with self._database.writing() as connection:
            await connection.execute(upsert)
            await connection.execute(insert(EXTENSION_HISTORY).values(row | {"by": staff_account, "at": self._now()}))

    async def adjust(
        self, course: str, assignment: str, account: str, points: float, reason: str, staff_account: str
    ) -> None:
        """Gives points to a student, or takes some; nothing is ever overwritten.

        Raises:
            BenchServiceError: The course has no such assignment or student, or no reason is given.
        """
        if not reason:
            raise BenchServiceError("an adjustment needs a reason")
        await self._demand(course, assignment, account)
        row = {"assignment": assignment, "account": account, "points": points, "reason": reason, "by": staff_account}
        async with self._database.writing() as connection:
            await connection.execute(insert(ADJUSTMENTS).values(row | {"at": self._now()}))

    async def _demand(self, course: str, assignment: str, account: str) -> None:
        query = (
            select(MEMBERS.c.account)
            .join(ASSIGNMENTS, ASSIGNMENTS.c.course == MEMBERS.c.course)
            .where(MEMBERS.c.course == course, MEMBERS.c.account == account, ASSIGNMENTS.c.id == assignment)
            .where(MEMBERS.c.role == Role.PARTICIPANT.value)
        )
        async with self._database.reading() as connection:
            if (await connection.execute(query)).scalar() is None:
                raise BenchServiceError(f"the course {course!r} has no such assignment or student")

    async def _rules(self, course: str) -> dict[str, Grading]:
        query = select(ASSIGNMENTS).where(ASSIGNMENTS.c.course == course)
        async with self._database.reading() as connection:
            rows = (await connection.execute(query)).all()
        return {
            row.id: Grading(
                row.points,
                Counting(row.counting),
                bool(row.partial),
                row.late_percent,
                bool(row.by_group),
                row.graders,
            )
            for row in rows
        }

    async def _runs(
        self, course: str, instead: Mapping[str, tuple[Outcome, float]]
    ) -> dict[_Key, dict[str, list[DecidedRun]]]:
        held_columns = ATTEMPTS_HELD.c
        query = (
            select(
                held_columns.account,
                held_columns.assignment,
                held_columns.problem,
                RUNS.c.id,
                RUNS.c.queued,
                RUNS.c.outcome,
                RUNS.c.share,
            )
            .join(ASSIGNMENTS, ASSIGNMENTS.c.id == held_columns.assignment)
            .join(RUNS, RUNS.c.attempt == held_columns.attempt)
            .where(ASSIGNMENTS.c.course == course)
            .where(RUNS.c.outcome != "")
        )
        async with self._database.reading() as connection:
            rows = (await connection.execute(query)).all()
        return await asyncio.to_thread(_decided, rows, instead)

    async def _hints(self, course: str) -> dict[_Key, dict[str, list[CostlyHint]]]:
        held_columns = ATTEMPTS_HELD.c
        query = (
            select(
                held_columns.account,
                held_columns.assignment,
                held_columns.problem,
                HINTS.c.number,
                HINTS.c.cost,
                HINTS.c.at,
            )
            .join(ASSIGNMENTS, ASSIGNMENTS.c.id == held_columns.assignment)
            .join(HINTS, HINTS.c.attempt == held_columns.attempt)
            .where(ASSIGNMENTS.c.course == course)
        )
        hints: dict[_Key, dict[str, list[CostlyHint]]] = defaultdict(lambda: defaultdict(list))
        async with self._database.reading() as connection:
            for row in await connection.execute(query):
                hint = CostlyHint(row.number, moment(row.at), row.cost)
                hints[row.account, row.assignment][row.problem.partition("/")[2]].append(hint)
        return hints

    async def _extensions(self, course: str) -> dict[_Key, Times]:
        query = (
            select(EXTENSIONS)
            .join(ASSIGNMENTS, ASSIGNMENTS.c.id == EXTENSIONS.c.assignment)
            .where(ASSIGNMENTS.c.course == course)
        )
        async with self._database.reading() as connection:
            rows = (await connection.execute(query)).all()
        return {(row.account, row.assignment): Times(moment(row.due), moment(row.closes)) for row in rows}

    async def _adjustments(self, course: str) -> dict[_Key, list[Adjustment]]:
        query = (
            select(ADJUSTMENTS, ACCOUNTS.c.name)
            .join(ASSIGNMENTS, ASSIGNMENTS.c.id == ADJUSTMENTS.c.assignment)
            .outerjoin(ACCOUNTS, ACCOUNTS.c.id == ADJUSTMENTS.c.by)
            .where(ASSIGNMENTS.c.course == course)
            .order_by(ADJUSTMENTS.c.id)
        )
        adjustments: dict[_Key, list[Adjustment]] = defaultdict(list)
        async with self._database.reading() as connection:
            for row in await connection.execute(query):
                adjustment = Adjustment(row.points, row.reason, row.name or row.by, moment(row.at))
                adjustments[row.account, row.assignment].append(adjustment)
        return adjustments

    async def _logins(self, course: str) -> dict[str, str]:
        query = (
            select(IDENTITIES.c.account, IDENTITIES.c.subject)
            .join(MEMBERS, MEMBERS.c.account == IDENTITIES.c.account)
            .where(MEMBERS.c.course == course)
            .order_by(IDENTITIES.c.issuer)
        )
        async with self._database.reading() as connection:
            return {row.account: row.subject for row in await connection.execute(query)}


def _decided(
    rows: Sequence[Any], instead: Mapping[str, tuple[Outcome, float]]
) -> dict[_Key, dict[str, list[DecidedRun]]]:
    """Runs by account and assignment, and by problem."""
    runs: dict[_Key, dict[str, list[DecidedRun]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        outcome, share = instead.get(row.id, (row.outcome, row.share))
        if outcome in DECIDED:
            run = DecidedRun(row.id, moment(row.queued), outcome == Outcome.PASSED, share)
            runs[row.account, row.assignment][row.problem.partition("/")[2]].append(run)
    return runs


def _groups(students: Sequence[Student]) -> Mapping[str, Sequence[str]]:
    """The accounts that work together, by each of them."""
    groups: dict[str, list[str]] = defaultdict(list)
    for student in students:
        groups[student.group].append(student.account)
    return {student.account: groups[student.group] if student.group else [student.account] for student in students}


def _charged(
    runs: Mapping[_Key, Mapping[str, Sequence[DecidedRun]]],
    hints: Mapping[_Key, Mapping[str, Sequence[CostlyHint]]],
    accounts: Sequence[str],
    assignment: str,
) -> Mapping[str, Sequence[DecidedRun]]:
    """The runs of several students, by problem, with what their hints cost."""
    taken_hints = _together(hints, accounts, assignment)
    return {
        problem: charged(theirs, taken_hints.get(problem, ()))
        for problem, theirs in _together(runs, accounts, assignment).items()
    }


def _together(
    by_student: Mapping[_Key, Mapping[str, Sequence[_Fact]]], accounts: Sequence[str], assignment: str
) -> Mapping[str, Sequence[_Fact]]:
    """Facts about several students, by problem."""
    facts: dict[str, list[_Fact]] = defaultdict(list)
    for account in accounts:
        for problem, theirs in by_student.get((account, assignment), {}).items():
            facts[problem].extend(theirs)
    return facts


def _grade(
    view: AssignmentView,
    rules: Grading,
    runs: Mapping[str, Sequence[DecidedRun]],
    extension: Times | None,
    adjustments: Sequence[Adjustment],
) -> Grade:
    times = times_of(Times(view.due, view.closes), extension)
    worth = {problem: worth_of(runs[problem], rules, times) for problem in view.problems if problem in runs}
    return Grade(worth, adjustments, times, extension is not None)
