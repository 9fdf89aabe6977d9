"""A design that loops in zero time, or does nothing that the tests wait for, ends a run early; the verdict says so."""

from __future__ import annotations

import io

import pytest

from benchwright_foundation.home import Home
from benchwright_harness.decision.criterion import ZERO_TIME
from benchwright_harness.execution import run as harness_run
from benchwright_harness.execution.run import run_harness
from benchwright_harness.plan.selection import ToolSelection
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.verdict import Reason

from ..support.designs.submissions import run
from .submission import Simulator, flow

LOOPS = {
    "an event": "initial forever #0;",
    "a block": 'integer i = 0; initial while (i != -5) begin i = i + 2; if (i == -7) $display("no"); end',
    "two gates": "reg p; initial p = 0; always @(p) p <= ~p;",
    "a later time": "always @(posedge clk, posedge a) while (1) #0;",
}
EACH: list[tuple[str, Simulator, str]] = [
    *((name, "icarus", loop) for name in ("cocotb", "shell") for loop in LOOPS),
    *(("cocotb", "verilator", loop) for loop in ("a block", "two gates")),
    *((name, "verilator", loop) for name in ("shell", "verilogeval") for loop in ("a block", "a later time")),
    *(("verilogeval", "icarus", loop) for loop in LOOPS),
]


@pytest.mark.sampled
@pytest.mark.parametrize(("name", "simulator", "loop"), EACH)
async def test_a_loop_in_zero_time_is_named(
    name: str, simulator: Simulator, loop: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(harness_run, "_STANDSTILL_S", 1.0)
    chosen_flow = flow(name)
    body = LOOPS[loop] if "clk" in chosen_flow.right else LOOPS[loop].replace("posedge clk, ", "")
    design_bytes = chosen_flow.right.replace("endmodule", f"{body}\nendmodule\n").encode()
    verdict, output, _ = await run(chosen_flow, design_bytes, Toolchain.find(Home.from_environment().cache), simulator)
    assert (verdict.reason, verdict.detail) == (Reason.TESTS_FAILED, ZERO_TIME), f"{verdict}{output[-3000:]}"


WAITS = """
import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge


@cocotb.test()
async def rises(dut):
    Clock(dut.a, 2, "ns").start()
    await RisingEdge(dut.y)
"""
NOTHING_AWAITED = "The simulation ran on, but nothing that the tests wait for happened any more."
NEVER: list[tuple[Simulator, str]] = [
    ("icarus", "assign y = 1'b0;"),
    ("verilator", "assign y = 1'b0;"),
    ("icarus", "assign y = !a; initial force y = 1'b0;"),
    ("icarus", ""),
]


@pytest.mark.parametrize(("simulator", "body"), NEVER)
async def test_a_design_that_never_does_what_a_test_waits_for_is_named(
    simulator: Simulator, body: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(harness_run, "_MIN_SILENCE_S", 2.0)
    monkeypatch.setattr(harness_run, "_SILENCE_SHARE", 0.0)
    problem = flow("cocotb").problem(simulator)
    hidden_part = problem.hidden.model_copy(update={"harness": {**problem.hidden.harness, "src/test_inv.py": WAITS}})
    log = io.BytesIO()
    verdict = await run_harness(
        problem.model_copy(update={"hidden": hidden_part}),
        {"rtl/inv.sv": f"module inv(input a, output y);\n{body}\nendmodule\n".encode()},
        sandbox=BwrapSandbox(),
        toolchain=Toolchain.find(Home.from_environment().cache),
        log=log,
        selection=ToolSelection(simulator=simulator),
    )
    reason_and_detail = (verdict.reason, verdict.detail)
    assert reason_and_detail == (Reason.TESTS_FAILED, NOTHING_AWAITED), f"{verdict}{log.getvalue()[-3000:]!r}"
