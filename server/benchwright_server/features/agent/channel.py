"""Answers agents that work on an attempt which an editor has open: one socket for each, one line of JSON a message."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from pygls.exceptions import JsonRpcException

from benchwright_foundation.operating_system import HAS_PRIVATE_SOCKETS
from benchwright_server.agent.attempt_socket import LONGEST, private_socket_path
from benchwright_server.errors import FORESEEN, log_traceback

CallOperation = Callable[[str, Any, str], Awaitable[dict[str, Any]]]
"""The result of an operation for agents, by its name, its parameters, and the connection that asks (may be empty)."""
NoteDisconnected = Callable[[str, str], Awaitable[None]]
"""Takes the attempt and the connection of an agent that has gone away."""


class AgentSockets:
    """The sockets of one language server.

    Args:
        call_operation: Carries out what is asked.
        note_disconnected: Called when an agent has gone away.
    """

    def __init__(self, call_operation: CallOperation, note_disconnected: NoteDisconnected) -> None:
        self._call_operation = call_operation
        self._note_disconnected = note_disconnected
        self._listening: dict[str, asyncio.Task[None]] = {}

    def listen_unless_listening(self, attempt_id: str) -> None:
        """Answers agents that work on an attempt, which this server has claimed."""
        if HAS_PRIVATE_SOCKETS and attempt_id not in self._listening:
            self._listening[attempt_id] = asyncio.get_running_loop().create_task(
                self._serve_until_cancelled(attempt_id)
            )

    async def close(self) -> None:
        """Answers nobody any more."""
        for task in self._listening.values():
            task.cancel()
        await asyncio.gather(*self._listening.values(), return_exceptions=True)

    async def _serve_until_cancelled(self, attempt_id: str) -> None:
        try:
            address = private_socket_path(attempt_id)
            # Of a server that was killed.
            address.unlink(missing_ok=True)
            listener = await asyncio.start_unix_server(
                partial(self._answer_until_disconnected, attempt_id), address, limit=LONGEST
            )
        except (*FORESEEN, OSError) as error:
            # The editor works without agents.
            log_traceback(error)
            return
        try:
            async with listener:
                await listener.serve_forever()
        finally:
            with contextlib.suppress(OSError):
                address.unlink()

    async def _answer_until_disconnected(
        self, attempt_id: str, stream_reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        present_connections: set[str] = set()
        with contextlib.suppress(ConnectionError, ValueError):
            while line := await stream_reader.readline():
                if (connection := _connection_id_if_presence(line)) is not None:
                    present_connections.add(connection)
                    continue
                writer.write(json.dumps(await self._reply_to_json_line(line)).encode() + b"\n")
                await writer.drain()
        writer.close()
        for connection in present_connections:
            await self._note_disconnected(attempt_id, connection)

    async def _reply_to_json_line(self, json_line: bytes) -> dict[str, Any]:
        try:
            message = json.loads(json_line)
            operation, params = str(message["operation"]), message["params"]
        except (ValueError, TypeError, KeyError, RecursionError):
            return {"error": "A message is a line of JSON with operation and params."}
        try:
            return {"result": await self._call_operation(operation, params, str(message.get("connection", "")))}
        except JsonRpcException as error:
            return {"error": error.message}


def _connection_id_if_presence(json_line: bytes) -> str | None:
    """The connection that is there for as long as the stream is; None if the line asks for an operation."""
    try:
        message = json.loads(json_line)
    except (ValueError, RecursionError):
        return None
    is_presence = isinstance(message, dict) and message.keys() == {"connection"}
    return str(message["connection"]) if is_presence else None
