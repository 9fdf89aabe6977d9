"""A service's database of any older format becomes one of the newest, with what is in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, create_engine, inspect, text

from benchwright_service import migrations
from benchwright_service.migrations import VERSION_TABLE
from benchwright_service.questions.tables import METADATA
from benchwright_service.storage.database import open_service_database

from ..support.service.postgres import new_database

SCRIPTS = str(Path(migrations.__path__[0]))
FORMATS = [one.revision for one in reversed(list(ScriptDirectory(SCRIPTS).walk_revisions()))]
COURSE = {"id": "arch", "title": "Computer architecture", "created": 1.5, "archived": None}
ACCOUNT = {"id": "a" * 32, "name": "Ada", "created": 2.5, "disabled": None}


@pytest.fixture(params=["sqlite", "postgresql"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    if request.param == "postgresql":
        return new_database(request.getfixturevalue("postgres"))
    return tmp_path / "service.sqlite"


@pytest.fixture
def engine(where: Path | str) -> Iterator[Engine]:
    url = f"sqlite:///{where}" if isinstance(where, Path) else where.replace("postgresql:", "postgresql+psycopg:")
    made = create_engine(url)
    yield made
    made.dispose()


def add(engine: Engine, table: str, row: dict[str, Any]) -> None:
    with engine.begin() as connection:
        columns = ", ".join(row)
        values = ", ".join(f":{name}" for name in row)
        connection.execute(text(f"INSERT INTO {table} ({columns}) VALUES ({values})"), row)


@pytest.mark.parametrize("format_", FORMATS)
async def test_it_is_migrated_with_what_is_in_it(where: Path | str, engine: Engine, format_: str) -> None:
    config = Config()
    config.set_main_option("script_location", SCRIPTS)
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, format_)
    add(engine, "service_courses", COURSE)
    add(engine, "service_accounts", ACCOUNT)

    await (await open_service_database(where)).close()

    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
        assert compare_metadata(context, METADATA) == []
        assert connection.scalar(text(f"SELECT version_num FROM {VERSION_TABLE}")) == FORMATS[-1]
        for table, row in (("service_courses", COURSE), ("service_accounts", ACCOUNT)):
            (found,) = connection.execute(text(f"SELECT * FROM {table}")).mappings()
            assert row.items() <= dict(found).items()


async def test_a_migration_that_fails_changes_nothing(where: Path | str, engine: Engine) -> None:
    config = Config()
    config.set_main_option("script_location", SCRIPTS)
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, FORMATS[0])
    with engine.begin() as connection:
        # Something is in the way of the next step.
        connection.execute(text("CREATE TABLE service_study_places (id INTEGER)"))
    before = set(inspect(engine).get_table_names())

    with pytest.raises(Exception, match="service_study_places"):
        await open_service_database(where)

    assert set(inspect(engine).get_table_names()) == before
    with engine.connect() as connection:
        assert connection.scalar(text(f"SELECT version_num FROM {VERSION_TABLE}")) == FORMATS[0]


@pytest.mark.parametrize(
    ("reason", "outcome"), [("passed", "passed"), ("tests_failed", "failed"), ("tool_missing", "error")]
)
async def test_the_outcome_of_an_older_run_is_read_from_its_verdict(
    where: Path | str, engine: Engine, reason: str, outcome: str
) -> None:
    config = Config()
    config.set_main_option("script_location", SCRIPTS)
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "format2")
    add(engine, "service_courses", COURSE)
    add(engine, "service_accounts", ACCOUNT)
    assignment = {"id": "b" * 32, "course": "arch", "title": "One", "pack": "starter", "created": 3.0}
    add(engine, "service_assignments", assignment)
    held = {"attempt": "c" * 32, "account": ACCOUNT["id"], "assignment": assignment["id"], "problem": "starter/fifo"}
    add(engine, "service_attempts", held | {"created": 4.0, "clock_difference_s": 0.0})
    run = {"attempt": held["attempt"], "account": ACCOUNT["id"], "files": "{}", "state": "done", "why": ""}
    run |= {"queued": 5.0, "worker": "", "lease": "", "tries": 1}
    add(engine, "service_runs", run | {"id": "d" * 32, "number": 1, "verdict": f'{{"reason": "{reason}"}}'})
    add(engine, "service_runs", run | {"id": "e" * 32, "number": 2})
    database = await open_service_database(where)
    await database.close()
    with engine.begin() as connection:
        found = connection.execute(text("SELECT outcome FROM service_runs ORDER BY number")).scalars().all()
    assert found == [outcome, ""]
