"""Work that costs hardly more for many than for one, done together for all who wait for it."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Hashable, Sequence
from typing import Generic, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class Batches(Generic[Item, Result]):
    """Does what comes at once; what comes meanwhile is done together, after that.

    Args:
        process_batch: Does several items; its results, or what is wrong with each, are in their order.
        conflict_key: Items with the same key are never done at the same time, but in the order in which they came.
        most_items: Items at a time.
        pace_s: Least time from one beginning to the next, in seconds: the longer, the more come together.
        most_batches: Largest number of calls of `work` that are under way at once.
    """

    def __init__(
        self,
        process_batch: Callable[[Sequence[Item]], Awaitable[Sequence[Result | Exception]]],
        conflict_key: Callable[[Item], Hashable],
        *,
        most_items: int,
        pace_s: float,
        most_batches: int = 1,
    ) -> None:
        self._work = process_batch
        self._conflict_key = conflict_key
        self._limit = most_items
        self._pace_s = pace_s
        self._at_once = most_batches
        self._waiting_items: list[tuple[Item, asyncio.Future[Result]]] = []
        self._keys: set[Hashable] = set()
        """Of what is under way."""
        self._working: set[asyncio.Task[None]] = set()
        self._beginning: asyncio.Task[None] | None = None
        self._began = float("-inf")

    async def process(self, batch_item: Item) -> Result:
        """Does an item. Cancelling the wait does not take it back."""
        future: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._waiting_items.append((batch_item, future))
        self._begin_when_possible()
        return await future

    def _begin_when_possible(self) -> None:
        if self._waiting_items and self._beginning is None and len(self._working) < self._at_once:
            self._beginning = asyncio.create_task(self._begin())

    async def _begin(self) -> None:
        try:
            await asyncio.sleep(self._began + self._pace_s - time.monotonic())
            batch = self._next_batch()
            if batch:
                self._began = time.monotonic()
                task = asyncio.create_task(self._process_batch(batch))
                self._working.add(task)
                task.add_done_callback(self._end_task)
        finally:
            self._beginning = None
        # What is left may wait for what is under way; its end goes on.
        if batch:
            self._begin_when_possible()

    def _end_task(self, task: asyncio.Task[None]) -> None:
        self._working.discard(task)
        self._begin_when_possible()

    def _next_batch(self) -> list[tuple[Item, asyncio.Future[Result]]]:
        batch: list[tuple[Item, asyncio.Future[Result]]] = []
        left_items: list[tuple[Item, asyncio.Future[Result]]] = []
        seen_keys = set(self._keys)
        for batch_item, future in self._waiting_items:
            item_key = self._conflict_key(batch_item)
            (left_items if item_key in seen_keys or len(batch) == self._limit else batch).append((batch_item, future))
            seen_keys.add(item_key)
        self._waiting_items = left_items
        self._keys |= {self._conflict_key(item) for item, _ in batch}
        return batch

    async def _process_batch(self, batch: Sequence[tuple[Item, asyncio.Future[Result]]]) -> None:
        try:
            batch_results = await self._work([item for item, _ in batch])
        except Exception as error:
            batch_results = [error] * len(batch)
        except asyncio.CancelledError:
            for _, future in batch:
                future.cancel()
            raise
        finally:
            self._keys -= {self._conflict_key(item) for item, _ in batch}
        for (_, future), result in zip(batch, batch_results, strict=True):
            # Who has gone away has no use for it.
            with contextlib.suppress(asyncio.InvalidStateError):
                if isinstance(result, Exception):
                    future.set_exception(result)
                else:
                    future.set_result(result)
