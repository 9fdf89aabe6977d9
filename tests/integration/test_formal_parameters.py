"""Proofs with other parameters than the defaults."""

from __future__ import annotations

import pytest

from benchwright_formal.opinion import ComparisonResult, ReferenceOpinion, compare_formally
from benchwright_harness.sandbox.registry import open_sandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.equivalence import NO_DONT_CARES, DontCares, ParameterSets

REFERENCE = """module adder #(parameter WIDTH = 4) (input [WIDTH-1:0] a, input [WIDTH-1:0] b, output [WIDTH-1:0] y);
  assign y = a + b;
endmodule

module top #(parameter int WIDTH = 8, parameter int STEP = 2) (
  input clk, input rst, input [WIDTH-1:0] d, output reg [WIDTH-1:0] q, output last
);
  localparam MOST = 3;
  wire [WIDTH-1:0] next;
  adder #(.WIDTH(WIDTH)) add(.a(d), .b(STEP[WIDTH-1:0]), .y(next));
  assign last = &q;
  always @(posedge clk) if (rst) q <= 0; else q <= next;
endmodule
"""
ONLY_AT_3 = REFERENCE.replace("q <= next", "q <= WIDTH == 3 ? ~next : next")
OTHERWISE_WRITTEN = REFERENCE.replace("a + b", "(a ^ b) + ((a & b) << 1)")


async def compared(
    reference: str,
    design: str,
    toolchain: Toolchain,
    parameter_sets: ParameterSets,
    dont_cares: DontCares = NO_DONT_CARES,
) -> ReferenceOpinion:
    reference_files, design_files = ({"rtl/top.sv": text.encode()} for text in (reference, design))
    return await compare_formally(
        reference_files,
        design_files,
        "top",
        sandbox=open_sandbox("bwrap"),
        toolchain=toolchain,
        dont_cares=dont_cares,
        parameter_sets=parameter_sets,
    )


async def test_a_difference_with_one_set_alone_is_found_and_replayed_with_it(toolchain: Toolchain) -> None:
    assert (await compared(REFERENCE, ONLY_AT_3, toolchain, ())).result is ComparisonResult.EQUIVALENT
    opinion = await compared(REFERENCE, ONLY_AT_3, toolchain, ({"WIDTH": 5}, {"WIDTH": 3, "STEP": 1}, {"WIDTH": 4}))
    assert (opinion.result, dict(opinion.parameters)) == (ComparisonResult.DIFFERS, {"WIDTH": 3, "STEP": 1})
    assert opinion.cycle == 1
    first_inputs = opinion.stimulus[0]
    expected_q = 0 if first_inputs["rst"] else (first_inputs["d"] + 1) % 8
    assert (opinion.output, opinion.expected, len(opinion.found)) == ("q", f"{expected_q:03b}", 3)


async def test_a_difference_with_the_defaults_has_no_parameters(toolchain: Toolchain) -> None:
    wrong_design = REFERENCE.replace("q <= next", "q <= ~next")
    opinion = await compared(REFERENCE, wrong_design, toolchain, ({"WIDTH": 3},))
    assert (opinion.result, dict(opinion.parameters)) == (ComparisonResult.DIFFERS, {})


async def test_what_is_equal_with_all_sets_is_equivalent(toolchain: Toolchain) -> None:
    sets: ParameterSets = ({"WIDTH": 3}, {"WIDTH": 16, "STEP": 7}, {"WIDTH": 8})
    opinion = await compared(REFERENCE, OTHERWISE_WRITTEN, toolchain, sets)
    assert opinion == ReferenceOpinion(result=ComparisonResult.EQUIVALENT)


@pytest.mark.parametrize(
    "design",
    [
        REFERENCE.replace(", parameter int STEP = 2", "").replace("MOST = 3", "STEP = 2"),
        REFERENCE.replace("parameter int STEP", "localparam int STEP"),
    ],
)
async def test_a_design_without_a_parameter_of_a_set_is_unknown(design: str, toolchain: Toolchain) -> None:
    assert (await compared(REFERENCE, design, toolchain, ({"WIDTH": 3},))).result is ComparisonResult.EQUIVALENT
    opinion = await compared(REFERENCE, design, toolchain, ({"WIDTH": 3}, {"WIDTH": 5, "STEP": 1}))
    assert (opinion.result, dict(opinion.parameters)) == (ComparisonResult.UNKNOWN, {"WIDTH": 5, "STEP": 1})
    assert opinion.reason == "the design: it has no parameter STEP (WIDTH = 5, STEP = 1)"


async def test_a_difference_counts_more_than_a_set_before_it_that_is_unknown(toolchain: Toolchain) -> None:
    latch = "reg kept; always @* if (d[0]) kept = d[1]; assign last = kept;"
    generate_block = f"generate if (WIDTH == 5) begin {latch} end else assign last = &q; endgenerate"
    design = ONLY_AT_3.replace("assign last = &q;", generate_block)
    unknown_opinion = await compared(REFERENCE, design, toolchain, ({"WIDTH": 5},))
    assert (unknown_opinion.result, unknown_opinion.reason) == (
        ComparisonResult.UNKNOWN,
        "the design: it has a latch (WIDTH = 5)",
    )
    opinion = await compared(REFERENCE, design, toolchain, ({"WIDTH": 5}, {"WIDTH": 3}))
    assert (opinion.result, dict(opinion.parameters)) == (ComparisonResult.DIFFERS, {"WIDTH": 3})


async def test_a_value_has_the_sign_that_it_has_in_an_instance(toolchain: Toolchain) -> None:
    text = """module top #(parameter LEAST = 8) (input signed [3:0] a, output y);
  assign y = a < LEAST;
endmodule
"""
    signed = text.replace("a < LEAST", "a[3] || a[2:0] < LEAST")
    assert (await compared(text, signed, toolchain, ({"LEAST": 3},))).result is ComparisonResult.EQUIVALENT


async def test_what_does_not_count_is_left_out_with_other_parameters_too(toolchain: Toolchain) -> None:
    design = REFERENCE.replace("last = &q", "last = WIDTH == 3 ? |q : &q")
    sets: ParameterSets = ({"WIDTH": 3},)
    assert (await compared(REFERENCE, design, toolchain, sets)).result is ComparisonResult.DIFFERS
    left_open = DontCares(always=("last",))
    assert (await compared(REFERENCE, design, toolchain, sets, left_open)).result is ComparisonResult.EQUIVALENT
