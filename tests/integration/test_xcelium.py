"""Datapoints like those of CVDP's categories 12 to 14, run with our `xrun` and `imc` over the real Verilator."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from benchwright_harness.execution.run import run_harness
from benchwright_harness.plan.plan import OPEN_SOURCE_COVERAGE
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_harness.scan import rule_names
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.category import Category
from benchwright_problems.problem import (
    Difficulty,
    Hidden,
    Problem,
    ProblemKind,
    Provenance,
    Public,
    RunLimits,
    ScanAction,
)
from benchwright_problems.verdict import Outcome, Verdict

FOLDER = Path(__file__).parent / "packs" / "xcelium"
BENCH, DESIGN = "verif/counter_tb.sv", "rtl/counter.sv"
COMPOSE = """
services:
  xrun:
    image: __VERIF_EDA_IMAGE__
    volumes: [./src/:/src/:ro]
    env_file: ./src/.env
    working_dir: /code/rundir
    command: pytest -s -o cache_dir=/rundir/harness/.cache /src/{runner} -v
    networks: [licnetwork]
networks:
  licnetwork: {{name: licnetwork, external: true}}
"""
COCOTB = """SIM = xcelium
TOPLEVEL_LANG = verilog
VERILOG_SOURCES = /code/rtl/counter.sv
TOPLEVEL = counter
MODULE = test_counter
PYTHONPATH = /src
"""


def text(name: str) -> str:
    return (FOLDER / name).read_text()


def problem(runner: str, env: str, expected_path: str, *hidden_names: str) -> Problem:
    harness = {f"src/{name}": text(name) for name in (runner, *hidden_names)}
    return Problem(
        id="counter",
        kind=ProblemKind.DESIGN,
        title="Counter",
        category=Category.SPEC_TO_RTL,
        difficulty=Difficulty.EASY,
        limits=RunLimits(wall_s=1800),
        provenance=Provenance(source="", license="", version=""),
        public=Public(statement="", files={}, expected=(expected_path,)),
        hidden=Hidden(harness={"docker-compose.yml": COMPOSE.format(runner=runner), "src/.env": env, **harness}),
    )


async def run(problem: Problem, path: str, content: str, toolchain: Toolchain) -> tuple[Verdict, str]:
    log = io.BytesIO()
    solution = {path: content.encode()}
    verdict = await run_harness(problem, solution, sandbox=BwrapSandbox(), toolchain=toolchain, log=log)
    assert OPEN_SOURCE_COVERAGE in verdict.remarks
    return verdict, log.getvalue().decode(errors="replace")[-6000:]


@pytest.mark.parametrize(
    ("bench", "outcome"),
    [(text("stimulus_good.sv"), Outcome.PASSED), (text("stimulus_poor.sv"), Outcome.FAILED), ("", Outcome.FAILED)],
    ids=["good", "poor", "empty"],
)
async def test_stimulus_is_judged_by_coverage(bench: str, outcome: Outcome, toolchain: Toolchain) -> None:
    stimulus_problem = problem("stimulus.py", "TARGET=95\n", BENCH, "counter.sv", "coverage.cmd")
    verdict, log = await run(stimulus_problem, BENCH, bench, toolchain)
    assert verdict.outcome is outcome, log


@pytest.mark.parametrize(
    ("bench", "outcome"), [("checker_good.sv", Outcome.PASSED), ("checker_blind.sv", Outcome.FAILED)]
)
async def test_a_checker_is_judged_by_the_bugs_it_finds(bench: str, outcome: Outcome, toolchain: Toolchain) -> None:
    checker_problem = problem("checker.py", "NUM_BUGS=2\n", BENCH, "counter.sv")
    verdict, log = await run(checker_problem, BENCH, text(bench), toolchain)
    assert verdict.outcome is outcome, log
    passed_tests = {test.name: test.passed for test in verdict.tests}
    assert passed_tests == {"test_sanity": True, "test_errors": outcome is Outcome.PASSED}, log


async def test_a_checker_may_use_files_in_one_simulation(toolchain: Toolchain) -> None:
    given = {"verif/steps.hex": "5a\n", "verif/data/more.hex": "a5\n"}
    files = """
    logic [7:0] step [3];
    integer f, again;
    initial begin
        $readmemh("/code/verif/steps.hex", step, 0, 0);
        $readmemh("../verif/data/more.hex", step, 1, 1);
        f = $fopen("/tmp/kept.txt", "w");
        $fdisplay(f, "c3");
        $fclose(f);
        f = $fopen("/tmp/kept.txt", "r");
        if ($fscanf(f, "%h", step[2]) != 1 || step[0] != 8'h5a || step[1] != 8'ha5 || step[2] != 8'hc3)
            $error("%p", step);
        f = $fopen("dump.vcd", "w");
        again = $fopen("dump.vcd", "r");
        if (f == 0 || again == 0) $error("own folder");
    end
endmodule
"""
    checker_problem = problem("checker.py", "NUM_BUGS=2\n", BENCH, "counter.sv")
    hidden = checker_problem.hidden.model_copy(update={"scan": dict.fromkeys(rule_names(), ScanAction.ALLOW)})
    public = checker_problem.public.model_copy(update={"files": given})
    checker_problem = checker_problem.model_copy(update={"hidden": hidden, "public": public})
    bench = text("checker_good.sv").replace("endmodule", files)
    verdict, log = await run(checker_problem, BENCH, bench, toolchain)
    assert verdict.outcome is Outcome.PASSED, log


@pytest.mark.parametrize(
    ("assertions", "outcome"),
    [
        ("assertions_good.sv", Outcome.PASSED),
        ("assertions_wrong.sv", Outcome.FAILED),
        ("assertions_vacuous.sv", Outcome.FAILED),
        ("", Outcome.FAILED),
    ],
)
async def test_assertions_are_judged_by_hidden_tests(assertions: str, outcome: Outcome, toolchain: Toolchain) -> None:
    assertion_problem = problem("test_runner.py", COCOTB, DESIGN, "test_counter.py")
    design = text("counter.sv").replace("endmodule", f"{text(assertions) if assertions else ''}endmodule")
    verdict, log = await run(assertion_problem, DESIGN, design, toolchain)
    assert verdict.outcome is outcome, log
    assert any("never triggered" in remark for remark in verdict.remarks) == ("vacuous" in assertions)
