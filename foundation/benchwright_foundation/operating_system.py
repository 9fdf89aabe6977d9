"""What differs between operating systems where programs start and end, and where they talk to each other."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from collections.abc import Mapping

PROGRAM_SUFFIX = ".exe" if sys.platform == "win32" else ""
"""The end of the name of every program."""

LOOPS_READ_PIPES = sys.platform != "win32"
"""True if event loops can read a pipe that was not opened for asynchronous reading."""

HAS_PRIVATE_SOCKETS = sys.platform != "win32" and hasattr(socket, "AF_UNIX")
"""True if a socket can be a file in a folder that only its user can enter."""

MINIMAL_ENVIRONMENT: Mapping[str, str] = {"LANG": "C.UTF-8", "PATH": "/usr/bin:/bin"} | {
    name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ
}
"""Environment of a program that gets nothing of the user's. Windows can't start programs without its `SYSTEMROOT`."""


def termination_event() -> asyncio.Event:
    """An event of the running loop that SIGTERM and Ctrl+C set, instead of ending this process."""
    loop, end_event = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        # Loops have handlers of their own, but not on Windows.
        signal.signal(number, lambda *_: loop.call_soon_threadsafe(end_event.set))
    return end_event
