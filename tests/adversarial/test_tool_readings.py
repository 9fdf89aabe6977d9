"""Verdicts that join tools: what is said if they read a design, or its reference, differently."""

from __future__ import annotations

import io

import pytest

from benchwright_harness.execution.run import NOT_COMPARED, run_harness
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.verdict import Outcome, Reason, Verdict

from ..support.designs.submissions import toolchain
from .submission import flow

__all__ = ("toolchain",)

pytestmark = pytest.mark.long

DIFFERENT = flow("lint").content(
    next(submission for submission in flow("lint").submission if submission.name == "an unknown constant")
)
RIGHT = flow("lint").right.encode() + b"\n"


async def verdict_on(design_text: bytes, reference: bytes, toolchain: Toolchain) -> tuple[Verdict, str]:
    problem = flow("lint").problem()
    hidden = problem.hidden.model_copy(update={"reference": {"rtl/sum.sv": reference.decode()}})
    log = io.BytesIO()
    verdict = await run_harness(
        problem.model_copy(update={"hidden": hidden}),
        {"rtl/sum.sv": design_text},
        sandbox=BwrapSandbox(),
        toolchain=toolchain,
        log=log,
    )
    return verdict, log.getvalue().decode(errors="replace")


async def test_a_design_that_tools_read_differently_is_undecided_and_the_place_named(toolchain: Toolchain) -> None:
    verdict, log = await verdict_on(DIFFERENT, RIGHT, toolchain)
    assert (verdict.outcome, verdict.reason) == (Outcome.ERROR, Reason.TOOLS_DISAGREE), log
    assert "verilator takes the branch at" in verdict.detail
    assert "if (P) begin : g" in verdict.detail


async def test_a_reference_that_tools_read_differently_keeps_nobody_from_passing(toolchain: Toolchain) -> None:
    for design_text in (RIGHT, DIFFERENT):
        verdict, log = await verdict_on(design_text, DIFFERENT, toolchain)
        assert verdict.outcome is Outcome.PASSED, log
        assert (NOT_COMPARED in verdict.remarks) == (design_text is DIFFERENT)
