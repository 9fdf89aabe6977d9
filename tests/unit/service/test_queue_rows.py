"""The queue in the database: everybody who waits gets the same share, and a worker that is silent loses its run."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from benchwright_service.runs.queue_rows import TERM_S

from ...support.service.queued_runs import QueuedRuns


@pytest.fixture
async def queue(tmp_path: Path) -> AsyncIterator[QueuedRuns]:
    opened = await QueuedRuns.opened(tmp_path / "service.sqlite")
    yield opened
    await opened.database.close()


async def test_one_who_queues_many_does_not_keep_the_others_waiting(queue: QueuedRuns) -> None:
    for number in range(10):
        await queue.add(f"a{number}", "ada")
    await queue.add("b0", "ben")
    await queue.add("c0", "cy")
    assert [await queue.take() for _ in range(4)] == ["a0", "b0", "c0", "a1"]


async def test_somebody_elses_long_runs_are_charged(queue: QueuedRuns) -> None:
    for number in range(6):
        await queue.add(f"a{number}", "ada")
        await queue.add(f"b{number}", "ben")
    run_counts = Counter[str]()
    for _ in range(6):
        run = await queue.take()
        assert run is not None
        run_counts[run[0]] += 1
        await queue.end(run, 20.0 if run[0] == "a" else 2.0)
    assert run_counts == {"a": 1, "b": 5}


async def test_a_pause_saves_nothing_up(queue: QueuedRuns) -> None:
    await queue.add("a0", "ada")
    await queue.add("b0", "ben")
    for _ in range(2):
        await queue.end(await queue.take() or "", 2.0)
    for number in range(1, 30):
        await queue.add(f"a{number}", "ada")
        if number < 20:
            assert await queue.take() == f"a{number}"
            await queue.end(f"a{number}", 2.0)
    for number in range(1, 12):
        await queue.add(f"b{number}", "ben")
    nexts = [await queue.take() for _ in range(6)]
    assert sum(run is not None and run.startswith("a") for run in nexts) in (2, 3)


async def test_who_has_runs_already_keeps_their_turn_when_another_comes(queue: QueuedRuns) -> None:
    for run, account in (("a0", "ada"), ("b0", "ben")):
        await queue.add(run, account)
        await queue.take()
    await queue.add("a1", "ada")
    await queue.add("b1", "ben")
    await queue.end("b0", 50.0)
    await queue.end("a0", 2.0)
    # Ada has used less: another run of hers must not put her where Ben is.
    await queue.add("a2", "ada")
    assert [await queue.take() for _ in range(3)] == ["a1", "a2", "b1"]


async def test_the_rank_is_how_many_go_before_if_nobody_else_comes(queue: QueuedRuns) -> None:
    for run, account in (("a0", "ada"), ("a1", "ada"), ("b0", "ben"), ("c0", "cy"), ("b1", "ben")):
        await queue.add(run, account)
    queue_ranks = {run: await queue.queue_rows.queue_rank(run) for run in ("a0", "a1", "b0", "b1", "c0")}
    order = [await queue.take() for _ in range(5)]
    assert [queue_ranks[run] for run in order if run] == [1, 2, 3, 4, 5]
    assert await queue.queue_rows.queue_rank("a0") is None
    assert await queue.take() is None


async def test_a_run_that_was_cancelled_is_not_given_and_costs_nothing(queue: QueuedRuns) -> None:
    for run, account in (("a0", "ada"), ("a1", "ada"), ("b0", "ben")):
        await queue.add(run, account)
    assert await queue.cancel("a0")
    assert not await queue.cancel("a0")
    assert await queue.take() == "a1"
    assert await queue.cancel("a1")
    assert not await queue.end("a1", 90.0)
    await queue.add("a2", "ada")
    assert [await queue.take() for _ in range(3)] == ["b0", "a2", None]


@pytest.mark.parametrize("students", [20])
async def test_nobody_waits_more_than_twice_the_fair_share_before_a_deadline(queue: QueuedRuns, students: int) -> None:
    # Some save once, some five times at once.
    student_by_run: dict[str, str] = {}
    for student in range(students):
        for number in range(5 if student % 4 == 0 else 1):
            await queue.add(f"{student}:{number}", str(student))
            student_by_run[f"{student}:{number}"] = str(student)
    first_done: dict[str, int] = {}
    for slot in range(len(student_by_run)):
        run = await queue.take()
        assert run is not None
        await queue.end(run, 2.0)
        first_done.setdefault(student_by_run[run], slot)
    assert max(first_done.values()) < 2 * students


async def test_a_lease_lasts_its_term_and_every_word_renews_it(queue: QueuedRuns) -> None:
    await queue.add("a0", "ada")
    row = await queue.queue_rows.claim_next("w1")
    assert row is not None
    queue.clock.time_s += TERM_S - 10
    assert await queue.queue_rows.renew_if_leased("a0", row.lease, "1 of 2: build")
    queue.clock.time_s += TERM_S - 1
    assert await queue.queue_rows.expired_runs() == []
    queue.clock.time_s += 2
    assert [expired.id for expired in await queue.queue_rows.expired_runs()] == ["a0"]
    assert (await queue.row("a0")).step == "1 of 2: build"
    assert await queue.queue_rows.requeue_if_leased(row)
    assert not await queue.queue_rows.requeue_if_leased(row)
    assert not await queue.queue_rows.renew_if_leased("a0", row.lease, "")
    assert await queue.take("w2") == "a0"
    # What the first worker says in the end is not wanted any more.
    assert not await queue.queue_rows.requeue_if_leased(row)
    assert (await queue.row("a0")).tries == 2


async def test_the_runs_of_a_worker_that_asks_for_another_are_found_by_its_name(queue: QueuedRuns) -> None:
    await queue.add("a0", "ada")
    await queue.add("b0", "ben")
    await queue.take("w1")
    await queue.take("w2")
    assert [row.id for row in await queue.queue_rows.mark_alive_and_list_runs("w1")] == ["a0"]
    assert await queue.queue_rows.size() == (0, 2, 1)
    queue.clock.time_s += TERM_S + 1
    assert await queue.queue_rows.size() == (0, 2, 0)


async def test_answers_are_for_the_process_that_claims_them_and_never_for_workers(queue: QueuedRuns) -> None:
    await queue.add("a0", "ada", is_scored=True)
    await queue.add("b0", "ben", is_scored=True)
    assert await queue.take() is None
    assert [row.id for row in await queue.queue_rows.claim_answers("p1", "b0")] == ["b0"]
    assert [row.id for row in await queue.queue_rows.claim_answers("p2")] == ["a0"]
    assert await queue.queue_rows.claim_answers("p1") == ()
    assert await queue.queue_rows.waiting_count("ada") == 1
    assert await queue.end("a0", 0.0)
    assert await queue.queue_rows.waiting_count("ada") == 0
