"""Problems that a proof decides, from the pack's folder to verdicts of real provers and simulators."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from benchwright_foundation.home import Home
from benchwright_harness.cluster.local import LocalExecutor
from benchwright_harness.execution.run import run_harness
from benchwright_harness.grading.check import ProblemChecker
from benchwright_harness.grading.two_sided import ProofState
from benchwright_harness.grading.verdict_store import VerdictStore
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.problem import Problem
from benchwright_problems.storage.pack_folder import read_pack_folder
from benchwright_problems.verdict import Outcome, Reason, Verdict

PACK = 'name = "p"\ntitle = "P"\nversion = "1"\nlicense = "CC0-1.0"\nsource = "test"\norder = ["adder"]\n'
PROBLEM = """
id = "adder"
kind = "design"
category = "cid003"
difficulty = "easy"
expected = ["rtl/adder.sv"]
limits = { wall_s = 60 }
"""
REFERENCE = """module adder #(parameter WIDTH = 16) (
  input clk, input reset, input [WIDTH-1:0] a, input [WIDTH-1:0] b, output reg [WIDTH-1:0] sum);
  always @(posedge clk) if (reset) sum <= 0; else sum <= a + b;
endmodule
"""
REWRITTEN = """module adder #(parameter WIDTH = 16) (
  input clk, input reset, input [WIDTH-1:0] a, input [WIDTH-1:0] b, output reg [WIDTH-1:0] sum);
  wire [WIDTH-1:0] next = reset ? {WIDTH{1'b0}} : ~(~a - b);
  always @(posedge clk) sum <= next;
endmodule
"""
TRAPDOOR = REFERENCE.replace("a + b", "a + b + (a == 16'hdead && b == 16'hbeef)")


def proof_problem(folder: Path, proof: str = "") -> Problem:
    files = {
        "pack.toml": PACK,
        "adder/problem.toml": PROBLEM + proof,
        "adder/statement.md": "# Adder\n\nWrite `adder`.\n",
        "adder/hidden/reference/rtl/adder.sv": REFERENCE,
        "adder/hidden/harness/proof.json": '{"top": "adder"}\n',
    }
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    (problem,) = read_pack_folder(folder).problems
    return problem


async def verdict_of(problem: Problem, design: str, toolchain: Toolchain) -> Verdict:
    return await run_harness(
        problem, {"rtl/adder.sv": design.encode()}, sandbox=BwrapSandbox(), toolchain=toolchain, log=io.BytesIO()
    )


async def test_another_design_that_does_the_same_passes(tmp_path: Path, toolchain: Toolchain) -> None:
    verdict = await verdict_of(proof_problem(tmp_path), REWRITTEN, toolchain)
    assert verdict.outcome is Outcome.PASSED, verdict
    assert [(test.name, test.passed) for test in verdict.tests] == [("equivalence of adder", True)]
    assert verdict.remarks == ()


async def test_a_difference_that_two_words_of_inputs_show_fails_with_these_words(
    tmp_path: Path, toolchain: Toolchain
) -> None:
    verdict = await verdict_of(proof_problem(tmp_path), TRAPDOOR, toolchain)
    assert (verdict.outcome, verdict.reason) == (Outcome.FAILED, Reason.TESTS_FAILED), verdict
    (test,) = verdict.tests
    assert "a = 0xdead, b = 0xbeef" in test.message
    assert f"{(0xDEAD + 0xBEEF) & 0xFFFF:016b} is expected" in test.message
    assert "dead" not in verdict.detail


@pytest.mark.parametrize(
    ("design", "reason"),
    [
        pytest.param(REFERENCE.replace("<= a + b", "<= a +"), Reason.BUILD_FAILED, id="does not compile"),
        pytest.param(REFERENCE.replace("sum", "total"), Reason.BUILD_FAILED, id="other ports"),
        pytest.param(REFERENCE.replace("module adder", "module adders"), Reason.BUILD_FAILED, id="another module"),
        pytest.param(REFERENCE.replace("reset) sum <= 0", 'reset) sum <= $fopen("x")'), Reason.REFUSED, id="files"),
        pytest.param(
            REFERENCE.replace("always @(posedge clk)", "always @(posedge clk or a)"), Reason.NOT_PROVED, id="no model"
        ),
    ],
)
async def test_what_no_proof_can_be_made_of_is_named(
    tmp_path: Path, toolchain: Toolchain, design: str, reason: Reason
) -> None:
    verdict = await verdict_of(proof_problem(tmp_path), design, toolchain)
    assert verdict.reason is reason, verdict
    assert not verdict.tests


async def test_parameters_that_the_author_names_are_compared_too(tmp_path: Path, toolchain: Toolchain) -> None:
    narrow = REFERENCE.replace("a + b", "WIDTH == 3 ? a - b : a + b")
    assert (await verdict_of(proof_problem(tmp_path / "a"), narrow, toolchain)).outcome is Outcome.PASSED
    with_three = proof_problem(tmp_path / "b", "[proof]\nparameters = [{ WIDTH = 3 }]\n")
    verdict = await verdict_of(with_three, narrow, toolchain)
    assert verdict.outcome is Outcome.FAILED
    assert "with WIDTH = 3" in verdict.tests[0].message


async def test_the_problem_is_proved_from_both_sides(tmp_path: Path, toolchain: Toolchain) -> None:
    problem = proof_problem(tmp_path)
    executor = LocalExecutor(Home.from_environment().cache, 2)
    checker = ProblemChecker(executor, BwrapSandbox(), toolchain, VerdictStore(tmp_path / "verdicts"))
    (two_sided,) = await checker.check_problems([problem])
    assert two_sided.proof_state is ProofState.PROVED, (two_sided.reason, two_sided.starting, two_sided.empty)
    assert two_sided.tools == ("iverilog", "vvp", "yosys", "yosys-abc")


def test_another_reference_is_another_harness(tmp_path: Path) -> None:
    problem = proof_problem(tmp_path)
    hidden = problem.hidden.model_copy(update={"reference": {"rtl/adder.sv": REWRITTEN}})
    assert problem.model_copy(update={"hidden": hidden}).harness_digest != problem.harness_digest
