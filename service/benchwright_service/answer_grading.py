"""People who grade answers of a course: blind, two for each answer, a third where they differ."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import select, update

from benchwright_attempts.grading import graded_answer
from benchwright_judges.database import Database
from benchwright_judges.errors import GradingError
from benchwright_judges.human_grading import Grading, Item
from benchwright_judges.records import Records
from benchwright_problems.store import Store
from benchwright_service.errors import BenchServiceError
from benchwright_service.tables import ASSIGNMENTS, ATTEMPTS_HELD, RUNS


@dataclass(frozen=True)
class Desk:
    """What waits for a grader."""

    item: Item | None
    """The next answer; None if nothing is left for them."""
    left: int
    """Answers that this person can still grade, with this one."""


class AnswerGrading:
    """Gives out answers, and takes grades.

    Args:
        database: Of the service.
        records: Opens the database of judgements.
        store: Has the keys.
    """

    def __init__(self, database: Database, records: Callable[[], Awaitable[Records]], store: Store) -> None:
        self._database = database
        self._records = records
        self._store = store

    async def desk(self, course: str, grader: str) -> Desk:
        """The next answer of a course for somebody, in an order of their own."""
        waiting = await self._waiting(course, grader)
        return Desk(waiting[0] if waiting else None, len(waiting))

    async def grade(self, course: str, item: str, grader: str, label: str, difficulty: int, comment: str) -> None:
        """Takes a grade; if it decides, the run has its verdict from now on.

        Raises:
            BenchServiceError: The answer is none of the course that waits for this person, or the grade is off the
                scale.
        """
        found = next((one for one in await self._waiting(course, grader) if one.id == item), None)
        records = await self._records()
        answer = await records.answer(item)
        if found is None or answer is None:
            raise BenchServiceError("this answer needs no grade of yours")
        graders = (await self._graders(course))[answer.attempt]
        try:
            grading = Grading(records, self._store.unseal, graders=graders)
            judgement = await grading.grade(item, grader, label, difficulty, comment)
        except GradingError as error:
            raise BenchServiceError(str(error)) from error
        if judgement is None:
            return
        verdict = graded_answer(found.problem.public_digest, judgement, 0.0).verdict
        values = {
            "verdict": verdict.model_dump_json(),
            "outcome": verdict.outcome.value,
            "share": judgement.score or 0.0,
        }
        mine = RUNS.c.attempt == answer.attempt, RUNS.c.number == answer.number
        async with self._database.writing() as connection:
            await connection.execute(update(RUNS).where(*mine).values(values))

    async def _waiting(self, course: str, grader: str) -> Sequence[Item]:
        records = await self._records()
        by_graders: dict[int, set[str]] = {}
        for attempt, graders in (await self._graders(course)).items():
            by_graders.setdefault(graders, set()).add(attempt)
        found: list[Item] = []
        for graders, attempts in sorted(by_graders.items()):
            grading = Grading(records, self._store.unseal, graders=graders)
            for item in await grading.items(grader):
                answer = await records.answer(item.id)
                if answer is not None and answer.attempt in attempts:
                    found.append(item)
        return found

    async def _graders(self, course: str) -> Mapping[str, int]:
        """How many people grade an answer, by attempt."""
        wanted = (
            select(ATTEMPTS_HELD.c.attempt, ASSIGNMENTS.c.graders)
            .join(ASSIGNMENTS, ASSIGNMENTS.c.id == ATTEMPTS_HELD.c.assignment)
            .where(ASSIGNMENTS.c.course == course)
        )
        async with self._database.reading() as connection:
            return {row.attempt: row.graders for row in await connection.execute(wanted)}
