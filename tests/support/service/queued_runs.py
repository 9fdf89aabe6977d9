"""A service's queue without a service: its database, with students who have runs to wait."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

from sqlalchemy import Row, insert, select

from benchwright_foundation.database import Database
from benchwright_problems.verdict import Reason, Verdict
from benchwright_remote.messages import NewRun
from benchwright_service.runs.queue_rows import QueueRows
from benchwright_service.runs.run_rows import RunRows
from benchwright_service.storage.database import open_service_database
from benchwright_service.storage.tables import ACCOUNTS, ASSIGNMENTS, ATTEMPTS_HELD, COURSES, RUNS


class Clock:
    """A clock that goes when it is told to."""

    time_s = 1_000.0

    def __call__(self) -> float:
        """Seconds since 1970."""
        return self.time_s


class QueuedRuns:
    """What a process of a service does with its queue.

    Args:
        database: Database of the service.
        clock: Seconds since 1970.
    """

    def __init__(self, database: Database, clock: Clock) -> None:
        self.database = database
        self.clock = clock
        self.queue_rows = QueueRows(database, clock)
        self._run_rows = RunRows(database)
        self._numbers = itertools.count(1)

    @classmethod
    async def opened(cls, location: Path | str) -> QueuedRuns:
        """One of these on a new database, in which there is a course."""
        database = await open_service_database(location)
        async with database.write_transaction() as connection:
            await connection.execute(insert(COURSES).values(id="arch", title="Computer architecture", created=1.0))
            assignment_values = {"id": "a1", "course": "arch", "title": "First", "pack": "starter", "created": 1.0}
            await connection.execute(insert(ASSIGNMENTS).values(assignment_values))
        return cls(database, Clock())

    async def add(self, run: str, account: str, *, is_scored: bool = False) -> None:
        """Queues a run of an attempt of its own."""
        self.clock.time_s += 0.001
        attempt = f"{account}-{next(self._numbers)}"
        async with self.database.write_transaction() as connection:
            values = {"id": account, "name": account, "created": 1.0}
            await connection.execute(self.database.insert_into(ACCOUNTS).values(values).on_conflict_do_nothing())
            row = {"attempt": attempt, "account": account, "assignment": "a1", "problem": "starter/fifo"}
            await connection.execute(insert(ATTEMPTS_HELD).values(row | {"created": 1.0, "clock_difference_s": 0.0}))
        new_run = NewRun.model_construct(id=run, number=1, files={})
        await self._run_rows.add_and_cancel_older(account, attempt, new_run, self.clock(), is_scored=is_scored)

    async def take(self, worker: str = "w1") -> str | None:
        """The run that a worker gets."""
        row = await self.queue_rows.claim_next(worker)
        return row.id if row is not None else None

    async def end(self, run: str, wall_s: float) -> bool:
        """A verdict by the run's lease; whether it counts."""
        verdict = Verdict(reason=Reason.MACHINE_BUSY, wall_s=wall_s)
        return await self._run_rows.finish_if_leased(await self.row(run), verdict, self.clock())

    async def cancel(self, run: str) -> bool:
        """Ends a run without a verdict."""
        return await self._run_rows.cancel_unless_ended(run, "solver", self.clock())

    async def row(self, run: str) -> Row[Any]:
        """A run as it is stored."""
        async with self.database.read_transaction() as connection:
            return (await connection.execute(select(RUNS).where(RUNS.c.id == run))).one()
