"""Copies of the session of an agent that can continue in another sandbox, as the launcher in its sandbox makes them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

from benchwright_subjects.bridge.private_socket import Streams, first_connection
from benchwright_subjects.checkpoint import MOST_BYTES

_COPY_S = 10.0
"""Longest time to wait for one, in seconds."""
_LENGTH_BYTES = 8


class SessionCopies:
    """The connection to one launcher.

    Args:
        connected: Its streams.
    """

    def __init__(self, connected: asyncio.Future[Streams]) -> None:
        self._connected = connected
        self._has_failed = False

    @classmethod
    @contextlib.asynccontextmanager
    async def listen_at(cls, address: Path, user_id: int | None) -> AsyncIterator[SessionCopies]:
        """Listen for the launcher while the block lasts."""
        async with first_connection(address, user_id) as connected:
            yield cls(connected)

    async def request_copy(self) -> bytes | None:
        """The session as it is now; None if it is too large, or once the launcher has not answered."""
        if self._has_failed:
            return None
        try:
            async with asyncio.timeout(_COPY_S):
                stream_reader, writer = await asyncio.shield(self._connected)
                writer.write(b"\n")
                await writer.drain()
                length = int.from_bytes(await stream_reader.readexactly(_LENGTH_BYTES), "big")
                if length > 2 * MOST_BYTES:
                    raise ConnectionError("it is no launcher")
                return await stream_reader.readexactly(length) or None
        except (TimeoutError, EOFError, ConnectionError):
            self._has_failed = True
            return None
