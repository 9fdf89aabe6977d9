"""The way from an editor's debugger to a test that waits for one in the sandbox.

Both ends are Unix sockets. What the test's side sends is the Debug Adapter Protocol without its requests: one of those,
`runInTerminal`, would let the test start programs outside the sandbox.
"""

from __future__ import annotations

import asyncio
import json
import stat
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TypeVar

from benchwright_foundation.distribution import install_command
from benchwright_harness.errors import DebuggerError

T = TypeVar("T")

PLACE = "/debugger"
"""Path of `debugpy` in the sandbox."""

_BLOCK = 1 << 16
_MAX_HEADER = 4096
_MAX_MESSAGE = 32 << 20
_LOOK_S = 0.05
_PATIENCE_S = 120.0
"""Time in which a debugger may come, in seconds."""


def debugpy_folder() -> Path:
    """The folder of the package `debugpy`.

    Raises:
        DebuggerError: The package is not installed.
    """
    spec = find_spec("debugpy")
    if spec is None or not spec.submodule_search_locations:
        raise DebuggerError("Debugging needs debugpy.", f"Install it: {install_command('debug')}.")
    return Path(spec.submodule_search_locations[0])


@dataclass(frozen=True)
class Debugging:
    """A debugger for a test.

    Args:
        package: The folder of `debugpy`, see `debugger`.
        on_open: Told of the Unix socket for an editor's debugger, once the test waits for it.
    """

    package: Path
    on_socket_open: Callable[[Path], None]

    async def run_with_debugger(self, test_run: Awaitable[T], inner_socket: Path) -> T:
        """The result of a run, which a debugger is let into meanwhile.

        Args:
            test_run: Run of the test.
            inner_socket: The socket that the test's side will listen at.

        Raises:
            DebuggerError: No debugger came; the run has been cancelled.
        """
        with tempfile.TemporaryDirectory(prefix="benchwright-debug-") as folder:
            run_task = asyncio.ensure_future(test_run)
            passing = asyncio.ensure_future(
                _connect_editor_to_test(inner_socket, Path(folder, "adapter.sock"), self.on_socket_open)
            )
            try:
                await asyncio.wait((run_task, passing), return_when=asyncio.FIRST_COMPLETED)
                if passing.done():
                    passing.result()
                return await run_task
            finally:
                run_task.cancel()
                passing.cancel()
                await asyncio.gather(run_task, passing, return_exceptions=True)


async def _connect_editor_to_test(inner_socket: Path, outer_socket: Path, on_open: Callable[[Path], None]) -> None:
    # There is no event for a socket in a folder.
    while not _is_socket(inner_socket):  # noqa: ASYNC110
        await asyncio.sleep(_LOOK_S)
    came: asyncio.Future[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = asyncio.get_running_loop().create_future()

    def on_connection(editor_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if came.done():
            writer.close()
        else:
            came.set_result((editor_reader, writer))

    server = await asyncio.start_unix_server(on_connection, outer_socket)
    try:
        on_open(outer_socket)
        try:
            async with asyncio.timeout(_PATIENCE_S):
                editor, to_editor = await came
        except TimeoutError:
            raise DebuggerError(
                f"No debugger came within {_PATIENCE_S:g} s, so the test was stopped.", "Start it again."
            ) from None
        test_reader, to_test = await asyncio.open_unix_connection(inner_socket)
        try:
            await asyncio.gather(_copy_stream(editor, to_test), copy_events_and_responses(test_reader, to_editor))
        finally:
            to_test.close()
            to_editor.close()
    except OSError:
        # One side has gone: the run's outcome says the rest.
        pass
    finally:
        server.close()


def _is_socket(path: Path) -> bool:
    # The test can put links there.
    try:
        return stat.S_ISDIR(path.parent.lstat().st_mode) and stat.S_ISSOCK(path.lstat().st_mode)
    except OSError:
        return False


async def _copy_stream(source: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await source.read(_BLOCK):
        writer.write(data)
        await writer.drain()
    writer.write_eof()


async def copy_events_and_responses(source: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Passes the messages of the Debug Adapter Protocol on, but for requests and what is none; ends at either."""
    while (body := await _next_message_body(source)) is not None:
        try:
            kind = json.loads(body).get("type")
        except (ValueError, AttributeError, RecursionError):
            return
        if kind in ("event", "response"):
            writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
            await writer.drain()


async def _next_message_body(source: asyncio.StreamReader) -> bytes | None:
    """The body of the next message; None at the end, or where it is not the protocol."""
    try:
        header = await source.readuntil(b"\r\n\r\n")
        if len(header) > _MAX_HEADER:
            return None
        header_fields = dict(line.split(b":", 1) for line in header.lower().split(b"\r\n") if b":" in line)
        length = int(header_fields[b"content-length"])
        return await source.readexactly(length) if 0 <= length <= _MAX_MESSAGE else None
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, KeyError, ValueError):
        return None
