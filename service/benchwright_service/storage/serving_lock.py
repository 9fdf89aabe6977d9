"""The lock of a service whose database is a file: one process at a time serves it."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from benchwright_service.errors import BenchServiceError

_FILE = "serving"


@contextlib.contextmanager
def serving_alone(folder: Path) -> Iterator[None]:
    """Holds the lock; the system releases it if the process dies.

    Args:
        folder: Folder of the service.

    Raises:
        BenchServiceError: Another process has it, or the folder can't be written.
    """
    import portalocker  # Imported late: it is slow to load.

    file = folder / _FILE
    with contextlib.ExitStack() as opened:
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            stream = opened.enter_context(file.open("a+", encoding="utf-8"))
            portalocker.lock(stream, portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING)
            stream.truncate(0)
            stream.write(_process_description())
            stream.flush()
        except portalocker.LockException:
            stream.seek(0)
            holder = stream.read().strip() or "another process"
            raise BenchServiceError(
                f"{folder} is served by {holder}, and a service with SQLite has one process: end that one first, or"
                ' give both a PostgreSQL database; see "More than one process" in how-to/operate-the-service'
            ) from None
        except OSError as error:
            raise BenchServiceError(
                f"the lock {file} can't be taken: {error.strerror}; check the folder's space and permissions"
            ) from error
        yield


def _process_description() -> str:
    return f"process {os.getpid()} on {socket.gethostname()}, since {datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC\n"
