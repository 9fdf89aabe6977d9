"""Folders in the cache folder that no run needs any more.

A run holds a shared lock on the folder of its toolchain, and on that of our own programs beside it. A locked folder is
left alone, whichever version of Benchwright holds the lock.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from benchwright_harness.toolchain import INSIDE_COPY, Toolchain
from benchwright_harness.toolchain.folder_lock import try_exclusive_lock
from benchwright_harness.toolchain.manifest import MANIFEST

_REMOVED = ".removed-"
# Another process may be about to rename it.
_YOUNG_S = 3600.0


class FolderKind(StrEnum):
    """Kind of a folder."""

    TOOLCHAIN = "toolchain"
    """One that is not the one in use."""
    PROGRAMS = "programs"
    """Our own programs, of another version."""
    UNFINISHED = "unfinished"
    """Begun to be created or removed, and never finished."""


@dataclass(frozen=True)
class PrunableFolder:
    """A folder that can be deleted."""

    path: Path
    kind: FolderKind
    size: int
    """Disk space in bytes; files with several names count once."""


def prunable_folders(cache: Path, folder_kinds: Iterable[FolderKind] = tuple(FolderKind)) -> list[PrunableFolder]:
    """The folders that can be deleted, by name.

    Args:
        cache: The cache folder.
        folder_kinds: Kinds to look for.
    """
    requested_kinds = frozenset(folder_kinds)
    with _folder_entries(cache / "toolchains") as entries:
        paths_and_kinds = [
            (Path(entry), kind) for entry in entries if (kind := _kind_if_prunable(entry, cache)) in requested_kinds
        ]
    return [
        PrunableFolder(path, kind, _disk_bytes(path))
        for path, kind in sorted(paths_and_kinds)
        if kind is not None and not _is_in_use(path)
    ]


def remove_if_unused(leftover: PrunableFolder) -> bool:
    """Delete one; false if it is in use by now, or this user may not."""
    with try_exclusive_lock(leftover.path) as alone:
        if not alone:
            return False
        renamed_path = leftover.path.with_name(f"{_REMOVED}{os.getpid()}-{leftover.path.name.lstrip('.')}")
        try:
            leftover.path.rename(renamed_path)
        except OSError:
            return False
    shutil.rmtree(renamed_path, ignore_errors=True)
    return not renamed_path.exists()


def _kind_if_prunable(folder_entry: os.DirEntry[str], cache: Path) -> FolderKind | None:
    if not folder_entry.is_dir(follow_symlinks=False):
        return None
    path = Path(folder_entry)
    if folder_entry.name.startswith((f".{INSIDE_COPY}", _REMOVED)):
        return (
            FolderKind.UNFINISHED
            if time.time() - folder_entry.stat(follow_symlinks=False).st_mtime > _YOUNG_S
            else None
        )
    if folder_entry.name.startswith(INSIDE_COPY):
        return None if path == Toolchain.own_programs_copy_path(path.parent) else FolderKind.PROGRAMS
    if (path / MANIFEST).is_file():
        return None if path.resolve() == Toolchain.folder_in_use(cache) else FolderKind.TOOLCHAIN
    return None


@contextlib.contextmanager
def _folder_entries(folder: Path) -> Iterator[list[os.DirEntry[str]]]:
    try:
        with os.scandir(folder) as entries:
            yield list(entries)
    except FileNotFoundError:
        yield []


def _is_in_use(folder: Path) -> bool:
    with try_exclusive_lock(folder) as alone:
        return not alone


def _disk_bytes(folder: Path) -> int:
    sizes: dict[tuple[int, int], int] = {}
    for parent, folders, names in os.walk(folder):
        for name in (*folders, *names):
            with contextlib.suppress(OSError):
                status = os.lstat(os.path.join(parent, name))  # noqa: PTH118 - thousands of files
                sizes[status.st_dev, status.st_ino] = status.st_blocks * 512
    return sum(sizes.values())
