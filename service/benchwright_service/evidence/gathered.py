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
        work: Does several items; its results, or what is wrong with each, are in their order.
        alike: Items with the same key are never done at the same time, but in the order in which they came.
        most: Items at a time.
        pace_s: Least time from one beginning to the next, in seconds: the longer, the more come together.
        at_once: Largest number of calls of `work` that are under way at once.
    """

    def __init__(
        self,
        work: Callable[[Sequence[Item]], Awaitable[Sequence[Result | Exception]]],
        alike: Callable[[Item], Hashable],
        *,
        most_bytes: int,
        pace_s: float,
        at_once: int = 1,
    ) -> None:
        self._work = work
        self._alike = alike
        self._limit = most_bytes
        self._pace_s = pace_s
        self._at_once = at_once
        self._waiting: list[tuple[Item, asyncio.Future[Result]]] = []
        self._keys: set[Hashable] = set()
        """Of what is under way."""
        self._working: set[asyncio.Task[None]] = set()
        self._beginning: asyncio.Task[None] | None = None
        self._began = float("-inf")

    async def do(self, item: Item) -> Result:
        """Does an item. Cancelling the wait does not take it back."""
        future: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, future))
        self._go_on()
        return await future

    def _go_on(self) -> None:
        if self._waiting and self._beginning is None and len(self._working) < self._at_once:
            self._beginning = asyncio.create_task(self._begin())

    async def _begin(self) -> None:
        try:
            await asyncio.sleep(self._began + self._pace_s - time.monotonic())
            batch = self._next()
            if batch:
                self._began = time.monotonic()
                task = asyncio.create_task(self._do(batch))
                self._working.add(task)
                task.add_done_callback(self._end_task)
        finally:
            self._beginning = None
        # What is left may wait for what is under way; its end goes on.
        if batch:
            self._go_on()

    def _end_task(self, task: asyncio.Task[None]) -> None:
        self._working.discard(task)
        self._go_on()

    def _next(self) -> list[tuple[Item, asyncio.Future[Result]]]:
        batch: list[tuple[Item, asyncio.Future[Result]]] = []
        left: list[tuple[Item, asyncio.Future[Result]]] = []
        seen_keys = set(self._keys)
        for item, future in self._waiting:
            key = self._alike(item)
            (left if key in seen_keys or len(batch) == self._limit else batch).append((item, future))
            seen_keys.add(key)
        self._waiting = left
        self._keys |= {self._alike(item) for item, _ in batch}
        return batch

    async def _do(self, batch: Sequence[tuple[Item, asyncio.Future[Result]]]) -> None:
        try:
            results = await self._work([item for item, _ in batch])
        except Exception as error:
            results = [error] * len(batch)
        except asyncio.CancelledError:
            for _, future in batch:
                future.cancel()
            raise
        finally:
            self._keys -= {self._alike(item) for item, _ in batch}
        for (_, future), result in zip(batch, results, strict=True):
            # Who has gone away has no use for it.
            with contextlib.suppress(asyncio.InvalidStateError):
                if isinstance(result, Exception):
                    future.set_exception(result)
                else:
                    future.set_result(result)
