"""The outcomes of the solver's own tests, read from what a simulation left and printed.

A cocotb test passes or fails as cocotb says. A testbench passes if it reaches `$finish` without an error: no `$error`,
no `$fatal`, no failed assertion, and no line with the word FAIL, FAILED or FAILURE in capitals, unless it counts none
(`0 FAILED`, `FAILED: 0`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from benchwright_foundation.json_text import parse_untrusted_json
from benchwright_harness.execution.process import ProcessEnd, StepEnd
from benchwright_harness.own_tests.coverage import FileCoverage
from benchwright_harness.own_tests.printing_statement import place_of_printing_statement
from benchwright_harness.own_tests.simulation import CODE, NOT_BUILT, SIMULATES, OwnSimulation
from benchwright_problems.criterion import Simulator


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
    expected_text: str | None = None
    """Value that was compared with, where an assertion with `==` failed."""
    got: str | None = None
    path: str = ""
    """The file with the line that failed; empty if that is unknown."""
    line: int = 0
    """From 1."""
    sim_time_ns: float = 0.0
    failed_tick: int | None = None
    """Of a testbench: when it reported, in ticks of the waveform, as the simulator prints it."""
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
        executed_outcomes = [outcome for outcome in self.outcomes if outcome.reason is not OwnReason.SKIPPED]
        return all(outcome.passed for outcome in executed_outcomes) and bool(executed_outcomes)


_ENDS: Mapping[ProcessEnd, tuple[OwnReason, str]] = {
    ProcessEnd.TIMEOUT: (OwnReason.TIMEOUT, "The simulation took longer than {limit:g} s and was stopped."),
    ProcessEnd.STARVED: (
        OwnReason.BUSY,
        "Other programs kept it from the processor: it never had its {limit:g} s.",
    ),
    ProcessEnd.MEMORY: (OwnReason.MEMORY, "The simulation used more memory than it may and was stopped."),
    ProcessEnd.FOLDER_QUOTA: (OwnReason.FOLDER, "The simulation wrote more files than it may and was stopped."),
    ProcessEnd.OUTPUT_QUOTA: (OwnReason.OUTPUT, "The simulation printed more than it may and was stopped."),
}
_SEVERE = re.compile(
    r"^(?:(?P<icarus>ERROR|FATAL): (?P<path1>[^:\n]+):(?P<line1>\d+):"
    r"|\[(?P<tick2>\d+)\] %(?P<verilator>Error|Fatal): (?P<path2>[^:\n]+):(?P<line2>\d+):) ?(?P<text>.*)$"
    r"(?:\n +Time: (?P<tick1>\d+) )?",
    re.MULTILINE,
)
_FAIL = re.compile(r"\b(?:FAIL|FAILS|FAILED|FAILURE|FAILURES)\b")
_NONE_FAILED = re.compile(
    r"\b(?:0+|no|NO|No) +(?:\w+ +)?(?:FAILED|FAILURES?|FAILS?)\b|\b(?:FAILED|FAILURES?|FAILS?)\b *[:=]? *0+\b(?![.\d])"
)
_FINISHED = re.compile(r"^(?:- )?[^\n]*: (?:Verilog )?\$finish\b", re.MULTILINE)
_STOPPED = re.compile(r"^(?:-Info: |%Error: )?(?P<path>[^:\n]+):(?P<line>\d+): (?:Verilog )?\$stop\b", re.MULTILINE)
_SILENT_FINISH = re.compile(rb"\$finish\s*\(\s*0\s*\)")
_COMPARED = re.compile(r"^assert (?P<got>.+?) == (?P<expected>[^\n]+)$", re.MULTILINE)
_COMPILER_ERROR = re.compile(
    r"^(?:%Error(?:-\w+)?: )?(?P<path>[^\s:%][^:\n]*):(?P<line>\d+):(?:\d+:)? (?:(?:error|sorry): )?(?P<text>.+)$",
    re.MULTILINE,
)
_IMPORT_ERROR = re.compile(r"^(\w*(?:Error|Exception): .+)$", re.MULTILINE)
_PYTHON_PLACE = re.compile(r'^\s*File "(?P<path>[^"]+)", line (?P<line>\d+)', re.MULTILINE)
_MAX_OUTPUT = 200_000


def outcomes_and_whether_compiled(
    simulation: OwnSimulation, step_end: StepEnd, output: str, report_bytes: bytes, limit_s: float
) -> tuple[tuple[OwnOutcome, ...], bool]:
    """The outcome of each test, and whether the sources were compiled.

    Args:
        simulation: Simulation that ran.
        step_end: End of the simulation.
        output: All output.
        report_bytes: Results that cocotb's side wrote.
        limit_s: The limit of wall time.
    """
    build_output, mark, simulation_output = output.partition(f"{SIMULATES}\n")
    if not mark and step_end.exit_code == NOT_BUILT and step_end.end is ProcessEnd.EXITED:
        return _same_outcome_for_all(simulation, _build_failure_outcome(simulation, build_output)), False
    stopped = _ENDS.get(step_end.end)
    if stopped is not None:
        reported_outcomes = dict(_reported_outcomes(simulation, report_bytes))
        stop = OwnOutcome("", stopped[0], stopped[1].format(limit=limit_s))
        return _with_missing_outcomes(simulation, reported_outcomes, stop), bool(mark)
    if simulation.is_cocotb:
        return _with_missing_outcomes(
            simulation,
            dict(_reported_outcomes(simulation, report_bytes)),
            _outcome_without_report(simulation, simulation_output),
        ), True
    return (_testbench_outcome(simulation, simulation_output, step_end),), True


def without_middle_if_long(output: str) -> str:
    """Output as a person reads it: long ones without their middle."""
    if len(output) <= _MAX_OUTPUT:
        return output
    half = _MAX_OUTPUT // 2
    return f"{output[:half]}\n… {len(output) - 2 * half} characters left out …\n{output[-half:]}"


def _reported_outcomes(simulation: OwnSimulation, report_bytes: bytes) -> Iterator[tuple[str, OwnOutcome]]:
    for line in report_bytes.decode("utf-8", "replace").splitlines():
        try:
            report = parse_untrusted_json(line)
            name = str(report["test"]).partition(".")[2]
            yield name, _cocotb_outcome(simulation, name, report)
        except (ValueError, TypeError, LookupError, AttributeError):
            continue


def _cocotb_outcome(simulation: OwnSimulation, test_name: str, test_report: Mapping[str, object]) -> OwnOutcome:
    reason = {"passed": OwnReason.PASSED, "skipped": OwnReason.SKIPPED}.get(
        str(test_report["outcome"]), OwnReason.TEST_FAILED
    )
    message = str(test_report.get("message", ""))
    compared = _COMPARED.search(message)
    listed_places = test_report.get("places")
    traceback_places = (
        [(str(pair[0]), int(pair[1])) for pair in listed_places] if isinstance(listed_places, list) else []
    )
    # The line of the test itself, not that of a function it calls.
    failure_place = next(
        (candidate for candidate in reversed(traceback_places) if candidate[0] == simulation.module),
        traceback_places[-1] if traceback_places else ("", 0),
    )
    return OwnOutcome(
        test_name,
        reason,
        message,
        expected_text=compared["expected"] if compared else None,
        got=compared["got"] if compared else None,
        path=failure_place[0] if failure_place[0] in simulation.files else "",
        line=failure_place[1],
        sim_time_ns=_number_or_zero(test_report.get("sim_time_ns")),
        wall_s=_number_or_zero(test_report.get("wall_s")),
    )


def _number_or_zero(json_value: object) -> float:
    return float(json_value) if isinstance(json_value, int | float) else 0.0


def _with_missing_outcomes(
    simulation: OwnSimulation, reported_outcomes: Mapping[str, OwnOutcome], missing_outcome: OwnOutcome
) -> tuple[OwnOutcome, ...]:
    """The outcomes that cocotb reported, and the other outcome for each test that was asked for and not reported."""
    missing = [
        name
        for name in simulation.tests
        if not any(reported_name == name or reported_name.startswith(f"{name}/") for reported_name in reported_outcomes)
    ]
    if not simulation.tests and not reported_outcomes:
        missing = [simulation.top_module if not simulation.is_cocotb else ""]
    return (*reported_outcomes.values(), *(_same_outcome_with_name(missing_outcome, name) for name in missing))


def _same_outcome_for_all(simulation: OwnSimulation, outcome: OwnOutcome) -> tuple[OwnOutcome, ...]:
    names = simulation.tests or ((simulation.top_module,) if not simulation.is_cocotb else ("",))
    return tuple(_same_outcome_with_name(outcome, name) for name in names)


def _same_outcome_with_name(outcome: OwnOutcome, new_name: str) -> OwnOutcome:
    return OwnOutcome(new_name, outcome.reason, outcome.message, path=outcome.path, line=outcome.line)


def _build_failure_outcome(simulation: OwnSimulation, build_output: str) -> OwnOutcome:
    error_match = next(
        (match for match in _COMPILER_ERROR.finditer(build_output) if "warning" not in match["text"].lower()), None
    )
    if error_match is None:
        lines = [line.strip() for line in build_output.splitlines() if line.strip()]
        error_line = next((line for line in lines if "error" in line.lower()), lines[-1] if lines else "no message")
        return OwnOutcome("", OwnReason.NOT_BUILT, f"The sources do not compile: {error_line}")
    message = f"The sources do not compile: {error_match['path']}:{error_match['line']}: {error_match['text']}"
    return OwnOutcome(
        "",
        OwnReason.NOT_BUILT,
        message,
        path=_solver_path_or_empty(simulation, error_match["path"]),
        line=int(error_match["line"]),
    )


def _outcome_without_report(simulation: OwnSimulation, output: str) -> OwnOutcome:
    """Of a test that cocotb did not report."""
    # cocotb stumbles over the first error and reports more.
    error = _IMPORT_ERROR.search(output)
    if error is not None:
        traceback_matches = [
            place_match
            for place_match in _PYTHON_PLACE.finditer(output, 0, error.start())
            if _solver_path_or_empty(simulation, place_match["path"])
        ]
        path, line = (
            (_solver_path_or_empty(simulation, traceback_matches[-1]["path"]), int(traceback_matches[-1]["line"]))
            if traceback_matches
            else ("", 0)
        )
        return OwnOutcome("", OwnReason.NOT_LOADED, f"The tests can't be loaded: {error[1]}", path=path, line=line)
    if "No tests left after filtering" in output:
        return OwnOutcome("", OwnReason.NOT_LOADED, "The file has no such test.")
    return OwnOutcome(
        "", OwnReason.NO_RESULT, "The simulation ended before the test did: $finish in the design, or a crash."
    )


def _testbench_outcome(simulation: OwnSimulation, output: str, step_end: StepEnd) -> OwnOutcome:
    name = simulation.top_module
    for match in _SEVERE.finditer(output):
        is_fatal = "FATAL" in (match["icarus"] or match["verilator"]).upper()
        path, line = match["path1"] or match["path2"], int(match["line1"] or match["line2"])
        text = match["text"].strip() or "an assertion failed"
        reason = OwnReason.FATAL if is_fatal else OwnReason.ERROR_REPORTED
        tick_text = match["tick1"] or match["tick2"]
        return OwnOutcome(
            name,
            reason,
            text,
            path=_solver_path_or_empty(simulation, path),
            line=line,
            failed_tick=int(tick_text) if tick_text else None,
            wall_s=step_end.wall_s,
        )
    for text in output.splitlines():
        if _FAIL.search(text) and not _NONE_FAILED.search(text):
            path, line = place_of_printing_statement(_text_by_source_path(simulation), text, _FAIL) or ("", 0)
            message = f"It printed: {text.strip()}"
            return OwnOutcome(name, OwnReason.SAID_FAIL, message, path=path, line=line, wall_s=step_end.wall_s)
    if step_end.exit_code < 0 or step_end.exit_code >= 128:
        message = f"The simulation crashed with exit status {step_end.exit_code}."
        return OwnOutcome(name, OwnReason.NO_RESULT, message, wall_s=step_end.wall_s)
    is_silent = any(_SILENT_FINISH.search(simulation.files[path]) for path in simulation.sources)
    if not _FINISHED.search(output) and not (is_silent and step_end.exit_code == 0):
        stop = _STOPPED.search(output)
        if stop is not None:
            return OwnOutcome(
                name,
                OwnReason.NO_FINISH,
                "It called $stop, and not $finish.",
                path=_solver_path_or_empty(simulation, stop["path"]),
                line=int(stop["line"]),
                wall_s=step_end.wall_s,
            )
        message = "The simulation ended without $finish: nothing was left to simulate."
        return OwnOutcome(name, OwnReason.NO_FINISH, message, wall_s=step_end.wall_s)
    return OwnOutcome(name, OwnReason.PASSED, wall_s=step_end.wall_s)


def _text_by_source_path(simulation: OwnSimulation) -> dict[str, str]:
    """The text of each source by its path, and of each header."""
    return {
        path: content.decode("utf-8", "replace")
        for path, content in simulation.files.items()
        if path in simulation.sources or path.endswith((".vh", ".svh"))
    }


def _solver_path_or_empty(simulation: OwnSimulation, written_path: str) -> str:
    """The solver's file that a tool means; Verilator's assertions name a file without its folder."""
    path = written_path.removeprefix(f"{CODE}/").removeprefix("../")
    if path in simulation.files:
        return path
    matching_sources: Sequence[str] = [
        source for source in simulation.sources if source.endswith(f"/{path}") or source == path
    ]
    return matching_sources[0] if len(matching_sources) == 1 else ""
