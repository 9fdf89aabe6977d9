"""The built-in core: its three bugs are proved from both sides, and its own tests run."""

from __future__ import annotations

import shlex
from importlib.resources import files
from pathlib import Path

import pytest

from benchwright_foundation.home import Home
from benchwright_harness.cluster.local import LocalExecutor
from benchwright_harness.grading.check import ProblemChecker
from benchwright_harness.grading.two_sided import ProofState
from benchwright_harness.grading.verdict_store import VerdictStore
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.problem import Problem
from benchwright_problems.repository.changes import CHANGES, changed_content_by_path
from benchwright_problems.storage.pack_folder import read_built_in
from benchwright_subjects.evaluation.evaluation import summary_of_run

from ..support.models.eval import Desk, desk, run, says

__all__ = ("desk",)

PACK = read_built_in("small-core")
FOLDER = Path(str(files("benchwright_problems") / "packs" / "small-core"))


@pytest.mark.parametrize("problem", PACK.problems, ids=lambda problem: problem.id)
def test_a_fix_changes_the_only_file_that_the_bug_changed_and_no_public_text_names_it(problem: Problem) -> None:
    tree = problem.public.tree
    assert tree is not None
    fixed = changed_content_by_path(tree, problem.hidden.reference[CHANGES], problem.public.editable)
    ((path, content),) = fixed.items()
    assert content == (FOLDER / "trees/wren" / path).read_bytes()
    assert content != tree.read(path)
    assert Path(path).stem not in problem.public.statement
    # One harness proves all three: what breaks besides the bug fails as well.
    easiest = PACK.problems[0].hidden
    assert problem.hidden.harness == easiest.harness
    assert problem.hidden.tests is not None
    assert easiest.tests is not None
    names = {*problem.hidden.tests.fail_to_pass, *problem.hidden.tests.pass_to_pass}
    assert names == {*easiest.tests.fail_to_pass, *easiest.tests.pass_to_pass}


@pytest.mark.nightly
async def test_each_bug_is_proved_from_both_sides(toolchain: Toolchain, tmp_path: Path) -> None:
    checker = ProblemChecker(
        LocalExecutor(Home.from_environment().cache, 2), BwrapSandbox(), toolchain, VerdictStore(tmp_path / "verdicts")
    )
    proofs = await checker.check_problems(PACK.problems)
    assert [(proof_state.proof_state, proof_state.reasons) for proof_state in proofs] == [(ProofState.PROVED, ())] * 3


@pytest.mark.nightly
def test_its_own_tests_run_where_an_agent_works_and_show_no_bug(desk: Desk) -> None:
    command = f"sh -c {shlex.quote('python3 tests/run.py > rtl/output.txt 2>&1')}"
    log = run(desk, says("done"), "agent", pack="small-core", problems="wrong-sums", command=command, limit_s=120.0)
    assert summary_of_run(log)["passed"] == 0
    assert "PASS=2 FAIL=0" in desk.exports()
