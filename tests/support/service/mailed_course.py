"""A service's notices without a service: its database with a course, and a process that sends them by real SMTP."""

from __future__ import annotations

import time
from collections.abc import Sequence
from email.message import EmailMessage
from pathlib import Path
from typing import Any

from sqlalchemy import Row, Table, insert, select, update

from benchwright_foundation.database import Database
from benchwright_service.mail.letters import Letters
from benchwright_service.mail.notice_mailer import NoticeMailer
from benchwright_service.mail.notice_rows import MailSize, NoticeRows
from benchwright_service.mail.smtp import Mailbox
from benchwright_service.mail.timed_notices import TimedNotices
from benchwright_service.sign_in.sign_in_file import MailEncryption, SmtpSettings
from benchwright_service.storage.database import open_service_database
from benchwright_service.storage.tables import (
    ACCOUNTS,
    ASSIGNMENTS,
    ATTEMPTS_HELD,
    COURSES,
    FACTS,
    MAILED_NOTICES,
    MEMBERS,
    ROSTER,
    RUNS,
)

from .mail_server import MailServer

SECRET = "secret"
ADDRESS = "https://bench.example.org"
DAY_S = 86_400.0


class MailedCourse:
    """A course whose people get mail.

    Args:
        database: Database of the service.
        server: The mail server.
    """

    def __init__(self, database: Database, server: MailServer) -> None:
        self.database = database
        self.server = server
        self.notices = NoticeRows(database)
        self.timed = TimedNotices(database)
        self.sent_count = 0

    @classmethod
    async def opened(cls, location: Path | str, server: MailServer, students: Sequence[str]) -> MailedCourse:
        """One of these on a new database; everybody is on the roster."""
        mailed = cls(await open_service_database(location), server)
        await mailed.timed.record_has_mail_server(has_mail_server=True)
        await mailed.add(COURSES, id="arch", title="Computer architecture", created=1.0, zone="Europe/Berlin")
        for name in students:
            await mailed.add_person(name, "participant")
        await mailed.add_person("tim", "staff")
        return mailed

    async def add_person(self, name: str, role: str, email: str | None = None) -> None:
        """Somebody in the course."""
        await self.add(ACCOUNTS, id=name, name=name.title(), created=1.0)
        await self.add(MEMBERS, course="arch", account=name, role=role, section="")
        row: dict[str, Any] = dict.fromkeys((column.name for column in ROSTER.c if not column.nullable), "")
        row |= {"id": name, "course": "arch", "account": name, "name": name, "created": 1.0, "role": role}
        await self.add(ROSTER, **row | {"email": f"{name}@example.org" if email is None else email})

    async def add_assignment(self, assignment: str, **values: Any) -> None:
        """An assignment, made just now unless it says something else."""
        row = {"id": assignment, "course": "arch", "title": assignment, "pack": "starter", "created": time.time()}
        await self.add(ASSIGNMENTS, **row | values)

    async def add_passed_run(self, account: str, assignment: str) -> None:
        """Work that counts."""
        attempt = f"{account}-{assignment}"
        held = {"attempt": attempt, "account": account, "assignment": assignment, "problem": "starter/fifo"}
        await self.add(ATTEMPTS_HELD, **held, created=1.0, clock_difference_s=0.0)
        row = {"id": attempt, "attempt": attempt, "account": account, "number": 1, "files": "{}", "state": "done"}
        row |= {"why": "", "queued": 1.0, "worker": "", "lease": "", "tries": 1, "outcome": "passed", "share": 1.0}
        await self.add(RUNS, **row)

    async def add(self, table: Table, **values: Any) -> None:
        """A row."""
        async with self.database.write_transaction() as connection:
            await connection.execute(insert(table).values(values))

    async def change(self, table: Table, **values: Any) -> None:
        """Other values in all rows."""
        async with self.database.write_transaction() as connection:
            await connection.execute(update(table).values(values))

    def mailer(self) -> NoticeMailer:
        """Another process's."""
        settings = SmtpSettings(
            host="127.0.0.1", port=self.server.port, sender="bench@example.org", encryption=MailEncryption.NONE
        )
        return NoticeMailer(self.database, Mailbox(settings), Letters(ADDRESS, SECRET), self._count)

    def _count(self) -> None:
        self.sent_count += 1

    async def look(self) -> None:
        """Looks at all assignments, as if the time for it had come."""
        await self.change(FACTS, value="0")
        await self.timed.queue_due_notices_if_time()

    async def make_due(self) -> None:
        """Lets the time pass for which notices are collected, or wait after a failure."""
        async with self.database.write_transaction() as connection:
            await connection.execute(update(MAILED_NOTICES).where(MAILED_NOTICES.c.due.is_not(None)).values(due=1.0))

    async def deliver(self) -> list[EmailMessage]:
        """Mails of all that waits."""
        self.server.clear()
        await self.make_due()
        mailer = self.mailer()
        while await mailer.try_to_deliver_some():
            pass
        return list(self.server.mails)

    async def notice_rows(self) -> Sequence[Row[Any]]:
        """The queue with what was sent, by account."""
        query = select(MAILED_NOTICES).order_by(MAILED_NOTICES.c.account, MAILED_NOTICES.c.subject)
        async with self.database.read_transaction() as connection:
            return (await connection.execute(query)).all()

    async def size(self) -> MailSize:
        """What an operator is shown."""
        return await self.notices.size()


def recipients(mails: Sequence[EmailMessage]) -> list[str]:
    """Names of those who got mail."""
    return sorted(str(mail["To"]).partition("@")[0] for mail in mails)
