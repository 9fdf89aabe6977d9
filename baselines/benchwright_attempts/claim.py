"""Claim to an attempt: one process at a time works on it, until it lets go or dies."""

from __future__ import annotations

import contextlib
import os
import socket
from pathlib import Path
from typing import IO, Protocol

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import SQLAlchemyError

# Chains are locked with seed 0.
_LOCK = text("SELECT pg_try_advisory_lock(hashtextextended(:attempt, 1))")
_HOLDER = text(
    "SELECT coalesce(host(client_addr), 'this computer') FROM pg_locks JOIN pg_stat_activity USING (pid) "
    "WHERE locktype = 'advisory' AND ((classid::bigint << 32) | objid::bigint) = hashtextextended(:attempt, 1)"
)


class Claim(Protocol):
    """The right to work on an attempt; it ends with the process."""

    @property
    def is_held(self) -> bool:
        """True if it still holds."""
        ...

    def release(self) -> None:
        """Lets go."""


ClaimHolder = str
"""Who has the claim, in words."""


def claim(engine: Engine, log_path: Path | str, attempt: str) -> Claim | ClaimHolder:
    """Claims an attempt.

    Args:
        engine: Database engine of the log.
        log_path: Path of the log.
        attempt: Its id.

    Returns:
        The claim, or in words who has it.

    Raises:
        OSError: The lock's file can't be written.
        SQLAlchemyError: The database can't be reached.
    """
    if isinstance(log_path, str):
        return _claim_by_advisory_lock(engine, attempt)
    return _claim_by_file_lock(log_path.with_name("working") / attempt)


class _FileClaim:
    """A locked file beside the log. It is deleted when it is let go."""

    def __init__(self, file: Path, stream: IO[str]) -> None:
        self._file = file
        self._stream = stream

    @property
    def is_held(self) -> bool:
        # Who deletes the file lets another process lock a new one.
        return not self._stream.closed and _is_same_file(self._file, self._stream)

    def release(self) -> None:
        import portalocker

        if self._stream.closed:
            return
        with contextlib.suppress(OSError):  # Windows deletes no open file.
            if self.is_held:  # Otherwise it may be another process's file.
                self._file.unlink()
        portalocker.unlock(self._stream)
        self._stream.close()


def _claim_by_file_lock(lock_file: Path) -> Claim | ClaimHolder:
    import portalocker  # Imported late: it is slow to load.

    lock_file.parent.mkdir(mode=0o700, exist_ok=True)
    while True:
        stream = lock_file.open("a+", encoding="utf-8")
        try:
            portalocker.lock(stream, portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING)
        except portalocker.LockException:
            with stream, contextlib.suppress(OSError):  # Windows lets nobody read what is locked.
                stream.seek(0)
                return stream.read().strip() or "another process"
            return "another process"
        if _is_same_file(lock_file, stream):
            break
        # Whoever had it has deleted the file between our opening and our locking.
        stream.close()
    stream.truncate(0)
    stream.write(f"process {os.getpid()} on {socket.gethostname()}\n")
    stream.flush()
    return _FileClaim(lock_file, stream)


def _is_same_file(file: Path, stream: IO[str]) -> bool:
    try:
        return os.path.samestat(file.stat(), os.fstat(stream.fileno()))
    except FileNotFoundError:
        return False


class _DatabaseClaim:
    """A lock of PostgreSQL's that a connection of its own holds."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._is_lost = False

    @property
    def is_held(self) -> bool:
        if not self._is_lost:
            try:
                self._connection.execute(text("SELECT 1"))
            except SQLAlchemyError:
                # For good: SQLAlchemy connects again, and the new session has no lock.
                self._is_lost = True
        return not self._is_lost

    def release(self) -> None:
        self._is_lost = True
        # Closing the session lets go of its locks; a pooled connection would keep them.
        with contextlib.suppress(SQLAlchemyError):
            self._connection.invalidate()
            self._connection.close()


def _claim_by_advisory_lock(engine: Engine, attempt: str) -> Claim | ClaimHolder:
    connection = engine.connect().execution_options(isolation_level="AUTOCOMMIT")
    if connection.execute(_LOCK, {"attempt": attempt}).scalar():
        return _DatabaseClaim(connection)
    holder = connection.execute(_HOLDER, {"attempt": attempt}).scalar()
    connection.close()
    return f"a process on {holder}" if holder else "another process"
