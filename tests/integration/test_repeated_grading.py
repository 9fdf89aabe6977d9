"""The same files again: no run, but the verdict that is known."""

from __future__ import annotations

import io
import time
from pathlib import Path

import pytest

from benchwright_foundation.home import Home
from benchwright_harness.cluster.local import LocalExecutor
from benchwright_harness.errors import SandboxUnavailableError
from benchwright_harness.execution.process import OutputReceiver, StepEnd
from benchwright_harness.grading.grade import BatchGrader, Grader
from benchwright_harness.grading.verdict_store import VerdictStore
from benchwright_harness.sandbox import SandboxJob
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.datasets.rtllm import import_rtllm
from benchwright_problems.problem import Problem
from benchwright_problems.verdict import Outcome, Reason

from ..support.designs.testbench_sets import AND, NEWER, WRONG_AND, write_rtllm


class CountingSandbox(BwrapSandbox):
    """Counts the programs it runs."""

    def __init__(self) -> None:
        super().__init__()
        self.started_programs: list[str] = []
        self.is_broken = False

    async def run(self, job: SandboxJob, log: OutputReceiver) -> StepEnd:
        self.started_programs.append(job.argv[0])
        if self.is_broken:
            raise SandboxUnavailableError("broken", "mend it")
        return await super().run(job, log)


@pytest.fixture
def problem(tmp_path: Path) -> Problem:
    """Its reference does not pass with the first simulator."""
    (gate,) = import_rtllm([write_rtllm(tmp_path / "rtllm", {"gate": NEWER})], "mine").problems
    return gate


def solution(text: str) -> dict[str, bytes]:
    return {"rtl/gate.v": text.format(name="gate").encode()}


async def test_a_repeated_save_is_answered_at_once(problem: Problem, toolchain: Toolchain, tmp_path: Path) -> None:
    sandbox = CountingSandbox()
    grader = Grader(sandbox, toolchain, VerdictStore(tmp_path / "verdicts"))
    log = io.BytesIO()
    start = time.perf_counter()
    first_verdict = await grader.grade(problem, solution(WRONG_AND), log=log)
    ran_s = time.perf_counter() - start
    assert first_verdict.reason is Reason.TESTS_FAILED, log.getvalue()
    run_count = len(sandbox.started_programs)
    took = []
    for _ in range(15):
        log, start = io.BytesIO(), time.perf_counter()
        assert await grader.grade(problem, solution(WRONG_AND) | {"notes.txt": b"mine"}, log=log) == first_verdict
        took.append(time.perf_counter() - start)
        assert b"judged before" in log.getvalue()
        assert b"failures===" in log.getvalue()
    assert len(sandbox.started_programs) == run_count
    assert min(took) < ran_s / 10


async def test_the_right_tool_is_found_once(problem: Problem, toolchain: Toolchain, tmp_path: Path) -> None:
    sandbox = CountingSandbox()
    for text, outcome in ((AND, Outcome.PASSED), (WRONG_AND, Outcome.FAILED)):
        grader = Grader(sandbox, toolchain, VerdictStore(tmp_path / "verdicts"))
        assert (await grader.grade(problem, solution(text), log=io.BytesIO())).outcome is outcome
    # The reference, which is the first solution too, does not compile with Icarus 12 and passes with 13.
    assert sandbox.started_programs == ["/bin/sh"] * 3


async def test_a_broken_machine_teaches_nothing(problem: Problem, toolchain: Toolchain, tmp_path: Path) -> None:
    sandbox, store = CountingSandbox(), VerdictStore(tmp_path / "verdicts")
    grader = Grader(sandbox, toolchain, store)
    sandbox.is_broken = True
    verdict = await grader.grade(problem, solution(AND), log=io.BytesIO())
    assert verdict.reason is Reason.SANDBOX_UNAVAILABLE
    sandbox.is_broken = False
    assert (await grader.grade(problem, solution(AND), log=io.BytesIO())).outcome is Outcome.PASSED


async def test_without_a_reference_a_solution_that_one_tool_cannot_build_is_tried_with_the_next(
    problem: Problem, toolchain: Toolchain, tmp_path: Path
) -> None:
    hidden_part = problem.hidden.model_copy(update={"reference": {}})
    unsolved = problem.model_copy(update={"hidden": hidden_part})
    store = VerdictStore(tmp_path / "verdicts")
    wrong_solution = solution("no module at all {name}")
    grader = Grader(BwrapSandbox(), toolchain, store)
    assert (await grader.grade(unsolved, solution(AND), log=io.BytesIO())).tools["icarus"].startswith("13")
    assert (await grader.grade(unsolved, wrong_solution, log=io.BytesIO())).reason is Reason.BUILD_FAILED

    batch = BatchGrader(LocalExecutor(Home.from_environment().cache, 2), BwrapSandbox(), toolchain, store, fresh=True)
    verdicts = await batch.grade(
        [(unsolved, solution(AND)), (unsolved, wrong_solution), (unsolved, solution(WRONG_AND))]
    )
    assert [verdict.reason for verdict in verdicts] == [Reason.PASSED, Reason.BUILD_FAILED, Reason.TESTS_FAILED]


async def test_what_a_tool_cannot_read_is_tried_with_another_that_the_reference_passes_with(
    problem: Problem, toolchain: Toolchain, tmp_path: Path
) -> None:
    store = VerdictStore(tmp_path / "verdicts")
    inside = "module {name}(input a, input b, output y);\n  assign y = {{a, b}} inside {{2'b11}};\nendmodule\n"
    wrong_inside = inside.replace("2'b11", "2'b10")
    grader = Grader(BwrapSandbox(), toolchain, store)
    log = io.BytesIO()
    assert (await grader.grade(problem, solution(inside), log=log)).outcome is Outcome.PASSED, log.getvalue()
    batch = BatchGrader(LocalExecutor(Home.from_environment().cache, 2), BwrapSandbox(), toolchain, store, fresh=True)
    verdicts = await batch.grade([(problem, solution(inside)), (problem, solution(wrong_inside))])
    assert [verdict.reason for verdict in verdicts] == [Reason.PASSED, Reason.TESTS_FAILED]
