"""The folder that a run gets to see as `/code`: made for it, gone after it."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from benchwright_foundation.untrusted_folder import remove_folder_if_possible
from benchwright_problems.relative_path import FOLDERS
from benchwright_problems.repository.tree import write_files

_PREFIX = "benchwright-run-"
_OWNER = re.compile(rf"{_PREFIX}(\d+)-")
# Another process id namespace may share the folder; its owners are not seen from here.
_YOUNG_S = 3600


def new_run_folder() -> Path:
    """An empty folder, named so that it is known whose it was."""
    return Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-"))


def remove_folders_of_dead_runs() -> None:
    """Delete the folders of runs whose process was killed before it could."""
    with contextlib.suppress(OSError), os.scandir(tempfile.gettempdir()) as listed:
        for folder_entry in listed:
            owner_match = _OWNER.match(folder_entry.name)
            if owner_match and not Path("/proc", owner_match[1]).exists() and _is_old(folder_entry):
                remove_folder_if_possible(Path(folder_entry))


def _is_old(folder_entry: os.DirEntry[str]) -> bool:
    with contextlib.suppress(OSError):
        return time.time() - folder_entry.stat(follow_symlinks=False).st_mtime > _YOUNG_S
    return False


@contextlib.contextmanager
def filled_run_folder(folder: Path, content_by_path: Mapping[str, bytes], user_id: int | None) -> Iterator[None]:
    """Fill a new folder for a run, so that only its user can enter it, and delete it afterwards."""
    try:
        for name in FOLDERS:
            (folder / name).mkdir()
        write_files(folder, content_by_path)
        if not (folder / "src").exists():
            # Last, so that no file of a problem is written through it to a /src of this machine.
            (folder / "src").symlink_to("/src")
        if user_id is not None:
            for parent, folders, names in os.walk(folder):
                for name in (".", *folders, *names):
                    os.chown(Path(parent, name), user_id, user_id, follow_symlinks=False)
        yield
    finally:
        remove_folder_if_possible(folder)
