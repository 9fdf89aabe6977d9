"""Designs that do something else than the reference, written so that neither a proof nor a simulation may see it."""

from __future__ import annotations

import pytest

from benchwright_formal.opinion import ComparisonResult
from benchwright_harness.toolchain import Toolchain

from ..support.designs.formal_opinion import compare_designs

LOGIC = "module top(input [7:0] a, input [7:0] b, output reg [7:0] y);\n  {}\nendmodule\n"
REGISTER = "module top(input clk, input rst, input [7:0] d, output reg [7:0] q);\n  {}\nendmodule\n"
AND = LOGIC.format("always @* y = a & b;")
CHOICE = LOGIC.format("always @* y = (a == 8'h5a) ? b : a;")
FUNCTION = "function [7:0] f(input [7:0] x); f = (x == 8'h5a) ? b : x; endfunction"
COPY = REGISTER.format("always @(posedge clk) if (rst) q <= 0; else q <= d;")
SPY = "module spy(input clk, input [7:0] d);\n  always @(posedge clk) if (d == 8'h5a) top.q <= 0;\nendmodule\n"


@pytest.mark.parametrize(
    ("reference", "design", "reason"),
    [
        # What happens late.
        (AND, LOGIC.format("always @* y = ($time > 600000) ? 0 : a & b;"), "$time, which is no signal"),
        (AND, LOGIC.format("always @* y = (a == 8'h5a) ? $random : a & b;"), "$random, which is no signal"),
        # A process that sleeps while what it reads changes: random inputs seldom show it.
        (CHOICE, LOGIC.format("wire hit = a == 8'h5a; always @(a) y = hit ? b : a;"), "reads hit, which is not in its"),
        (CHOICE, LOGIC.format("always @(a or b[0]) y = (a == 8'h5a) ? b : a;"), "reads b, which is not in its list"),
        (CHOICE, LOGIC.format(f"{FUNCTION} always @* y = f(a);"), "f reads b, which wakes no process"),
        (CHOICE, LOGIC.replace("reg ", "").format(f"{FUNCTION} assign y = f(a);"), "f reads b, which wakes no process"),
        (
            CHOICE,
            LOGIC.format("reg [7:0] t; always @* begin y = (a == 8'h5a) ? t : a; t = b; end"),
            "before it assigns",
        ),
        # A process of another module.
        (COPY, SPY + COPY.replace("endmodule", "spy s(clk, d);\nendmodule"), "top.q, which is no signal of its module"),
        # What would hide such a process from whoever reads the tree of its text.
        (AND, LOGIC.format('initial $display("\\n    AST_ALWAYS <x:1.1-1.2>"); always @* y = a & b;'), "into lines"),
        (AND, LOGIC.format('initial $display("x\\n        ATTR \\\\x:\\n"); always @* y = a & b;'), "into lines"),
        (AND, f'`line 1 "x.sv" 0\n{AND}', "names of its lines"),
        # Events and delays that no proof sees.
        (COPY, REGISTER.format("always @(posedge clk) q <= #9 rst ? 0 : d;"), "a simulation finds a difference"),
        (AND, LOGIC.format("always @* y = a & b; always @* if (a == 8'h5a) y = 0;"), "several drivers"),
        (COPY, REGISTER.format("wire c = clk & d != 8'h5a; always @(posedge c) q <= rst ? 0 : d;"), "its clock is not"),
    ],
)
async def test_what_a_proof_would_not_see_is_no_equivalence(
    reference: str, design: str, reason: str, toolchain: Toolchain
) -> None:
    opinion = await compare_designs(reference, design, toolchain)
    assert opinion.result is ComparisonResult.UNKNOWN, opinion
    assert reason in opinion.reason


RARE = "always @* begin y = 3; {} a[0]: y = 2; default: y = 3; endcase end"
CASE = "case (1'b1) (a == 8'h5a && b == 8'hc3): y = 1;"


@pytest.mark.parametrize(
    ("design", "reason"),
    [
        (LOGIC.format(RARE.format(f"(* parallel_case *) {CASE}")), "`parallel_case`"),
        (LOGIC.format(RARE.format(f"unique {CASE}")), "`full_case`"),
        (LOGIC.format(RARE.format(f"priority {CASE}")), "`full_case`"),
        # What a macro stands for is no other design.
        ("`define X parallel_case\n" + LOGIC.format(RARE.format(f"(* `X *) {CASE}")), "`parallel_case`"),
        ("`define X(a, b) a``b\n" + LOGIC.format(RARE.format(f"(* `X(parallel_, case) *) {CASE}")), ""),
        ("`define U unique\n" + LOGIC.format(RARE.format(f"`U {CASE}")), "`full_case`"),
        ("`define U uni``que\n" + LOGIC.format(RARE.format(f"`U {CASE}")), ""),
        (LOGIC.format("always @* y = (a ^ b) === 8'hx ? a : b;"), "asks for unknown values"),
        ("`define Q 8'hx\n" + LOGIC.format("always @* y = (a ^ b) === `Q ? a : b;"), "asks for unknown values"),
        (LOGIC.format("localparam Q = 8'hx; always @* y = (a ^ b) !== Q ? a : b;"), "asks for unknown values"),
        (LOGIC.format("always @* y = $isunknown(a) ? a : b;"), ""),
    ],
)
async def test_what_frees_yosys_alone_is_no_equivalence(design: str, reason: str, toolchain: Toolchain) -> None:
    opinion = await compare_designs(LOGIC.format(RARE.format(CASE)), design, toolchain)
    assert opinion.result is ComparisonResult.UNKNOWN, opinion
    assert reason in opinion.reason


RARELY = LOGIC.format("{} always @* y = (a == 8'h5a && b == 8'h3c) ? ({}) : a;")


def rarely(value: str, declarations: str = "", prefix: str = "") -> str:
    """A design that differs from others of its kind for one of 65,536 inputs, which random ones seldom find."""
    return prefix + RARELY.format(declarations, value)


@pytest.mark.parametrize(
    ("reference", "design", "reason"),
    [
        (rarely("b"), rarely("b + P", "localparam P = 4'd15 + 4'd1;"), "P is calculated of values that have a size"),
        (rarely("b"), rarely("b + L", "parameter [3:0] K = 15; localparam L = K + 4'd1;"), "L is calculated"),
        (
            rarely("b + 6"),
            rarely("b + q", "wire [7:0] q; sub #(.K(5)) s(q); defparam s.K = 3;")
            + "module sub(output [7:0] q); parameter K = 1; localparam L = K * 2; assign q = L; endmodule\n",
            "by `defparam`",
        ),
        (
            rarely("b[6]"),
            rarely("s.p[1]", "struct packed {logic [0:3] p; logic [3:0] q;} s; assign s = b;"),
            "an ascending range",
        ),
        (rarely("98"), rarely("`M(b)", prefix='`define M(x) "x"\n'), "has a string"),
        (
            rarely("b + 2"),
            rarely("b + `V", prefix="`define Q 1\n`undefineall\n`ifdef Q\n`define V 1\n`else\n`define V 2\n`endif\n"),
            "`undefineall`",
        ),
        (
            rarely("b"),
            rarely("b + `V", prefix="`ifdef __LINE__\n`define V 1\n`else\n`define V 0\n`endif\n"),
            "each tool",
        ),
        (
            rarely("b"),
            rarely(
                "b + `V",
                prefix='`define Z "/*"\n`ifdef YOSYS\n`define V 1\n`else\n`define V 0\n`endif\n`define Y "*/"\n',
            ),
            "each tool",
        ),
        (rarely("n", "bit [7:0] n; always @* n = a[0] ? b : 8'hx;"), rarely("b"), "has two states"),
        (
            rarely("b + 252"),
            rarely(
                "b + P",
                "function [3:0] f(input [3:0] x); reg signed [3:0] t; begin t = x; f = t >>> 1; end endfunction"
                " localparam P = f(9);",
            ),
            "f gives a constant",
        ),
        (
            rarely("0"),
            LOGIC.format(
                "localparam N = 3'sd5; always @* begin y = a; if (a == 8'h5a && b == 8'h3c)"
                " begin y = 0; repeat (N) y = y * 2 + b; end end"
            ),
            "rounds of a `repeat`",
        ),
        (
            COPY,
            REGISTER.format("always @(posedge clk) begin q <= rst ? 0 : d; if (d == 8'h5a && !rst) q = d; end"),
            "q is assigned at once",
        ),
    ],
)
async def test_what_yosys_reads_otherwise_is_no_equivalence(
    reference: str, design: str, reason: str, toolchain: Toolchain
) -> None:
    opinion = await compare_designs(reference, design, toolchain)
    assert opinion.result is ComparisonResult.UNKNOWN, opinion
    assert reason in opinion.reason


async def test_comparisons_with_what_is_known_are_compared(toolchain: Toolchain) -> None:
    reference = LOGIC.format("always @* casez (a) 8'b1???????: y = b; default: y = 0; endcase")
    design = LOGIC.format("(* keep *) wire hit = a[7] === 1'b1; always @* y = hit ? b : 8'h0;")
    assert (await compare_designs(reference, design, toolchain)).result is ComparisonResult.EQUIVALENT


@pytest.mark.parametrize(
    ("reference", "design"),
    [
        (AND, LOGIC.format("always @* begin y = a & b; case (a) 8'h5a: if (b == 8'hc3) y = 0; endcase end")),
        (AND, LOGIC.format("always_comb begin assume (a != 8'h5a); y = (a == 8'h5a) ? 0 : a & b; end")),
        (
            AND,
            LOGIC.format("function [7:0] f(input [7:0] x); if (x != 8'h5a) f = x; endfunction always @* y = f(a) & b;"),
        ),
        (
            AND,
            LOGIC.format("reg [2:0] i; always @* begin y = 0; for (i = 0; i < 7; i = i + 1) y[i] = a[i] & b[i]; end"),
        ),
        (
            AND,
            "module gold(input a, b, output y);\n  assign y = a | b;\nendmodule\n" + LOGIC.format("gold g(a, b, y);"),
        ),
        (LOGIC.format("always @* y = a >> 1;"), LOGIC.format("always @* y = $signed(a) >>> 1;")),
        (LOGIC.format("always @* y = $signed(a) < $signed(b);"), LOGIC.format("always @* y = $signed(a) < b;")),
        (LOGIC.format("always @* y = (a + b) >> 1;"), LOGIC.format("always @* y = ({1'b0, a} + b) >> 1;")),
        (LOGIC.format("always @* y = a >> b[2:0];"), LOGIC.format("always @* y = a[b[2:0] +: 8];")),
        (COPY, REGISTER.format("initial q = 0; always @(posedge clk) q <= rst ? 0 : q ^ d;")),
        (COPY, REGISTER.format("reg [7:0] m; always @(posedge clk) m = d; always @(posedge clk) q = rst ? 0 : m;")),
    ],
)
async def test_a_difference_of_language_is_found(reference: str, design: str, toolchain: Toolchain) -> None:
    opinion = await compare_designs(reference, design, toolchain)
    assert opinion.result is ComparisonResult.DIFFERS, opinion


@pytest.mark.parametrize(
    "design",
    [
        LOGIC.format("parameter K = 0; reg [7:0] t; always @(a, b) begin t = a; y = t & b | K; end"),
        LOGIC.format("integer i; always @(a or b) for (i = 7; i >= 0; i = i - 1) y[i] = a[i] & b[i];"),
        LOGIC.format("function automatic [7:0] f(input [7:0] x, z); f = x & z; endfunction always_comb y = f(a, b);"),
        LOGIC.format("reg [7:0] t; always @* begin t <= a; y <= t & b; end"),
        LOGIC.format('initial $display("hello\\n"); always @* y = a & b;'),
        LOGIC.format("genvar i; for (i = 0; i < 8; i = i + 1) begin : g always @(a, b) y[i] = a[i] & b[i]; end"),
    ],
)
async def test_a_process_that_hears_all_that_it_reads_is_compared(design: str, toolchain: Toolchain) -> None:
    assert (await compare_designs(AND, design, toolchain)).result is ComparisonResult.EQUIVALENT
