"""Writing files so that a reader sees the old content or the new, also after a power cut."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

_DEVICES = Path("/dev")


def write_atomically(file: Path, content: bytes, mode: int = 0o644, *, durable: bool = True) -> None:
    """Write a temporary file beside `file` and rename it over `file`; what is in `/dev` is written to.

    Args:
        file: Its folder is there already.
        content: All of it.
        mode: Permission bits of the file.
        durable: Wait until it is on disk, so that a power cut does not lose it.
    """
    if file.parent == _DEVICES:
        # Such as /dev/stdout, which root would replace for the whole machine.
        file.write_bytes(content)
        return
    handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            if durable:
                os.fsync(handle)
        Path(temporary).chmod(mode)
        Path(temporary).replace(file)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    if durable:
        sync_folder(file.parent)


def sync_folder(folder: Path) -> None:
    """Make renames and new names inside `folder` durable."""
    if sys.platform == "win32":
        # It does not open folders, and writes its journal of names by itself.
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
