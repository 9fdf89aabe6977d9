"""Answers agents that work on an attempt which an editor has open: one socket for each, one line of JSON a message."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable
from typing import Any

from pygls.exceptions import JsonRpcException

from benchwright_server.agent.address import IS_SUPPORTED, LONGEST, address_of
from benchwright_server.errors import FORESEEN, log_traceback

Respond = Callable[[str, Any], Awaitable[dict[str, Any]]]
"""The result of an operation for agents, by its name and parameters."""


class AgentSockets:
    """The sockets of one language server.

    Args:
        respond: Carries out what is asked.
    """

    def __init__(self, call_operation: Respond) -> None:
        self._respond = call_operation
        self._listening: dict[str, asyncio.Task[None]] = {}

    def listen_unless_listening(self, attempt_id: str) -> None:
        """Answers agents that work on an attempt, which this server has claimed."""
        if IS_SUPPORTED and attempt_id not in self._listening:
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
            address = address_of(attempt_id)
            # Of a server that was killed.
            address.unlink(missing_ok=True)
            listener = await asyncio.start_unix_server(self._answer_until_disconnected, address, limit=LONGEST)
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
        self, stream_reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        with contextlib.suppress(ConnectionError, ValueError):
            while line := await stream_reader.readline():
                writer.write(json.dumps(await self._reply_to_json_line(line)).encode() + b"\n")
                await writer.drain()
        writer.close()

    async def _reply_to_json_line(self, json_line: bytes) -> dict[str, Any]:
        try:
            message = json.loads(json_line)
            operation, params = str(message["operation"]), message["params"]
        except (ValueError, TypeError, KeyError, RecursionError):
            return {"error": "A message is a line of JSON with operation and params."}
        try:
            return {"result": await self._respond(operation, params)}
        except JsonRpcException as error:
            return {"error": error.message}
