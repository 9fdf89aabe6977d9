"""Calling Docker's client, which blocks, from an event loop."""

from __future__ import annotations

import asyncio
import contextlib
import functools
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, Protocol, TypeVar

_P = ParamSpec("_P")
_T = TypeVar("_T")

_THREADS = 4


class BlockingCall(Protocol):
    """Calls a blocking function in a thread of this run."""

    def __call__(self, function: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> Awaitable[_T]:
        """Start the call."""
        ...


@contextlib.contextmanager
def worker_threads() -> Iterator[BlockingCall]:
    """Threads of one run."""
    # Not the loop's own: those are few, and a run holds one for as long as it prints.
    threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="docker")
    loop = asyncio.get_running_loop()

    def call(function: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> Awaitable[_T]:
        return loop.run_in_executor(threads, functools.partial(function, *args, **kwargs))

    try:
        yield call
    finally:
        threads.shutdown(wait=False)


async def await_despite_cancellation(awaitable: Awaitable[_T]) -> _T:
    """Wait for something; a cancellation takes effect only afterwards."""
    inner_task = asyncio.ensure_future(awaitable)
    try:
        return await asyncio.shield(inner_task)
    except asyncio.CancelledError:
        await asyncio.wait({inner_task})
        raise
