"""`problems mutate` with a real simulator in a real sandbox: strong and weak harnesses, and what it remembers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from benchwright_authoring.mutation.analysis import MutantAnalyser, ProveEquivalence, candidate_mutants
from benchwright_authoring.mutation.findings import MutantStatus, ProblemFindings
from benchwright_authoring.mutation.rates import rate_of_kills
from benchwright_foundation.home import Home
from benchwright_harness.cluster.local import LocalExecutor
from benchwright_harness.grading.verdict_store import VerdictStore
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.datasets.cvdp import import_cvdp
from benchwright_problems.datasets.rtllm import import_rtllm
from benchwright_problems.equivalence import DontCares, ParameterSets
from benchwright_problems.problem import Problem
from benchwright_problems.verdict import Reason

from ..support.designs.testbench_sets import STRICT, write_rtllm

BENCHWRIGHT = Path(sys.executable).with_name("benchwright")
# Looks at one of four combinations of the inputs.
HALF = "if (i == 3 && y !== 1'b1) error = error + 1;"


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    root = write_rtllm(tmp_path / "rtllm", {"gate": STRICT, "half": HALF})
    environ = os.environ | {"BENCHWRIGHT_HOME": str(tmp_path / "home"), "COLUMNS": "200"}
    assert benchwright(environ, "problems", "import", "rtllm", root, "--pack", "mine").returncode == 0
    return environ


def benchwright(environ: dict[str, str], *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [BENCHWRIGHT, *arguments], env=environ, capture_output=True, text=True, timeout=600, check=False
    )


def test_a_harness_that_looks_at_little_kills_less(environ: dict[str, str], tmp_path: Path) -> None:
    report = tmp_path / "mutants.json"
    process = benchwright(environ, "problems", "mutate", "mine", "--report", report)
    assert process.returncode == 1, process.stderr
    assert process.stdout.index("half\t") < process.stdout.index("gate\t")
    reports_by_id = {problem["id"]: problem for problem in json.loads(report.read_text())["problems"]}
    assert {finding["status"] for finding in reports_by_id["gate"]["findings"]} == {"killed"}
    survivors = {
        finding["mutant"]["after"] for finding in reports_by_id["half"]["findings"] if finding["status"] == "survived"
    }
    assert survivors == {"|", "a", "b", "'1"}
    page = (tmp_path / "mutants.md").read_text()
    assert "-  assign y = a & b;\n+  assign y = a | b;\n" in page
    assert {file.stat().st_mode & 0o777 for file in (report, tmp_path / "mutants.md")} == {0o600}


def test_only_the_problems_that_are_named_are_tried_and_a_sample_is_the_same_again(environ: dict[str, str]) -> None:
    mutation_runs = [
        benchwright(environ, "problems", "mutate", "mine", "half", "--limit", "3", "--seed", "7", "--json")
        for _ in range(2)
    ]
    (first, second) = (json.loads(run.stdout) for run in mutation_runs)
    assert [problem["id"] for problem in first["problems"]] == ["half"]
    assert len(first["problems"][0]["findings"]) == 3
    assert first == second


def test_what_is_known_is_not_run_again(environ: dict[str, str], tmp_path: Path) -> None:
    def verdict_times() -> dict[str, int]:
        folder = tmp_path / "home" / "data" / "sealed" / "@verdicts"
        return {file.name: file.stat().st_mtime_ns for file in folder.rglob("*.verdict.json")}

    benchwright(environ, "problems", "mutate", "mine", "gate", "--limit", "2")
    first_times = verdict_times()
    assert benchwright(environ, "problems", "mutate", "mine", "gate").returncode == 0
    second_times = verdict_times()
    assert len(first_times) < len(second_times)
    assert {name: second_times[name] for name in first_times} == first_times


def test_a_problem_that_is_not_there_is_named(environ: dict[str, str]) -> None:
    process = benchwright(environ, "problems", "mutate", "mine", "gait")
    assert process.returncode == 2
    assert "mine has no design problem gait" in process.stderr


@dataclass(frozen=True)
class ScriptedOpinion:
    """An opinion as the prover of the formal tools gives it."""

    result: str
    depth: int | None = None
    cycle: int | None = None
    stimulus: Sequence[Mapping[str, int]] = ()
    reason: str = ""
    parameters: Mapping[str, int] = field(default_factory=dict)


async def analysed(
    problem: Problem, toolchain: Toolchain, folder: Path, prove: ProveEquivalence | None = None
) -> ProblemFindings:
    analyser = MutantAnalyser(
        LocalExecutor(Home.from_environment().cache, 2), BwrapSandbox(), toolchain, VerdictStore(folder)
    )
    (problem_findings,) = await analyser.analyse_mutants([candidate_mutants(problem, seed=0, most_mutants=None)], prove)
    return problem_findings


async def test_survivors_alone_are_compared_and_what_is_proved_of_each_is_kept(
    toolchain: Toolchain, tmp_path: Path
) -> None:
    (imported,) = import_rtllm([write_rtllm(tmp_path / "rtllm", {"half": HALF})], "rtllm").problems
    hidden_part = imported.hidden.model_copy(update={"parameter_sets": ({"W": 3},)})
    problem = imported.model_copy(update={"hidden": hidden_part})
    opinions = {
        b"a | b": ScriptedOpinion("differs", cycle=0, stimulus=[{"a": 1, "b": 0}], parameters={"W": 3}),
        b"= a;": ScriptedOpinion("equivalent"),
        b"= b;": ScriptedOpinion("equivalent", depth=20),
        b"= '1;": ScriptedOpinion("unknown", reason="out of time"),
    }
    proved_tops: list[str] = []

    async def prove(
        reference: Mapping[str, bytes],
        mutant: Mapping[str, bytes],
        top_module: str,
        dont_cares: DontCares,
        parameter_sets: ParameterSets,
    ) -> ScriptedOpinion:
        proved_tops.append(top_module)
        assert parameter_sets == ({"W": 3},)
        ((path, text),) = mutant.items()
        assert reference[path] != text
        return next(opinion for words, opinion in opinions.items() if words in text)

    problem_findings = await analysed(problem, toolchain, tmp_path / "verdicts", prove)
    assert proved_tops == ["gate"] * 4
    by_fault = {finding.mutant.after: finding for finding in problem_findings.findings}
    assert by_fault["a"].status is MutantStatus.EQUIVALENT
    example = by_fault["|"].counterexample
    assert example is not None
    assert example.stimulus == ({"a": 1, "b": 0},)
    assert example.parameters == {"W": 3}
    assert by_fault["b"].status is MutantStatus.SURVIVED
    assert by_fault["b"].note == "does not differ in the first 20 cycles"
    assert by_fault["'1"].note == "out of time"
    assert by_fault["'0"].status is MutantStatus.KILLED


def shell_problem(folder: Path, script: str, reference: str) -> Problem:
    compose = f"services: {{a: {{image: i, command: [sh, -c, {json.dumps(script)}]}}}}"
    record: dict[str, Any] = {
        "id": "inverter",
        "categories": ["cid003", "easy"],
        "input": {"prompt": "Write an inverter.", "context": {}},
        "output": {"response": "", "context": {"rtl/inv.sv": reference}},
        "harness": {"files": {"docker-compose.yml": compose}},
    }
    file = folder / "data_v9.jsonl"
    file.write_text(json.dumps(record) + "\n")
    (problem,) = import_cvdp([file], "mine").problems
    return problem


async def test_a_mutant_that_hangs_counts_as_killed_by_a_timeout(toolchain: Toolchain, tmp_path: Path) -> None:
    script = "grep -q '~a' /code/rtl/inv.sv || sleep 60"
    problem = shell_problem(tmp_path, script, "module inv (input a, output y);\nassign y = ~a;\nendmodule\n")
    problem_findings = await analysed(problem, toolchain, tmp_path / "verdicts")
    assert {finding.reason for finding in problem_findings.findings} == {Reason.TIMEOUT}
    killed = rate_of_kills(problem_findings.findings)
    assert killed.timeouts == killed.killed.count == len(problem_findings.findings)


async def test_a_problem_whose_reference_fails_is_left_out(toolchain: Toolchain, tmp_path: Path) -> None:
    problem = shell_problem(tmp_path, "exit 1", "module inv (input a, output y);\nassign y = ~a;\nendmodule\n")
    problem_findings = await analysed(problem, toolchain, tmp_path / "verdicts")
    assert problem_findings.findings == ()
    assert problem_findings.left_out.startswith("The reference does not pass")
