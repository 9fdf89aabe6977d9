"""Work that lets others go first."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

_NICE = 10


def let_others_go_first() -> None:
    """Gives this process, and all that it starts, a lower priority than the service's.

    Linux may schedule each session as a group of its own (`sched(7)`, autogroups), so the session gets it too if it is
    this process's own; one that a sandbox begins gets it by the sandbox.
    """
    nice = os.nice(_NICE)
    if os.getsid(0) == os.getpid():
        # There are no such groups, or the niceness of another one was just set.
        with contextlib.suppress(OSError):
            Path("/proc/self/autogroup").write_text(str(nice))
