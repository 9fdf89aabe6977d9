"""How long an attempt took: pure functions from events to a clock.

Active time is counted with monotonic clocks only, and those compare only within one process.
So a stretch of time counts as far as one process saw both its ends. What lies between the
last event of a process that died and the first of the one that took over is not counted, and
setting the computer's clock changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from benchwright_attempts.errors import IllegalTransitionError
from benchwright_attempts.record import Moment, RecordedEvent


class AttemptState(StrEnum):
    """Where an attempt stands. `open` means opened, clock not started yet."""

    OPEN = "open"
    RUNNING = "running"
    PAUSED = "paused"
    SUBMITTED = "submitted"
    ABANDONED = "abandoned"
    TIMED_OUT = "timed_out"

    @property
    def ended(self) -> bool:
        """Whether nothing can happen any more."""
        return self in (AttemptState.SUBMITTED, AttemptState.ABANDONED, AttemptState.TIMED_OUT)


_STEPS: Mapping[str, Mapping[AttemptState, AttemptState]] = {
    "opened": {},
    "started": {AttemptState.OPEN: AttemptState.RUNNING},
    "paused": {AttemptState.RUNNING: AttemptState.PAUSED},
    "resumed": {AttemptState.PAUSED: AttemptState.RUNNING},
    "interrupted": {AttemptState.RUNNING: AttemptState.RUNNING},
    # A judge may take until long after the end; it changes no state.
    "judged": {state: state for state in AttemptState if state is not AttemptState.OPEN},
    # What is asked once the work is handed in, and what a provider's bill says.
    "self_estimate": {state: state for state in AttemptState},
    "model_usage": {state: state for state in AttemptState},
    "clock_held": {AttemptState.RUNNING: AttemptState.RUNNING},
    # The pause or the end that came meanwhile has let go of the clock already.
    "clock_released": {AttemptState.RUNNING: AttemptState.RUNNING, AttemptState.PAUSED: AttemptState.PAUSED},
    "timed_out": {
        AttemptState.RUNNING: AttemptState.TIMED_OUT,
        AttemptState.PAUSED: AttemptState.TIMED_OUT,
    },
    "submitted": {
        AttemptState.RUNNING: AttemptState.SUBMITTED,
        AttemptState.PAUSED: AttemptState.SUBMITTED,
    },
    "abandoned": {
        AttemptState.OPEN: AttemptState.ABANDONED,
        AttemptState.RUNNING: AttemptState.ABANDONED,
        AttemptState.PAUSED: AttemptState.ABANDONED,
    },
}

_LETS_GO = frozenset({"clock_released", "interrupted", "paused", "submitted", "abandoned", "timed_out"})
"""Steps after which nothing holds the clock any more. Who takes over knows nothing of a run that died."""

_ADVICE: Mapping[AttemptState, str] = {
    AttemptState.OPEN: "The clock of this attempt has not been started yet. Press Start first.",
    AttemptState.RUNNING: "The clock of this attempt is already running.",
    AttemptState.PAUSED: "The clock of this attempt is paused. Press Resume to go on.",
    AttemptState.SUBMITTED: "This attempt was submitted. Open the problem again to begin a new one.",
    AttemptState.ABANDONED: "This attempt was abandoned. Open the problem again to begin a new one.",
    AttemptState.TIMED_OUT: "The time for this attempt is over. Open the problem again to begin a new one.",
}


def next_state(state: AttemptState, step: str) -> AttemptState:
    """The state after an event of type `step`.

    Raises:
        IllegalTransitionError: The state does not allow it.
    """
    if not state.ended and step not in _STEPS:
        return state
    try:
        return _STEPS[step][state]
    except KeyError:
        raise IllegalTransitionError(state, step, _ADVICE[state]) from None


@dataclass(frozen=True, slots=True)
class _Mark:
    mono_ns: int
    at_ns: int


@dataclass(frozen=True, slots=True)
class ClockState:
    """The clock of an attempt at its newest event."""

    state: AttemptState = AttemptState.OPEN
    held: bool = False
    """Whether a run or a judge holds the clock, as the study wants it."""
    active_ns: int = 0
    started: datetime | None = None
    """Wall time of the first start."""
    newest: datetime | None = None
    """Wall time of the newest event."""
    at_ns: int = 0
    """Where the newest event lies on the attempt's own time line, on which marks are set."""
    marks: Mapping[str, _Mark] = field(default_factory=dict)
    """The newest event of each process."""

    @property
    def is_counting(self) -> bool:
        """Whether time that passes now counts."""
        return self.state is AttemptState.RUNNING and not self.held

    @property
    def active_s(self) -> float:
        """Seconds the clock ran."""
        return self.active_ns / 1e9

    @property
    def elapsed_s(self) -> float:
        """Wall seconds from the first start to the newest event, never less than the active ones."""
        if self.started is None or self.newest is None:
            return 0.0
        return max(self.active_s, (self.newest - self.started).total_seconds())


def advance(clock: ClockState, now: Moment) -> ClockState:
    """Lets time pass up to a moment without anything happening; for a live display."""
    if clock.state.ended:
        return clock
    mark = clock.marks.get(now.process)
    # Two windows may write to one attempt: each tells how late it is by its own clock, the latest counts.
    seen = mark.at_ns + max(0, now.mono_ns - mark.mono_ns) if mark else clock.at_ns
    at_ns = max(clock.at_ns, seen)
    passed = at_ns - clock.at_ns if clock.is_counting else 0
    return replace(
        clock,
        active_ns=clock.active_ns + passed,
        newest=now.wall,
        at_ns=at_ns,
        marks={**clock.marks, now.process: _Mark(now.mono_ns, at_ns)},
    )


def tell(clock: ClockState, recorded: RecordedEvent) -> ClockState:
    """The clock after one more event."""
    clock = advance(clock, recorded.moment)
    step = recorded.event.type
    if step == "opened":
        return clock
    started = recorded.moment.wall if step == "started" else clock.started
    held = step == "clock_held" or (clock.held and step not in _LETS_GO)
    return replace(clock, state=next_state(clock.state, step), started=started, held=held)


def read_clock(events: Iterable[RecordedEvent]) -> ClockState:
    """The clock after all events of an attempt."""
    clock = ClockState()
    for recorded in events:
        clock = tell(clock, recorded)
    return clock
