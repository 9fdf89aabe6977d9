"""People who grade answers of a course: blind, two for each answer, a third where they differ."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import select, update

from benchwright_attempts.grading.grading import outcome_of_judgement
from benchwright_foundation.database import Database
from benchwright_judges.errors import GradingError
from benchwright_judges.people.human_grading import Dispute, GradableAnswer, HumanGrading
from benchwright_judges.records.records import Records
from benchwright_problems.errors import ProblemsError
from benchwright_problems.problem import Figure, Problem
from benchwright_problems.rubric_points import RubricPoints
from benchwright_problems.storage.store import Store
from benchwright_service.errors import BenchServiceError
from benchwright_service.mail.queueing import queueing_changed_grades
from benchwright_service.points.kept_worth import lock_assignment_and_get_course_part, recompute_worth
from benchwright_service.storage.tables import ASSIGNMENTS, ATTEMPTS_HELD, RUNS


def question_and_key_figures(problem: Problem) -> Sequence[Figure]:
    """Pictures of a question, then those of its key."""
    key = problem.hidden.answer
    return (*problem.public.figures, *(key.figures if key is not None else ()))


def rubric_with_points(problem: Problem) -> RubricPoints | None:
    """Returns the rubric by which people give points; None if they choose a label."""
    key = problem.hidden.answer
    return key.points if key is not None else None


@dataclass(frozen=True)
class GradingDesk:
    """Answers that wait for a grader."""

    item: GradableAnswer | None
    """The next answer; None if nothing is left for them."""
    left: int
    """Answers that this person can still grade, with this one."""
    dispute: Dispute | None = None
    """Dispute of two others, if this person decides."""


class AnswerGrading:
    """Gives out answers, and takes grades.

    Args:
        database: Database of the service.
        records: Opens the database of judgements.
        store: Has the keys.
    """

    def __init__(self, database: Database, records: Callable[[], Awaitable[Records]], store: Store) -> None:
        self._database = database
        self._records = records
        self._store = store

    async def desk(self, course: str, grader: str) -> GradingDesk:
        """The next answer of a course for somebody, in an order of their own."""
        waiting_answers = await self._waiting_answers(course, grader)
        if not waiting_answers:
            return GradingDesk(None, 0)
        grading = HumanGrading(await self._records(), self._store.unseal)
        return GradingDesk(waiting_answers[0], len(waiting_answers), await grading.find_dispute(waiting_answers[0]))

    async def find_figure(self, course: str, item_id: str, figure_index: int) -> Figure | None:
        """A picture of the question that an answer of a course is to, or behind those one of its key."""
        answer = await (await self._records()).find_answer(item_id)
        if answer is None or not await self._grader_count_by_attempt(course, [answer.attempt]):
            return None
        try:
            problem = await asyncio.to_thread(self._store.unseal, answer.problem)
        except ProblemsError:
            return None
        figures = question_and_key_figures(problem)
        return figures[figure_index] if figure_index < len(figures) else None

    async def record_grade(
        self,
        course: str,
        item_id: str,
        grader: str,
        label: str,
        difficulty: int,
        comment: str,
        points: Sequence[float] = (),
    ) -> None:
        """Takes a grade; if it decides, the run has its verdict from now on.

        Raises:
            BenchServiceError: The answer is none of the course that waits for this person, or the grade is off the
                scale.
        """
        waiting_item = next(
            (candidate for candidate in await self._waiting_answers(course, grader) if candidate.id == item_id), None
        )
        records = await self._records()
        answer = await records.find_answer(item_id)
        if waiting_item is None or answer is None:
            raise BenchServiceError("this answer needs no grade of yours")
        if bool(points) != (rubric_with_points(waiting_item.problem) is not None):
            raise BenchServiceError("the question has been changed since this page was opened")
        graders = (await self._grader_count_by_attempt(course, [answer.attempt]))[answer.attempt]
        try:
            grading = HumanGrading(records, self._store.unseal, graders_per_answer=graders)
            judgement = await grading.store_grade_and_judgement_if_decided(
                item_id, grader, label, difficulty, comment, points
            )
        except GradingError as error:
            raise BenchServiceError(str(error)) from error
        if judgement is None:
            return
        verdict = outcome_of_judgement(waiting_item.problem.public_digest, judgement, 0.0).verdict
        values = {
            "verdict": verdict.model_dump_json(),
            "outcome": verdict.outcome.value,
            "share": judgement.score or 0.0,
        }
        run_conditions = RUNS.c.attempt == answer.attempt, RUNS.c.number == answer.number
        async with self._database.write_transaction() as connection:
            scope = await lock_assignment_and_get_course_part(connection, answer.attempt)
            await connection.execute(update(RUNS).where(*run_conditions).values(values))
            if scope is not None:
                async with queueing_changed_grades(self._database, connection, scope, time.time()):
                    await recompute_worth(connection, scope)

    async def _waiting_answers(self, course: str, grader: str) -> Sequence[GradableAnswer]:
        records = await self._records()
        waiting_items: list[GradableAnswer] = []
        for graders in (1, 2):
            grading = HumanGrading(records, self._store.unseal, graders_per_answer=graders)
            items = await grading.gradable_answers(grader)
            given_answers = [await records.find_answer(item.id) for item in items]
            attempts = [answer.attempt for answer in given_answers if answer is not None]
            counts = await self._grader_count_by_attempt(course, attempts)
            waiting_items += [
                item
                for item, answer in zip(items, given_answers, strict=True)
                if answer is not None and counts.get(answer.attempt) == graders
            ]
        return waiting_items

    async def _grader_count_by_attempt(self, course: str, attempts: Sequence[str]) -> Mapping[str, int]:
        """Returns the number of people who grade an answer, by attempt; attempts of other courses are left out."""
        query = (
            select(ATTEMPTS_HELD.c.attempt, ASSIGNMENTS.c.graders)
            .join(ASSIGNMENTS, ASSIGNMENTS.c.id == ATTEMPTS_HELD.c.assignment)
            .where(ASSIGNMENTS.c.course == course, ATTEMPTS_HELD.c.attempt.in_(attempts))
        )
        async with self._database.read_transaction() as connection:
            return {row.attempt: row.graders for row in await connection.execute(query)}
