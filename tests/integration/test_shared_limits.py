"""Limits on one account's requests are those of all processes of a service together, and survive a restart."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from benchwright_foundation.database import Database
from benchwright_foundation.errors import StorageError
from benchwright_foundation.rate import Allowances
from benchwright_service.storage.database import open_service_database
from benchwright_service.storage.shared_uses import SharedUses

from ..support.service.bench_service import DATABASES
from ..support.service.postgres import new_database

HOUR_S = 3_600.0


@pytest.fixture(params=DATABASES)
async def database(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Database]:
    is_postgresql = request.param == "postgresql"
    where = new_database(request.getfixturevalue("postgres")) if is_postgresql else tmp_path / "service.sqlite"
    opened = await open_service_database(where)
    yield opened
    await opened.close()


async def test_what_one_process_counts_is_counted_in_the_others_and_after_a_restart(database: Database) -> None:
    here, there = Allowances(), Allowances()
    for _ in range(3):
        assert here.count_or_wait_s("runs:ada", 1, 4, HOUR_S) == 0
    assert there.count_or_wait_s("runs:ada", 1, 4, HOUR_S) == 0
    await SharedUses(database, here).share()
    await SharedUses(database, there).share()
    assert there.count_or_wait_s("runs:ada", 1, 4, HOUR_S) == pytest.approx(HOUR_S / 4, rel=0.01)
    assert there.count_or_wait_s("runs:ben", 1, 4, HOUR_S) == 0
    await SharedUses(database, here).share()
    assert here.count_or_wait_s("runs:ada", 1, 4, HOUR_S) > 0
    # A process that has just started, and has not met her.
    later = Allowances()
    await SharedUses(database, later).share()
    assert later.count_or_wait_s("runs:ada", 1, 4, HOUR_S) > 0


async def test_what_is_counted_while_it_is_shared_or_the_database_is_away_is_not_lost(database: Database) -> None:
    here, there = Allowances(), Allowances()
    assert here.count_or_wait_s("runs:ada", 2, 4, HOUR_S) == 0
    await database.engine.dispose()
    away = SharedUses(database, here)
    async with database.write_transaction() as connection:
        await connection.exec_driver_sql("ALTER TABLE service_uses RENAME TO elsewhere")
    with pytest.raises(StorageError):
        await away.share()
    assert here.count_or_wait_s("runs:ada", 1, 4, HOUR_S) == 0
    async with database.write_transaction() as connection:
        await connection.exec_driver_sql("ALTER TABLE elsewhere RENAME TO service_uses")
    await away.share()
    await SharedUses(database, there).share()
    assert there.count_or_wait_s("runs:ada", 2, 4, HOUR_S) > 0
    assert there.count_or_wait_s("runs:ada", 1, 4, HOUR_S) == 0
