"""What lies in the cache folder that no run needs any more.

Whoever runs something with a toolchain holds a shared lock on its folder, and on that of our own programs beside it,
until it is done; what is locked is left alone, whichever version of Benchwright holds it.
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
from benchwright_harness.toolchain.folder_lock import exclusive_now
from benchwright_harness.toolchain.manifest import MANIFEST

_REMOVED = ".removed-"
# Somebody may be about to give it its name.
_YOUNG_S = 3600.0


class Kind(StrEnum):
    """What something is that is left over."""

    TOOLCHAIN = "toolchain"
    """One that is not the one in use."""
    PROGRAMS = "programs"
    """Our own programs, of another version."""
    UNFINISHED = "unfinished"
    """What somebody began to make, or to remove."""


@dataclass(frozen=True)
class Leftover:
    """A folder that can go."""

    path: Path
    kind: Kind
    size: int
    """Disk space in bytes; what two names share is counted once."""


def leftovers(cache: Path, kinds: Iterable[Kind] = tuple(Kind)) -> list[Leftover]:
    """What can go, by name.

    Args:
        cache: The cache folder.
        kinds: Which kinds to look for.
    """
    wanted = frozenset(kinds)
    with _listing(cache / "toolchains") as entries:
        found = [(Path(entry), kind) for entry in entries if (kind := _kind(entry, cache)) in wanted]
    return [
        Leftover(path, kind, _size(path)) for path, kind in sorted(found) if kind is not None and not _is_held(path)
    ]


def remove(leftover: Leftover) -> bool:
    """Delete one; false where somebody has begun to use it, or this user may not."""
    with exclusive_now(leftover.path) as alone:
        if not alone:
            return False
        gone = leftover.path.with_name(f"{_REMOVED}{os.getpid()}-{leftover.path.name.lstrip('.')}")
        try:
            leftover.path.rename(gone)
        except OSError:
            return False
    shutil.rmtree(gone, ignore_errors=True)
    return not gone.exists()


def _kind(entry: os.DirEntry[str], cache: Path) -> Kind | None:
    if not entry.is_dir(follow_symlinks=False):
        return None
    path = Path(entry)
    if entry.name.startswith((f".{INSIDE_COPY}", _REMOVED)):
        return Kind.UNFINISHED if time.time() - entry.stat(follow_symlinks=False).st_mtime > _YOUNG_S else None
    if entry.name.startswith(INSIDE_COPY):
        return None if path == Toolchain.inside_copy(path.parent) else Kind.PROGRAMS
    if (path / MANIFEST).is_file():
        return None if path.resolve() == Toolchain.in_use(cache) else Kind.TOOLCHAIN
    return None


@contextlib.contextmanager
def _listing(folder: Path) -> Iterator[list[os.DirEntry[str]]]:
    try:
        with os.scandir(folder) as entries:
            yield list(entries)
    except FileNotFoundError:
        yield []


def _is_held(folder: Path) -> bool:
    with exclusive_now(folder) as alone:
        return not alone


def _size(folder: Path) -> int:
    seen: dict[tuple[int, int], int] = {}
    for parent, folders, names in os.walk(folder):
        for name in (*folders, *names):
            with contextlib.suppress(OSError):
                status = os.lstat(os.path.join(parent, name))  # noqa: PTH118 - thousands of files
                seen[status.st_dev, status.st_ino] = status.st_blocks * 512
    return sum(seen.values())
