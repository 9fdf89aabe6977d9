"""Waiting for a toolchain that is being built: the editor can be used before set-up has ended."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from benchwright_foundation.file_lock import is_locked
from benchwright_harness.errors import ToolMissingError
from benchwright_harness.toolchain import Toolchain

LOCK = "build.lock"
"""Held while a toolchain is built, below the folder of toolchains."""
_LOOK_S = 0.5


def is_being_built(cache: Path) -> bool:
    """True if a process builds a toolchain now."""
    return is_locked(cache / "toolchains" / LOCK)


async def find_or_await_build(
    find_toolchain: Callable[[], Toolchain], cache: Path, on_wait: Callable[[], None]
) -> Toolchain:
    """Toolchain that `find_toolchain` finds, once a build that goes on has ended.

    Args:
        find_toolchain: Finds the toolchain.
        cache: The cache folder.
        on_wait: Called before it waits.

    Raises:
        ToolMissingError: No toolchain is there, and none is being built.
    """
    is_waiting = False
    while True:
        try:
            return find_toolchain()
        except ToolMissingError:
            # Asked after the look: a build that has just ended has left one.
            if not is_being_built(cache):
                return find_toolchain()
        if not is_waiting:
            on_wait()
            is_waiting = True
        await asyncio.sleep(_LOOK_S)
