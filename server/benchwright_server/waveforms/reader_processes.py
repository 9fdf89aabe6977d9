"""The readers of waveforms: one process for each open file, a bounded number of them."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import json
import os
import sys
from collections.abc import Awaitable
from pathlib import Path
from typing import Any, TypeVar

from benchwright_foundation.errors import ExtraMissingError
from benchwright_foundation.operating_system import MINIMAL_ENVIRONMENT
from benchwright_server.errors import WaveformError
from benchwright_server.waveforms.reader import MEMORY_BYTES

_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from benchwright_server.waveforms.reader import serve; serve()"
)
"""The search path is handed over, so that nothing in the working directory is imported."""
_MOST = 4
_IDLE_S = 600.0
_PATIENCE_S = 120.0
_LONGEST_ANSWER = 1 << 27

T = TypeVar("T")


class Readers:
    """The open waveforms of one client."""

    def __init__(self) -> None:
        self._readers: dict[Path, _ReaderProcess] = {}

    async def call_method(self, waveform_file: Path, method_name: str, **arguments: Any) -> Any:
        """The result of a method of `WaveformFile` for a file, which is opened first if it has to be.

        Raises:
            ExtraMissingError: The library that reads waveforms is not installed.
            WaveformError: The file can't be read, or what was asked can't be answered.
        """
        waveform_reader = await self._start_or_reuse_reader(waveform_file)
        try:
            return await waveform_reader.call_method(method_name, arguments)
        finally:
            if waveform_reader.is_dead and self._readers.get(waveform_file) is waveform_reader:
                del self._readers[waveform_file]

    def close(self, waveform_file: Path) -> None:
        """End the reader of a file, if there is one."""
        waveform_reader = self._readers.pop(waveform_file, None)
        if waveform_reader is not None:
            waveform_reader.kill()

    def close_all(self) -> None:
        """End all of them."""
        for path in tuple(self._readers):
            self.close(path)

    async def _start_or_reuse_reader(self, waveform_file: Path) -> _ReaderProcess:
        stamp = await asyncio.to_thread(_file_stamp, waveform_file)
        waveform_reader = self._readers.pop(waveform_file, None)
        if waveform_reader is not None and (waveform_reader.is_dead or waveform_reader.stamp != stamp):
            waveform_reader.kill()
            waveform_reader = None
        if waveform_reader is None:
            if importlib.util.find_spec("pywellen") is None:
                raise ExtraMissingError("Waveforms", "waves")
            waveform_reader = _ReaderProcess(waveform_file, stamp, lambda: self.close(waveform_file))
        # The last is the one that was used last.
        self._readers[waveform_file] = waveform_reader
        while len(self._readers) > _MOST:
            self.close(next(iter(self._readers)))
        return waveform_reader


class _ReaderProcess:
    """One process; it starts with the first question."""

    def __init__(self, path: Path, file_stamp: tuple[int, ...], on_idle: Any) -> None:
        self.path = path
        self.stamp = file_stamp
        self.is_dead = False
        self._on_idle = on_idle
        self._turn = asyncio.Lock()
        self._process: asyncio.subprocess.Process | None = None
        self._idle: asyncio.TimerHandle | None = None

    async def call_method(self, method_name: str, arguments: dict[str, Any]) -> Any:
        # Who gives up waiting leaves the process usable: its answer is read anyway.
        return await _finish_uninterrupted(self._call_in_turn(method_name, arguments))

    async def _call_in_turn(self, method_name: str, arguments: dict[str, Any]) -> Any:
        async with self._turn:
            self._require_alive()
            self._restart_idle_timer(None)
            try:
                async with asyncio.timeout(_PATIENCE_S):
                    reply = await self._send_and_receive({"ask": method_name, **arguments})
            except TimeoutError:
                self.kill()
                raise WaveformError(
                    f"Reading {self.path.name} took more than {_PATIENCE_S:.0f} s. "
                    "Dump a part of the design, or a shorter time."
                ) from None
            except BaseException:
                self.kill()
                raise
            self._require_alive()
            self._restart_idle_timer(_IDLE_S)
        if "fatal" in reply:
            self.kill()
            raise WaveformError(self._unreadable_message(reply["fatal"]))
        if "error" in reply:
            raise WaveformError(reply["error"])
        return reply["result"]

    def _require_alive(self) -> None:
        if self.is_dead:
            raise WaveformError(f"{self.path.name} was closed. Open it again.")

    async def _send_and_receive(self, question: dict[str, Any]) -> dict[str, Any]:
        process = self._process = self._process or await self._start_process()
        if process.stdin is None or process.stdout is None:
            raise WaveformError(self._unreadable_message(""))
        with contextlib.suppress(ConnectionError):
            process.stdin.write(json.dumps(question).encode() + b"\n")
            await process.stdin.drain()
        try:
            line = await process.stdout.readline()
            reply: dict[str, Any] = json.loads(line) if line else {"fatal": ""}
        except ValueError:
            reply = {"fatal": ""}
        return reply

    async def _start_process(self) -> asyncio.subprocess.Process:
        search_path = [entry for entry in sys.path if Path(entry).is_absolute()]
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", "-c", _START, json.dumps(search_path), os.fspath(self.path)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=MINIMAL_ENVIRONMENT,
            limit=_LONGEST_ANSWER,
        )

    def _restart_idle_timer(self, idle_s: float | None) -> None:
        if self._idle is not None:
            self._idle.cancel()
        loop = asyncio.get_running_loop()
        self._idle = loop.call_later(idle_s, self._on_idle) if idle_s is not None else None

    def kill(self) -> None:
        """End the process; what waits for it fails."""
        self.is_dead = True
        if self._idle is not None:
            self._idle.cancel()
        if self._process is not None and self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()

    def _unreadable_message(self, reason: str) -> str:
        reason_text = f" ({reason})" if reason and reason != "memory" else ""
        return (
            f"{self.path.name} can't be read as a waveform{reason_text}: it is damaged, unfinished, or needs more than "
            f"{MEMORY_BYTES >> 30} GB of memory. Run the test again, or dump a part of the design."
        )


async def _finish_uninterrupted(awaitable: Awaitable[T]) -> T:
    shielded_task = asyncio.ensure_future(awaitable)
    shielded_task.add_done_callback(lambda ended_task: ended_task.cancelled() or ended_task.exception())
    return await asyncio.shield(shielded_task)


def _file_stamp(path: Path) -> tuple[int, ...]:
    try:
        status = path.stat()
    except OSError as error:
        raise WaveformError(f"{path.name} can't be read: {error.strerror}. Run the test again.") from None
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
