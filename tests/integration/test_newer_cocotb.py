"""Harnesses with names that only cocotb 2.1 has, and the samples at hand on 2.1 in place of 2.0.1."""

from __future__ import annotations

import io
import json
from importlib.resources import files
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchwright_harness.execution import run as harness_run
from benchwright_harness.execution.run import run_harness, starting_solution_files
from benchwright_harness.plan.selection import ToolSelection, selections
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.datasets.cvdp import import_cvdp
from benchwright_problems.problem import Difficulty, Hidden, Problem, ProblemKind, Provenance, Public, RunLimits
from benchwright_problems.storage.pack_folder import read_built_in, right_solutions_by_name, wrong_solutions_by_name
from benchwright_problems.verdict import Outcome, Reason, Verdict
from benchwright_server.cli.app import app_with_commands

from ..support.packs.solution_runs import as_bytes, run_all

VERSION = "2.1.0"
DESIGN = "rtl/counter.sv"
COUNTER = """module counter(input clk, input rst, output reg [7:0] count);
  always @(posedge clk) count <= rst ? 8'd0 : count + 8'd1;
endmodule
"""
COMPOSE = """services:
  tests:
    image: __OSS_SIM_IMAGE__
    volumes: [./src/:/src/:ro]
    working_dir: /code/rundir
    environment: [SIM=SIMULATOR, MODULE=test_counter, PYTHONPATH=/src]
    command: pytest -q /src/test_runner.py
"""
RUNNER = """
import os
from cocotb_tools.runner import get_runner

def test_runner():
    runner = get_runner(os.environ["SIM"])
    runner.build(sources=["/code/rtl/counter.sv"], hdl_toplevel="counter", always=True, timescale=("1ns", "1ps"))
    runner.test(hdl_toplevel="counter", test_module="test_counter")
"""
TESTS = """
import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, TaskManager, Timer, gather, select


async def reset(dut):
    Clock(dut.clk, 2, unit="ns").start()
    dut.rst.value = 1
    await RisingEdge(dut.clk)
    await RisingEdge(dut.clk)
    dut.rst.value = 0


async def rising(dut, edges):
    for _ in range(edges):
        await RisingEdge(dut.clk)
    return int(dut.count.value)


@cocotb.test()
async def counts(dut):
    await reset(dut)
    first, later = await gather(rising(dut, 2), rising(dut, 5))
    assert (first, later) == (1, 4)


@cocotb.test()
async def counts_with_tasks_of_a_manager(dut):
    await reset(dut)
    async with TaskManager() as manager:
        edges = manager.start_soon(rising(dut, 3))
        manager.start_soon(Timer(20, unit="ns"))
    assert edges.result() == 2


@cocotb.xfail(raises=AssertionError)
@cocotb.test()
async def is_never_nine(dut):
    await reset(dut)
    assert await rising(dut, 3) == 9


@cocotb.test()
async def ends_early(dut):
    await reset(dut)
    await select(rising(dut, 3), Timer(50, unit="ns"))
    cocotb.end_test()


@cocotb.test()
async def leaves_out_what_it_cannot_test(dut):
    await Timer(1, unit="ns")
    pytest.skip("only designs with an enable")


@cocotb.skipif(True, reason="not now")
@cocotb.test()
async def is_for_later(dut):
    assert False
"""
NAMES = ["counts", "counts_with_tasks_of_a_manager", "is_never_nine", "ends_early"]
WAITS = """
import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, ValueChange, gather

async def several(signal, changes):
    for _ in range(changes):
        await ValueChange(signal)

@cocotb.test()
async def counts(dut):
    Clock(dut.clk, 2, unit="ns").start()
    await RisingEdge(dut.clk)
    dut.rst.value = 1
    await RisingEdge(dut.clk)
    dut.rst.value = 0
    await gather(several(dut.count, CHANGES), several(dut.rst, 1))
"""
NOTHING_AWAITED = "The simulation ran on, but nothing that the tests wait for happened any more."
RANDOM = """
import random
import cocotb
from cocotb.triggers import Timer

@cocotb.test()
async def draws(dut):
    await Timer(1, unit="ns")
    assert False, f"drawn {random.random()} {cocotb.RANDOM_SEED}"
"""


def problem(test_source: str, simulator: str = "icarus") -> Problem:
    harness = {
        "docker-compose.yml": COMPOSE.replace("SIMULATOR", simulator),
        "src/requirements.txt": f"cocotb=={VERSION}\n",
        "src/test_runner.py": RUNNER,
        "src/test_counter.py": test_source,
    }
    return Problem(
        id="counter",
        kind=ProblemKind.DESIGN,
        title="Counter",
        difficulty=Difficulty.EASY,
        limits=RunLimits(wall_s=300),
        provenance=Provenance(source="a lab", license="", version=""),
        public=Public(statement="", expected=(DESIGN,)),
        hidden=Hidden(harness=harness),
    )


async def run(
    problem: Problem, solution: dict[str, bytes], toolchain: Toolchain, selection: ToolSelection
) -> tuple[Verdict, str]:
    log = io.BytesIO()
    verdict = await run_harness(
        problem, solution, sandbox=BwrapSandbox(), toolchain=toolchain, log=log, selection=selection
    )
    return verdict, log.getvalue().decode(errors="replace")


async def run_counter(problem: Problem, design: str, toolchain: Toolchain) -> tuple[Verdict, str]:
    (selection,) = {chosen.cocotb: chosen for chosen in selections(problem)}.values()
    return await run(problem, {DESIGN: design.encode()}, toolchain, selection)


def test_both_versions_are_listed(toolchain: Toolchain) -> None:
    result = CliRunner().invoke(app_with_commands(), ["toolchain", "list", "--json"])
    (versions,) = [row["versions"] for row in json.loads(result.stdout) if row["name"] == toolchain.name]
    assert (versions["cocotb"], versions[f"cocotb-{VERSION}"]) == ("2.0.1", VERSION)


@pytest.mark.parametrize("simulator", ["icarus", pytest.param("verilator", marks=pytest.mark.nightly)])
async def test_a_harness_that_names_2_1_is_run_with_it(simulator: str, toolchain: Toolchain) -> None:
    verdict, log = await run_counter(problem(TESTS, simulator), COUNTER, toolchain)
    assert verdict.outcome is Outcome.PASSED, log[-6000:]
    assert verdict.tools["cocotb"] == VERSION
    assert [(test.name, test.passed) for test in verdict.tests] == [(name, True) for name in NAMES], log[-6000:]
    assert verdict.tests[1].sim_time_ns == pytest.approx(22, abs=2)


@pytest.mark.nightly
async def test_a_wrong_design_fails_the_tests_that_it_should(toolchain: Toolchain) -> None:
    verdict, log = await run_counter(problem(TESTS), COUNTER.replace("+ 8'd1", "+ 8'd3"), toolchain)
    assert verdict.reason is Reason.TESTS_FAILED, log[-6000:]
    assert [test.name for test in verdict.tests if not test.passed] == NAMES[:2]
    assert "(3, 12)" in verdict.tests[0].message


@pytest.mark.nightly
async def test_a_test_that_had_to_fail_and_passed_says_so(toolchain: Toolchain) -> None:
    verdict, log = await run_counter(problem(TESTS.replace("== 9", "== 2")), COUNTER, toolchain)
    failed_messages = {test.name: test.message for test in verdict.tests if not test.passed}
    assert failed_messages == {"is_never_nine": "passed but we expected an error"}, log[-6000:]


@pytest.fixture
def short_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(harness_run, "_MIN_SILENCE_S", 2.0)
    monkeypatch.setattr(harness_run, "_SILENCE_SHARE", 0.0)


@pytest.mark.nightly
@pytest.mark.usefixtures("short_silence")
async def test_a_design_that_never_does_what_tasks_wait_for_is_named(toolchain: Toolchain) -> None:
    still = "module counter(input clk, input rst, output reg [7:0] count);\n  initial count = 0;\nendmodule\n"
    verdict, log = await run_counter(problem(WAITS.replace("CHANGES", "5")), still, toolchain)
    assert (verdict.reason, verdict.detail) == (Reason.TESTS_FAILED, NOTHING_AWAITED), log[-6000:]


@pytest.mark.nightly
@pytest.mark.usefixtures("short_silence")
async def test_tasks_that_go_on_are_waited_for_until_they_end(toolchain: Toolchain) -> None:
    # The test itself waits all the time, for longer than nothing may happen.
    verdict, log = await run_counter(problem(WAITS.replace("CHANGES", "300_000")), COUNTER, toolchain)
    assert verdict.outcome is Outcome.PASSED, log[-6000:]


@pytest.mark.nightly
async def test_the_same_numbers_are_drawn_in_each_run(toolchain: Toolchain) -> None:
    verdicts_and_logs = [await run_counter(problem(RANDOM), COUNTER, toolchain) for _ in range(2)]
    (first,), (second,) = ([test.message for test in verdict.tests] for verdict, _ in verdicts_and_logs)
    assert first.startswith("drawn ")
    assert first == second


def is_for_cocotb(problem: Problem) -> bool:
    return problem.kind is ProblemKind.DESIGN and any("cocotb.test" in text for text in problem.hidden.harness.values())


SAMPLES = [
    pytest.param(problem, name, id=f"{name}/{problem.id}")
    for name in ("starter", "architecture-labs")
    for problem in read_built_in(name).problems
    if is_for_cocotb(problem)
]


async def compare_versions(problem: Problem, solutions: dict[str, dict[str, bytes]], toolchain: Toolchain) -> None:
    """Every solution has the same verdict with 2.1 as with 2.0.1, down to each test."""
    chosen_tools, *_ = selections(problem)
    reason_and_tests_by_solution = []
    for version in ("2.0.1", VERSION):
        verdict_and_log_by_solution = await run_all(
            problem, solutions, toolchain, chosen_tools.model_copy(update={"cocotb": version})
        )
        # What the scan refuses is not run.
        assert verdict_and_log_by_solution["reference"][0].tools["cocotb"] == version
        reason_and_tests_by_solution.append(
            {
                name: (verdict.reason, [(test.name, test.passed) for test in verdict.tests])
                for name, (verdict, _) in verdict_and_log_by_solution.items()
            }
        )
    assert reason_and_tests_by_solution[0] == reason_and_tests_by_solution[1]
    assert reason_and_tests_by_solution[1]["reference"][0] is Reason.PASSED


@pytest.mark.nightly
@pytest.mark.parametrize(("problem", "pack"), SAMPLES)
async def test_no_verdict_of_a_built_in_problem_changes(problem: Problem, pack: str, toolchain: Toolchain) -> None:
    starting = dict(starting_solution_files(problem))
    folder = Path(str(files("benchwright_problems") / "packs" / pack))
    solutions_by_name = {"reference": problem.hidden.reference, "starting": {}}
    solutions_by_name |= {
        f"right/{name}": solution for name, solution in right_solutions_by_name(folder, problem.id).items()
    }
    solutions_by_name |= {
        f"wrong/{name}": solution for name, solution in wrong_solutions_by_name(folder, problem.id).items()
    }
    await compare_versions(
        problem, {name: starting | as_bytes(solution) for name, solution in solutions_by_name.items()}, toolchain
    )


def solutions_of_both_sides(problem: Problem) -> dict[str, dict[str, bytes]]:
    starting = dict(starting_solution_files(problem))
    return {"reference": starting | as_bytes(problem.hidden.reference), "starting": starting}


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["cvdp_copilot_lfsr_0001", "cvdp_agentic_fixed_arbiter_0001"])
async def test_no_verdict_of_an_example_of_cvdp_1_1_changes(
    name: str, cvdp_files: list[Path], toolchain: Toolchain
) -> None:
    (example,) = [problem for problem in import_cvdp(cvdp_files, "examples").problems if problem.id == name]
    await compare_versions(example, solutions_of_both_sides(example), toolchain)


@pytest.mark.nightly
async def test_cocotb_2_1_on_the_open_source_xrun_is_undecided_and_says_why(
    cvdp_files: list[Path], toolchain: Toolchain
) -> None:
    name = "cvdp_agentic_8x3_priority_encoder_0003"
    (example,) = [problem for problem in import_cvdp(cvdp_files, "examples").problems if problem.id == name]
    chosen_tools = selections(example)[0].model_copy(update={"cocotb": VERSION})
    verdict, log = await run(example, solutions_of_both_sides(example)["reference"], toolchain, chosen_tools)
    assert verdict.reason is Reason.TOOL_FAILED, log[-6000:]
    assert "-loadvpisim" in (verdict.detail or "")
