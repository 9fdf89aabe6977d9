"""Opening a service's database, and its transactions: SQLite in a file of mode 0600, or PostgreSQL by URL."""

from __future__ import annotations

import asyncio
import importlib
import logging
import sqlite3
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from sqlalchemy import Connection, Table, event, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DatabaseError, DisconnectionError, IntegrityError, InterfaceError

from benchwright_foundation.errors import StorageError, explain_missing_extra

if TYPE_CHECKING:
    import aiosqlite
    from sqlalchemy.engine.interfaces import AdaptedConnection, DBAPIConnection
    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine
    from sqlalchemy.pool import ConnectionPoolEntry

_WRITES = "benchwright_writes"
_RETURNED = "benchwright_returned"
_IDLE_S = 1.0
_TURN = text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 2))")
_BUSY_S = 30.0
"""Seconds to wait while another process writes to a file."""


class Database:
    """An open database. Use it within the event loop it was opened in, and close it in the end.

    A subclass has the tables of one purpose.
    """

    title: ClassVar[str]
    """The database's name in messages."""

    def __init__(self, engine: AsyncEngine) -> None:
        self.engine = engine
        is_sqlite = engine.dialect.name == "sqlite"
        # PostgreSQL gives each statement a view of its own anyway: beginning and ending would be two more round trips.
        self._reader = engine if is_sqlite else engine.execution_options(isolation_level="AUTOCOMMIT")
        # SQLite allows one writing connection: waiting here avoids polling for its lock.
        self._turn: AbstractAsyncContextManager[object] = asyncio.Lock() if is_sqlite else nullcontext()

    @classmethod
    async def open(cls, location: str | Path) -> Self:
        """Open the database, and create missing tables.

        Args:
            location: A file for SQLite, or the URL of a PostgreSQL database.

        Raises:
            StorageError: The database can't be opened, or another version of Benchwright made it.
            ExtraMissingError: The packages for databases are not installed.
        """
        engine = (
            _sqlite_engine(location, cls.title) if isinstance(location, Path) else _engine_at_url(location, cls.title)
        )
        database = cls(engine)
        try:
            async with database.write_transaction() as connection:
                await connection.run_sync(database.create_or_migrate_tables)
        except BaseException:
            await engine.dispose()
            raise
        return database

    def create_or_migrate_tables(self, connection: Connection) -> None:
        """Create or migrate the tables, in a transaction.

        Raises:
            StorageError: Another version of Benchwright, or another program, made the database.
        """
        raise NotImplementedError

    async def close(self) -> None:
        """Close every connection."""
        await self.engine.dispose()

    @asynccontextmanager
    async def write_transaction(self) -> AsyncIterator[AsyncConnection]:
        """A transaction that may write; committed at the end of the block.

        Raises:
            StorageError: The database is locked, full, damaged or deleted.
        """
        with self._raise_as_storage_error():
            async with self._turn, self.engine.execution_options(**{_WRITES: True}).begin() as connection:
                yield connection

    @asynccontextmanager
    async def read_transaction(self) -> AsyncIterator[AsyncConnection]:
        """A connection that reads; on SQLite, all of it sees one state.

        Raises:
            StorageError: The database is locked, damaged or deleted.
        """
        with self._raise_as_storage_error():
            async with self._reader.begin() as connection:
                yield connection

    @asynccontextmanager
    async def turn_among_processes(self, turn_name: str) -> AsyncIterator[None]:
        """Let one process at a time do what has this name; with SQLite, which has one, it waits for nobody.

        Raises:
            StorageError: The database can't be reached.
        """
        if self.engine.dialect.name == "sqlite":
            yield
            return
        async with self.engine.connect() as connection:
            with self._raise_as_storage_error():
                await connection.execute(_TURN, {"name": turn_name})
            # The lock ends with the transaction, and so with the process.
            yield

    @contextmanager
    def _raise_as_storage_error(self) -> Iterator[None]:
        try:
            yield
        except (DatabaseError, InterfaceError) as error:
            if isinstance(error, IntegrityError):
                raise
            raise StorageError(
                f"{self.title} {_url_without_password(self.engine)} could not be used: {_driver_error_line(error)}; the"
                " last step was rolled back; fix the cause and try again"
            ) from error

    def insert_into(self, table: Table) -> sqlite.Insert | postgresql.Insert:
        """An insert that can specify how to resolve conflicts."""
        # Only the inserts of the dialects can resolve conflicts.
        return sqlite.insert(table) if self.engine.dialect.name == "sqlite" else postgresql.insert(table)


def _sqlite_engine(file: Path, database_title: str) -> AsyncEngine:
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Not opened where it exists: closing another descriptor of it would drop SQLite's locks in this process.
        file.touch(mode=0o600)
        file.chmod(0o600)
    except OSError as error:
        raise StorageError(
            f"{database_title} {file} can't be created: {error.strerror}; check the folder's permissions"
        ) from error
    url = URL.create("sqlite+aiosqlite", database=str(file))
    engine = _create_engine(
        url,
        # A connection is a thread: none beyond these, which would be opened and closed with every transaction.
        pool_size=8,
        max_overflow=0,
        connect_args={"timeout": _BUSY_S, "isolation_level": None},
        # A statement's values may be answer keys: no error shows them.
        hide_parameters=True,
    )

    # At its debug level the library logs every value, answer keys included.
    logging.getLogger("aiosqlite").setLevel(logging.WARNING)

    @event.listens_for(engine.sync_engine, "connect")
    def _set_up(connection: AdaptedConnection, _record: object) -> None:
        connection.run_async(_set_sqlite_pragmas)

    @event.listens_for(engine.sync_engine, "begin")
    def _begin(connection: Connection) -> None:
        # A transaction that reads first and then writes would otherwise fail where another wrote between.
        writes = connection.get_execution_options().get(_WRITES, False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


async def _set_sqlite_pragmas(connection: aiosqlite.Connection) -> None:
    # Changing the journal mode does not wait for other connections as statements do.
    give_up = time.monotonic() + _BUSY_S
    while True:
        try:
            await (await connection.execute("PRAGMA journal_mode = WAL")).close()
            break
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > give_up:
                raise
            await asyncio.sleep(0.02)
    for pragma in ("synchronous = FULL", "foreign_keys = ON"):
        await (await connection.execute(f"PRAGMA {pragma}")).close()


def _create_engine(url: URL, **options: Any) -> AsyncEngine:
    with explain_missing_extra("Keeping judgements", "judges"):
        # SQLAlchemy's own error for a missing greenlet does not name the package.
        importlib.import_module("greenlet")
        from sqlalchemy.ext.asyncio import create_async_engine

        return create_async_engine(url, **options)


def _engine_at_url(database_url: str, database_title: str) -> AsyncEngine:
    try:
        url = make_url(database_url)
    except ArgumentError as error:
        raise StorageError("the database's URL can't be read; write postgresql://USER@HOST/NAME") from error
    if url.get_backend_name() == "sqlite" and url.database:
        return _sqlite_engine(Path(url.database), database_title)
    if url.get_backend_name() != "postgresql":
        raise StorageError(f"{database_title} can't be in {url.get_backend_name()}; use SQLite or PostgreSQL")
    engine = _create_engine(
        url.set(drivername="postgresql+psycopg"), pool_size=20, max_overflow=0, hide_parameters=True
    )
    _ping_idle_connections_before_use(engine)
    return engine


def _ping_idle_connections_before_use(engine: AsyncEngine) -> None:
    """Asks whether an idle connection still works; one that worked a moment ago is taken as it is."""

    @event.listens_for(engine.sync_engine, "checkin")
    def _on_connection_return(_connection: object, record: ConnectionPoolEntry) -> None:
        record.info[_RETURNED] = time.monotonic()

    @event.listens_for(engine.sync_engine, "checkout")
    def _check_connection(connection: DBAPIConnection, record: ConnectionPoolEntry, _proxy: object) -> None:
        if time.monotonic() - record.info.get(_RETURNED, time.monotonic()) < _IDLE_S:
            return
        try:
            engine.dialect.do_ping(connection)
        except engine.dialect.loaded_dbapi.Error as error:
            # The pool opens another one.
            raise DisconnectionError from error


def _url_without_password(engine: AsyncEngine) -> str:
    return engine.url.render_as_string(hide_password=True)


def _driver_error_line(error: BaseException) -> str:
    # The statement and its values, which SQLAlchemy puts into the text, may hold an answer key.
    return str(getattr(error, "orig", None) or type(error).__name__).strip().splitlines()[0]
