"""Waiting for what will come, however slow the machine is."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

_PATIENCE_S = 120.0


async def comes(condition: Callable[[], bool], patience_s: float = _PATIENCE_S) -> bool:
    """Wait until it holds; false where it never does."""
    deadline = time.monotonic() + patience_s
    while not condition():
        if time.monotonic() > deadline:
            return False
        await asyncio.sleep(0.02)
    return True


async def wait_until(condition: Callable[[], bool]) -> None:
    """Wait until it holds; an assertion fails where it never does."""
    assert await comes(condition), "it never came"
