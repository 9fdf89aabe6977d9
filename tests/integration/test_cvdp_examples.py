"""NVIDIA's published examples, proved from both sides."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from benchwright_harness.check import TwoSided, check_design
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_harness.verdict import Outcome, Reason
from benchwright_problems.datasets.cvdp import import_cvdp
from benchwright_problems.problem import Kind, Problem


@pytest.fixture(scope="module")
def problems(cvdp_files: list[Path]) -> dict[str, Problem]:
    return {problem.id: problem for problem in import_cvdp(cvdp_files, "examples").problems}


async def check(problem: Problem, toolchain: Toolchain) -> TwoSided:
    log = io.BytesIO()
    two_sided = await check_design(problem, BwrapSandbox(), toolchain, log)
    print(log.getvalue().decode(errors="replace")[-4000:])
    return two_sided


@pytest.mark.parametrize("name", ["cvdp_copilot_lfsr_0001", "cvdp_agentic_fixed_arbiter_0001"])
async def test_an_open_source_datapoint_is_two_sided(
    name: str, problems: dict[str, Problem], toolchain: Toolchain
) -> None:
    two_sided = await check(problems[name], toolchain)
    assert two_sided.ok, two_sided.reason
    assert two_sided.reference.tests
    assert two_sided.starting.reason is Reason.BUILD_FAILED


@pytest.mark.parametrize("name", ["cvdp_copilot_gf_multiplier_0039", "cvdp_agentic_8x3_priority_encoder_0003"])
async def test_a_datapoint_for_a_commercial_simulator_says_so(
    name: str, problems: dict[str, Problem], toolchain: Toolchain
) -> None:
    two_sided = await check(problems[name], toolchain)
    assert two_sided.reason == "error: tool missing (xrun)"
    assert (two_sided.reference.outcome, two_sided.starting.outcome) == (Outcome.ERROR, Outcome.ERROR)


def test_no_other_design_is_among_them(problems: dict[str, Problem]) -> None:
    assert sum(problem.kind is Kind.DESIGN for problem in problems.values()) == 4
