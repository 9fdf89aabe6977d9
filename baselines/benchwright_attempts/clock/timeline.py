"""The time line of an attempt: when each event was, pauses, runs, and time at work."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from benchwright_attempts.clock.clock import AttemptClock, AttemptState, excluded_s
from benchwright_attempts.events.events import (
    Answered,
    Judged,
    Paused,
    Regraded,
    RunCancelled,
    RunFinished,
    RunStarted,
)
from benchwright_attempts.log.record import RecordedEvent
from benchwright_problems.verdict import Outcome, present_outcome_of_recorded

THRESHOLDS_S = (60.0, 120.0, 300.0)
"""Gaps count as active time up to these lengths; the main analysis states one, and all three are reported."""
MAIN_THRESHOLD_S = 120.0
"""The one of them that counts if nothing else is said."""
_NS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of an attempt, in seconds since its opening by monotonic clocks."""

    from_s: float
    to_s: float
    what: str
    """Reason of a pause, or outcome of a run; `cancelled` of one without a verdict."""
    run: int | None = None
    """Number of the run; None for a pause."""
    reason: str = ""
    """Reason of a run's verdict, or why it was cancelled."""


@dataclass(frozen=True, slots=True)
class TimeLine:
    """Times of all events."""

    at_s: Mapping[int, float]
    """Number of an event → seconds since the opening."""
    pauses: Sequence[Stretch]
    runs: Sequence[Stretch]
    duration_s: float


def time_line(events: Iterable[RecordedEvent]) -> TimeLine:
    """Puts the events of one attempt on one time line, on which the clocks of several processes are joined."""
    clock = AttemptClock()
    at_s: dict[int, float] = {}
    pauses: list[Stretch] = []
    runs: list[Stretch] = []
    paused: tuple[float, str] | None = None
    run_starts: dict[str, tuple[float, int]] = {}
    now_s = 0.0
    for recorded in events:
        old_state = clock.state
        clock.follow_event(
            recorded.event.type, recorded.moment.mono_ns, recorded.moment.process, excluded_s(recorded.event)
        )
        now_s = at_s[recorded.seq] = clock.at_ns / _NS
        match recorded.event:
            case Paused() as event:
                paused = (now_s, event.reason or "")
            case RunStarted() as event:
                run_starts[event.run] = now_s, event.number
            case RunFinished() as event:
                begun_s, _ = run_starts.pop(event.run, (now_s, 0))
                runs.append(_run_stretch(begun_s, now_s, event))
            case RunCancelled() as event:
                begun_s, _ = run_starts.pop(event.run, (now_s, 0))
                runs.append(Stretch(begun_s, now_s, "cancelled", event.number, event.reason))
            case Answered() as event:
                runs.append(_run_stretch(max(0.0, now_s - event.wall_s), now_s, event))
            case Judged() | Regraded() as event:
                runs = [_stretch_after_late_verdict(stretch, event) for stretch in runs]
            case _:
                pass
        if paused is not None and old_state is AttemptState.PAUSED and clock.state is not AttemptState.PAUSED:
            pauses.append(Stretch(paused[0], now_s, paused[1]))
            paused = None
    if paused is not None:
        pauses.append(Stretch(paused[0], now_s, paused[1]))
    # A run that died with its process has no end in the log.
    runs.extend(Stretch(begun_s, now_s, "cancelled", number) for begun_s, number in run_starts.values())
    return TimeLine(at_s, tuple(pauses), tuple(runs), now_s)


def _run_stretch(from_s: float, to_s: float, event: RunFinished | Answered) -> Stretch:
    return Stretch(
        from_s, to_s, present_outcome_of_recorded(event.reason, event.outcome).value, event.number, event.reason
    )


def _stretch_after_late_verdict(stretch: Stretch, event: Judged | Regraded) -> Stretch:
    """A run after a verdict that came later: of the same number, and if the run's was undecided or is replaced."""
    if stretch.run != event.number or not (event.replaces or stretch.what == Outcome.ERROR.value):
        return stretch
    return replace(stretch, what=present_outcome_of_recorded(event.reason, event.outcome).value, reason=event.reason)


class TimeAtWork:
    """Active time, step by step, in nanoseconds of an attempt's clock.

    Of a gap between two activities, as much counts as the threshold allows: thinking follows what one sees. The time
    before the first activity and the time between the last one and the end are gaps too.

    Args:
        idle_thresholds_s: Parts of a gap that count, in seconds.
    """

    __slots__ = ("_counted", "_in_full", "_newest_ns", "_shortest", "_thresholds", "focused", "unfocused_ns")

    def __init__(self, idle_thresholds_s: Sequence[float]) -> None:
        self._thresholds = tuple(round(threshold_s * _NS) for threshold_s in idle_thresholds_s)
        self._shortest = min(self._thresholds)
        self._in_full = 0
        """Gaps that count in full for every threshold; most do."""
        self._counted = [0] * len(self._thresholds)
        """Of the longer gaps, what each threshold lets count."""
        self._newest_ns = 0
        self.focused = True
        """True if the editor's window has focus."""
        self.unfocused_ns = 0
        """Time that passed without focus; whoever lets time pass adds it."""

    def add_activity(self, clock_ns: int) -> None:
        """The solver did something, or the attempt ended, at this time of the clock."""
        gap = clock_ns - self._newest_ns
        if gap <= self._shortest:
            self._in_full += gap
        else:
            for index, threshold in enumerate(self._thresholds):
                self._counted[index] += gap if gap < threshold else threshold
        self._newest_ns = clock_ns

    def active_ns(self, clock_ns: int, threshold_index: int) -> int:
        """Active time up to a time of the clock, by the threshold at this place in the list."""
        gap = min(clock_ns - self._newest_ns, self._thresholds[threshold_index])
        return self._in_full + self._counted[threshold_index] + gap
