"""Following the clock of an attempt while this process works on it: heartbeats, suspensions, holds, the time limit."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from benchwright_attempts.clock.clock import ClockState, advance_clock
from benchwright_attempts.events.event_writer import EventWriter
from benchwright_attempts.events.events import Tick
from benchwright_attempts.events.evidence import ClockHeld, ClockReleased, Suspended
from benchwright_attempts.log.record import Moment

HEARTBEAT_S = 30.0

_SUSPENDED_S = 5.0
"""Difference of wall and monotonic time from which on the computer has slept, or its clock was set."""

_POLL_S = 0.05
"""Shortest wait before the time left is checked again."""


class ClockFollower:
    """Follows one attempt's clock.

    Args:
        writer: Event writer of the attempt.
        time_limit_s: Active time after which it ends, in seconds. None without a limit.
        on_limit: Called once with the limit when the time is used up. None if somebody else waits for that.
    """

    def __init__(
        self, writer: EventWriter, time_limit_s: float | None, on_limit: Callable[[float], Awaitable[None]] | None
    ) -> None:
        self.grants_overtime = False
        """True if the time may be exceeded for now: who submits before its end may wait for the verdict after it."""
        self.limited_from_s = 0.0
        """Active time at which the limit begins to count, in seconds."""
        self.unrecorded_wait_s: Callable[[], float] = lambda: 0.0
        """Seconds that the clock has counted and that will be excluded, as of now."""
        self._writer = writer
        self._limit_s = math.inf if time_limit_s is None else time_limit_s
        self._on_limit = on_limit
        self._is_held = False
        self._heartbeat: asyncio.Task[None] | None = None
        self._limiting: asyncio.Task[None] | None = None
        self._last_beat: Moment | None = None

    def start_following(self) -> None:
        """The clock runs from now on."""
        self.stop_following()
        self._last_beat = self._writer.moment()
        self._heartbeat = asyncio.create_task(self._record_heartbeats())
        if self._limit_s < math.inf and self._on_limit is not None:
            self._limiting = asyncio.create_task(self._watch_limit(self._on_limit))

    def stop_following(self) -> None:
        """The clock does not run any more, or another process follows it."""
        for task in (self._heartbeat, self._limiting):
            if task is not None:
                task.cancel()
        self._heartbeat = self._limiting = self._last_beat = None

    @property
    def is_following(self) -> bool:
        """True if the clock runs, as far as this process has started it or found it running."""
        return self._heartbeat is not None

    async def current_clock(self) -> ClockState:
        """The clock as of now."""
        return advance_clock((await self._writer.summary()).clock, self._writer.moment())

    @asynccontextmanager
    async def hold_clock(self, reason: str) -> AsyncIterator[None]:
        """Holds the clock while the block lasts. Inside another such block nothing changes."""
        if self._is_held:
            yield
            return
        self._is_held = True
        await self._writer.append_unless_ended(ClockHeld(reason=reason))
        try:
            yield
        finally:
            self._is_held = False
            await self._writer.append_unless_ended(ClockReleased(reason=reason))

    async def wait_for_time_limit(self) -> float:
        """Waits until the active time is used up; returns the limit in seconds. Never returns without a limit."""
        # The clock may be held or paused meanwhile, so what is left is checked again.
        while (left_s := self.remaining_s(await self.current_clock())) > 0 or self.grants_overtime:  # noqa: ASYNC110
            await asyncio.sleep(max(left_s, _POLL_S))
        return self._limit_s

    def remaining_s(self, clock: ClockState) -> float:
        """Active time left at a reading, in seconds; below zero once it is used up, infinite without a limit."""
        return self._limit_s - (clock.active_s - self.unrecorded_wait_s() - self.limited_from_s)

    async def record_suspension_if_any(self) -> None:
        """While the clock runs: notes a suspension if wall and monotonic time have parted since the last beat."""
        last_beat, moment = self._last_beat, self._writer.moment()
        if last_beat is None:
            return
        self._last_beat = moment
        wall_s = (moment.wall - last_beat.wall).total_seconds()
        mono_s = (moment.mono_ns - last_beat.mono_ns) / 1e9
        if abs(wall_s - mono_s) >= _SUSPENDED_S:
            await self._writer.append_unless_ended(Suspended(wall_s=wall_s, mono_s=mono_s))

    async def _record_heartbeats(self) -> None:
        while True:
            await asyncio.sleep(HEARTBEAT_S)
            await self.record_suspension_if_any()
            await self._writer.append_unless_ended(Tick())

    async def _watch_limit(self, on_limit: Callable[[float], Awaitable[None]]) -> None:
        limit_s = await self.wait_for_time_limit()
        # From here on this task ends the attempt; leaving the clock must not stop it.
        self._limiting = None
        await on_limit(limit_s)
