"""The party at fault where a run did not pass."""

from __future__ import annotations

import json
from io import BytesIO

import pytest

from benchwright_harness.decision.criterion import NOT_RUN, ZERO_TIME
from benchwright_harness.decision.fault import (
    TOOL_HINT,
    settled_by_reference,
    settled_by_starting_files,
    with_attributed_fault,
)
from benchwright_harness.decision.report import StepReport, parse_step_report
from benchwright_harness.decision.results import Execution, FailureWatch, Results
from benchwright_harness.execution.process import ProcessEnd, StepEnd
from benchwright_problems.verdict import Outcome, Reason, TestResult, Verdict

NOT_BUILT = Verdict(reason=Reason.BUILD_FAILED)
UNRUN = Verdict(reason=Reason.BUILD_FAILED, detail=NOT_RUN)
PASSED = Verdict(reason=Reason.PASSED)
INTERNAL = "%Error: Internal Error: /code/rtl/x.sv:3:1: ../V3FsmDetect.cpp:412: Unexpected state\n"


def step_report(*report_messages: dict[str, object]) -> StepReport:
    return parse_step_report("\n".join(map(json.dumps, report_messages)).encode())


def report_of_tool_run(tool: str, status: int, output: str = "", kind: str = "compile") -> StepReport:
    begin_message = {"session": 0, "tool": tool, "kind": kind}
    return step_report(begin_message, {"session": 0, "finished": True, "status": status, "said": output})


def verdict_with_fault(
    verdict: Verdict,
    *reports: StepReport,
    pytest: tuple[TestResult, ...] = (),
    exit_code: int = 1,
    argv: tuple[str, ...] = ("pytest",),
    console_bytes: bytes = b"",
    simulates: bool = True,
) -> Verdict:
    watch = FailureWatch(BytesIO())
    watch.write(console_bytes)
    execution = Execution(
        argv=argv,
        step_end=StepEnd(ProcessEnd.EXITED, exit_code, 1.0),
        output=None,
        watch=watch,
        reports=reports,
        test_results=Results(cocotb=(), simulations=0, pytest=pytest),
        memory_bytes=0,
        waited_s=0.0,
        remarks=(),
    )
    return with_attributed_fault(verdict, execution, is_simulation_expected=simulates)


@pytest.mark.parametrize(
    ("tool", "output"),
    [
        ("verilator", INTERNAL),
        ("verilator", "%Error: Verilator threw signal 11. Suggest trying --debug --gdbbt\n"),
        ("iverilog", "ivl: elaborate.cc:1234: NetExpr* elab(): Assertion `rv' failed.\n"),
        ("yosys", "ERROR: Assert `it != end' failed in kernel/rtlil.cc:77.\n"),
    ],
)
def test_a_compiler_that_crashes_decides_nothing(tool: str, output: str) -> None:
    verdict = verdict_with_fault(NOT_BUILT, report_of_tool_run(tool, 1, output))
    assert (verdict.outcome, verdict.reason) == (Outcome.ERROR, Reason.TOOL_FAILED)
    assert tool in verdict.detail


@pytest.mark.parametrize(
    ("status", "output"),
    [
        (128 + 24, ""),
        (2, "c++: fatal error: CPU time limit exceeded signal terminated program cc1plus\n"),
        (1, "%Error: Verilator threw signal 24. \n"),
    ],
)
def test_a_compiler_that_used_its_processor_time_up_is_a_time_out(status: int, output: str) -> None:
    verdict = verdict_with_fault(NOT_BUILT, report_of_tool_run("verilator", status, output))
    assert (verdict.outcome, verdict.reason) == (Outcome.FAILED, Reason.TIMEOUT)
    assert verdict.detail == "verilator took more processor time over the design than compiling it may."


def test_the_place_in_the_tool_is_named_and_nothing_of_the_design() -> None:
    detail = verdict_with_fault(NOT_BUILT, report_of_tool_run("verilator", 1, INTERNAL)).detail
    assert "V3FsmDetect.cpp:412" in detail
    assert "x.sv" not in detail


@pytest.mark.parametrize(
    ("tool", "output"),
    [
        (
            "verilator",
            "%Error: /code/rtl/x.sv:3:5: syntax error, unexpected end\n%Error: Internal Error: V3A.cpp:1: x\n",
        ),
        ("iverilog", "/code/rtl/x.sv: No such file or directory\nSegmentation fault\n"),
        ("verilator", "%Error: /code/rtl/x.sv:3:5: syntax error\n"),
        ("yosys", "/code/rtl/x.sv:1: ERROR: syntax error, unexpected TOK_ID\n"),
    ],
)
def test_a_complaint_about_the_design_is_the_designs(tool: str, output: str) -> None:
    assert verdict_with_fault(NOT_BUILT, report_of_tool_run(tool, 1, output)) == NOT_BUILT


@pytest.mark.parametrize(
    ("tool", "output", "option"),
    [
        ("verilator", "%Error: Invalid option: --nonsense\n", "--nonsense"),
        ("iverilog", "/opt/x/libexec/iverilog: invalid option -- 'z'\n", "'z'"),
        ("yosys", "ERROR: No such command: synthh (type 'help' for a command overview)\n", "synthh"),
    ],
)
def test_an_unknown_option_is_the_harnesss(tool: str, output: str, option: str) -> None:
    verdict = verdict_with_fault(NOT_BUILT, report_of_tool_run(tool, 1, output))
    assert verdict.reason is Reason.TOOL_FAILED
    assert option in verdict.detail


def test_a_simulation_that_crashes_is_never_a_pass() -> None:
    verdict = verdict_with_fault(PASSED, report_of_tool_run("simulation", 139, kind="simulate"), exit_code=0)
    assert verdict.reason is Reason.TESTS_FAILED


def test_a_simulation_that_crashes_fails_and_is_decided() -> None:
    assert (
        verdict_with_fault(NOT_BUILT, report_of_tool_run("simulation", 139, INTERNAL, kind="simulate")).reason
        is Reason.TESTS_FAILED
    )


def test_a_failed_test_is_decided_whatever_else_there_was() -> None:
    simulated = step_report(
        {"session": 0, "tests": ["a"], "results": "/code/rundir/results.xml"},
        {"session": 0, "test": "a", "passed": False, "message": "wrong"},
        {"harness": "missing", "said": "gtkwave"},
    )
    failed_verdict = Verdict(reason=Reason.TESTS_FAILED)
    assert verdict_with_fault(failed_verdict, simulated) == failed_verdict


@pytest.mark.parametrize("is_early", [True, False])
def test_an_error_of_the_harness_counts_as_its_own_only_before_anything_has_read_the_design(is_early: bool) -> None:
    broke: dict[str, object] = {"harness": "broken", "said": "NameError: name 'x' is not defined"}
    reads: dict[str, object] = {"session": 0, "tool": "iverilog", "kind": "compile"}
    verdict = verdict_with_fault(NOT_BUILT, step_report(*([broke, reads] if is_early else [reads, broke])))
    assert verdict.reason is (Reason.BAD_HARNESS if is_early else Reason.BUILD_FAILED)


def test_an_error_in_a_later_step_is_not_early() -> None:
    broke = step_report({"harness": "broken", "said": "NameError: name 'x' is not defined"})
    assert verdict_with_fault(NOT_BUILT, report_of_tool_run("iverilog", 0), broke) == NOT_BUILT


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ("ModuleNotFoundError: No module named 'vendor_tools'", Reason.BAD_HARNESS),
        ("SyntaxError: invalid syntax", Reason.BAD_HARNESS),
        ("TypeError: build() got an unexpected keyword argument 'wave'", Reason.BAD_HARNESS),
        ("AttributeError: 'NoneType' object has no attribute 'group'", Reason.TESTS_FAILED),
        ("FileNotFoundError: [Errno 2] No such file or directory: '/code/rtl/x.sv'", Reason.TESTS_FAILED),
        ("AssertionError: the comment is missing", Reason.TESTS_FAILED),
    ],
)
def test_what_pytest_says_before_a_tool_has_run(message: str, reason: Reason) -> None:
    failed_tests = (TestResult(name="test_runner", passed=False, message=message),)
    assert (
        verdict_with_fault(Verdict(reason=Reason.TESTS_FAILED), step_report({"ended": 1}), pytest=failed_tests).reason
        is reason
    )


def test_the_same_after_a_tool_has_run_may_be_a_forgery() -> None:
    failed_tests = (TestResult(name="test_runner", passed=False, message="SyntaxError: invalid syntax"),)
    assert (
        verdict_with_fault(NOT_BUILT, report_of_tool_run("vvp", 0, kind="simulate"), pytest=failed_tests) == NOT_BUILT
    )


def test_a_crash_that_the_reference_does_not_meet_counts_as_failed() -> None:
    crashed = verdict_with_fault(NOT_BUILT, report_of_tool_run("verilator", 1, INTERNAL))
    assert settled_by_reference(crashed, PASSED).outcome is Outcome.FAILED
    assert "V3FsmDetect.cpp:412" in settled_by_reference(crashed, PASSED).detail
    assert settled_by_reference(crashed, crashed) == crashed


@pytest.mark.parametrize(
    "stopped",
    [
        verdict_with_fault(NOT_BUILT, report_of_tool_run("verilator", 1, INTERNAL)),
        Verdict(reason=Reason.TOOL_FAILED, detail="Icarus Verilog can't read `let` (a.sv, line 2).", hint=TOOL_HINT),
    ],
    ids=["crash", "construct"],
)
def test_without_a_reference_a_tools_stop_fails_a_design_where_the_given_files_are_decided_on(stopped: Verdict) -> None:
    settled = settled_by_starting_files(stopped, NOT_BUILT)
    assert (settled.reason, settled.detail.endswith(". The same tools read the files as they were given.")) == (
        Reason.BUILD_FAILED,
        True,
    )
    for undecided in (stopped, Verdict(reason=Reason.MACHINE_BUSY), Verdict(reason=Reason.TOOL_MISSING)):
        assert settled_by_starting_files(stopped, undecided) == stopped
    assert settled_by_starting_files(undecided, NOT_BUILT) == undecided


def test_a_compiler_whose_file_grows_too_large_is_no_crash() -> None:
    assert verdict_with_fault(UNRUN, report_of_tool_run("verilator", 128 + 25)).reason is Reason.FOLDER_QUOTA


@pytest.mark.parametrize(
    ("reports", "detail"),
    [
        ((report_of_tool_run("iverilog", 2),), "iverilog ended in an error"),
        ((report_of_tool_run("iverilog", 0),), "the design compiles, but no test of it began"),
        ((step_report({"ended": 1}),), "no tool has read the design"),
    ],
)
def test_where_no_test_ran_the_verdict_says_how_far_the_run_got(reports: tuple[StepReport, ...], detail: str) -> None:
    verdict = verdict_with_fault(UNRUN, *reports)
    assert (verdict.reason, verdict.detail) == (Reason.BUILD_FAILED, f"The hidden tests did not run: {detail}.")


def test_tests_that_run_with_the_reference_neither_are_broken() -> None:
    unrun = verdict_with_fault(UNRUN, report_of_tool_run("iverilog", 0))
    assert settled_by_reference(unrun, unrun).reason is Reason.BAD_HARNESS
    assert settled_by_reference(unrun, PASSED).reason is Reason.BUILD_FAILED
    assert settled_by_reference(unrun, Verdict(reason=Reason.TESTS_FAILED)) == unrun
    assert settled_by_reference(PASSED, PASSED) == PASSED


def test_a_script_that_only_checks_fails_the_design_by_its_exit_status() -> None:
    verdict = verdict_with_fault(UNRUN, step_report({"ended": 1}), simulates=False, argv=("python", "check.py"))
    assert verdict.reason is Reason.TESTS_FAILED


def test_a_full_disk_is_named_as_one() -> None:
    verdict = verdict_with_fault(
        UNRUN, report_of_tool_run("verilator", 1, "error: error writing to /tmp/x.s: No space left on device\n")
    )
    assert verdict.reason is Reason.FOLDER_QUOTA


@pytest.mark.parametrize(
    ("argv", "reason"),
    [(("pytest", "-x"), Reason.BAD_HARNESS), (("grep", "module", "/code/rtl/a.sv"), Reason.BUILD_FAILED)],
)
def test_only_pytest_says_by_its_exit_status_that_a_harness_is_broken(argv: tuple[str, ...], reason: Reason) -> None:
    assert verdict_with_fault(NOT_BUILT, step_report(), exit_code=2, argv=argv).reason is reason


def test_a_simulation_that_ran_and_failed_is_no_failure_to_build() -> None:
    verdict = verdict_with_fault(
        NOT_BUILT, report_of_tool_run("iverilog", 0), report_of_tool_run("vvp", 1, kind="simulate")
    )
    assert (verdict.reason, verdict.detail) == (Reason.TESTS_FAILED, "The simulation ended in an error.")


def test_time_that_stands_still_is_named_by_the_signal_or_by_verilator() -> None:
    for verdict in (
        verdict_with_fault(NOT_BUILT, report_of_tool_run("vvp", 128 + 24, kind="simulate")),
        verdict_with_fault(NOT_BUILT, console_bytes=b"%Error-DIDNOTCONVERGE: x.sv:1: Active region did not converge\n"),
    ):
        assert (verdict.reason, verdict.detail) == (Reason.TESTS_FAILED, ZERO_TIME)
    assert verdict_with_fault(PASSED, console_bytes=b"%Error-DIDNOTCONVERGE: x\n").reason is Reason.PASSED
