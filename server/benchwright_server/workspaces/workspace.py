"""One workspace on disk."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import ValidationError

from benchwright_attempts.grading.grading import judged_paths
from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.model import Model
from benchwright_foundation.plain_file import FileTooLargeError, NotPlainFileError, read_plain_file
from benchwright_problems.problem import AnswerKind, Problem, ProblemKind
from benchwright_problems.repository.changes import CHANGES
from benchwright_problems.repository.tree import Tree
from benchwright_server.errors import WorkspaceError
from benchwright_server.workspaces.marker import MARKER
from benchwright_server.workspaces.repository import diff_of_workspace

_MAX_FILE_BYTES = 16 * 1024**2


class Marker(Model):
    """The content of `.benchwright.json`: the attempt that a folder belongs to, and nothing hidden."""

    attempt: str
    problem: str
    statement: str
    is_repository: bool = False


class Workspace:
    """A folder made for one attempt at one problem.

    Args:
        folder: The folder.
        marker: The content of its `.benchwright.json`.
    """

    def __init__(self, folder: Path, marker: Marker) -> None:
        self.folder = folder
        self.marker = marker

    @classmethod
    def find_containing(cls, path: Path) -> Workspace | None:
        """The workspace that a file or folder belongs to, if there is one."""
        for folder in (path, *path.parents):
            try:
                content = (folder / MARKER).read_bytes()
            except OSError:
                continue
            try:
                return cls(folder, Marker.model_validate_json(content))
            except ValidationError:
                return None
        return None

    @property
    def statement(self) -> Path:
        """The task, Markdown."""
        return self.folder / self.marker.statement

    def relative(self, path: Path) -> str | None:
        """A file's path inside the workspace, with forward slashes; None for files elsewhere."""
        try:
            return path.relative_to(self.folder).as_posix()
        except ValueError:
            return None

    def read(self, workspace_path: str) -> bytes | None:
        """A file's bytes; see `read_file`."""
        return read_workspace_file_if_present(self.folder, workspace_path)


def read_workspace_file_if_present(folder: Path, workspace_path: str) -> bytes | None:
    """The bytes of a file below a folder; None if it is missing.

    Links are not followed: a run uses only what is in the workspace.

    Raises:
        WorkspaceError: The folder no longer exists, or the path is not a plain file in it of at most 16 MiB.
    """
    try:
        if not stat.S_ISDIR(folder.stat().st_mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
    except OSError as error:
        raise WorkspaceError(
            f"The workspace {folder} can't be read: {error.strerror}. Open the problem again to get a new one."
        ) from error
    try:
        return read_plain_file(folder, workspace_path, _MAX_FILE_BYTES)
    except FileNotFoundError:
        return None
    except (NotPlainFileError, FileTooLargeError) as error:
        raise WorkspaceError(f"{workspace_path} can't be used: it must be a plain file of at most 16 MiB.") from error
    except OSError as error:
        reason = error.strerror or "it can't be opened"
        raise WorkspaceError(
            f"{workspace_path} can't be used: {reason}. It must be a plain file, not a link."
        ) from error


def read_judged_files(folder: Path, problem: Problem) -> dict[str, bytes]:
    """The current content of the files that are judged, without missing ones.

    Of a repository problem that is the diff of the folder, or the one that a folder holds alone.
    """
    if problem.public.tree is not None:
        if (diff := read_workspace_file_if_present(folder, CHANGES)) is not None and len([*folder.iterdir()]) == 1:
            return {CHANGES: diff}
        excluded = (MARKER, CHANGES, unused_statement_name(problem))
        return {CHANGES: diff_of_workspace(folder, problem.public.tree, excluded)}
    return {
        path: content
        for path in judged_paths(problem)
        if (content := read_workspace_file_if_present(folder, path)) is not None
    }


def unused_folder(root: Path, problem_ref: str) -> Path:
    """A folder that does not exist yet: `root/pack/problem`, then `root/pack/problem-2` ..."""
    base_folder = root.joinpath(*problem_ref.split("/"))
    number = 1
    folder = base_folder
    while folder.exists():
        number += 1
        folder = base_folder.with_name(f"{base_folder.name}-{number}")
    return folder


def statement_path_and_workspace_files(
    problem: Problem, ref_by_language: Mapping[str, str] | None = None, *, has_answer_form: bool = False
) -> tuple[str, dict[str, bytes]]:
    """The path of the statement in a new workspace, and its files: path → content.

    Files to write are created empty, so that an editor can open them. Figures are where the statement's links
    point.

    Args:
        problem: The problem that is opened.
        ref_by_language: Language → `pack/id` of the same question in it.
        has_answer_form: True if the editor shows a form for the answer, which also leads to other languages.
    """
    name = unused_statement_name(problem)
    files = dict.fromkeys(judged_paths(problem), b"") if problem.public.tree is None else {}
    files |= {path: text.encode() for path, text in problem.public.files.items()}
    files |= {figure.path: figure.content for figure in problem.public.figures}
    statement = _statement_with_choices(problem).rstrip()
    if problem.kind is ProblemKind.DESIGN or not has_answer_form:
        statement = f"{statement}\n\n---\n\n{_answer_instruction(problem, ref_by_language or {})}"
    return name, files | {name: f"{statement}\n".encode()}


def unused_statement_name(problem: Problem) -> str:
    """The path of the statement in a workspace: none that a file of the problem has."""
    public = problem.public
    name = "README.md" if problem.kind is ProblemKind.DESIGN else "question.md"
    if public.tree is not None:
        name = "PROBLEM.md"
    taken_paths = {*public.files, *public.expected, *(public.tree.digest_by_path if public.tree is not None else ())}
    while name in taken_paths:
        name = f"_{name}"
    return name


def create_workspace_files(folder: Path, content_by_path: dict[str, bytes], tree: Tree | None = None) -> None:
    """Write the files of a new workspace.

    Args:
        folder: The workspace.
        content_by_path: Its files besides those of the tree.
        tree: Of a repository problem.

    Raises:
        WorkspaceError: The folder can't be created or written.
        TreeError: The tree can't be read.
    """
    try:
        folder.mkdir(parents=True)
        if tree is not None:
            tree.write_below(folder)
        for path, content in content_by_path.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            write_atomically(folder / path, content)
    except OSError as error:
        raise WorkspaceError(
            f"The workspace {folder} can't be written: {error.strerror}. Free some space or change the folder's"
            " permissions, then open the problem again."
        ) from error


def mark_workspace(folder: Path, marker: Marker) -> Workspace:
    """Mark a filled folder as the workspace of an attempt."""
    write_atomically(folder / MARKER, marker.model_dump_json(indent=2).encode() + b"\n")
    return Workspace(folder, marker)


def _statement_with_choices(problem: Problem) -> str:
    statement = problem.public.statement
    if not statement.lstrip().startswith("#"):
        statement = f"# {problem.title}\n\n{statement}"
    question = problem.public.question
    if question is not None and question.choices:
        choices = "\n".join(f"- **{choice.letter}.** {choice.text}" for choice in question.choices)
        statement = f"{statement.rstrip()}\n\n{choices}"
    return statement


def _answer_instruction(problem: Problem, ref_by_language: Mapping[str, str]) -> str:
    place = _answer_place_sentence(problem)
    if not ref_by_language:
        return place
    other_languages = ", ".join(f"`{ref}` ({language})" for language, ref in ref_by_language.items())
    return f"{place}\n\nThe same question in other languages: {other_languages}."


def _editable_paths_sentence(editable_paths: Sequence[str]) -> str:
    if not editable_paths:
        return "All files of this folder are yours to change."
    return f"Change nothing but {', '.join(f'`{path}`' for path in editable_paths)}."


def _answer_place_sentence(problem: Problem) -> str:
    question = problem.public.question
    if question is not None and question.format.fixed_keys:
        return f"Write {' or '.join(f'`{key}`' for key in question.format.fixed_keys)} into `answer.md`."
    if question is not None and question.format.answered_by is AnswerKind.CHOICES:
        return "Write the letters of all right choices into `answer.md`."
    if problem.kind is not ProblemKind.DESIGN:
        return "Write your answer into `answer.md`."
    if problem.public.tree is not None:
        return (
            f"{_editable_paths_sentence(problem.public.editable)} The difference to how you found the files is "
            f"judged; after each run it is in `{CHANGES}`. What a build leaves in a folder called `build`, waveforms "
            "and logs don't count."
        )
    files = ", ".join(f"[`{path}`]({path})" for path in problem.public.expected)
    return f"Files to write: {files}"
