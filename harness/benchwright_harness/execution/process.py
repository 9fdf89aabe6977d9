"""One process group under limits, with each kind of end distinguished. Runs on Linux only."""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from io import BytesIO, FileIO
from pathlib import Path
from typing import Any, Protocol

from benchwright_foundation.process_group import kill_process_group
from benchwright_foundation.untrusted_folder import disk_bytes_until_exceeding
from benchwright_harness.execution.run_clock import RunClock, usage_of_process_tree
from benchwright_harness.inside.guard import landlock
from benchwright_problems.problem import RunLimits

MAX_OUTPUT_BYTES = 16 * 1024**2
_MEMORY_POLL_S = 0.25
_CALM_POLL_S = 0.5
"""While it uses less than a quarter of its memory limit."""
_FOLDER_POLL_S = 1.0
_CHUNK = 1 << 16
# Simulators print line by line: waking up for each line costs more than handling it.
_GATHER_S = 0.5
_PIPE_BYTES = 1 << 20
_BUSY_BYTES = 1 << 15
_TURN_BYTES = 1 << 18
_SILENCE_S = 2.0
_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache")
_PATIENCE = 10
"""Number of such intervals with new output that may pass after a program has ended."""


class ProcessEnd(StrEnum):
    """End of a process group."""

    EXITED = "exited"
    TIMEOUT = "timeout"
    STARVED = "starved"
    """Other programs kept it from the processor for so long that it was given up."""
    MEMORY = "memory"
    FOLDER_QUOTA = "folder_quota"
    OUTPUT_QUOTA = "output_quota"


class OutputReceiver(Protocol):
    """Receives a program's output."""

    def write(self, content: bytes, /) -> int:
        """Take the next bytes."""
        ...


@dataclass(frozen=True)
class FileAccess:
    """The files and folders that a program may open, besides the system's libraries."""

    read: tuple[Path, ...]
    write: tuple[Path, ...]


@dataclass(frozen=True)
class StepEnd:
    """The end of a step."""

    end: ProcessEnd
    exit_code: int
    """Negative: the signal that ended it."""
    wall_s: float
    waited_s: float = 0.0
    """Part of the wall time in which it was ready to run, but other programs had the processor."""
    memory_bytes: int = 0
    """Resident memory of all its processes together, at the highest measured."""
    reports: bytes = b""
    """Reports of the supervisor inside; empty if there was none."""
    remarks: tuple[str, ...] = ()
    """Remarks that a reader of the verdict must know about where it ran."""


async def run_within_limits(
    argv: Sequence[str],
    *,
    env: Mapping[str, str],
    cwd: Path,
    limits: RunLimits,
    limited_folder: Path,
    log: OutputReceiver,
    file_access: FileAccess | None = None,
) -> StepEnd:
    """Run a program in its own session and wait for it.

    Standard output and error go to `log`, at most `MAX_OUTPUT_BYTES` of them. However this
    coroutine ends, by the program's end, a limit, or cancellation, the whole group is killed
    and waited for first.

    Args:
        argv: Program and arguments.
        env: The whole environment.
        cwd: Working directory.
        limits: Wall time, resident memory of the process tree, and folder size are watched here.
        limited_folder: The folder whose size is limited.
        log: Destination of the output.
        file_access: All that it may open, as far as the kernel can keep it to that; everything if it is not given.
    """
    program = Program(argv, env=env, cwd=cwd, file_access=file_access)
    return await program.run_to_end(limits=limits, limited_folder=limited_folder, log=log)


def _start_with_file_access(
    start_process: Callable[[], subprocess.Popen[bytes]], file_access: FileAccess
) -> subprocess.Popen[bytes]:
    """Start a process in a thread that has given up all other files: Landlock binds threads and what they start."""

    def give_up_files() -> None:
        landlock.restrict_to_files(
            readable=[*_LIBRARIES, *map(os.fspath, file_access.read)],
            writable=[os.devnull, *map(os.fspath, file_access.write)],
        )

    with ThreadPoolExecutor(1, initializer=give_up_files) as thread:
        return thread.submit(start_process).result()


class Program:
    """A program started in a session of its own, to be waited for later.

    The caller has to `finish` or `kill` it.

    Args:
        argv: Program and arguments.
        env: The whole environment.
        cwd: Working directory.
        inherited_fds: File descriptors that stay open in the program.
        reports_on_stderr: True if it reads a request from standard input, and writes reports, not output, to
            standard error.
        file_access: All that it may open; everything if it is not given.
    """

    def __init__(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str],
        cwd: Path,
        inherited_fds: Sequence[int] = (),
        reports_on_stderr: bool = False,
        file_access: FileAccess | None = None,
    ) -> None:
        with contextlib.ExitStack() as theirs, contextlib.ExitStack() as undo:
            self._output, sink = _open_pipe(theirs, undo)
            self._reports: _OutputPipe | None = None
            self._request: FileIO | None = None
            stdin, stderr = subprocess.DEVNULL, subprocess.STDOUT
            if reports_on_stderr:
                self._reports, stderr = _open_pipe(theirs, undo)
                stdin, write_handle = os.pipe()
                theirs.callback(os.close, stdin)
                self._request = undo.enter_context(FileIO(write_handle, "wb"))

            def start() -> subprocess.Popen[bytes]:
                return subprocess.Popen(
                    argv,
                    stdin=stdin,
                    stdout=sink,
                    stderr=stderr,
                    cwd=cwd,
                    env=dict(env),
                    pass_fds=tuple(inherited_fds),
                    start_new_session=True,
                )

            self._process = start() if file_access is None else _start_with_file_access(start, file_access)
            undo.pop_all()
        loop = asyncio.get_running_loop()
        self._exited: asyncio.Future[int] = loop.create_future()
        self._handle = os.pidfd_open(self._process.pid)
        loop.add_reader(self._handle, self._on_exit)

    def _on_exit(self) -> None:
        self._exited.get_loop().remove_reader(self._handle)
        os.close(self._handle)
        # Until its first process is waited for, no other group can have its number.
        self._kill_group()
        self._exited.set_result(self._process.wait())

    @property
    def pid(self) -> int:
        """Of the first process."""
        return self._process.pid

    @property
    def is_running(self) -> bool:
        """True if its first process has not ended, noticed or not."""
        if self._exited.done():
            return False
        exit_poll = select.poll()
        exit_poll.register(self._handle, select.POLLIN)
        return not exit_poll.poll(0)

    async def kill(self) -> None:
        """End it and all of its group, and wait for that."""
        self._kill_group()
        self._close_pipes()
        # A cancelled wait for the child would leave a zombie.
        await asyncio.shield(self._exited)

    async def run_to_end(
        self, *, limits: RunLimits, limited_folder: Path, log: OutputReceiver, stdin_bytes: bytes = b""
    ) -> StepEnd:
        """Wait for its end, or until it exceeds a limit; see `run_within_limits`.

        Args:
            limits: Time counts from now, but while other programs keep it from the processor.
            limited_folder: The folder whose size is limited.
            log: Destination of the output.
            stdin_bytes: Sent to its standard input.
        """
        run_clock = RunClock(limits.wall_s)
        reported = BytesIO()
        output = self._output.start_copying(log)
        copied = {output} | ({self._reports.start_copying(reported)} if self._reports else set())
        memory = _PeakMemory()
        watch = asyncio.create_task(_await_end_or_limit(self.pid, limits, limited_folder, memory, run_clock))
        try:
            await self._send_input(stdin_bytes)
            end_futures: list[asyncio.Future[Any]] = [watch, self._exited]
            await asyncio.wait([*end_futures, output], return_when=asyncio.FIRST_COMPLETED)
            if output.done() and output.result():
                # It closed its output, but runs on.
                await asyncio.wait(end_futures, return_when=asyncio.FIRST_COMPLETED)
            end = (
                ProcessEnd.EXITED
                if self._exited.done()
                else watch.result()
                if watch.done()
                else ProcessEnd.OUTPUT_QUOTA
            )
        finally:
            watch.cancel()
            self._kill_group()
            # A cancelled wait for the child would leave a zombie.
            await asyncio.shield(self._exited)
            self._output.stop_gathering()
            if self._reports:
                self._reports.stop_gathering()
            await self._await_copied_output(copied)
            self._close_pipes()
        exit_code = self._exited.result()
        wall_s = time.monotonic() - run_clock.start_s
        return StepEnd(end, exit_code, wall_s, run_clock.waited_s, memory.highest_bytes, reported.getvalue())

    async def _await_copied_output(self, copies: set[asyncio.Future[bool]]) -> None:
        # Without a sandbox, a process that left the group may keep a pipe open indefinitely, and write to it.
        pipes = [pipe for pipe in (self._output, self._reports) if pipe is not None]
        bytes_left: list[int] = []
        for _ in range(_PATIENCE):
            if bytes_left == (bytes_left := [pipe.bytes_left for pipe in pipes]):
                break
            if not (await asyncio.wait(copies, timeout=_SILENCE_S))[1]:
                break

    async def _send_input(self, stdin_bytes: bytes) -> None:
        if self._request is not None:
            # asyncio closes it from now on, at the latest when the reader has exited.
            pipe, self._request = self._request, None
            transport, _ = await self._exited.get_loop().connect_write_pipe(asyncio.BaseProtocol, pipe)
            transport.write(stdin_bytes)
            transport.close()

    def _kill_group(self) -> None:
        if not self._exited.done():
            kill_process_group(self.pid)

    def _close_pipes(self) -> None:
        for pipe in (self._output, self._reports, self._request):
            if pipe is not None:
                pipe.close()


class _OutputPipe:
    """Our end of a pipe that a program writes to."""

    def __init__(self, file_descriptor: int) -> None:
        os.set_blocking(file_descriptor, False)
        self._file = FileIO(file_descriptor, "rb")
        self._loop = asyncio.get_running_loop()
        self._copied: asyncio.Future[bool] = self._loop.create_future()
        self._gathering: asyncio.TimerHandle | None = None
        self._gathers = True
        self.bytes_left = MAX_OUTPUT_BYTES
        """Bytes that may still be copied."""

    def start_copying(self, receiver: OutputReceiver) -> asyncio.Future[bool]:
        """Start copying; done at the pipe's end, with false if there is more than may be copied."""
        self._sink = receiver
        self._loop.add_reader(self._file, self._read)
        return self._copied

    def stop_gathering(self) -> None:
        """Stop gathering output: the program has ended."""
        self._gathers = False
        if self._gathering is not None:
            self._read()

    def close(self) -> None:
        """Stop copying."""
        if not self._file.closed:
            self._stop_reading()
            self._file.close()

    def _read(self) -> None:
        taken_bytes = 0
        try:
            while taken_bytes < _TURN_BYTES and (chunk := self._file.read(_CHUNK)) is not None:
                self._sink.write(chunk[: self.bytes_left])
                taken_bytes += len(chunk)
                self.bytes_left -= len(chunk)
                if not chunk or self.bytes_left < 0:
                    self._stop_reading()
                    self._copied.set_result(not chunk)
                    return
        except Exception as error:
            self._stop_reading()
            self._copied.set_exception(error)
            return
        if self._gathers and 0 < taken_bytes < _BUSY_BYTES:
            if self._gathering is None:
                self._loop.remove_reader(self._file)
            self._gathering = self._loop.call_later(_GATHER_S, self._read)
        elif self._gathering is not None:
            self._stop_reading()
            self._loop.add_reader(self._file, self._read)

    def _stop_reading(self) -> None:
        self._loop.remove_reader(self._file)
        if self._gathering is not None:
            self._gathering.cancel()
            self._gathering = None


def _open_pipe(child_end_closers: contextlib.ExitStack, undo_stack: contextlib.ExitStack) -> tuple[_OutputPipe, int]:
    """A pipe, and the end to write to, which closes with `child_end_closers`.

    With a pipe of asyncio's own, waiting for a program's end also waits until nobody holds the
    pipe any more and everything in it has been read.
    """
    import fcntl

    read_handle, sink = os.pipe()
    child_end_closers.callback(os.close, sink)
    # So that the program need not wait for us to read; a user with many pipes may not have such large ones.
    with contextlib.suppress(OSError):
        fcntl.fcntl(read_handle, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
    pipe = _OutputPipe(read_handle)
    undo_stack.callback(pipe.close)
    return pipe, sink


async def _await_end_or_limit(
    pid: int, limits: RunLimits, limited_folder: Path, memory: _PeakMemory, run_clock: RunClock
) -> ProcessEnd:
    measured_s = run_clock.start_s
    quota, memory_limit = limits.folder_mb << 20, limits.memory_mb << 20
    resident_bytes = 0
    while (end := end_if_time_is_up(run_clock)) is None:
        await asyncio.sleep(
            min(_CALM_POLL_S if resident_bytes * 4 < memory_limit else _MEMORY_POLL_S, run_clock.left_s)
        )
        usage, now_s = usage_of_process_tree(pid), time.monotonic()
        run_clock.advance(now_s, usage)
        resident_bytes = usage.resident_bytes
        memory.highest_bytes = max(memory.highest_bytes, resident_bytes)
        if resident_bytes > memory_limit:
            return ProcessEnd.MEMORY
        if now_s - measured_s >= _FOLDER_POLL_S:
            # In a thread: a folder full of small files takes a while, and an editor is waiting.
            if await asyncio.to_thread(disk_bytes_until_exceeding, limited_folder, quota) > quota:
                return ProcessEnd.FOLDER_QUOTA
            measured_s = time.monotonic()
    return end


def end_if_time_is_up(run_clock: RunClock) -> ProcessEnd | None:
    """The end of a run by its clock; None if it may go on."""
    if run_clock.left_s <= 0:
        return ProcessEnd.TIMEOUT
    return ProcessEnd.STARVED if run_clock.is_given_up else None


@dataclass
class _PeakMemory:
    highest_bytes: int = 0
