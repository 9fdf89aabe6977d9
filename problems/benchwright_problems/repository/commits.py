"""Commits of a Git repository, read without checking anything out: no hook, filter or setting of it is obeyed."""

from __future__ import annotations

import os
import posixpath
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from benchwright_problems.editor_files import is_obeyed_by_editors
from benchwright_problems.repository.tree import TreeError, require_usable_files

_LINK, _SUBMODULE = "120000", "160000"
_MOST_LINKS = 8
_LIMIT_S = 600
_SETTINGS = ("-c", "safe.directory=*", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false")
_ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "LC_ALL": "C",
}


@dataclass(frozen=True)
class CommitFiles:
    """The files of a commit, as a workspace can hold them."""

    files: dict[str, bytes]
    left_out: tuple[str, ...]
    """Files that an editor may run or obey."""


class CommitReader:
    """Reads the commits of a repository.

    Args:
        repository_folder: The repository: a clone, bare or not.

    Raises:
        TreeError: It is no repository, or there is no Git here.
    """

    def __init__(self, repository_folder: Path) -> None:
        self._folder = repository_folder
        if shutil.which("git") is None:
            raise TreeError("Git is not installed, which reads repositories. Install it (Debian: apt-get install git).")
        if not repository_folder.is_dir() or not self._git_output_or_none("rev-parse", "--git-dir"):
            raise TreeError(f"{repository_folder} is no Git repository. Give the folder of a clone.")

    def commit_id(self, revision: str) -> str:
        """The id of a commit.

        Raises:
            TreeError: There is no such commit.
        """
        commit = self._git_output_or_none(
            "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"
        )
        if not commit:
            raise TreeError(f"{self._folder} has no commit {revision!r}. `git log` lists those that it has.")
        return commit.decode().strip()

    def parent_id(self, commit_id: str) -> str:
        """The commit before another one; of a merge, the one that was merged into.

        Raises:
            TreeError: There is none.
        """
        parents = (self._git_output_or_none("rev-parse", f"{commit_id}^@") or b"").split()
        if not parents:
            raise TreeError(f"The commit {commit_id[:12]} is the first of {self._folder}: nothing is before it.")
        return parents[0].decode()

    def files(self, commit_id: str) -> CommitFiles:
        """All files of a commit; a link to a file of it is replaced by that file's content.

        Raises:
            TreeError: It has a submodule, a link to something else, or what no workspace can hold.
        """
        object_by_path: dict[str, str] = {}
        links: dict[str, str] = {}
        for tree_entry in (self._git_output_or_none("ls-tree", "-r", "-z", "--full-tree", commit_id) or b"").split(
            b"\0"
        )[:-1]:
            head, _, raw_path = tree_entry.partition(b"\t")
            mode, _, object_id = head.decode().split()
            try:
                path = raw_path.decode()
            except UnicodeDecodeError as error:
                raise TreeError(f"The path {raw_path!r} of {commit_id[:12]} is not UTF-8.") from error
            if mode == _SUBMODULE:
                raise TreeError(f"{path} is a submodule, whose files the repository does not have. Put them into it.")
            (links if mode == _LINK else object_by_path)[path] = object_id
        left_out = tuple(path for path in (*object_by_path, *links) if is_obeyed_by_editors(path))
        contents = self._content_by_object_id({*object_by_path.values(), *links.values()})
        files = {path: contents[object_id] for path, object_id in object_by_path.items()}
        targets = {path: contents[object_id].decode(errors="replace") for path, object_id in links.items()}
        files |= {path: files[_linked_path(path, targets, files)] for path in targets if path not in left_out}
        content_by_path = {path: content for path, content in sorted(files.items()) if path not in left_out}
        require_usable_files(content_by_path)
        return CommitFiles(content_by_path, left_out)

    def _content_by_object_id(self, object_ids: set[str]) -> dict[str, bytes]:
        object_request = "".join(f"{object_id}\n" for object_id in object_ids).encode()
        output = self._git_output_or_none("cat-file", "--batch", stdin_bytes=object_request) or b""
        contents: dict[str, bytes] = {}
        start = 0
        while start < len(output):
            end = output.index(b"\n", start)
            fields = output[start:end].decode().split()
            if len(fields) != 3:
                raise TreeError(f"{self._folder} lacks an object of the commit: {' '.join(fields)}. Clone it whole.")
            size = int(fields[2])
            contents[fields[0]] = output[end + 1 : end + 1 + size]
            start = end + size + 2
        return contents

    def _git_output_or_none(self, *git_arguments: str, stdin_bytes: bytes = b"") -> bytes | None:
        """What Git prints; None if it refuses."""
        command = ["git", *_SETTINGS, "-C", str(self._folder), *git_arguments]
        environment = {**os.environ, **_ENVIRONMENT}
        process = subprocess.run(
            command, input=stdin_bytes, capture_output=True, env=environment, timeout=_LIMIT_S, check=False
        )
        return process.stdout if process.returncode == 0 else None


def _linked_path(link_path: str, target_by_link_path: dict[str, str], content_by_path: dict[str, bytes]) -> str:
    target = link_path
    for _ in range(_MOST_LINKS):
        if target in content_by_path:
            return target
        if target not in target_by_link_path:
            break
        target = posixpath.normpath(posixpath.join(posixpath.dirname(target), target_by_link_path[target]))
    raise TreeError(
        f"{link_path} is a link to {target_by_link_path[link_path]!r}, but the repository has no such file."
        " Put one there."
    )
