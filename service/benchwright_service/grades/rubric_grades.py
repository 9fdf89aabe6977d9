"""Points from people for each item of a question's rubric: for staff, and for students as far as they may see it."""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import select

from benchwright_foundation.database import Database
from benchwright_judges.judgement import ScoringMethod
from benchwright_judges.records.records import AnswerRecord, Records
from benchwright_problems.errors import ProblemsError
from benchwright_problems.reveal import Reveal
from benchwright_problems.rubric_points import RubricPoints
from benchwright_problems.storage.store import Store
from benchwright_service.courses.courses import Courses
from benchwright_service.grades.answer_grading import rubric_with_points
from benchwright_service.storage.tables import RUNS


@dataclass(frozen=True)
class ItemGrade:
    """An item of a rubric, for one answer."""

    text: str
    most: float
    points: float
    """Points that count: the mean of those whose label was decided on, or of all if it is nobody's."""
    each: Sequence[float]
    """Points that each person gave, without names; empty for students."""


@dataclass(frozen=True)
class RubricGrade:
    """An answer that people have graded by a rubric with points."""

    points: float
    most: float
    enough: float
    items: Sequence[ItemGrade]
    """Empty for students who may see the sum only."""
    comments: Sequence[str]
    """Of the graders; empty for students."""


class RubricGrades:
    """Reads them.

    Args:
        database: Database of the service.
        records: Opens the database of judgements.
        store: Has the rubrics.
        courses: Know what students may see.
    """

    def __init__(
        self, database: Database, records: Callable[[], Awaitable[Records]], store: Store, courses: Courses
    ) -> None:
        self._database = database
        self._records = records
        self._store = store
        self._courses = courses

    async def grades_of_runs(self, run_by_key: Mapping[str, str], *, for_staff: bool) -> Mapping[str, RubricGrade]:
        """Returns the grades of runs; those that no person has decided, or that have no points, are left out.

        Args:
            run_by_key: Anything → id of a run.
            for_staff: True to show all; False to show what the reveal policy lets the student see.
        """
        query = select(RUNS.c.id, RUNS.c.attempt, RUNS.c.number).where(
            RUNS.c.id.in_(run_by_key.values()), RUNS.c.scored != 0
        )
        async with self._database.read_transaction() as connection:
            tries = {row.id: (row.attempt, row.number) for row in await connection.execute(query)}
        records = await self._records()
        rubric_grades = {}
        for name, run in run_by_key.items():
            answer_record = await records.find_try_record(*tries[run]) if run in tries else None
            if (
                answer_record is not None
                and (rubric_grade := await self._visible_grade_if_decided(answer_record, for_staff=for_staff))
                is not None
            ):
                rubric_grades[name] = rubric_grade
        return rubric_grades

    async def _visible_grade_if_decided(self, answer_record: AnswerRecord, *, for_staff: bool) -> RubricGrade | None:
        answer, judgement = answer_record.answer, answer_record.judgement
        grades = [grade for grade in answer_record.grades if grade.points]
        if answer_record.waits or judgement is None or judgement.method is not ScoringMethod.PERSON or not grades:
            return None
        try:
            problem = await asyncio.to_thread(self._store.unseal, answer.problem)
        except ProblemsError:
            return None
        rubric = rubric_with_points(problem)
        if rubric is None or not answer.answers_current_version(problem):
            return None
        counted_points = [grade.points for grade in grades if grade.label == judgement.label] or [
            other_grade.points for other_grade in grades
        ]
        everybody = [grade.points for grade in grades]
        if for_staff:
            comments = [grade.comment for grade in grades if grade.comment]
            return _grade_by_rubric(rubric, counted_points, everybody, comments)
        policy = problem.reveal.limited_to(await self._courses.reveal_limit_now(answer.attempt))
        if not policy.shows_all_of(Reveal.NAMES):
            total = _grade_by_rubric(rubric, counted_points, (), ())
            return RubricGrade(total.points, total.most, total.enough, (), ())
        return _grade_by_rubric(rubric, counted_points, (), ())


def _grade_by_rubric(
    rubric: RubricPoints,
    counted_points: Sequence[Sequence[float]],
    everybodys_points: Sequence[Sequence[float]],
    comments: Sequence[str],
) -> RubricGrade:
    item_grades = [
        ItemGrade(
            rubric_item.text,
            rubric_item.points,
            statistics.fmean(points[item_index] for points in counted_points),
            [points[item_index] for points in everybodys_points],
        )
        for item_index, rubric_item in enumerate(rubric.items)
    ]
    return RubricGrade(
        sum(item.points for item in item_grades), rubric.most, rubric.enough or rubric.most, item_grades, comments
    )
