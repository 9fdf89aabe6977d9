"""The folder of a repository that an untrusted program writes to, read from outside its sandbox."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path

from benchwright_foundation.plain_file import open_plain_file_in
from benchwright_problems.repository.build_output import can_be_handed_in, is_left_out_of_solution
from benchwright_problems.repository.changes import LARGEST_CHANGES_BYTES
from benchwright_problems.repository.tree import folders_around

_LARGEST_FILE_BYTES = 16 << 20
_STEADY_NS = 1_000_000_000
"""A file that was changed less than this before it was read may have changed within the same tick of the clock."""


class TreeFolder:
    """Reads the files of a repository, as often as it is asked for; what nobody has touched is not read again.

    Args:
        folder: The folder.
        tree_files: Files that it began with.
    """

    def __init__(self, folder: Path, tree_files: Mapping[str, bytes]) -> None:
        self._folder = folder
        self._tree_files = tree_files
        self._tree_folders = {parent for path in tree_files for parent in folders_around(path)}
        self._steady: dict[str, tuple[tuple[int, ...], bytes]] = {}
        self.unreadable: list[str] = []
        """Files of the repository that were no plain file of at most 16 MiB when it was last read."""

    def read_files(self) -> dict[str, bytes]:
        """The files of the repository that are there, and new ones that can be part of a solution.

        No link is followed. Of new files, those beyond 8 MiB in all are left out.
        """
        contents: dict[str, bytes] = {}
        new_bytes = 0
        self.unreadable = []
        for parent, folders, names, handle in os.fwalk(self._folder, follow_symlinks=False):
            prefix = "".join(f"{part}/" for part in Path(parent).relative_to(self._folder).parts)
            folders[:] = [
                name
                for name in folders
                if f"{prefix}{name}" in self._tree_folders or not is_left_out_of_solution(f"{prefix}{name}/_")
            ]
            for path, name in ((f"{prefix}{name}", name) for name in sorted(names)):
                is_given = path in self._tree_files
                if not is_given and is_left_out_of_solution(path):
                    continue
                content = self._content(path, name, handle)
                if content is None:
                    self.unreadable += [path] if is_given else []
                elif is_given:
                    contents[path] = content
                elif new_bytes + len(content) <= LARGEST_CHANGES_BYTES and can_be_handed_in(path, content):
                    new_bytes += len(content)
                    contents[path] = content
        return contents

    def _content(self, path: str, name: str, parent_descriptor: int) -> bytes | None:
        stream = open_plain_file_in(parent_descriptor, name, _LARGEST_FILE_BYTES)
        if stream is None:
            return None
        with stream:
            status = os.fstat(stream.fileno())
            # Programs can set the time of a change, but not that of the inode.
            identity = (status.st_ino, status.st_size, status.st_ctime_ns)
            if path in self._steady and self._steady[path][0] == identity:
                return self._steady[path][1]
            content = stream.read(_LARGEST_FILE_BYTES)
        if content == self._tree_files.get(path):
            content = self._tree_files[path]
        if time.time_ns() - status.st_ctime_ns > _STEADY_NS:
            self._steady[path] = (identity, content)
        return content
