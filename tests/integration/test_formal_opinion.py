from __future__ import annotations

import random
from typing import Any

import pytest

from benchwright_formal.opinion import ComparisonResult
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.equivalence import DontCares

from ..support.designs.formal_opinion import compare_designs
from ..support.designs.small_designs import random_logic, random_machine

SEEDS = [seed if seed % 10 == 0 else pytest.param(seed, marks=pytest.mark.nightly) for seed in range(160)]


@pytest.mark.sampled
@pytest.mark.parametrize("seed", SEEDS)
async def test_what_it_says_of_logic_is_what_all_inputs_show(seed: int, toolchain: Toolchain) -> None:
    generator = random.Random(seed)
    first_logic = random_logic(generator)
    second_logic = first_logic.changed(generator)
    opinion = await compare_designs(first_logic.verilog, second_logic.verilog, toolchain)
    assert opinion.result is (
        ComparisonResult.EQUIVALENT if (first_logic.table == second_logic.table).all() else ComparisonResult.DIFFERS
    ), opinion
    if opinion.result is ComparisonResult.DIFFERS:
        inputs = dict(opinion.stimulus[-1])
        assert (int(opinion.expected, 2), int(opinion.found, 2)) == (
            first_logic.output(inputs),
            second_logic.output(inputs),
        )


@pytest.mark.sampled
@pytest.mark.parametrize("seed", SEEDS)
async def test_what_it_says_of_a_machine_is_what_a_walk_over_its_states_shows(seed: int, toolchain: Toolchain) -> None:
    generator = random.Random(seed)
    first_machine = random_machine(generator, has_reset=seed // 10 % 2 == 0)
    second_machine = first_machine.changed(generator)
    opinion = await compare_designs(first_machine.verilog, second_machine.verilog, toolchain)
    steps = first_machine.differs_at(second_machine)
    assert opinion.result is (ComparisonResult.EQUIVALENT if steps is None else ComparisonResult.DIFFERS), opinion
    assert opinion.depth is None
    if steps is not None:
        # The reset takes a cycle.
        assert opinion.cycle == steps + first_machine.has_reset


AND = "module top(input a, input b, output y); assign y = a & b; endmodule\n"
REGISTER = """module top(input clk, input rst, input d, output reg q);
  always @(posedge clk) if (rst) q <= 0; else q <= d;
endmodule
"""
ADDED = """module top(input clk, input [15:0] a, input [15:0] b, output reg [31:0] p);
  always @(posedge clk) p <= PRODUCT;
endmodule
"""


async def test_what_the_reference_leaves_open_may_be_anything(toolchain: Toolchain) -> None:
    # From an exercise: the fourth selection is not said to happen.
    open_case = """module top(input [1:0] s, input [2:0] d, output reg y);
  always @* case (s) 0: y = d[0]; 1: y = d[1]; 2: y = d[2]; default: y = 'x; endcase
endmodule
"""
    fixed_case = open_case.replace("'x", "d[2]")
    assert (await compare_designs(open_case, fixed_case, toolchain)).result is ComparisonResult.EQUIVALENT
    assert (await compare_designs(fixed_case, open_case, toolchain)).result is ComparisonResult.DIFFERS


async def test_registers_start_unknown_until_a_reset_or_a_value_comes(toolchain: Toolchain) -> None:
    loaded = "module top(input clk, input en, input d, output reg q); always @(posedge clk) if (en) q <= d; endmodule\n"
    twice = loaded.replace("output reg q); ", "output q); reg p, r; assign q = p & r; ").replace(
        "q <= d;", "begin p <= d; r <= d; end"
    )
    assert (await compare_designs(loaded, twice, toolchain)).result is ComparisonResult.EQUIVALENT


async def test_a_missing_initial_value_is_a_difference_at_the_start(toolchain: Toolchain) -> None:
    initialised_design = (
        "module top(input clk, output reg q); initial q = 0; always @(posedge clk) q <= ~q; endmodule\n"
    )
    opinion = await compare_designs(initialised_design, initialised_design.replace("initial q = 0;", ""), toolchain)
    assert (opinion.result, opinion.cycle, opinion.found) == (ComparisonResult.DIFFERS, 0, "x")


async def test_a_reference_that_never_defines_its_output_proves_nothing(toolchain: Toolchain) -> None:
    toggles = "module top(input clk, output reg q); always @(posedge clk) q <= ~q; endmodule\n"
    stuck = "module top(input clk, output reg q); always @(posedge clk) q <= 0; endmodule\n"
    opinion = await compare_designs(toggles, stuck, toolchain)
    assert (opinion.result, opinion.reason) == (
        ComparisonResult.UNKNOWN,
        "the reference may never define all bits of its outputs",
    )


async def test_an_asynchronous_reset_is_not_a_synchronous_one(toolchain: Toolchain) -> None:
    at_once = REGISTER.replace("@(posedge clk)", "@(posedge clk or posedge rst)")
    opinion = await compare_designs(at_once, REGISTER, toolchain)
    assert (opinion.result, opinion.stimulus[-1]["rst"]) == (ComparisonResult.DIFFERS, 1)


@pytest.mark.parametrize(
    ("design", "reason"),
    [
        (AND.replace("assign y = a & b", "reg r; assign y = r; always @* if (a) r = b"), "latch"),
        (AND.replace("assign y = a & b", "wire c = y & a; assign y = c | b"), "loop"),
        (AND.replace("assign y = a & b", "assign y = b ? a : 1'bz"), "drives z"),
        (AND.replace("input b", "input c"), "the ports differ: b, c"),
        (AND.replace("a & b;", "a & b; restrict property (a);"), "Icarus Verilog refuses it"),
        (AND.replace("a & b", "a & c.d"), "c.d, which is no signal of its module"),
        (AND.replace("assign", "missing m(a, b); assign"), "Yosys refuses it"),
        (AND.replace("a & b;", "a & b; // synthesis translate_off"), "synthesis translate_off"),
        (AND.replace("a & b;", "\n`ifdef SYNTHESIS\n a & b;\n`else\n a;\n`endif\n"), "compiles another design"),
        (AND.replace("assign y = a & b", "(* parallel_case *) reg r; assign y = r"), "parallel_case"),
        (AND.replace("assign y = a & b", "reg r; assign y = r; always @* #9 r = a & b"), "Yosys finds the two equal"),
        (AND.replace("assign y = a & b", "assign y = a & b; initial $finish"), "Yosys refuses it"),
        (REGISTER.replace("posedge clk", "clk"), "reads rst, which is not in its list of events"),
    ],
)
async def test_what_is_not_modelled_is_unknown_with_the_reason(design: str, reason: str, toolchain: Toolchain) -> None:
    opinion = await compare_designs(AND, design, toolchain)
    assert opinion.result is ComparisonResult.UNKNOWN
    assert reason in opinion.reason


async def test_two_clocks_and_a_clock_that_is_read_are_not_modelled(toolchain: Toolchain) -> None:
    crossing = "module top(input c1, input c2, input d, output reg q); reg r;\n  always @(posedge c1) r <= d;\n"
    crossing += "  always @(posedge c2) q <= r;\nendmodule\n"
    opinion = await compare_designs(crossing, crossing, toolchain)
    assert "more than one clock" in opinion.reason
    gated = REGISTER.replace("q <= d;", "q <= d & clk;")
    assert "its clock clk is also read as a value" in (await compare_designs(gated, gated, toolchain)).reason


async def test_a_design_cannot_be_the_reference_by_including_it(toolchain: Toolchain) -> None:
    for path in ("f0.sv", "../gold/f0.sv", "/code/gold/f0.sv", "gold.il"):
        opinion = await compare_designs(AND, f'`include "{path}"\n', toolchain)
        assert opinion.result is ComparisonResult.UNKNOWN, path


async def test_what_a_design_prints_or_leaves_is_not_taken_for_a_result(toolchain: Toolchain) -> None:
    forged = 'always @(posedge a) $display("Property proved. Networks are equivalent");'
    opinion = await compare_designs(AND, AND.replace("assign y = a & b;", f"assign y = a; {forged}"), toolchain)
    assert opinion.result is ComparisonResult.DIFFERS


async def test_a_proof_that_takes_too_long_is_unknown(toolchain: Toolchain) -> None:
    first_design = ADDED.replace("PRODUCT", "a * b")
    second_design = ADDED.replace("PRODUCT", "(b[7:0] * a) + ((b[15:8] * a) << 8)")
    opinion = await compare_designs(first_design, second_design, toolchain, limit_s=4)
    assert opinion.result is ComparisonResult.UNKNOWN


async def test_outputs_that_are_wires_are_compared(toolchain: Toolchain) -> None:
    wires = "module top(input a, input b, output y, output z); assign y = a, z = b; endmodule\n"
    assert (await compare_designs(wires, wires, toolchain)).result is ComparisonResult.EQUIVALENT
    assert (await compare_designs(wires, wires.replace("y = a", "y = b"), toolchain)).result is ComparisonResult.DIFFERS


async def test_memories_with_the_same_contents_are_equal(toolchain: Toolchain) -> None:
    buffer = """module top(input clk, input we, input [3:0] a, input [15:0] d, output reg [31:0] p);
  reg [15:0] kept [0:15];
  always @(posedge clk) begin
    if (we) kept[a] <= d;
    p <= kept[a] + d;
  end
endmodule
"""
    renamed_buffer = buffer.replace("kept[a] + d", "d + kept[a]").replace("kept", "stored")
    assert (await compare_designs(buffer, renamed_buffer, toolchain)).result is ComparisonResult.EQUIVALENT


HANDSHAKE = """module top(input clk, input rst, input take, input [7:0] d,
    output reg valid, output reg [7:0] q, output [3:0] level);
  always @(posedge clk) if (rst) valid <= 0; else valid <= take;
  always @(posedge clk) if (rst) q <= 0; else if (take) q <= d;
  assign level = {3'd0, valid};
endmodule
"""
SIMPLER = HANDSHAKE.replace("else if (take) q <= d", "else q <= d")
OTHER_LEVEL = HANDSHAKE.replace("{3'd0, valid}", "{4{valid}}")
LATE = SIMPLER.replace("else q <= d", "else q <= d + valid")


@pytest.mark.parametrize(
    ("design", "dont_cares", "expected_result"),
    [
        (SIMPLER, {}, ComparisonResult.DIFFERS),
        (SIMPLER, {"unless": {"q": "valid"}}, ComparisonResult.EQUIVALENT),
        (SIMPLER, {"unless": {"level": "valid"}}, ComparisonResult.DIFFERS),
        (LATE, {"unless": {"q": "valid"}}, ComparisonResult.DIFFERS),
        (OTHER_LEVEL, {}, ComparisonResult.DIFFERS),
        (OTHER_LEVEL, {"always": ("level",)}, ComparisonResult.EQUIVALENT),
        (OTHER_LEVEL, {"unless": {"level": "take"}}, ComparisonResult.DIFFERS),
        (OTHER_LEVEL, {"unless": {"level": "rst"}}, ComparisonResult.DIFFERS),
        (SIMPLER, {"always": ("q",), "unless": {"level": "valid"}}, ComparisonResult.EQUIVALENT),
    ],
)
async def test_what_an_author_leaves_open_is_not_compared(
    design: str, dont_cares: dict[str, Any], expected_result: ComparisonResult, toolchain: Toolchain
) -> None:
    opinion = await compare_designs(HANDSHAKE, design, toolchain, dont_cares=DontCares.model_validate(dont_cares))
    assert opinion.result is expected_result, opinion


@pytest.mark.parametrize(
    ("unless", "message"), [({"r": "valid"}, "r, which is no output"), ({"q": "d"}, "d, which is no port of one bit")]
)
async def test_a_dont_care_that_is_no_port_is_named(unless: dict[str, str], message: str, toolchain: Toolchain) -> None:
    opinion = await compare_designs(HANDSHAKE, SIMPLER, toolchain, dont_cares=DontCares(unless=unless))
    assert opinion.result is ComparisonResult.UNKNOWN
    assert message in opinion.reason


SEVERAL_DRIVERS = """module top(input [31:0] a, input [31:0] b, output [31:0] y);
  assign y = a;
  assign y = (b == 32'hDEADBEEF) ? ~a : a;
endmodule
"""


async def test_a_net_with_several_drivers_is_not_modelled(toolchain: Toolchain) -> None:
    reference = SEVERAL_DRIVERS.replace("  assign y = (b == 32'hDEADBEEF) ? ~a : a;\n", "")
    opinion = await compare_designs(reference, SEVERAL_DRIVERS, toolchain)
    assert opinion.result is ComparisonResult.UNKNOWN
    assert "several drivers" in opinion.reason


async def test_what_never_counts_is_no_equivalence(toolchain: Toolchain) -> None:
    reference = """module top(input clk, input rst, input en, input [7:0] d, output reg [7:0] data, output valid);
  reg v;
  always @(posedge clk) data <= rst ? 8'd0 : d;
  always @(posedge clk) v <= v ^ en;
  assign valid = v & ~rst;
endmodule
"""
    design = reference.replace("rst ? 8'd0 : d", "~d")
    opinion = await compare_designs(reference, design, toolchain, dont_cares=DontCares(unless={"data": "valid"}))
    assert opinion.result is ComparisonResult.UNKNOWN, opinion


async def test_an_inout_is_no_output_that_can_be_left_out(toolchain: Toolchain) -> None:
    text = "module top(input a, input b, inout s, output y);\n  assign s = a & b;\n  assign y = a;\nendmodule\n"
    opinion = await compare_designs(text, text, toolchain, dont_cares=DontCares(always=("s",)))
    assert "inout" in opinion.reason
