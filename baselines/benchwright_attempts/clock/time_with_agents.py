"""Division of a person's time with agents: working, supervising them, waiting for them, away."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from benchwright_attempts.clock.time_spent import WRITING_GAP_S

_NS = 1_000_000_000
Interval = tuple[int, int]
"""Begin and end on the attempt's clock, in nanoseconds."""


@dataclass(frozen=True, slots=True)
class TimeWithAgents:
    """Parts of the time on the clock of a person with agents, in seconds. Together they are all of it."""

    working_s: float
    """The person wrote or asked for something, up to ten seconds before that; or was there while no agent was active \
and no hidden tests ran."""
    supervising_s: float
    """The person was there while an agent was active, and did nothing else."""
    waiting_s: float
    """The person was not there while an agent was active or hidden tests ran, or was there while only these ran."""
    away_s: float
    """The person was not there, and nothing was going on."""


def divide_time_with_agents(
    person_acts_ns: Iterable[int],
    agent_acts_ns: Sequence[int],
    away_intervals: Iterable[Interval],
    run_intervals: Iterable[Interval],
    end_ns: int,
    *,
    idle_threshold_s: float,
) -> TimeWithAgents:
    """Divides the time on the clock.

    An agent is active between two of its acts; of a longer gap as much counts as the threshold allows, before the
    second act: it thinks before it does something. Agents that work in parallel are active once.

    Args:
        person_acts_ns: Times of the person's changes and requests.
        agent_acts_ns: Times of all agents' changes and requests, in order.
        away_intervals: Times without focus of the editor's window, or without input for a minute.
        run_intervals: Times in which hidden tests ran.
        end_ns: Time at the end.
        idle_threshold_s: Longest part of a gap between two acts of agents that counts, in seconds.
    """
    everything = [(0, end_ns)] if end_ns > 0 else []
    threshold_ns, reach_ns = round(idle_threshold_s * _NS), round(WRITING_GAP_S * _NS)
    active = _union((max(previous_act, act - threshold_ns), act) for previous_act, act in pairwise(agent_acts_ns))
    testing = _union(run_intervals)
    present = _difference(everything, _union(away_intervals))
    acting = _intersection(everything, _union((max(0, act - reach_ns), act) for act in person_acts_ns))
    going_on = _union([*active, *testing])
    working = _union([*acting, *_difference(present, going_on)])
    supervising = _difference(_intersection(present, active), working)
    waiting = _difference(_difference(_intersection(everything, going_on), supervising), working)
    working_ns, supervising_ns, waiting_ns = (
        _total_length_ns(intervals) for intervals in (working, supervising, waiting)
    )
    away_ns = _total_length_ns(everything) - working_ns - supervising_ns - waiting_ns
    return TimeWithAgents(working_ns / _NS, supervising_ns / _NS, waiting_ns / _NS, away_ns / _NS)


def _union(intervals: Iterable[Interval]) -> list[Interval]:
    merged: list[Interval] = []
    for begin, end in sorted(interval for interval in intervals if interval[0] < interval[1]):
        if merged and begin <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((begin, end))
    return merged


def _intersection(intervals: Sequence[Interval], other_intervals: Sequence[Interval]) -> list[Interval]:
    common: list[Interval] = []
    index = 0
    for begin, end in intervals:
        while index < len(other_intervals) and other_intervals[index][1] <= begin:
            index += 1
        overlapping = index
        while overlapping < len(other_intervals) and other_intervals[overlapping][0] < end:
            other_begin, other_end = other_intervals[overlapping]
            common.append((max(begin, other_begin), min(end, other_end)))
            overlapping += 1
    return common


def _difference(intervals: Sequence[Interval], removed: Sequence[Interval]) -> list[Interval]:
    remainder: list[Interval] = []
    for begin, end in intervals:
        for removed_begin, removed_end in _intersection([(begin, end)], removed):
            if begin < removed_begin:
                remainder.append((begin, removed_begin))
            begin = removed_end
        if begin < end:
            remainder.append((begin, end))
    return remainder


def _total_length_ns(intervals: Iterable[Interval]) -> int:
    return sum(end - begin for begin, end in intervals)


class PresenceFold:
    """Takes the events that say when a person was away and when hidden tests ran, in order."""

    def __init__(self) -> None:
        self._lost_focus_ns: int | None = None
        self._idle_ns: int | None = None
        self._away: list[Interval] = []
        self._run_starts: dict[str, int] = {}
        self._runs: list[Interval] = []

    def add_focus_change(self, clock_ns: int, *, is_focused: bool) -> None:
        """The editor's window gained or lost focus."""
        if is_focused and self._lost_focus_ns is not None:
            self._away.append((self._lost_focus_ns, clock_ns))
        self._lost_focus_ns = None if is_focused else self._lost_focus_ns or clock_ns

    def add_idle_change(self, clock_ns: int, idle_for_s: float, *, is_idle: bool) -> None:
        """The person became idle some seconds ago, or active again."""
        if is_idle:
            self._idle_ns = max(0, clock_ns - round(idle_for_s * _NS))
        elif self._idle_ns is not None:
            self._away.append((self._idle_ns, clock_ns))
            self._idle_ns = None

    def add_run_start(self, clock_ns: int, run_id: str) -> None:
        """Hidden tests began to run."""
        self._run_starts[run_id] = clock_ns

    def add_run_end(self, clock_ns: int, run_id: str) -> None:
        """They ended."""
        if run_id in self._run_starts:
            self._runs.append((self._run_starts.pop(run_id), clock_ns))

    def away_intervals_until(self, end_ns: int) -> list[Interval]:
        """Times in which the person was away."""
        still_away = [begin for begin in (self._lost_focus_ns, self._idle_ns) if begin is not None]
        return [*self._away, *((begin, end_ns) for begin in still_away)]

    def run_intervals_until(self, end_ns: int) -> list[Interval]:
        """Times in which hidden tests ran."""
        return [*self._runs, *((begin, end_ns) for begin in self._run_starts.values())]
