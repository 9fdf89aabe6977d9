"""The service's database: the tables of `tables`, made and migrated by Alembic."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from sqlalchemy import ColumnElement, Connection, Double, bindparam, cast, extract, func, inspect, text

from benchwright_foundation.database import Database
from benchwright_foundation.errors import StorageError
from benchwright_service import migrations
from benchwright_service.errors import BenchServiceError
from benchwright_service.migrations import VERSION_TABLE

_MIGRATING = 0x62775F73
"""Key of the lock under which a PostgreSQL database is migrated: two processes may start at once."""


class _ServiceDatabase(Database):
    title = "the service's database"

    def create_or_migrate_tables(self, connection: Connection) -> None:
        _create_or_migrate_tables(connection)


async def open_service_database(location: str | Path) -> Database:
    """Opens the database; creates or migrates its tables.

    Args:
        location: A file for SQLite, or the URL of a PostgreSQL database.

    Raises:
        BenchServiceError: The database can't be opened, or a newer version of Benchwright made it.
    """
    try:
        return await _ServiceDatabase.open(location)
    except StorageError as error:
        raise BenchServiceError(str(error)) from error


def database_time(database: Database, clock: Callable[[], float]) -> ColumnElement[float]:
    """The time as all processes have it, in seconds since 1970: the database's, whatever their machines' clocks say.

    Args:
        database: Database of the service.
        clock: The machine's, which counts with SQLite: there is one process.
    """
    if database.engine.dialect.name == "sqlite":
        return bindparam(None, callable_=clock, type_=Double())
    return cast(extract("epoch", func.clock_timestamp()), Double)


def _create_or_migrate_tables(connection: Connection) -> None:
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    if connection.dialect.name == "postgresql":
        connection.execute(text(f"SELECT pg_advisory_xact_lock({_MIGRATING})"))
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__path__[0])))
    config.attributes["connection"] = connection
    scripts = ScriptDirectory.from_config(config)
    if inspect(connection).has_table(VERSION_TABLE):
        format_ = connection.scalar(text(f"SELECT version_num FROM {VERSION_TABLE}"))  # noqa: S608
        if format_ == scripts.get_current_head():
            return
        if format_ not in {script.revision for script in scripts.walk_revisions()}:
            raise StorageError(
                f"the service's database has {format_}, which this version of Benchwright does not know; install the"
                " version that made it, or a newer one"
            )
    command.upgrade(config, "head")
