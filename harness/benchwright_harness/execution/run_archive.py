"""Folders of runs, archived for inspection: compressed, and limited in number and size."""

from __future__ import annotations

import os
import tarfile
from pathlib import Path

from benchwright_foundation.untrusted_folder import entries_below
from benchwright_harness.cluster.task import ClusterTask

MOST_FOLDERS = 200
MOST_BYTES = 1024**3


class RunArchive:
    """Archives in a folder, named `PROBLEM-KEY.tar.gz`. They contain hidden text: only the owner can read them.

    Args:
        folder: Created if it is missing.
        most_runs: Number of runs that are kept at most.
        most_bytes: Size of all archives together at most, in bytes.
    """

    def __init__(self, folder: Path, most_runs: int = MOST_FOLDERS, most_bytes: int = MOST_BYTES) -> None:
        self._folder = folder
        self._folders = most_runs
        self._bytes = most_bytes
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        folder.chmod(0o700)
        for archive in folder.glob("*.tar.gz"):
            self._reduce_allowance_by_size(archive)

    def archive_unless_full(self, task: ClusterTask, finished_run_folder: Path) -> None:
        """Archive a run's folder, unless a limit is reached."""
        if self._folders <= 0 or self._bytes <= 0:
            return
        archive = self._folder / f"{task.problem.id}-{task.key[:12]}.tar.gz"
        handle = os.open(archive, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "wb") as stream, tarfile.open(fileobj=stream, mode="w:gz", compresslevel=1) as tar:
            for folder_entry in entries_below(finished_run_folder):
                # A design may have made pipes, and files may have been deleted since.
                if folder_entry.is_file(follow_symlinks=False) or folder_entry.is_symlink():
                    tar.add(
                        folder_entry.path,
                        Path(folder_entry.path).relative_to(finished_run_folder).as_posix(),
                        recursive=False,
                    )
        self._reduce_allowance_by_size(archive)

    def _reduce_allowance_by_size(self, new_archive_file: Path) -> None:
        self._folders -= 1
        self._bytes -= new_archive_file.stat().st_size
