"""The hints of an attempt: one after the other, each recorded before it is shown."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Never

from benchwright_attempts.clock.clock import advance_clock
from benchwright_attempts.errors import AidRefusedError
from benchwright_attempts.events.events import AidUsed
from benchwright_attempts.events.evidence import Recording
from benchwright_problems.aids import Aid

if TYPE_CHECKING:
    # The database library takes a third of a second to import: nobody pays before a log is needed.
    from benchwright_attempts.engine import Attempt
    from benchwright_attempts.log.log import EventLog
    from benchwright_attempts.log.record import AttemptHeader
    from benchwright_attempts.services import Services
    from benchwright_problems.problem import Problem

FEATURE = "hint"
"""Name of the feature in `AidUsed`."""


@dataclass(frozen=True, slots=True)
class TakenHint:
    """A hint that the solver has."""

    number: int
    """From 1."""
    text: str
    cost: float
    """Share of the problem's points."""


@dataclass(frozen=True, slots=True)
class NextHint:
    """The hint that comes next, without its text."""

    number: int
    cost: float
    price: str
    """The cost, in words."""
    waits_for: str
    """Condition that is missing before it may be taken, in words; empty if nothing is."""


@dataclass(frozen=True, slots=True)
class HintPosition:
    """Position of an attempt on the ladder."""

    hint_count: int
    """Number of hints the problem has."""
    taken: tuple[TakenHint, ...]
    next: NextHint | None
    """None after the last, and once the attempt has ended."""


class HintLadder:
    """Shows the hints that were taken, and takes the next.

    Args:
        services: Services of the process.
        header: The attempt.
        problem: Its problem, without the hidden part.
        attempt: Says whether hints are allowed, and records.
    """

    def __init__(self, services: Services[EventLog], header: AttemptHeader, problem: Problem, attempt: Attempt) -> None:
        self._services = services
        self._header = header
        self._rules = problem.public.hints
        self._attempt = attempt
        self._taking = asyncio.Lock()
        self._texts: dict[int, str] = {}

    @property
    def is_available(self) -> bool:
        """True if the problem has hints, and the attempt's record can have which were taken."""
        return bool(self._rules) and self._header.recording is not Recording.TIMING

    async def current_position(self) -> HintPosition:
        """The hints that were taken, and what is next.

        Raises:
            AidRefusedError: The attempt does not allow hints, or not now.
            ProblemsError: The hidden part can't be read.
        """
        goes_on = await self._refuse_or_must_record()
        return await self._position_after(await self._taken_count(), has_next=goes_on)

    async def take_hint(self, hint_number: int | None = None) -> HintPosition:
        """Takes the next hint; once this returns, that is on disk.

        Args:
            hint_number: The one that is meant, so that asking twice takes one. None for the next.

        Raises:
            AidRefusedError: The attempt does not allow hints, there is none left, or it is not available yet.
            ProblemsError: The hidden part can't be read.
        """
        async with self._taking:
            if not await self._refuse_or_must_record():
                raise AidRefusedError("This attempt has ended: no more hints can be taken in it.")
            taken_count = await self._taken_count()
            next_hint = await self._next_hint_after(taken_count)
            if hint_number is not None and hint_number != taken_count + 1:
                return (
                    await self._position_after(taken_count)
                    if 1 <= hint_number <= taken_count
                    else _raise_aid_refused(f"Hint {taken_count + 1} comes next.")
                )
            if next_hint is None:
                _raise_aid_refused(f"There are no more hints: you have all {taken_count}.")
            if next_hint.waits_for:
                _raise_aid_refused(f"Hint {next_hint.number} can be taken after {next_hint.waits_for}.")
            # A hint that can't be read costs nothing.
            await self._hint_text(next_hint.number)
            aid_use = AidUsed(aid=Aid.HINTS, feature=FEATURE, detail=str(next_hint.number), cost=next_hint.cost)
            await self._attempt.record_aid_use(aid_use)
            return await self._position_after(taken_count + 1)

    async def _refuse_or_must_record(self) -> bool:
        goes_on = await self._attempt.refuse_aid_or_must_record(Aid.HINTS)
        if not self._rules:
            _raise_aid_refused("This problem has no hints.")
        if not self.is_available:
            _raise_aid_refused("The record of this attempt keeps times alone, so it has no hints.")
        return goes_on

    async def _taken_count(self) -> int:
        await self._services.log.wait_until_settled()
        events = await asyncio.to_thread(self._services.log.events, self._header.id)
        aid_uses = [recorded_event.event for recorded_event in events if isinstance(recorded_event.event, AidUsed)]
        count = sum(event.aid == Aid.HINTS and event.feature == FEATURE for event in aid_uses)
        return min(count, len(self._rules))

    async def _position_after(self, taken_count: int, *, has_next: bool = True) -> HintPosition:
        taken_hints = [
            TakenHint(number, await self._hint_text(number), self._rules[number - 1].cost)
            for number in range(1, taken_count + 1)
        ]
        return HintPosition(
            len(self._rules), tuple(taken_hints), await self._next_hint_after(taken_count) if has_next else None
        )

    async def _next_hint_after(self, taken_count: int) -> NextHint | None:
        if taken_count == len(self._rules):
            return None
        rule, summary = self._rules[taken_count], await self._attempt.writer.summary()
        active_s = advance_clock(summary.clock, self._attempt.writer.moment()).active_s
        return NextHint(
            taken_count + 1, rule.cost, rule.cost_phrase, rule.missing_condition(summary.verdict_count, active_s)
        )

    async def _hint_text(self, hint_number: int) -> str:
        if hint_number not in self._texts:
            hint_request = self._services.grading.hint_text(self._header.problem, hint_number, attempt=self._header.id)
            self._texts[hint_number] = await hint_request
        return self._texts[hint_number]


def _raise_aid_refused(message: str) -> Never:
    raise AidRefusedError(message)
