"""Check that a run that reached its time limit ever had the processor. Runs on Linux only.

A hang is the design's; a run that other programs kept from the processor says nothing about the design. What tells them
apart is how long the processes ran and how long they were ready to run but had to wait (`schedstat` of Linux). A design
can't feign the latter: processes of its own that crowd each other out together use the whole processor.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_LEAST_SHARE = 0.1
"""Share of the time limit below which a run had hardly any processor time."""
_WAITING_SHARE = 0.5
"""Share of the time limit above which a run waited for the processor, all its threads together."""


@dataclass(frozen=True)
class ProcessorTime:
    """Processor time of a process and all its descendants, in seconds."""

    ran_s: float
    waited_s: float
    """Ready to run, but another program had the processor."""

    def is_starved(self, wall_s: float) -> bool:
        """True if the machine, not the program, used up a time limit.

        Args:
            wall_s: The limit in seconds.
        """
        return self.ran_s < _LEAST_SHARE * wall_s and self.waited_s > _WAITING_SHARE * wall_s


def processor_time(pid: int) -> ProcessorTime:
    """Processor time of a process and its descendants until now; nothing where the system does not say."""
    ran_ns = waited_ns = 0
    ended_ticks = 0
    for process in process_folders(pid):
        # A process may end at any moment.
        with contextlib.suppress(OSError, ValueError, IndexError):
            stat_fields = (process / "stat").read_bytes().rpartition(b")")[2].split()
            # Of children that have ended: user and system time.
            ended_ticks += int(stat_fields[13]) + int(stat_fields[14])
            for thread in (process / "task").iterdir():
                thread_ran_ns, waited, _ = (thread / "schedstat").read_bytes().split()
                ran_ns, waited_ns = ran_ns + int(thread_ran_ns), waited_ns + int(waited)
    return ProcessorTime(ran_ns / 1e9 + ended_ticks / os.sysconf("SC_CLK_TCK"), waited_ns / 1e9)


def process_folders(pid: int) -> Iterator[Path]:
    """The folders below `/proc` of a process and all its descendants."""
    pending_pids = [str(pid)]
    while pending_pids:
        process = Path("/proc") / pending_pids.pop()
        yield process
        with contextlib.suppress(OSError):
            for thread in (process / "task").iterdir():
                pending_pids += (thread / "children").read_text().split()
