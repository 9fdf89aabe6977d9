"""A repository problem of a commit that mends something: what it changes is the fix, and its tests are hidden."""

from __future__ import annotations

import asyncio
import io
import re
import shlex
import shutil
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchwright_authoring.new_problem import NewProblemError, place_problem, require_new_problem_id
from benchwright_foundation.toml_text import toml_table_text
from benchwright_harness.decision.named_tests import printed_results
from benchwright_harness.grading.two_sided import TwoSidedProof
from benchwright_problems.errors import PatchError
from benchwright_problems.problem import Difficulty, Problem
from benchwright_problems.repository.changes import CHANGES, diff_of_files
from benchwright_problems.repository.commits import CommitReader
from benchwright_problems.repository.named_tests import VERIFIER
from benchwright_problems.repository.tree import write_files
from benchwright_problems.storage.pack_folder import TREES, read_pack_folder
from benchwright_problems.verdict import TestResult, Verdict

_TESTS = "tests"
"""The folder of the hidden tests in the harness, with their paths of the repository."""
_BUG_FIX = "cid016"
_SMALLEST_FOLDER_MB = 200
_LOG_TAIL = 2000
_STATEMENT = (
    "# {title}\n\nSomething in this repository does not do what it should: hidden tests fail. Find the cause, and mend "
    "it.\n"
)
_VERIFIER = "cp -r /src/{tests}/. /code/\ncd /code\n{command}\n"

RunSide = Callable[[Problem, Mapping[str, bytes], io.BytesIO], Awaitable[Verdict]]
"""Runs a solution of a problem; its output goes to the log."""
ProveFromBothSides = Callable[[Problem], Awaitable[TwoSidedProof]]


@dataclass(frozen=True)
class CommitProblem:
    """The commit that a problem is made of, and what its author says besides."""

    repository: Path
    fix: str
    """The commit, as Git takes it."""
    test_paths: Sequence[str]
    """Files and folders of the commit that stay hidden."""
    command: str
    """Runs them at the root of the repository; empty for pytest."""
    editable: Sequence[str]
    """Files and folders that the solver may change; empty for all."""
    statement: str
    """Markdown; empty for one that says nothing but that tests fail."""


@dataclass(frozen=True)
class MadeProblem:
    """A problem that was proved."""

    folder: Path
    fail_to_pass: Sequence[str]
    pass_to_pass: Sequence[str]
    failing: Sequence[str]
    """Tests that the commit itself fails; they decide nothing."""
    left_out: Sequence[str]
    """Files of the repository that an editor may run or obey."""


async def make_problem_of_commit(
    commit_problem: CommitProblem,
    pack_folder: Path,
    problem_id: str,
    *,
    license_name: str,
    run_side: RunSide,
    prove: ProveFromBothSides,
) -> MadeProblem:
    """Make a problem in a pack folder, and the pack too if there is none; nothing unless it is proved.

    Raises:
        NewProblemError: The commit makes no problem, with the reason.
        TreeError: The repository can't be read.
        OSError: The folder can't be written.
    """
    require_new_problem_id(pack_folder, problem_id)
    reader = CommitReader(commit_problem.repository)
    fix = reader.commit_id(commit_problem.fix)
    base = reader.parent_id(fix)
    base_files = await asyncio.to_thread(reader.files, base)
    fix_files = await asyncio.to_thread(reader.files, fix)
    hidden_test_files = _hidden_test_files(commit_problem, fix_files.files)
    tree_name = f"{re.sub(r'[^a-z0-9]+', '-', commit_problem.repository.resolve().stem.lower())}-{base[:12]}".strip("-")
    with tempfile.TemporaryDirectory(prefix="benchwright-commit-") as temporary:
        draft = Path(temporary, "draft")
        folder = draft / problem_id
        (draft / TREES / tree_name).mkdir(parents=True)
        write_files(draft / TREES / tree_name, base_files.files)
        harness = {f"{_TESTS}/{path}": content for path, content in hidden_test_files.items()}
        harness[VERIFIER] = _VERIFIER.format(tests=_TESTS, command=_test_command_line(commit_problem)).encode()
        title = problem_id.replace("-", " ").capitalize()
        problem_files = {
            "statement.md": (commit_problem.statement or _STATEMENT.format(title=title)).encode(),
            f"hidden/reference/{CHANGES}": _fix_diff(
                base_files.files, fix_files.files, hidden_test_files, fix
            ).encode(),
            "hidden/explanation.md": f"The fix is commit {fix}, upon {base}.\n".encode(),
            **{f"hidden/harness/{path}": content for path, content in harness.items()},
        }
        folder.mkdir()
        write_files(folder, problem_files)
        values: dict[str, object] = {
            "id": problem_id,
            "kind": "design",
            "category": _BUG_FIX,
            "difficulty": Difficulty.MEDIUM.value,
            "tree": tree_name,
            **({"editable": list(commit_problem.editable)} if commit_problem.editable else {}),
            "limits": {"folder_mb": max(_SMALLEST_FOLDER_MB, 4 * sum(map(len, base_files.files.values())) >> 20)},
        }
        pack_lines = {"name": "draft", "title": "Draft", "version": "0", "license": license_name, "source": "draft"}
        (draft / "pack.toml").write_text(toml_table_text({**pack_lines, "order": [problem_id]}))
        (folder / "problem.toml").write_text(toml_table_text(values))
        (problem,) = read_pack_folder(draft).problems
        base_pass_by_test, _ = await _run_and_read_test_results(problem, {}, run_side)
        fix_pass_by_test, is_printed = await _run_and_read_test_results(
            problem, {CHANGES: problem.hidden.reference[CHANGES].encode()}, run_side
        )
        fail_to_pass = [name for name, passed in fix_pass_by_test.items() if passed and not base_pass_by_test.get(name)]
        pass_to_pass = [name for name, passed in fix_pass_by_test.items() if passed and base_pass_by_test.get(name)]
        failing = [name for name, passed in fix_pass_by_test.items() if not passed]
        if not fail_to_pass:
            raise NewProblemError(
                f"no test fails before {fix[:12]} and passes with it: {len(pass_to_pass)} pass before and after, and "
                f"{len(failing)} fail with it. --tests has to name the tests that show the fault"
            )
        values["tests"] = {
            "fail_to_pass": fail_to_pass,
            "pass_to_pass": pass_to_pass,
            **({"printed": True} if is_printed else {}),
        }
        (folder / "problem.toml").write_text(toml_table_text(values))
        (problem,) = read_pack_folder(draft).problems
        proof = await prove(problem)
        if not proof.is_proved:
            raise NewProblemError(f"{fix[:12]} is not proved from both sides: {proof.reason}")
        # Another problem's, upon the same commit.
        if not (pack_folder / TREES / tree_name).exists():
            shutil.copytree(draft / TREES / tree_name, pack_folder / TREES / tree_name)
        target = place_problem(
            pack_folder, problem_id, lambda new_folder: shutil.copytree(folder, new_folder), license_name=license_name
        )
    return MadeProblem(target, fail_to_pass, pass_to_pass, failing, base_files.left_out)


def _hidden_test_files(commit_problem: CommitProblem, fix_files: Mapping[str, bytes]) -> dict[str, bytes]:
    hidden_test_files: dict[str, bytes] = {}
    for test_path in commit_problem.test_paths:
        folder = test_path.strip("/")
        own_tests = {path: text for path, text in fix_files.items() if path == folder or path.startswith(f"{folder}/")}
        if not own_tests:
            raise NewProblemError(f"--tests: the commit {commit_problem.fix} has no file {test_path!r}")
        hidden_test_files |= own_tests
    for path, content in hidden_test_files.items():
        try:
            content.decode()
        except UnicodeDecodeError as error:
            raise NewProblemError(f"--tests: {path} is no text, and a harness holds nothing else") from error
    return hidden_test_files


def _fix_diff(
    base_files: Mapping[str, bytes],
    fix_files: Mapping[str, bytes],
    hidden_test_files: Mapping[str, bytes],
    fix_commit: str,
) -> str:
    paths = [
        path for path in {*base_files, *fix_files} - {*hidden_test_files} if base_files.get(path) != fix_files.get(path)
    ]
    if not paths:
        raise NewProblemError(
            f"the commit {fix_commit[:12]} changes nothing but its tests, so there is nothing to solve"
        )
    try:
        return diff_of_files(
            {path: base_files.get(path) for path in paths}, {path: fix_files.get(path) for path in paths}
        )
    except PatchError as error:
        raise NewProblemError(f"the commit {fix_commit[:12]} is not all text: {error}") from error


def _test_command_line(commit_problem: CommitProblem) -> str:
    if commit_problem.command:
        return commit_problem.command
    if other := next((path for path in commit_problem.test_paths if path.endswith((".v", ".sv", ".sh", ".mk"))), None):
        raise NewProblemError(f"--tests: {other} is nothing for pytest; --run has to say what runs the tests")
    # A cache beside the results would be a file that the tests' own simulation has to explain.
    return f"pytest -o cache_dir=/rundir/.cache {shlex.join(commit_problem.test_paths)}"


async def _run_and_read_test_results(
    problem: Problem, solution: Mapping[str, bytes], run_side: RunSide
) -> tuple[dict[str, bool], bool]:
    """Test → True if it passed, and True if the results were printed."""
    log = io.BytesIO()
    verdict = await run_side(problem, solution, log)
    output = log.getvalue().decode("utf-8", "replace")
    printed = printed_results([line.strip() for line in output.splitlines()])
    results: Sequence[TestResult] = printed or verdict.tests
    if solution and not results:
        raise NewProblemError(
            f"no test has a result with the commit itself: {verdict.detail}\n{output[-_LOG_TAIL:].strip()}\n"
            "--run has to start tests of pytest or cocotb, or to print their results"
        )
    pass_by_test: dict[str, bool] = {}
    for test in results:
        pass_by_test[test.name] = pass_by_test.get(test.name, True) and test.passed
    return pass_by_test, bool(printed)
