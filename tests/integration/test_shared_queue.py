"""The queue of several processes in one PostgreSQL: no run is given twice, whatever the machines' clocks say."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from benchwright_foundation.change_notifications import wait_for_change
from benchwright_service.storage.database import open_service_database
from benchwright_service.storage.shared_changes import SharedChanges

from ..support.service.postgres import new_database
from ..support.service.queued_runs import Clock, QueuedRuns

WITHIN_S = 30.0


@pytest.fixture
async def processes(postgres: Path) -> AsyncIterator[list[QueuedRuns]]:
    url = new_database(postgres)
    async with contextlib.AsyncExitStack() as opened:
        queues = [await QueuedRuns.opened(url)]
        queues += [QueuedRuns(await open_service_database(url), Clock()) for _ in range(2)]
        for queue in queues:
            opened.push_async_callback(queue.database.close)
        yield queues


async def test_every_run_is_given_once_however_many_processes_give_at_once(processes: list[QueuedRuns]) -> None:
    runs = [f"run-{number}" for number in range(24)]
    for number, run in enumerate(runs):
        await processes[0].add(run, f"student-{number % 5}")

    async def take_all(queue: QueuedRuns, worker: str) -> list[str]:
        given_runs = []
        while (run := await queue.take(worker)) is not None:
            given_runs.append(run)
            await queue.end(run, 1.0)
        return given_runs

    given = await asyncio.gather(
        *(take_all(queue, f"{index}-{worker}") for index, queue in enumerate(processes) for worker in range(2))
    )
    assert sorted(run for given_runs in given for run in given_runs) == sorted(runs)


async def test_a_process_whose_clock_is_a_day_off_takes_no_lease_from_anybody(processes: list[QueuedRuns]) -> None:
    here, ahead, behind = processes
    ahead.clock.time_s += 86_400
    behind.clock.time_s -= 86_400
    await here.add("a0", "ada")
    assert await behind.take("w1") == "a0"
    for queue in processes:
        assert await queue.queue_rows.expired_runs() == []
    assert await ahead.end("a0", 1.0)
    assert not await here.end("a0", 1.0)


async def test_what_changes_in_one_process_wakes_who_waits_in_another(processes: list[QueuedRuns]) -> None:
    here, there = (SharedChanges(queue.database) for queue in processes[:2])
    async with here.listening(), there.listening():
        with there.subscribe("run-1") as all_changed, there.subscribe("work") as first, there.subscribe("work") as last:
            # Told once it listens; from then on, it hears.
            await wait_for_change(all_changed, WITHIN_S)
            assert all_changed.is_set()
            for event in (all_changed, first, last):
                event.clear()
            here.notify("run-1")
            here.notify_one("work")
            await wait_for_change(all_changed, WITHIN_S)
            assert all_changed.is_set()
            await asyncio.wait(
                {asyncio.ensure_future(first.wait()), asyncio.ensure_future(last.wait())},
                timeout=WITHIN_S,
                return_when=asyncio.FIRST_COMPLETED,
            )
            # There is work for one.
            assert first.is_set() != last.is_set()


async def test_a_listener_whose_connection_ends_hears_again(processes: list[QueuedRuns]) -> None:
    here, there = (SharedChanges(queue.database) for queue in processes[:2])
    async with here.listening(), there.listening():
        with there.subscribe("run-1") as changed:
            await wait_for_change(changed, WITHIN_S)
            changed.clear()
            async with processes[2].database.read_transaction() as connection:
                await connection.exec_driver_sql(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE starts_with(query, 'LISTEN')"
                )
            # It was not there for a moment, so everybody looks again.
            await wait_for_change(changed, WITHIN_S)
            assert changed.is_set()
            changed.clear()
            here.notify("run-1")
            await wait_for_change(changed, WITHIN_S)
            assert changed.is_set()
