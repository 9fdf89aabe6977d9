"""What counts as a pass: the rules of a data set's authors, applied to what a run showed.

- CVDP: every service exits 0, and no result of cocotb or pytest is a failure.
- VerilogEval: the testbench says `Mismatches: 0 in N samples`, N > 0, and no line of the run holds `error` or
  `TIMEOUT` (scripts/sv-iv-analyze of NVlabs/verilog-eval).
- RTLLM: the testbench prints a line with `Passed`.

A testbench shares its output with the design, so a plan lets it sign its lines with a token that the design cannot
know: see `plan.py`. A result line without it is a forgery.
"""

from __future__ import annotations

import re
from enum import StrEnum

from benchwright_harness.process import End, Ended, Output
from benchwright_harness.results import Results
from benchwright_problems.problem import Limits
from benchwright_problems.verdict import Model, Reason, TestResult, Verdict

COMPILE = "compile"
SIMULATE = "simulate"
"""The steps of a testbench's plan, by name."""

PASS_WORD = re.compile(r"\bpass(?:ed)?\b", re.IGNORECASE)
FINISH = "$finish"
MISMATCHES = re.compile(r"Mismatches: *(\d+) in *(\d+) samples")

_MAX_LINE = 4000
_MAX_RESULTS = 8
_VERILATOR_ERROR = "%Error"
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
    """Whose pass criterion."""

    CVDP = "cvdp"
    VERILOGEVAL = "verilogeval"
    RTLLM = "rtllm"


class Criterion(Model):
    """What a run has to show to pass."""

    rule: Rule = Rule.CVDP
    token: str = ""
    """Part of every line that the testbench itself writes, and of its file's name; new in each run."""
    simulator: str = ""
    """Which one runs the testbench."""
    simulates: bool = False
    """Whether the harness of rule `cvdp` has to leave cocotb results."""


class Said(Model):
    """What the output of a testbench's run held."""

    results: tuple[str, ...] = ()
    """Signed result lines, at most a handful."""
    forged: int = 0
    """Result lines without a signature."""
    finished: bool = False
    """The testbench announced the end of the simulation."""
    error: bool = False
    timeout: bool = False


class Listener:
    """Passes a run's output on, and notes what a criterion asks for.

    Args:
        criterion: Of the run.
        log: Where the output goes.
    """

    def __init__(self, criterion: Criterion, log: Output) -> None:
        self._criterion = criterion
        self._log = log
        self._rest = b""
        self._said = Said()

    def write(self, content: bytes, /) -> int:
        """Take more output."""
        if self._criterion.rule is not Rule.CVDP:
            *lines, rest = (self._rest + content).split(b"\n")
            for line in lines:
                self._hear(line)
            self._rest = rest[-_MAX_LINE:]
        return self._log.write(content)

    @property
    def said(self) -> Said:
        """What was heard so far."""
        if self._rest:
            self._hear(self._rest)
            self._rest = b""
        return self._said

    def _hear(self, raw: bytes) -> None:
        line = raw[-_MAX_LINE:].decode("utf-8", "replace").strip()
        rule, token = self._criterion.rule, self._criterion.token
        signed = token in line
        pattern = MISMATCHES if rule is Rule.VERILOGEVAL else PASS_WORD
        heard: dict[str, object] = {}
        if pattern.search(line.replace(token, "")):
            if not signed:
                heard["forged"] = self._said.forged + 1
            elif len(self._said.results) < _MAX_RESULTS:
                heard["results"] = (*self._said.results, line)
        if signed and FINISH in line:
            heard["finished"] = True
        # The words of C++ compilers are none of Verilator's: its own errors begin so.
        verilator = self._criterion.simulator == "verilator"
        if line.startswith(_VERILATOR_ERROR) if verilator else "error" in line.replace(token, ""):
            heard["error"] = True
        if "TIMEOUT" in line:
            heard["timeout"] = True
        if heard:
            self._said = self._said.model_copy(update=heard)


def decide(
    criterion: Criterion, *, said: Said, step: str, ended: Ended, results: Results, failures: int, limits: Limits
) -> Verdict:
    """Say whether a run passed, and why not.

    Args:
        criterion: Of the plan.
        said: What the output held.
        step: The last step that ran, by its service.
        ended: The end of that step.
        results: What cocotb and pytest left.
        failures: Failed tests that cocotb's summaries in the output speak of.
        limits: Of the problem.
    """
    if ended.end in _ENDS:
        reason, text = _ENDS[ended.end]
        tests = results.shown if criterion.rule is Rule.CVDP else ()
        return Verdict(reason=reason, detail=text.format(limits=limits), tests=tests)
    if criterion.rule is Rule.CVDP:
        return _services(criterion, ended, results, failures)
    if step == COMPILE:
        detail = "The design does not compile together with the testbench."
        return Verdict(reason=Reason.BUILD_FAILED, detail=detail)
    if said.forged:
        detail = "The run printed a result that the testbench did not write."
        return Verdict(reason=Reason.TAMPERED, detail=detail)
    return _verilogeval(said) if criterion.rule is Rule.VERILOGEVAL else _rtllm(said)


def _services(criterion: Criterion, ended: Ended, results: Results, failures: int) -> Verdict:
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


def _verilogeval(said: Said) -> Verdict:
    if said.timeout:
        return _testbench(False, "The design kept the testbench waiting until its own time limit.")
    counts = [found for line in said.results if (found := MISMATCHES.search(line))]
    if len(counts) != 1:
        return _testbench(False, "The simulation ended without the testbench's result.")
    if not said.finished:
        # Its `final` block has spoken, but of the samples up to there.
        detail = "Something else than the testbench ended the simulation."
        return Verdict(reason=Reason.TAMPERED, detail=detail)
    mismatches, samples = int(counts[0][1]), int(counts[0][2])
    shown = f"{mismatches} of {samples} samples differ from the reference."
    if mismatches or not samples:
        return _testbench(False, shown)
    if said.error:
        return _testbench(False, "The simulator reported an error.")
    return _testbench(True, shown)


def _rtllm(said: Said) -> Verdict:
    if said.results:
        return _testbench(True, "The testbench says that the design passed.")
    return _testbench(False, "The testbench did not say that the design passed.")


def _testbench(passed: bool, detail: str) -> Verdict:
    test = TestResult(name="testbench", passed=passed, message="" if passed else detail)
    return Verdict(reason=Reason.PASSED if passed else Reason.TESTS_FAILED, detail=detail, tests=(test,))
