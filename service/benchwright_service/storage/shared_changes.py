"""Change notifications between the processes of a service: PostgreSQL's `LISTEN` and `NOTIFY`.

What wakes somebody here wakes those who wait for it elsewhere. A notification may get lost with a connection, so who
waits looks again by itself after some seconds; when the connection is there again, everybody does.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import uuid
from collections.abc import AsyncIterator

from sqlalchemy import text

from benchwright_foundation.change_notifications import ChangeNotifications
from benchwright_foundation.database import Database

_CHANNEL = "benchwright_service"
_AGAIN_S = 1.0
_PACE_S = 0.03
"""Seconds in which changes are collected before they are told: under load, each alone would be a round trip."""
_ALL, _ONE = "all", "one"
_SEND = text("SELECT pg_notify(:channel, payload) FROM unnest(CAST(:payloads AS text[])) AS payload")

logger = logging.getLogger(__name__)


class SharedChanges(ChangeNotifications):
    """Wakes who waits in this process, and with PostgreSQL in every other.

    Args:
        database: Database of the service. With SQLite there is one process.
    """

    def __init__(self, database: Database) -> None:
        super().__init__()
        self._database = database
        self._origin = uuid.uuid4().hex
        self._is_shared = database.engine.dialect.name == "postgresql"
        self._unsent: set[tuple[str, str]] = set()
        self._has_unsent = asyncio.Event()

    @contextlib.asynccontextmanager
    async def listening(self) -> AsyncIterator[None]:
        """Hears and tells the other processes inside."""
        tasks = (
            [asyncio.create_task(task) for task in (self._listen_forever(), self._send_unsent_forever())]
            if self._is_shared
            else []
        )
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def notify(self, topic: str) -> None:
        """Wakes all who wait for it, in all processes. Call it once the change is committed."""
        super().notify(topic)
        self._queue_for_other_processes(_ALL, topic)

    def notify_one(self, topic: str) -> None:
        """Wakes one in each process: there is work for one."""
        super().notify_one(topic)
        self._queue_for_other_processes(_ONE, topic)

    def wake_one_here(self, topic: str) -> None:
        """Wakes one in this process, which has just found work and may not be the only one."""
        super().notify_one(topic)

    def _queue_for_other_processes(self, reach: str, topic: str) -> None:
        if self._is_shared:
            self._unsent.add((reach, topic))
            self._has_unsent.set()

    async def _send_unsent_forever(self) -> None:
        while True:
            await self._has_unsent.wait()
            await asyncio.sleep(_PACE_S)
            self._has_unsent.clear()
            unsent, self._unsent = self._unsent, set()
            payloads = [f"{self._origin} {reach} {topic}" for reach, topic in unsent]
            try:
                # In one round trip, after its transactions.
                async with self._database.read_transaction() as connection:
                    await connection.execute(_SEND, {"channel": _CHANNEL, "payloads": payloads})
            except Exception:
                logger.exception("other processes can't be told of changes")

    async def _listen_forever(self) -> None:
        from psycopg import AsyncConnection

        # A connection of its own: one of the pool would go on listening.
        address = self._database.engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
        while True:
            try:
                async with await AsyncConnection.connect(address, autocommit=True) as connection:
                    await connection.execute(f"LISTEN {_CHANNEL}")
                    # Of what was told meanwhile, nobody here has heard.
                    self.notify_all()
                    async for notification in connection.notifies():
                        self._wake_for_payload(notification.payload)
            except Exception:
                logger.exception("changes of other processes can't be heard")
            await asyncio.sleep(_AGAIN_S)

    def _wake_for_payload(self, payload: str) -> None:
        origin, reach, topic = payload.split(" ", 2)
        if origin != self._origin:
            (super().notify_one if reach == _ONE else super().notify)(topic)

    def notify_all(self) -> None:
        """Wakes everybody in this process alone."""
        for topic in list(self._subscribers):
            super().notify(topic)
