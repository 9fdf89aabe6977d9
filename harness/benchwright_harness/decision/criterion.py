"""Pass criteria: the rules of a data set's authors, applied to what a run showed.

- CVDP: every service exits 0, and no result of cocotb or pytest is a failure.
- VerilogEval: the testbench says `Mismatches: 0 in N samples`, N > 0, and no line of it holds `error` or
  `TIMEOUT` (scripts/sv-iv-analyze of NVlabs/verilog-eval).
- RTLLM: the testbench prints a line with `Passed`.

What a testbench says comes from the supervisor (`report.py`), where the design can't speak; what else is printed counts
for nothing. Besides, the simulation has to end as the testbench wants it to, and the simulator without an error.
Where there is no supervisor, all that the simulator prints is taken for the testbench's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from re import Pattern
from types import MappingProxyType

from benchwright_foundation.model import Model
from benchwright_harness.decision.report import TestbenchMessage
from benchwright_harness.decision.results import Results
from benchwright_harness.execution.process import End, Output, StepEnd
from benchwright_problems.problem import Limits
from benchwright_problems.verdict import Reason, TestResult, Verdict

NOT_COMPILED, DRIVES_INPUTS = 120, 121
"""Exit codes of a testbench's program that did not get as far as a simulation."""
STANDS_STILL = 122
"""Its exit code if simulated time did not advance."""
SIMULATES = "--- the simulation begins"
"""The line that a testbench's program prints before it."""

ZERO_TIME = "The design loops in zero time: the simulation ran, but simulated time did not advance."

_MAX_LINE = 4000
_MAX_LINES = 100_000
_ENDS = {
    End.TIMEOUT: (Reason.TIMEOUT, "The run took longer than {limits.wall_s:g} s and was stopped."),
    End.STARVED: (
        Reason.MACHINE_BUSY,
        "The run reached its limit of {limits.wall_s:g} s while other programs kept it from the processor.",
    ),
    End.MEMORY: (Reason.MEMORY, "The run used more than {limits.memory_mb} MiB of memory and was stopped."),
    End.FOLDER_QUOTA: (Reason.FOLDER_QUOTA, "The run wrote more than {limits.folder_mb} MiB and was stopped."),
    End.OUTPUT_QUOTA: (Reason.OUTPUT_QUOTA, "The run printed more than it may and was stopped."),
}


class Rule(StrEnum):
    """Data set whose pass criterion applies."""

    CVDP = "cvdp"
    VERILOGEVAL = "verilogeval"
    RTLLM = "rtllm"


RESULT: Mapping[Rule, Pattern[str]] = MappingProxyType(
    {Rule.VERILOGEVAL: re.compile("Mismatches:"), Rule.RTLLM: re.compile(r"\bpass(?:ed)?\b", re.IGNORECASE)}
)
"""Pattern of a testbench's line with its result."""
_MISMATCHES = re.compile(r"Mismatches: *(\d+) in *(\d+) samples")


class Criterion(Model):
    """Requirements on a run that passes."""

    rule: Rule = Rule.CVDP
    heard: bool = True
    """True if the testbench speaks to a supervisor."""
    simulates: bool = False
    """True if the harness of rule `cvdp` has to leave cocotb results."""


class Listener:
    """Passes a run's output on, and takes the simulation's lines for the testbench's where there is no supervisor.

    Args:
        criterion: Pass criterion of the run.
        log: Destination of the output.
    """

    def __init__(self, criterion: Criterion, log: Output) -> None:
        self._listens = criterion.rule is not Rule.CVDP and not criterion.heard
        self._log = log
        self._open_line = b""
        self._lines: list[str] | None = None

    def write(self, content: bytes, /) -> int:
        """Take more output."""
        if self._listens:
            *lines, open_line = (self._open_line + content).split(b"\n")
            for line in lines:
                self._hear(line)
            self._open_line = open_line[-_MAX_LINE:]
        return self._log.write(content)

    @property
    def testbench_output(self) -> TestbenchMessage | None:
        """Messages heard so far; `None` before the simulation."""
        if self._open_line:
            self._hear(self._open_line)
            self._open_line = b""
        if self._lines is None:
            return None
        return TestbenchMessage(lines=tuple(self._lines), results=tuple(self._lines), ended=True)

    def _hear(self, raw: bytes) -> None:
        line = raw[-_MAX_LINE:].decode("utf-8", "replace").strip()
        if self._lines is None:
            self._lines = [] if line == SIMULATES else None
        elif len(self._lines) < _MAX_LINES:
            self._lines.append(line)


def apply_criterion(
    criterion: Criterion,
    *,
    output: TestbenchMessage | None,
    ended: StepEnd,
    results: Results,
    failures: int,
    limits: Limits,
) -> Verdict:
    """Say whether a run passed, and why not.

    Args:
        criterion: Pass criterion of the plan.
        output: Messages of the testbench; `None` if its simulation did not begin.
        ended: The end of the last step.
        results: Results that cocotb and pytest left.
        failures: Failed tests that cocotb's summaries in the output speak of.
        limits: Limits of the problem.
    """
    if ended.end in _ENDS:
        reason, text = _ENDS[ended.end]
        tests = results.shown if criterion.rule is Rule.CVDP else ()
        return Verdict(reason=reason, detail=text.format(limits=limits), tests=tests)
    if criterion.rule is Rule.CVDP:
        return _services(criterion, ended, results, failures)
    if ended.exit_code == DRIVES_INPUTS:
        detail = "The design drives or forces its own inputs, and with them the testbench's signals."
        return Verdict(reason=Reason.TAMPERED, detail=detail)
    if ended.exit_code == STANDS_STILL:
        return Verdict(reason=Reason.TESTS_FAILED, detail=ZERO_TIME)
    if output is None:
        detail = "The design does not compile together with the testbench."
        return Verdict(reason=Reason.BUILD_FAILED, detail=detail)
    verdict = _verilogeval(output) if criterion.rule is Rule.VERILOGEVAL else _rtllm(output)
    if verdict.reason is not Reason.PASSED:
        return verdict
    if not output.ended:
        # What it has said by then may be true of the time up to there.
        detail = "Something else than the testbench ended the simulation."
        return Verdict(reason=Reason.TAMPERED, detail=detail)
    if ended.exit_code != 0:
        return _testbench(False, "The simulator ended with an error.")
    return verdict


def _services(criterion: Criterion, ended: StepEnd, results: Results, failures: int) -> Verdict:
    tests = results.shown
    bad = [test for test in (*results.cocotb, *results.pytest) if not test.passed]
    if ended.exit_code == 0 and not bad:
        if criterion.simulates and not results.cocotb:
            detail = "The harness ended well but left no test results, so nothing was checked."
            return Verdict(reason=Reason.NO_RESULTS, detail=detail)
        if failures:
            detail = "The simulation reported failed tests that its result file does not have."
            return Verdict(reason=Reason.TESTS_FAILED, detail=detail)
        return Verdict(reason=Reason.PASSED, detail="All hidden tests passed.", tests=tests)
    if results.cocotb and bad:
        return Verdict(reason=Reason.TESTS_FAILED, detail="Some hidden tests failed.", tests=tests)
    if not criterion.simulates and bad:
        return Verdict(reason=Reason.TESTS_FAILED, detail="Some hidden checks failed.", tests=tests)
    detail = "The hidden tests could not run: most often the design does not compile or a port is missing."
    return Verdict(reason=Reason.BUILD_FAILED, detail=detail)


def _verilogeval(output: TestbenchMessage) -> Verdict:
    if any("TIMEOUT" in line for line in output.lines):
        return _testbench(False, "The design kept the testbench waiting until its own time limit.")
    counts = [match for line in output.results if (match := _MISMATCHES.search(line))]
    if len(counts) != 1:
        return _testbench(False, "The simulation ended without the testbench's result.")
    mismatches, samples = int(counts[0][1]), int(counts[0][2])
    summary = f"{mismatches} of {samples} samples differ from the reference."
    if mismatches or not samples:
        return _testbench(False, summary)
    if any("error" in line for line in output.lines):
        return _testbench(False, "The testbench reported an error.")
    return _testbench(True, summary)


def _rtllm(output: TestbenchMessage) -> Verdict:
    if any(RESULT[Rule.RTLLM].search(line) for line in output.results):
        return _testbench(True, "The testbench says that the design passed.")
    return _testbench(False, "The testbench did not say that the design passed.")


def _testbench(passed: bool, detail: str) -> Verdict:
    test = TestResult(name="testbench", passed=passed, message="" if passed else detail)
    return Verdict(reason=Reason.PASSED if passed else Reason.TESTS_FAILED, detail=detail, tests=(test,))
