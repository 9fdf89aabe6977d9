"""The parts of a service, opened together."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from importlib.metadata import version

from sqlalchemy import select

from benchwright_attempts.judging import Judging
from benchwright_attempts.log import EventLog
from benchwright_judges.database import Database
from benchwright_judges.service.rate import RateLimits
from benchwright_judges.service.refusals import Kind, RefusalError
from benchwright_problems.home import Home
from benchwright_problems.store import Store
from benchwright_service.accounts import Accounts
from benchwright_service.courses import Courses
from benchwright_service.database import open_service_database
from benchwright_service.evidence import Evidence
from benchwright_service.runs import Runs
from benchwright_service.signing import Countersigner
from benchwright_service.snapshots import Snapshots
from benchwright_service.tables import ACCOUNTS

GUESSES_PER_MINUTE = 600
"""Invitations that may be tried a minute, by all together: codes have 256 bits."""


@dataclass(frozen=True)
class Bench:
    """What the endpoints call."""

    database: Database
    accounts: Accounts
    courses: Courses
    evidence: Evidence
    runs: Runs
    signer: Countersigner
    version: str
    guesses: RateLimits = field(default_factory=RateLimits)

    async def check(self) -> None:
        """Reads the database.

        Raises:
            RecordsError: That does not work.
        """
        async with self.database.reading() as connection:
            await connection.execute(select(ACCOUNTS.c.id).limit(1))

    def check_guesses(self) -> None:
        """Counts a try of an invitation.

        Raises:
            RefusalError: There were too many.
        """
        wait_s = self.guesses.take("", GUESSES_PER_MINUTE)
        if wait_s:
            raise RefusalError(
                Kind.RATE_LIMITED,
                "Too many invitations were tried.",
                "Wait for the number of seconds in Retry-After.",
                retry_after_s=wait_s,
            )


@contextlib.asynccontextmanager
async def open_bench(home: Home, database_url: str | None, server: str) -> AsyncIterator[Bench]:
    """Opens the databases, the log and the key below `home`; what was queued goes on.

    Args:
        home: The folders of the service's user.
        database_url: A PostgreSQL database for tables and log. None for SQLite files in `home`.
        server: The service's address, as receipts name it.

    Raises:
        BenchServiceError: Tables or key can't be opened.
        LogError: The log can't be opened.
    """
    folder = home.data / "service"
    # The log first: it refuses a database that has tables and no log.
    log = await asyncio.to_thread(EventLog, database_url or folder / "attempts.sqlite")
    judging = Judging(home)
    try:
        database = await open_service_database(database_url or folder / "service.sqlite")
        try:
            store = Store(home)
            signer = await asyncio.to_thread(Countersigner.of, server, folder / "key")
            courses = Courses(database, store)
            evidence = Evidence(log, database, courses, signer)
            snapshots = Snapshots(folder / "snapshots")
            runs = Runs(database, store, home, snapshots, courses, evidence, judging)
            await runs.start()
            try:
                yield Bench(database, Accounts(database), courses, evidence, runs, signer, version("benchwright"))
            finally:
                await runs.close()
        finally:
            await database.close()
    finally:
        await judging.close()
        await asyncio.to_thread(log.close)
