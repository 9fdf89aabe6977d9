"""Reports of the supervisor inside a sandbox on a run: which tests there were, and how each ended.

Unlike a result file or a line of output this comes from a place that a design's system tasks can't
reach (`inside/guard/supervisor.py`), and it was said before the design could do anything about it.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import PurePosixPath
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from benchwright_foundation.model import Model
from benchwright_problems.verdict import TestResult

UNFINISHED = "The simulation ended before this test did."
_CLEAN_ENDS = frozenset({"finish", "quiet"})
_SIGNALS = 128
_REMARK, _STANDSTILL, _SCOPES, _COMPILES = "remark", "standstill", "scopes", "compile"
_UNLOCKED = {
    "system": "The harness starts Python programs while it simulates, so its files stayed readable for the design.",
    "nothing": "This machine's kernel has no Landlock, so the harness's files stayed readable for the design.",
}


class SimulationReport(Model):
    """One simulation with cocotb."""

    results: PurePosixPath
    """Path of cocotb's result file, inside the sandbox."""
    tests: tuple[TestResult, ...]
    """In the order in which they were announced; one that did not end has failed, a skipped one is left out."""


class ToolRun(Model):
    """One run of a tool that reads or simulates designs, without cocotb."""

    tool: str
    simulates: bool
    status: int | None = None
    """Its exit status, over 128 for a signal; none if it was killed together with the run."""
    message: str = ""
    """The beginning and the end of what a compiler said on its standard error."""

    @property
    def has_crashed(self) -> bool:
        """True if a signal ended it."""
        return self.status is not None and self.status > _SIGNALS


class FaultKind(StrEnum):
    """Kind of fault of the harness, or of what it calls; `inside/guard/supervision.py` has the same words."""

    MISSING = "missing"
    BROKEN = "broken"
    UNLOADABLE = "unloadable"
    REFUSED = "refused"


_FAULTS = frozenset(FaultKind)


class HarnessFault(Model):
    """Something that the design did not cause."""

    kind: FaultKind
    message: str
    is_early: bool
    """Nothing had read the design by then."""


class TestbenchOutput(Model):
    """Message of a Verilog testbench."""

    lines: tuple[str, ...] = ()
    """All of it."""
    results: tuple[str, ...] = ()
    """Those of the lines that may hold its result: a string of the testbench's own mentions it."""
    ended: bool = False
    """True if the simulation ended as the testbench wants: by itself, or with nothing left to do."""


class StepReport(Model):
    """Everything that was reported of one step."""

    simulations: tuple[SimulationReport, ...] = ()
    standstills: tuple[str, ...] = ()
    """Reasons for ending simulations before their limit, as `inside/guard/standstill.py` says them."""
    tools: tuple[ToolRun, ...] = ()
    faults: tuple[HarnessFault, ...] = ()
    oddities: tuple[str, ...] = ()
    """Events that an honest design does not cause."""
    testbench_output: TestbenchOutput | None = None
    """By a testbench; `None` if there was no simulation of one."""
    remarks: tuple[str, ...] = ()
    scopes: tuple[tuple[str, ...], ...] = ()
    """Of a run for a waveform, the scopes of the solver's modules: the module's name or `-`, and the path's names."""
    largest_bytes: int = 0
    """Resident memory of the largest process."""
    cpu_s: float = 0.0
    """Processor time of all processes that ended by themselves."""


class _ReportLine(BaseModel):
    """One line: the fields of whichever kind it is."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    session: int = -1
    tests: tuple[str, ...] | None = None
    results: str = ""
    closed: str = ""
    test: str | None = None
    passed: bool = False
    skipped: bool = False
    message: Annotated[str, Field(max_length=1 << 16)] = ""
    sim_time_ns: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    testbench: bool = False
    record: Annotated[str, Field(max_length=1 << 16)] | None = None
    """Output of a testbench."""
    result: bool = False
    """True if it may tell the result."""
    ended: str | int = ""
    finished: bool = False
    changed: tuple[str, ...] = ()
    strange: str = ""
    tool: str = ""
    kind: str = ""
    status: int | None = None
    said: str = ""
    harness: str = ""
    standstill: str = ""
    largest_bytes: Annotated[int, Field(ge=0)] = 0
    cpu_s: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0


class _AnnouncedSimulation:
    def __init__(self, announced: tuple[str, ...], results_path: str) -> None:
        self.announced = announced
        self.results_path = results_path
        self.result_by_index: dict[int, TestResult | None] = {}
        """Result of each test that has ended; `None` if it was skipped while it ran."""

    def assign_result_if_awaited(self, test_name: str, test_result: TestResult | None) -> bool:
        """The outcome of the first test of this name that has none yet; False where none is waiting."""
        open_indices = (
            index
            for index, test in enumerate(self.announced)
            if test == test_name and index not in self.result_by_index
        )
        position = next(open_indices, None)
        if position is None:
            return False
        self.result_by_index[position] = test_result
        return True

    def simulation_report(self) -> SimulationReport:
        return SimulationReport(
            results=PurePosixPath(self.results_path),
            tests=tuple(
                test_result
                for index, name in enumerate(self.announced)
                if (
                    test_result := self.result_by_index.get(
                        index, TestResult(name=name, passed=False, message=UNFINISHED)
                    )
                )
            ),
        )


class _TestbenchReport:
    """Messages of a testbench, piece by piece."""

    def __init__(self) -> None:
        self._line: list[_ReportLine] = []
        self._lines: list[str] = []
        self._results: list[str] = []
        self._ended = False

    def add_output(self, report_line: _ReportLine) -> None:
        if report_line.record is None:
            self._ended |= report_line.ended in _CLEAN_ENDS
            return
        *closed_lines, open_line = report_line.record.split("\n")
        for text in closed_lines:
            self._line.append(report_line.model_copy(update={"record": text}))
            self._end_line()
        if open_line:
            self._line.append(report_line.model_copy(update={"record": open_line}))

    def _end_line(self) -> None:
        line = "".join(piece.record or "" for piece in self._line)
        self._lines.append(line)
        if any(piece.result for piece in self._line):
            self._results.append(line)
        self._line = []

    def testbench_output(self) -> TestbenchOutput:
        if self._line:
            self._end_line()
        return TestbenchOutput(lines=tuple(self._lines), results=tuple(self._results), ended=self._ended)


def parse_step_report(report_lines: bytes) -> StepReport:
    """Parse reports. A line that the supervisor did not write is ignored."""
    sessions: dict[int, _AnnouncedSimulation] = {}
    testbench: _TestbenchReport | None = None
    oddities: list[str] = []
    remarks: dict[str, None] = {}
    scopes: dict[tuple[str, ...], None] = {}
    tools: dict[int, ToolRun] = {}
    faults: list[HarnessFault] = []
    standstills: list[str] = []
    standstill = ""
    largest_bytes, cpu_s = 0, 0.0
    for line in report_lines.splitlines():
        try:
            message = _ReportLine.model_validate_json(line)
        except ValidationError:
            continue
        report_session = sessions.get(message.session)
        if message.standstill:
            standstill = message.standstill
        largest_bytes, cpu_s = max(largest_bytes, message.largest_bytes), cpu_s + message.cpu_s
        if message.closed in _UNLOCKED:
            remarks[_UNLOCKED[message.closed]] = None
        if message.strange:
            oddities.append(message.strange)
        elif message.testbench:
            testbench = _TestbenchReport()
        elif testbench is not None and message.session >= 0 and (message.record is not None or message.ended != ""):
            testbench.add_output(message)
        elif message.harness == _STANDSTILL:
            standstills.append(message.said or standstill)
        elif message.harness == _REMARK:
            remarks[message.said] = None
        elif message.harness == _SCOPES:
            scopes |= dict.fromkeys(tuple(line.split(" ")) for line in message.said.splitlines())
        elif message.harness in _FAULTS:
            is_early = not tools and not sessions
            faults.append(HarnessFault(kind=FaultKind(message.harness), message=message.said, is_early=is_early))
        elif message.tool:
            tools[message.session] = ToolRun(tool=message.tool, simulates=message.kind != _COMPILES)
        elif message.tests is not None:
            sessions.setdefault(message.session, _AnnouncedSimulation(message.tests, message.results))
        elif report_session is not None and message.test is not None:
            test_result = TestResult(
                name=message.test,
                passed=message.passed,
                message=message.message.strip(),
                sim_time_ns=message.sim_time_ns,
            )
            if not report_session.assign_result_if_awaited(message.test, None if message.skipped else test_result):
                oddities.append("a test that was not announced")
        elif message.finished:
            if message.changed:
                oddities.append(f"the simulation wrote {', '.join(message.changed)}")
            if message.session in tools:
                end_fields = {"status": message.status, "message": message.said}
                tools[message.session] = tools[message.session].model_copy(update=end_fields)
    return StepReport(
        simulations=tuple(report_session.simulation_report() for report_session in sessions.values()),
        standstills=tuple(standstills),
        tools=tuple(tools.values()),
        faults=tuple(faults),
        oddities=tuple(oddities),
        testbench_output=testbench.testbench_output() if testbench is not None else None,
        remarks=tuple(remarks),
        scopes=tuple(scopes),
        largest_bytes=largest_bytes,
        cpu_s=cpu_s,
    )
