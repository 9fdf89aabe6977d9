"""The sides of the two-sided proof: what hangs, and what has no reference."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from benchwright_foundation.home import Home
from benchwright_harness.cluster.local import LocalExecutor
from benchwright_harness.execution.process import OutputReceiver, StepEnd
from benchwright_harness.grading import check
from benchwright_harness.grading.check import ProblemChecker
from benchwright_harness.grading.grade import GradingProgress
from benchwright_harness.grading.two_sided import ProofState, TwoSidedProof
from benchwright_harness.grading.verdict_store import VerdictStore
from benchwright_harness.sandbox import SandboxJob
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.problem import Difficulty, Hidden, Problem, ProblemKind, Provenance, Public, RunLimits
from benchwright_problems.verdict import Outcome, Reason

DESIGN = "module inv(input a, output y);\n  assign y = ~a;\nendmodule\n"
COCOTB_ENV = "SIM=icarus\nTOPLEVEL_LANG=verilog\nVERILOG_SOURCES=/code/rtl/inv.sv\nTOPLEVEL=inv\nMODULE=test_inv\n"
COMPOSE = """
services:
  direct:
    image: __OSS_SIM_IMAGE__
    volumes: [./src/:/src/:ro]
    env_file: ./src/.env
    command: pytest -o cache_dir=/rundir/.cache /src/test_runner.py
"""
RUNNER = """
import os
from cocotb_tools.runner import get_runner

def test_runner():
    runner = get_runner("icarus")
    runner.build(sources=[os.environ["VERILOG_SOURCES"]], hdl_toplevel=os.environ["TOPLEVEL"], always=True)
    runner.test(hdl_toplevel=os.environ["TOPLEVEL"], test_module="test_inv")
"""
TESTS = """
import cocotb
from cocotb.triggers import Timer

@cocotb.test()
async def inverts(dut):
    dut.a.value = 1
    await Timer(1, "ns")
    assert dut.y.value == 0

@cocotb.test()
async def inverts_again(dut):
    dut.a.value = 0
    await Timer(1, "ns")
    assert dut.y.value == 1
"""
COCOTB = {
    "docker-compose.yml": COMPOSE,
    "src/.env": COCOTB_ENV,
    "src/test_runner.py": RUNNER,
    "src/test_inv.py": TESTS,
}


def script(text: str) -> dict[str, str]:
    return {"docker-compose.yml": f"services: {{a: {{image: i, command: [sh, -c, {text!r}]}}}}"}


def problem(
    harness: Mapping[str, str], *, reference: str | None = DESIGN, starting: str | None = None, wall_s: float = 600.0
) -> Problem:
    return Problem(
        id="inv",
        kind=ProblemKind.DESIGN,
        title="Inverter",
        difficulty=Difficulty.EASY,
        limits=RunLimits(wall_s=wall_s),
        provenance=Provenance(source="", license="", version=""),
        public=Public(
            statement="Invert.",
            expected=("rtl/inv.sv",),
            files={} if starting is None else {"rtl/inv.sv": starting},
        ),
        hidden=Hidden(harness=dict(harness), reference={} if reference is None else {"rtl/inv.sv": reference}),
    )


class CountingSandbox(BwrapSandbox):
    """Knows the limits of what it ran."""

    def __init__(self) -> None:
        super().__init__()
        self.limits_s: list[float] = []

    async def run(self, job: SandboxJob, log: OutputReceiver) -> StepEnd:
        self.limits_s.append(job.limits.wall_s)
        return await super().run(job, log)


Check = Callable[..., Any]


@pytest.fixture
def sandbox() -> CountingSandbox:
    return CountingSandbox()


@pytest.fixture
def check_sides(
    toolchain: Toolchain, sandbox: CountingSandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Check:
    # Sandboxes are opened by name where tasks run.
    monkeypatch.setattr("benchwright_harness.cluster.task.open_sandbox", lambda name: sandbox)
    monkeypatch.setattr(check, "_LEAST_LIMIT_S", 3.0)
    monkeypatch.setattr(check, "_PATIENCE", 0.0)

    async def prove(checked_problem: Problem, **options: Any) -> TwoSidedProof:
        executor = LocalExecutor(Home.from_environment().cache, 2)
        checker = ProblemChecker(executor, sandbox, toolchain, VerdictStore(tmp_path / "verdicts"), **options)
        (two_sided,) = await checker.check_problems([checked_problem])
        return two_sided

    return prove


HANGS_UNSOLVED = script("grep -q assign /code/rtl/inv.sv || sleep 600")


async def test_an_unsolved_side_that_hangs_is_stopped_early_each_time(
    check_sides: Check, sandbox: CountingSandbox
) -> None:
    checked_problem = problem(HANGS_UNSOLVED)
    first = await check_sides(checked_problem)
    assert (first.proof_state, first.limit_s) == (ProofState.PROVED, 3.0), first.reason
    assert first.empty is not None
    assert first.empty.reason is Reason.TIMEOUT
    assert "The empty files were stopped after 3 s." in first.remarks
    assert sandbox.limits_s == [600.0, 3.0, 3.0]
    # On another day the machine may be less busy.
    assert (await check_sides(checked_problem)).proof_state is ProofState.PROVED
    assert sandbox.limits_s == [600.0, *[3.0] * 4]


async def test_a_short_time_out_is_no_verdict_under_the_whole_limit(
    check_sides: Check, sandbox: CountingSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked_problem = problem(script("grep -q assign /code/rtl/inv.sv || { sleep 5; exit 1; }"))
    assert (await check_sides(checked_problem)).empty.reason is Reason.TIMEOUT
    monkeypatch.setattr(check, "_LEAST_LIMIT_S", 600.0)
    second_check = await check_sides(checked_problem)
    assert second_check.empty.outcome is Outcome.FAILED
    assert second_check.empty.reason is not Reason.TIMEOUT
    assert second_check.remarks == ()


async def test_a_references_time_counts_in_full(check_sides: Check, sandbox: CountingSandbox) -> None:
    slow = await check_sides(problem(script("grep -q assign /code/rtl/inv.sv && sleep 1.5"), wall_s=30.0))
    assert slow.proof_state is ProofState.PROVED, slow.reason
    assert sandbox.limits_s[0] == 30.0


async def test_unsolved_files_have_a_multiple_of_the_references_time(
    check_sides: Check, sandbox: CountingSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check, "_PATIENCE", 10.0)
    two_sided = await check_sides(problem(script("grep -q assign /code/rtl/inv.sv && sleep 0.5")))
    assert two_sided.limit_s == pytest.approx(10 * two_sided.reference.wall_s)
    assert 5 < two_sided.limit_s < 600


async def test_a_harness_without_a_reference_executes(check_sides: Check) -> None:
    two_sided = await check_sides(problem(COCOTB, reference=None))
    assert two_sided.proof_state is ProofState.EXECUTES, two_sided.reason
    assert two_sided.reason == "no reference: the harness executes (tests ran: 2)"
    assert two_sided.starting.outcome is Outcome.FAILED


async def test_starting_files_show_that_a_harness_executes(check_sides: Check) -> None:
    two_sided = await check_sides(problem(COCOTB, reference=None, starting=DESIGN.replace("~", "")))
    assert (two_sided.proof_state, two_sided.most_tests_run) == (ProofState.EXECUTES, 2)


async def test_a_harness_that_runs_no_test_says_why(check_sides: Check) -> None:
    broken_harness = {**COCOTB, "src/test_runner.py": RUNNER.replace("get_runner(", "no_runner(")}
    two_sided = await check_sides(problem(broken_harness, reference=None))
    assert two_sided.proof_state is ProofState.UNDECIDED
    assert two_sided.reason == (
        "no reference: no test ran: The harness of this problem is broken: a program of it uses a name that is not"
        " defined."
    )


async def test_files_that_solve_nothing_and_pass_are_wrong_without_a_reference_too(check_sides: Check) -> None:
    two_sided = await check_sides(problem(script("true"), reference=None, starting=DESIGN))
    assert (two_sided.proof_state, two_sided.passes_without_solution) == (ProofState.WRONG, True)


async def test_the_estimate_knows_what_took_no_time(check_sides: Check) -> None:
    checked_problem, progress_notices = problem(HANGS_UNSOLVED), list[GradingProgress]()
    await check_sides(checked_problem, on_progress=progress_notices.append)
    assert progress_notices[0] == GradingProgress(finished_runs=0, known_runs=0, planned_runs=3)
    assert progress_notices[-1] == GradingProgress(finished_runs=3, known_runs=0, planned_runs=3)
    await check_sides(checked_problem, on_progress=progress_notices.append)
    assert progress_notices[-1] == GradingProgress(finished_runs=3, known_runs=1, planned_runs=3)


async def test_a_verdict_without_its_log_is_reached_again_if_logs_are_wanted(
    check_sides: Check, sandbox: CountingSandbox
) -> None:
    checked_problem = problem(script("grep -q assign /code/rtl/inv.sv || exit 1"))
    await check_sides(checked_problem)
    await check_sides(checked_problem)
    assert len(sandbox.limits_s) == 3
    await check_sides(checked_problem, needs_logs=True)
    assert len(sandbox.limits_s) == 6
