"""The audit log: who of a course's staff saw or changed what, without contents."""

from __future__ import annotations

import csv
import io
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, func, insert, select

from benchwright_foundation.database import Database
from benchwright_service.storage.tables import ACCOUNTS, AUDIT, moment
from benchwright_teaching.grade_files import formula_free_cell

SITTING_S = 3600.0
"""Time in seconds within which a page that refreshes itself is noted once for each viewer."""
_COURSE_ENTRIES = AUDIT.outerjoin(ACCOUNTS, ACCOUNTS.c.id == AUDIT.c.account)


@dataclass(frozen=True)
class AuditEntry:
    """Something that was done."""

    at: datetime
    account: str
    name: str
    """Name of the person who did it; the account's id if there is no such account."""
    action: str
    object: str


@dataclass(frozen=True)
class AuditSelection:
    """Entries that somebody wants to see."""

    since: datetime | None = None
    until: datetime | None = None
    """The first moment that is not wanted any more."""
    name: str = ""
    """Part of the name of who did it."""
    action: str = ""
    """Part of what was done."""


def audit_csv(entries: Sequence[AuditEntry]) -> str:
    """Entries as a table for people and spreadsheets."""
    text = io.StringIO()
    csv_writer = csv.writer(text, lineterminator="\r\n")
    csv_writer.writerow(("at", "account", "name", "action", "object"))
    for entry in entries:
        entry_texts = (entry.account, entry.name, entry.action, entry.object)
        csv_writer.writerow((entry.at.isoformat(timespec="milliseconds"), *map(formula_free_cell, entry_texts)))
    return text.getvalue()


def audit_jsonl(entries: Sequence[AuditEntry]) -> str:
    """Entries as JSON, one in each line."""
    return "".join(
        json.dumps(asdict(entry) | {"at": entry.at.isoformat(timespec="milliseconds")}, ensure_ascii=False) + "\n"
        for entry in entries
    )


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
        await self.record_actions(account, course, [(action, acted_on)])

    async def record_actions(self, account: str, course: str, actions: Sequence[tuple[str, str]]) -> None:
        """Adds an entry for each action and its object."""
        fields = {"at": self._now(), "account": account, "course": course}
        entry_rows = [fields | {"action": action, "object": acted_on} for action, acted_on in actions]
        async with self._database.write_transaction() as connection:
            await connection.execute(insert(AUDIT), entry_rows)

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

    async def entry_count(self, course: str, wanted_entries: AuditSelection | None = None) -> int:
        """Returns the number of entries of a course; of those that are wanted, if a selection says which."""
        query = select(func.count()).select_from(_COURSE_ENTRIES).where(*_conditions(course, wanted_entries))
        async with self._database.read_transaction() as connection:
            return int((await connection.execute(query)).scalar_one())

    async def newest_entries(
        self, course: str, limit: int | None = 500, page: int = 1, *, wanted_entries: AuditSelection | None = None
    ) -> Sequence[AuditEntry]:
        """A page of the entries of a course, newest first; the first one has the newest.

        Args:
            course: Its id.
            limit: Largest number of entries of a page; None for all entries.
            page: Number of the page, from 1.
            wanted_entries: Entries that are wanted; None for all.
        """
        query = (
            select(AUDIT, ACCOUNTS.c.name)
            .select_from(_COURSE_ENTRIES)
            .where(*_conditions(course, wanted_entries))
            .order_by(AUDIT.c.id.desc())
        )
        if limit is not None:
            query = query.limit(limit).offset((page - 1) * limit)
        async with self._database.read_transaction() as connection:
            rows = (await connection.execute(query)).all()
        return [
            AuditEntry(moment(row.at), row.account, row.name or row.account, row.action, row.object) for row in rows
        ]


def _conditions(course: str, wanted_entries: AuditSelection | None) -> Sequence[ColumnElement[bool]]:
    wanted = wanted_entries or AuditSelection()
    conditions: list[ColumnElement[bool]] = [AUDIT.c.course == course]
    if wanted.since is not None:
        conditions.append(AUDIT.c.at >= wanted.since.timestamp())
    if wanted.until is not None:
        conditions.append(AUDIT.c.at < wanted.until.timestamp())
    for column, text in ((ACCOUNTS.c.name, wanted.name), (AUDIT.c.action, wanted.action)):
        if text:
            conditions.append(column.icontains(text, autoescape=True))
    return conditions
