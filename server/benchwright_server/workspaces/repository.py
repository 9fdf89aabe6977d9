"""The solution in the workspace of a repository problem: its difference to the files that the workspace began with."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from benchwright_problems.errors import PatchError
from benchwright_problems.repository.build_output import can_be_handed_in, is_left_out_of_solution
from benchwright_problems.repository.changes import LARGEST_CHANGES_BYTES, diff_of_files
from benchwright_problems.repository.tree import Tree
from benchwright_server.errors import WorkspaceError

_LARGEST_FILE_BYTES = 16 << 20


def diff_of_workspace(folder: Path, tree: Tree, excluded_paths: Collection[str]) -> bytes:
    """The changes in a workspace, without what tools put there: new files that are a build's, hidden or no text.

    Args:
        folder: The workspace.
        tree: The files that it began with.
        excluded_paths: Files at its top that are no part of the solution.

    Raises:
        WorkspaceError: The changes are too many, or a file of the repository is no text or a link now.
        TreeError: The tree can't be read.
    """
    old_files: dict[str, bytes | None] = {}
    new_files: dict[str, bytes | None] = {}
    digest_by_path = tree.digest_by_path
    unseen_paths = set(digest_by_path)
    changed_bytes = 0
    for path, folder_entry in _files_below(folder, _parent_folders_of_files(digest_by_path), digest_by_path):
        if path in excluded_paths:
            continue
        unseen_paths.discard(path)
        content = _read_plain_file(path, folder_entry)
        if hashlib.sha256(content).hexdigest() == digest_by_path.get(path):
            continue
        if path not in digest_by_path and not can_be_handed_in(path, content):
            continue
        old_files[path] = tree.read(path) if path in digest_by_path else None
        new_files[path] = content
        changed_bytes += len(content) if path not in digest_by_path else 0
        if changed_bytes > LARGEST_CHANGES_BYTES:
            raise _too_large_error(path)
    for path in unseen_paths:
        old_files[path], new_files[path] = tree.read(path), None
    try:
        diff = diff_of_files(old_files, new_files).encode()
    except PatchError as error:
        raise WorkspaceError(f"{error}. Restore it, and open the file again.") from error
    if len(diff) > LARGEST_CHANGES_BYTES:
        raise _too_large_error(max(new_files, key=lambda path: len(new_files[path] or b"")))
    return diff


def file_sizes(folder: Path, tree: Tree) -> dict[str, int]:
    """The size in bytes of each file in a workspace, without what builds leave."""
    digest_by_path = tree.digest_by_path
    return {
        path: entry.stat(follow_symlinks=False).st_size
        for path, entry in _files_below(folder, _parent_folders_of_files(digest_by_path), digest_by_path)
    }


def _files_below(
    folder: Path, tree_folders: Collection[str], digest_by_path: Mapping[str, str]
) -> Iterator[tuple[str, os.DirEntry[str]]]:
    pending = [""]
    while pending:
        prefix = pending.pop()
        with os.scandir(folder / prefix) as entries:
            for entry in entries:
                path = f"{prefix}{entry.name}"
                if entry.is_dir(follow_symlinks=False):
                    if path in tree_folders or not is_left_out_of_solution(f"{path}/file"):
                        pending.append(f"{path}/")
                elif path in digest_by_path or (
                    entry.is_file(follow_symlinks=False) and not is_left_out_of_solution(path)
                ):
                    yield path, entry


def _parent_folders_of_files(digest_by_path: Mapping[str, str]) -> set[str]:
    folders: set[str] = set()
    for path in digest_by_path:
        folder = path.rpartition("/")[0]
        while folder and folder not in folders:
            folders.add(folder)
            folder = folder.rpartition("/")[0]
    return folders


def _read_plain_file(workspace_path: str, folder_entry: os.DirEntry[str]) -> bytes:
    if not folder_entry.is_file(follow_symlinks=False):
        raise WorkspaceError(f"{workspace_path} must be a plain file, not a link. Restore it.")
    if folder_entry.stat(follow_symlinks=False).st_size > _LARGEST_FILE_BYTES:
        raise _too_large_error(workspace_path)
    try:
        return Path(folder_entry).read_bytes()
    except OSError as error:
        raise WorkspaceError(f"{workspace_path} can't be read: {error.strerror}.") from error


def _too_large_error(workspace_path: str) -> WorkspaceError:
    return WorkspaceError(
        f"The changes of this workspace are larger than {LARGEST_CHANGES_BYTES >> 20} MiB; see {workspace_path}. Put "
        "what a build writes into a folder called build."
    )
