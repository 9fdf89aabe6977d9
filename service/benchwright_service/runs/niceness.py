"""Work that lets others go first."""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import struct
import sys
from pathlib import Path

_NICE = 10
_SLICE_S = 0.1
"""The longest that Linux lets a process choose."""
_SCHED_SETATTR = {"x86_64": 314, "aarch64": 274}
"""The number of the system call, for which Python has no function."""
_ATTRIBUTES = struct.Struct("=IIQiIQQQ")
"""`struct sched_attr`: its size, policy, flags, niceness, priority, runtime, deadline, period."""
_SCHED_OTHER = 0


def lower_own_priority() -> None:
    """Gives this process, and all that it starts, a lower priority than the service's.

    Linux may schedule each session as a group of its own (`sched(7)`, autogroups), so the session gets it too if it is
    this process's own; one that a sandbox begins gets it by the sandbox.
    """
    nice = os.nice(_NICE)
    if os.getsid(0) == os.getpid():
        # There are no such groups, or the niceness of another one was just set.
        with contextlib.suppress(OSError):
            Path("/proc/self/autogroup").write_text(str(nice))
    _lengthen_own_slice(nice)


def _lengthen_own_slice(nice: int) -> None:
    """Lets what wakes up have this process's core at once.

    Niceness decides who gets how much, not when: what wakes up waits for the running process's slice to end, unless
    its own slice is shorter (Linux 6.12 and later; older ones take no notice).
    """
    number = _SCHED_SETATTR.get(platform.machine())
    if sys.platform == "linux" and number is not None:
        slice_ns = round(_SLICE_S * 1e9)
        attributes = _ATTRIBUTES.pack(_ATTRIBUTES.size, _SCHED_OTHER, 0, nice, 0, slice_ns, 0, 0)
        ctypes.CDLL(None).syscall(number, 0, attributes, 0)
