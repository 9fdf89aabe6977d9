"""Forms of questions as their authors left them: kept while they are typed, with everything that is wrong in them."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Row, delete, func, insert, select, update

from benchwright_foundation.database import Database
from benchwright_service.errors import BenchServiceError
from benchwright_service.questions.tables import UNFINISHED
from benchwright_service.questions.writing import lock_course
from benchwright_service.storage.tables import moment

MOST_UNFINISHED = 20
"""Largest number of forms that are kept for one person of a course."""


@dataclass(frozen=True)
class UnfinishedForm:
    """A form that somebody has not saved."""

    id: str
    """Of the question that it changes; one of its own for a question that is not saved yet."""
    fields: Mapping[str, Any]
    kept_time: datetime | None
    """Time when it was kept."""


class UnfinishedQuestions:
    """Keeps forms that are not saved yet, each for its author alone.

    Args:
        database: Database of the service.
        clock: Seconds since 1970.
    """

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._now = clock

    async def keep(self, course: str, author: str, form_id: str, fields: Mapping[str, Any]) -> UnfinishedForm:
        """Keeps a form as it is now, in place of what was kept of it.

        Raises:
            BenchServiceError: Too many forms of the author are unfinished.
        """
        conditions = UNFINISHED.c.course == course, UNFINISHED.c.author == author
        kept_at = self._now()
        values = {"fields": json.dumps(fields), "at": kept_at}
        async with self._database.write_transaction() as connection:
            update_outcome = await connection.execute(
                update(UNFINISHED).where(*conditions, UNFINISHED.c.form == form_id).values(values)
            )
            if update_outcome.rowcount == 0:
                # The first of two windows that begin it at once is the one whose row goes.
                await lock_course(connection, course)
                count = select(func.count()).select_from(UNFINISHED).where(*conditions)
                if (await connection.execute(count)).scalar_one() >= MOST_UNFINISHED:
                    raise BenchServiceError(
                        f"{MOST_UNFINISHED} of your questions are unfinished; save or discard one of them first"
                    )
                await connection.execute(delete(UNFINISHED).where(*conditions, UNFINISHED.c.form == form_id))
                await connection.execute(
                    insert(UNFINISHED).values(values | {"course": course, "author": author, "form": form_id})
                )
        return UnfinishedForm(form_id, fields, moment(kept_at))

    async def keep_forms_of_exam(
        self,
        course: str,
        author: str,
        exam_id: str,
        exam_fields: Mapping[str, Any],
        fields_by_form: Mapping[str, Mapping[str, Any]],
    ) -> None:
        """Keeps how far an exam is read, and the forms of its questions, unless it was discarded meanwhile."""
        base = {"course": course, "author": author, "at": self._now()}
        conditions = UNFINISHED.c.course == course, UNFINISHED.c.author == author, UNFINISHED.c.form == exam_id
        async with self._database.write_transaction() as connection:
            update_outcome = await connection.execute(
                update(UNFINISHED).where(*conditions).values(fields=json.dumps(exam_fields), at=base["at"])
            )
            # Nobody gets forms back who was deleted meanwhile.
            if update_outcome.rowcount and fields_by_form:
                form_rows = [
                    base | {"form": name, "fields": json.dumps(fields)} for name, fields in fields_by_form.items()
                ]
                await connection.execute(insert(UNFINISHED), form_rows)

    async def find(self, course: str, author: str, form_id: str) -> UnfinishedForm | None:
        """Returns an author's form; None if it is saved, discarded, or not theirs."""
        return next((form for form in await self.forms_of_author(course, author) if form.id == form_id), None)

    async def forms_of_author(self, course: str, author: str) -> Sequence[UnfinishedForm]:
        """All forms of an author in a course, the one that was changed last first."""
        query = select(UNFINISHED).where(UNFINISHED.c.course == course, UNFINISHED.c.author == author)
        async with self._database.read_transaction() as connection:
            form_rows = await connection.execute(query.order_by(UNFINISHED.c.at.desc(), UNFINISHED.c.form))
            return [_form_of_row(form_row) for form_row in form_rows]

    async def discard(self, course: str, author: str, form_id: str) -> None:
        """Forgets a form, because it is saved or not wanted."""
        conditions = UNFINISHED.c.course == course, UNFINISHED.c.author == author, UNFINISHED.c.form == form_id
        async with self._database.write_transaction() as connection:
            await connection.execute(delete(UNFINISHED).where(*conditions))


def _form_of_row(form_row: Row[Any]) -> UnfinishedForm:
    return UnfinishedForm(form_row.form, json.loads(form_row.fields), moment(form_row.at))
