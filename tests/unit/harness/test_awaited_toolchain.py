"""A run waits for tools that are being installed, and for none that are not."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import pytest

from benchwright_foundation.file_lock import file_lock
from benchwright_harness.errors import ToolMissingError
from benchwright_harness.toolchain import Toolchain
from benchwright_harness.toolchain.awaited import LOCK, find_or_await_build, is_being_built

TOOLCHAIN = cast(Toolchain, object())


@contextmanager
def building(cache: Path) -> Iterator[threading.Event]:
    """Holds the lock of a build until told to end."""
    lock_held, end_signal = threading.Event(), threading.Event()

    def build() -> None:
        with file_lock(cache / "toolchains" / LOCK):
            lock_held.set()
            end_signal.wait(60)

    (cache / "toolchains").mkdir(parents=True)
    thread = threading.Thread(target=build)
    thread.start()
    assert lock_held.wait(60)
    try:
        yield end_signal
    finally:
        end_signal.set()
        thread.join()


def test_a_build_is_seen_while_it_goes_on(tmp_path: Path) -> None:
    assert not is_being_built(tmp_path)
    with building(tmp_path):
        assert is_being_built(tmp_path)
    assert not is_being_built(tmp_path)


async def test_a_run_waits_until_the_tools_are_there_and_says_so_once(tmp_path: Path) -> None:
    toolchains: list[Toolchain] = []
    notices: list[str] = []
    waits = asyncio.Event()

    def find() -> Toolchain:
        if not toolchains:
            raise ToolMissingError("toolchain", "build one")
        return toolchains[0]

    def on_wait() -> None:
        notices.append("waits")
        waits.set()

    with building(tmp_path):
        waiting_task = asyncio.create_task(find_or_await_build(find, tmp_path, on_wait))
        await waits.wait()
        assert not waiting_task.done()
        toolchains.append(TOOLCHAIN)
        assert await waiting_task is TOOLCHAIN
    assert notices == ["waits"]


async def test_nobody_waits_where_nothing_is_built(tmp_path: Path) -> None:
    def find() -> Toolchain:
        raise ToolMissingError("toolchain", "build one")

    with pytest.raises(ToolMissingError):
        await find_or_await_build(find, tmp_path, lambda: pytest.fail("it waits"))


async def test_a_build_that_fails_ends_the_wait_with_the_next_step(tmp_path: Path) -> None:
    def find() -> Toolchain:
        raise ToolMissingError("toolchain", "build one")

    with building(tmp_path) as end, pytest.raises(ToolMissingError):
        await find_or_await_build(find, tmp_path, end.set)
