from __future__ import annotations

import pytest

from benchwright_verilog.language.completion.calls import CallKind
from benchwright_verilog.language.completion.cursor import ExpectedCode, call_at, cursor_at

CURSOR = "‸"


def place_of(text: str) -> ExpectedCode:
    return cursor_at(text.replace(CURSOR, ""), text.index(CURSOR)).expected_code


@pytest.mark.parametrize(
    ("text", "expected_place"),
    [
        ("‸", ExpectedCode.TOP),
        ("module m; endmodule ‸", ExpectedCode.TOP),
        ("`define A 1 \\\n 2\n‸", ExpectedCode.TOP),
        ("// mod\n‸", ExpectedCode.TOP),
        ("module m; /* */ ‸", ExpectedCode.ITEM),
        ("module m; generate if (A) begin : g ‸", ExpectedCode.ITEM),
        ("`timescale 1ns/1ps\nmodule m;\n`ifdef X\n‸", ExpectedCode.ITEM),
        ("module m; always_comb begin ‸", ExpectedCode.STATEMENT),
        ("module m; always_ff @(posedge clk) ‸", ExpectedCode.STATEMENT),
        ("module m; always @* ‸", ExpectedCode.STATEMENT),
        ("module m; initial begin a <= b; ‸ end", ExpectedCode.STATEMENT),
        ("module m; initial begin if (a) ‸ end", ExpectedCode.STATEMENT),
        ("module m; initial begin case (x) A: ‸", ExpectedCode.STATEMENT),
        ("module m; function int f(input int a); ‸", ExpectedCode.STATEMENT),
        ("module m; always_ff @(posedge ‸", ExpectedCode.EXPRESSION),
        ("module m; initial begin x = ‸", ExpectedCode.EXPRESSION),
        ("module m; assign y = a & ‸ ;endmodule", ExpectedCode.EXPRESSION),
        ("module m; logic [‸", ExpectedCode.EXPRESSION),
        ("module m; initial begin x = a ? b : ‸", ExpectedCode.EXPRESSION),
        ("module m; initial begin case (x) ‸", ExpectedCode.EXPRESSION),
        ("module m; initial foo(a, ‸", ExpectedCode.EXPRESSION),
        ("module m; sub u (.a(b), .c(x‸", ExpectedCode.EXPRESSION),
        ("module m (input ‸", ExpectedCode.TYPE),
        ("typedef struct packed { logic a; ‸", ExpectedCode.TYPE),
        ("module m (‸", ExpectedCode.PORT_DECLARATION),
        ("module m import p::*; #(parameter A=1) (input logic a, ‸", ExpectedCode.PORT_DECLARATION),
        ("module m; function int f(‸", ExpectedCode.PORT_DECLARATION),
        ("module m; sub u (‸", ExpectedCode.CONNECTION),
        ("module m; sub u (.a(x),\n  ‸\nendmodule", ExpectedCode.CONNECTION),
        ("module m; sub #(‸", ExpectedCode.CONNECTION),
        ("module m; sub #(.W(3)) u (.a(b), .‸  ); endmodule", ExpectedCode.CONNECTED_NAME),
        ("module m; sub u1(.a(1)), u2 (.‸", ExpectedCode.CONNECTED_NAME),
        ("module m; sub u(.a(1) \n .‸", ExpectedCode.CONNECTED_NAME),
        ("module m; assign x = u.v[3].‸ endmodule", ExpectedCode.MEMBER),
        ("module m; assign x = pkg::‸", ExpectedCode.SCOPED),
        ("module m; import a::*, ‸", ExpectedCode.PACKAGE),
        ("module m; assign x = `‸", ExpectedCode.MACRO),
        ("`ifdef A‸", ExpectedCode.MACRO_NAME),
        ("module m; initial $dis‸", ExpectedCode.SYSTEM),
        ('`include "ab‸', ExpectedCode.INCLUDE),
        ("// mod‸", ExpectedCode.NOTHING),
        ("/* ‸", ExpectedCode.NOTHING),
        ('module m; initial $display("a‸', ExpectedCode.NOTHING),
        ("module m; assign a = 8'hf‸", ExpectedCode.NOTHING),
        ("module m; assign a = 8'‸", ExpectedCode.NOTHING),
        ("module m; logic ‸", ExpectedCode.NOTHING),
        ("module ‸", ExpectedCode.NOTHING),
        ("module m; assign x ‸", ExpectedCode.NOTHING),
    ],
)
def test_a_place_is_known_by_what_stands_before_it(text: str, expected_place: ExpectedCode) -> None:
    assert place_of(text) is expected_place


@pytest.mark.parametrize("size", [10, 300, 3000])
def test_a_comment_that_begins_like_a_module_begins_none(size: int) -> None:
    """However long it is what comes before."""
    filling = "  assign a = b;\n" * size
    text = f"module m;\n{filling}  always_comb begin\n/*\nmodule of old:\n*/\n    if (a) ‸"
    assert place_of(text) is ExpectedCode.STATEMENT


def test_a_long_file_is_read_from_the_last_module_on() -> None:
    text_before = "module other;\n  initial begin\n" + "    a = b; // c\n" * 3000 + "  end\nendmodule\n"
    assert place_of(text_before + "module m;\n  ‸") is ExpectedCode.ITEM
    assert place_of(text_before + "module m;\n  always_comb begin\n    ‸") is ExpectedCode.STATEMENT


@pytest.mark.parametrize(
    ("text", "call_kind", "path", "argument", "argument_name", "taken_names"),
    [
        ("sub u (.a(x), .b(y‸", CallKind.PORTS, ("sub",), 1, "b", ("a",)),
        ("sub #(1, 2‸", CallKind.PARAMETERS, ("sub",), 1, None, ()),
        ("initial pkg::f(a[1, 2], {b, c}, ‸", CallKind.ARGUMENTS, ("pkg", "::", "f"), 2, None, ()),
        ("initial o.m[3].f(‸", CallKind.ARGUMENTS, ("o", ".", "m", ".", "f"), 0, None, ()),
        ("initial x = f(g(1), (2 + ‸", CallKind.ARGUMENTS, ("f",), 1, None, ()),
        ("sub u [3:0] (‸", CallKind.PORTS, ("sub",), 0, None, ()),
        ("function automatic pkg::t [3:0] f(‸", CallKind.HEAD, (), 0, None, ()),
    ],
)
def test_an_open_call_tells_what_is_called_and_where_one_is(
    text: str,
    call_kind: CallKind,
    path: tuple[str, ...],
    argument: int,
    argument_name: str | None,
    taken_names: tuple[str, ...],
) -> None:
    text = "module m;\n  " + text
    call = call_at(text.replace(CURSOR, ""), text.index(CURSOR))
    assert call is not None
    assert (call.call_kind, call.callee_path, call.argument_index, call.argument_name, call.taken_names) == (
        call_kind,
        path,
        argument,
        argument_name,
        taken_names,
    )


@pytest.mark.parametrize("text", ["initial if (‸", "initial #(‸", "initial x = (‸", "sub u (); ‸", "// f(‸"])
def test_other_parentheses_are_no_call(text: str) -> None:
    text = "module m;\n  " + text
    assert call_at(text.replace(CURSOR, ""), text.index(CURSOR)) is None
