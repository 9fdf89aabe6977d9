"""The authors' rules, on outputs that were seen and on outputs that were forged."""

from __future__ import annotations

import io

import pytest

from benchwright_harness.decision.criterion import (
    DRIVES_INPUTS,
    NOT_COMPILED,
    SIMULATES,
    Criterion,
    Listener,
    PassRule,
    apply_criterion,
)
from benchwright_harness.decision.report import TestbenchMessage
from benchwright_harness.decision.results import Results
from benchwright_harness.execution.process import ProcessEnd, StepEnd
from benchwright_problems.problem import RunLimits
from benchwright_problems.verdict import Reason, Verdict
from benchwright_problems.verdict import TestResult as HiddenTest

NOTHING = Results(cocotb=(), simulations=0, pytest=())
RIGHT = ("Hint: Output 'y' has no mismatches.", "Mismatches: 0 in 20 samples")
PASSED = ("===========Your Design Passed===========",)


def printed_lines(*lines: str, result_lines: tuple[str, ...] | None = None, has_ended: bool = True) -> TestbenchMessage:
    return TestbenchMessage(lines=lines, results=lines if result_lines is None else result_lines, ended=has_ended)


def verdict(
    rule: PassRule,
    testbench_message: TestbenchMessage | None = None,
    *,
    end: ProcessEnd = ProcessEnd.EXITED,
    exit_code: int = 0,
    hidden_results: Results = NOTHING,
    failures: int = 0,
    simulates: bool = True,
) -> Verdict:
    return apply_criterion(
        Criterion(rule=rule, simulates=simulates),
        output=testbench_message,
        step_end=StepEnd(end, exit_code, 1.0),
        test_results=hidden_results,
        failures=failures,
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
    assert verdict(PassRule.VERILOGEVAL, printed_lines(*lines)).reason is reason


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
    assert verdict(PassRule.RTLLM, printed_lines(*lines)).reason is reason


BOTH = [(PassRule.VERILOGEVAL, RIGHT), (PassRule.RTLLM, PASSED)]


@pytest.mark.parametrize(("rule", "lines"), BOTH)
def test_a_line_counts_only_where_the_testbench_tells_its_result(rule: PassRule, lines: tuple[str, ...]) -> None:
    assert verdict(rule, printed_lines(*lines, result_lines=())).reason is Reason.TESTS_FAILED


@pytest.mark.parametrize(("rule", "lines"), BOTH)
def test_a_pass_needs_the_testbenchs_own_end(rule: PassRule, lines: tuple[str, ...]) -> None:
    assert verdict(rule, printed_lines(*lines, has_ended=False)).reason is Reason.TAMPERED


@pytest.mark.parametrize(("rule", "lines"), BOTH)
@pytest.mark.parametrize("exit_code", [1, 98, 134, 139])
def test_a_pass_needs_a_simulator_that_ends_well(rule: PassRule, lines: tuple[str, ...], exit_code: int) -> None:
    assert verdict(rule, printed_lines(*lines), exit_code=exit_code).reason is Reason.TESTS_FAILED


@pytest.mark.parametrize(("rule", "lines"), BOTH)
def test_a_design_that_drives_its_inputs_has_tampered(rule: PassRule, lines: tuple[str, ...]) -> None:
    assert verdict(rule, None, exit_code=DRIVES_INPUTS).reason is Reason.TAMPERED


def test_without_a_supervisor_the_simulations_lines_are_the_testbenchs() -> None:
    output = f"x.sv:1: warning: Mismatches: 7 in 7 samples\n{SIMULATES}\n\0\x1b[2J{RIGHT[0]}\n{RIGHT[1]}".encode()
    for rule, supervised in ((PassRule.VERILOGEVAL, False), (PassRule.VERILOGEVAL, True), (PassRule.CVDP, False)):
        log = io.BytesIO()
        listener = Listener(Criterion(rule=rule, heard=supervised), log)
        for start in range(0, len(output), 7):
            listener.write(output[start : start + 7])
        heard = listener.testbench_output
        assert log.getvalue() == output
        if rule is PassRule.CVDP or supervised:
            assert heard is None
        else:
            assert heard is not None
            assert heard.results[-1] == RIGHT[1]
            assert verdict(rule, heard).reason is Reason.PASSED


@pytest.mark.parametrize("rule", [PassRule.VERILOGEVAL, PassRule.RTLLM])
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
def test_no_run_passes_at_a_limit_whatever_was_said(rule: PassRule, end: ProcessEnd, reason: Reason) -> None:
    assert verdict(rule, printed_lines(*RIGHT, *PASSED), end=end).reason is reason


@pytest.mark.parametrize("rule", [PassRule.VERILOGEVAL, PassRule.RTLLM])
@pytest.mark.parametrize("exit_code", [0, NOT_COMPILED])
def test_without_a_simulation_the_design_does_not_compile(rule: PassRule, exit_code: int) -> None:
    assert verdict(rule, None, exit_code=exit_code).reason is Reason.BUILD_FAILED


def test_a_testbenchs_verdict_tells_one_test() -> None:
    decision = verdict(PassRule.VERILOGEVAL, printed_lines("Mismatches: 3 in 20 samples"))
    assert [(test.name, test.passed) for test in decision.tests] == [("testbench", False)]
    assert decision.detail == "3 of 20 samples differ from the reference."


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
    decision = verdict(
        PassRule.CVDP, None, exit_code=exit_code, hidden_results=cvdp_results, failures=failures, simulates=simulates
    )
    assert decision.reason is reason


def test_a_flood_of_lines_is_not_remembered() -> None:
    listener = Listener(Criterion(rule=PassRule.RTLLM, heard=False), io.BytesIO())
    listener.write(f"{SIMULATES}\n".encode() + b"passed\n" * 200_000)
    listener.write(b"x" * 1_000_000)
    assert listener.testbench_output is not None
    assert len(listener.testbench_output.results) <= 100_000
    assert len(listener._open_line) < 10_000
