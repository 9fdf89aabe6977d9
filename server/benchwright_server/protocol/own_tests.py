"""The `benchwright/*` messages about the tests in a folder; see `protocol`."""

from __future__ import annotations

from pydantic import Field, JsonValue

from benchwright_server.protocol.design import FileRange
from benchwright_server.protocol.messages import Wire


class OwnTestsParams(Wire):
    """Parameters of `benchwright/ownTests`."""

    uri: str
    """A file of the design, or its folder."""


class OwnTestCase(Wire):
    """A test with particular parameters."""

    id: str
    name: str
    """Such as `fills/depth=4`."""


class OwnTest(Wire):
    """A cocotb test, or a testbench."""

    id: str
    """Such as `tests/test_fifo.py::fills`; of a testbench `tb/tb_fifo.sv::tb_fifo`. What `runOwnTests` takes."""
    name: str
    place: FileRange
    """Its name."""
    cases: list[OwnTestCase]
    """The cases that its parameters make of it; empty without parameters, or if only a run shows them."""


class OwnTestFile(Wire):
    """A file with tests."""

    id: str
    """Its path, relative to the folder."""
    uri: str
    kind: str
    """`cocotb` or `testbench`."""
    tests: list[OwnTest]


class OwnTestList(Wire):
    """Result of `benchwright/ownTests`."""

    folder: str
    """Its URI."""
    files: list[OwnTestFile]
    """By path."""


class RunOwnTestsParams(Wire):
    """Parameters of `benchwright/runOwnTests`."""

    uri: str
    """A file of the design, or its folder."""
    ids: list[str] = Field(default_factory=list)
    """Of tests, cases or files; none for all of the folder."""
    coverage: bool = False
    """Measure line and toggle coverage of the design; runs with Verilator."""
    waves: bool | None = None
    """Keep the waveform; null for what the setting `ownTests.waves` says."""
    debug: bool = False
    """Let a debugger in before the first test; `ids` have to name tests of one cocotb file."""


class OwnTestDebugger(Wire):
    """Notification `benchwright/ownTestDebugger`: a test waits for a debugger."""

    socket: str
    """The path of the Unix socket where it speaks the Debug Adapter Protocol; for one client."""
    arguments: dict[str, JsonValue]
    """For the `attach` request."""


class OwnTestResult(Wire):
    """The outcome of one test."""

    id: str
    """Of the test or case; of the file if the outcome belongs to none."""
    outcome: str
    """`passed`, `failed` or `skipped`."""
    reason: str
    """`passed`, `skipped`, `test_failed`, `error_reported`, `fatal`, `said_fail`, `no_finish`, `not_built`,
    `not_loaded`, `no_result`, `timeout`, `memory`, `output`, `folder`, `busy`: see how to run tests of your own."""
    message: str
    """Empty if it passed."""
    expected: str | None
    """The value that was compared with, where an assertion with `==` failed."""
    got: str | None
    place: FileRange | None
    """The line that failed."""
    sim_time_ns: float
    failed_at: int | None
    """Of a testbench: when it reported the failure, in ticks of the waveform; null where it did not say so, and of a
    cocotb test, which runs when those before it in the file have ended."""
    wall_s: float


class CoveredBranch(Wire):
    """One way that a condition can go."""

    name: str
    """`if`, `else` …"""
    line: int
    """From 0, as `character`."""
    character: int
    count: int


class CoveredSignal(Wire):
    """A bit that goes up or down, such as `q[3]:0->1`."""

    name: str
    line: int
    """Of its declaration, from 0."""
    count: int


class CoveredLine(Wire):
    """A line that can be executed."""

    line: int
    """From 0."""
    count: int


class OwnTestCoverage(Wire):
    """The coverage of one file of the design."""

    uri: str
    lines: list[CoveredLine]
    branches: list[CoveredBranch]
    toggles: list[CoveredSignal]


class OwnTestRun(Wire):
    """One simulation."""

    file: str
    """The id of the file with its tests."""
    top: str
    """The module that was simulated."""
    simulator: str
    """`icarus` or `verilator`."""
    results: list[OwnTestResult]
    output: str
    """The output of the tools and the tests; long ones without their middle."""
    waves: str | None
    """The URI of the waveform, FST or VCD; null if none was kept."""
    coverage: list[OwnTestCoverage]
    wall_s: float


class OwnTestRuns(Wire):
    """Result of `benchwright/runOwnTests`."""

    passed: bool
    """True if every test passed."""
    runs: list[OwnTestRun]


class NewTestbenchParams(Wire):
    """Parameters of `benchwright/newTestbench`."""

    uri: str
    """The design file."""
    module: str | None = None
    """A module of it; null for the first."""


class NewTestbench(Wire):
    """Result of `benchwright/newTestbench`."""

    uri: str
    """The file, `tests/test_MODULE.py` in the folder."""
    module: str
    text: str
    applied: bool
    """True if the client has created the file; if not, it can't do so by an edit, and has to write `text` itself."""
