"""The audit log: who of a course's staff saw or changed what, without contents."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, insert, select

from benchwright_foundation.database import Database
from benchwright_service.storage.tables import ACCOUNTS, AUDIT, moment

SITTING_S = 3600.0
"""Time in seconds within which a page that refreshes itself is noted once for each viewer."""


@dataclass(frozen=True)
class AuditEntry:
    """Something that was done."""

    at: datetime
    name: str
    """Name of the person who did it; the account's id if there is no such account."""
    action: str
    object: str


class AuditLog:
    """Writes and reads the log.

    Args:
        database: Database of the service.
        clock: Seconds since 1970.
    """

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._now = clock

    async def record_action(self, account: str, course: str, action: str, acted_on: str) -> None:
        """Adds an entry. It is on disk when this returns.

        Args:
            account: Account that did it.
            course: Course in which it was done.
            action: Action that was done.
            acted_on: Object of the action.
        """
        row = {"at": self._now(), "account": account, "course": course, "action": action, "object": acted_on}
        async with self._database.write_transaction() as connection:
            await connection.execute(insert(AUDIT).values(row))

    async def record_action_unless_recent(self, account: str, course: str, action: str, acted_on: str) -> None:
        """Adds an entry unless the newest of this kind is younger than a sitting: for what is read again and again."""
        newest_query = select(func.max(AUDIT.c.at)).where(
            *(
                AUDIT.c.course == course,
                AUDIT.c.account == account,
                AUDIT.c.action == action,
                AUDIT.c.object == acted_on,
            )
        )
        async with self._database.read_transaction() as connection:
            last = (await connection.execute(newest_query)).scalar()
        if last is None or self._now() - last >= SITTING_S:
            await self.record_action(account, course, action, acted_on)

    async def entry_count(self, course: str) -> int:
        """Returns the number of entries of a course."""
        query = select(func.count()).select_from(AUDIT).where(AUDIT.c.course == course)
        async with self._database.read_transaction() as connection:
            return int((await connection.execute(query)).scalar_one())

    async def newest_entries(self, course: str, limit: int = 500, page: int = 1) -> Sequence[AuditEntry]:
        """A page of the entries of a course, newest first; the first one has the newest."""
        query = (
            select(AUDIT, ACCOUNTS.c.name)
            .outerjoin(ACCOUNTS, ACCOUNTS.c.id == AUDIT.c.account)
            .where(AUDIT.c.course == course)
            .order_by(AUDIT.c.id.desc())
            .limit(limit)
            .offset((page - 1) * limit)
        )
        async with self._database.read_transaction() as connection:
            rows = (await connection.execute(query)).all()
        return [AuditEntry(moment(row.at), row.name or row.account, row.action, row.object) for row in rows]
