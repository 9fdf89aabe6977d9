"""The queue of notices in the database: each process of a service takes some, by a lease, and none is taken twice."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Row, ScalarSelect, Update, case, func, or_, select, tuple_, update

from benchwright_foundation.database import Database
from benchwright_service.mail.mail_kinds import MailKind
from benchwright_service.storage.database import database_time
from benchwright_service.storage.tables import MAILED_NOTICES

TERM_S = 600.0
"""Time in seconds for which a process has notices that it has taken."""
MOST_TRIES = 20
"""Tries after which a notice is given up: about two days."""
_FIRST_WAIT_S = 60.0
_LONGEST_WAIT_S = 14_400.0
_TRIES_IN_AN_HOUR = 7
_GROUPS_AT_ONCE = 50
_FAILED_S = 7 * 86_400.0
"""Time for which a notice that was given up is counted."""
_KEY = tuple(MAILED_NOTICES.primary_key)
_GROUP = (MAILED_NOTICES.c.account, MAILED_NOTICES.c.course, MAILED_NOTICES.c.kind)


class MailSize(NamedTuple):
    """Notices over all processes."""

    waiting: int
    stuck: int
    """Of these, those that the mail server has not taken for an hour."""
    given_up: int
    """In the last seven days."""


class NoticeRows:
    """Gives notices to processes that send them.

    Args:
        database: Database of the service.
        clock: Seconds since 1970.
    """

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._time = database_time(database, clock)

    async def claim(self) -> Sequence[Row[Any]]:
        """Takes notices that are due, with all others that wait for the same person, course and kind: one mail."""
        notices = MAILED_NOTICES.c
        is_free = or_(notices.lease_until.is_(None), notices.lease_until < self._time)
        is_due = notices.due <= self._time
        async with self._database.read_transaction() as connection:
            # Most rounds find nothing, and nobody waits for them.
            if (await connection.execute(select(notices.account).where(is_due, is_free).limit(1))).first() is None:
                return ()
        group_query = select(*_GROUP).where(is_due, is_free).distinct().order_by(*_GROUP).limit(_GROUPS_AT_ONCE)
        key_query = (
            select(*_KEY)
            .where(notices.due.is_not(None), is_free, tuple_(*_GROUP).in_(group_query))
            .order_by(*_KEY)
            .with_for_update(skip_locked=True)
        )
        lease = {"lease": uuid.uuid4().hex, "lease_until": self._time + TERM_S}
        async with self._database.write_transaction() as connection:
            keys = [tuple(row) for row in await connection.execute(key_query)]
            if not keys:
                return ()
            claim = update(MAILED_NOTICES).where(tuple_(*_KEY).in_(keys)).values(lease).returning(MAILED_NOTICES)
            rows = (await connection.execute(claim)).all()
        return sorted(rows, key=lambda row: (row.account, row.course, row.kind, row.subject))

    async def mark_sent(self, rows: Sequence[Row[Any]]) -> None:
        """Notes that they were sent."""
        await self._end(rows, {"sent": self._time})

    async def drop(self, rows: Sequence[Row[Any]]) -> None:
        """Takes them from the queue: there is nothing to say any more, or nobody to say it to."""
        await self._end(rows, {})

    async def postpone_or_give_up(self, rows: Sequence[Row[Any]]) -> int:
        """Has them tried again later, each time after a longer wait; returns the number that is given up instead."""
        given_up = 0
        for row in rows:
            tries = row.tries + 1
            wait_s = min(_FIRST_WAIT_S * 2**row.tries, _LONGEST_WAIT_S)
            values: dict[str, Any] = {"tries": tries, "due": self._time + wait_s}
            if tries >= MOST_TRIES:
                given_up += 1
                values |= {"due": None, "failed": self._time}
            await self._update([row], values)
        return given_up

    async def release(self, rows: Sequence[Row[Any]]) -> None:
        """Gives them back to whoever is next."""
        await self._update(rows, {})

    async def clear(self) -> None:
        """Empties the queue."""
        async with self._database.write_transaction() as connection:
            await connection.execute(update(MAILED_NOTICES).where(MAILED_NOTICES.c.due.is_not(None)).values(due=None))

    async def size(self) -> MailSize:
        """The queue's size now."""
        notices = MAILED_NOTICES.c
        is_waiting = notices.due.is_not(None)
        query = select(
            _notice_count_query(is_waiting),
            _notice_count_query(is_waiting, notices.tries >= _TRIES_IN_AN_HOUR),
            _notice_count_query(notices.failed > self._time - _FAILED_S),
        )
        async with self._database.read_transaction() as connection:
            return MailSize(*(await connection.execute(query)).one())

    async def _end(self, rows: Sequence[Row[Any]], column_values: dict[str, Any]) -> None:
        for row in rows:
            # What has happened since it was taken is said by another mail.
            is_newest = MAILED_NOTICES.c.number == row.number
            next_due = case((is_newest, None), else_=self._time + MailKind(row.kind).collected_s)
            await self._update([row], {"due": next_due, "tries": 0} | column_values)

    async def _update(self, rows: Sequence[Row[Any]], column_values: dict[str, Any]) -> None:
        async with self._database.write_transaction() as connection:
            for row in rows:
                await connection.execute(_lease_update(row).values({"lease": "", "lease_until": None} | column_values))


def _lease_update(row: Row[Any]) -> Update:
    is_row = [column == getattr(row, column.name) for column in _KEY]
    return update(MAILED_NOTICES).where(*is_row, MAILED_NOTICES.c.lease == row.lease)


def _notice_count_query(*conditions: ColumnElement[bool]) -> ScalarSelect[int]:
    return select(func.count()).select_from(MAILED_NOTICES).where(*conditions).scalar_subquery()
