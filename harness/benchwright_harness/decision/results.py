"""Test results of a run: what was reported to the supervisor, and cocotb's and pytest's JUnit XML.

The files come out of a sandbox in which a stranger's design ran: they are size-limited,
never followed through links, and parsed without entities.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from benchwright_foundation.model import Model
from benchwright_foundation.plain_file import FileTooLargeError, NotPlainFileError, read_plain_file
from benchwright_foundation.untrusted_folder import entries_below
from benchwright_harness.decision.report import SimulationReport, StepReport, TestbenchOutput
from benchwright_harness.execution.process import OutputReceiver, StepEnd
from benchwright_problems.verdict import TestResult

PYTEST_RESULTS = ".pytest-results.xml"

_COLLECTING = "collection failure"
_MAX_FILES = 1000
_MAX_BYTES = 16 * 1024**2
_MAX_MESSAGE = 4000
# plan.WORKDIR, which this module is needed for.
_WORKDIR = PurePosixPath("/code/rundir")


# As inside/guard/verilator and inside/guard/iverilog say it; a design may print it, too, and so names nothing but a
# place in itself.
_REFUSED = re.compile(
    rb"Benchwright refuses /code/([^,\s]+), line (\d{1,7}), column (\d{1,7}): "
    rb"(\$[\w$]{1,40}|`systemc_|`verilator_config|/\*verilator \w{1,30}|import \"DPI-C\"|export \"DPI-C\""
    rb"|a call of DPI-C|`line|a change of \w{1,60}|a string that is waited for|a name with quotation marks"
    rb"|a constraint beside an escaped character|C\+\+) "
    rb"\(rule ([a-z-]{1,20})\)"
)
_COUNTS = re.compile(rb"\*\* TESTS=\d+ PASS=\d+ FAIL=(\d+) SKIP=\d+")

# Verilator ends a loop of signals in zero time by itself. A design that prints this only fails with another message.
_DIVERGED = b"%Error-DIDNOTCONVERGE: "
_NOT_FOUND = re.compile(rb": ([\w.+-]{1,80}): (?:command )?not found\s*$")


class FailureWatch:
    """Passes output on, counts failures that cocotb's summaries speak of, and hears what was refused or not found.

    A design can overwrite the result file when the simulation is over, but cannot unsay a line.

    Args:
        log: Destination of the output.
    """

    def __init__(self, log: OutputReceiver) -> None:
        self._log = log
        self._line = b""
        self.failures = 0
        self.refusal: tuple[str, int, int, str, str] | None = None
        """The first refusal of the compiler's guard: path in the workspace, line, column, words, rule."""
        self.diverged = False
        """True if Verilator has ended a simulation that looped in zero time."""
        self.not_found = ""
        """The last program that a shell complained of; means nothing where the exit status is not a shell's 127."""

    def write(self, content: bytes, /) -> int:
        """Take more output."""
        *lines, open_line = (self._line + content).split(b"\n")
        self.failures += sum(int(match[1]) for line in lines if (match := _COUNTS.search(line)))
        self.diverged = self.diverged or any(line.startswith(_DIVERGED) for line in lines)
        for match in filter(None, map(_NOT_FOUND.search, lines)):
            self.not_found = match[1].decode("utf-8", "replace")
        self._line = open_line[-_MAX_MESSAGE:]
        for line in lines if self.refusal is None and b"Benchwright refuses" in content else ():
            if match := _REFUSED.search(line):
                path, row, column, subject, rule = (group.decode("utf-8", "replace") for group in match.groups())
                self.refusal = self.refusal or (path, int(row), int(column), subject, rule)
        return self._log.write(content)


class Results(Model):
    """The results of a run."""

    cocotb: tuple[TestResult, ...]
    """Tests of all cocotb simulations, in order."""
    simulations: int
    """Number of cocotb simulations."""
    pytest: tuple[TestResult, ...]
    oddities: tuple[str, ...] = ()
    """Things that an honest design does not do; for the log."""
    remarks: tuple[str, ...] = ()

    @property
    def reported_tests(self) -> tuple[TestResult, ...]:
        """The finer of the two views that covers the whole run.

        A harness that simulates several times into one result file overwrites it; then only
        pytest knows of every simulation.
        """
        return self.cocotb if self.cocotb and self.simulations >= len(self.pytest) else self.pytest


@dataclass(frozen=True)
class Execution:
    """Everything that the steps of a run left behind."""

    argv: Sequence[str]
    """The command of the last step that ran."""
    step_end: StepEnd
    """End of that step."""
    output: TestbenchOutput | None
    """Messages of a testbench; `None` if its simulation did not begin."""
    watch: FailureWatch
    """Of the output of all steps."""
    reports: Sequence[StepReport]
    """The supervisor's, of each step that had one."""
    test_results: Results
    """Results that cocotb and pytest left."""
    memory_bytes: int
    """The most of a step, as measured from outside."""
    waited_s: float
    """Time that all steps waited for the processor."""
    remarks: Sequence[str]
    """The sandbox's."""


def read_results(working_folder: Path, reports: Sequence[StepReport] = ()) -> Results:
    """Collect the results of a run.

    Args:
        working_folder: Its working folder.
        reports: A supervisor's reports, for each step that had one. Then cocotb's results are
            taken from there, and its files only have to agree.
    """
    tests_by_file: dict[PurePosixPath, list[TestResult]] = {}
    pytest: list[TestResult] = []
    unclaimed = []
    for file in _xml_files_below(working_folder):
        cases = _unskipped_test_cases(file)
        tests = [_test_result(case) for case in cases]
        if file.name == PYTEST_RESULTS:
            pytest += tests
        elif tests:
            path = _WORKDIR / file.relative_to(working_folder)
            tests_by_file[path] = tests
            if any(case.get("sim_time_ns") for case in cases):
                unclaimed.append(path)
    if not reports:
        return Results(
            cocotb=tuple(tests_with_unique_names(tests_by_file.items())),
            simulations=len(tests_by_file),
            pytest=tuple(pytest),
        )
    simulations = simulations_as_reported(reports)
    oddities = [odd for report in reports for odd in report.oddities]
    oddities += (
        _passes_that_simulations_deny(tests_by_file, simulations)
        if simulations
        else (f"{path}: no simulation wrote it" for path in unclaimed)
    )
    return Results(
        cocotb=tuple(tests_with_unique_names((simulation.results, simulation.tests) for simulation in simulations)),
        simulations=len({simulation.results for simulation in simulations}),
        pytest=tuple(pytest),
        oddities=tuple(oddities),
        remarks=tuple(dict.fromkeys(remark for report in reports for remark in report.remarks)),
    )


def _passes_that_simulations_deny(
    tests_by_file: Mapping[PurePosixPath, Sequence[TestResult]], simulations: Sequence[SimulationReport]
) -> Iterator[str]:
    """Contradictions: a simulation's result file says that a test passed which did not."""
    passed_names: dict[PurePosixPath, set[str]] = {}
    for simulation in simulations:
        passed_names.setdefault(simulation.results, set()).update(test.name for test in simulation.tests if test.passed)
    for path, names in passed_names.items():
        for test in tests_by_file.get(path, ()):
            if test.passed and test.name not in names:
                yield f"{path}: {test.name} did not pass"


def simulations_as_reported(reports: Sequence[StepReport]) -> list[SimulationReport]:
    """The simulations of a run in the order in which its verdict has their tests."""
    return sorted(
        (simulation for report in reports for simulation in report.simulations),
        key=lambda simulation: simulation.results,
    )


def tests_with_unique_names(
    result_files_and_tests: Iterable[tuple[PurePosixPath, Sequence[TestResult]]],
) -> Iterator[TestResult]:
    """All tests; a name that several simulations have gets the simulation's folder."""
    all_simulations = list(result_files_and_tests)
    names = Counter(test.name for _, tests in all_simulations for test in tests)
    for path, tests in all_simulations:
        location = (path.relative_to(_WORKDIR) if path.is_relative_to(_WORKDIR) else path).with_suffix("")
        folder = location.parent.as_posix() if location.name == "results" else location.as_posix()
        for test in tests:
            yield test if names[test.name] == 1 else test.model_copy(update={"name": f"{test.name} [{folder}]"})


def _xml_files_below(folder: Path) -> list[Path]:
    xml_entries = (entry for entry in entries_below(folder) if entry.name.endswith(".xml"))
    paths = (Path(entry) for entry in xml_entries if entry.is_file(follow_symlinks=False))
    return sorted(itertools.islice(paths, _MAX_FILES))


def _unskipped_test_cases(xml_file: Path) -> list[Element]:
    try:
        content = read_plain_file(xml_file.parent, xml_file.name, _MAX_BYTES)
    except (OSError, NotPlainFileError, FileTooLargeError):
        return []
    try:
        root = fromstring(content, forbid_dtd=True)
    except (ParseError, DefusedXmlException, LookupError, ValueError):
        return []
    return [case for case in root.iter("testcase") if case.find("skipped") is None]


def _test_result(xml_test_case: Element) -> TestResult:
    failure = next((element for tag in ("failure", "error") if (element := xml_test_case.find(tag)) is not None), None)
    if failure is None:
        return TestResult(name=xml_test_case.get("name", ""), passed=True)
    if failure.get("message") == _COLLECTING:
        error_lines = re.findall(r"^E +(.*)", failure.text or "", re.MULTILINE)
        return TestResult(
            name=xml_test_case.get("name", ""), passed=False, message=(error_lines or [_COLLECTING])[-1][:_MAX_MESSAGE]
        )
    message = failure.get("message") or failure.get("error_msg") or (failure.text or "")
    return TestResult(name=xml_test_case.get("name", ""), passed=False, message=message.strip()[:_MAX_MESSAGE])
