"""Reading files that may be anything: pipes, devices, huge, not text."""

from __future__ import annotations

import stat
from pathlib import Path

from benchwright_verilog.semantics.project.index.entry import Stamp

_MAX_BYTES = 16 * 1024**2


def stamp_of(path: Path) -> Stamp | None:
    """The stamp of a file; None if it is missing, or is a pipe or a device: reading that might never end."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(status.st_mode):
        return None
    return status.st_mtime_ns, status.st_size


def is_other_than_file(path: Path) -> bool:
    """True if a path leads to a pipe, a device or the like: neither to a file nor to a folder."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def refusal(path: Path) -> str | None:
    """Reason why a file is not read, as the end of a sentence; None if it can be, or is missing."""
    stamp = stamp_of(path)
    if stamp is None:
        return "is not a plain file" if is_other_than_file(path) else None
    return f"is larger than {_MAX_BYTES // 1024**2} MB" if stamp[1] > _MAX_BYTES else None


def read_text(path: Path) -> str | None:
    """A file's text as an editor would show it; None if it can't be read, is too large, or is a pipe or a device."""
    stamp = stamp_of(path)
    if stamp is None or stamp[1] > _MAX_BYTES:
        return None
    try:
        return path.read_bytes().decode("utf-8", "replace").removeprefix("\ufeff")
    except OSError:
        return None
