"""The SQLite file of the attempt log: tables, durability, permissions, and what its errors mean."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

from sqlalchemy import (
    Column,
    Connection,
    Engine,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    create_engine,
    event,
    text,
)
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from benchwright_baselines.errors import (
    LogBusyError,
    LogDamagedError,
    LogError,
    LogUnavailableError,
    LogVersionError,
)

SCHEMA_VERSION = 1
"""Kept in `PRAGMA user_version`."""

METADATA = MetaData()

ATTEMPTS = Table(
    "attempts",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("problem", Text, nullable=False),
    Column("problem_digest", Text, nullable=False),
    Column("workspace", Text, nullable=False),
    Column("solver", Text, nullable=False),
    Column("condition", Text, nullable=False),
    Column("created", Text, nullable=False),
    Index("attempts_problem", "problem"),
    Index("attempts_workspace", "workspace"),
)

EVENTS = Table(
    "events",
    METADATA,
    Column("attempt", Text, ForeignKey("attempts.id"), primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("wall", Text, nullable=False),
    Column("mono_ns", Integer, nullable=False),
    Column("process", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("prev_hash", Text, nullable=False),
    Column("hash", Text, nullable=False),
    Column("state", Text, nullable=False),
)

_APPEND_ONLY = {
    "attempts_no_update": "UPDATE ON attempts",
    "attempts_no_delete": "DELETE ON attempts",
    "attempts_no_replace": "INSERT ON attempts WHEN EXISTS (SELECT 1 FROM attempts WHERE id = NEW.id)",
    "events_no_update": "UPDATE ON events",
    "events_no_delete": "DELETE ON events",
    "events_no_gap": "INSERT ON events WHEN NEW.seq IS NOT 1 + "
    "(SELECT coalesce(max(seq), 0) FROM events WHERE attempt = NEW.attempt)",
}
"""What SQLite itself refuses, by trigger. REPLACE deletes without the delete trigger: inserts are checked too."""

_WRITES = "benchwright_writes"


def open_database(path: Path, *, busy_timeout_s: float) -> Engine:
    """Opens the log's database, makes it if there is none.

    The file is readable by its owner only; so is its folder, if this call makes it.

    Raises:
        LogError: The file cannot be made, opened or understood.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _keep_private(path)
    except OSError as error:
        raise LogUnavailableError(
            path, f"cannot be opened ({error.strerror}). Check the folder's permissions and free space."
        ) from error
    engine = create_engine(
        URL.create("sqlite", database=str(path)),
        connect_args={"timeout": busy_timeout_s, "isolation_level": None},
    )

    @event.listens_for(engine, "connect")
    def _set_up(connection: sqlite3.Connection, _record: object) -> None:
        _write_ahead(connection, busy_timeout_s)
        connection.text_factory = _lossless
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        # Sequence numbers are read and used in one transaction: it takes the write lock at its start.
        writes = connection.get_execution_options().get(_WRITES, False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    try:
        _bring_up(engine, path)
    except SQLAlchemyError as error:
        engine.dispose()
        raise explain(path, error) from error
    except LogError:
        engine.dispose()
        raise
    return engine


def writing(engine: Engine) -> Engine:
    """The same database; its transactions hold the write lock from the start."""
    return engine.execution_options(**{_WRITES: True})


def _keep_private(path: Path) -> None:
    try:
        path.touch(mode=0o600, exist_ok=False)
    except FileExistsError:
        # Not opened here: closing another descriptor of it would drop SQLite's locks in this process.
        mode = path.stat().st_mode
        if mode & 0o077:
            path.chmod(mode & 0o700)


def _lossless(stored: bytes) -> str:
    # Damaged text must be readable too, as a different text, or no check could name the event.
    return stored.decode("utf-8", "surrogateescape")


def _write_ahead(connection: sqlite3.Connection, busy_timeout_s: float) -> None:
    # Changing the journal mode does not wait for other connections as statements do.
    give_up = time.monotonic() + busy_timeout_s
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > give_up:
                raise
            time.sleep(0.02)
        else:
            return


def _bring_up(engine: Engine, path: Path) -> None:
    with engine.connect() as connection:
        if _version(connection) == SCHEMA_VERSION:
            return
    with writing(engine).begin() as connection:
        version = _version(connection)
        if version > SCHEMA_VERSION:
            raise LogVersionError(
                path,
                f"was written by a newer Benchwright (format {version}, this one knows {SCHEMA_VERSION}). "
                "Install the newest Benchwright, or set BENCHWRIGHT_HOME to another folder.",
            )
        if version == SCHEMA_VERSION:
            return
        if connection.scalar(text("SELECT count(*) FROM sqlite_master")):
            raise LogDamagedError(path, "is a database of something else. Move it away, or set BENCHWRIGHT_HOME.")
        METADATA.create_all(connection, checkfirst=False)
        for trigger, condition in _APPEND_ONLY.items():
            connection.exec_driver_sql(
                f"CREATE TRIGGER {trigger} BEFORE {condition} "
                "BEGIN SELECT RAISE(ABORT, 'the attempt log is append-only'); END"
            )
        connection.exec_driver_sql(f"PRAGMA user_version = {SCHEMA_VERSION}")


def _version(connection: Connection) -> int:
    return int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())


def explain(path: Path, error: SQLAlchemyError) -> LogError:
    """Turns a database error into one that a person can act on."""
    cause = error.orig if isinstance(error, DBAPIError) else None
    code = cause.sqlite_errorcode & 0xFF if isinstance(cause, sqlite3.Error) and _coded(cause) else None
    told = cause if cause is not None else error
    match code:
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return LogBusyError(
                path,
                "is held by another program. Close other Benchwright windows and programs that "
                "have this file open, then try again.",
            )
        case sqlite3.SQLITE_FULL:
            return LogUnavailableError(path, "could not be written: the disk is full. Free some space and try again.")
        case sqlite3.SQLITE_IOERR | sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM:
            return LogUnavailableError(
                path,
                f"could not be used ({told}). Check the folder's free space and permissions, then retry.",
            )
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return LogDamagedError(
                path,
                f"is damaged ({told}). Move it away to begin a new one, and keep it: "
                "`sqlite3 FILE .recover` can read most of it.",
            )
        case _:
            return LogError(path, f"an unexpected database error ({told}). Please report it.")


def _coded(error: sqlite3.Error) -> bool:
    # Errors that Python's sqlite3 module raises by itself carry no SQLite code.
    return hasattr(error, "sqlite_errorcode")
