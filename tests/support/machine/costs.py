"""The cost of each file of tests: wall time, processor time and outcomes, written where `./test` reads them.

Sandboxes, databases and browsers are ended without anybody waiting for them, so their processor time is in nobody's
`getrusage`. Where Linux lets a process make a control group, all that the tests start is counted; elsewhere, only what
they have waited for.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import resource
import time
from collections import defaultdict
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

import pytest

FOLDER = "BENCHWRIGHT_TEST_COSTS"
"""Names the folder that each process of a test run writes its file into; nothing is written without it."""


class Cost(TypedDict):
    """The cost of the tests of one file in one process."""

    passed: int
    failed: int
    skipped: int
    wall_s: float
    processor_s: float
    """Of the test process and of the processes that it has started."""


class Costs:
    """Adds up what tests take; a plugin of pytest."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._control_group = ControlGroup.make()
        if self._control_group is not None:
            self._control_group.enter()
        self._costs: defaultdict[str, Cost] = defaultdict(
            lambda: {"passed": 0, "failed": 0, "skipped": 0, "wall_s": 0.0, "processor_s": 0.0}
        )

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Measures a test with its fixtures."""
        wall_s, processor_s = time.monotonic(), self._processor_s()
        try:
            return (yield)
        finally:
            cost = self._costs[item.location[0]]
            cost["wall_s"] += time.monotonic() - wall_s
            cost["processor_s"] += self._processor_s() - processor_s

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Counts outcomes; a fixture that fails counts as a failed test."""
        cost = self._costs[report.location[0]]
        if report.failed:
            cost["failed"] += 1
        elif report.skipped:
            cost["skipped"] += 1
        elif report.when == "call":
            cost["passed"] += 1

    def pytest_sessionfinish(self) -> None:
        """Writes the file of this process."""
        if self._costs:
            (self._folder / f"{os.getpid()}.json").write_text(json.dumps(self._costs), encoding="utf-8")
        if self._control_group is not None:
            self._control_group.remove()

    def _processor_s(self) -> float:
        return self._control_group.processor_s if self._control_group is not None else _processor_s_of_waited()


@dataclass(frozen=True)
class ControlGroup:
    """A control group of Linux, which counts what its processes work, also after they have ended.

    Args:
        folder: Its folder in the file system of version 2.
    """

    folder: Path

    @classmethod
    def make(cls) -> ControlGroup | None:
        """A new group within that of this process; None where this process may not make one."""
        mounts = Path("/proc/self/mounts")
        with contextlib.suppress(OSError):
            mount = re.search(r"^\S+ (\S+) cgroup2 ", mounts.read_text(encoding="utf-8"), re.MULTILINE)
            own_path = re.search(r"^0::/(.*)$", Path("/proc/self/cgroup").read_text(encoding="utf-8"), re.MULTILINE)
            if mount and own_path:
                folder = Path(mount[1], own_path[1], f"benchwright-tests-{os.getpid()}")
                folder.mkdir()
                return cls(folder)
        return None

    def enter(self) -> None:
        """Moves this process, and what it starts from now on, into the group."""
        (self.folder / "cgroup.procs").write_text(str(os.getpid()), encoding="ascii")

    def remove(self) -> None:
        """Moves this process out of the group, and removes it if nothing else is in it."""
        with contextlib.suppress(OSError):
            (self.folder.parent / "cgroup.procs").write_text(str(os.getpid()), encoding="ascii")
            self.folder.rmdir()

    @property
    def processor_s(self) -> float:
        """Processor time of all its processes."""
        statistics = (self.folder / "cpu.stat").read_text(encoding="ascii").split()
        return int(statistics[statistics.index("usage_usec") + 1]) / 1e6


def _processor_s_of_waited() -> float:
    own_usage, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own_usage.ru_utime + own_usage.ru_stime + children.ru_utime + children.ru_stime
