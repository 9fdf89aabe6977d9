"""Waveforms of hidden tests: what the solver's modules did, and nothing else of the simulation."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from benchwright_harness.decision.design_waves import DesignWaveKeeper, KeptWaveform
from benchwright_harness.execution.run import run_harness
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.problem import Problem

from ..support.designs.published_sets import rtllm, verilogeval
from ..support.designs.testbench_sets import STRICT, WRONG_AND
from ..support.machine.harness_runs import ENV, RIGHT, RUNNER, WRONG, problem

__all__ = ["verilogeval"]

SECRET = "zqcanary"
HARNESS = f"""
module outer(input a, output y);
  parameter {SECRET}_parameter = 77;
  wire {SECRET}_wire = a;
  inv dut(.a(a), .y(y));
  {SECRET}_model model(.a(a));
endmodule
module {SECRET}_model(input a);
  wire {SECRET}_inside = ~a;
endmodule
"""
# It dumps everything by itself, into another file.
DUMPING = """module inv(input a, output y);
  genvar at;
  generate for (at = 0; at < 2; at = at + 1) begin : part
    wire b = a ^ at;
  end endgenerate
  assign y = a;
  initial begin $dumpfile("mine.vcd"); $dumpvars; end
endmodule
"""


async def waveform(problem: Problem, text: str, toolchain: Toolchain, folder: Path) -> tuple[KeptWaveform | None, str]:
    target = folder / "kept.vcd"
    waves = DesignWaveKeeper(target)
    solution = {path: text.encode() for path in problem.public.expected}
    log = io.BytesIO()
    verdict = await run_harness(problem, solution, sandbox=BwrapSandbox(), toolchain=toolchain, log=log, waves=waves)
    assert verdict.reason != "error", log.getvalue().decode()
    print(log.getvalue().decode(errors="replace")[-3000:], verdict)
    return waves.kept_waveform, target.read_text() if target.exists() else ""


async def test_a_failed_test_of_cocotb_leaves_the_design_and_when_it_failed(
    toolchain: Toolchain, tmp_path: Path
) -> None:
    waveform_start, text = await waveform(problem(), WRONG, toolchain, tmp_path)
    # The first value is wrong, after a nanosecond.
    assert waveform_start == KeptWaveform("inverts", 1000)
    assert "$timescale 1 ps $end\n$scope module inv $end\n" in text
    assert "#1000\n" in text or "#0\n" in text


@pytest.mark.parametrize("design", [WRONG, DUMPING])
async def test_nothing_of_the_harness_is_in_the_waveform(toolchain: Toolchain, tmp_path: Path, design: str) -> None:
    harness = {
        "src/.env": ENV.replace("/code/rtl/inv.sv", "/code/rtl/inv.sv /src/outer.v"),
        "src/outer.v": HARNESS,
        "src/test_runner.py": RUNNER.replace('"inv"', '"outer"').replace("timescale=", "waves=True, timescale="),
    }
    waveform_start, text = await waveform(problem(harness), design, toolchain, tmp_path)
    assert waveform_start is not None
    assert SECRET not in text
    assert "outer" not in text
    assert text.count("$scope module inv $end") == 1
    assert ("$scope begin part[1] $end" in text) is (design is DUMPING)


@pytest.mark.parametrize("name", ["Prob001_and", "gate"])
async def test_a_testbench_leaves_the_design_alone(
    toolchain: Toolchain, tmp_path: Path, verilogeval: dict[str, Problem], name: str
) -> None:
    problems = {**verilogeval, **{imported.id: imported for imported in rtllm(tmp_path, gate=STRICT)}}
    design_problem = next(candidate for key, candidate in problems.items() if name in key)
    module = "gate" if name == "gate" else "TopModule"
    waveform_start, text = await waveform(design_problem, WRONG_AND.format(name=module), toolchain, tmp_path)
    assert waveform_start == KeptWaveform("", None)
    assert text.count("$scope") == 1
    assert f"$scope module {module} $end" in text
    assert [line.split()[4] for line in text.splitlines() if line.startswith("$var")] == ["a", "b", "y"]
    assert text.count("#") > 3


async def test_the_waveform_is_that_of_the_simulation_that_failed(toolchain: Toolchain, tmp_path: Path) -> None:
    calm_run = "runner.test(hdl_toplevel='inv', test_module='test_calm', results_xml='/code/rundir/{}.xml')"
    failing = 'runner.test(hdl_toplevel="inv", test_module=os.environ["MODULE"])'
    assert failing in RUNNER
    guarded_call = f"try: {failing}\n    finally: {calm_run.format('after')}"
    runner = RUNNER.replace(failing, f"{calm_run.format('before')}\n    {guarded_call}")
    calm = "import cocotb\nfrom cocotb.triggers import Timer\n@cocotb.test()\nasync def waits(dut):\n"
    calm += "    dut.a.value = 0\n    await Timer(7, 'us')\n"
    calm_problem = problem({"src/test_runner.py": runner, "src/test_calm.py": calm})
    waveform_start, text = await waveform(calm_problem, WRONG, toolchain, tmp_path)
    assert waveform_start == KeptWaveform("inverts", 1000)
    assert "#7000000" not in text


async def test_a_run_that_simulates_nothing_of_the_solvers_leaves_none(toolchain: Toolchain, tmp_path: Path) -> None:
    waveform_start, text = await waveform(problem(), "module inv(", toolchain, tmp_path)
    assert (waveform_start, text) == (None, "")


async def test_a_run_without_waveforms_is_what_it_was(toolchain: Toolchain, tmp_path: Path) -> None:
    folders: list[list[str]] = []
    await run_harness(
        problem(),
        {"rtl/inv.sv": RIGHT.encode()},
        sandbox=BwrapSandbox(),
        toolchain=toolchain,
        log=io.BytesIO(),
        before_folder_removal=lambda folder: folders.append([path.name for path in folder.rglob("*")]),
    )
    assert not [name for name in folders[0] if "wave" in name or name.endswith((".vcd", ".fst"))]


async def test_of_simulations_with_other_parameters_it_is_that_of_the_failure_that_the_verdict_names_first(
    toolchain: Toolchain, tmp_path: Path
) -> None:
    once = 'runner.test(hdl_toplevel="inv", test_module=os.environ["MODULE"])'
    assert once in RUNNER
    # The one that runs first is reported last.
    runs = [
        f"{once[:-1]}, results_xml='/code/rundir/{name}.xml', extra_env={{'WAIT_NS': '{wait_ns}'}})"
        for name, wait_ns in (("width_8", 8), ("width_1", 1))
    ]
    runner = RUNNER.replace(once, f"try: {runs[0]}\n    finally: {runs[1]}")
    waits = "import os, cocotb\nfrom cocotb.triggers import Timer\n@cocotb.test()\nasync def inverts(dut):\n"
    waits += "    dut.a.value = 0\n    await Timer(int(os.environ['WAIT_NS']), 'ns')\n    assert dut.y.value == 1\n"
    two_widths = problem({"src/test_runner.py": runner, "src/test_inv.py": waits})
    waveform_start, text = await waveform(two_widths, WRONG, toolchain, tmp_path)
    assert waveform_start == KeptWaveform("inverts [width_1]", 1000)
    assert "#8000\n" not in text
