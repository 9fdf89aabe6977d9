"""The gradebook of a course: points by student and assignment, what made them, extensions and adjustments."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from benchwright_foundation.database import Database
from benchwright_problems.verdict import Outcome
from benchwright_remote.messages import AssignmentView
from benchwright_service.courses.progress import CourseProgress, CourseStudent
from benchwright_service.errors import BenchServiceError
from benchwright_service.mail.queueing import queueing_changed_grades
from benchwright_service.points.kept_worth import recompute_worth
from benchwright_service.points.worth import (
    AssignmentWorth,
    CoursePart,
    column_values_of_grading_rules,
    dropped_team_by_account,
    grading_rules_of_row,
    work_out_worth,
)
from benchwright_service.storage.tables import (
    ACCOUNTS,
    ADJUSTMENTS,
    ASSIGNMENTS,
    moment,
)
from benchwright_teaching.points import AssignmentTimes, GradingRules, Worth

_Key = tuple[str, str]
_STUDENTS_AT_ONCE = 100


@dataclass(frozen=True)
class Adjustment:
    """Points that staff gave or took."""

    points: float
    reason: str
    by: str
    """The name of who did."""
    at: datetime


@dataclass(frozen=True)
class AssignmentGrade:
    """A student's points for an assignment."""

    worth: Mapping[str, Worth]
    """By problem, those that were worked on."""
    adjustments: Sequence[Adjustment]
    times: AssignmentTimes
    is_extended: bool
    late_days: int = 0
    """Late days that the student has used."""

    @property
    def counted_run_by_problem(self) -> Mapping[str, str]:
        """By problem, the id of the run that counts."""
        return {problem: worth.run.id for problem, worth in self.worth.items() if worth.run is not None}

    @property
    def points(self) -> float:
        """All of them; never below 0."""
        earned_points = [worth.points for worth in self.worth.values()]
        return points_with_adjustments(earned_points, [adjustment.points for adjustment in self.adjustments])


@dataclass(frozen=True)
class Gradebook:
    """All grades of a course."""

    students: Sequence[CourseStudent]
    assignments: Sequence[tuple[AssignmentView, GradingRules]]
    grades: Mapping[_Key, AssignmentGrade]
    """By account and assignment."""

    def grade(self, student: CourseStudent, assignment: AssignmentView) -> AssignmentGrade:
        """One of them."""
        return self.grades[student.account, assignment.id]

    def maximum_points(self, assignment: AssignmentView) -> float:
        """The points of an assignment in which everything is solved in time."""
        return self.grading_rules(assignment).points * len(assignment.problems)

    def grading_rules(self, assignment: AssignmentView) -> GradingRules:
        """Rules by which an assignment is graded."""
        return next(rules for view, rules in self.assignments if view.id == assignment.id)


class Gradebooks:
    """Reads gradebooks, and changes the rules of grading.

    Args:
        database: Database of the service.
        progress: Knows the students.
        clock: Seconds since 1970.
    """

    def __init__(self, database: Database, progress: CourseProgress, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._progress = progress
        self._now = clock

    async def gradebook(
        self,
        course: str,
        assignments: Sequence[AssignmentView],
        replacement_by_run: Mapping[str, tuple[Outcome, float]] = MappingProxyType({}),
        *,
        accounts: Collection[str] | None = None,
        without_work_of: str = "",
    ) -> Gradebook:
        """The gradebook of a course, worked out from its runs.

        Args:
            course: Its id.
            assignments: Its assignments.
            replacement_by_run: Outcome and share of runs, by id, as if they were these.
            accounts: Students that it is to have. None for all.
            without_work_of: Account whose runs and hints are left out, for its group too.
        """
        students = await self._progress.students(course, accounts=accounts)
        grades: dict[_Key, AssignmentGrade] = {}
        rules: Mapping[str, GradingRules] = {}
        # Never all runs of a large course at once: reading them would keep others waiting.
        for start in range(0, len(students), _STUDENTS_AT_ONCE):
            students_at_once = students[start : start + _STUDENTS_AT_ONCE]
            scope = CoursePart(
                course, [view.id for view in assignments], [student.account for student in students_at_once]
            )
            async with self._database.read_transaction() as connection:
                worth = await work_out_worth(connection, scope, replacement_by_run, without_work_of=without_work_of)
                adjustments = await adjustments_by_student(connection, scope)
            rules = worth.rules
            for student in students_at_once:
                for view in assignments:
                    key = student.account, view.id
                    # Somebody may have left meanwhile.
                    student_worth = worth.by_student.get(key) or _worth_without_runs(view)
                    grades[key] = _assignment_grade(view, student_worth, adjustments.get(key, ()))
        if not students:
            rules = await self.grading_rules_by_assignment(course)
        return Gradebook(students, [(view, rules[view.id]) for view in assignments], grades)

    async def grading_rules_by_assignment(self, course: str) -> Mapping[str, GradingRules]:
        """Rules by which the assignments of a course are graded."""
        query = select(ASSIGNMENTS).where(ASSIGNMENTS.c.course == course)
        async with self._database.read_transaction() as connection:
            return {row.id: grading_rules_of_row(row) for row in await connection.execute(query)}

    async def change_grading_rules(self, course: str, assignment: str, grading: GradingRules) -> None:
        """Changes how an assignment is graded.

        Raises:
            BenchServiceError: A number is out of range, or the course has no such assignment.
        """
        grading_update = (
            ASSIGNMENTS.update()
            .where(ASSIGNMENTS.c.id == assignment, ASSIGNMENTS.c.course == course)
            .values(column_values_of_grading_rules(grading))
        )
        async with self._database.write_transaction() as connection:
            if not (await connection.execute(grading_update)).rowcount:
                raise BenchServiceError(f"the course {course!r} has no assignment {assignment!r}")
            scope = CoursePart(course, [assignment])
            async with queueing_changed_grades(self._database, connection, scope, self._now()):
                await recompute_worth(connection, scope)

    async def owed_adjustment_rows(
        self, course: str, assignments: Sequence[AssignmentView], account: str
    ) -> list[dict[str, Any]]:
        """Adjustments, as rows, that give others of a group the points that they have by the work of one of it.

        Written when that person's data are deleted: what the group was given stays.
        """
        group_by_account = {student.account: student.group for student in await self._progress.students(course)}
        async with self._database.read_transaction() as connection:
            own_group = (await dropped_team_by_account(connection, CoursePart(course))).get(account)
        own_group = own_group or group_by_account.get(account)
        if not own_group:
            return []
        group = [student for student, name in group_by_account.items() if name == own_group]
        book = await self.gradebook(course, assignments, accounts=group)
        book_without = await self.gradebook(course, assignments, accounts=group, without_work_of=account)
        points_by_key = {
            (student.account, view.id): book.grade(student, view).points - book_without.grade(student, view).points
            for student in book.students
            for view in assignments
            if student.account != account
        }
        return [
            {"assignment": assignment, "account": student, "points": points, "at": self._now()}
            | {"by": "Benchwright", "reason": "by the group's work; the data of who did it were deleted"}
            for (student, assignment), points in points_by_key.items()
            if points > 0
        ]


async def adjustments_by_student(connection: AsyncConnection, scope: CoursePart) -> dict[_Key, list[Adjustment]]:
    """Adjustments of a part of a course, by account and assignment, oldest first."""
    query = (
        select(ADJUSTMENTS, ACCOUNTS.c.name)
        .join(ASSIGNMENTS, ASSIGNMENTS.c.id == ADJUSTMENTS.c.assignment)
        .outerjoin(ACCOUNTS, ACCOUNTS.c.id == ADJUSTMENTS.c.by)
        .where(ASSIGNMENTS.c.course == scope.course)
        .order_by(ADJUSTMENTS.c.id)
    )
    if scope.accounts is not None:
        query = query.where(ADJUSTMENTS.c.account.in_(scope.accounts))
    adjustments: dict[_Key, list[Adjustment]] = defaultdict(list)
    for row in await connection.execute(query):
        adjustment = Adjustment(row.points, row.reason, row.name or row.by, moment(row.at))
        adjustments[row.account, row.assignment].append(adjustment)
    return adjustments


def points_with_adjustments(earned_points: Iterable[float], adjustment_points: Iterable[float]) -> float:
    """All points of a student for an assignment; never below 0."""
    return max(0.0, round(sum(earned_points) + sum(adjustment_points), 3))


def _worth_without_runs(view: AssignmentView) -> AssignmentWorth:
    return AssignmentWorth({}, frozenset(), AssignmentTimes(view.due, view.closes), is_extended=False)


def _assignment_grade(
    view: AssignmentView, assignment_worth: AssignmentWorth, adjustments: Sequence[Adjustment]
) -> AssignmentGrade:
    worth = {
        problem: assignment_worth.by_problem[problem]
        for problem in view.problems
        if problem in assignment_worth.by_problem
    }
    return AssignmentGrade(
        worth, adjustments, assignment_worth.times, assignment_worth.is_extended, assignment_worth.late_days
    )
