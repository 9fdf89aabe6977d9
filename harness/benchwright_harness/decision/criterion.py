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
from benchwright_harness.execution.process import OutputReceiver, ProcessEnd, StepEnd
from benchwright_problems.problem import RunLimits
from benchwright_problems.verdict import Reason, TestResult, Verdict

NOT_COMPILED, DRIVES_INPUTS = 120, 121
"""Exit codes of a testbench's program that did not get as far as a simulation."""
STANDS_STILL = 122
"""Its exit code if simulated time did not advance."""
SIMULATES = "--- the simulation begins"
"""The line that a testbench's program prints before it."""

NOT_RUN = "The hidden tests did not run."
ZERO_TIME = "The design loops in zero time: the simulation ran, but simulated time did not advance."

_MAX_LINE = 4000
_MAX_LINES = 100_000
_ENDS = {
    ProcessEnd.TIMEOUT: (Reason.TIMEOUT, "The run took longer than {limits.wall_s:g} s and was stopped."),
    ProcessEnd.STARVED: (
        Reason.MACHINE_BUSY,
        "Other programs kept the run from the processor: it never had its {limits.wall_s:g} s.",
    ),
    ProcessEnd.MEMORY: (Reason.MEMORY, "The run used more than {limits.memory_mb} MiB of memory and was stopped."),
    ProcessEnd.FOLDER_QUOTA: (Reason.FOLDER_QUOTA, "The run wrote more than {limits.folder_mb} MiB and was stopped."),
    ProcessEnd.OUTPUT_QUOTA: (Reason.OUTPUT_QUOTA, "The run printed more than it may and was stopped."),
}


class PassRule(StrEnum):
    """Data set whose pass criterion applies."""

    CVDP = "cvdp"
    VERILOGEVAL = "verilogeval"
    RTLLM = "rtllm"


RESULT: Mapping[PassRule, Pattern[str]] = MappingProxyType(
    {PassRule.VERILOGEVAL: re.compile("Mismatches:"), PassRule.RTLLM: re.compile(r"\bpass(?:ed)?\b", re.IGNORECASE)}
)
"""Pattern of a testbench's line with its result."""
_MISMATCHES = re.compile(r"Mismatches: *(\d+) in *(\d+) samples")


class Criterion(Model):
    """Requirements on a run that passes."""

    rule: PassRule = PassRule.CVDP
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

    def __init__(self, criterion: Criterion, log: OutputReceiver) -> None:
        self._listens = criterion.rule is not PassRule.CVDP and not criterion.heard
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
    step_end: StepEnd,
    test_results: Results,
    failures: int,
    limits: RunLimits,
) -> Verdict:
    """Say whether a run passed, and why not.

    Args:
        criterion: Pass criterion of the plan.
        output: Messages of the testbench; `None` if its simulation did not begin.
        step_end: The end of the last step.
        test_results: Results that cocotb and pytest left.
        failures: Failed tests that cocotb's summaries in the output speak of.
        limits: Limits of the problem.
    """
    if step_end.end in _ENDS:
        reason, text = _ENDS[step_end.end]
        tests = test_results.reported_tests if criterion.rule is PassRule.CVDP else ()
        return Verdict(reason=reason, detail=text.format(limits=limits), tests=tests)
    if criterion.rule is PassRule.CVDP:
        return _services_verdict(criterion, step_end, test_results, failures)
    if step_end.exit_code == DRIVES_INPUTS:
        detail = "The design drives or forces its own inputs, and with them the testbench's signals."
        return Verdict(reason=Reason.TAMPERED, detail=detail)
    if step_end.exit_code == STANDS_STILL:
        return Verdict(reason=Reason.TESTS_FAILED, detail=ZERO_TIME)
    if output is None:
        detail = "The design does not compile together with the testbench."
        return Verdict(reason=Reason.BUILD_FAILED, detail=detail)
    verdict = _verilogeval_verdict(output) if criterion.rule is PassRule.VERILOGEVAL else _rtllm_verdict(output)
    if verdict.reason is not Reason.PASSED:
        return verdict
    if not output.ended:
        # What it has said by then may be true of the time up to there.
        detail = "Something else than the testbench ended the simulation."
        return Verdict(reason=Reason.TAMPERED, detail=detail)
    if step_end.exit_code != 0:
        return _testbench_verdict(False, "The simulator ended with an error.")
    return verdict


def _services_verdict(criterion: Criterion, step_end: StepEnd, test_results: Results, failures: int) -> Verdict:
    tests = test_results.reported_tests
    bad = [test for test in (*test_results.cocotb, *test_results.pytest) if not test.passed]
    if step_end.exit_code == 0 and not bad:
        if criterion.simulates and not test_results.cocotb:
            detail = "The harness ended well but left no test results, so nothing was checked."
            return Verdict(reason=Reason.NO_RESULTS, detail=detail)
        if failures:
            detail = "The simulation reported failed tests that its result file does not have."
            return Verdict(reason=Reason.TESTS_FAILED, detail=detail)
        return Verdict(reason=Reason.PASSED, detail="All hidden tests passed.", tests=tests)
    if test_results.cocotb and bad:
        return Verdict(reason=Reason.TESTS_FAILED, detail="Some hidden tests failed.", tests=tests)
    if not criterion.simulates and bad:
        return Verdict(reason=Reason.TESTS_FAILED, detail="Some hidden checks failed.", tests=tests)
    return Verdict(reason=Reason.BUILD_FAILED, detail=NOT_RUN)


def _verilogeval_verdict(output: TestbenchMessage) -> Verdict:
    if any("TIMEOUT" in line for line in output.lines):
        return _testbench_verdict(False, "The design kept the testbench waiting until its own time limit.")
    mismatch_matches = [match for line in output.results if (match := _MISMATCHES.search(line))]
    if len(mismatch_matches) != 1:
        return _testbench_verdict(False, "The simulation ended without the testbench's result.")
    mismatches, samples = int(mismatch_matches[0][1]), int(mismatch_matches[0][2])
    summary = f"{mismatches} of {samples} samples differ from the reference."
    if mismatches or not samples:
        return _testbench_verdict(False, summary)
    if any("error" in line for line in output.lines):
        return _testbench_verdict(False, "The testbench reported an error.")
    return _testbench_verdict(True, summary)


def _rtllm_verdict(output: TestbenchMessage) -> Verdict:
    if any(RESULT[PassRule.RTLLM].search(line) for line in output.results):
        return _testbench_verdict(True, "The testbench says that the design passed.")
    return _testbench_verdict(False, "The testbench did not say that the design passed.")


def _testbench_verdict(is_passed: bool, detail: str) -> Verdict:
    test = TestResult(name="testbench", passed=is_passed, message="" if is_passed else detail)
    return Verdict(reason=Reason.PASSED if is_passed else Reason.TESTS_FAILED, detail=detail, tests=(test,))
