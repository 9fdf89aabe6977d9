"""The database of the attempt log, a SQLite file or PostgreSQL: durability, permissions, and what its errors mean."""

from __future__ import annotations

import sqlite3
import time
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError, SQLAlchemyError

from benchwright_attempts import migrations
from benchwright_attempts.errors import (
    LogBusyError,
    LogDamagedError,
    LogError,
    LogUnavailableError,
    LogVersionError,
)
from benchwright_attempts.events.triggers import trigger_statements
from benchwright_attempts.log.read_only import is_unwritable_log, log_or_private_copy, read_only_url
from benchwright_attempts.log.tables import METADATA
from benchwright_foundation.distribution import install_command

SCHEMA_VERSION = 3
"""The newest format: `format3` in Alembic's table, and in SQLite also in `PRAGMA user_version`."""

_MIGRATIONS = Path(migrations.__path__[0])
_LOCK = text(
    "SELECT count(pg_advisory_xact_lock(hashtextextended(name, 0))) FROM unnest(CAST(:names AS text[])) AS names(name)"
)
_WRITES = "benchwright_writes"
_PREPARING = 0x62656E6368
"""Key of the lock under which a PostgreSQL database is created or migrated."""


def log_display_name(location: Path | str) -> str:
    """The database's name for messages, without a password."""
    return make_url(location).render_as_string(hide_password=True) if isinstance(location, str) else str(location)


def open_database(path: Path | str, *, busy_timeout_s: float) -> Engine:
    """Opens the log's database; creates it if there is none.

    A SQLite file is readable by its owner only; so is its folder, if this call creates it.

    Args:
        path: The file, or a `postgresql://` address.
        busy_timeout_s: Longest wait while another process writes, in seconds.

    Raises:
        LogError: The database cannot be created, opened or read.
    """
    engine = _postgresql_engine(path, busy_timeout_s) if isinstance(path, str) else _sqlite_engine(path, busy_timeout_s)
    try:
        _create_or_migrate(engine, path)
    except SQLAlchemyError as error:
        engine.dispose()
        raise database_log_error(path, error) from error
    except LogError:
        engine.dispose()
        raise
    return engine


def _postgresql_engine(url: str, busy_timeout_s: float) -> Engine:
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        raise LogUnavailableError("(unreadable)", "is not a database address. Write postgresql://…") from error
    if parsed.get_backend_name() != "postgresql":
        raise LogUnavailableError(
            log_display_name(url), "is not the address of a PostgreSQL database. Write postgresql://…"
        )
    if find_spec("psycopg") is None:
        raise LogUnavailableError(log_display_name(url), f"needs psycopg. Install it: {install_command('judges')}.")
    options = f"-c lock_timeout={round(busy_timeout_s * 1000)} -c synchronous_commit=on"
    return create_engine(
        parsed.set(drivername="postgresql+psycopg"),
        connect_args={"options": options, "connect_timeout": max(2, round(busy_timeout_s))},
    )


def _sqlite_engine(path: Path, busy_timeout_s: float) -> Engine:
    if is_unwritable_log(path):
        return _read_only_engine(path, busy_timeout_s)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _create_or_restrict_to_owner(path)
    except OSError as error:
        raise file_log_error(path, error) from error
    engine = create_engine(
        URL.create("sqlite", database=str(path)),
        connect_args={"timeout": busy_timeout_s, "isolation_level": None},
    )

    @event.listens_for(engine, "connect")
    def _configure_connection(connection: sqlite3.Connection, _record: object) -> None:
        _set_write_ahead_mode(connection, busy_timeout_s)
        connection.text_factory = _decode_with_surrogates
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA secure_delete = ON")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        # Sequence numbers are read and used in one transaction: it takes the write lock at its start.
        writes = connection.get_execution_options().get(_WRITES, False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _read_only_engine(path: Path, busy_timeout_s: float) -> Engine:
    """For reading a log that can't be written."""

    def bring_up(copy: Path) -> None:
        open_database(copy, busy_timeout_s=busy_timeout_s).dispose()

    copies = ExitStack()
    try:
        file = copies.enter_context(log_or_private_copy(path, SCHEMA_VERSION, bring_up))
    except (OSError, sqlite3.Error) as error:
        raise LogUnavailableError(
            path, f"can't be written, and reading it failed ({error}). Copy it to a folder that you can write to."
        ) from error
    engine = create_engine(read_only_url(file), connect_args={"isolation_level": None})

    @event.listens_for(engine, "connect")
    def _configure_connection(connection: sqlite3.Connection, _record: object) -> None:
        connection.text_factory = _decode_with_surrogates

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        if connection.get_execution_options().get(_WRITES, False):
            raise LogUnavailableError(
                path, "is read-only here: attempts can be listed, verified and exported, and nothing can be recorded."
            )
        connection.exec_driver_sql("BEGIN")

    @event.listens_for(engine, "engine_disposed")
    def _close(_engine: Engine) -> None:
        copies.close()

    return engine


def engine_for_writing(engine: Engine) -> Engine:
    """The same database; in SQLite its transactions hold the write lock from the start."""
    return engine.execution_options(**{_WRITES: True})


def lock_chains(connection: Connection, *chain_names: str) -> None:
    """In a transaction that writes: locks the chains with these names until it ends."""
    if connection.dialect.name == "postgresql":
        # Always in the same order, so that no two writers wait for each other.
        connection.execute(_LOCK, {"names": sorted(set(chain_names))})


def _create_or_restrict_to_owner(path: Path) -> None:
    try:
        path.touch(mode=0o600, exist_ok=False)
    except FileExistsError:
        # Not opened here: closing another descriptor of it would drop SQLite's locks in this process.
        mode = path.stat().st_mode
        if mode & 0o077:
            path.chmod(mode & 0o700)


def _decode_with_surrogates(stored_bytes: bytes) -> str:
    # Damaged strings must be readable, as different strings, or no check could name the event.
    return stored_bytes.decode("utf-8", "surrogateescape")


def _set_write_ahead_mode(connection: sqlite3.Connection, busy_timeout_s: float) -> None:
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


def _create_or_migrate(engine: Engine, path: Path | str) -> None:
    with engine.connect() as connection:
        version = _stored_format(connection)
        if version == SCHEMA_VERSION:
            return
        _refuse_newer_format(version, path)
    with engine_for_writing(engine).begin() as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(text(f"SELECT pg_advisory_xact_lock({_PREPARING})"))
        version = _stored_format(connection)
        _refuse_newer_format(version, path)
        if version == SCHEMA_VERSION:
            return
        if version:
            _migrate(connection, version, path)
        else:
            if inspect(connection).get_table_names():
                raise LogDamagedError(path, "is another program's database. Move it away, or set BENCHWRIGHT_HOME.")
            METADATA.create_all(connection, checkfirst=False)
            for statement in trigger_statements(connection.dialect.name):
                connection.exec_driver_sql(statement)
            _mark_current_for_alembic(connection)
        if connection.dialect.name == "sqlite":
            connection.exec_driver_sql(f"PRAGMA user_version = {SCHEMA_VERSION}")


def _refuse_newer_format(stored_format: int, path: Path | str) -> None:
    if stored_format > SCHEMA_VERSION:
        raise LogVersionError(
            log_display_name(path),
            f"was written by a newer Benchwright (format {stored_format}, this one knows {SCHEMA_VERSION}). "
            "Install the newest Benchwright, or set BENCHWRIGHT_HOME to another folder.",
        )


_MARK_TABLE = text("SELECT oid FROM pg_class WHERE relname = 'alembic_version' AND pg_table_is_visible(oid)")


def _stored_format(connection: Connection) -> int:
    """The format; 0 for a database without a log."""
    if connection.dialect.name == "sqlite":
        return int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())
    # `to_regclass` may not see yet what another process made while this one waited for its lock.
    if connection.scalar(_MARK_TABLE) is None:
        return 0
    marked = connection.scalar(text("SELECT version_num FROM alembic_version"))
    digits = str(marked).removeprefix("format")
    return int(digits) if digits.isdecimal() else SCHEMA_VERSION + 1


def _mark_current_for_alembic(connection: Connection) -> None:
    """Marks a new database as current for Alembic. Its import would cost every first start a fifth of a second."""
    connection.exec_driver_sql("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)")
    connection.exec_driver_sql(f"INSERT INTO alembic_version VALUES ('format{SCHEMA_VERSION}')")  # noqa: S608


def _migrate(connection: Connection, stored_format: int, path: Path | str) -> None:
    if not (_MIGRATIONS / "versions" / f"format{stored_format}.py").is_file():
        raise LogVersionError(
            log_display_name(path),
            f"has format {stored_format}, which this Benchwright does not know (it knows {SCHEMA_VERSION}). "
            "Install the version that wrote it, or set BENCHWRIGHT_HOME to another folder.",
        )
    try:
        from alembic import command
        from alembic.config import Config
    except ImportError as error:
        raise LogVersionError(
            log_display_name(path),
            f"has format {stored_format}; migrating it to format {SCHEMA_VERSION} needs the package alembic. "
            f"Install it: {install_command('baselines')}, then try again; nothing was changed.",
        ) from error
    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def file_log_error(path: Path | str, error: OSError) -> LogError:
    """Turns an error of the file system into one whose message says what to do."""
    return LogUnavailableError(
        log_display_name(path), f"cannot be opened ({error.strerror}). Check the folder's permissions and free space."
    )


def database_log_error(path: Path | str, error: SQLAlchemyError) -> LogError:
    """Turns a database error into one whose message says what to do."""
    if isinstance(path, str):
        return _postgresql_log_error(path, error)
    cause = error.orig if isinstance(error, DBAPIError) else None
    code = cause.sqlite_errorcode & 0xFF if isinstance(cause, sqlite3.Error) and _has_sqlite_error_code(cause) else None
    original_error = cause if cause is not None else error
    match code:
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return LogBusyError(
                path,
                "is locked by another program. Close other Benchwright windows and programs that "
                "have this file open, then try again.",
            )
        case sqlite3.SQLITE_FULL:
            return LogUnavailableError(path, "could not be written: the disk is full. Free some space and try again.")
        case sqlite3.SQLITE_IOERR | sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM:
            return LogUnavailableError(
                path,
                f"could not be used ({original_error}). Check the folder's free space and permissions, then try again.",
            )
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return LogDamagedError(
                path,
                f"is damaged ({original_error}). Move it away to begin a new one, and keep it: "
                "`sqlite3 FILE .recover` can read most of it.",
            )
        case _:
            return LogError(path, f"unexpected database error ({original_error}). Report it to the developers.")


_LOCK_TIMEOUT, _DISK_FULL = "55P03", "53100"  # PostgreSQL, appendix A


def _postgresql_log_error(url: str, error: SQLAlchemyError) -> LogError:
    state = getattr(error.orig, "sqlstate", None) if isinstance(error, DBAPIError) else None
    if state == _LOCK_TIMEOUT:
        return LogBusyError(log_display_name(url), "is locked by another program. Try again.")
    if state == _DISK_FULL:
        return LogUnavailableError(
            log_display_name(url), "could not be written: its disk is full. Inform its administrator."
        )
    if isinstance(error, OperationalError):
        message = str(error.orig).strip().splitlines()[0]
        return LogUnavailableError(
            log_display_name(url),
            f"can't be reached ({message}). Check that the database runs and that the address is right.",
        )
    return LogError(
        log_display_name(url), f"an unexpected database error ({type(error.__cause__ or error).__name__}, {state})."
    )


def _has_sqlite_error_code(error: sqlite3.Error) -> bool:
    # Errors that Python's sqlite3 module raises by itself carry no SQLite code.
    return hasattr(error, "sqlite_errorcode")
