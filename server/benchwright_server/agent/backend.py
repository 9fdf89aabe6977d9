"""The server that answers an agent: the language server of the editor that has the attempt open, or the agent's own."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
import uuid
from pathlib import Path
from typing import Any

from benchwright_foundation.operating_system import HAS_PRIVATE_SOCKETS
from benchwright_server.agent.attempt_socket import LONGEST, MCP_CLIENT, private_socket_path
from benchwright_server.errors import ServerError, WorkspaceError
from benchwright_server.workspaces.workspace import Workspace

_SERVER_SCRIPT = "from benchwright_server.cli import main; main()"
_ENDING_S = 10.0
"""Time in seconds that a language server may take to pause the clock and end."""


class Backend:
    """Answers what an agent asks about the attempt in a folder.

    Args:
        folder_in_workspace: A folder in the workspace.

    Raises:
        WorkspaceError: The folder is in no workspace.
    """

    def __init__(self, folder_in_workspace: Path) -> None:
        workspace = Workspace.find_containing(folder_in_workspace)
        if workspace is None:
            raise WorkspaceError(
                f"{folder_in_workspace} does not belong to an open problem. Open one with `benchwright open`, and start"
                " this in its folder."
            )
        self._workspace = workspace
        self._own_server: _OwnServer | None = None
        self._connection_id = uuid.uuid4().hex
        self._presence: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        """Open for as long as the agent is connected to the editor's server, so that it knows when the agent goes."""
        self._starting = asyncio.Lock()

    async def call_operation(self, operation_name: str, **params: Any) -> dict[str, Any]:
        """The result of an operation.

        Raises:
            ServerError: The operation was refused, or failed; the message is for the agent.
        """
        params["uri"] = self._workspace.folder.as_uri()
        # The editor may have opened the attempt, or let it go, since the last question.
        if self._own_server is None and (connection := await self._connect_to_editor_if_open()) is not None:
            await self._open_presence_connection_if_missing()
            request = {"operation": operation_name, "params": params, "connection": self._connection_id}
            return await _exchange_with_editor(*connection, request)
        async with self._starting:
            if self._own_server is None:
                self._own_server = await _OwnServer.start(self._workspace.folder)
        return await self._own_server.request(f"benchwright/{operation_name}", params)

    async def close(self) -> None:
        """Ends what was started for the agent; a running clock is paused."""
        if self._presence is not None:
            self._presence[1].close()
        if self._own_server is not None:
            await self._own_server.close()

    async def _connect_to_editor_if_open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter] | None:
        if not HAS_PRIVATE_SOCKETS:
            return None
        with contextlib.suppress(OSError):
            return await asyncio.open_unix_connection(
                private_socket_path(self._workspace.marker.attempt), limit=LONGEST
            )
        return None

    async def _open_presence_connection_if_missing(self) -> None:
        async with self._starting:
            if self._presence is not None and not self._presence[0].at_eof():
                return
            self._presence = await self._connect_to_editor_if_open()
            if self._presence is not None:
                self._presence[1].write(json.dumps({"connection": self._connection_id}).encode() + b"\n")


async def _exchange_with_editor(
    stream_reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: dict[str, Any]
) -> dict[str, Any]:
    try:
        writer.write(json.dumps(request).encode() + b"\n")
        await writer.drain()
        line = await stream_reader.readline()
    except (OSError, ValueError):
        line = b""
    finally:
        writer.close()
    if not line:
        raise ServerError("The editor that has this attempt open was closed. Try again.")
    return _result_or_raise(json.loads(line))


def _result_or_raise(reply: dict[str, Any]) -> dict[str, Any]:
    if "error" in reply:
        error = reply["error"]
        raise ServerError(error["message"] if isinstance(error, dict) else str(error))
    operation_result: dict[str, Any] = reply.get("result") or {}
    return operation_result


class _OwnServer:
    """A language server whose only client is the agent (LSP 3.17, base protocol)."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        if process.stdin is None or process.stdout is None:
            raise TypeError("the process has pipes")
        self._writer, self._reader = process.stdin, process.stdout
        self._pending_replies: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._number = 0
        self._listening = asyncio.create_task(self._settle_replies())

    @classmethod
    async def start(cls, workspace_folder: Path) -> _OwnServer:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", _SERVER_SCRIPT, "lsp"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            # An interrupt that is meant for the agent's program is not meant for it.
            start_new_session=True,
            limit=LONGEST,
        )
        language_server = cls(process)
        folders = [{"uri": workspace_folder.as_uri(), "name": workspace_folder.name}]
        parameters: dict[str, Any] = {
            "processId": os.getpid(),
            "clientInfo": {"name": MCP_CLIENT},
            "rootUri": None,
            "capabilities": {},
            "workspaceFolders": folders,
        }
        await language_server.request("initialize", parameters)
        await language_server._send_message({"method": "initialized", "params": {}})
        return language_server

    async def request(self, method: str, params: dict[str, Any] | None) -> dict[str, Any]:
        self._number += 1
        number = self._number
        future = self._pending_replies[number] = asyncio.get_running_loop().create_future()
        try:
            await self._send_message({"id": number, "method": method, "params": params})
            return _result_or_raise(await future)
        except (ConnectionError, EOFError):
            raise ServerError("Benchwright's language server has ended. Start this again.") from None
        except asyncio.CancelledError:
            with contextlib.suppress(ConnectionError):
                await self._send_message({"method": "$/cancelRequest", "params": {"id": number}})
            raise
        finally:
            del self._pending_replies[number]

    async def close(self) -> None:
        with contextlib.suppress(ServerError, TimeoutError):
            async with asyncio.timeout(_ENDING_S):
                await self.request("shutdown", None)
        with contextlib.suppress(ConnectionError):
            await self._send_message({"method": "exit"})
        try:
            async with asyncio.timeout(_ENDING_S):
                await self._process.wait()
        except TimeoutError:
            self._process.kill()
            await self._process.wait()
        self._listening.cancel()

    async def _send_message(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        await self._writer.drain()

    async def _settle_replies(self) -> None:
        try:
            while True:
                header_block = await self._reader.readuntil(b"\r\n\r\n")
                sizes = [line for line in header_block.split(b"\r\n") if line.lower().startswith(b"content-length:")]
                message = json.loads(await self._reader.readexactly(int(sizes[0].partition(b":")[2])))
                if "method" not in message:
                    if (future := self._pending_replies.get(message["id"])) is not None and not future.done():
                        future.set_result(message)
                elif "id" in message:
                    # It asks for settings, for example: there are none.
                    await self._send_message({"id": message["id"], "result": None})
        except (EOFError, OSError, ValueError):
            for future in self._pending_replies.values():
                if not future.done():
                    future.set_exception(EOFError())
