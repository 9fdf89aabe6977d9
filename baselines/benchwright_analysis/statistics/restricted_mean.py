"""The mean time to pass if everybody stops at a limit, where some never pass."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from benchwright_analysis.statistics.bootstrap import RESAMPLES, Counts, draws, percentile_interval
from benchwright_analysis.statistics.columns import Flags, Indices, Numbers, equally_long, groups, observed
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_judges.estimators import CONFIDENCE, Estimate


@dataclass(frozen=True)
class RestrictedMean:
    """The mean time to pass when everybody stops at the limit."""

    limit: float
    value: float
    standard_error: float
    low: float | None
    """`None`, like `high`, if no two times below the limit differ: that does not show how much they could."""
    high: float | None


@dataclass(frozen=True)
class RestrictedMeanDifference:
    """By how much longer the other condition takes than the baseline, both stopped at the limit; negative is faster."""

    baseline: str
    other: str
    means: tuple[RestrictedMean, RestrictedMean]
    """In this order."""
    difference: Estimate
    clustered: bool
    """Whether the interval draws whole clusters, which several attempts by one person need."""


def observable_limit(times: ArrayLike, passed: ArrayLike, wanted: float) -> float:
    """The longest limit up to the wanted one that a restricted mean can have.

    Where the longest attempt did not pass, nothing is known of what comes after it.

    Raises:
        StatisticsError: A negative time, differing lengths, or no attempts.
    """
    waits, events = observed(times, passed)
    return wanted if events[waits == waits.max()].all() else min(wanted, float(waits.max()))


def restricted_mean(times: ArrayLike, passed: ArrayLike, limit: float) -> RestrictedMean:
    """The area below the Kaplan-Meier curve up to the limit (Irwin 1949; Klein & Moeschberger 2003, section 4.5).

    Its variance is the sum over passes of (area between the pass and the limit)² * d / (n (n - d)); the interval is
    the normal one.

    Args:
        times: As in `kaplan_meier`.
        passed: As in `kaplan_meier`.
        limit: In the unit of the times.

    Raises:
        StatisticsError: The limit is not positive, or later than anything is known of (`observable_limit`).
    """
    waits, events = observed(times, passed)
    _demand_limit(waits, events, limit)
    at = np.unique(waits[events & (waits <= limit)])
    sorted_waits = np.sort(waits)
    risk = len(waits) - np.searchsorted(sorted_waits, at, side="left")
    dead = np.bincount(np.searchsorted(at, waits[events & (waits <= limit)]), minlength=len(at))
    unsolved = np.concatenate([[1.0], np.cumprod(1 - dead / risk)])
    steps = np.diff(np.concatenate([[0.0], at, [limit]]))
    areas = unsolved * steps
    value = float(areas.sum())
    after = np.cumsum(areas[::-1])[::-1][1:]
    left = risk * (risk - dead)
    # Where nobody is left, the area after it is 0 too.
    variance = float(np.sum(np.divide(after**2 * dead, left, out=np.zeros(len(at)), where=left > 0)))
    error = math.sqrt(variance)
    if error == 0:
        return RestrictedMean(limit, value, error, None, None)
    reach = _normal_quantile() * error
    return RestrictedMean(limit, value, error, max(0.0, value - reach), min(limit, value + reach))


def restricted_mean_difference(
    times: ArrayLike,
    passed: ArrayLike,
    conditions: Sequence[Hashable],
    baseline: str,
    limit: float,
    *,
    clusters: Sequence[Hashable] | None = None,
    seed: int,
    resamples: int = RESAMPLES,
) -> RestrictedMeanDifference:
    """The difference of two restricted means, the other condition's minus the baseline's.

    Args:
        times: As in `kaplan_meier`.
        passed: As in `kaplan_meier`.
        conditions: Of each attempt; two different ones.
        baseline: The one that the other is compared with.
        limit: In the unit of the times.
        clusters: Of each attempt, its participant. With it whole participants are drawn for the interval; without it
            the interval is the normal one of independent attempts.
        seed: Of the bootstrap.
        resamples: Of the bootstrap.

    Raises:
        StatisticsError: Not two conditions, or as in `restricted_mean`.
    """
    waits, events = observed(times, passed)
    equally_long(times=len(waits), conditions=len(conditions))
    names, side = groups(conditions, "Conditions")
    if len(names) != 2 or baseline not in names:
        told = ", ".join(names)
        raise StatisticsError(f"A difference needs two conditions, the baseline {baseline!r} one of them, not: {told}.")
    order = (names.index(baseline), 1 - names.index(baseline))
    first, second = (restricted_mean(waits[side == each], events[side == each], limit) for each in order)
    value = second.value - first.value
    if clusters is None:
        reach = _normal_quantile() * math.hypot(first.standard_error, second.standard_error)
        difference = Estimate(value=value, low=value - reach, high=value + reach)
    else:
        equally_long(times=len(waits), clusters=len(clusters))
        _, place = groups(clusters, "Clusters")
        units = int(place.max()) + 1
        if units < 2:
            raise StatisticsError("All attempts are in one cluster, which allows no interval.")
        drawn = draws(units, resamples, np.random.default_rng(seed))
        areas = [_drawn_areas(waits, events, side == each, place, drawn, limit) for each in order]
        low, high = percentile_interval(areas[1] - areas[0], units)
        difference = Estimate(value=value, low=low, high=high)
    means = (first, second)
    return RestrictedMeanDifference(baseline, names[order[1]], means, difference, clusters is not None)


def _demand_limit(waits: Numbers, events: Flags, limit: float) -> None:
    if not (math.isfinite(limit) and limit > 0):
        raise StatisticsError(f"The limit has to be a positive time, not {limit:g}.")
    if limit > waits.max() and not events[waits == waits.max()].all():
        raise StatisticsError(
            f"Nothing is known after {waits.max():g}, when the last attempt ended without a pass: "
            f"a limit of {limit:g} is too late."
        )


def _drawn_areas(waits: Numbers, events: Flags, chosen: Flags, place: Indices, drawn: Counts, limit: float) -> Numbers:
    """The restricted mean of one condition in every resample; NaN where nothing of it was drawn.

    A resample in which nobody reaches the limit keeps its last value up to the limit.
    """
    at = np.unique(waits[chosen & events & (waits <= limit)])
    units = drawn.shape[1]
    hits, here = np.flatnonzero(chosen & events & (waits <= limit)), np.flatnonzero(chosen)
    dead = _table(place[hits], np.searchsorted(at, waits[hits]), units, len(at))
    # Each is under way at as many of these times as are not after its own.
    ends = _table(place[here], np.searchsorted(at, waits[here], side="right"), units, len(at) + 1)
    risk = np.cumsum(ends[:, ::-1], axis=1)[:, ::-1][:, 1:]
    drawn_dead, drawn_risk = drawn @ dead, drawn @ risk
    hazard = np.divide(drawn_dead, drawn_risk, out=np.zeros(drawn_dead.shape), where=drawn_risk > 0)
    unsolved = np.cumprod(1 - hazard, axis=1)
    steps = np.diff(np.concatenate([[0.0], at, [limit]]))
    area = steps[0] + unsolved @ steps[1:]
    size = drawn @ np.bincount(place[here], minlength=units)
    return np.where(size > 0, area, np.nan)


def _table(rows: Indices, columns: Indices, height: int, width: int) -> Numbers:
    """How many items are in each row and column; of floats, which multiply faster."""
    counts = np.bincount(rows * width + columns, minlength=height * width)
    return counts.reshape(height, width).astype(np.float64)


def _normal_quantile() -> float:
    from scipy import special

    return float(special.ndtri((1 + CONFIDENCE) / 2))
