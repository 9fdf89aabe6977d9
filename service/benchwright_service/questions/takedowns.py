"""Takedowns: a question leaves every page, export and later pack; its id, the date and the kind of reason remain."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import delete, func, insert, select, update

from benchwright_foundation.database import Database
from benchwright_service.errors import BenchServiceError
from benchwright_service.questions.tables import (
    FIGURES,
    NOTICES,
    QUESTIONS,
    REVIEWS,
    TAKEDOWNS,
    TRIES,
    UNFINISHED,
    VERSIONS,
)
from benchwright_service.storage.tables import moment


class TakedownReason(StrEnum):
    """Kind of reason for a takedown."""

    AUTHOR = "the author’s wish"
    RIGHTS = "third-party rights"
    PERSON = "personal data"
    OTHER = "another reason"


@dataclass(frozen=True)
class Takedown:
    """A question that was taken down, or that its author wants taken down."""

    question: str
    reason: TakedownReason
    requested: datetime
    done: datetime | None
    """None while it is only asked for."""
    published: int | None
    """The first version of the pack that had it; None for a question that no pack had."""


class Takedowns:
    """Takes requests for takedown, and erases what is taken down.

    Args:
        database: Database of the service.
        clock: Seconds since 1970.
    """

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._now = clock

    async def request(self, course: str, question: str, author: str, reason: TakedownReason) -> None:
        """Asks the course's staff to take a question down; asking again changes the reason.

        Raises:
            BenchServiceError: The question is none of theirs.
        """
        own_query = select(QUESTIONS.c.published).where(
            QUESTIONS.c.id == question, QUESTIONS.c.course == course, QUESTIONS.c.author == author
        )
        async with self._database.write_transaction() as connection:
            own_row = (await connection.execute(own_query.with_for_update())).one_or_none()
            if own_row is None:
                raise BenchServiceError("you have no such question")
            await connection.execute(delete(TAKEDOWNS).where(TAKEDOWNS.c.question == question))
            row = {"question": question, "course": course, "reason": reason.name, "requested": self._now()}
            await connection.execute(insert(TAKEDOWNS).values(row))

    async def erase(self, course: str, question: str, reason: TakedownReason) -> None:
        """Deletes a question with all that was said of it, and notes that it was taken down.

        Raises:
            BenchServiceError: The course has no such question.
        """
        query = select(QUESTIONS.c.published).where(QUESTIONS.c.id == question, QUESTIONS.c.course == course)
        async with self._database.write_transaction() as connection:
            question_row = (await connection.execute(query.with_for_update())).one_or_none()
            if question_row is None:
                raise BenchServiceError("the course has no such question")
            for table in (NOTICES, REVIEWS, TRIES, FIGURES, VERSIONS):
                await connection.execute(delete(table).where(table.c.question == question))
            await connection.execute(
                delete(UNFINISHED).where(UNFINISHED.c.course == course, UNFINISHED.c.form == question)
            )
            await connection.execute(delete(QUESTIONS).where(QUESTIONS.c.id == question))
            values = {"reason": reason.name, "done": self._now(), "published": question_row.published}
            request_update = update(TAKEDOWNS).where(TAKEDOWNS.c.question == question).values(values)
            if (await connection.execute(request_update)).rowcount == 0:
                row = values | {"question": question, "course": course, "requested": self._now()}
                await connection.execute(insert(TAKEDOWNS).values(row))

    async def takedowns(self, course: str) -> Sequence[Takedown]:
        """Those of a course in the order of their dates; those that are only asked for come last."""
        query = select(TAKEDOWNS).where(TAKEDOWNS.c.course == course)
        query = query.order_by(TAKEDOWNS.c.done.is_(None), func.coalesce(TAKEDOWNS.c.done, TAKEDOWNS.c.requested))
        async with self._database.read_transaction() as connection:
            rows = (await connection.execute(query)).all()
        return [
            Takedown(row.question, TakedownReason[row.reason], moment(row.requested), moment(row.done), row.published)
            for row in rows
        ]


def takedown_text(takedown: Takedown) -> str:
    """A takedown as the description of later versions of its pack says it."""
    day = takedown.done.date().isoformat() if takedown.done is not None else "now"
    return f"{takedown.question} (in versions from {takedown.published} on, taken down {day}): {takedown.reason.value}"
