"""Runs as the database has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Row, func, select

from benchwright_judges.database import Database
from benchwright_remote.messages import RunState
from benchwright_service.tables import ATTEMPTS_HELD, RUNS

GOING = (RunState.QUEUED.value, RunState.RUNNING.value)
"""States of a run that has not ended."""


class RunRows:
    """Reads runs.

    Args:
        database: Of the service.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find(self, run: str) -> Row[Any] | None:
        """A run."""
        async with self._database.reading() as connection:
            return (await connection.execute(select(RUNS).where(RUNS.c.id == run))).one_or_none()

    async def going(self, attempt: str | None = None) -> Sequence[Row[Any]]:
        """Runs that have not ended, oldest first: of one attempt if given."""
        wanted = select(RUNS).where(RUNS.c.state.in_(GOING)).order_by(RUNS.c.queued, RUNS.c.id)
        if attempt is not None:
            wanted = wanted.where(RUNS.c.attempt == attempt)
        async with self._database.reading() as connection:
            return (await connection.execute(wanted)).all()

    async def used(self, attempt: str) -> int:
        """How many runs an attempt has used: all that were not cancelled."""
        wanted = select(func.count()).where(RUNS.c.attempt == attempt, RUNS.c.state != RunState.CANCELLED.value)
        async with self._database.reading() as connection:
            return int((await connection.execute(wanted)).scalar_one())

    async def problem_of(self, attempt: str) -> str:
        """The problem of an attempt, `pack/id`."""
        wanted = select(ATTEMPTS_HELD.c.problem).where(ATTEMPTS_HELD.c.attempt == attempt)
        async with self._database.reading() as connection:
            return str((await connection.execute(wanted)).scalar_one())
