"""A service's database is what its migrations make, on SQLite and on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Engine, create_engine, inspect, select, text

from benchwright_service.migrations import VERSION_TABLE
from benchwright_service.questions.tables import METADATA
from benchwright_service.storage.database import open_service_database
from benchwright_service.storage.tables import COURSES

from ..support.service.postgres import new_database

COURSE = {"id": "arch", "title": "Computer architecture", "created": 1.5, "archived": None, "zone": "Europe/Berlin"}
COURSE |= {"late_days": 3, "asks_recording": 1, "ends": 2.5, "kept_days": 90, "silenced": "near"}


@pytest.fixture(params=["sqlite", "postgresql"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    if request.param == "postgresql":
        return new_database(request.getfixturevalue("postgres"))
    return tmp_path / "service.sqlite"


@pytest.fixture
def engine(where: Path | str) -> Iterator[Engine]:
    url = f"sqlite:///{where}" if isinstance(where, Path) else where.replace("postgresql:", "postgresql+psycopg:")
    new_engine = create_engine(url)
    yield new_engine
    new_engine.dispose()


async def test_it_has_the_tables_that_the_code_works_with_and_keeps_what_is_in_it(
    where: Path | str, engine: Engine
) -> None:
    await (await open_service_database(where)).close()
    with engine.begin() as connection:
        migration_context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
        assert compare_metadata(migration_context, METADATA) == []
        connection.execute(COURSES.insert().values(COURSE))

    await (await open_service_database(where)).close()

    with engine.connect() as connection:
        (course_row,) = connection.execute(select(COURSES)).mappings()
        assert dict(course_row) == COURSE


async def test_a_migration_that_fails_changes_nothing(where: Path | str, engine: Engine) -> None:
    with engine.begin() as connection:
        # Something is in the way of a table, after others were made.
        connection.execute(text("CREATE TABLE service_study_places (id INTEGER)"))

    with pytest.raises(Exception, match="service_study_places"):
        await open_service_database(where)

    assert inspect(engine).get_table_names() == ["service_study_places"]
