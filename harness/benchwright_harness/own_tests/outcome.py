"""The outcomes of the solver's own tests, read from what a simulation left and printed.

A cocotb test passes or fails as cocotb says. A testbench passes if it reaches `$finish` without an error: no `$error`,
no `$fatal`, no failed assertion, and no line with the word FAIL, FAILED or FAILURE in capitals, unless it counts none
(`0 FAILED`, `FAILED: 0`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from benchwright_harness.execution.process import End, StepEnd
from benchwright_harness.own_tests.coverage import FileCoverage
from benchwright_harness.own_tests.simulation import CODE, NOT_BUILT, SIMULATES, OwnSimulation
from benchwright_harness.plan.testbench import Simulator


class OwnReason(StrEnum):
    """Reason for the end of a test. Stable identifiers."""

    PASSED = "passed"
    SKIPPED = "skipped"
    """cocotb's `skip`."""
    TEST_FAILED = "test_failed"
    """A cocotb test raised an error."""
    ERROR_REPORTED = "error_reported"
    """A testbench called `$error`, or an assertion failed."""
    FATAL = "fatal"
    """A testbench called `$fatal`."""
    SAID_FAIL = "said_fail"
    """A testbench printed FAIL."""
    NO_FINISH = "no_finish"
    """A testbench came to an end, or to `$stop`, without `$finish`."""
    NOT_BUILT = "not_built"
    """The sources do not compile."""
    NOT_LOADED = "not_loaded"
    """The file with the tests can't be imported, or has no such test."""
    NO_RESULT = "no_result"
    """The simulation ended before the test: `$finish` in the design, or a crash."""
    TIMEOUT = "timeout"
    MEMORY = "memory"
    OUTPUT = "output"
    FOLDER = "folder"
    """It wrote more files than it may."""
    BUSY = "busy"
    """The limit of time was reached while other programs had the processor."""


@dataclass(frozen=True)
class OwnOutcome:
    """The outcome of one test."""

    name: str
    """Of the cocotb test or case, or of the testbench's module."""
    reason: OwnReason
    message: str = ""
    expected: str | None = None
    """Value that was compared with, where an assertion with `==` failed."""
    got: str | None = None
    path: str = ""
    """The file with the line that failed; empty if that is unknown."""
    line: int = 0
    """From 1."""
    sim_time_ns: float = 0.0
    wall_s: float = 0.0

    @property
    def passed(self) -> bool:
        """True if it passed."""
        return self.reason is OwnReason.PASSED


@dataclass(frozen=True)
class OwnRun:
    """Result of one simulation."""

    outcomes: tuple[OwnOutcome, ...]
    output: str
    """Output of the tools and the tests, with paths relative to the folder; cut in the middle if it is long."""
    simulator: Simulator
    is_built: bool
    wall_s: float
    has_waves: bool = False
    coverage: tuple[FileCoverage, ...] = field(default=(), repr=False)

    @property
    def passed(self) -> bool:
        """True if everything that ran passed, and something did."""
        ran = [outcome for outcome in self.outcomes if outcome.reason is not OwnReason.SKIPPED]
        return all(outcome.passed for outcome in ran) and bool(ran)


_ENDS: Mapping[End, tuple[OwnReason, str]] = {
    End.TIMEOUT: (OwnReason.TIMEOUT, "The simulation took longer than {limit:g} s and was stopped."),
    End.STARVED: (OwnReason.BUSY, "{limit:g} s passed while other programs had the processor."),
    End.MEMORY: (OwnReason.MEMORY, "The simulation used more memory than it may and was stopped."),
    End.FOLDER_QUOTA: (OwnReason.FOLDER, "The simulation wrote more files than it may and was stopped."),
    End.OUTPUT_QUOTA: (OwnReason.OUTPUT, "The simulation printed more than it may and was stopped."),
}
_SEVERE = re.compile(
    r"^(?:(?P<icarus>ERROR|FATAL): (?P<path1>[^:\n]+):(?P<line1>\d+):"
    r"|\[\d+\] %(?P<verilator>Error|Fatal): (?P<path2>[^:\n]+):(?P<line2>\d+):) ?(?P<text>.*)$",
    re.MULTILINE,
)
_FAIL = re.compile(r"\b(?:FAIL|FAILS|FAILED|FAILURE|FAILURES)\b")
_NONE_FAILED = re.compile(
    r"\b(?:0+|no|NO|No) +(?:\w+ +)?(?:FAILED|FAILURES?|FAILS?)\b|\b(?:FAILED|FAILURES?|FAILS?)\b *[:=]? *0+\b(?![.\d])"
)
_FINISHED = re.compile(r"^(?:- )?[^\n]*: (?:Verilog )?\$finish\b", re.MULTILINE)
_SILENT_FINISH = re.compile(rb"\$finish\s*\(\s*0\s*\)")
_COMPARED = re.compile(r"^assert (?P<got>.+?) == (?P<expected>[^\n]+)$", re.MULTILINE)
_COMPILER_ERROR = re.compile(
    r"^(?:%Error(?:-\w+)?: )?(?P<path>[^\s:%][^:\n]*):(?P<line>\d+):(?:\d+:)? (?:(?:error|sorry): )?(?P<text>.+)$",
    re.MULTILINE,
)
_IMPORT_ERROR = re.compile(r"^(\w*(?:Error|Exception): .+)$", re.MULTILINE)
_PYTHON_PLACE = re.compile(r'^\s*File "(?P<path>[^"]+)", line (?P<line>\d+)', re.MULTILINE)
_MAX_OUTPUT = 200_000


def outcomes(
    simulation: OwnSimulation, ended: StepEnd, printed: str, results: bytes, limit_s: float
) -> tuple[tuple[OwnOutcome, ...], bool]:
    """The outcome of each test, and whether the sources were compiled.

    Args:
        simulation: Simulation that ran.
        ended: End of the simulation.
        printed: All output.
        results: Results that cocotb's side wrote.
        limit_s: The limit of wall time.
    """
    build_output, mark, simulation_output = printed.partition(f"{SIMULATES}\n")
    if not mark and ended.exit_code == NOT_BUILT and ended.end is End.EXITED:
        return _for_all(simulation, _not_built(simulation, build_output)), False
    stopped = _ENDS.get(ended.end)
    if stopped is not None:
        reported_outcomes = dict(_reported_outcomes(simulation, results))
        stop = OwnOutcome("", stopped[0], stopped[1].format(limit=limit_s))
        return _completed(simulation, reported_outcomes, stop), bool(mark)
    if simulation.is_cocotb:
        return _completed(
            simulation, dict(_reported_outcomes(simulation, results)), _untold(simulation, simulation_output)
        ), True
    return (_of_testbench(simulation, simulation_output, ended),), True


def shorten(printed: str) -> str:
    """Output as a person reads it: long ones without their middle."""
    if len(printed) <= _MAX_OUTPUT:
        return printed
    half = _MAX_OUTPUT // 2
    return f"{printed[:half]}\n… {len(printed) - 2 * half} characters left out …\n{printed[-half:]}"


def _reported_outcomes(simulation: OwnSimulation, results: bytes) -> Iterator[tuple[str, OwnOutcome]]:
    for line in results.decode("utf-8", "replace").splitlines():
        try:
            report = json.loads(line)
            name = str(report["test"]).partition(".")[2]
            yield name, _of_cocotb(simulation, name, report)
        except (ValueError, TypeError, LookupError, AttributeError):
            continue


def _of_cocotb(simulation: OwnSimulation, name: str, report: Mapping[str, object]) -> OwnOutcome:
    reason = {"passed": OwnReason.PASSED, "skipped": OwnReason.SKIPPED}.get(
        str(report["outcome"]), OwnReason.TEST_FAILED
    )
    message = str(report.get("message", ""))
    compared = _COMPARED.search(message)
    listed = report.get("places")
    places = [(str(pair[0]), int(pair[1])) for pair in listed] if isinstance(listed, list) else []
    # The line of the test itself, not that of a function it calls.
    location = next(
        (candidate for candidate in reversed(places) if candidate[0] == simulation.module),
        places[-1] if places else ("", 0),
    )
    return OwnOutcome(
        name,
        reason,
        message,
        expected=compared["expected"] if compared else None,
        got=compared["got"] if compared else None,
        path=location[0] if location[0] in simulation.files else "",
        line=location[1],
        sim_time_ns=_number(report.get("sim_time_ns")),
        wall_s=_number(report.get("wall_s")),
    )


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _completed(
    simulation: OwnSimulation, reported_outcomes: Mapping[str, OwnOutcome], otherwise: OwnOutcome
) -> tuple[OwnOutcome, ...]:
    """The outcomes that cocotb reported, and the other outcome for each test that was asked for and not reported."""
    missing = [
        name
        for name in simulation.tests
        if not any(reported_name == name or reported_name.startswith(f"{name}/") for reported_name in reported_outcomes)
    ]
    if not simulation.tests and not reported_outcomes:
        missing = [simulation.top if not simulation.is_cocotb else ""]
    return (*reported_outcomes.values(), *(_renamed(otherwise, name) for name in missing))


def _for_all(simulation: OwnSimulation, outcome: OwnOutcome) -> tuple[OwnOutcome, ...]:
    names = simulation.tests or ((simulation.top,) if not simulation.is_cocotb else ("",))
    return tuple(_renamed(outcome, name) for name in names)


def _renamed(outcome: OwnOutcome, name: str) -> OwnOutcome:
    return OwnOutcome(name, outcome.reason, outcome.message, path=outcome.path, line=outcome.line)


def _not_built(simulation: OwnSimulation, printed: str) -> OwnOutcome:
    error = next((match for match in _COMPILER_ERROR.finditer(printed) if "warning" not in match["text"].lower()), None)
    if error is None:
        lines = [line.strip() for line in printed.splitlines() if line.strip()]
        error_line = next((line for line in lines if "error" in line.lower()), lines[-1] if lines else "no message")
        return OwnOutcome("", OwnReason.NOT_BUILT, f"The sources do not compile: {error_line}")
    message = f"The sources do not compile: {error['path']}:{error['line']}: {error['text']}"
    return OwnOutcome("", OwnReason.NOT_BUILT, message, path=_path(simulation, error["path"]), line=int(error["line"]))


def _untold(simulation: OwnSimulation, output: str) -> OwnOutcome:
    """Of a test that cocotb did not report."""
    # cocotb stumbles over the first error and reports more.
    error = _IMPORT_ERROR.search(output)
    if error is not None:
        places = [
            location
            for location in _PYTHON_PLACE.finditer(output, 0, error.start())
            if _path(simulation, location["path"])
        ]
        path, line = (_path(simulation, places[-1]["path"]), int(places[-1]["line"])) if places else ("", 0)
        return OwnOutcome("", OwnReason.NOT_LOADED, f"The tests can't be loaded: {error[1]}", path=path, line=line)
    if "No tests left after filtering" in output:
        return OwnOutcome("", OwnReason.NOT_LOADED, "The file has no such test.")
    return OwnOutcome(
        "", OwnReason.NO_RESULT, "The simulation ended before the test did: $finish in the design, or a crash."
    )


def _of_testbench(simulation: OwnSimulation, output: str, ended: StepEnd) -> OwnOutcome:
    name = simulation.top
    for match in _SEVERE.finditer(output):
        is_fatal = "FATAL" in (match["icarus"] or match["verilator"]).upper()
        path, line = match["path1"] or match["path2"], int(match["line1"] or match["line2"])
        text = match["text"].strip() or "an assertion failed"
        reason = OwnReason.FATAL if is_fatal else OwnReason.ERROR_REPORTED
        return OwnOutcome(name, reason, text, path=_path(simulation, path), line=line, wall_s=ended.wall_s)
    for text in output.splitlines():
        if _FAIL.search(text) and not _NONE_FAILED.search(text):
            return OwnOutcome(name, OwnReason.SAID_FAIL, f"It printed: {text.strip()}", wall_s=ended.wall_s)
    if ended.exit_code < 0 or ended.exit_code >= 128:
        message = f"The simulation crashed with exit status {ended.exit_code}."
        return OwnOutcome(name, OwnReason.NO_RESULT, message, wall_s=ended.wall_s)
    is_silent = any(_SILENT_FINISH.search(simulation.files[path]) for path in simulation.sources)
    if not _FINISHED.search(output) and not (is_silent and ended.exit_code == 0):
        message = "The simulation ended without $finish: nothing was left to simulate, or it called $stop."
        return OwnOutcome(name, OwnReason.NO_FINISH, message, wall_s=ended.wall_s)
    return OwnOutcome(name, OwnReason.PASSED, wall_s=ended.wall_s)


def _path(simulation: OwnSimulation, written_path: str) -> str:
    """The solver's file that a tool means; Verilator's assertions name a file without its folder."""
    path = written_path.removeprefix(f"{CODE}/").removeprefix("../")
    if path in simulation.files:
        return path
    alike: Sequence[str] = [source for source in simulation.sources if source.endswith(f"/{path}") or source == path]
    return alike[0] if len(alike) == 1 else ""
