"""Division of the time of an attempt: writing, waiting for hidden tests, reading and thinking."""

from __future__ import annotations

from dataclasses import dataclass

WRITING_GAP_S = 10.0
"""Of the time before an edit, as much is writing; what is before that is reading or waiting."""
_NS = 1_000_000_000
_EDITS = frozenset({"edit", "edit_shape", "text"})
_BEGIN = "run_started"
_END = frozenset({"run_finished", "run_cancelled"})


@dataclass(frozen=True, slots=True)
class ActiveTime:
    """Parts of the active time, in seconds."""

    writing_s: float = 0.0
    waiting_s: float = 0.0
    """While hidden tests ran, and nothing was written."""
    reading_s: float = 0.0
    """The rest: the statement, code and results were read, or the solver thought."""


class ActiveTimeFold:
    """Divides active time step by step, as `TimeAtWork` counts it.

    Args:
        idle_threshold_s: Part of a gap without activity that counts, in seconds.
    """

    __slots__ = ("_begun_ns", "_newest_ns", "_reading_ns", "_threshold", "_waited", "_waiting_ns", "_writing_ns")

    def __init__(self, idle_threshold_s: float) -> None:
        self._threshold = round(idle_threshold_s * _NS)
        self._newest_ns = 0
        self._begun_ns: int | None = None
        """Begin of the run that has not ended, or the newest activity after that."""
        self._waited = 0
        """Time of runs since the newest activity."""
        self._writing_ns = self._waiting_ns = self._reading_ns = 0

    def take_event(self, event_type: str, clock_ns: int, *, is_activity: bool) -> None:
        """Takes one event at a time of the attempt's clock."""
        if is_activity:
            self._divide_gap_before_activity(event_type in _EDITS, clock_ns)
        if event_type == _BEGIN:
            self._begun_ns = clock_ns
        elif event_type in _END and self._begun_ns is not None:
            self._waited += clock_ns - self._begun_ns
            self._begun_ns = None

    def active_time_until(self, clock_ns: int) -> ActiveTime:
        """All up to a time of the attempt's clock."""
        self._divide_gap_before_activity(False, clock_ns)
        return ActiveTime(self._writing_ns / _NS, self._waiting_ns / _NS, self._reading_ns / _NS)

    def _divide_gap_before_activity(self, is_edit: bool, clock_ns: int) -> None:
        if self._begun_ns is not None:
            self._waited += clock_ns - self._begun_ns
            self._begun_ns = clock_ns
        rest_ns = min(clock_ns - self._newest_ns, self._threshold)
        writing_ns = min(rest_ns, round(WRITING_GAP_S * _NS)) if is_edit else 0
        waiting_ns = min(rest_ns - writing_ns, self._waited)
        self._writing_ns += writing_ns
        self._waiting_ns += waiting_ns
        self._reading_ns += rest_ns - writing_ns - waiting_ns
        self._newest_ns, self._waited = clock_ns, 0
