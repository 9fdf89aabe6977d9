"""Pass criteria: the rules of a data set's authors, applied to what a run showed.

- CVDP: every service exits 0, and no result of cocotb or pytest is a failure.
- Named tests, of a repository problem: each of them passes (`named_tests.py`).
- An author's, or a data set's of testbenches: patterns of lines, an exit status (`benchwright_problems.criterion`).

What a testbench says comes from the supervisor (`report.py`), where the design can't speak; what else is printed counts
for nothing. Besides, the simulation has to end as the testbench wants it to, and the simulator without an error.
Where there is no supervisor, all that the simulator prints is taken for the testbench's.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence

import regex

from benchwright_foundation.model import Model
from benchwright_harness.decision.named_tests import is_result_line, verdict_by_named_tests
from benchwright_harness.decision.report import TestbenchOutput
from benchwright_harness.decision.results import Results
from benchwright_harness.execution.process import OutputReceiver, ProcessEnd, StepEnd
from benchwright_problems.criterion import CriterionTable, DecidingPatterns, OutputScope
from benchwright_problems.problem import RunLimits
from benchwright_problems.repository.named_tests import NamedTests
from benchwright_problems.verdict import Reason, TestResult, Verdict

NOT_COMPILED = 120
"""Exit code of a testbench's program that did not get as far as a simulation."""
STANDS_STILL = 122
"""Its exit code if simulated time did not advance."""
SIMULATES = "--- the simulation begins"
"""The line that a testbench's program prints before it."""

NOT_RUN = "The hidden tests did not run."
ZERO_TIME = "The design loops in zero time: the simulation ran, but simulated time did not advance."

_MAX_LINE = 4000
_LONGEST_VALUE = 40
MOST_LINES = 100_000
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
PATTERN_BUDGET_S = 10.0
"""Time that all patterns of a run may take: a hostile one could run forever."""


class Criterion(Model):
    """Requirements on a run that passes."""

    table: CriterionTable | None = None
    """The author's or the data set's; None for CVDP's rule."""
    is_testbench: bool = False
    speaks_to_supervisor: bool = True
    """True if the testbench speaks to a supervisor."""
    simulates: bool = False
    """True if a harness by CVDP's rule has to leave cocotb results."""
    tests: NamedTests | None = None
    """Tests that have to pass, whatever else the harness runs."""

    @property
    def reads_output(self) -> bool:
        """True if what a run prints decides, where a design can print, too; or whether a simulation has begun."""
        if self.tests is not None and self.tests.printed:
            return True
        return self.table is not None and not (self.is_testbench and self.speaks_to_supervisor)


class OutputListener:
    """Passes a run's output on, and keeps its lines where these decide.

    Args:
        criterion: Pass criterion of the run.
        log: Destination of the output.
    """

    def __init__(self, criterion: Criterion, log: OutputReceiver) -> None:
        self._listens = criterion.reads_output
        hears_all = criterion.table is not None and criterion.table.scope is OutputScope.LOG
        # What a long build prints besides is not kept.
        self._keeps_results_only = criterion.table is None and criterion.tests is not None
        self._keeps_last_step = not criterion.is_testbench and not hears_all
        self._log = log
        self._open_line = b""
        self._lines: list[str] | None = None if criterion.is_testbench and not hears_all else []

    def begin_step(self) -> None:
        """Take what follows for another step's output."""
        if self._keeps_last_step:
            self._open_line, self._lines = b"", []

    def write(self, content: bytes, /) -> int:
        """Take more output."""
        if self._listens:
            *lines, open_line = (self._open_line + content).split(b"\n")
            for line in lines:
                self._keep_line(line)
            self._open_line = open_line[-_MAX_LINE:]
        return self._log.write(content)

    @property
    def testbench_output(self) -> TestbenchOutput | None:
        """Messages heard so far; `None` before the simulation, and where nobody listens."""
        if self._open_line:
            self._keep_line(self._open_line)
            self._open_line = b""
        if not self._listens or self._lines is None:
            return None
        return TestbenchOutput(lines=tuple(self._lines), results=tuple(self._lines), ended=True)

    def _keep_line(self, raw_line: bytes) -> None:
        line = raw_line[-_MAX_LINE:].decode("utf-8", "replace").strip()
        if self._lines is None:
            self._lines = [] if line == SIMULATES else None
        elif len(self._lines) < MOST_LINES and (not self._keeps_results_only or is_result_line(line)):
            self._lines.append(line)


def verdict_by_criterion(
    criterion: Criterion,
    *,
    testbench_output: TestbenchOutput | None,
    step_end: StepEnd,
    test_results: Results,
    summarised_failure_count: int,
    limits: RunLimits,
) -> Verdict:
    """Say whether a run passed, and why not.

    Args:
        criterion: Pass criterion of the plan.
        testbench_output: Messages of the testbench, or the lines that decide; `None` if there are none, because no
            simulation began or the file was not left.
        step_end: The end of the last step.
        test_results: Results that cocotb and pytest left.
        summarised_failure_count: Failed tests that cocotb's summaries in the output speak of.
        limits: Limits of the problem.
    """
    if step_end.end in _ENDS:
        reason, text = _ENDS[step_end.end]
        tests = test_results.reported_tests if criterion.table is None else ()
        return Verdict(reason=reason, detail=text.format(limits=limits), tests=tests)
    if criterion.tests is not None:
        if criterion.table is not None:
            by_table = _verdict_by_table(criterion.table, criterion, testbench_output, step_end)
            if by_table.reason is not Reason.PASSED:
                return by_table
        return verdict_by_named_tests(criterion.tests, test_results, testbench_output)
    if criterion.table is None:
        return _verdict_by_cvdp_rule(criterion, step_end, test_results, summarised_failure_count)
    return _verdict_by_table(criterion.table, criterion, testbench_output, step_end)


def _verdict_by_table(
    table: CriterionTable, criterion: Criterion, testbench_output: TestbenchOutput | None, step_end: StepEnd
) -> Verdict:
    if criterion.is_testbench and step_end.exit_code == STANDS_STILL:
        return Verdict(reason=Reason.TESTS_FAILED, detail=ZERO_TIME)
    if criterion.is_testbench and (step_end.exit_code == NOT_COMPILED or testbench_output is None):
        detail = "The design does not compile together with the testbench."
        return Verdict(reason=Reason.BUILD_FAILED, detail=detail)
    verdict = _verdict_by_patterns(table.effective_patterns, testbench_output or TestbenchOutput(ended=True))
    if verdict.reason is not Reason.PASSED:
        return verdict
    if testbench_output is not None and not testbench_output.ended:
        # What it has said by then may be true of the time up to there.
        detail = "Something else than the testbench ended the simulation."
        return Verdict(reason=Reason.TAMPERED, detail=detail)
    if table.exit not in ("any", step_end.exit_code):
        subject = "simulator" if criterion.is_testbench else "harness"
        return _testbench_verdict(False, f"The {subject} ended with status {step_end.exit_code}.")
    return verdict


def _verdict_by_cvdp_rule(
    criterion: Criterion, step_end: StepEnd, test_results: Results, summarised_failure_count: int
) -> Verdict:
    tests = test_results.reported_tests
    bad = [test for test in (*test_results.cocotb, *test_results.pytest) if not test.passed]
    if step_end.exit_code == 0 and not bad:
        if criterion.simulates and not test_results.cocotb:
            detail = "The harness ended well but left no test results, so nothing was checked."
            return Verdict(reason=Reason.NO_RESULTS, detail=detail)
        if summarised_failure_count:
            detail = "The simulation reported failed tests that its result file does not have."
            return Verdict(reason=Reason.TESTS_FAILED, detail=detail)
        return Verdict(reason=Reason.PASSED, detail="All hidden tests passed.", tests=tests)
    if test_results.cocotb and bad:
        return Verdict(reason=Reason.TESTS_FAILED, detail=_failure_count_sentence(tests, "test"), tests=tests)
    if not criterion.simulates and bad:
        return Verdict(reason=Reason.TESTS_FAILED, detail=_failure_count_sentence(tests, "check"), tests=tests)
    return Verdict(reason=Reason.BUILD_FAILED, detail=NOT_RUN)


def _failure_count_sentence(test_results: Sequence[TestResult], test_noun: str) -> str:
    """How many failed, as far as the counted ones say."""
    failed_count = sum(not test.passed for test in test_results)
    if not failed_count:
        return f"A hidden {test_noun} failed."
    if len(test_results) == 1:
        return f"The hidden {test_noun} failed."
    if failed_count == len(test_results):
        return f"None of the {len(test_results)} hidden {test_noun}s passed."
    return f"{failed_count} of {len(test_results)} hidden {test_noun}s failed."


def _verdict_by_patterns(patterns: DecidingPatterns, testbench_output: TestbenchOutput) -> Verdict:
    deadline = time.monotonic() + PATTERN_BUDGET_S
    try:
        failure = next(first_match_of_each_line(patterns.fails, testbench_output.lines, deadline), None)
        if failure is not None:
            return _testbench_verdict(False, f"The testbench reports a failure{_named_groups_text(failure)}.")
        passes = list(first_match_of_each_line(patterns.passes, testbench_output.results, deadline))
    except TimeoutError:
        detail = f"The patterns of its criterion took longer than {PATTERN_BUDGET_S:g} s."
        return Verdict(reason=Reason.BAD_HARNESS, detail=detail)
    if patterns.passes and not passes:
        return _testbench_verdict(False, "The testbench did not report a pass.")
    if patterns.count is not None and len(passes) != patterns.count:
        return _testbench_verdict(False, f"The testbench reported {len(passes)} passes instead of {patterns.count}.")
    return _testbench_verdict(True, f"The testbench reports a pass{_named_groups_text(passes[0]) if passes else ''}.")


def first_match_of_each_line(
    patterns: Sequence[str], lines: Iterable[str], monotonic_deadline_s: float
) -> Iterator[regex.Match[str]]:
    """The first match in each line that has one.

    Raises:
        TimeoutError: It is later than the deadline, by the monotonic clock.
    """
    compiled = [regex.compile(pattern) for pattern in patterns]
    for line in lines:
        for pattern in compiled:
            if match := pattern.search(line, timeout=max(monotonic_deadline_s - time.monotonic(), 0.001)):
                yield match
                break


def _named_groups_text(pattern_match: regex.Match[str]) -> str:
    """Names and values of the groups that an author has named, such as `: mismatches 3, samples 20`."""
    values_text = ", ".join(
        f"{name} {value[:_LONGEST_VALUE]}" for name, value in pattern_match.groupdict().items() if value
    )
    return f": {values_text}" if values_text else ""


def _testbench_verdict(is_passed: bool, detail: str) -> Verdict:
    test = TestResult(name="testbench", passed=is_passed, message="" if is_passed else detail)
    return Verdict(reason=Reason.PASSED if is_passed else Reason.TESTS_FAILED, detail=detail, tests=(test,))
