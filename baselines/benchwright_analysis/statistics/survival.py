"""Time to the first pass, where some never pass: they count for as long as they were watched.

An attempt that was given up or timed out is *censored*: all that is known is that its time is longer. Leaving such
attempts out, or taking their time for a time to pass, makes the slow look fast.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from benchwright_analysis.statistics.columns import Numbers, equally_long, flags, groups, numbers, observed
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_judges.estimators import CONFIDENCE, Estimate

_SAME = 1e-9


@dataclass(frozen=True)
class Survival:
    """The Kaplan-Meier curve: the share not solved by then, with pointwise 95 % bands."""

    attempts: int
    passed: int
    times: tuple[float, ...]
    """Where an attempt passed or ended, ascending, in the unit given; before the first, everything is unsolved."""
    unsolved: tuple[float, ...]
    """From each time on, up to the next."""
    low: tuple[float, ...]
    high: tuple[float, ...]
    at_risk: tuple[int, ...]
    """Attempts under way just before each time."""
    passes: tuple[int, ...]
    censored: tuple[int, ...]
    """Given up or timed out at each time."""
    median: Estimate
    """When half have passed; a value or bound that the watched time does not reach is None."""


@dataclass(frozen=True)
class LogRank:
    """Whether conditions differ in time to pass anywhere along the curve."""

    conditions: tuple[str, ...]
    statistic: float
    degrees_of_freedom: int
    p_value: float
    strata: int
    """Problems or participants within which conditions were compared; 1 for all together."""


@dataclass(frozen=True)
class SuccessOnlyTime:
    """The geometric mean time of attempts that passed: secondary, because the slow and unsolved are left out of it."""

    passed: int
    left_out: int
    geometric_mean: Estimate


def kaplan_meier(times: ArrayLike, passed: ArrayLike) -> Survival:
    """The product-limit estimate (Kaplan & Meier 1958), by SciPy.

    Bands are Greenwood's variance on the scale log(-log S) (Kalbfleisch & Prentice 1980), which stay within 0 and 1.
    Where the curve is at 0 that variance is not defined: the upper band stays where it was, and the lower is 0. The
    median's interval is where the bands cross one half (Brookmeyer & Crowley 1982).

    Args:
        times: Of each attempt, until it passed or ended, in any unit.
        passed: Whether it passed; else it is censored.

    Raises:
        StatisticsError: A negative time, differing lengths, or no attempts.
    """
    from scipy import stats

    waits, events = observed(times, passed)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)
        curve = stats.ecdf(stats.CensoredData(uncensored=waits[events], right=waits[~events])).sf
        band = curve.confidence_interval(CONFIDENCE, method="log-log")
    at = np.asarray(curve.quantiles, dtype=np.float64)
    unsolved = np.clip(np.asarray(curve.probabilities, dtype=np.float64), 0, 1)
    low = _filled(band.low, unsolved, at_zero=0.0)
    high = _filled(band.high, unsolved, at_zero=None)
    ordered = np.sort(waits)
    passes = np.bincount(np.searchsorted(at, waits[events]), minlength=len(at))
    lost = np.bincount(np.searchsorted(at, waits[~events]), minlength=len(at))
    return Survival(
        attempts=len(waits),
        passed=int(events.sum()),
        times=tuple(at.tolist()),
        unsolved=tuple(unsolved.tolist()),
        low=tuple(low.tolist()),
        high=tuple(high.tolist()),
        at_risk=tuple((len(waits) - np.searchsorted(ordered, at, side="left")).tolist()),
        passes=tuple(passes.tolist()),
        censored=tuple(lost.tolist()),
        median=Estimate(value=_half(at, unsolved), low=_half(at, low), high=_half(at, high)),
    )


def log_rank(
    times: ArrayLike,
    passed: ArrayLike,
    conditions: Sequence[Hashable],
    strata: Sequence[Hashable] | None = None,
) -> LogRank:
    """The log-rank test (Mantel 1966; Peto & Peto 1972) of two or more conditions, by statsmodels.

    Args:
        times: As in `kaplan_meier`.
        passed: As in `kaplan_meier`.
        conditions: Of each attempt; two or more different ones.
        strata: Of each attempt, its problem or participant, within which conditions are compared.

    Raises:
        StatisticsError: Fewer than two conditions, nobody passed, or no stratum has two conditions under way.
    """
    from statsmodels.duration.survfunc import survdiff

    waits, events = observed(times, passed)
    equally_long(times=len(waits), conditions=len(conditions))
    names, side = groups(conditions, "Conditions")
    if len(names) < 2:
        raise StatisticsError(f"A log-rank test needs two conditions or more, and all attempts are {names[0]!r}.")
    if not events.any():
        raise StatisticsError("A log-rank test needs at least one attempt that passed.")
    blocks = None
    if strata is not None:
        equally_long(times=len(waits), strata=len(strata))
        blocks = groups(strata, "Strata")[1]
    try:
        statistic, p_value = survdiff(waits, events.astype(int), side, strata=blocks)
    except np.linalg.LinAlgError as error:
        raise StatisticsError("At no pass were attempts of different conditions under way to be compared.") from error
    if not math.isfinite(statistic):
        raise StatisticsError("At no pass were attempts of different conditions under way to be compared.")
    parts = 1 if blocks is None else int(blocks.max()) + 1
    return LogRank(names, float(statistic), len(names) - 1, float(p_value), parts)


def with_give_ups_until(times: ArrayLike, gave_up: ArrayLike, limit: float) -> Numbers:
    """The times if those who gave up had continued without success until the limit: the pessimistic end.

    Kaplan-Meier takes it that who gave up would have done as well as who went on. Compare both.

    Args:
        times: Of each attempt.
        gave_up: Whether it was given up.
        limit: The time limit.

    Raises:
        StatisticsError: Lengths differ, or somebody gave up after the limit.
    """
    waits, stopped = numbers(times, "Times", low=0), flags(gave_up, "Give-ups")
    equally_long(times=len(waits), give_ups=len(stopped))
    if (waits[stopped] > limit).any():
        raise StatisticsError(f"An attempt was given up later than the limit of {limit:g}.")
    return np.where(stopped, limit, waits)


def success_only_time(times: ArrayLike, passed: ArrayLike) -> SuccessOnlyTime:
    """The geometric mean time of those that passed, its interval Student's on the log scale.

    Args:
        times: Of each attempt, positive.
        passed: Whether it passed.

    Returns:
        Without a value where nobody passed, without bounds where one did.
    """
    from scipy import stats

    waits, events = observed(times, passed)
    logs = np.log(numbers(waits[events], "Times of attempts that passed", above=0)) if events.any() else waits[:0]
    count, left_out = len(logs), len(waits) - len(logs)
    if not count:
        return SuccessOnlyTime(0, left_out, Estimate(value=None))
    middle = float(logs.mean())
    if count == 1:
        return SuccessOnlyTime(1, left_out, Estimate(value=math.exp(middle)))
    reach = float(stats.t.ppf((1 + CONFIDENCE) / 2, count - 1) * logs.std(ddof=1) / math.sqrt(count))
    mean = Estimate(value=math.exp(middle), low=math.exp(middle - reach), high=math.exp(middle + reach))
    return SuccessOnlyTime(count, left_out, mean)


def _filled(bound_curve: Any, unsolved: Numbers, *, at_zero: float | None) -> Numbers:
    """The band where SciPy leaves it undefined: 1 before the first pass; at 0 the given value, or the last one."""
    # The stubs take what SciPy gives for a number.
    filled = np.array(bound_curve.probabilities, dtype=np.float64)
    last = 1.0
    for index, bound in enumerate(filled.tolist()):
        if unsolved[index] >= 1:
            filled[index] = 1.0
        elif math.isnan(bound) or unsolved[index] <= 0:
            filled[index] = last if at_zero is None else at_zero
        last = float(filled[index])
    return filled


def _half(at: Numbers, curve: Numbers) -> float | None:
    """When a falling curve reaches one half: where it stays there, the middle of that stretch."""
    below = np.flatnonzero(curve <= 0.5 + _SAME)
    if not len(below):
        return None
    first = int(below[0])
    later = np.flatnonzero(curve < 0.5 - _SAME)
    if abs(curve[first] - 0.5) <= _SAME and len(later):
        return float((at[first] + at[later[0]]) / 2)
    return float(at[first])
