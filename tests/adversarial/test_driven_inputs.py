"""A testbench whose signals are nets, which a design's output could drive."""

from __future__ import annotations

import io

import pytest

from benchwright_foundation.home import Home
from benchwright_harness.execution.run import run_harness
from benchwright_harness.plan.selection import ToolSelection
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.verdict import Reason

from ..support.designs.submissions import run, toolchain
from .submission import flow

__all__ = ("toolchain",)

DESIGN = """module TopModule(input clk, {port} [3:0] a, output logic [3:0] y);
assign (supply0, supply1) a = {drives};
always @(posedge clk) y <= 4'd3;
endmodule
"""
RIGHT = flow("verilogeval").right


@pytest.mark.parametrize(
    ("design", "reason"),
    [
        (DESIGN.format(port="output", drives="0"), Reason.TAMPERED),
        (DESIGN.format(port="inout", drives="0"), Reason.TAMPERED),
        (RIGHT, Reason.PASSED),
        (DESIGN.format(port="input", drives="0"), Reason.TAMPERED),
        (DESIGN.format(port="input", drives="y & 0"), Reason.TAMPERED),
        (RIGHT.replace("input [3:0] a", "input [3:0] a, output pass"), Reason.PASSED),
    ],
)
@pytest.mark.parametrize("idle", ["", "  reg [3:0] idle;\n  initial idle = 4'bz;\n"])
async def test_a_design_that_drives_what_it_is_given_is_tampered(design: str, reason: Reason, idle: str) -> None:
    """A testbench that can leave a net alone may have a bus, which is for both."""
    chosen_flow = flow("verilogeval")
    problem = chosen_flow.problem()
    harness = {
        path: text.replace("logic [3:0] a, wanted, got;", f"wire [3:0] a, wanted, got;\n{idle}")
        for path, text in problem.hidden.harness.items()
    }
    assert harness != problem.hidden.harness
    problem = problem.model_copy(update={"hidden": problem.hidden.model_copy(update={"harness": harness})})
    log = io.BytesIO()
    verdict = await run_harness(
        problem,
        {chosen_flow.expected: f"{design}\n".encode()},
        sandbox=BwrapSandbox(),
        toolchain=Toolchain.find(Home.from_environment().cache),
        log=log,
        selection=ToolSelection(simulator="icarus"),
    )
    assert verdict.reason is reason, log.getvalue().decode()


# Icarus makes such a variable one more driver of the net that it is given.
SUB = "module sub(input var logic p, output logic q); {more}assign q = ~p; endmodule\n"
VARIABLES = [
    (f"{SUB}module inv(input a, output y); sub s(.p(a), .q(y)); endmodule", Reason.TOOL_FAILED),
    (f"{SUB}module inv(input [0:0] a, output y); sub s(.p(a[0]), .q(y)); endmodule", Reason.TOOL_FAILED),
    (f"{SUB}module inv(input a, output y); wire n = ~a; sub s(.p(n), .q(y)); endmodule", Reason.TOOL_FAILED),
    (f"{SUB}module inv(input var logic a, output y); sub s(.p(a), .q(y)); endmodule", Reason.PASSED),
    (f"{SUB}module inv(input a, output y); logic n; assign n = a; sub s(.p(n), .q(y)); endmodule", Reason.PASSED),
    (f"{SUB}module inv(input a, output y); sub s(.q()); assign y = ~a; endmodule", Reason.PASSED),
    (
        f"{SUB.replace('{more}', 'initial #1 p = 0; ')}module inv(input a, output y); sub s(.p(a), .q(y)); endmodule",
        Reason.TAMPERED,
    ),
]


@pytest.mark.parametrize(("design", "reason"), VARIABLES)
async def test_a_variable_that_is_an_input_is_tampering_only_if_the_design_writes_it(
    design: str, reason: Reason, toolchain: Toolchain
) -> None:
    verdict, output, _ = await run(flow("cocotb"), design.replace("{more}", "").encode(), toolchain, "icarus")
    assert verdict.reason is reason, output
    assert ("a variable that is an input port (rtl/inv.sv, line 1)" in verdict.detail) is (reason is Reason.TOOL_FAILED)
