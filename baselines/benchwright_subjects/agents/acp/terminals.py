"""Terminals of an agent's client: commands that the launcher runs in the agent's own sandbox.

The launcher holds a connection ready and waits for a command on it; see `inside/launcher.py`. The agent has the
launcher's user and could answer in its place: it would deceive itself alone.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchwright_subjects.agents.acp.folder_access import AccessError
from benchwright_subjects.bridge.private_socket import private_socket

MOST_TERMINALS = 32
"""At a time."""
MOST_OUTPUT_BYTES = 1 << 20
"""Of one, from its end."""
_MOST_LINE_BYTES = 1 << 20
_MOST_READY = 4
_START_S = 10.0


@dataclass
class Terminal:
    """One command."""

    most_bytes: int
    writer: asyncio.StreamWriter
    output_bytes: bytearray = field(default_factory=bytearray)
    truncated: bool = False
    code: int | None = None
    """Exit status, negative for a signal; None while it runs."""
    end_event: asyncio.Event = field(default_factory=asyncio.Event)
    reading: asyncio.Task[None] | None = None

    @property
    def text(self) -> str:
        """The end of its output, from a whole character on."""
        return bytes(self.output_bytes).decode("utf-8", "ignore" if self.truncated else "replace")

    def append_output(self, output_chunk: bytes) -> None:
        """It has printed something."""
        self.output_bytes += output_chunk
        if len(self.output_bytes) > self.most_bytes:
            self.truncated = True
            del self.output_bytes[: len(self.output_bytes) - self.most_bytes]

    def kill(self) -> None:
        """End the command."""
        with contextlib.suppress(OSError, RuntimeError):
            self.writer.write_eof()


class Terminals:
    """The terminals of one agent."""

    def __init__(self) -> None:
        self._ready: asyncio.Queue[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = asyncio.Queue(_MOST_READY)
        self._open: dict[str, Terminal] = {}
        self._count = 0

    @classmethod
    @contextlib.asynccontextmanager
    async def listen_at(cls, address: Path, user_id: int | None) -> AsyncIterator[Terminals]:
        """Terminals behind a socket, which end with the block."""
        terminals = cls()
        with private_socket(address, user_id) as listener:
            server = await asyncio.start_unix_server(terminals._queue_connection, sock=listener, limit=_MOST_LINE_BYTES)
            try:
                yield terminals
            finally:
                server.close()
                terminals._close()

    async def start_command_and_get_terminal_name(
        self, argv: Sequence[str], env: Mapping[str, str], cwd: str, output_limit: int | None
    ) -> str:
        """Start a command.

        Returns:
            The terminal's name.

        Raises:
            AccessError: Too many terminals exist, or nothing starts commands any more.
        """
        if len(self._open) >= MOST_TERMINALS:
            raise AccessError(f"There can be {MOST_TERMINALS} terminals at a time. Release one.")
        self._count += 1
        name = f"terminal-{self._count}"
        try:
            async with asyncio.timeout(_START_S):
                stream_reader, writer = await self._ready.get()
                writer.write(json.dumps({"argv": list(argv), "env": dict(env), "cwd": cwd}).encode() + b"\n")
                await writer.drain()
        except (TimeoutError, ConnectionError):
            raise AccessError("No command can be started.") from None
        limit = MOST_OUTPUT_BYTES if output_limit is None else max(0, min(output_limit, MOST_OUTPUT_BYTES))
        terminal = self._open[name] = Terminal(limit, writer)
        terminal.reading = asyncio.create_task(_read_output_until_exit(terminal, stream_reader))
        return name

    def terminal(self, name: str) -> Terminal:
        """One of them.

        Raises:
            AccessError: No terminal has this name.
        """
        try:
            return self._open[name]
        except KeyError:
            raise AccessError("There is no such terminal.") from None

    def release(self, name: str) -> None:
        """End a command, and forget it."""
        self.terminal(name).kill()
        self._close_terminal(self._open.pop(name))

    def _queue_connection(self, stream_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            self._ready.put_nowait((stream_reader, writer))
        except asyncio.QueueFull:
            writer.close()

    @staticmethod
    def _close_terminal(terminal: Terminal) -> None:
        if terminal.reading is not None:
            terminal.reading.cancel()
        terminal.end_event.set()
        terminal.writer.close()

    def _close(self) -> None:
        for terminal in self._open.values():
            self._close_terminal(terminal)
        while not self._ready.empty():
            self._ready.get_nowait()[1].close()


async def _read_output_until_exit(terminal: Terminal, stream_reader: asyncio.StreamReader) -> None:
    try:
        while terminal.code is None and (line := await stream_reader.readline()):
            message = json.loads(line)
            terminal.append_output(str(message.get("out", "")).encode("latin-1", "replace"))
            if "code" in message:
                terminal.code = int(message["code"])
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        # Not the launcher's words.
        pass
    finally:
        if terminal.code is None:
            terminal.code = -9
        terminal.end_event.set()
        terminal.writer.close()
