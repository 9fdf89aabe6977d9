"""Repository problems: one tree of several problems, named tests, and verdicts of real simulators."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from benchwright_foundation.home import Home
from benchwright_harness.cluster.local import LocalExecutor
from benchwright_harness.execution.run import ALL_IS_EDITABLE, UNSIGNED, run_harness
from benchwright_harness.grading.check import ProblemChecker
from benchwright_harness.grading.two_sided import ProofState
from benchwright_harness.grading.verdict_store import VerdictStore
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.problem import Problem
from benchwright_problems.repository.changes import CHANGES, diff_of_files
from benchwright_problems.storage.pack_file import read_pack_file, write_pack_file
from benchwright_problems.storage.pack_folder import read_pack_folder
from benchwright_problems.storage.pack_signature import read_or_make_author_key
from benchwright_problems.storage.store import Store
from benchwright_problems.verdict import Outcome, Reason, Verdict

from ..support.repository_pack import ADDER, BUGS, TOP, TREE, write_repository_pack

WRONG_ADDER = BUGS["sum"][1]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    cache = Home.from_environment().cache
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("BENCHWRIGHT_CACHE", str(cache))
    return Home.from_environment()


@pytest.fixture
def problem(tmp_path: Path) -> Problem:
    return read_pack_folder(write_repository_pack(tmp_path / "pack")).problems[0]


async def grade(problem: Problem, toolchain: Toolchain, patch: str) -> Verdict:
    solution = {CHANGES: patch.encode()}
    return await run_harness(problem, solution, sandbox=BwrapSandbox(), toolchain=toolchain, log=io.BytesIO())


def change(path: str, old: str, new: str) -> str:
    return diff_of_files({path: old.encode()}, {path: new.encode()})


async def prove(toolchain: Toolchain, folder: Path, tmp_path: Path) -> list[tuple[ProofState, tuple[str, ...]]]:
    verdicts = VerdictStore(tmp_path / "verdicts")
    checker = ProblemChecker(LocalExecutor(Home.from_environment().cache, 2), BwrapSandbox(), toolchain, verdicts)
    return [
        (proof_state.proof_state, proof_state.reasons)
        for proof_state in await checker.check_problems(read_pack_folder(folder).problems)
    ]


async def test_problems_of_one_repository_share_its_files_and_are_proved(
    toolchain: Toolchain, tmp_path: Path, home: Home
) -> None:
    folder = write_repository_pack(tmp_path / "pack")
    assert await prove(toolchain, folder, tmp_path) == [(ProofState.PROVED, ()), (ProofState.PROVED, ())]
    content_files = [file for file in (home.data / "trees/contents").rglob("*") if file.is_file()]
    assert len(content_files) == len(TREE) + len(BUGS)


async def test_a_test_that_the_start_passes_proves_nothing(toolchain: Toolchain, tmp_path: Path) -> None:
    folder = write_repository_pack(tmp_path / "pack")
    file = folder / "sum/problem.toml"
    file.write_text(file.read_text().replace('"adds"', '"x"').replace('"masks"', '"adds"').replace('"x"', '"masks"'))
    (state, reasons), _ = await prove(toolchain, folder, tmp_path)
    assert state is ProofState.WRONG
    assert reasons[:2] == (
        "fail_to_pass: masks passes with the starting files",
        "pass_to_pass: adds fails with the starting files",
    )


async def test_without_names_each_printed_result_has_to_pass_and_there_has_to_be_one(
    toolchain: Toolchain, tmp_path: Path
) -> None:
    folder = write_repository_pack(tmp_path / "pack")
    file = folder / "sum/problem.toml"
    file.write_text("".join(line for line in file.open() if "_to_pass" not in line))
    assert (await prove(toolchain, folder, tmp_path))[0] == (ProofState.PROVED, ())
    (folder / "sum/hidden/harness/verifier.sh").write_text("echo HWE_BENCH_RESULTS_START\necho HWE_BENCH_RESULTS_END\n")
    verdict = await grade(read_pack_folder(folder).problems[0], toolchain, "")
    assert verdict.outcome is not Outcome.PASSED


async def test_a_solution_is_a_diff_and_each_test_has_its_result(toolchain: Toolchain, problem: Problem) -> None:
    solved = await grade(problem, toolchain, change("rtl/adder.sv", WRONG_ADDER, ADDER))
    assert (solved.reason, UNSIGNED in solved.remarks) == (Reason.PASSED, True)
    # Solved, with another function broken.
    broken = change("rtl/adder.sv", WRONG_ADDER, ADDER) + change("rtl/top.sv", TOP, TOP.replace("a & b", "a"))
    verdict = await grade(problem, toolchain, broken)
    assert verdict.reason is Reason.TESTS_FAILED
    assert {test.name: test.passed for test in verdict.tests} == {"adds": True, "masks": False}
    unbuilt = await grade(problem, toolchain, change("rtl/adder.sv", WRONG_ADDER, "module adder(;\n"))
    assert unbuilt.outcome is Outcome.FAILED
    # A new file is compiled with the others.
    split = change(
        "rtl/adder.sv", WRONG_ADDER, ADDER.replace("a + b", "add(a, b)").replace("endmodule", "`F endmodule")
    )
    split += "diff --git a/rtl/a.sv b/rtl/a.sv\nnew file mode 100644\n--- /dev/null\n+++ b/rtl/a.sv\n@@ -0,0 +1 @@\n"
    split += "+`define F function [4:0] add(input [3:0] a, b); add = a + b; endfunction\n"
    assert (await grade(problem, toolchain, split)).reason is Reason.PASSED


async def test_only_what_is_editable_may_change_and_where_all_is_the_verdict_says_so(
    toolchain: Toolchain, tmp_path: Path
) -> None:
    folder = write_repository_pack(tmp_path / "pack")
    (free, _) = read_pack_folder(folder).problems
    right = change("rtl/adder.sv", WRONG_ADDER, ADDER)
    assert ALL_IS_EDITABLE in (await grade(free, toolchain, right)).remarks
    file = folder / "sum/problem.toml"
    file.write_text(file.read_text().replace('tree = "core"', 'tree = "core"\neditable = ["rtl"]'))
    (guarded, _) = read_pack_folder(folder).problems
    solved = await grade(guarded, toolchain, right)
    assert (solved.reason, ALL_IS_EDITABLE in solved.remarks) == (Reason.PASSED, False)
    refused = await grade(guarded, toolchain, right + change("scripts/sources.f", TREE["scripts/sources.f"], "x\n"))
    assert (refused.reason, "touch 'scripts/sources.f'" in refused.detail) == (Reason.UNREADABLE, True)


async def test_changes_that_do_not_apply_are_told_by_line(toolchain: Toolchain, problem: Problem) -> None:
    verdict = await grade(problem, toolchain, change("rtl/adder.sv", "module other;\n", ADDER))
    assert verdict.reason is Reason.UNREADABLE
    assert "rtl/adder.sv: line 2 of the patch expects 'module other;\\n'" in verdict.detail


@pytest.mark.parametrize(
    "printed",
    [
        "HWE_BENCH_RESULTS_START\\nTEST: adds ... PASS\\nTEST: masks ... PASS\\nHWE_BENCH_RESULTS_END",
        "TEST: adds ... PASS",
    ],
)
async def test_results_that_a_design_prints_beside_the_verifiers_do_not_pass(
    printed: str, toolchain: Toolchain, tmp_path: Path
) -> None:
    folder = write_repository_pack(tmp_path / "pack")
    verifier = folder / "sum/hidden/harness/verifier.sh"
    verifier.write_text(verifier.read_text().replace("> bench.log", "| tee bench.log"))
    (problem, _) = read_pack_folder(folder).problems
    forging = WRONG_ADDER.replace("endmodule", f'  initial $display("{printed}");\nendmodule')
    verdict = await grade(problem, toolchain, change("rtl/adder.sv", WRONG_ADDER, forging))
    assert verdict.outcome is Outcome.FAILED


async def test_a_published_pack_brings_its_trees_to_another_machine(
    toolchain: Toolchain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: Home
) -> None:
    folder = write_repository_pack(tmp_path / "pack")
    original = write_pack_file(folder, tmp_path / "core.zip", read_or_make_author_key(home)).pack
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path / "elsewhere"))
    elsewhere = Store(Home.from_environment())
    elsewhere.add(read_pack_file(tmp_path / "core.zip").pack)
    unsealed = elsewhere.unseal("core/sum")
    assert unsealed.public_digest == original.problems[0].public_digest
    assert '"folder":' not in unsealed.model_dump_json()
    verdict = await grade(unsealed, toolchain, unsealed.hidden.reference[CHANGES])
    assert verdict.reason is Reason.PASSED
