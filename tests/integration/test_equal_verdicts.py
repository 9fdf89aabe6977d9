"""The same verdicts in every sandbox, for all published samples at hand, with one toolchain's tools."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from benchwright_foundation.home import Home
from benchwright_harness.cluster.local import LocalExecutor
from benchwright_harness.grading.check import ProblemChecker
from benchwright_harness.grading.two_sided import TwoSidedProof
from benchwright_harness.grading.verdict_store import VerdictStore
from benchwright_harness.plan.selection import selections
from benchwright_harness.sandbox import Sandbox
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_harness.sandbox.docker import DockerSandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.datasets.cvdp import import_cvdp
from benchwright_problems.datasets.rtllm import import_rtllm
from benchwright_problems.datasets.verilogeval import import_verilogeval
from benchwright_problems.problem import Problem, ProblemKind
from benchwright_problems.verdict import Verdict

from ..support.designs.testbench_sets import unpack
from ..support.machine.native_machine import proofs_without_sandbox
from ..support.machine.sandbox_contract import facts
from .conftest import ROOT

pytestmark = pytest.mark.long

SAMPLES = ROOT.parent / "shared" / "data"
ALL = 15
A_FEW = ("cvdp_copilot_lfsr_0001", "cvdp_agentic_fixed_arbiter_0001")
"""Beside the first of each other set."""

Told = tuple[str, str, tuple[tuple[str, bool], ...]]
Sides = dict[str, Told | None]


@pytest.fixture(scope="module")
def problems(cvdp_files: list[Path], tmp_path_factory: pytest.TempPathFactory, nightly: bool) -> list[Problem]:
    solved_files = [file for file in cvdp_files if file.stem.endswith("_with_solutions")]
    cvdp = [problem for problem in import_cvdp(solved_files, "cvdp").problems if problem.kind is ProblemKind.DESIGN]
    other_samples = []
    for name, importer in (("verilogeval", import_verilogeval), ("rtllm", import_rtllm)):
        folder = unpack(SAMPLES / name / f"{name}_sample.json", tmp_path_factory.mktemp(name))
        other_samples.append(importer([folder], name).problems)
    if nightly:
        all_problems = [*cvdp, *other_samples[0], *other_samples[1]]
        assert len(all_problems) == ALL
        return all_problems
    return [*(problem for problem in cvdp if problem.id in A_FEW), other_samples[0][0], other_samples[1][0]]


@pytest.fixture(scope="module")
def expected(
    problems: list[Problem], toolchain: Toolchain, tmp_path_factory: pytest.TempPathFactory
) -> list[TwoSidedProof]:
    """Verdicts that bubblewrap comes to; that every problem is two-sided there is part of it."""
    proofs = asyncio.run(proofs_in(BwrapSandbox(), problems, toolchain, tmp_path_factory.mktemp("bwrap")))
    assert {
        problem.id: proof.reason for problem, proof in zip(problems, proofs, strict=True) if not proof.is_proved
    } == {}
    return proofs


async def proofs_in(
    sandbox: Sandbox, problems: Sequence[Problem], toolchain: Toolchain, folder: Path
) -> list[TwoSidedProof]:
    executor = LocalExecutor(Home.from_environment().cache, 2)
    return await ProblemChecker(executor, sandbox, toolchain, VerdictStore(folder / "verdicts")).check_problems(
        problems
    )


def sides(proof: TwoSidedProof) -> Sides:
    return {
        "reference": verdict_facts(proof.reference),
        "starting": verdict_facts(proof.starting),
        "empty": verdict_facts(proof.empty),
    }


def verdict_facts(verdict: Verdict | None) -> Told | None:
    if verdict is None:
        return None
    test_facts = tuple(sorted((test.name, test.passed) for test in verdict.tests))
    return verdict.outcome.value, verdict.reason.value, test_facts


@pytest.mark.nightly
async def test_docker_comes_to_the_verdicts_of_bubblewrap(
    problems: list[Problem],
    expected: list[TwoSidedProof],
    toolchain: Toolchain,
    docker_host: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Whoever runs the tasks looks for the engine there.
    monkeypatch.setenv("DOCKER_HOST", docker_host)
    proofs = await proofs_in(DockerSandbox(), problems, toolchain, tmp_path)
    assert [sides(proof) for proof in proofs] == [sides(proof) for proof in expected]
    assert [facts(proof.reference) for proof in proofs] == [facts(proof.reference) for proof in expected]


def test_native_comes_to_the_verdicts_of_bubblewrap(
    problems: list[Problem], expected: list[TwoSidedProof], toolchain: Toolchain
) -> None:
    selected_problems = [
        (problem, proof.selection or selections(problem)[0]) for problem, proof in zip(problems, expected, strict=True)
    ]
    proofs = proofs_without_sandbox(selected_problems, toolchain, Home.from_environment().cache)
    assert [sides(proof) for proof in proofs] == [sides(proof) for proof in expected]
    assert all("without protection" in " ".join(proof.reference.remarks) for proof in proofs)
