"""Limits that all processes of a service have in common: each hands on what it has counted, and learns of the rest."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Callable

from sqlalchemy import bindparam, case, delete, select

from benchwright_foundation.database import Database
from benchwright_foundation.rate import Allowances
from benchwright_service.storage.database import database_time
from benchwright_service.storage.tables import USES

SHARED_S = 2.0
"""Time for which a process does not know of what others have counted, in seconds."""
_CHANGED_S = 3 * SHARED_S
"""Age in seconds of what is read again: a round may be late."""
_CLEANED_EVERY = 300
"""Rounds."""

logger = logging.getLogger(__name__)


class SharedUses:
    """Keeps the use of limits in the database, so that it is common to all processes and survives them.

    Args:
        database: Database of the service.
        allowances: Counted in this process.
        clock: Seconds since 1970.
    """

    def __init__(self, database: Database, allowances: Allowances, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._allowances = allowances
        self._time = database_time(database, clock)

    @contextlib.asynccontextmanager
    async def sharing(self) -> AsyncIterator[None]:
        """Shares them inside, and in the end once more."""
        task = asyncio.create_task(self._share_until_cancelled())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            # Without a database, the counts of the last seconds are lost.
            with contextlib.suppress(Exception):
                await self.share()

    async def share(self) -> None:
        """Hands on what is new, and reads what all have used together.

        Raises:
            StorageError: The database can't be written; it is handed on the next time.
        """
        new_uses = self._allowances.drain_new_uses()
        insertion = self._database.insert_into(USES).values(
            key=bindparam("use_key"), used=bindparam("use_count"), rate=bindparam("use_rate"), at=self._time
        )
        left = USES.c.used - (insertion.excluded.at - USES.c.at) * USES.c.rate
        upsert = insertion.on_conflict_do_update(
            index_elements=["key"],
            set_={
                "used": case((left > 0, left), else_=0.0) + insertion.excluded.used,
                "rate": insertion.excluded.rate,
                "at": insertion.excluded.at,
            },
        )
        # In one order, so that no two processes wait for each other.
        use_rows = [
            {"use_key": key, "use_count": new_use.use_count, "use_rate": new_use.fall_per_s}
            for key, new_use in sorted(new_uses.items())
        ]
        try:
            if use_rows:
                async with self._database.write_transaction() as connection:
                    await connection.execute(upsert, use_rows)
        except BaseException:
            self._allowances.keep_for_next_drain(new_uses)
            raise
        query = select(USES.c.key, USES.c.used, USES.c.rate).where(USES.c.at > self._time - _CHANGED_S)
        async with self._database.read_transaction() as connection:
            changed_rows = (await connection.execute(query)).all()
        for row in changed_rows:
            self._allowances.set_shared_use(row.key, row.used, row.rate)

    async def _share_until_cancelled(self) -> None:
        rounds = 0
        while True:
            await asyncio.sleep(SHARED_S)
            try:
                await self.share()
                if rounds % _CLEANED_EVERY == 0:
                    await self._forget_unused()
            except Exception:
                logger.exception("counts of limits can't be shared")
            rounds += 1

    async def _forget_unused(self) -> None:
        is_unused = USES.c.used <= (self._time - USES.c.at) * USES.c.rate
        async with self._database.write_transaction() as connection:
            await connection.execute(delete(USES).where(USES.c.rate > 0, is_unused))
