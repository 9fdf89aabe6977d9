"""Locks on folders of the cache, so that what a run uses is not removed under it.

A run holds a shared lock, whoever removes something an exclusive one; the system releases both when a process dies.
Folders are locked themselves, as a cache may be readable only. A toolchain is a Linux system, so this is for Linux.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path


def shared_lock_if_openable(folder: Path) -> int | None:
    """Take a shared lock.

    Returns:
        A file descriptor; closing it releases the lock. `None` if the folder can't be opened.
    """
    import fcntl

    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        return None
    # A file system without locks is used without them.
    with contextlib.suppress(OSError):
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    return handle


@contextlib.contextmanager
def exclusively_locked(folder: Path) -> Iterator[None]:
    """Hold an exclusive lock; wait until nobody else has one."""
    import fcntl

    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


@contextlib.contextmanager
def try_exclusive_lock(folder: Path) -> Iterator[bool]:
    """Try to hold an exclusive lock; yields false if others have one, or if the file system has no locks."""
    import fcntl

    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        yield False
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        yield False
    else:
        yield True
    finally:
        os.close(handle)
