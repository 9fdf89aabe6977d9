"""The authors' rules, on outputs that were seen and on outputs that were forged."""

from __future__ import annotations

import io

import pytest
from pydantic import ValidationError

from benchwright_harness.decision.criterion import (
    NOT_COMPILED,
    SIMULATES,
    Criterion,
    OutputListener,
    verdict_by_criterion,
)
from benchwright_harness.decision.report import TestbenchOutput
from benchwright_harness.decision.results import Results
from benchwright_harness.execution.process import ProcessEnd, StepEnd
from benchwright_harness.grading.criterion_proposal import lines_printed_by_testbench
from benchwright_problems.criterion import CriterionTable
from benchwright_problems.problem import RunLimits
from benchwright_problems.verdict import Reason, Verdict
from benchwright_problems.verdict import TestResult as HiddenTest

VERILOGEVAL, RTLLM = CriterionTable(preset="verilogeval"), CriterionTable(preset="rtllm")
NOTHING = Results(cocotb=(), simulations=0, pytest=())
RIGHT = ("Hint: Output 'y' has no mismatches.", "Mismatches: 0 in 20 samples")
PASSED = ("===========Your Design Passed===========",)


def printed_lines(*lines: str, result_lines: tuple[str, ...] | None = None, has_ended: bool = True) -> TestbenchOutput:
    return TestbenchOutput(lines=lines, results=lines if result_lines is None else result_lines, ended=has_ended)


def decided_verdict(
    table: CriterionTable | None,
    testbench_message: TestbenchOutput | None = None,
    *,
    end: ProcessEnd = ProcessEnd.EXITED,
    exit_code: int = 0,
    hidden_results: Results = NOTHING,
    failures: int = 0,
    simulates: bool = True,
) -> Verdict:
    return verdict_by_criterion(
        Criterion(table=table, is_testbench=table is not None, simulates=simulates),
        testbench_output=testbench_message,
        step_end=StepEnd(end, exit_code, 1.0),
        test_results=hidden_results,
        summarised_failure_count=failures,
        limits=RunLimits(),
    )


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (RIGHT, Reason.PASSED),
        (("Mismatches: 1 in 20 samples",), Reason.TESTS_FAILED),
        (("Mismatches: 0 in 0 samples",), Reason.TESTS_FAILED),
        (("Mismatches: 10 in 20 samples",), Reason.TESTS_FAILED),
        ((), Reason.TESTS_FAILED),
        ((*RIGHT, "TIMEOUT"), Reason.TESTS_FAILED),
        (("x: error: something", *RIGHT), Reason.TESTS_FAILED),
        # Twice can't come from one simulation.
        ((*RIGHT, *RIGHT), Reason.TESTS_FAILED),
    ],
)
def test_verilogeval_wants_no_mismatch_in_some_samples(lines: tuple[str, ...], reason: Reason) -> None:
    assert decided_verdict(VERILOGEVAL, printed_lines(*lines)).reason is reason


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (PASSED, Reason.PASSED),
        (("=========== Your Design Passed ===========",) * 2, Reason.PASSED),
        (("===========Failed===========          3",), Reason.TESTS_FAILED),
        (("===========Error===========",), Reason.TESTS_FAILED),
        ((), Reason.TESTS_FAILED),
        (("pass_request = 1", "compassed"), Reason.TESTS_FAILED),
    ],
)
def test_rtllm_wants_the_testbenchs_pass_line(lines: tuple[str, ...], reason: Reason) -> None:
    assert decided_verdict(RTLLM, printed_lines(*lines)).reason is reason


BOTH = [(VERILOGEVAL, RIGHT), (RTLLM, PASSED)]


@pytest.mark.parametrize(("table", "lines"), BOTH)
def test_a_line_counts_only_where_the_testbench_tells_its_result(table: CriterionTable, lines: tuple[str, ...]) -> None:
    assert decided_verdict(table, printed_lines(*lines, result_lines=())).reason is Reason.TESTS_FAILED


@pytest.mark.parametrize(("table", "lines"), BOTH)
def test_a_pass_needs_the_testbenchs_own_end(table: CriterionTable, lines: tuple[str, ...]) -> None:
    assert decided_verdict(table, printed_lines(*lines, has_ended=False)).reason is Reason.TAMPERED


@pytest.mark.parametrize(("table", "lines"), BOTH)
@pytest.mark.parametrize("exit_code", [1, 98, 134, 139])
def test_a_pass_needs_a_simulator_that_ends_well(table: CriterionTable, lines: tuple[str, ...], exit_code: int) -> None:
    assert decided_verdict(table, printed_lines(*lines), exit_code=exit_code).reason is Reason.TESTS_FAILED


def test_without_a_supervisor_the_simulations_lines_are_the_testbenchs() -> None:
    output = f"x.sv:1: warning: Mismatches: 7 in 7 samples\n{SIMULATES}\n\0\x1b[2J{RIGHT[0]}\n{RIGHT[1]}".encode()
    for table, supervised in ((VERILOGEVAL, False), (VERILOGEVAL, True), (None, False)):
        log = io.BytesIO()
        listener = OutputListener(
            Criterion(table=table, is_testbench=table is not None, speaks_to_supervisor=supervised), log
        )
        for start in range(0, len(output), 7):
            listener.write(output[start : start + 7])
        heard = listener.testbench_output
        assert log.getvalue() == output
        if table is None or supervised:
            assert heard is None
        else:
            assert heard is not None
            assert heard.results[-1] == RIGHT[1]
            assert decided_verdict(table, heard).reason is Reason.PASSED


@pytest.mark.parametrize("table", [VERILOGEVAL, RTLLM])
@pytest.mark.parametrize(
    ("end", "reason"),
    [
        (ProcessEnd.TIMEOUT, Reason.TIMEOUT),
        (ProcessEnd.STARVED, Reason.MACHINE_BUSY),
        (ProcessEnd.MEMORY, Reason.MEMORY),
        (ProcessEnd.FOLDER_QUOTA, Reason.FOLDER_QUOTA),
        (ProcessEnd.OUTPUT_QUOTA, Reason.OUTPUT_QUOTA),
    ],
)
def test_no_run_passes_at_a_limit_whatever_was_said(table: CriterionTable, end: ProcessEnd, reason: Reason) -> None:
    assert decided_verdict(table, printed_lines(*RIGHT, *PASSED), end=end).reason is reason


@pytest.mark.parametrize("table", [VERILOGEVAL, RTLLM])
@pytest.mark.parametrize("exit_code", [0, NOT_COMPILED])
def test_without_a_simulation_the_design_does_not_compile(table: CriterionTable, exit_code: int) -> None:
    assert decided_verdict(table, None, exit_code=exit_code).reason is Reason.BUILD_FAILED


def test_a_testbenchs_verdict_tells_one_test() -> None:
    decision = decided_verdict(VERILOGEVAL, printed_lines("Mismatches: 3 in 20 samples"))
    assert [(test.name, test.passed) for test in decision.tests] == [("testbench", False)]
    assert decision.detail == "The testbench reports a failure: mismatches 3, samples 20."


GOOD, BAD = HiddenTest(name="a", passed=True), HiddenTest(name="b", passed=False, message="no")


@pytest.mark.parametrize(
    ("exit_code", "cocotb", "pytest_results", "failures", "simulates", "reason"),
    [
        (0, (GOOD,), (GOOD,), 0, True, Reason.PASSED),
        (0, (), (GOOD,), 0, False, Reason.PASSED),
        (0, (), (), 0, True, Reason.NO_RESULTS),
        (0, (GOOD, BAD), (), 0, True, Reason.TESTS_FAILED),
        (0, (GOOD,), (BAD,), 0, True, Reason.TESTS_FAILED),
        (0, (GOOD,), (GOOD,), 1, True, Reason.TESTS_FAILED),
        (1, (GOOD,), (GOOD,), 0, True, Reason.BUILD_FAILED),
        (1, (BAD,), (BAD,), 0, True, Reason.TESTS_FAILED),
        (1, (), (BAD,), 0, False, Reason.TESTS_FAILED),
        (1, (), (BAD,), 0, True, Reason.BUILD_FAILED),
    ],
)
def test_cvdp_wants_every_service_to_succeed_and_no_failed_test(
    exit_code: int,
    cocotb: tuple[HiddenTest, ...],
    pytest_results: tuple[HiddenTest, ...],
    failures: int,
    simulates: bool,
    reason: Reason,
) -> None:
    cvdp_results = Results(cocotb=cocotb, simulations=len(cocotb), pytest=pytest_results)
    decision = decided_verdict(
        None, None, exit_code=exit_code, hidden_results=cvdp_results, failures=failures, simulates=simulates
    )
    assert decision.reason is reason


@pytest.mark.parametrize(
    ("tests", "sentence"),
    [
        ((BAD,) * 14, "None of the 14 hidden tests passed."),
        ((GOOD, BAD, BAD), "2 of 3 hidden tests failed."),
        ((BAD,), "The hidden test failed."),
    ],
)
def test_the_sentence_about_failed_tests_says_how_many(tests: tuple[HiddenTest, ...], sentence: str) -> None:
    cvdp_results = Results(cocotb=tests, simulations=1, pytest=())
    assert decided_verdict(None, None, exit_code=1, hidden_results=cvdp_results, simulates=True).detail == sentence


def test_a_flood_of_lines_is_not_remembered() -> None:
    listener = OutputListener(Criterion(table=RTLLM, is_testbench=True, speaks_to_supervisor=False), io.BytesIO())
    listener.write(f"{SIMULATES}\n".encode() + b"passed\n" * 200_000)
    listener.write(b"x" * 1_000_000)
    assert listener.testbench_output is not None
    assert len(listener.testbench_output.results) <= 100_000
    assert len(listener._open_line) < 10_000


def _criterion_table(**fields: object) -> CriterionTable:
    return CriterionTable.model_validate(fields)


@pytest.mark.parametrize(
    ("table", "lines", "exit_code", "reason"),
    [
        (_criterion_table(**{"pass": "^ALL OK$"}), ("ALL OK",), 0, Reason.PASSED),
        (_criterion_table(**{"pass": "^ALL OK$"}), ("NOT ALL OK",), 0, Reason.TESTS_FAILED),
        (_criterion_table(**{"pass": "OK", "fail": "ERROR"}), ("OK", "ERROR"), 0, Reason.TESTS_FAILED),
        (_criterion_table(**{"fail": "ERROR"}), ("done",), 0, Reason.PASSED),
        (_criterion_table(**{"fail": "ERROR"}), ("done",), 1, Reason.TESTS_FAILED),
        (_criterion_table(**{"pass": "OK", "count": 2}), ("OK",), 0, Reason.TESTS_FAILED),
        (_criterion_table(**{"pass": "OK", "count": 2}), ("OK", "OK"), 0, Reason.PASSED),
        (_criterion_table(**{"pass": "OK", "count": 2}), ("OK", "OK", "OK"), 0, Reason.TESTS_FAILED),
        (_criterion_table(**{"pass": "OK", "exit": 3}), ("OK",), 3, Reason.PASSED),
        (_criterion_table(**{"pass": "OK", "exit": 3}), ("OK",), 0, Reason.TESTS_FAILED),
        (_criterion_table(**{"pass": "OK", "exit": "any"}), ("OK",), 7, Reason.PASSED),
        (_criterion_table(exit=0), (), 0, Reason.PASSED),
    ],
)
def test_an_author_states_what_passes(
    table: CriterionTable, lines: tuple[str, ...], exit_code: int, reason: Reason
) -> None:
    assert decided_verdict(table, printed_lines(*lines), exit_code=exit_code).reason is reason


def test_a_group_that_the_author_names_is_shown() -> None:
    table = _criterion_table(**{"pass": "all ok", "fail": r"(?P<wrong>\d+) of (?P<checks>\d+) wrong"})
    detail = decided_verdict(table, printed_lines("3 of 9 wrong")).detail
    assert detail == "The testbench reports a failure: wrong 3, checks 9."


def test_a_pattern_that_takes_for_ever_is_the_harnesss_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchwright_harness.decision.criterion.PATTERN_BUDGET_S", 0.05)
    table = _criterion_table(**{"pass": "(a|aa|aaa)+$x"})
    assert decided_verdict(table, printed_lines("a" * 3000 + "b")).reason is Reason.BAD_HARNESS


@pytest.mark.parametrize("output_scope", ["stdout", "log"])
def test_a_script_is_heard_by_its_last_step_or_whole(output_scope: str) -> None:
    listener = OutputListener(Criterion(table=_criterion_table(scope=output_scope, **{"pass": "OK"})), io.BytesIO())
    for step_output in (b"first\n", b"second"):
        listener.begin_step()
        listener.write(step_output)
    heard = listener.testbench_output
    assert heard is not None
    assert heard.lines == (("second",) if output_scope == "stdout" else ("first", "second"))


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"pass": "("}, "regular expression"),
        ({"preset": "rtllm", "pass": "x"}, "preset"),
        ({"count": 2}, "count"),
        ({"file": "a.txt", "scope": "log"}, "file"),
        ({"flags": ["x"]}, "begin with"),
        ({"includes": ["../x"]}, "relative path"),
    ],
)
def test_a_criterion_with_a_flaw_is_refused(fields: dict[str, object], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        CriterionTable.model_validate(fields)


def test_what_a_simulator_says_of_itself_proposes_no_criterion() -> None:
    printed = (
        "--- the simulation begins\nall is well\n- /src/tb.sv:9: Verilog $finish\n"
        "- S i m u l a t i o n   R e p o r t: Verilator 5.048\n- Verilator: $finish at 10us; walltime 0.001 s\n"
        "- Verilator: cpu 0.000 s on 1 threads; allocated 0 MB\n"
    )
    assert lines_printed_by_testbench(printed.encode()) == ["all is well"]
