"""Folders that an untrusted program filled: of any depth, size and mode, with links to anywhere."""

from __future__ import annotations

import contextlib
import itertools
import os
import secrets
import shutil
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

ENTRY_BYTES = 1024


def entries_below(
    folder: Path, on_unlistable_folder: Callable[[OSError], None] = lambda error: None
) -> Iterator[os.DirEntry[str]]:
    """Everything below a folder, without recursion and without following links.

    Args:
        folder: Folder to begin at.
        on_unlistable_folder: Called for each folder that can't be listed; its content is left out.
    """
    pending_folders = [str(folder)]
    while pending_folders:
        try:
            with os.scandir(pending_folders.pop()) as listed:
                for folder_entry in listed:
                    if folder_entry.is_dir(follow_symlinks=False):
                        pending_folders.append(folder_entry.path)
                    yield folder_entry
        except OSError as error:
            on_unlistable_folder(error)


def disk_bytes_until_exceeding(folder: Path, limit_bytes: int) -> int:
    """Disk space of a folder; stops counting beyond `limit_bytes`.

    An empty file counts as `ENTRY_BYTES`, since a million of them are a burden, too. A folder that can't be listed
    counts as too much: it is too deep, or was made unreadable on purpose.
    """
    total = 0

    def count_as_too_much(error: OSError) -> None:
        nonlocal total
        if not isinstance(error, FileNotFoundError):
            total = limit_bytes + 1

    for folder_entry in entries_below(folder, count_as_too_much):
        with contextlib.suppress(OSError):
            total += max(folder_entry.stat(follow_symlinks=False).st_blocks * 512, ENTRY_BYTES)
        if total > limit_bytes:
            break
    return total


def remove_folder_if_possible(folder: Path) -> None:
    """Delete a folder, as far as that can be done."""
    with contextlib.suppress(OSError, RecursionError):
        shutil.rmtree(folder)
        return
    # Unreadable, or too deep. Inner folders are first moved to the top, so that no path is too long for the system.
    token = secrets.token_hex(8)
    lifted = (folder / f"{token}-{number}" for number in itertools.count())
    pending_folders = [folder]
    with contextlib.suppress(OSError):
        while pending_folders:
            inner_folder = pending_folders.pop()
            inner_folder.chmod(stat.S_IRWXU)
            with os.scandir(inner_folder) as listed:
                folder_entries = list(listed)
            for folder_entry in folder_entries:
                if folder_entry.is_dir(follow_symlinks=False):
                    Path(folder_entry).chmod(stat.S_IRWXU)
                    pending_folders.append(Path(folder_entry).rename(next(lifted)))
                else:
                    Path(folder_entry).unlink()
            if inner_folder != folder:
                inner_folder.rmdir()
        folder.rmdir()
