from __future__ import annotations

import pytest

from benchwright_verilog.language.calls import CallKind
from benchwright_verilog.language.places import Place, call_at, cursor_at

CURSOR = "‸"


def place_of(text: str) -> Place:
    return cursor_at(text.replace(CURSOR, ""), text.index(CURSOR)).place


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("‸", Place.TOP),
        ("module m; endmodule ‸", Place.TOP),
        ("`define A 1 \\\n 2\n‸", Place.TOP),
        ("// mod\n‸", Place.TOP),
        ("module m; /* */ ‸", Place.ITEM),
        ("module m; generate if (A) begin : g ‸", Place.ITEM),
        ("`timescale 1ns/1ps\nmodule m;\n`ifdef X\n‸", Place.ITEM),
        ("module m; always_comb begin ‸", Place.STATEMENT),
        ("module m; always_ff @(posedge clk) ‸", Place.STATEMENT),
        ("module m; always @* ‸", Place.STATEMENT),
        ("module m; initial begin a <= b; ‸ end", Place.STATEMENT),
        ("module m; initial begin if (a) ‸ end", Place.STATEMENT),
        ("module m; initial begin case (x) A: ‸", Place.STATEMENT),
        ("module m; function int f(input int a); ‸", Place.STATEMENT),
        ("module m; always_ff @(posedge ‸", Place.EXPRESSION),
        ("module m; initial begin x = ‸", Place.EXPRESSION),
        ("module m; assign y = a & ‸ ;endmodule", Place.EXPRESSION),
        ("module m; logic [‸", Place.EXPRESSION),
        ("module m; initial begin x = a ? b : ‸", Place.EXPRESSION),
        ("module m; initial begin case (x) ‸", Place.EXPRESSION),
        ("module m; initial foo(a, ‸", Place.EXPRESSION),
        ("module m; sub u (.a(b), .c(x‸", Place.EXPRESSION),
        ("module m (input ‸", Place.TYPE),
        ("typedef struct packed { logic a; ‸", Place.TYPE),
        ("module m (‸", Place.PORT_DECLARATION),
        ("module m import p::*; #(parameter A=1) (input logic a, ‸", Place.PORT_DECLARATION),
        ("module m; function int f(‸", Place.PORT_DECLARATION),
        ("module m; sub u (‸", Place.CONNECTION),
        ("module m; sub u (.a(x),\n  ‸\nendmodule", Place.CONNECTION),
        ("module m; sub #(‸", Place.CONNECTION),
        ("module m; sub #(.W(3)) u (.a(b), .‸  ); endmodule", Place.CONNECTED_NAME),
        ("module m; sub u1(.a(1)), u2 (.‸", Place.CONNECTED_NAME),
        ("module m; sub u(.a(1) \n .‸", Place.CONNECTED_NAME),
        ("module m; assign x = u.v[3].‸ endmodule", Place.MEMBER),
        ("module m; assign x = pkg::‸", Place.SCOPED),
        ("module m; import a::*, ‸", Place.PACKAGE),
        ("module m; assign x = `‸", Place.MACRO),
        ("`ifdef A‸", Place.MACRO_NAME),
        ("module m; initial $dis‸", Place.SYSTEM),
        ('`include "ab‸', Place.INCLUDE),
        ("// mod‸", Place.NOTHING),
        ("/* ‸", Place.NOTHING),
        ('module m; initial $display("a‸', Place.NOTHING),
        ("module m; assign a = 8'hf‸", Place.NOTHING),
        ("module m; assign a = 8'‸", Place.NOTHING),
        ("module m; logic ‸", Place.NOTHING),
        ("module ‸", Place.NOTHING),
        ("module m; assign x ‸", Place.NOTHING),
    ],
)
def test_a_place_is_known_by_what_stands_before_it(text: str, expected: Place) -> None:
    assert place_of(text) is expected


@pytest.mark.parametrize("size", [10, 300, 3000])
def test_a_comment_that_begins_like_a_module_begins_none(size: int) -> None:
    """However long it is what comes before."""
    filling = "  assign a = b;\n" * size
    text = f"module m;\n{filling}  always_comb begin\n/*\nmodule of old:\n*/\n    if (a) ‸"
    assert place_of(text) is Place.STATEMENT


def test_a_long_file_is_read_from_the_last_module_on() -> None:
    before = "module other;\n  initial begin\n" + "    a = b; // c\n" * 3000 + "  end\nendmodule\n"
    assert place_of(before + "module m;\n  ‸") is Place.ITEM
    assert place_of(before + "module m;\n  always_comb begin\n    ‸") is Place.STATEMENT


@pytest.mark.parametrize(
    ("text", "kind", "path", "argument", "named", "taken"),
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
    text: str, kind: CallKind, path: tuple[str, ...], argument: int, named: str | None, taken: tuple[str, ...]
) -> None:
    text = "module m;\n  " + text
    call = call_at(text.replace(CURSOR, ""), text.index(CURSOR))
    assert call is not None
    assert (call.kind, call.path, call.argument, call.named, call.taken) == (kind, path, argument, named, taken)


@pytest.mark.parametrize("text", ["initial if (‸", "initial #(‸", "initial x = (‸", "sub u (); ‸", "// f(‸"])
def test_other_parentheses_are_no_call(text: str) -> None:
    text = "module m;\n  " + text
    assert call_at(text.replace(CURSOR, ""), text.index(CURSOR)) is None
