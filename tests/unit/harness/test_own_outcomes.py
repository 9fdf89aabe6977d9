from __future__ import annotations

import json
from dataclasses import replace

import pytest

from benchwright_harness.execution.process import ProcessEnd, StepEnd
from benchwright_harness.own_tests.coverage import coverage_of_files
from benchwright_harness.own_tests.outcome import (
    OwnOutcome,
    OwnReason,
    outcomes_and_whether_compiled,
    without_middle_if_long,
)
from benchwright_harness.own_tests.simulation import NOT_BUILT, SIMULATES, OwnSimulation

BENCH = OwnSimulation({"tb/tb.sv": b"", "rtl/a.sv": b""}, ("tb/tb.sv", "rtl/a.sv"), "tb")
COCOTB = OwnSimulation(
    {"tests/test_a.py": b"", "rtl/a.sv": b""}, ("rtl/a.sv",), "a", module="tests/test_a.py", tests=("x", "y")
)
FINISHED = "/code/tb/tb.sv:9: $finish called at 52 (1s)\n"


def outcome_of_testbench(
    output: str, exit_code: int = 0, end: ProcessEnd = ProcessEnd.EXITED, simulation: OwnSimulation = BENCH
) -> OwnOutcome:
    (outcome,), _ = outcomes_and_whether_compiled(
        simulation, StepEnd(end, exit_code, 1.0), f"{SIMULATES}\n{output}", b"", 60
    )
    return outcome


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        (FINISHED, OwnReason.PASSED),
        (f"12 tests, 0 FAILED\n{FINISHED}", OwnReason.PASSED),
        (f"FAILED: 0\n{FINISHED}", OwnReason.PASSED),
        (f"no FAILURES\n{FINISHED}", OwnReason.PASSED),
        (f"will failover\n{FINISHED}", OwnReason.PASSED),
        (f"FAIL: got 3\n{FINISHED}", OwnReason.SAID_FAIL),
        (f"FAILED: 10\n{FINISHED}", OwnReason.SAID_FAIL),
        (f"ERROR: /code/tb/tb.sv:7: q is 4\n       Time: 5  Scope: tb\n{FINISHED}", OwnReason.ERROR_REPORTED),
        ("[52] %Error: tb.sv:11: Assertion failed in tb: q\n- tb.sv:9: Verilog $finish\n", OwnReason.ERROR_REPORTED),
        ("FATAL: /code/tb/tb.sv:7: no\n", OwnReason.FATAL),
        ("nothing more to do\n", OwnReason.NO_FINISH),
        ("/code/tb/tb.sv:9: $stop called at 5 (1s)\n", OwnReason.NO_FINISH),
    ],
)
def test_a_testbench_passes_by_finish_without_an_error(output: str, reason: OwnReason) -> None:
    assert outcome_of_testbench(output).reason is reason


def test_a_silent_finish_counts_if_the_testbench_has_one() -> None:
    silent = replace(BENCH, files={**BENCH.files, "tb/tb.sv": b"initial $finish(0);"})
    assert outcome_of_testbench("", simulation=silent).passed
    assert not outcome_of_testbench("", exit_code=1, simulation=silent).passed


def test_ends_of_the_simulation_are_named() -> None:
    assert outcome_of_testbench("", end=ProcessEnd.TIMEOUT).reason is OwnReason.TIMEOUT
    assert outcome_of_testbench("", end=ProcessEnd.MEMORY).reason is OwnReason.MEMORY
    assert outcome_of_testbench("", exit_code=139).reason is OwnReason.NO_RESULT


def test_an_error_of_a_file_named_without_its_folder_has_its_place() -> None:
    outcome = outcome_of_testbench("[5] %Error: a.sv:3: Assertion failed in tb.dut\n")
    assert (outcome.path, outcome.line) == ("rtl/a.sv", 3)


PRINTING = """\
// $display("FAIL: %m is old");
module tb;
  initial begin
    $display("%s: tests", "FAIL");
    if (a) $display("FAIL: q is %0d at %0t", q, $time);
    if (b) $display(
      "FAIL: %0d", q);
    if (c) $write("\\tFAILED 100%%\\n%0d of \\"FAILED\\" left\\n", n);
    if (d) $display("FAIL");
    if (e) $display("FAIL");
    if (f) $display("FAIL ", x);
    if (g) $display("%m%s: %0d FAILURES of kind %s", "", n, kind);
  end
endmodule
"""


@pytest.mark.parametrize(
    ("printed_line", "line"),
    [
        ("FAIL: q is           4 at 30", 5),
        ("FAIL: q is fine at 30", 0),
        ("FAIL: 7", 6),
        ("\tFAILED 100%", 8),
        ('3 of "FAILED" left', 8),
        ("FAIL   17", 11),
        ("tb.x: 3 FAILURES of kind z", 12),
        ("FAIL", 0),
        ("FAIL: tests", 0),
        ("FAILURE of another kind", 0),
    ],
)
def test_a_printed_failure_is_at_the_one_statement_that_may_have_printed_it(printed_line: str, line: int) -> None:
    bench = replace(BENCH, files={**BENCH.files, "tb/tb.sv": PRINTING.encode()})
    outcome = outcome_of_testbench(f"{printed_line}\n{FINISHED}", simulation=bench)
    assert (outcome.reason, outcome.path, outcome.line) == (OwnReason.SAID_FAIL, "tb/tb.sv" if line else "", line)


@pytest.mark.parametrize(
    "stop_output",
    ["/code/tb/tb.sv:7: $stop called at 5 (1s)\n", "-Info: tb.sv:7: Verilog $stop, ignored due to +verilator+error\n"],
)
def test_a_stop_is_where_it_was_called(stop_output: str) -> None:
    outcome = outcome_of_testbench(stop_output)
    assert (outcome.reason, outcome.path, outcome.line) == (OwnReason.NO_FINISH, "tb/tb.sv", 7)


def test_what_does_not_compile_says_where() -> None:
    console_text = "/code/rtl/a.sv:2: warning: odd\n/code/rtl/a.sv:3: syntax error\nI give up.\n"
    own_outcomes, is_built = outcomes_and_whether_compiled(
        COCOTB, StepEnd(ProcessEnd.EXITED, NOT_BUILT, 1.0), console_text, b"", 60
    )
    assert not is_built
    assert [(outcome.name, outcome.reason, outcome.path, outcome.line) for outcome in own_outcomes] == [
        (name, OwnReason.NOT_BUILT, "rtl/a.sv", 3) for name in ("x", "y")
    ]


def cocotb_report(**fields: object) -> bytes:
    return json.dumps({"test": "test_a.x", "outcome": "passed", **fields}).encode() + b"\n"


def test_tests_that_cocotb_does_not_tell_of_have_no_result() -> None:
    own_outcomes, _ = outcomes_and_whether_compiled(
        COCOTB, StepEnd(ProcessEnd.EXITED, 0, 1.0), f"{SIMULATES}\n", cocotb_report(), 60
    )
    assert [(outcome.name, outcome.reason) for outcome in own_outcomes] == [
        ("x", OwnReason.PASSED),
        ("y", OwnReason.NO_RESULT),
    ]


def test_what_was_compared_is_taken_from_the_assertion() -> None:
    message = "after 3\nassert 4 == 3\n +  where 4 = int(q)"
    result_report = cocotb_report(
        outcome="failed", message=message, places=[["tests/test_a.py", 7], ["tests/other.py", 2]]
    )
    own_outcomes, _ = outcomes_and_whether_compiled(
        COCOTB, StepEnd(ProcessEnd.EXITED, 0, 1.0), f"{SIMULATES}\n", result_report, 60
    )
    assert (own_outcomes[0].got, own_outcomes[0].expected_text, own_outcomes[0].path, own_outcomes[0].line) == (
        "4",
        "3",
        "tests/test_a.py",
        7,
    )


@pytest.mark.parametrize(
    "result_bytes",
    [b"{", b"[]\n", b'{"test": 3}\n', b"\xff\xfe\n", cocotb_report(places=[["a"]]), cocotb_report(places=3)],
)
def test_results_that_make_no_sense_are_no_results(result_bytes: bytes) -> None:
    own_outcomes, _ = outcomes_and_whether_compiled(
        COCOTB, StepEnd(ProcessEnd.EXITED, 0, 1.0), f"{SIMULATES}\n", result_bytes, 60
    )
    assert [outcome.name for outcome in own_outcomes][-1] == "y"


def test_long_output_loses_its_middle() -> None:
    text = without_middle_if_long("a" * 150_000 + "b" * 150_000)
    assert len(text) < 210_000
    assert text.startswith("a") and text.endswith("b")


def test_coverage_adds_the_instances_of_a_module() -> None:
    def point(count: int, **keys: str) -> str:
        return "C '" + "".join(f"\1{key}\2{value}" for key, value in keys.items()) + f"' {count}\n"

    coverage_text = (
        "# SystemC::Coverage-3\n"
        + point(2, f="/code/rtl/a.sv", l="3", n="5", page="v_branch/a", o="if", S="3-4", h="top.x")
        + point(1, f="/code/rtl/a.sv", l="3", n="5", page="v_branch/a", o="if", S="3-4", h="top.y")
        + point(0, f="/code/rtl/a.sv", l="1", n="9", page="v_toggle/a", o="q[0]:0->1", h="top.x")
        + point(9, f="/etc/passwd", l="1", n="9", page="v_line/a", o="block", h="top.x")
        + "C 'broken\n"
    )
    (file_coverage,) = coverage_of_files(coverage_text.encode(), frozenset({"rtl/a.sv"}))
    assert file_coverage.lines == {3: 2, 4: 2}
    assert [(branch.name, branch.line, branch.count) for branch in file_coverage.branches] == [("if", 3, 3)]
    assert [(toggle.signal, toggle.count) for toggle in file_coverage.toggles] == [("q[0]:0->1", 0)]
