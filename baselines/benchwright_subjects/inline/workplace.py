"""The folders that one server process gets: a home, a place for temporary files, and the workspace it is asked in."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from benchwright_attempts.events.file_text import sha256
from benchwright_foundation.untrusted_folder import remove_folder_if_possible
from benchwright_subjects.inline.failure import ServerFailure, SubjectError

_LARGEST_BYTES = 64 << 20


@dataclass(frozen=True)
class Workplace:
    """A temporary folder that no other process of a subject gets."""

    root: Path
    files: Mapping[str, str]
    """Path in the workspace → SHA-256, as the files were put there."""

    @property
    def home(self) -> Path:
        """The home folder."""
        return self.root / "home"

    @property
    def temporary_folder(self) -> Path:
        """Folder for temporary files."""
        return self.root / "tmp"

    @property
    def workspace(self) -> Path:
        """Folder that its user has open."""
        return self.root / "workspace"

    def check_unchanged(self) -> None:
        """Compare the workspace with what was put there.

        Raises:
            SubjectError: `CHANGED_FILES`.
        """
        try:
            digests = self._digests_unless_unexpected()
        except (OSError, RecursionError):
            digests = None
        if digests != self.files:
            raise SubjectError(ServerFailure.CHANGED_FILES, "The server changed files of the workspace by itself.")

    def _digests_unless_unexpected(self) -> Mapping[str, str] | None:
        digests: dict[str, str] = {}
        for file in self.workspace.rglob("*"):
            path = file.relative_to(self.workspace).as_posix()
            if file.is_dir() and not file.is_symlink():
                continue
            # A link or a pipe is not opened: nobody knows what is behind it.
            is_plain = file.is_file() and not file.is_symlink()
            if path not in self.files or not is_plain or file.stat().st_size > _LARGEST_BYTES:
                return None
            digests[path] = sha256(file.read_bytes())
        return digests


def remove_abandoned_workplaces(workplaces_folder: Path) -> None:
    """Remove the workplaces of commands that were killed before they could."""
    for folder in workplaces_folder.iterdir() if workplaces_folder.is_dir() else ():
        owner_pid = folder.name.partition("-")[0]
        if owner_pid.isdecimal() and not psutil.pid_exists(int(owner_pid)):
            remove_folder_if_possible(folder)


@contextmanager
def temporary_workplace(
    workplaces_folder: Path, files: Mapping[str, bytes], profile: Path | None
) -> Iterator[Workplace]:
    """A new workplace, removed with all that is in it.

    Args:
        workplaces_folder: The folder that it is made in. It may hold other workplaces, so no server sees it.
        files: Files of the workspace, by path.
        profile: A home folder to begin with a copy of, such as one that somebody has signed in with.
    """
    workplaces_folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    root = Path(tempfile.mkdtemp(prefix=f"{os.getpid()}-", dir=workplaces_folder)).resolve()
    try:
        work_folders = Workplace(root, {path: sha256(data) for path, data in files.items()})
        for folder in (work_folders.temporary_folder, work_folders.workspace):
            folder.mkdir(mode=0o700)
        if profile is None:
            work_folders.home.mkdir(mode=0o700)
        else:
            shutil.copytree(profile, work_folders.home, symlinks=True)
        for path, data in files.items():
            file = work_folders.workspace / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
        yield work_folders
    finally:
        remove_folder_if_possible(root)
