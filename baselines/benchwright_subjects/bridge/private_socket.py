"""A Unix socket that one sandbox can connect to, and nobody else."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@contextlib.contextmanager
def private_socket(address: Path, user_id: int | None) -> Iterator[socket.socket]:
    """Bound to an address; closed at the end of the block.

    Args:
        address: Path at which it is made.
        user_id: User who may connect besides this process; None if that is who it runs as.
    """
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(address))
        address.chmod(0o600)
        if user_id is not None:
            os.chown(address, user_id, user_id)
        yield listener


@contextlib.asynccontextmanager
async def first_connection(
    address: Path, user_id: int | None, most_line_bytes: int = 1 << 16
) -> AsyncIterator[asyncio.Future[Streams]]:
    """The first connection to a private socket, and no other one."""
    first_streams: asyncio.Future[Streams] = asyncio.get_running_loop().create_future()

    def connected(stream_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server.close()
        if first_streams.done():
            writer.close()
        else:
            first_streams.set_result((stream_reader, writer))

    with private_socket(address, user_id) as listener:
        server = await asyncio.start_unix_server(connected, sock=listener, limit=most_line_bytes)
        try:
            yield first_streams
        finally:
            server.close()
            if first_streams.done() and not first_streams.cancelled():
                first_streams.result()[1].close()
