"""Requests that come while something is being done are done together next."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from benchwright_service.evidence.batches import Batches


class Work:
    """Notes what was done together; waits until it may end."""

    def __init__(self) -> None:
        self.batches: list[Sequence[str]] = []
        self.may_end = asyncio.Event()

    async def __call__(self, items: Sequence[str]) -> Sequence[str | Exception]:
        self.batches.append(items)
        await self.may_end.wait()
        return [ValueError(item) if item.startswith("bad") else item.upper() for item in items]


def make_batches(batch_work: Work, batch_size: int = 10) -> Batches[str, str]:
    return Batches(batch_work, lambda work_item: work_item[-1], most_items=batch_size, pace_s=0.0)


async def test_the_first_is_done_at_once_and_the_rest_together() -> None:
    batch_work = Work()
    all_of = make_batches(batch_work)
    waiting_tasks = [asyncio.create_task(all_of.process("a"))]
    await asyncio.sleep(0.01)
    waiting_tasks += [asyncio.create_task(all_of.process(item)) for item in "bcd"]
    await asyncio.sleep(0.01)
    batch_work.may_end.set()
    assert await asyncio.gather(*waiting_tasks) == ["A", "B", "C", "D"]
    assert batch_work.batches == [["a"], ["b", "c", "d"]]


async def test_what_is_wrong_with_one_is_told_to_that_one_alone() -> None:
    batch_work = Work()
    batch_work.may_end.set()
    gathered_results = await asyncio.gather(
        *map(make_batches(batch_work).process, ("a", "bad b", "c")), return_exceptions=True
    )
    assert [gathered_results[0], gathered_results[2]] == ["A", "C"]
    assert isinstance(gathered_results[1], ValueError)


async def test_two_of_one_key_are_done_one_after_the_other() -> None:
    batch_work = Work()
    batch_work.may_end.set()
    await asyncio.gather(*map(make_batches(batch_work).process, ("1a", "2a", "1b", "3a")))
    assert batch_work.batches == [["1a", "1b"], ["2a"], ["3a"]]


async def test_no_more_than_allowed_are_done_together() -> None:
    batch_work = Work()
    batch_work.may_end.set()
    await asyncio.gather(*map(make_batches(batch_work, batch_size=2).process, "abcde"))
    assert [len(items) for items in batch_work.batches] == [2, 2, 1]


async def test_who_goes_away_takes_nothing_back_and_keeps_nobody_waiting() -> None:
    batch_work = Work()
    all_of = make_batches(batch_work)
    cancelled_task, stays = asyncio.create_task(all_of.process("a")), asyncio.create_task(all_of.process("b"))
    await asyncio.sleep(0.01)
    cancelled_task.cancel()
    batch_work.may_end.set()
    assert await stays == "B"
    assert batch_work.batches == [["a", "b"]]
    assert await all_of.process("c") == "C"


async def test_a_failure_of_all_is_told_to_all_and_the_next_is_done() -> None:
    failing = True

    async def work(items: Sequence[str]) -> Sequence[str | Exception]:
        if failing:
            raise OSError("disk")
        return items

    all_of = Batches(work, lambda work_item: work_item, most_items=10, pace_s=0.0)
    for result in await asyncio.gather(all_of.process("a"), all_of.process("b"), return_exceptions=True):
        assert isinstance(result, OSError)
    failing = False
    assert await all_of.process("c") == "c"


async def test_batches_keep_their_distance() -> None:
    began: list[float] = []

    async def work(items: Sequence[int]) -> Sequence[int | Exception]:
        began.append(asyncio.get_running_loop().time())
        return items

    all_of = Batches(work, lambda key_item: key_item, most_items=10, pace_s=0.05)
    for work_item in range(3):
        await all_of.process(work_item)
    assert began[1] - began[0] >= 0.049
    assert began[2] - began[1] >= 0.049


async def test_the_next_begins_while_one_is_under_way_but_not_what_is_alike() -> None:
    batch_work = Work()
    all_of: Batches[str, str] = Batches(
        batch_work, lambda key_item: key_item[-1], most_items=10, pace_s=0.0, most_batches=2
    )
    waiting_tasks = []
    for work_item in ("1a", "2a", "1b", "1c"):
        waiting_tasks.append(asyncio.create_task(all_of.process(work_item)))
        await asyncio.sleep(0.01)
    assert batch_work.batches == [["1a"], ["1b"]]
    batch_work.may_end.set()
    await asyncio.gather(*waiting_tasks)
    assert batch_work.batches == [["1a"], ["1b"], ["2a", "1c"]]
