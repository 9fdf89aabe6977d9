"""What the files of an account's runs take on the service's disk, and the room that is left for more."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping

from sqlalchemy import select

from benchwright_foundation.database import Database
from benchwright_service.courses.quotas import QuotaKeeper
from benchwright_service.courses.snapshots import Snapshots
from benchwright_service.storage.tables import RUNS


class StoredFiles:
    """Keeps contents that runs bring, as far as there is room.

    Args:
        database: Of the service.
        snapshots: The contents.
        quotas: Say how much room there is.
    """

    def __init__(self, database: Database, snapshots: Snapshots, quotas: QuotaKeeper) -> None:
        self._database = database
        self._snapshots = snapshots
        self._quotas = quotas

    async def keep(self, account: str, contents: Mapping[str, str]) -> None:
        """Keeps contents of an account's run.

        Args:
            account: Whose run it is.
            contents: SHA-256 → content, compressed (RFC 1950), base64.

        Raises:
            RefusalError: There is no room, or one is not what its SHA-256 says.
        """
        if not contents:
            return
        if not self._quotas.knows_stored(account):
            self._quotas.set_stored(account, await self._stored(account))
        new = await asyncio.to_thread(self._snapshots.missing, contents)
        self._quotas.check_stored(account, sum(len(contents[digest]) * 3 // 4 for digest in new))
        for digest in new:
            self._quotas.add_stored(account, await asyncio.to_thread(self._snapshots.keep, digest, contents[digest]))

    async def _stored(self, account: str) -> int:
        """Bytes of all files of its runs; one that several have is counted once. Asked once in a process's life."""
        async with self._database.reading() as connection:
            named = (await connection.execute(select(RUNS.c.files).where(RUNS.c.account == account))).scalars().all()
        return await asyncio.to_thread(
            lambda: self._snapshots.size({digest for files in named for digest in json.loads(files).values()})
        )
