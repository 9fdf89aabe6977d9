"""Reading standard input on the event loop itself.

pygls reads it in a thread, three times for each message: six thread switches per keystroke.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import stat
import sys
from typing import BinaryIO

_READER_BUFFER_BYTES = 1 << 20
_WIDE_PIPE_BYTES = 1 << 20
"""Bytes; the largest pipe that Linux allows an unprivileged user."""


class PipeReader:
    """The reader from which pygls reads messages.

    Args:
        stream: Receives the bytes.
    """

    def __init__(self, stream: asyncio.StreamReader) -> None:
        self._stream = stream

    async def readline(self) -> bytes:
        """The next line; empty at the end of the stream."""
        try:
            return await self._stream.readline()
        except ValueError:
            # Too long for a header, so it is not a meaningful line.
            return b"\n"

    async def readexactly(self, n: int) -> bytes:
        """This many bytes; empty if the stream ends first.

        The handler of the message before begins first, so that it sees the documents as they were when it was asked.
        What is read ahead suspends nobody, and `asyncio` begins a coroutine in its next step.
        """
        await asyncio.sleep(0)
        try:
            return await self._stream.readexactly(n)
        except asyncio.IncompleteReadError:
            return b""


async def open_pipe_reader(stdin: BinaryIO) -> PipeReader:
    """Open a pipe or socket for reading."""
    stream = asyncio.StreamReader(limit=_READER_BUFFER_BYTES)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(stream), stdin)
    return PipeReader(stream)


def is_unshared_pipe(stdin: BinaryIO, stdout: BinaryIO) -> bool:
    """True if standard input is a pipe or socket, and not the one of standard output.

    If both shared one, non-blocking reads would make writes fail that would otherwise block.
    """
    try:
        stdin_stat, stdout_stat = os.fstat(stdin.fileno()), os.fstat(stdout.fileno())
    except (OSError, ValueError, AttributeError):
        return False
    is_shared = (stdin_stat.st_dev, stdin_stat.st_ino) == (stdout_stat.st_dev, stdout_stat.st_ino)
    return not is_shared and (stat.S_ISFIFO(stdin_stat.st_mode) or stat.S_ISSOCK(stdin_stat.st_mode))


def widen_pipe(stdout: BinaryIO) -> None:
    """Enlarge the pipe for long answers, so that a write does not wait for the client to read."""
    if sys.platform != "linux":
        return
    import fcntl

    # It may not be a pipe, and the user's pipes may already use all the memory that the kernel allows for them.
    with contextlib.suppress(OSError, ValueError):
        fcntl.fcntl(stdout.fileno(), fcntl.F_SETPIPE_SZ, _WIDE_PIPE_BYTES)
