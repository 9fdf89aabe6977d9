"""The cost of each file of tests: wall time, processor time and outcomes, written where `./test` reads them."""

from __future__ import annotations

import json
import os
import resource
import time
from collections import defaultdict
from collections.abc import Generator
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
    """Of the test process and of the processes that it has waited for."""


class Costs:
    """Adds up what tests take; a plugin of pytest."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._costs: defaultdict[str, Cost] = defaultdict(
            lambda: {"passed": 0, "failed": 0, "skipped": 0, "wall_s": 0.0, "processor_s": 0.0}
        )

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Measures a test with its fixtures."""
        wall_s, processor_s = time.monotonic(), _processor_s()
        try:
            return (yield)
        finally:
            cost = self._costs[item.location[0]]
            cost["wall_s"] += time.monotonic() - wall_s
            cost["processor_s"] += _processor_s() - processor_s

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


def _processor_s() -> float:
    own_usage, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own_usage.ru_utime + own_usage.ru_stime + children.ru_utime + children.ru_stime
