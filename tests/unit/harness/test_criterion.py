"""The authors' rules, on outputs that were seen and on outputs that were forged."""

from __future__ import annotations

import io

import pytest

from benchwright_harness.criterion import COMPILE, SIMULATE, Criterion, Listener, Rule, Said, decide
from benchwright_harness.process import End, Ended
from benchwright_harness.results import Results
from benchwright_problems.problem import Limits
from benchwright_problems.verdict import Reason, Verdict
from benchwright_problems.verdict import TestResult as HiddenTest

TOKEN = "0123456789abcdef"
NOTHING = Results(cocotb=(), simulations=0, pytest=())
RIGHT = f"Hint: Output 'y' has no mismatches.\n{TOKEN} $finish\n{TOKEN} Mismatches: 0 in 20 samples\n"


def heard(rule: Rule, output: str, simulator: str = "icarus", chunk: int = 7) -> Said:
    listener = Listener(Criterion(rule=rule, token=TOKEN, simulator=simulator), io.BytesIO())
    content = output.encode()
    for start in range(0, len(content), chunk):
        listener.write(content[start : start + chunk])
    return listener.said


def verdict(
    rule: Rule,
    output: str = "",
    *,
    step: str = SIMULATE,
    end: End = End.EXITED,
    exit_code: int = 0,
    results: Results = NOTHING,
    failures: int = 0,
    simulates: bool = True,
    simulator: str = "icarus",
) -> Verdict:
    return decide(
        Criterion(rule=rule, token=TOKEN, simulates=simulates, simulator=simulator),
        said=heard(rule, output, simulator),
        step=step,
        ended=Ended(end, exit_code, 1.0),
        results=results,
        failures=failures,
        limits=Limits(),
    )


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        (RIGHT, Reason.PASSED),
        (RIGHT.replace("0 in 20", "1 in 20"), Reason.TESTS_FAILED),
        (RIGHT.replace("0 in 20", "0 in 0"), Reason.TESTS_FAILED),
        (RIGHT.replace("0 in 20", "10 in 20"), Reason.TESTS_FAILED),
        ("", Reason.TESTS_FAILED),
        (RIGHT + "TIMEOUT\n", Reason.TESTS_FAILED),
        ("/src/x/test.sv:1: syntax error\n" + RIGHT, Reason.TESTS_FAILED),
        ("x: error: something\n" + RIGHT, Reason.TESTS_FAILED),
        # A design that prints the line, with or without the real one.
        ("Mismatches: 0 in 20 samples\n", Reason.TAMPERED),
        ("Mismatches: 0 in 20 samples\n" + RIGHT.replace("0 in", "5 in"), Reason.TAMPERED),
        ("x Mismatches: 0 in 20 samples" + " " * 5000 + "\n" + RIGHT, Reason.PASSED),
        # A design that ends the simulation: the final block still speaks, of the samples up to there.
        (RIGHT.replace(f"{TOKEN} $finish\n", ""), Reason.TAMPERED),
        (RIGHT.replace(f"{TOKEN} $finish", "/src/t.sv:3: $finish called at 3"), Reason.TAMPERED),
        # The signed line twice can't come from one simulation.
        (RIGHT + RIGHT, Reason.TESTS_FAILED),
        ("\0\x1b[2J" + RIGHT + "no newline at the end", Reason.PASSED),
    ],
)
def test_verilogeval_wants_no_mismatch_in_some_samples(output: str, reason: Reason) -> None:
    assert verdict(Rule.VERILOGEVAL, output).reason is reason


def test_verilators_own_errors_count_and_its_compilers_words_do_not() -> None:
    flags = "c++ -Werror=return-type errors.cpp\n"
    assert verdict(Rule.VERILOGEVAL, flags + RIGHT, simulator="verilator").reason is Reason.PASSED
    error = "%Error: t.sv:3: Assertion failed\n"
    assert verdict(Rule.VERILOGEVAL, error + RIGHT, simulator="verilator").reason is Reason.TESTS_FAILED


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        (f"{TOKEN} ===========Your Design Passed===========\n", Reason.PASSED),
        (f"{TOKEN} =========== Your Design Passed ===========\n" * 2, Reason.PASSED),
        ("===========Failed===========          3\n", Reason.TESTS_FAILED),
        ("===========Error===========\n", Reason.TESTS_FAILED),
        ("", Reason.TESTS_FAILED),
        ("===========Your Design Passed===========\n", Reason.TAMPERED),
        (f"your design passed\n{TOKEN} ===========Your Design Passed===========\n", Reason.TAMPERED),
        ("pass_request = 1\ncompassed\n", Reason.TESTS_FAILED),
    ],
)
def test_rtllm_wants_the_testbenchs_pass_line(output: str, reason: Reason) -> None:
    assert verdict(Rule.RTLLM, output).reason is reason


@pytest.mark.parametrize("rule", [Rule.VERILOGEVAL, Rule.RTLLM])
@pytest.mark.parametrize(
    ("end", "reason"),
    [
        (End.TIMEOUT, Reason.TIMEOUT),
        (End.STARVED, Reason.MACHINE_BUSY),
        (End.MEMORY, Reason.MEMORY),
        (End.FOLDER_QUOTA, Reason.FOLDER_QUOTA),
        (End.OUTPUT_QUOTA, Reason.OUTPUT_QUOTA),
    ],
)
def test_no_run_passes_at_a_limit_whatever_was_said(rule: Rule, end: End, reason: Reason) -> None:
    assert verdict(rule, RIGHT, end=end).reason is reason


@pytest.mark.parametrize("rule", [Rule.VERILOGEVAL, Rule.RTLLM])
def test_a_design_that_does_not_compile_is_told_apart(rule: Rule) -> None:
    assert verdict(rule, RIGHT, step=COMPILE, exit_code=2).reason is Reason.BUILD_FAILED


@pytest.mark.parametrize("rule", [Rule.VERILOGEVAL, Rule.RTLLM])
def test_an_exit_status_alone_never_passes(rule: Rule) -> None:
    assert verdict(rule, "", exit_code=0).reason is Reason.TESTS_FAILED


def test_a_testbenchs_verdict_tells_one_test() -> None:
    said = verdict(Rule.VERILOGEVAL, RIGHT.replace("0 in 20", "3 in 20"))
    assert [(test.name, test.passed) for test in said.tests] == [("testbench", False)]
    assert said.detail == "3 of 20 samples differ from the reference."


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
    results = Results(cocotb=cocotb, simulations=len(cocotb), pytest=pytest_results)
    said = verdict(Rule.CVDP, "passed", exit_code=exit_code, results=results, failures=failures, simulates=simulates)
    assert said.reason is reason


def test_what_is_heard_is_passed_on() -> None:
    log = io.BytesIO()
    listener = Listener(Criterion(rule=Rule.RTLLM, token=TOKEN), log)
    listener.write(b"one\ntw")
    listener.write(b"o")
    assert log.getvalue() == b"one\ntwo"


def test_a_flood_of_lines_is_not_remembered() -> None:
    listener = Listener(Criterion(rule=Rule.RTLLM, token=TOKEN), io.BytesIO())
    for _ in range(1000):
        listener.write(f"{TOKEN} passed\n".encode())
    listener.write(b"x" * 1_000_000)
    assert len(listener.said.results) < 20
    assert len(listener._rest) < 10_000
