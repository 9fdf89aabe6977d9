"""What each condition and each model came to: the numbers that a report's answer is made of."""

from __future__ import annotations

from dataclasses import dataclass

from benchwright_analysis.report.sections.time_compared import ComparisonLimit, TimeComparison
from benchwright_analysis.statistics.crossed import CrossedEstimate
from benchwright_attempts.clock.time_source import TimeSource


@dataclass(frozen=True)
class GroupResult:
    """One condition, or one model."""

    group: str
    attempts: int
    people: int
    problems: int
    solved: CrossedEstimate
    solved_difference: CrossedEstimate | None
    """Against the first condition, as a share; `None` for the first one, or where it can't be compared."""
    minutes: CrossedEstimate | None
    """Mean up to the limit; `None` for models, and where no clock ran."""
    time: TimeComparison | None
    """Against the first condition of people."""


@dataclass(frozen=True)
class MainResult:
    """All conditions, the baseline first."""

    rows: tuple[GroupResult, ...]
    limit: ComparisonLimit | None
    """Up to when times are averaged; `None` if there are none."""
    time_source: TimeSource = TimeSource.CLOCK
    """Where the times come from."""
    left_out: tuple[str, ...] = ()
    """Which attempts of people are in no time, and why, as sentences."""
    scope: str = ""
    """What intervals hold for besides other people at other problems, as sentences."""
