"""Harnesses in the dialects of older cocotb, run on 2.0.1 with the layer that `Selection.cocotb` calls `compat`."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from benchwright_harness.execution.run import run_harness, starting_solution_files
from benchwright_harness.plan.selection import ToolSelection
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.category import Category
from benchwright_problems.problem import Difficulty, Hidden, Problem, ProblemKind, Provenance, Public, RunLimits
from benchwright_problems.storage.pack_folder import read_built_in
from benchwright_problems.verdict import Outcome, Reason, Verdict

FOLDER = Path(__file__).parent / "packs" / "old_cocotb"
DESIGN = "rtl/playground.sv"
# Written for 2.0.1.
STARTER = [
    problem
    for problem in read_built_in("starter").problems
    if any("import cocotb" in text for text in problem.hidden.harness.values())
]
COMPOSE = """
services:
  direct:
    image: __OSS_SIM_IMAGE__
    volumes: [./src/:/src/:ro]
    env_file: ./src/.env
    command: pytest -s --log-cli-level=INFO -o cache_dir=/rundir/harness/.cache /src/test_runner.py -v
"""
ENV = """SIM             = icarus
TOPLEVEL_LANG   = verilog
VERILOG_SOURCES = /code/rtl/playground.sv
TOPLEVEL        = playground
MODULE          = {module}
PYTHONPATH      = /src
"""


def problem(module: str, wave: str = "") -> Problem:
    env = ENV.format(module=module) + (f"WAVE = {wave}\n" if wave else "")
    harness = {f"src/{file.name}": file.read_text() for file in FOLDER.glob("*.py")}
    return Problem(
        id="playground",
        kind=ProblemKind.DESIGN,
        title="Playground",
        category=Category.SPEC_TO_RTL,
        difficulty=Difficulty.EASY,
        limits=RunLimits(wall_s=600),
        provenance=Provenance(source="", license="", version=""),
        public=Public(statement="", files={}, expected=(DESIGN,)),
        hidden=Hidden(harness={"docker-compose.yml": COMPOSE, "src/.env": env, **harness}),
    )


async def run(
    problem: Problem, toolchain: Toolchain, selection: ToolSelection, solution: dict[str, bytes] | None = None
) -> tuple[Verdict, str]:
    log = io.BytesIO()
    solution = solution or {DESIGN: (FOLDER / "playground.sv").read_bytes()}
    verdict = await run_harness(
        problem, solution, sandbox=BwrapSandbox(), toolchain=toolchain, log=log, selection=selection
    )
    return verdict, log.getvalue().decode(errors="replace")


def names_of_tests(module: str) -> list[str]:
    """The names of the tests that a module's text holds."""
    lines = (FOLDER / f"{module}.py").read_text().splitlines()
    names = [line.partition("def ")[2].partition("(")[0] for line in lines if "def test_" in line]
    return [name for name in names if not name.endswith("test_skipped")]


@pytest.mark.parametrize("icarus", ["12", "13"])
@pytest.mark.parametrize("module", ["test_snapshot", "test_one_nine", "test_published", "test_two"])
async def test_every_dialect_passes(module: str, icarus: str, toolchain: Toolchain) -> None:
    selection = ToolSelection.model_validate({"icarus": icarus, "cocotb": "compat"})
    verdict, log = await run(problem(module), toolchain, selection)
    assert verdict.outcome is Outcome.PASSED, log[-6000:]
    test_names = {test.name.partition("/")[0] for test in verdict.tests}
    assert test_names >= set(names_of_tests(module))


async def test_what_has_to_fail_still_fails(toolchain: Toolchain) -> None:
    verdict, log = await run(problem("test_failing"), toolchain, ToolSelection(icarus="12", cocotb="compat"))
    assert verdict.reason is Reason.TESTS_FAILED, log[-6000:]
    assert [test.name for test in verdict.tests if test.passed] == []
    assert {test.name for test in verdict.tests} == set(names_of_tests("test_failing"))


async def test_every_decorated_test_counts_in_the_order_of_the_text(toolchain: Toolchain) -> None:
    verdict, log = await run(problem("test_same_names"), toolchain, ToolSelection(icarus="12", cocotb="compat"))
    assert verdict.reason is Reason.TESTS_FAILED, log[-6000:]
    outcomes = [(test.name.partition("/")[0].partition(" ")[0], test.passed) for test in verdict.tests]
    assert outcomes == [
        ("test_before", True),
        ("test_thrice", False),
        ("of_factory_001", True),
        ("test_between", True),
        ("test_thrice", True),
        ("test_shadowed", False),
        ("test_order", True),
    ]


@pytest.mark.parametrize("module", ["test_snapshot", "test_one_nine"])
async def test_the_dialects_need_the_layer(module: str, toolchain: Toolchain) -> None:
    verdict, _ = await run(problem(module), toolchain, ToolSelection(icarus="12", cocotb="2.0.1"))
    assert verdict.reason is Reason.BAD_HARNESS


async def test_waves_may_be_asked_for_in_words(toolchain: Toolchain) -> None:
    verdict, log = await run(problem("test_one_nine", "True"), toolchain, ToolSelection(icarus="12", cocotb="compat"))
    assert verdict.outcome is Outcome.PASSED, log[-6000:]


@pytest.mark.parametrize("problem", STARTER, ids=lambda problem: problem.id)
async def test_the_layer_changes_no_verdict_of_a_harness_for_2_0(problem: Problem, toolchain: Toolchain) -> None:
    starting = starting_solution_files(problem)
    reference = starting | {path: text.encode() for path, text in problem.hidden.reference.items()}
    verdict, log = await run(problem, toolchain, ToolSelection(cocotb="compat"), reference)
    assert verdict.outcome is Outcome.PASSED, log[-6000:]
    if starting:
        verdict, log = await run(problem, toolchain, ToolSelection(cocotb="compat"), starting)
        assert verdict.outcome is Outcome.FAILED, log[-6000:]
