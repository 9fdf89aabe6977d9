"""Replays of attempts for pages: read from the log once, kept while they are looked at."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from benchwright_attempts.events.evidence import Recording
from benchwright_attempts.log.log import EventLog
from benchwright_service.courses.playback import Playback, read_playback
from benchwright_service.courses.progress import AttemptLine, RunLine
from benchwright_verilog.syntax.keywords import RESERVED

_MOST_BYTES = 256 << 20
"""Of all replays that are kept, about; one is always kept."""
_KEYWORDS = sorted(RESERVED)


class Replays:
    """Makes and keeps them.

    Args:
        log: The service's.
    """

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._playbacks: OrderedDict[tuple[str, int], Playback] = OrderedDict()
        # One at a time: each keeps a core busy.
        self._turn = asyncio.Lock()

    async def playback(self, attempt: str, event_count: int) -> Playback:
        """An attempt up to an event of it.

        Raises:
            LogError: The log can't be read.
            PlaybackError: An event is none.
        """
        async with self._turn:
            return await self._kept_playback(attempt, event_count)

    async def find_chunk(self, attempt: str, event_count: int, chunk_index: int) -> bytes | None:
        """A chunk of its text, JSON with gzip; None if it has no such chunk.

        Raises:
            LogError: The log can't be read.
            PlaybackError: An event is none.
        """
        async with self._turn:
            playback = await self._kept_playback(attempt, event_count)
            return await asyncio.to_thread(playback.find_chunk, chunk_index)

    async def changed_files_at_end(self, attempt: str, event_count: int) -> Mapping[str, str]:
        """The files that differ from the start, at the end.

        Raises:
            LogError: The log can't be read.
            PlaybackError: An event is none.
        """
        async with self._turn:
            playback = await self._kept_playback(attempt, event_count)
            return await asyncio.to_thread(playback.changed_files_at_end)

    def forget_attempts(self, attempts: Collection[str]) -> None:
        """Drops the replays of attempts whose recording was deleted."""
        for playback_key in [key for key in self._playbacks if key[0] in attempts]:
            del self._playbacks[playback_key]

    async def replay_page_data(self, attempt_line: AttemptLine) -> dict[str, Any]:
        """Returns the data that a page needs before it has any text, as JSON.

        Raises:
            LogError: The log can't be read.
            PlaybackError: An event is none.
        """
        playback = await self.playback(attempt_line.id, attempt_line.event_count)
        return {
            "events": playback.events,
            "steps": playback.steps,
            "duration": playback.duration_s,
            "paths": playback.paths,
            "chunks": [(bound.first_step, bound.at_s) for bound in playback.bounds],
            "marks": [asdict(mark) for mark in playback.marks],
            "leftOut": playback.left_out,
            "runs": _run_mark_rows(playback, attempt_line.runs, attempt_line.clock_difference_s),
            "hasText": attempt_line.recording is Recording.FULL,
            "keywords": _KEYWORDS,
        }

    async def _kept_playback(self, attempt: str, event_count: int) -> Playback:
        playback_key = attempt, event_count
        playback = self._playbacks.get(playback_key)
        if playback is None:
            playback = await asyncio.to_thread(
                lambda: read_playback(self._log.stored_events(attempt, limit=event_count))
            )
            self._playbacks[playback_key] = playback
        self._playbacks.move_to_end(playback_key)
        while (
            len(self._playbacks) > 1
            and sum(kept_playback.approximate_bytes for kept_playback in self._playbacks.values()) > _MOST_BYTES
        ):
            self._playbacks.popitem(last=False)
        return playback


def _run_mark_rows(playback: Playback, run_lines: Sequence[RunLine], clock_difference_s: float) -> list[dict[str, Any]]:
    """Runs in time, with the verdicts that count at the service."""
    plain_runs = []
    for run_line in run_lines:
        step, at_s = playback.run_steps.get(run_line.number) or playback.step_and_time_at(
            run_line.queued.timestamp() - clock_difference_s
        )
        verdict = run_line.verdict
        tests = verdict.tests if verdict is not None else ()
        plain_runs.append(
            {
                "number": run_line.number,
                "step": step,
                "at_s": at_s,
                "outcome": verdict.outcome.value if verdict is not None else "none",
                "word": run_line.standing.value,
                "passed": sum(test.passed for test in tests),
                "of": len(tests),
                "detail": verdict.detail if verdict is not None else "",
            }
        )
    return plain_runs
