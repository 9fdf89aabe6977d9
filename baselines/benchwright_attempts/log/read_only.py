"""A SQLite log that can't be written, such as one on a read-only mount or of a backup."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from sqlalchemy.engine import URL


def is_unwritable_log(path: Path) -> bool:
    """True if a log is there that can't be written, or that nothing can be written beside."""
    return path.is_file() and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))


def read_only_url(path: Path) -> URL:
    """Reads a file that nobody changes, and writes nothing beside it, as SQLite otherwise does in write-ahead mode."""
    return URL.create("sqlite", database=f"file:{quote(str(path))}", query={"immutable": "1", "uri": "true"})


@contextmanager
def log_or_private_copy(log_path: Path, newest_format: int, upgrade_log_copy: Callable[[Path], None]) -> Iterator[Path]:
    """A file with what the log holds, which nobody changes: the log itself if possible, or else a private copy.

    Args:
        log_path: The log.
        newest_format: The format that can be read as it is.
        upgrade_log_copy: Brings a log to that format, and commits all that waits in its write-ahead file.
    """
    wal_file = log_path.with_name(f"{log_path.name}-wal")
    # As long as somebody has the log open, or has left it without closing, there is such a file.
    if not wal_file.exists() and _log_format(log_path) >= newest_format:
        yield log_path
        return
    with tempfile.TemporaryDirectory(prefix="benchwright-log-") as folder:
        copy = Path(folder) / log_path.name
        shutil.copyfile(log_path, copy)
        if wal_file.exists():
            shutil.copyfile(wal_file, copy.with_name(wal_file.name))
        upgrade_log_copy(copy)
        yield copy


def _log_format(path: Path) -> int:
    with closing(sqlite3.connect(f"file:{quote(str(path))}?immutable=1", uri=True)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])
