"""Waiting for what will come, however slow the machine is."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

_PATIENCE_S = 120.0


async def until(condition: Callable[[], bool]) -> None:
    """Wait until it holds; an assertion fails where it never does."""
    deadline = time.monotonic() + _PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, "it never came"
        await asyncio.sleep(0.02)
