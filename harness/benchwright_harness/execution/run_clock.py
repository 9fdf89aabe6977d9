"""The clock of a run under a time limit: it stops while other programs have the processor. Runs on Linux only.

A design that blocks or loops reaches its limit on any machine, and one that other programs kept from the processor has
not had its time yet. What tells them apart is how long the threads of a run were ready to run but had no processor
(`schedstat` of Linux). What a process waited can't be read any more once it has exited, and a run is a chain of short
ones: so while a process of the run is ready, all time in which anything on the machine waited (`pressure` of Linux) and
the run did not work counts too. A design can't hold its clock for long by processes that crowd each other out: together
they use processor time, which is limited too.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

_MOST_WALL = 20
"""Multiple of the time limit after which a run that does not get the processor is given up."""
_CHUNK = 1 << 16
_PRESSURE = b"/proc/pressure/cpu"


@dataclass(frozen=True)
class ProcessTreeUsage:
    """Resources of a process and all its descendants."""

    resident_bytes: int
    ran_s: float
    """Processor time, also that of descendants that have ended."""
    waited_ns: Mapping[bytes, int] = field(default_factory=dict)
    """Thread → time since its start for which it was ready to run, but another had the processor. Empty where the
    system does not say."""
    is_ready: bool = False
    """True if a process of it runs, or is ready to run."""
    pressure_s: float = 0.0
    """Time since the machine's start in which anything on it waited for a processor; 0 where the system does not
    say."""


@dataclass
class RunClock:
    """Time that a run has had of its limit.

    Args:
        limit_s: The time limit in seconds.
        start_s: Beginning of the run, by `time.monotonic`.
        processors: Number of processors that the run may use.
    """

    limit_s: float
    start_s: float = field(default_factory=time.monotonic)
    processors: int = field(default_factory=lambda: len(os.sched_getaffinity(0)))
    waited_s: float = 0.0
    """Time so far in which it waited for the processor."""

    def __post_init__(self) -> None:
        self._now_s = self.start_s
        self._ran_s = 0.0
        self._waited_ns: Mapping[bytes, int] = {}
        self._pressure_s = _pressure_s()

    def advance(self, now_s: float, usage: ProcessTreeUsage) -> None:
        """Go on to a time.

        Of several threads the one that waited longest counts: what others wait for is often what it would do.
        """
        span_s = now_s - self._now_s
        waits_ns = (ns - self._waited_ns.get(thread, 0) for thread, ns in usage.waited_ns.items())
        waited_s = max(waits_ns, default=0) / 1e9
        if usage.is_ready:
            idle_s = span_s - (usage.ran_s - self._ran_s)
            waited_s = max(waited_s, min(idle_s, usage.pressure_s - self._pressure_s))
        self.waited_s += min(span_s, waited_s)
        self._now_s, self._ran_s, self._waited_ns = now_s, usage.ran_s, usage.waited_ns
        self._pressure_s = usage.pressure_s

    @property
    def left_s(self) -> float:
        """Wall time in seconds until the limit if it does not wait for the processor."""
        had_s = self._now_s - self.start_s - self.waited_s
        return self.limit_s - max(had_s, self._ran_s / self.processors)

    @property
    def is_given_up(self) -> bool:
        """True if it has waited for so long that it is not worth going on."""
        return self._now_s - self.start_s >= _MOST_WALL * self.limit_s


def usage_of_process_tree(pid: int) -> ProcessTreeUsage:
    """Resources that a process and its descendants use now; nothing of a process that has exited."""
    pages, ran_ns, ended_ticks, is_ready = 0, 0, 0, False
    waited_ns: dict[bytes, int] = {}
    pending_pids = [b"%d" % pid]
    while pending_pids:
        process = b"/proc/" + pending_pids.pop()
        # The process may end at any moment.
        with contextlib.suppress(OSError, ValueError, IndexError):
            pages += int(_read_first_chunk(process + b"/statm").split()[1])
            stat_fields = _read_first_chunk(process + b"/stat").rpartition(b")")[2].split()
            is_ready = is_ready or stat_fields[0] == b"R"
            # Of children that have ended: user and system time.
            ended_ticks += int(stat_fields[13]) + int(stat_fields[14])
            with os.scandir(process + b"/task") as threads:
                for thread in threads:
                    pending_pids += _read_first_chunk(thread.path + b"/children").split()
                    thread_ran_ns, thread_waited_ns, _ = _read_first_chunk(thread.path + b"/schedstat").split()
                    ran_ns += int(thread_ran_ns)
                    waited_ns[thread.path] = int(thread_waited_ns)
    ended_s = ended_ticks / os.sysconf("SC_CLK_TCK")
    return ProcessTreeUsage(
        pages * os.sysconf("SC_PAGE_SIZE"), ran_ns / 1e9 + ended_s, waited_ns, is_ready, _pressure_s()
    )


def _pressure_s() -> float:
    with contextlib.suppress(OSError, ValueError):
        # some avg10=0.00 avg60=0.00 avg300=0.00 total=0
        return int(_read_first_chunk(_PRESSURE).split(b"\n", 1)[0].rpartition(b"=")[2]) / 1e6
    return 0.0


def _read_first_chunk(file_path: bytes) -> bytes:
    handle = os.open(file_path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(handle, _CHUNK)
    finally:
        os.close(handle)
