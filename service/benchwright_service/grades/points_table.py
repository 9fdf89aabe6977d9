"""Points of students by assignment, as the database keeps them: for pages with some rows, and for files with all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sqlalchemy import ColumnElement, and_, case, func, or_, select, union_all
from sqlalchemy.sql.selectable import Subquery

from benchwright_foundation.database import Database
from benchwright_remote.messages import AssignmentView
from benchwright_service.accounts.roster_entries import ids_of_row
from benchwright_service.courses.progress import CourseStudent
from benchwright_service.grades.gradebook import adjustments_by_student, points_with_adjustments
from benchwright_service.points.worth import AccountAndAssignment, CoursePart, grading_rules_of_row
from benchwright_service.storage.tables import (
    ADJUSTMENTS,
    ASSIGNMENTS,
    EXTENSIONS,
    IDENTITIES,
    LATE_DAYS,
    ROSTER,
    WORTH,
)
from benchwright_teaching.grade_files import AssignmentColumn, StudentLine
from benchwright_teaching.person_ids import PersonIds
from benchwright_teaching.points import GradingRules

_STUDENTS_AT_ONCE = 50
_SMALLEST = 1000
"""Points are multiples of a thousandth."""


@dataclass(frozen=True)
class KeptGrade:
    """Points of a student for an assignment."""

    points: float = 0.0
    is_changed: bool = False
    """True if it was extended for the student, late days were used for it, or the points were adjusted."""


@dataclass(frozen=True)
class PointsTable:
    """Students by assignments."""

    students: Sequence[CourseStudent]
    assignments: Sequence[tuple[AssignmentView, GradingRules]]
    grades: Mapping[AccountAndAssignment, KeptGrade]
    """By account and assignment; those of who has done nothing are left out."""
    directory: Mapping[str, PersonIds]
    """What other systems call people, by account."""

    def grade(self, student: CourseStudent, assignment: AssignmentView) -> KeptGrade:
        """One of them."""
        return self.grades.get((student.account, assignment.id), KeptGrade())

    def sum_of_points(self, student: CourseStudent) -> float:
        """The points of a student for all assignments."""
        return sum(self.grade(student, view).points for view, _ in self.assignments)

    @property
    def columns(self) -> Sequence[AssignmentColumn]:
        """The assignments, for a file."""
        return [AssignmentColumn(view.title, rules.points * len(view.problems)) for view, rules in self.assignments]

    @property
    def lines(self) -> Sequence[StudentLine]:
        """The students, for a file."""
        return [
            StudentLine(
                student.name,
                self.directory.get(student.account, PersonIds()),
                student.section,
                [self.grade(student, view).points for view, _ in self.assignments],
            )
            for student in self.students
        ]


async def read_points_table(
    database: Database, course: str, assignments: Sequence[AssignmentView], students: Sequence[CourseStudent]
) -> PointsTable:
    """Reads the points of some students.

    Args:
        database: Database of the service.
        course: Id of the course.
        assignments: Its assignments.
        students: Students of it.
    """
    grades: dict[AccountAndAssignment, KeptGrade] = {}
    directory: dict[str, PersonIds] = {}
    for start in range(0, len(students), _STUDENTS_AT_ONCE):
        accounts = [student.account for student in students[start : start + _STUDENTS_AT_ONCE]]
        # Others have their turn between two parts.
        grades |= await _kept_grades(database, course, assignments, accounts)
        directory |= await _ids_by_account(database, course, accounts)
    rules_query = select(ASSIGNMENTS).where(ASSIGNMENTS.c.course == course)
    async with database.read_transaction() as connection:
        rules = {row.id: grading_rules_of_row(row) for row in await connection.execute(rules_query)}
    return PointsTable(students, [(view, rules[view.id]) for view in assignments], grades, directory)


async def _kept_grades(
    database: Database, course: str, assignments: Sequence[AssignmentView], accounts: Sequence[str]
) -> dict[AccountAndAssignment, KeptGrade]:
    worth_query = select(WORTH.c.account, WORTH.c.assignment, WORTH.c.problem, WORTH.c.points).where(
        WORTH.c.account.in_(accounts), WORTH.c.assignment.in_([view.id for view in assignments])
    )
    extended_query = select(EXTENSIONS.c.account, EXTENSIONS.c.assignment).where(EXTENSIONS.c.account.in_(accounts))
    late_query = select(LATE_DAYS.c.account, LATE_DAYS.c.assignment).where(LATE_DAYS.c.account.in_(accounts))
    async with database.read_transaction() as connection:
        worth_rows = (await connection.execute(worth_query)).all()
        given_time = {
            (row.account, row.assignment) for row in await connection.execute(extended_query.union(late_query))
        }
        adjustments = await adjustments_by_student(connection, CoursePart(course, accounts=accounts))
    points_by_problem: dict[AccountAndAssignment, dict[str, float]] = defaultdict(dict)
    for account, assignment, problem, points in worth_rows:
        points_by_problem[account, assignment][problem] = points
    problems = {view.id: view.problems for view in assignments}
    grades = {}
    for grade_key in {*points_by_problem, *adjustments, *given_time}:
        earned = points_by_problem[grade_key]
        # In the order of the assignment, as everywhere: sums of floating point depend on it.
        earned_points = [earned[problem] for problem in problems.get(grade_key[1], ()) if problem in earned]
        added_points = [adjustment.points for adjustment in adjustments.get(grade_key, ())]
        is_changed = grade_key in given_time or bool(added_points)
        grades[grade_key] = KeptGrade(points_with_adjustments(earned_points, added_points), is_changed)
    return grades


async def _ids_by_account(database: Database, course: str, accounts: Sequence[str]) -> dict[str, PersonIds]:
    """What rosters call people; where those know no login, what the program calls them that they come from."""
    subject_query = (
        select(IDENTITIES.c.account, IDENTITIES.c.subject)
        .where(IDENTITIES.c.account.in_(accounts))
        .order_by(IDENTITIES.c.issuer)
    )
    entry_query = select(ROSTER).where(ROSTER.c.course == course, ROSTER.c.account.in_(accounts))
    async with database.read_transaction() as connection:
        subjects = {row.account: row.subject for row in await connection.execute(subject_query)}
        entry_rows = (await connection.execute(entry_query)).all()
    directory = {account: PersonIds(login=subject) for account, subject in subjects.items()}
    for row in entry_rows:
        ids = ids_of_row(row)
        has_name_there = bool(ids.login or ids.email)
        directory[row.account] = ids if has_name_there else replace(ids, login=subjects.get(row.account, ""))
    return directory


def points_of_students(assignments: Sequence[AssignmentView]) -> Subquery:
    """A table of `account` and `value`: the points of each student for all of these assignments."""
    earned = select(WORTH.c.account, WORTH.c.assignment, WORTH.c.points).where(counting_worth_condition(assignments))
    ids = [view.id for view in assignments]
    adjusted = select(ADJUSTMENTS.c.account, ADJUSTMENTS.c.assignment, ADJUSTMENTS.c.points).where(
        ADJUSTMENTS.c.assignment.in_(ids)
    )
    points_of_parts = union_all(earned, adjusted).subquery()
    # Rounded, so that equal points are in the order of names.
    thousandths = func.round(func.sum(points_of_parts.c.points) * _SMALLEST)
    by_assignment = (
        select(points_of_parts.c.account, case((thousandths > 0, thousandths), else_=0.0).label("points"))
        .group_by(points_of_parts.c.account, points_of_parts.c.assignment)
        .subquery()
    )
    return (
        select(by_assignment.c.account, func.sum(by_assignment.c.points).label("value"))
        .group_by(by_assignment.c.account)
        .subquery()
    )


def passed_problems_of_students(assignments: Sequence[AssignmentView]) -> Subquery:
    """A table of `account` and `value`: the number of problems that each student has passed."""
    return (
        select(WORTH.c.account, func.sum(WORTH.c.passed).label("value"))
        .where(counting_worth_condition(assignments))
        .group_by(WORTH.c.account)
        .subquery()
    )


def shares_of_students(assignment: str, problem: str) -> Subquery:
    """A table of `account` and `value`: the share of a problem that each student has; whoever has passed has more."""
    return (
        select(WORTH.c.account, (WORTH.c.passed + func.coalesce(WORTH.c.share, 0.0)).label("value"))
        .where(WORTH.c.assignment == assignment, WORTH.c.problem == problem)
        .subquery()
    )


def counting_worth_condition(assignments: Sequence[AssignmentView]) -> ColumnElement[bool]:
    """True of what counts: a pack may have had other problems once."""
    conditions = (and_(WORTH.c.assignment == view.id, WORTH.c.problem.in_(view.problems)) for view in assignments)
    return or_(False, *conditions)
