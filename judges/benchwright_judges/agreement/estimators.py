"""The statistics of agreement, each by its published definition. Imports NumPy: load it when needed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from benchwright_foundation.model import Model

Numbers = NDArray[np.float64]
Level = Literal["nominal", "ordinal", "interval"]
CONFIDENCE = 0.95


class Estimate(Model):
    """A value with its 95 % interval; None if the data does not define it, such as kappa if all labels are equal."""

    value: float | None
    low: float | None = None
    high: float | None = None


class Share(Model):
    """A proportion, with Wilson's 95 % interval."""

    count: int
    total: int
    value: float | None
    low: float | None = None
    high: float | None = None


def wilson_share(success_count: int, trial_count: int) -> Share:
    """A proportion with Wilson's score interval (Wilson 1927), which is also valid for small and extreme counts."""
    if trial_count == 0:
        return Share(count=0, total=0, value=None)
    # It takes longer to import than everything else here, and the judge service imports this module at start-up.
    from scipy import stats

    interval = stats.binomtest(success_count, trial_count).proportion_ci(CONFIDENCE, method="wilson")
    return Share(
        count=success_count,
        total=trial_count,
        value=success_count / trial_count,
        low=float(interval.low),
        high=float(interval.high),
    )


def cohen_kappa(first_ratings: Numbers, second_ratings: Numbers) -> float:
    """Cohen's kappa with quadratic weights (Cohen 1968); for zeros and ones the unweighted one (Cohen 1960).

    Args:
        first_ratings: One rater's values on an equidistant scale, by item.
        second_ratings: The other's.

    Returns:
        NaN if both give the same single value throughout.
    """
    observed = np.mean((first_ratings - second_ratings) ** 2)
    expected_difference = (
        np.mean(first_ratings**2) + np.mean(second_ratings**2) - 2 * np.mean(first_ratings) * np.mean(second_ratings)
    )
    return float(1 - observed / expected_difference) if expected_difference > 0 else math.nan


def krippendorff_alpha(ratings: Numbers, measurement_level: Level) -> float:
    """Krippendorff's alpha (Krippendorff 2011), which allows any number of raters and missing values.

    alpha = 1 - (n - 1) * sum(o * d) / sum(outer(m, m) * d), where o counts the pairs of values within an item, m are
    its margins, n their sum, and d is the squared difference of two values at the level of measurement.

    Args:
        ratings: Raters by items, NaN where a rater did not rate.
        measurement_level: `nominal`, `ordinal` or `interval`.

    Returns:
        NaN if fewer than two different values were given to items that two raters rated.
    """
    paired = ratings[:, np.sum(~np.isnan(ratings), axis=0) >= 2]
    distinct_ratings = np.unique(paired[~np.isnan(paired)])
    if len(distinct_ratings) < 2:
        return math.nan
    counts = np.sum(paired[:, :, None] == distinct_ratings, axis=0).astype(np.float64)
    weighted = counts / (counts.sum(axis=1, keepdims=True) - 1)
    coincidences = weighted.T @ counts - np.diag(weighted.sum(axis=0))
    margins = coincidences.sum(axis=0)
    distances = _squared_differences(distinct_ratings, margins, measurement_level)
    expected_disagreement = float(np.sum(np.outer(margins, margins) * distances))
    return 1 - (float(margins.sum()) - 1) * float(np.sum(coincidences * distances)) / expected_disagreement


def _squared_differences(distinct_ratings: Numbers, rating_counts: Numbers, measurement_level: Level) -> Numbers:
    match measurement_level:
        case "nominal":
            return 1 - np.eye(len(distinct_ratings))
        case "ordinal":
            # The number of values between two values, plus half of each, is the distance of their middle ranks.
            scale_positions = np.cumsum(rating_counts) - rating_counts / 2
        case "interval":
            scale_positions = distinct_ratings
    return np.square(np.subtract.outer(scale_positions, scale_positions))


def pearson_correlation(first_ratings: Numbers, second_ratings: Numbers) -> float:
    """Pearson's correlation; NaN if one side is constant."""
    if len(first_ratings) < 2 or np.ptp(first_ratings) == 0 or np.ptp(second_ratings) == 0:
        return math.nan
    # SciPy's takes ten times as long, most of it for a p-value.
    return float(np.corrcoef(first_ratings, second_ratings)[0, 1])


def cronbach_alpha(ratings_by_rater: Numbers) -> float:
    """Cronbach's alpha (Cronbach 1951) of k raters: k/(k-1) * (1 - sum of var(rater) / var(sum of raters)).

    Args:
        ratings_by_rater: Raters by items; every rater rated every item.

    Returns:
        NaN for fewer than two raters or items, or if the sums are constant.
    """
    raters, items = ratings_by_rater.shape
    total = float(np.var(ratings_by_rater.sum(axis=0), ddof=1)) if items > 1 else 0.0
    if raters < 2 or total == 0:
        return math.nan
    single = float(np.var(ratings_by_rater, axis=1, ddof=1).sum())
    return float(raters / (raters - 1) * (1 - single / total))


def bootstrap_estimate(
    statistic: Callable[..., float], value_columns: Sequence[Numbers], *, seed: int, resamples: int = 1000
) -> Estimate:
    """A statistic of items with its percentile bootstrap interval (Efron 1979), items drawn with replacement.

    Args:
        statistic: Takes the columns.
        value_columns: One value per item each, equally long.
        seed: The same seed gives the same interval.
        resamples: Number of resamples; those in which the statistic is undefined are left out.
    """
    size = len(value_columns[0])
    value = statistic(*value_columns) if size else math.nan
    if math.isnan(value):
        return Estimate(value=None)
    random = np.random.default_rng(seed)
    drawn_indices = (random.integers(0, size, size) for _ in range(resamples))
    values = [statistic(*(column[rows] for column in value_columns)) for rows in drawn_indices]
    defined = [number for number in values if not math.isnan(number)]
    tail = 50 * (1 - CONFIDENCE)
    low, high = (float(bound) for bound in np.percentile(defined, [tail, 100 - tail])) if defined else (None, None)
    return Estimate(value=value, low=low, high=high)
