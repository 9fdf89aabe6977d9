"""Test results that a harness leaves: cocotb's and pytest's JUnit XML.

The files come out of a sandbox in which a stranger's design ran: they are size-limited,
never followed through links, and parsed without entities.
"""

from __future__ import annotations

import itertools
import os
import re
import stat
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from benchwright_harness.foreign_folder import entries
from benchwright_harness.process import Output
from benchwright_harness.verdict import Model, TestResult

PYTEST_RESULTS = ".pytest-results.xml"

_MAX_FILES = 1000
_MAX_BYTES = 16 * 1024**2
_MAX_MESSAGE = 4000


_COUNTS = re.compile(rb"\*\* TESTS=\d+ PASS=\d+ FAIL=(\d+) SKIP=\d+")


class FailureWatch:
    """Passes output on, and counts the failures that cocotb's summaries in it speak of.

    A design can overwrite the result file when the simulation is over, but cannot unsay a line.

    Args:
        log: Where the output goes.
    """

    def __init__(self, log: Output) -> None:
        self._log = log
        self._line = b""
        self.failures = 0

    def write(self, content: bytes, /) -> int:
        """Take more output."""
        *lines, rest = (self._line + content).split(b"\n")
        self.failures += sum(int(found[1]) for line in lines if (found := _COUNTS.search(line)))
        self._line = rest[-_MAX_MESSAGE:]
        return self._log.write(content)


class Results(Model):
    """What was found below a run folder."""

    cocotb: tuple[TestResult, ...]
    """Tests of all cocotb simulations, in order of their files."""
    simulations: int
    """How many cocotb result files there were."""
    pytest: tuple[TestResult, ...]

    @property
    def shown(self) -> tuple[TestResult, ...]:
        """The finer of the two views that covers the whole run.

        A harness that simulates several times into one result file overwrites it; then only
        pytest knows of every simulation.
        """
        return self.cocotb if self.cocotb and self.simulations >= len(self.pytest) else self.pytest


def read_results(rundir: Path) -> Results:
    """Collect the results below `rundir`."""
    cocotb: dict[Path, list[TestResult]] = {}
    pytest: list[TestResult] = []
    for file in _xml_files(rundir):
        tests = _parse(file)
        if file.name == PYTEST_RESULTS:
            pytest += tests
        elif tests:
            cocotb[file.relative_to(rundir).parent / file.stem] = tests
    return Results(cocotb=tuple(_told_apart(cocotb)), simulations=len(cocotb), pytest=tuple(pytest))


def _told_apart(simulations: Mapping[Path, list[TestResult]]) -> Iterator[TestResult]:
    """All tests; those that ran in several simulations are named with the folder of theirs."""
    names = Counter(test.name for tests in simulations.values() for test in tests)
    for place, tests in simulations.items():
        folder = place.parent.as_posix() if place.name == "results" else place.as_posix()
        for test in tests:
            yield test if names[test.name] == 1 else test.model_copy(update={"name": f"{test.name} [{folder}]"})


def _xml_files(folder: Path) -> list[Path]:
    named = (entry for entry in entries(folder) if entry.name.endswith(".xml"))
    found = (Path(entry) for entry in named if entry.is_file(follow_symlinks=False))
    return sorted(itertools.islice(found, _MAX_FILES))


def _parse(file: Path) -> list[TestResult]:
    try:
        handle = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return []
    with os.fdopen(handle, "rb") as stream:
        status = os.fstat(stream.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_size > _MAX_BYTES:
            return []
        try:
            root = fromstring(stream.read(), forbid_dtd=True)
        except (ParseError, DefusedXmlException, LookupError, ValueError):
            return []
    return [_test(case) for case in root.iter("testcase") if case.find("skipped") is None]


def _test(case: Element) -> TestResult:
    problem = next((found for tag in ("failure", "error") if (found := case.find(tag)) is not None), None)
    if problem is None:
        return TestResult(name=case.get("name", ""), passed=True)
    message = problem.get("message") or problem.get("error_msg") or (problem.text or "")
    return TestResult(name=case.get("name", ""), passed=False, message=message.strip()[:_MAX_MESSAGE])
