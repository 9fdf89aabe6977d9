"""Designs that crash a compiler: no solver may choose that nothing is decided."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from benchwright_harness.grading.grade import Grader
from benchwright_harness.grading.verdict_store import VerdictStore
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.problem import Problem
from benchwright_problems.verdict import Reason, Verdict

from ..support.designs.submissions import toolchain
from .submission import flow

__all__ = ("toolchain",)

# Icarus walks through a sum by calling itself for each term.
SUM = f"module inv(input a, output y);\nassign y = {' + '.join(['a'] * 60_000)};\nendmodule\n"
CRASHED = "iverilog crashed while it read the design (Segmentation fault)."


async def grade(problem: Problem, design: str, folder: Path, toolchain: Toolchain) -> Verdict:
    grader = Grader(BwrapSandbox(), toolchain, VerdictStore(folder))
    return await grader.grade(problem, {"rtl/inv.sv": design.encode()}, log=io.BytesIO())


@pytest.mark.parametrize("has_reference", [True, False])
async def test_a_compiler_that_crashes_for_one_design_alone_fails_it(
    has_reference: bool, toolchain: Toolchain, tmp_path: Path
) -> None:
    problem = flow("cocotb").problem()
    if has_reference:
        hidden = problem.hidden.model_copy(update={"reference": {"rtl/inv.sv": flow("cocotb").right}})
        problem = problem.model_copy(update={"hidden": hidden})
    verdict = await grade(problem, SUM, tmp_path, toolchain)
    assert (verdict.reason, verdict.detail.startswith(CRASHED)) == (Reason.BUILD_FAILED, True), verdict.summary


async def test_a_compiler_that_crashes_for_the_given_files_too_decides_nothing(
    toolchain: Toolchain, tmp_path: Path
) -> None:
    problem = flow("cocotb").problem()
    files = {**problem.public.files, "rtl/inv.sv": SUM}
    problem = problem.model_copy(update={"public": problem.public.model_copy(update={"files": files})})
    verdict = await grade(problem, f"{SUM}// not as given\n", tmp_path, toolchain)
    assert (verdict.reason, verdict.detail) == (Reason.TOOL_FAILED, CRASHED)
