"""An attempt on a time line: when each event was, when the clock was paused, when runs went on, and active time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from benchwright_attempts.clock import AttemptState, ClockState, tell
from benchwright_attempts.events import Answered, Focus, Paused, RunCancelled, RunFinished, RunStarted
from benchwright_attempts.record import RecordedEvent

THRESHOLDS_S = (60.0, 120.0, 300.0)
"""From how long a gap on time does not count as active; the main analysis states one, all three are reported."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of an attempt, in seconds from its opening by monotonic clocks."""

    from_s: float
    to_s: float
    what: str
    """Why it was paused, or what came out of the run."""


@dataclass(frozen=True, slots=True)
class TimeLine:
    """When everything was."""

    at_s: Mapping[int, float]
    """Number of an event → seconds from the opening."""
    pauses: Sequence[Stretch]
    runs: Sequence[Stretch]
    duration_s: float


def time_line(events: Iterable[RecordedEvent]) -> TimeLine:
    """Places the events of one attempt on its own time line, on which two processes' clocks are joined."""
    clock = ClockState()
    at_s: dict[int, float] = {}
    pauses: list[Stretch] = []
    runs: list[Stretch] = []
    paused: tuple[float, str] | None = None
    running: dict[str, float] = {}
    now = 0.0
    for recorded in events:
        before = clock.state
        clock = tell(clock, recorded)
        now = at_s[recorded.seq] = clock.at_ns / 1e9
        match recorded.event:
            case Paused() as event:
                paused = (now, event.reason or "")
            case RunStarted() as event:
                running[event.run] = now
            case RunFinished() as event:
                runs.append(Stretch(running.pop(event.run, now), now, event.outcome.value))
            case RunCancelled() as event:
                runs.append(Stretch(running.pop(event.run, now), now, "cancelled"))
            case Answered() as event:
                runs.append(Stretch(max(0.0, now - event.wall_s), now, event.outcome.value))
            case _:
                pass
        if paused is not None and before is AttemptState.PAUSED and clock.state is not AttemptState.PAUSED:
            pauses.append(Stretch(paused[0], now, paused[1]))
            paused = None
    if paused is not None:
        pauses.append(Stretch(paused[0], now, paused[1]))
    # A run that died with its process has no end in the log.
    runs.extend(Stretch(begun, now, "cancelled") for begun in running.values())
    return TimeLine(at_s, tuple(pauses), tuple(runs), now)


@dataclass(frozen=True, slots=True)
class ActiveTime:
    """How long the solver was at it."""

    running_s: float
    """Time the clock ran."""
    active_s: Mapping[float, float]
    """Threshold in seconds → time the clock ran, of each gap without activity no more than the threshold."""
    unfocused_s: float
    """Time the clock ran while another window had the keyboard."""


BY_THE_SOLVER = frozenset(
    {
        "started",
        "paused",
        "resumed",
        "edit",
        "edit_shape",
        "activity",
        "text",
        "save",
        "run_started",
        "answered",
        "focus",
        "command",
        "assist_accepted",
        "assist_rejected",
        "submitted",
        "abandoned",
    }
)
"""Events that somebody at the keyboard causes. Heartbeats, verdicts and lint are no activity."""


def active_time(events: Iterable[RecordedEvent], thresholds_s: Sequence[float] = THRESHOLDS_S) -> ActiveTime:
    """Derives active time from what was recorded.

    While the clock runs, time between two activities counts as far as it is not longer than the threshold: of a
    longer gap the threshold counts, as thinking follows what one sees. What lies before the first activity, and
    between the last one and the end, are gaps too.
    """
    clock = ClockState()
    newest = 0.0
    totals = dict.fromkeys(thresholds_s, 0.0)
    focused = True
    unfocused_s = 0.0
    for recorded in events:
        before = clock.active_s
        clock = tell(clock, recorded)
        if not focused:
            unfocused_s += clock.active_s - before
        if isinstance(recorded.event, Focus):
            focused = recorded.event.focused
        if recorded.event.type in BY_THE_SOLVER:
            _count(totals, clock.active_s - newest)
            newest = clock.active_s
    _count(totals, clock.active_s - newest)
    return ActiveTime(clock.active_s, totals, unfocused_s)


def _count(totals: dict[float, float], gap_s: float) -> None:
    for threshold in totals:
        totals[threshold] += min(gap_s, threshold)
