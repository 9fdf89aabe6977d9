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

from sqlalchemy import select

from benchwright_foundation.database import Database
from benchwright_problems.verdict import Outcome
from benchwright_remote.messages import AssignmentView
from benchwright_service.accounts.roster_entries import ids_of_row
from benchwright_service.courses.progress import CourseProgress, CourseStudent
from benchwright_service.errors import BenchServiceError
from benchwright_service.grades.late_days import late_days_by_student
from benchwright_service.runs.run_rows import DECIDED
from benchwright_service.storage.tables import (
    ACCOUNTS,
    ADJUSTMENTS,
    ASSIGNMENTS,
    ATTEMPTS_HELD,
    EXTENSIONS,
    HINTS,
    IDENTITIES,
    MEMBERS,
    ROSTER,
    RUNS,
    moment,
)
from benchwright_teaching.grade_files import AssignmentColumn, StudentLine
from benchwright_teaching.person_ids import PersonIds
from benchwright_teaching.points import (
    MOST_LATE_DAYS,
    AssignmentTimes,
    CostlyHint,
    Counting,
    DecidedRun,
    GradingRules,
    Worth,
    problem_worth,
    runs_with_hint_costs,
    student_times,
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
    def counted_runs(self) -> Mapping[str, str]:
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

    students: Sequence[CourseStudent]
    assignments: Sequence[tuple[AssignmentView, GradingRules]]
    grades: Mapping[_Key, AssignmentGrade]
    """By account and assignment."""
    directory: Mapping[str, PersonIds]
    """What other systems call people, by account."""

    def grade(self, student: CourseStudent, assignment: AssignmentView) -> AssignmentGrade:
        """One of them."""
        return self.grades[student.account, assignment.id]

    def narrowed_to_section(self, section: str) -> Gradebook:
        """The same with the students of one section alone; all of it if none is named."""
        if not section:
            return self
        students = [student for student in self.students if student.section == section]
        accounts = {student.account for student in students}
        grades = {key: grade for key, grade in self.grades.items() if key[0] in accounts}
        return replace(self, students=students, grades=grades)

    def maximum_points(self, assignment: AssignmentView) -> float:
        """The points of an assignment in which everything is solved in time."""
        return self.grading_rules(assignment).points * len(assignment.problems)

    def grading_rules(self, assignment: AssignmentView) -> GradingRules:
        """Rules by which an assignment is graded."""
        return next(rules for view, rules in self.assignments if view.id == assignment.id)

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
        without_work_of: str = "",
    ) -> Gradebook:
        """The gradebook of a course.

        Args:
            course: Its id.
            assignments: Its assignments.
            replacement_by_run: Outcome and share of runs, by id, as if they were these.
            without_work_of: Account whose runs and hints are left out, for its group too.
        """
        students = await self._progress.students(course)
        grading_rules = await self.grading_rules_by_assignment(course)
        decided_runs = await self._decided_runs_of_course(course, replacement_by_run)
        hints = await self._costly_hints(course)
        for facts_by_student in (decided_runs, hints):
            for key in [key for key in facts_by_student if key[0] == without_work_of]:
                del facts_by_student[key]
        groups = _group_accounts_by_account([*students, *await self._dropped_students(course)])
        extensions = await self._extensions(course)
        adjustments = await self._adjustments(course)
        late_days = await late_days_by_student(self._database, course)

        def graded() -> dict[_Key, AssignmentGrade]:
            return {
                (student.account, view.id): _assignment_grade(
                    view,
                    grading_rules[view.id],
                    _runs_with_hint_costs(
                        decided_runs,
                        hints,
                        groups[student.account] if grading_rules[view.id].by_group else [student.account],
                        view.id,
                    ),
                    extensions.get((student.account, view.id)),
                    late_days.get((student.account, view.id), 0),
                    adjustments.get((student.account, view.id), ()),
                )
                for student in students
                for view in assignments
            }

        # Of a large course it takes longer than others should wait.
        grades = await asyncio.to_thread(graded)
        return Gradebook(
            students,
            [(view, grading_rules[view.id]) for view in assignments],
            grades,
            await self._directory(course),
        )

    async def change_grading_rules(self, course: str, assignment: str, grading: GradingRules) -> None:
        """Changes how an assignment is graded.

        Raises:
            BenchServiceError: A number is out of range, or the course has no such assignment.
        """
        if not 0 <= grading.points <= 1_000_000 or not 0 <= grading.late_percent <= 100:
            raise BenchServiceError("points go from 0 to 1,000,000, and what a late day takes from 0 to 100 percent")
        if not 0 <= grading.late_days <= MOST_LATE_DAYS:
            raise BenchServiceError(f"at most {MOST_LATE_DAYS} late days can be used for an assignment")
        if grading.graders not in (1, 2):
            raise BenchServiceError("an answer is graded by one person, or by two and a third if they differ")
        grading_update = (
            ASSIGNMENTS.update()
            .where(ASSIGNMENTS.c.id == assignment, ASSIGNMENTS.c.course == course)
            .values(
                points=grading.points,
                counting=grading.counting.value,
                partial=int(grading.partial),
                late_percent=grading.late_percent,
                by_group=int(grading.by_group),
                graders=grading.graders,
                late_days=grading.late_days,
            )
        )
        async with self._database.write_transaction() as connection:
            if not (await connection.execute(grading_update)).rowcount:
                raise BenchServiceError(f"the course {course!r} has no assignment {assignment!r}")

    async def points_owed_to(
        self, course: str, assignments: Sequence[AssignmentView], account: str
    ) -> list[dict[str, Any]]:
        """Adjustments, as rows, that give others of a group the points that they have by the work of one of it.

        Written when that person's data are deleted: what the group was given stays.
        """
        group_by_account = {student.account: student.group for student in await self._progress.students(course)}
        if not group_by_account.get(account):
            return []
        book = await self.gradebook(course, assignments)
        book_without = await self.gradebook(course, assignments, without_work_of=account)
        points_by_key = {
            (student.account, view.id): book.grade(student, view).points - book_without.grade(student, view).points
            for student in book.students
            for view in assignments
            if student.account != account and student.group == group_by_account[account]
        }
        return [
            {"assignment": assignment, "account": student, "points": points, "at": self._now()}
            | {"by": "Benchwright", "reason": "by the group's work; the data of who did it were deleted"}
            for (student, assignment), points in points_by_key.items()
            if points > 0
        ]

    async def grading_rules_by_assignment(self, course: str) -> dict[str, GradingRules]:
        """Rules by which the assignments of a course are graded."""
        query = select(ASSIGNMENTS).where(ASSIGNMENTS.c.course == course)
        async with self._database.read_transaction() as connection:
            rows = (await connection.execute(query)).all()
        return {
            row.id: GradingRules(
                row.points,
                Counting(row.counting),
                bool(row.partial),
                row.late_percent,
                bool(row.by_group),
                row.graders,
                row.late_days,
            )
            for row in rows
        }

    async def _decided_runs_of_course(
        self, course: str, replacement_by_run: Mapping[str, tuple[Outcome, float]]
    ) -> dict[_Key, dict[str, list[DecidedRun]]]:
        held_columns = ATTEMPTS_HELD.c
        query = (
            select(
                held_columns.account,
                held_columns.assignment,
                held_columns.problem,
                RUNS.c.id,
                RUNS.c.number,
                RUNS.c.queued,
                RUNS.c.outcome,
                RUNS.c.share,
            )
            .join(ASSIGNMENTS, ASSIGNMENTS.c.id == held_columns.assignment)
            .join(RUNS, RUNS.c.attempt == held_columns.attempt)
            .where(ASSIGNMENTS.c.course == course)
            .where(RUNS.c.outcome != "")
        )
        async with self._database.read_transaction() as connection:
            rows = (await connection.execute(query)).all()
        return await asyncio.to_thread(_decided_runs, rows, replacement_by_run)

    async def _costly_hints(self, course: str) -> dict[_Key, dict[str, list[CostlyHint]]]:
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
        async with self._database.read_transaction() as connection:
            for row in await connection.execute(query):
                hint = CostlyHint(row.number, moment(row.at), row.cost)
                hints[row.account, row.assignment][row.problem.partition("/")[2]].append(hint)
        return hints

    async def _extensions(self, course: str) -> dict[_Key, AssignmentTimes]:
        query = (
            select(EXTENSIONS)
            .join(ASSIGNMENTS, ASSIGNMENTS.c.id == EXTENSIONS.c.assignment)
            .where(ASSIGNMENTS.c.course == course)
        )
        async with self._database.read_transaction() as connection:
            rows = (await connection.execute(query)).all()
        return {(row.account, row.assignment): AssignmentTimes(moment(row.due), moment(row.closes)) for row in rows}

    async def _adjustments(self, course: str) -> dict[_Key, list[Adjustment]]:
        query = (
            select(ADJUSTMENTS, ACCOUNTS.c.name)
            .join(ASSIGNMENTS, ASSIGNMENTS.c.id == ADJUSTMENTS.c.assignment)
            .outerjoin(ACCOUNTS, ACCOUNTS.c.id == ADJUSTMENTS.c.by)
            .where(ASSIGNMENTS.c.course == course)
            .order_by(ADJUSTMENTS.c.id)
        )
        adjustments: dict[_Key, list[Adjustment]] = defaultdict(list)
        async with self._database.read_transaction() as connection:
            for row in await connection.execute(query):
                adjustment = Adjustment(row.points, row.reason, row.name or row.by, moment(row.at))
                adjustments[row.account, row.assignment].append(adjustment)
        return adjustments

    async def _directory(self, course: str) -> dict[str, PersonIds]:
        """What rosters call people; where those know no login, what the program calls them that they come from."""
        subject_query = (
            select(IDENTITIES.c.account, IDENTITIES.c.subject)
            .join(MEMBERS, MEMBERS.c.account == IDENTITIES.c.account)
            .where(MEMBERS.c.course == course)
            .order_by(IDENTITIES.c.issuer)
        )
        async with self._database.read_transaction() as connection:
            subjects = {row.account: row.subject for row in await connection.execute(subject_query)}
            entry_rows = (await connection.execute(select(ROSTER).where(ROSTER.c.course == course))).all()
        directory = {account: PersonIds(login=subject) for account, subject in subjects.items()}
        for row in entry_rows:
            ids = ids_of_row(row)
            has_name_there = bool(ids.login or ids.email)
            directory[row.account] = ids if has_name_there else replace(ids, login=subjects.get(row.account, ""))
        return directory

    async def _dropped_students(self, course: str) -> Sequence[CourseStudent]:
        """Students who were dropped from the roster: what they have done for a group is still the group's."""
        query = select(ROSTER).where(ROSTER.c.course == course, ROSTER.c.dropped.is_not(None), ROSTER.c.team != "")
        async with self._database.read_transaction() as connection:
            rows = (await connection.execute(query)).all()
        return [CourseStudent(row.account, row.name, row.section, row.team) for row in rows]


def _decided_runs(
    run_rows: Sequence[Any], replacement_by_run: Mapping[str, tuple[Outcome, float]]
) -> dict[_Key, dict[str, list[DecidedRun]]]:
    """Runs by account and assignment, and by problem."""
    decided_runs: dict[_Key, dict[str, list[DecidedRun]]] = defaultdict(lambda: defaultdict(list))
    for row in run_rows:
        outcome, share = replacement_by_run.get(row.id, (row.outcome, row.share))
        if outcome in DECIDED:
            run = DecidedRun(row.id, moment(row.queued), outcome == Outcome.PASSED, share, number=row.number)
            decided_runs[row.account, row.assignment][row.problem.partition("/")[2]].append(run)
    return decided_runs


def _group_accounts_by_account(students: Sequence[CourseStudent]) -> Mapping[str, Sequence[str]]:
    """The accounts that work together, by each of them."""
    groups: dict[str, list[str]] = defaultdict(list)
    for student in students:
        groups[student.group].append(student.account)
    return {student.account: groups[student.group] if student.group else [student.account] for student in students}


def _runs_with_hint_costs(
    decided_runs: Mapping[_Key, Mapping[str, Sequence[DecidedRun]]],
    hints: Mapping[_Key, Mapping[str, Sequence[CostlyHint]]],
    accounts: Sequence[str],
    assignment: str,
) -> Mapping[str, Sequence[DecidedRun]]:
    """The runs of several students, by problem, with what their hints cost."""
    taken_hints = _facts_of_accounts(hints, accounts, assignment)
    return {
        problem: runs_with_hint_costs(problem_runs, taken_hints.get(problem, ()))
        for problem, problem_runs in _facts_of_accounts(decided_runs, accounts, assignment).items()
    }


def _facts_of_accounts(
    facts_by_student: Mapping[_Key, Mapping[str, Sequence[_Fact]]], accounts: Sequence[str], assignment: str
) -> Mapping[str, Sequence[_Fact]]:
    """Facts about several students, by problem."""
    problem_facts: dict[str, list[_Fact]] = defaultdict(list)
    for account in accounts:
        for problem, student_facts in facts_by_student.get((account, assignment), {}).items():
            problem_facts[problem].extend(student_facts)
    return problem_facts


def _assignment_grade(
    view: AssignmentView,
    grading_rules: GradingRules,
    runs_by_problem: Mapping[str, Sequence[DecidedRun]],
    extension: AssignmentTimes | None,
    late_days: int,
    adjustments: Sequence[Adjustment],
) -> AssignmentGrade:
    deadlines = student_times(AssignmentTimes(view.due, view.closes), extension, late_days)
    worth = {
        problem: problem_worth(runs_by_problem[problem], grading_rules, deadlines)
        for problem in view.problems
        if problem in runs_by_problem
    }
    return AssignmentGrade(worth, adjustments, deadlines, extension is not None, late_days)
