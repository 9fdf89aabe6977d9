"""Messages of the compilers that a solver reads name nothing hidden."""

from __future__ import annotations

import json

import pytest

from benchwright_harness.decision.compiler_messages import (
    with_busy_compiler_if_over_limit,
    with_compiler_messages_if_unbuilt,
)
from benchwright_harness.decision.report import parse_step_report
from benchwright_problems.problem import Difficulty, Hidden, Problem, ProblemKind, Provenance, Public
from benchwright_problems.verdict import Reason, Verdict

HARNESS = {"src/tb.sv": "// an error of the reset\nmodule tb; logic secret_state, reset; dut u_dut(); endmodule"}


def _shown_messages(output: str, reason: Reason = Reason.BUILD_FAILED) -> list[str]:
    verdict = _verdict_with_messages(output, reason)
    assert bool(verdict.compiler) == ("does not compile: rtl/" in verdict.detail)
    return [str(message) for message in verdict.compiler]


PROBLEM = Problem(
    id="x",
    title="X",
    kind=ProblemKind.DESIGN,
    difficulty=Difficulty.EASY,
    provenance=Provenance(source="", license="", version=""),
    public=Public(statement="Write it.", expected=("rtl/dut.sv",)),
    hidden=Hidden(harness=HARNESS),
)


def _verdict_with_messages(
    output: str, reason: Reason = Reason.BUILD_FAILED, code: str = "assign q_out = clk +;"
) -> Verdict:
    report_messages = [
        {"session": 0, "tool": "iverilog", "kind": "compile"},
        {"session": 0, "finished": True, "status": 2, "said": output},
    ]
    report = parse_step_report("\n".join(map(json.dumps, report_messages)).encode())
    solution = {"rtl/dut.sv": f"module dut(input clk, output q_out);\n{code}\nendmodule\n".encode()}
    return with_compiler_messages_if_unbuilt(Verdict(reason=reason), PROBLEM, solution, [report, report])


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("/code/rtl/dut.sv:2: syntax error", "rtl/dut.sv:2: syntax error"),
        ("../rtl/dut.sv:2: error: Malformed statement", "rtl/dut.sv:2: Malformed statement"),
        ("%Error: /code/rtl/dut.sv:2:20: syntax error, unexpected ';'", "rtl/dut.sv:2: syntax error, unexpected ';'"),
        ("%Error-PINMISSING: rtl/dut.sv:2:3: Pin missing", "rtl/dut.sv:2: Pin missing"),
        ("/code/rtl/dut.sv:2: ERROR: syntax error, unexpected TOK_ID", "rtl/dut.sv:2: syntax error, unexpected TOK_ID"),
    ],
)
def test_an_error_in_a_file_of_the_solver_is_shown_once_with_its_line(output: str, message: str) -> None:
    assert _shown_messages(output) == [message]


@pytest.mark.parametrize(
    "output",
    [
        "/src/tb.sv:2: syntax error",
        "/code/rtl/other.sv:2: syntax error",
        "/code/rtl/dut.sv:2: warning: implicit wire",
        "%Warning-WIDTH: /code/rtl/dut.sv:2:3: Operator ADD expects 8 bits",
        "/code/rtl/dut.sv:2: sorry: constant selects in always_* processes are not currently supported (all bits will"
        " be included).",
        "%Error-USERERROR: /code/rtl/dut.sv:2:3: WIDTH is 8",
        "2 error(s) during elaboration.",
    ],
)
def test_other_files_warnings_and_what_the_design_prints_are_not_shown(output: str) -> None:
    assert _shown_messages(output) == []


def test_names_that_only_the_hidden_part_has_are_left_out_and_ordinary_words_stay() -> None:
    output = "/code/rtl/dut.sv:2: error: Unable to bind `reset' or secret_state in `tb.u_dut$9b1' of the reset: q_out"
    assert _shown_messages(output) == ["rtl/dut.sv:2: Unable to bind `…' or … in `….…' of the reset: q_out"]


def test_a_design_that_builds_has_no_messages() -> None:
    assert _shown_messages("/code/rtl/dut.sv:2: syntax error", Reason.TESTS_FAILED) == []


@pytest.mark.parametrize(
    ("said", "code", "construct"),
    [
        ('sorry: "inside" expressions not supported yet.', "assign q = a inside {1, 2};", "`inside`"),
        ("sorry: break statements not supported.", "for (int i = 0; i < 4; i++) break;", "`break`"),
        ("syntax error", "assign q = '{default: 0};", "an assignment pattern"),
        ("syntax error", "always_comb case (a)\n  inside 1: q = 1; endcase", "`inside`"),
        ("sorry: Streaming concatenation not supported.", "assign q = {<<{a}};", "a streaming concatenation"),
        ("syntax error", "assert property (@(posedge clk) a);", "a concurrent assertion"),
        ("syntax error", "bind a b c();", "`bind`"),
        ("syntax error", "always @(posedge clk) unique if (a) q <= 0;", "`unique if` or `priority if`"),
        (
            "error: Variable 'q' cannot be driven by a primitive or x",
            "and (q, a);",
            "a primitive that drives a variable",
        ),
        ("error: Type names are not valid expressions here.", "int m[string];", "an associative array"),
        ("syntax error", "module t(bus.slave p, output q);", "a port that is an interface"),
        (
            "sorry: the variable d as an input port that is given a net is not supported: without `var` it is one",
            "module t(input var d, output q);",
            "a variable that is an input port",
        ),
        ("sorry: Unpacked structs not supported.", "t u;", "what it calls “Unpacked structs not supported”"),
        ("syntax error", "always_ff @(posedge clk iff a) q <= 1;", "`iff`"),
        ("syntax error", "for (int i = 0, j = 7; i < 8; i++, j--) y[i] = a[j];", "a loop with several variables"),
        (
            "error: Function t.f port x is not an input port.",
            "function automatic void f(output x); x = 1; endfunction",
            "a function with an output",
        ),
        ('error: Object t.k has no method "sum(...)".', "n = k.sum();", "a method of arrays or strings"),
        ('error: Object t.k has no method "total(...)".', "n = k.total();", None),
        ("error: Function t.f port x is not an input port.", "f(x);", None),
        ("syntax error", "assign q = clk +; // inside", None),
        ('error: Unable to bind `x"', "assign q = x inside {1};", None),
    ],
)
def test_a_construct_that_icarus_cannot_read_is_named_as_its_limit(said: str, code: str, construct: str | None) -> None:
    line = code.count("\n") + 2
    verdict = _verdict_with_messages(f"/code/rtl/dut.sv:{line}: {said}", code=code)
    assert verdict.reason is (Reason.TOOL_FAILED if construct else Reason.BUILD_FAILED)
    if construct:
        assert verdict.detail == f"Icarus Verilog can't read {construct} (rtl/dut.sv, line {line})."


def _verdict_at_limit(code: str, reason: Reason, **last_message: object) -> Verdict:
    report_messages = [{"session": 0, "tool": "verilator", "kind": "compile"}, {"session": 0, **last_message}]
    report = parse_step_report("\n".join(map(json.dumps, report_messages)).encode())
    solution = {"rtl/dut.sv": f"module dut;\n{code}\nendmodule\n".encode()}
    return with_busy_compiler_if_over_limit(Verdict(reason=reason, detail="Out."), PROBLEM, solution, [report])


@pytest.mark.parametrize(
    ("code", "number"),
    [
        ("assert property (@(posedge clk) a |-> ##100000 b);", "100000 (rtl/dut.sv, line 2)"),
        ("logic [7:0] m;\ninitial repeat (1_000_000) m = 2000;", "1_000_000 (rtl/dut.sv, line 3)"),
        ("assign q = 32'd4000000; // 5000000", ""),
        ('initial $display("9999999"); logic [999:0] m;', ""),
        ("genvar x9999; assign y = 1.5e9999; wire a5000;", ""),
    ],
)
def test_a_compiler_that_was_killed_is_named_with_the_largest_plain_number(code: str, number: str) -> None:
    verdict = _verdict_at_limit(code, Reason.TIMEOUT)
    assert verdict.detail == "Out. Until then verilator compiled the design."
    assert verdict.hint == (f"The largest number in it is {number}." if number else "")


@pytest.mark.parametrize(
    ("reason", "last_message"),
    [(Reason.TIMEOUT, {"finished": True, "status": 0}), (Reason.TESTS_FAILED, {}), (Reason.MACHINE_BUSY, {})],
)
def test_of_a_run_that_ends_later_or_otherwise_no_compiler_is_named(
    reason: Reason, last_message: dict[str, object]
) -> None:
    assert _verdict_at_limit("int x = 100000;", reason, **last_message) == Verdict(reason=reason, detail="Out.")


def test_a_check_that_fails_at_a_limit_of_icarus_before_anything_was_simulated_is_that_limit() -> None:
    code = "let f(x) = x;"
    verdict = _verdict_with_messages("/code/rtl/dut.sv:2: syntax error", Reason.TESTS_FAILED, code)
    assert verdict.reason is Reason.TOOL_FAILED
    assert verdict.detail == "Icarus Verilog can't read `let` (rtl/dut.sv, line 2)."
    assert _verdict_with_messages("/code/rtl/dut.sv:2: syntax error", Reason.TESTS_FAILED).reason is Reason.TESTS_FAILED
