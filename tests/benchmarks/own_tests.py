"""From asking for a test to its result, against cocotb's runner started by hand; ratios within one session.

Run as `.venv/bin/python tests/benchmarks/own_tests.py [ROUNDS]`; prints a Markdown table. *By hand* is
`python3 run.py` with cocotb's runner, or `iverilog && vvp`, in the toolchain's tree, with the files in place: no
sandbox, no limits, no result that an editor could show.
"""

from __future__ import annotations

import asyncio
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from benchwright_foundation.home import Home
from benchwright_harness.execution.run_folder import filled_run_folder
from benchwright_harness.own_tests.running import run_own_tests
from benchwright_harness.own_tests.simulation import OwnSimulation
from benchwright_harness.plan.selection import ToolSelection
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_harness.toolchain.tree import INSIDE

ROUNDS = 7
COUNTER = """\
module counter(input logic clk, input logic rst_n, output logic [31:0] q);
  always_ff @(posedge clk) if (!rst_n) q <= 0; else q <= q + 1;
endmodule
"""
TESTS = """\
import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge


@cocotb.test()
async def counts(dut):
    cocotb.start_soon(Clock(dut.clk, 10, unit="ns").start())
    dut.rst_n.value = 0
    await RisingEdge(dut.clk)
    await RisingEdge(dut.clk)
    dut.rst_n.value = 1
    for _ in range(1001):
        await RisingEdge(dut.clk)
    assert int(dut.q.value) == 1000
"""
BENCH = """\
module tb;
  logic clk = 0, rst_n = 0;
  logic [31:0] q;
  counter dut(.*);
  always #5 clk = ~clk;
  initial begin
    #12 rst_n = 1;
    #100000;
    if (q != 10000) $error("q is %0d", q);
    $finish;
  end
endmodule
"""
RUNNER = """\
from cocotb_tools.runner import get_runner

runner = get_runner("icarus")
runner.build(sources=["/code/rtl/counter.sv"], hdl_toplevel="counter", timescale=("1ns", "1ps"), always=True)
runner.test(hdl_toplevel="counter", test_module="test_counter", test_dir="/code/tests")
"""
FILES = {
    "rtl/counter.sv": COUNTER.encode(),
    "tests/test_counter.py": TESTS.encode(),
    "tests/run.py": RUNNER.encode(),
    "tb/tb.sv": BENCH.encode(),
}


@dataclass(frozen=True)
class Case:
    """Case that is run both ways."""

    name: str
    simulation: OwnSimulation
    by_hand: tuple[str, ...]


CASES = (
    Case(
        "cocotb",
        OwnSimulation(FILES, ("rtl/counter.sv",), "counter", module="tests/test_counter.py"),
        ("python3", "/code/tests/run.py"),
    ),
    Case(
        "testbench",
        OwnSimulation(FILES, ("tb/tb.sv", "rtl/counter.sv"), "tb"),
        ("sh", "-c", "iverilog -g2012 -s tb -o s /code/tb/tb.sv /code/rtl/counter.sv && vvp -n s"),
    ),
)


def by_hand(case: Case, toolchain: Toolchain) -> float:
    """Seconds of the command in the toolchain's tree."""
    code = Path(tempfile.mkdtemp(prefix="benchwright-bench-"))
    with filled_run_folder(code, FILES, None):
        tools = toolchain.environment(ToolSelection())
        tools["PATH"] = tools["PATH"].removeprefix(f"{INSIDE}/bin:")
        view = ["bwrap", "--clearenv", "--dev-bind", "/dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"]
        for name in ("usr", "etc", "opt", "bin", "sbin", "lib", "lib64"):
            folder = toolchain.root / name
            link = ["--symlink", str(folder.readlink()), f"/{name}"] if folder.is_symlink() else None
            view += link or ["--ro-bind", str(folder), f"/{name}"]
        view += ["--bind", str(code), "/code", "--chdir", "/code/rundir"]
        for name, value in {**tools, "LANG": "C.UTF-8", "HOME": "/code/rundir", "PYTHONPATH": "/code/tests"}.items():
            view += ["--setenv", name, value]
        start = time.monotonic()
        process = subprocess.run([*view, "--", *case.by_hand], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        seconds = time.monotonic() - start
    if process.returncode != 0:
        sys.exit(process.stdout.decode(errors="replace")[-2000:])
    return seconds


async def ours(case: Case, sandbox: BwrapSandbox, toolchain: Toolchain) -> float:
    """Seconds until the result is there."""
    start = time.monotonic()
    own_run = await run_own_tests(case.simulation, sandbox=sandbox, toolchain=toolchain)
    seconds = time.monotonic() - start
    if not own_run.passed:
        sys.exit(own_run.output)
    return seconds


async def main(rounds: int) -> None:
    """Measure both in turn, and print the medians."""
    toolchain, sandbox = Toolchain.find(Home.from_environment().cache), BwrapSandbox()
    # As in an editor, where it is not the first run.
    await ours(CASES[-1], sandbox, toolchain)
    print("| test | by hand, s | ours, s | ratio |")
    print("| --- | --- | --- | --- |")
    for case in CASES:
        duration_pairs = [(by_hand(case, toolchain), await ours(case, sandbox, toolchain)) for _ in range(rounds)]
        hand, own_s = (statistics.median(seconds) for seconds in zip(*duration_pairs, strict=True))
        ratio = statistics.median(own_s / hand for hand, own_s in duration_pairs)
        print(f"| {case.name} | {hand:.3f} | {own_s:.3f} | {ratio:.2f} |")


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS))
