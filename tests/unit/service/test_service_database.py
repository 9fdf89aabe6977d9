"""The migration makes the tables that the code works with; databases of other formats are refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import create_engine, text

from benchwright_service.errors import BenchServiceError
from benchwright_service.migrations import VERSION_TABLE
from benchwright_service.questions.tables import METADATA
from benchwright_service.storage.database import open_service_database


async def test_a_new_database_has_the_tables_of_the_newest_format(tmp_path: Path) -> None:
    for _ in range(2):
        await (await open_service_database(tmp_path / "service.sqlite")).close()
    engine = create_engine(f"sqlite:///{tmp_path / 'service.sqlite'}")
    with engine.connect() as connection:
        migration_context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
        assert compare_metadata(migration_context, METADATA) == []
    engine.dispose()


@pytest.mark.parametrize("format_", ["format12", "format99"])
async def test_a_database_of_a_format_that_is_not_known_is_refused_and_left_alone(tmp_path: Path, format_: str) -> None:
    await (await open_service_database(tmp_path / "service.sqlite")).close()
    engine = create_engine(f"sqlite:///{tmp_path / 'service.sqlite'}")
    with engine.begin() as connection:
        connection.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = '{format_}'"))
    with pytest.raises(BenchServiceError, match=f"has {format_}, which this version .* does not know; install"):
        await open_service_database(tmp_path / "service.sqlite")
    engine.dispose()


async def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "service.sqlite").write_text("notes of mine, which are no database at all\n" * 100)
    with pytest.raises(BenchServiceError, match="the service's database"):
        await open_service_database(tmp_path / "service.sqlite")
