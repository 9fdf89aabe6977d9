"""`python port_forwarder.py LISTENER PORT`: passes connections on to a port of the loopback where this runs.

The listener, an open file of its parent, may belong to another network namespace than this.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import sys

_CHUNK_BYTES = 1 << 16


async def _copy_stream(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while chunk := await reader.read(_CHUNK_BYTES):
            writer.write(chunk)
            await writer.drain()
        writer.write_eof()


async def _forward_connections(listener: socket.socket, target_port: int) -> None:
    async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.closing(writer), contextlib.suppress(OSError):
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", target_port)
            with contextlib.closing(far_writer):
                await asyncio.gather(_copy_stream(reader, far_writer), _copy_stream(far_reader, writer))

    forwarding_tasks: set[asyncio.Task[None]] = set()

    def begin(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # Nothing else holds them.
        forwarding_tasks.add(task := asyncio.create_task(pass_on(reader, writer)))
        task.add_done_callback(forwarding_tasks.discard)

    server = await asyncio.start_server(begin, sock=listener)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_forward_connections(socket.socket(fileno=int(sys.argv[1])), int(sys.argv[2])))
