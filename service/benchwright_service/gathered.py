"""Work that costs hardly more for many than for one, done together for all who wait for it."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Hashable, Sequence
from typing import Generic, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class Gathered(Generic[Item, Result]):
    """Does what comes at once; what comes meanwhile is done together, after that.

    Args:
        work: Does several items; its results, or what is wrong with each, are in their order.
        alike: Items with the same key are never done together, but in the order in which they came.
        most: Items at a time.
        pace_s: From one beginning to the next, in seconds, at least: the longer, the more come together.
    """

    def __init__(
        self,
        work: Callable[[Sequence[Item]], Awaitable[Sequence[Result | Exception]]],
        alike: Callable[[Item], Hashable],
        *,
        most: int,
        pace_s: float,
    ) -> None:
        self._work = work
        self._alike = alike
        self._most = most
        self._pace_s = pace_s
        self._waiting: list[tuple[Item, asyncio.Future[Result]]] = []
        self._working: asyncio.Task[None] | None = None
        self._began = float("-inf")

    async def do(self, item: Item) -> Result:
        """Does an item. Cancelling the wait does not take it back."""
        future: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, future))
        if self._working is None:
            self._working = asyncio.create_task(self._do_all())
        return await future

    async def _do_all(self) -> None:
        try:
            while self._waiting:
                await asyncio.sleep(self._began + self._pace_s - time.monotonic())
                self._began = time.monotonic()
                await self._do(self._next())
        finally:
            self._working = None

    def _next(self) -> list[tuple[Item, asyncio.Future[Result]]]:
        taken: list[tuple[Item, asyncio.Future[Result]]] = []
        left: list[tuple[Item, asyncio.Future[Result]]] = []
        keys: set[Hashable] = set()
        for item, future in self._waiting:
            key = self._alike(item)
            (left if key in keys or len(taken) == self._most else taken).append((item, future))
            keys.add(key)
        self._waiting = left
        return taken

    async def _do(self, taken: Sequence[tuple[Item, asyncio.Future[Result]]]) -> None:
        try:
            results = await self._work([item for item, _ in taken])
        except Exception as error:
            results = [error] * len(taken)
        except asyncio.CancelledError:
            for _, future in taken:
                future.cancel()
            raise
        for (_, future), result in zip(taken, results, strict=True):
            # Who has gone away has no use for it.
            with contextlib.suppress(asyncio.InvalidStateError):
                if isinstance(result, Exception):
                    future.set_exception(result)
                else:
                    future.set_result(result)
