"""A client of the Debug Adapter Protocol, as an editor's debugger is one."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

_PATIENCE_S = 60.0


class DebugClient:
    """One session."""

    def __init__(self, stream_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = stream_reader
        self._writer = writer
        self._sent_count = 0
        self._messages: list[dict[str, Any]] = []
        self._arrival = asyncio.Event()

    async def ask(self, command: str, **arguments: Any) -> dict[str, Any]:
        """The body of the answer to a request."""
        number = self.send(command, **arguments)
        response = await self._first(lambda message: message["type"] == "response" and message["request_seq"] == number)
        assert response["success"], response
        body: dict[str, Any] = response.get("body") or {}
        return body

    def send(self, command: str, **arguments: Any) -> int:
        """Sends a request, and does not wait."""
        self._sent_count += 1
        message = {"seq": self._sent_count, "type": "request", "command": command, "arguments": arguments}
        body = json.dumps(message).encode()
        self._writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        return self._sent_count

    async def event(self, name: str) -> dict[str, Any]:
        """The body of the next event of a name; those before it are forgotten."""
        event_message = await self._first(lambda message: message["type"] == "event" and message["event"] == name)
        body: dict[str, Any] = event_message.get("body") or {}
        return body

    async def read(self) -> None:
        """Reads to the end."""
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                header = await self._reader.readuntil(b"\r\n\r\n")
                length = int(header.split(b":")[1])
                self._messages.append(json.loads(await self._reader.readexactly(length)))
                self._arrival.set()

    async def _first(self, matches: Any) -> dict[str, Any]:
        async with asyncio.timeout(_PATIENCE_S):
            while True:
                for message in self._messages:
                    if matches(message):
                        self._messages.remove(message)
                        return message
                self._arrival.clear()
                await self._arrival.wait()


@asynccontextmanager
async def debug_client(socket: str) -> AsyncIterator[DebugClient]:
    """A client at a Unix socket."""
    stream_reader, writer = await asyncio.open_unix_connection(socket)
    adapter_client = DebugClient(stream_reader, writer)
    reading = asyncio.create_task(adapter_client.read())
    try:
        yield adapter_client
    finally:
        reading.cancel()
        writer.close()
