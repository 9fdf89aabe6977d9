"""The files of a run's folder, and which of them a simulation may change."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

State = tuple[int, int, int, int]

_FOLDER = "/code"
_MAX_LISTED = 20_000
_WAVES = (".vcd", ".fst", ".fst.hier", ".lxt", ".lxt2", ".lx2", ".vpd", ".shm", ".trn", ".dsn", ".wlf", ".fsdb")
# What a later step would run, import or build from. No harness lets a simulation write it.
_PROGRAMS = (
    *(".py", ".pyc", ".so", ".vpi", ".vvp", ".v", ".sv", ".vh", ".svh", ".f", ".mk", ".tcl", ".ys", ".sh", ".pl"),
    *(".cfg", ".ini", ".toml", ".pth", ".a", ".o", ".cpp", ".h", ".cmd"),
)
_PROGRAM_NAMES = frozenset({"makefile", "gnumakefile"})
_VERILOG = (".v", ".sv", ".vh", ".svh")
_NAME = re.compile(rb"[\w.+-]+")


def states() -> dict[str, State]:
    """Each file, and what changes when it is written."""
    return {path: _state(status) for path, status in _files(_FOLDER)}


def changed(before: dict[str, State], own: Iterable[str], roots: Iterable[str]) -> list[str]:
    """Files that a simulation has changed, added or removed and should not have.

    It may write waveforms, and what the harness lets it write: that is what programs around it hold open,
    what its own Python has opened, and what the harness's Verilog names.

    Args:
        before: All files at its beginning.
        own: Paths that its harness lets it write.
        roots: The folders of the harness.
    """
    now = states()
    candidates = sorted(path for path in before.keys() | now.keys() if before.get(path) != now.get(path))
    programs = [path for path in candidates if _is_program(path)]
    data = [path for path in candidates if not _is_program(path) and not path.lower().endswith(_WAVES)]
    data = [path for path in data if path not in own]
    if data:
        allowed = {os.path.realpath(path) for path in own} | set(_held())
        named = _named(roots)
        data = [path for path in data if path not in allowed and os.path.basename(path).encode() not in named]
    return programs + data


def _is_program(path: str) -> bool:
    name = os.path.basename(path).lower()
    if name.endswith(_PROGRAMS) or name in _PROGRAM_NAMES:
        return True
    with contextlib.suppress(OSError):
        return bool(os.lstat(path).st_mode & 0o111) and not os.path.islink(path)
    return False


def _held() -> Iterator[str]:
    """Files that some program has open for writing."""
    for handle in Path("/proc").glob("[0-9]*/fd/*"):
        with contextlib.suppress(OSError, ValueError):
            # fdinfo: the flags of open(2) in octal, whose last two bits are not 0 where it may write.
            flags = handle.parents[1].joinpath("fdinfo", handle.name).read_text().partition("flags:")[2].split()[0]
            if int(flags, 8) & 3:
                yield os.readlink(handle)


def _named(roots: Iterable[str]) -> set[bytes]:
    names: set[bytes] = set()
    for root in roots:
        for path, _ in _files(root):
            if path.endswith(_VERILOG):
                with contextlib.suppress(OSError):
                    names.update(_NAME.findall(Path(path).read_bytes()))
    return names


def _state(status: os.stat_result) -> State:
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _files(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    waiting, left = [folder], _MAX_LISTED
    while waiting:
        with contextlib.suppress(OSError), os.scandir(waiting.pop()) as listed:
            for entry in listed:
                left -= 1
                if left < 0:
                    return
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                else:
                    with contextlib.suppress(OSError):
                        yield entry.path, entry.stat(follow_symlinks=False)
