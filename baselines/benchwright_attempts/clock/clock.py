"""Duration of an attempt: pure functions from events to a clock.

Active time is counted by monotonic clocks only, and those compare only within one process.
So time counts if one process saw both ends of it. The time between the last event of a
process that died and the first event of its successor is not counted, and setting the
computer's clock changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from benchwright_attempts.errors import IllegalTransitionError
from benchwright_attempts.events.event_body import EventBody
from benchwright_attempts.events.events import EVENT_TYPES
from benchwright_attempts.events.evidence import TimeExcluded
from benchwright_attempts.log.record import Moment, RecordedEvent
from benchwright_attempts.state import AttemptState

__all__ = [
    "AttemptClock",
    "AttemptState",
    "ClockMark",
    "ClockState",
    "advance_clock",
    "clock_after_event",
    "clock_after_events",
    "elapsed_s",
    "excluded_s",
    "next_state",
]

TIME_EXCLUDED = "time_excluded"
"""The type of events that set the clock back."""
_ADVICE: Mapping[AttemptState, str] = {
    AttemptState.OPEN: "The clock of this attempt has not been started yet. Press Start first.",
    AttemptState.RUNNING: "The clock of this attempt is already running.",
    AttemptState.PAUSED: "The clock of this attempt is paused. Press Resume to go on.",
    AttemptState.SUBMITTED: "This attempt was submitted. Open the problem again to begin a new one.",
    AttemptState.ABANDONED: "This attempt was abandoned. Open the problem again to begin a new one.",
    AttemptState.TIMED_OUT: "The time for this attempt is over. Open the problem again to begin a new one.",
}


def next_state(state: AttemptState, event_type: str) -> AttemptState:
    """The state after an event of type `event_type`.

    Raises:
        IllegalTransitionError: The state does not allow it.
    """
    transitions = EVENT_TYPES.transitions.get(event_type)
    if transitions is None and not state.ended:
        return state
    new_state = transitions.get(state) if transitions is not None else None
    if new_state is None:
        raise IllegalTransitionError(state, event_type, _ADVICE[state])
    return new_state


@dataclass(frozen=True, slots=True)
class ClockMark:
    """A process's newest event on two clocks."""

    mono_ns: int
    """By the monotonic clock of the process."""
    at_ns: int
    """On the attempt's own time line."""


class AttemptClock:
    """The clock of an attempt, step by step. It counts nanoseconds and changes in place, as logs have many events.

    Everything that needs an attempt's clock goes through `advance` and `follow_event`.
    """

    __slots__ = ("_marks", "_mono_ns", "_process", "active_ns", "at_ns", "has_ended", "held", "is_counting", "state")

    def __init__(self) -> None:
        self.state = AttemptState.OPEN
        self.held = False
        """True if a run or a judge holds the clock, as the study demands."""
        self.is_counting = False
        """True if time that passes counts."""
        self.has_ended = False
        """True if the attempt is over; its clock has stopped."""
        self.active_ns = 0
        """Time that counted."""
        self.at_ns = 0
        """Time since the opening, on the attempt's own time line."""
        self._marks: dict[str, tuple[int, int]] = {}
        """Process → its newest monotonic time, and where that is on the time line; the present process aside."""
        self._process, self._mono_ns = "", 0

    def advance(self, mono_ns: int, process: str) -> None:
        """Lets time pass up to a moment; of an attempt that has not ended."""
        if process != self._process:
            self._switch_process(mono_ns, process)
        passed_ns = mono_ns - self._mono_ns
        self._mono_ns = mono_ns
        if passed_ns > 0:
            self.at_ns += passed_ns
            if self.is_counting:
                self.active_ns += passed_ns

    def _switch_process(self, mono_ns: int, process: str) -> None:
        """Another process records: its time counts from its own newest event, if that is later than all others."""
        if self._process:
            self._marks[self._process] = (self._mono_ns, self.at_ns)
        mono, mark_ns = self._marks.get(process, (mono_ns, self.at_ns))
        seen_ns = mark_ns + max(0, mono_ns - mono)
        self._process, self._mono_ns = process, mono_ns - (seen_ns - self.at_ns)

    def change_state_by_event(self, event_type: str) -> None:
        """Changes state as an event of this type does, at the moment that `advance` came to.

        Raises:
            IllegalTransitionError: The state does not allow it.
        """
        self.state = next_state(self.state, event_type)
        self.held = event_type in EVENT_TYPES.holds_clock or (
            self.held and event_type not in EVENT_TYPES.releases_clock
        )
        self.is_counting = self.state is AttemptState.RUNNING and not self.held
        self.has_ended = self.state.ended

    def subtract_excluded_time(self, excluded_s: float) -> None:
        """Sets the clock back, by no more than it has counted."""
        self.active_ns = max(0, self.active_ns - round(excluded_s * 1e9))

    def follow_event(self, event_type: str, mono_ns: int, process: str, excluded_s: float = 0.0) -> None:
        """One event of a log, which holds no event that its state did not allow.

        Args:
            event_type: Its type.
            mono_ns: By the monotonic clock of its process.
            process: The process that recorded it.
            excluded_s: Seconds before it that do not count; only `TimeExcluded` has any.

        Raises:
            IllegalTransitionError: The log does hold one that changes the clock.
        """
        if not self.has_ended:
            self.advance(mono_ns, process)
            if excluded_s:
                self.subtract_excluded_time(excluded_s)
        if event_type in EVENT_TYPES.clock_changes:
            self.change_state_by_event(event_type)

    def continue_from_reading(self, clock_state: ClockState) -> None:
        """Continues from an earlier reading."""
        self.state, self.held, self.is_counting = clock_state.state, clock_state.held, clock_state.is_counting
        self.has_ended = clock_state.state.ended
        self.active_ns, self.at_ns = clock_state.active_ns, clock_state.at_ns
        self._marks = {process: (mark.mono_ns, mark.at_ns) for process, mark in clock_state.marks.items()}
        self._process = ""

    def marks(self) -> dict[str, ClockMark]:
        """Process → its newest event."""
        all_marks = self._marks | ({self._process: (self._mono_ns, self.at_ns)} if self._process else {})
        return {process: ClockMark(*mark) for process, mark in all_marks.items()}


@dataclass(frozen=True, slots=True)
class ClockState:
    """A reading of the clock of an attempt at its newest event."""

    state: AttemptState = AttemptState.OPEN
    held: bool = False
    """True if a run or a judge holds the clock, as the study demands."""
    active_ns: int = 0
    start_wall: datetime | None = None
    """Wall time of the first start."""
    newest_wall: datetime | None = None
    """Wall time of the newest event."""
    at_ns: int = 0
    """Position of the newest event on the attempt's own time line, in nanoseconds."""
    marks: Mapping[str, ClockMark] = field(default_factory=dict)
    """The newest event of each process."""

    @property
    def is_counting(self) -> bool:
        """True if time that passes counts."""
        return self.state is AttemptState.RUNNING and not self.held

    @property
    def active_s(self) -> float:
        """Seconds that the clock ran."""
        return self.active_ns / 1e9

    @property
    def elapsed_s(self) -> float:
        """Wall seconds from the first start to the newest event, never less than the active ones."""
        return elapsed_s(self.active_s, self.start_wall, self.newest_wall)


def elapsed_s(active_s: float, start_wall: datetime | None, newest_wall: datetime | None) -> float:
    """Wall seconds from the first start to the newest event before the end, never less than the active ones."""
    if start_wall is None or newest_wall is None:
        return 0.0
    return max(active_s, (newest_wall - start_wall).total_seconds())


def advance_clock(clock: ClockState, moment: Moment) -> ClockState:
    """Lets time pass up to a moment without an event; for a live display."""
    if clock.state.ended:
        return clock
    live_clock = AttemptClock()
    live_clock.continue_from_reading(clock)
    live_clock.advance(moment.mono_ns, moment.process)
    return replace(
        clock, active_ns=live_clock.active_ns, newest_wall=moment.wall, at_ns=live_clock.at_ns, marks=live_clock.marks()
    )


def excluded_s(event: EventBody | None) -> float:
    """Seconds before an event that do not count."""
    return event.excluded_s if isinstance(event, TimeExcluded) else 0.0


def clock_after_event(clock: ClockState, recorded_event: RecordedEvent) -> ClockState:
    """The reading after one more event."""
    clock = advance_clock(clock, recorded_event.moment)
    step = recorded_event.event.type
    if step == "opened":
        return clock
    live_clock = AttemptClock()
    live_clock.continue_from_reading(clock)
    if not clock.state.ended:
        live_clock.subtract_excluded_time(excluded_s(recorded_event.event))
    live_clock.change_state_by_event(step)
    start_wall = recorded_event.moment.wall if step == "started" else clock.start_wall
    return replace(
        clock, state=live_clock.state, held=live_clock.held, active_ns=live_clock.active_ns, start_wall=start_wall
    )


def clock_after_events(events: Iterable[RecordedEvent]) -> ClockState:
    """The reading after all events of an attempt."""
    clock = ClockState()
    for recorded in events:
        clock = clock_after_event(clock, recorded)
    return clock
