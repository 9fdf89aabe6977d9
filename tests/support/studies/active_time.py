"""Active time of an attempt, from all its events at once: what a report's single pass has to come to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from benchwright_attempts.clock.clock import AttemptClock, excluded_s
from benchwright_attempts.clock.timeline import THRESHOLDS_S, TimeAtWork
from benchwright_attempts.events.events import EVENT_TYPES, Focus
from benchwright_attempts.log.record import RecordedEvent

_NS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class ActiveTime:
    """Time for which the solver worked."""

    running_s: float
    """Time that the clock ran."""
    active_s: Mapping[float, float]
    """Threshold in seconds → time that the clock ran, of which each gap without activity counts up to the threshold."""
    unfocused_s: float
    """Time that the clock ran while another window had focus."""


def active_time(events: Iterable[RecordedEvent], thresholds_s: Sequence[float] = THRESHOLDS_S) -> ActiveTime:
    """Derives active time from an attempt's events."""
    clock, time_at_work = AttemptClock(), TimeAtWork(thresholds_s)
    for recorded in events:
        active_before, step = clock.active_ns, recorded.event.type
        clock.follow_event(step, recorded.moment.mono_ns, recorded.moment.process, excluded_s(recorded.event))
        if not time_at_work.focused:
            time_at_work.unfocused_ns += clock.active_ns - active_before
        if isinstance(recorded.event, Focus):
            time_at_work.focused = recorded.event.focused
        if step in EVENT_TYPES.activity:
            time_at_work.add_activity(clock.active_ns)
    total_ns = clock.active_ns
    active_s = {
        threshold: time_at_work.active_ns(total_ns, index) / _NS for index, threshold in enumerate(thresholds_s)
    }
    return ActiveTime(total_ns / _NS, active_s, time_at_work.unfocused_ns / _NS)
