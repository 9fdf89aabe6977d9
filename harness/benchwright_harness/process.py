"""One process group under limits, with every end told apart."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import stat
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO

import psutil
from benchwright_problems.problem import Limits

MAX_OUTPUT_BYTES = 16 * 1024**2
_POLL_S = 0.25
_CHUNK = 1 << 16


class End(StrEnum):
    """How a process group came to its end."""

    EXITED = "exited"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    FOLDER_QUOTA = "folder_quota"
    OUTPUT_QUOTA = "output_quota"


@dataclass(frozen=True)
class Ended:
    """The end of a step."""

    end: End
    exit_code: int
    """Negative: the signal that ended it."""
    wall_s: float


async def run_limited(
    argv: Sequence[str],
    *,
    env: Mapping[str, str],
    cwd: Path,
    limits: Limits,
    folder: Path,
    log: BinaryIO,
    uid: int | None = None,
    pass_fds: Sequence[int] = (),
) -> Ended:
    """Run a program in its own session and wait for it.

    Standard output and error go to `log`, at most `MAX_OUTPUT_BYTES` of them. However this
    coroutine ends, by the program's end, a limit, or cancellation, the whole group is killed
    and waited for first.

    Args:
        argv: Program and arguments.
        env: The whole environment.
        cwd: Working directory.
        limits: Wall time, resident memory of the process tree, and folder size are watched here.
        folder: The folder whose size is limited.
        log: Where output goes.
        uid: User and group to become; needs root.
        pass_fds: File descriptors that stay open in the program.
    """
    start = time.monotonic()
    process = await asyncio.create_subprocess_exec(
        *argv,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        cwd=cwd,
        env=dict(env),
        pass_fds=tuple(pass_fds),
        start_new_session=True,
        user=uid,
        group=uid,
        extra_groups=None if uid is None else (),
    )
    output = asyncio.create_task(_copy(_pipe(process), log))
    watch = asyncio.create_task(_watch(process.pid, limits, folder))
    exited = asyncio.create_task(process.wait())
    try:
        await asyncio.wait({watch, exited}, return_when=asyncio.FIRST_COMPLETED)
        while not exited.done() and not watch.done() and not output.done():
            await asyncio.wait({watch, exited, output}, return_when=asyncio.FIRST_COMPLETED)
        end = End.EXITED
        if watch.done() and not exited.done():
            end = watch.result()
    finally:
        watch.cancel()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        # A cancelled wait for the child would leave a zombie: shield it from a second cancel.
        await asyncio.shield(exited)
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(asyncio.shield(output), 2)
    return Ended(end, exited.result(), time.monotonic() - start)


def _pipe(process: asyncio.subprocess.Process) -> asyncio.StreamReader:
    if process.stdout is None:
        raise RuntimeError("the program was started without a pipe")
    return process.stdout


async def _copy(source: asyncio.StreamReader, log: BinaryIO) -> bool:
    left = MAX_OUTPUT_BYTES
    while chunk := await source.read(_CHUNK):
        log.write(chunk[:left])
        left -= len(chunk)
        if left < 0:
            return False
    return True


async def _watch(pid: int, limits: Limits, folder: Path) -> End:
    deadline = time.monotonic() + limits.wall_s
    while (left := deadline - time.monotonic()) > 0:
        await asyncio.sleep(min(_POLL_S, left))
        if resident_bytes(pid) > limits.memory_mb << 20:
            return End.MEMORY
        if folder_bytes(folder, limits.folder_mb << 20) > limits.folder_mb << 20:
            return End.FOLDER_QUOTA
    return End.TIMEOUT


def resident_bytes(pid: int) -> int:
    """Resident memory of a process and all its descendants."""
    total = 0
    with contextlib.suppress(psutil.Error):
        root = psutil.Process(pid)
        for process in [root, *root.children(recursive=True)]:
            with contextlib.suppress(psutil.Error):
                total += process.memory_info().rss
    return total


def folder_bytes(folder: Path, enough: int) -> int:
    """Disk space of a folder; stops counting beyond `enough`."""
    total = 0
    for parent, _, names in os.walk(folder, followlinks=False):
        for name in names:
            with contextlib.suppress(OSError):
                status = os.lstat(os.path.join(parent, name))  # noqa: PTH118 - a hot loop
                if stat.S_ISREG(status.st_mode):
                    total += status.st_blocks * 512
        if total > enough:
            break
    return total
