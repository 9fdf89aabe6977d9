"""VerilogEval and RTLLM, proved from both sides on real simulators; the published samples, and sets of our own."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from benchwright_foundation.home import Home
from benchwright_harness.cluster.local import LocalExecutor
from benchwright_harness.execution.run import run_harness
from benchwright_harness.grading.check import ProblemChecker
from benchwright_harness.grading.two_sided import TwoSidedProof
from benchwright_harness.grading.verdict_store import VerdictStore
from benchwright_harness.plan.selection import ToolSelection, selections
from benchwright_harness.sandbox import Sandbox
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_harness.sandbox.registry import open_sandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.datasets.chipbench import import_chipbench
from benchwright_problems.datasets.rtllm import import_rtllm
from benchwright_problems.datasets.verilogeval import import_verilogeval
from benchwright_problems.problem import Problem
from benchwright_problems.verdict import Outcome, Reason, Verdict

from ..support.designs.published_sets import rtllm, verilogeval
from ..support.designs.testbench_sets import AND, NEWER, STRICT, WEAK, WRONG_AND, unpack
from .conftest import ROOT

__all__ = ("verilogeval",)

SAMPLES = ROOT.parent / "shared" / "data"


async def proved(problems: list[Problem], toolchain: Toolchain, folder: Path) -> dict[str, TwoSidedProof]:
    executor = LocalExecutor(Home.from_environment().cache, 2)
    checker = ProblemChecker(executor, BwrapSandbox(), toolchain, VerdictStore(folder / "verdicts"))
    proofs = await checker.check_problems(problems)
    return {problem.id: proof for problem, proof in zip(problems, proofs, strict=True)}


async def grade(
    problem: Problem,
    text: str,
    toolchain: Toolchain,
    selection: ToolSelection | None = None,
    sandbox: Sandbox | None = None,
) -> tuple[Verdict, str]:
    log = io.BytesIO()
    (path,) = problem.public.expected
    verdict = await run_harness(
        problem,
        {path: text.encode()},
        sandbox=sandbox or BwrapSandbox(),
        toolchain=toolchain,
        selection=selection,
        log=log,
    )
    return verdict, log.getvalue().decode(errors="replace")[-4000:]


async def test_verilogevals_layout_is_proved(
    verilogeval: dict[str, Problem], toolchain: Toolchain, tmp_path: Path
) -> None:
    proofs = await proved(list(verilogeval.values()), toolchain, tmp_path)
    assert {name: proof.reason for name, proof in proofs.items()} == dict.fromkeys(verilogeval, "")
    assert all(proof.selection and proof.selection.icarus == "12" for proof in proofs.values())


async def test_rtllms_layout_is_proved(toolchain: Toolchain, tmp_path: Path) -> None:
    proofs = await proved(rtllm(tmp_path, gate=STRICT), toolchain, tmp_path)
    assert proofs["gate"].is_proved, proofs["gate"]
    empty = proofs["gate"].empty
    assert empty is not None
    assert empty.reason is Reason.TESTS_FAILED


async def test_a_testbench_that_passes_an_empty_module_is_named(toolchain: Toolchain, tmp_path: Path) -> None:
    proofs = await proved(rtllm(tmp_path, weak=WEAK, gate=STRICT), toolchain, tmp_path)
    assert {name: proof.reason for name, proof in proofs.items()} == {
        "weak": "an empty module passes: the tests prove nothing",
        "gate": "",
    }


async def test_the_first_tool_that_the_reference_passes_with_is_chosen(toolchain: Toolchain, tmp_path: Path) -> None:
    problems = rtllm(tmp_path, newer=NEWER)
    proofs = await proved(problems, toolchain, tmp_path)
    choices = selections(problems[0])
    assert choices[0].icarus == "12"
    assert (proofs["newer"].is_proved, proofs["newer"].selection) == (True, choices[1])


@pytest.mark.parametrize("simulator", ["icarus", "verilator"])
async def test_both_simulators_tell_right_from_wrong(
    simulator: str, verilogeval: dict[str, Problem], toolchain: Toolchain, tmp_path: Path
) -> None:
    selection = ToolSelection.model_validate({"icarus": "12", "simulator": simulator})
    for problem, name in (
        (verilogeval["spec-to-rtl.Prob001_and"], "TopModule"),
        (rtllm(tmp_path, gate=STRICT)[0], "gate"),
    ):
        right_verdict, log = await grade(problem, AND.format(name=name), toolchain, selection)
        assert right_verdict.reason is Reason.PASSED, log
        wrong_verdict, log = await grade(problem, WRONG_AND.format(name=name), toolchain, selection)
        assert wrong_verdict.reason is Reason.TESTS_FAILED, log
        broken_verdict, log = await grade(problem, f"module {name} (", toolchain, selection)
        assert broken_verdict.reason is Reason.BUILD_FAILED, log


async def test_a_run_without_protection_comes_to_the_same_verdicts(
    verilogeval: dict[str, Problem], toolchain: Toolchain
) -> None:
    problem = verilogeval["spec-to-rtl.Prob001_and"]
    boxes = [BwrapSandbox(), open_sandbox("native")]
    for text, reason in ((AND, Reason.PASSED), (WRONG_AND, Reason.TESTS_FAILED)):
        for box in boxes:
            verdict, log = await grade(problem, text.format(name="TopModule"), toolchain, sandbox=box)
            assert verdict.reason is reason, log


HEAD = "`timescale 1ps/1ps\nmodule TopModule (input a, input b, output y);\n"
FORGERIES = {
    "prints the result": 'initial $display("Mismatches: 0 in 20 samples");',
    "prints the result last": 'final $display("Mismatches: 0 in 20 samples");',
    "uses the reference": "RefModule mine (.a, .b, .y);",
    "reads its neighbour": "assign y = good1.y;",
    "reads its neighbour from the top": "assign y = tb.good1.y;",
    "reads its neighbour from the root": "assign y = $root.tb.good1.y;",
    "clears the count": "always @* tb.stats1.errors = 0;",
    "ends before the first sample": "assign y = a & b; initial $finish;",
    "ends while all is well": "assign y = a & b; initial #12 $finish;",
    "ends silently": "assign y = a & b; initial #12 $finish(0);",
    "prints and ends": 'initial begin $display("Mismatches: 0 in 20 samples"); $finish; end',
    "stops": "assign y = a & b; initial #12 $stop;",
}


@pytest.mark.parametrize("body", FORGERIES.values(), ids=FORGERIES.keys())
async def test_a_forged_result_does_not_pass(body: str, verilogeval: dict[str, Problem], toolchain: Toolchain) -> None:
    problem = verilogeval["spec-to-rtl.Prob001_and"]
    verdict, log = await grade(problem, f"{HEAD}{body}\nendmodule\n", toolchain)
    assert verdict.outcome is Outcome.FAILED, log


async def test_a_pass_line_of_the_designs_own_does_not_pass(toolchain: Toolchain, tmp_path: Path) -> None:
    (problem,) = rtllm(tmp_path, gate=STRICT)
    line = 'initial begin $display("===========Your Design Passed==========="); $finish; end'
    verdict, log = await grade(problem, AND.format(name="gate").replace("assign", f"{line}\nassign"), toolchain)
    assert verdict.outcome is Outcome.FAILED, log


@pytest.mark.parametrize("name", ["verilogeval", "rtllm", "chipbench"])
async def test_the_published_samples_are_proved(name: str, toolchain: Toolchain, tmp_path: Path) -> None:
    sample = SAMPLES / name / f"{name}_sample.json"
    if not sample.is_file():
        pytest.skip(f"the sample of {name} is not at {sample}")
    importer = {"verilogeval": import_verilogeval, "rtllm": import_rtllm, "chipbench": import_chipbench}[name]
    pack = importer([unpack(sample, tmp_path / name)], name)
    assert len(pack.problems) == {"verilogeval": 8, "rtllm": 3, "chipbench": 10}[name]
    proofs = await proved(list(pack.problems), toolchain, tmp_path)
    assert {problem: proof.reason for problem, proof in proofs.items()} == dict.fromkeys(proofs, "")
