"""Time to the first pass, where some never pass: they count for as long as they were watched.

An attempt that was given up or timed out is *censored*: all that is known is that its time is longer. Leaving such
attempts out, or taking their time for a time to pass, makes the slow look fast.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from benchwright_analysis.statistics.columns import (
    Flags,
    Numbers,
    common_column_length,
    finite_number_column,
    flag_column,
    time_and_pass_columns,
)
from benchwright_analysis.statistics.crossed import crossed_shares
from benchwright_analysis.statistics.crossed_design import CrossedCells
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_analysis.statistics.pseudo_values import unsolved_pseudo_values
from benchwright_judges.agreement.estimators import Estimate

BAND_TIMES = 60
_SAME = 1e-9


@dataclass(frozen=True)
class SurvivalCurve:
    """The Kaplan-Meier curve: the share not solved by then, with pointwise 95 % bands."""

    attempts: int
    passed: int
    times: tuple[float, ...]
    """Times at which an attempt passed or ended, ascending, in the unit given; before the first, all is unsolved."""
    unsolved: tuple[float, ...]
    """From each time on, up to the next."""
    low: tuple[float, ...] | None
    """`None`, like `high`, where participants or problems are too few for bands, or were not given."""
    high: tuple[float, ...] | None
    at_risk: tuple[int, ...]
    """Attempts under way just before each time."""
    passes: tuple[int, ...]
    censored: tuple[int, ...]
    """Given up or timed out at each time."""
    median: Estimate
    """Time at which half have passed; a value or bound that the watched time does not reach is None."""


@dataclass(frozen=True)
class SuccessOnlyTime:
    """The geometric mean time of attempts that passed: secondary, because the slow and unsolved are left out of it."""

    passed: int
    left_out: int
    geometric_mean: float | None


def kaplan_meier(times: ArrayLike, pass_flags: ArrayLike, cells: CrossedCells | None = None) -> SurvivalCurve:
    """The product-limit estimate (Kaplan & Meier 1958).

    Bands are those of `crossed_shares`, from pseudo-values (Andersen, Klein & Rosthøj 2003), at no more than
    `BAND_TIMES` times, and straight between them. The median's interval is where the bands cross one half (Brookmeyer &
    Crowley 1982).

    Args:
        times: Time of each attempt, until it passed or ended, in any unit.
        pass_flags: True for each attempt that passed; else it is censored.
        cells: Participant and problem of each attempt, for bands; without it there are none.

    Raises:
        StatisticsError: A negative time, differing lengths, or no attempts.
    """
    waits, events = time_and_pass_columns(times, pass_flags)
    distinct_times = np.unique(waits)
    ordered_waits = np.sort(waits)
    risk = len(waits) - np.searchsorted(ordered_waits, distinct_times, side="left")
    passes = np.bincount(np.searchsorted(distinct_times, waits[events]), minlength=len(distinct_times))
    lost = np.bincount(np.searchsorted(distinct_times, waits[~events]), minlength=len(distinct_times))
    unsolved = np.asarray(np.cumprod(1 - passes / risk), dtype=np.float64)
    low, high = _survival_bands(waits, events, distinct_times, unsolved, cells) if cells is not None else (None, None)
    return SurvivalCurve(
        attempts=len(waits),
        passed=int(events.sum()),
        times=tuple(distinct_times.tolist()),
        unsolved=tuple(unsolved.tolist()),
        low=tuple(low.tolist()) if low is not None else None,
        high=tuple(high.tolist()) if high is not None else None,
        at_risk=tuple(risk.tolist()),
        passes=tuple(passes.tolist()),
        censored=tuple(lost.tolist()),
        median=Estimate(
            value=_half_crossing_time(distinct_times, unsolved),
            low=_half_crossing_time(distinct_times, low) if low is not None else None,
            high=_half_crossing_time(distinct_times, high) if high is not None else None,
        ),
    )


def times_if_give_ups_continued(times: ArrayLike, gave_up_flags: ArrayLike, limit: float) -> Numbers:
    """The times if those who gave up had continued without success until the limit: the pessimistic end.

    Kaplan-Meier takes it that who gave up would have done as well as who went on. Compare both.

    Args:
        times: Time of each attempt.
        gave_up_flags: True for each attempt that was given up.
        limit: The time limit.

    Raises:
        StatisticsError: Lengths differ, or somebody gave up after the limit.
    """
    waits, stopped = finite_number_column(times, "Times", at_least=0), flag_column(gave_up_flags, "Give-ups")
    common_column_length(times=len(waits), give_ups=len(stopped))
    if (waits[stopped] > limit).any():
        raise StatisticsError(f"An attempt was given up later than the limit of {limit:g}.")
    return np.where(stopped, limit, waits)


def geometric_mean_of_passes(times: ArrayLike, pass_flags: ArrayLike) -> SuccessOnlyTime:
    """The geometric mean time of those that passed. It has no interval: who passed is itself a matter of chance.

    Args:
        times: Time of each attempt, positive.
        pass_flags: True for each attempt that passed.

    Returns:
        Without a value where nobody passed.
    """
    waits, events = time_and_pass_columns(times, pass_flags)
    count, left_out = int(events.sum()), int((~events).sum())
    if not count:
        return SuccessOnlyTime(0, left_out, None)
    logs = np.log(finite_number_column(waits[events], "Times of attempts that passed", above=0))
    return SuccessOnlyTime(count, left_out, math.exp(float(logs.mean())))


def _survival_bands(
    end_times: Numbers, pass_flags: Flags, distinct_times: Numbers, unsolved: Numbers, cells: CrossedCells
) -> tuple[Numbers | None, Numbers | None]:
    step_indices = np.flatnonzero(np.diff(np.append(1.0, unsolved)) < 0)
    if not len(step_indices):
        return None, None
    band_indices = np.unique(
        step_indices[np.linspace(0, len(step_indices) - 1, min(BAND_TIMES, len(step_indices))).round().astype(np.intp)]
    )
    estimates = crossed_shares(unsolved_pseudo_values(end_times, pass_flags, distinct_times[band_indices]), cells)
    if any(estimate.low is None or estimate.high is None for estimate in estimates):
        return None, None
    is_before = distinct_times < distinct_times[band_indices[0]]
    low = np.interp(distinct_times, distinct_times[band_indices], [estimate.low or 0.0 for estimate in estimates])
    high = np.interp(
        distinct_times,
        distinct_times[band_indices],
        [1.0 if estimate.high is None else estimate.high for estimate in estimates],
    )
    return np.where(is_before, 1.0, low), np.where(is_before, 1.0, high)


def _half_crossing_time(moments: Numbers, curve: Numbers) -> float | None:
    """Time when a falling curve reaches one half: where it stays there, the middle of that stretch."""
    reached_indices = np.flatnonzero(curve <= 0.5 + _SAME)
    if not len(reached_indices):
        return None
    first_index = int(reached_indices[0])
    later_indices = np.flatnonzero(curve < 0.5 - _SAME)
    if abs(curve[first_index] - 0.5) <= _SAME and len(later_indices):
        return float((moments[first_index] + moments[later_indices[0]]) / 2)
    return float(moments[first_index])
