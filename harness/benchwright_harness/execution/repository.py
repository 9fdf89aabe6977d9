"""A repository problem as a run takes it: with the files of its tree, and its solution's diff as files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from benchwright_harness.errors import BadHarnessError, SandboxUnavailableError
from benchwright_problems.errors import PatchError
from benchwright_problems.problem import Problem
from benchwright_problems.repository.changes import CHANGES, changed_content_by_path
from benchwright_problems.repository.tree import TreeError


@dataclass(frozen=True)
class RunFiles:
    """The files that a problem and a solution bring to a run."""

    problem: Problem
    """With every file under its own path: those of a tree that are text, and as expected those that were changed."""
    solution: Mapping[str, bytes]
    """Path → content; a file that is expected and not here is missing."""
    other_files: Mapping[str, bytes] = field(default_factory=dict)
    """Files of a tree that are no text."""


def files_of_run(problem: Problem, solution: Mapping[str, bytes]) -> RunFiles:
    """The files of a run; those of a repository problem are read, and its solution is applied to them.

    Raises:
        PatchError: The solution is no diff of text, or does not apply.
        HarnessError: The tree or the reference can't be read.
    """
    tree = problem.public.tree
    if tree is None:
        return RunFiles(problem, solution)
    try:
        content_by_changed_path = changed_content_by_path(
            tree, _decoded_patch(solution.get(CHANGES, b"")), problem.public.editable
        )
        contents = tree.read_all()
        try:
            reference = changed_content_by_path(tree, problem.hidden.reference.get(CHANGES, ""))
        except PatchError as error:
            raise BadHarnessError(f"reference: {error}") from error
    except TreeError as error:
        raise SandboxUnavailableError("this machine lacks the files of the repository", str(error)) from error
    texts, other_files = {}, {}
    for path, content in contents.items():
        try:
            texts[path] = content.decode()
        except UnicodeDecodeError:
            other_files[path] = content
    # Their paths were checked when the tree was made, which for thousands takes a while.
    public = problem.public.model_copy(update={"files": texts, "expected": tuple(sorted(content_by_changed_path))})
    reference_texts = {path: content.decode() for path, content in reference.items() if content is not None}
    hidden = problem.hidden.model_copy(update={"reference": reference_texts})
    return RunFiles(
        problem.model_copy(update={"public": public, "hidden": hidden}),
        {path: content for path, content in content_by_changed_path.items() if content is not None},
        other_files,
    )


def _decoded_patch(patch_bytes: bytes) -> str:
    try:
        return patch_bytes.decode()
    except UnicodeDecodeError as error:
        raise PatchError(f"byte {error.start + 1} is not UTF-8") from error
