"""Locks between processes, on every operating system."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path

_RETRY_S = 0.05


@contextlib.contextmanager
def file_lock(lock_file: Path, on_wait: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Hold an exclusive lock; the system releases it if the process dies.

    Args:
        lock_file: Created if missing, and never removed: whoever waits for it has it open.
        on_wait: Called once if another process or thread has the lock.
    """
    import portalocker  # Imported late: it is slow to load, and only writers lock.

    flags = portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING
    waits = False
    with lock_file.open("a") as stream:
        while True:
            try:
                # Windows gives up after ten seconds of a blocking lock.
                portalocker.lock(stream, flags)
                break
            except portalocker.AlreadyLocked:
                if not waits:
                    on_wait()
                waits = True
                time.sleep(_RETRY_S)
        try:
            yield
        finally:
            portalocker.unlock(stream)


def is_locked(lock_file: Path) -> bool:
    """True if another process or thread holds the lock; false if the file can't be opened."""
    import portalocker

    try:
        with lock_file.open("r") as stream:
            portalocker.lock(stream, portalocker.LockFlags.SHARED | portalocker.LockFlags.NON_BLOCKING)
            portalocker.unlock(stream)
    except portalocker.AlreadyLocked:
        return True
    except OSError:
        return False
    return False
