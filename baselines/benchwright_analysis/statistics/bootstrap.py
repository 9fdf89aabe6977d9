"""Resampling by the groups that vary together: participants, problems, families of problems."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchwright_analysis.statistics.columns import (
    Numbers,
    common_column_length,
    distinct_labels_and_indices,
    finite_number_column,
)
from benchwright_analysis.statistics.crossed_design import CrossedCells
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_judges.agreement.estimators import CONFIDENCE, Estimate

RESAMPLES = 2000
_DRAWN_AT_ONCE = 4_000_000
_ROUNDING = 1e-12

Counts = NDArray[np.int64]


def draw_counts(unit_count: int, resamples: int, random: np.random.Generator) -> Counts:
    """Number of times each unit is drawn in a sample of all units with replacement (Efron 1979).

    Args:
        unit_count: Number of units.
        resamples: Number of times to draw them all.
        random: Source of chance.

    Returns:
        Resamples by units.

    Raises:
        StatisticsError: Nothing to draw from, or no resamples.
    """
    if unit_count < 1:
        raise StatisticsError("There is nothing to resample.")
    if resamples < 1:
        raise StatisticsError(f"The number of resamples has to be at least 1, not {resamples}.")
    return random.multinomial(unit_count, np.full(unit_count, 1 / unit_count), size=resamples)


def nested_draw_counts(
    parent_of_each_child: Sequence[Hashable], parent_draws: Counts, random: np.random.Generator
) -> Counts:
    """Number of times each child is drawn when every draw of its parent draws again among that parent's children.

    A parent drawn m times draws m times as many children as it has; the sum of independent multinomial counts with
    equal shares is multinomial, so all its draws are made at once.

    Args:
        parent_of_each_child: Parent of each child.
        parent_draws: Resamples by parents, in the order of their sorted names.
        random: Source of chance.

    Returns:
        Resamples by children.
    """
    _, parent_indices = distinct_labels_and_indices(parent_of_each_child, "Parents")
    counts = np.zeros((len(parent_draws), len(parent_indices)), dtype=np.int64)
    for parent in range(parent_draws.shape[1]):
        children = np.flatnonzero(parent_indices == parent)
        size = len(children)
        counts[:, children] = random.multinomial(parent_draws[:, parent] * size, np.full(size, 1 / size))
    return counts


def crossed_draw_counts(cells: CrossedCells, resamples: int, random: np.random.Generator) -> tuple[Counts, int, int]:
    """Number of times each row is drawn when participants and problems are each drawn with replacement (Owen 2007).

    Args:
        cells: Participant and problem of each row.
        resamples: Number of resamples.
        random: Source of chance.

    Returns:
        Resamples by rows, and how many participants and problems there are.
    """
    problems, problem_indices = distinct_labels_and_indices(cells.problems, "Problems")
    row_draws = draw_counts(len(problems), resamples, random)[:, problem_indices]
    people_rows = [index for index, participant in enumerate(cells.participants) if participant is not None]
    people, person_indices = distinct_labels_and_indices(
        [cells.participants[row] for row in people_rows], "Participants"
    )
    if people:
        row_draws[:, people_rows] *= draw_counts(len(people), resamples, random)[:, person_indices]
    return row_draws, len(people), len(problems)


def percentile_interval(replicates: Numbers, unit_count: int | None = None) -> tuple[float | None, float | None]:
    """The 95 % percentile interval of replicates (Efron 1981); replicates that are NaN are left out.

    Args:
        replicates: The statistic in each resample.
        unit_count: Number of units. With it the interval is widened, by quantiles of Student's t for the normal's
            and n/(n-1) for the variance, without which it is too narrow for few units (Hesterberg 2015, The American
            Statistician 69: the expanded percentile interval).

    Returns:
        Both bounds, `None` if no replicate is defined or a bound is infinite, and where all replicates are one value:
        data without variation does not show how much it could vary.
    """
    from scipy import special

    defined = np.sort(replicates[~np.isnan(replicates)])
    if not len(defined) or differ_only_by_rounding(defined[0], defined[-1]):
        return None, None
    tail = (1 - CONFIDENCE) / 2
    if unit_count is not None:
        tail = float(special.ndtr(math.sqrt(unit_count / (unit_count - 1)) * special.stdtrit(unit_count - 1, tail)))
    # Not interpolated: between a finite and an infinite replicate there is no middle.
    low = defined[math.floor(tail * (len(defined) - 1))]
    high = defined[math.ceil((1 - tail) * (len(defined) - 1))]
    return (float(low) if np.isfinite(low) else None, float(high) if np.isfinite(high) else None)


def differ_only_by_rounding(lowest: float, greatest: float) -> bool:
    """True if the ends of replicates differ by no more than rounding does."""
    return math.isclose(lowest, greatest, rel_tol=_ROUNDING, abs_tol=_ROUNDING)


def clustered_mean(
    item_values: ArrayLike,
    cluster_labels: Sequence[Hashable] | None = None,
    *,
    seed: int,
    resamples: int = RESAMPLES,
) -> Estimate:
    """The mean of values with a bootstrap interval that draws whole clusters.

    Args:
        item_values: One per item.
        cluster_labels: Cluster of each item, such as its problem or participant; without it each item is a
            cluster of its own.
        seed: The same seed gives the same interval.
        resamples: Number of times clusters are drawn.

    Returns:
        Without bounds where there are fewer than two clusters, or where all are alike.

    Raises:
        StatisticsError: Nothing is there, or lengths differ.
    """
    column = finite_number_column(item_values, "Values")
    cluster_indices = _cluster_index_of_each(cluster_labels, len(column))
    cluster_totals = np.asarray(np.bincount(cluster_indices, column), dtype=np.float64)
    cluster_sizes = np.bincount(cluster_indices)
    value = float(column.mean())
    if len(cluster_sizes) < 2:
        return Estimate(value=value)
    replicates = _resampled_means(cluster_totals, cluster_sizes, resamples, np.random.default_rng(seed))
    low, high = percentile_interval(replicates, len(cluster_sizes))
    return Estimate(value=value, low=low, high=high)


def _resampled_means(
    cluster_totals: Numbers, cluster_sizes: Counts, resamples: int, random: np.random.Generator
) -> Numbers:
    """The mean in each resample of clusters; some at a time, since 10,000 clusters drawn 2,000 times are 160 MB."""
    at_once = max(1, _DRAWN_AT_ONCE // len(cluster_sizes))
    means = []
    for first_resample in range(0, max(resamples, 1), at_once):
        cluster_draws = draw_counts(len(cluster_sizes), min(at_once, resamples - first_resample), random)
        means.append(cluster_draws @ cluster_totals / (cluster_draws @ cluster_sizes))
    return np.concatenate(means)


def _cluster_index_of_each(cluster_labels: Sequence[Hashable] | None, length: int) -> NDArray[np.intp]:
    if cluster_labels is None:
        common_column_length(values=length)
        return np.arange(length, dtype=np.intp)
    common_column_length(values=length, clusters=len(cluster_labels))
    return distinct_labels_and_indices(cluster_labels, "Clusters")[1]
