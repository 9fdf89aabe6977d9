"""What all processes of a service have to agree on, in the database."""

from __future__ import annotations

import time
from collections.abc import Sequence

from sqlalchemy import Text, cast, select, update

from benchwright_foundation.database import Database
from benchwright_service.errors import BenchServiceError
from benchwright_service.storage.database import database_time
from benchwright_service.storage.tables import FACTS

_SIGNING_KEY = "signing-key"
_WRITTEN = "written"


class Facts:
    """Reads and sets them.

    Args:
        database: Database of the service.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._time = database_time(database, time.time)

    async def require_common_keys_or_publish_newer(self, published_keys: Sequence[str], *, folder: object) -> None:
        """Makes sure that this process signs with the keys of all others; a newer key becomes theirs.

        Args:
            published_keys: Public signing keys that this process has, the newest last.
            folder: Folder in which they are.

        Raises:
            BenchServiceError: The service has a newer key, which this process does not know.
        """
        newest_key = published_keys[-1]
        row = {"name": _SIGNING_KEY, "value": newest_key}
        query = select(FACTS.c.value).where(FACTS.c.name == _SIGNING_KEY)
        async with self._database.read_transaction() as connection:
            common_key = (await connection.execute(query)).scalar()
        if common_key == newest_key:
            return
        if common_key is None:
            # Of two processes that start at once, the first one's key counts for both.
            async with self._database.write_transaction() as connection:
                await connection.execute(self._database.insert_into(FACTS).values(row).on_conflict_do_nothing())
                common_key = (await connection.execute(query)).scalar_one()
        if common_key not in published_keys:
            raise BenchServiceError(
                f"the signing keys in {folder} are not those of the service in this database, whose newest begins with"
                f" {common_key[:8]}. Give this process the data folder of the others, or its newest backup. If those"
                " keys are lost for good, `benchwright course accept-keys` has the service go on with these"
            )
        if common_key != newest_key:
            await self.set_common_key(newest_key, replaced_key=common_key)

    async def write_and_read_time(self) -> float:
        """Writes to the database; returns its time, in seconds since 1970.

        Raises:
            StorageError: It can't be written.
        """
        insertion = self._database.insert_into(FACTS).values(name=_WRITTEN, value=cast(self._time, Text))
        upsert = insertion.on_conflict_do_update(index_elements=["name"], set_={"value": insertion.excluded.value})
        async with self._database.write_transaction() as connection:
            return float((await connection.execute(upsert.returning(FACTS.c.value))).scalar_one())

    async def set_common_key(self, public_key: str, *, replaced_key: str | None = None) -> None:
        """Has a signing key be the newest of the service.

        Args:
            public_key: The key.
            replaced_key: Key that is replaced, unless another process was first. None for any.
        """
        replacement = update(FACTS).where(FACTS.c.name == _SIGNING_KEY)
        if replaced_key is not None:
            replacement = replacement.where(FACTS.c.value == replaced_key)
        async with self._database.write_transaction() as connection:
            await connection.execute(replacement.values(value=public_key))
