"""NVIDIA's published examples, proved from both sides, in both of their forms."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchwright_foundation.home import Home
from benchwright_harness.cluster.local import LocalExecutor
from benchwright_harness.grading.check import ProblemChecker
from benchwright_harness.grading.two_sided import TwoSidedProof
from benchwright_harness.grading.verdict_store import VerdictStore
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.datasets.cvdp import export_cvdp, import_cvdp
from benchwright_problems.problem import Problem, ProblemKind
from benchwright_problems.storage.conversion import RecordForm, convert_record

OPEN_SOURCE = ["cvdp_copilot_lfsr_0001", "cvdp_agentic_fixed_arbiter_0001"]
COMMERCIAL = ["cvdp_copilot_gf_multiplier_0039", "cvdp_agentic_8x3_priority_encoder_0003"]


@pytest.fixture(scope="module")
def problems(cvdp_files: list[Path]) -> dict[str, Problem]:
    return {problem.id: problem for problem in import_cvdp(cvdp_files, "examples").problems}


async def check(problem: Problem, toolchain: Toolchain, folder: Path) -> TwoSidedProof:
    executor = LocalExecutor(Home.from_environment().cache, 2)
    checker = ProblemChecker(executor, BwrapSandbox(), toolchain, VerdictStore(folder / "verdicts"))
    (two_sided,) = await checker.check_problems([problem])
    return two_sided


@pytest.mark.sampled
@pytest.mark.parametrize("name", [*OPEN_SOURCE, *COMMERCIAL])
async def test_a_datapoint_is_two_sided(
    name: str, problems: dict[str, Problem], toolchain: Toolchain, tmp_path: Path
) -> None:
    two_sided = await check(problems[name], toolchain, tmp_path)
    assert two_sided.is_proved, two_sided.reason
    assert two_sided.reference.tests


@pytest.mark.sampled
@pytest.mark.parametrize("name", COMMERCIAL)
async def test_coverage_of_an_open_source_simulator_is_marked(
    name: str, problems: dict[str, Problem], toolchain: Toolchain, tmp_path: Path
) -> None:
    two_sided = await check(problems[name], toolchain, tmp_path)
    assert any("coverage" in remark for remark in two_sided.reference.remarks)


@pytest.mark.parametrize("name", OPEN_SOURCE)
async def test_a_converted_datapoint_gets_the_same_verdicts(
    name: str, problems: dict[str, Problem], toolchain: Toolchain, tmp_path: Path
) -> None:
    record = export_cvdp(problems[name])
    file = tmp_path / "converted_v1.1.0.jsonl"
    file.write_text(
        json.dumps(convert_record(record, RecordForm.NONAGENTIC if "prompt" in record else RecordForm.AGENTIC))
    )
    (converted,) = import_cvdp([file], "converted").problems
    two_sided = await check(converted, toolchain, tmp_path)
    assert two_sided.is_proved, two_sided.reason


def test_no_other_design_is_among_them(problems: dict[str, Problem]) -> None:
    designs = [problem.id for problem in problems.values() if problem.kind is ProblemKind.DESIGN]
    assert sorted(designs) == sorted([*OPEN_SOURCE, *COMMERCIAL])
