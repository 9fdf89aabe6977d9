"""Designs that are graded while other programs want the processor far more than there is of it."""

from __future__ import annotations

import asyncio
import io
import os

import pytest

from benchwright_harness.execution.run import run_harness
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.problem import RunLimits
from benchwright_problems.verdict import Outcome, Reason, Verdict

from ..support.machine.crowd import crowd
from ..support.machine.harness_runs import RIGHT, WRONG, problem

LOOP = "module inv(input a, output reg y); initial begin y = 0; while (1) y = ~y; end endmodule"
LIMIT_S = 1.5
"""Some four times what a right design takes alone."""


async def _grade(design: str, toolchain: Toolchain) -> Verdict:
    return await run_harness(
        problem(limits=RunLimits(wall_s=LIMIT_S)),
        {"rtl/inv.sv": design.encode()},
        sandbox=BwrapSandbox(),
        toolchain=toolchain,
        log=io.BytesIO(),
    )


@pytest.mark.nightly
async def test_at_a_load_of_twenty_a_design_that_hangs_fails_and_right_ones_beside_it_pass(
    toolchain: Toolchain,
) -> None:
    with crowd(20, os.sched_getaffinity(0)):
        hanging, wrong, *right = await asyncio.gather(
            *(_grade(design, toolchain) for design in (LOOP, WRONG, RIGHT, RIGHT))
        )
    assert [verdict.outcome for verdict in right] == [Outcome.PASSED, Outcome.PASSED], right
    assert wrong.reason is Reason.TESTS_FAILED, wrong
    assert hanging.outcome is Outcome.FAILED, hanging
    assert all(verdict.wall_s > LIMIT_S for verdict in right), right
