"""A program and everything that it has started, on every operating system."""

from __future__ import annotations

import contextlib
import os
import signal
import sys


def kill_process_group(leader_pid: int) -> None:
    """Kill a program that was started with `start_new_session`, and all of its group.

    Args:
        leader_pid: Process id of the first process, which nobody has waited for yet: so the number is nobody else's.
    """
    if sys.platform == "win32":
        _kill_with_descendants(leader_pid)
        return
    with contextlib.suppress(ProcessLookupError):
        os.killpg(leader_pid, signal.SIGKILL)


def _kill_with_descendants(pid: int) -> None:
    """Windows has no such groups: kill the program, and what descends from it."""
    import psutil

    with contextlib.suppress(psutil.NoSuchProcess):
        first_process = psutil.Process(pid)
        for process in (first_process, *first_process.children(recursive=True)):
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
