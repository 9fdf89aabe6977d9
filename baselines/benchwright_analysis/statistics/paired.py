"""Two solvers on the same problems."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from benchwright_analysis.statistics.bootstrap import RESAMPLES, clustered_mean
from benchwright_analysis.statistics.columns import equally_long, flags, numbers
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_judges.estimators import Estimate

EXACT_BELOW = 25


@dataclass(frozen=True)
class McNemar:
    """Whether one of two solvers passes more of the same problems."""

    pairs: int
    both: int
    first_only: int
    second_only: int
    neither: int
    exact: bool
    """By the binomial distribution; else by chi-squared without correction."""
    statistic: float | None
    """Chi-squared at one degree of freedom; `None` if the test is exact."""
    p_value: float


@dataclass(frozen=True)
class Adjusted:
    """One of several tests."""

    p_value: float
    adjusted: float
    """Holm's; below 0.05 the test is significant among all of them."""
    significant: bool


def mcnemar(first: ArrayLike, second: ArrayLike) -> McNemar:
    """McNemar's test (1947), by statsmodels: exact where fewer than 25 pairs differ.

    Args:
        first: Of each problem, whether the first solver passed.
        second: Whether the second did.

    Raises:
        StatisticsError: Lengths differ, or there are no pairs.
    """
    from statsmodels.stats.contingency_tables import mcnemar as test

    one, other = flags(first, "First results"), flags(second, "Second results")
    pairs = equally_long(first=len(one), second=len(other))
    first_only, second_only = int((one & ~other).sum()), int((~one & other).sum())
    both, neither = int((one & other).sum()), int((~one & ~other).sum())
    exact = first_only + second_only < EXACT_BELOW
    found = test([[both, first_only], [second_only, neither]], exact=exact, correction=False)
    statistic = None if exact else float(found.statistic)
    return McNemar(pairs, both, first_only, second_only, neither, exact, statistic, min(1.0, float(found.pvalue)))


def paired_difference(
    first: ArrayLike,
    second: ArrayLike,
    clusters: Sequence[Hashable] | None = None,
    *,
    seed: int,
    resamples: int = RESAMPLES,
) -> Estimate:
    """The mean difference, second minus first, its interval by drawing pairs, or whole clusters of them.

    Args:
        first: Score of the first solver, by problem.
        second: Of the second, in the same order.
        clusters: Of each pair, its family of problems or participant.
        seed: Of the bootstrap.
        resamples: Of the bootstrap.

    Raises:
        StatisticsError: Lengths differ, or there are no pairs.
    """
    one, other = numbers(first, "First scores"), numbers(second, "Second scores")
    equally_long(first=len(one), second=len(other))
    return clustered_mean(other - one, clusters, seed=seed, resamples=resamples)


def holm(p_values: Mapping[str, float], *, level: float = 0.05) -> dict[str, Adjusted]:
    """Holm's correction (1979), by statsmodels: the chance of any false alarm among all tests stays below the level.

    Args:
        p_values: By name of the test, such as a category.
        level: For all tests together.

    Raises:
        StatisticsError: A p-value is not from 0 to 1.
    """
    from statsmodels.stats.multitest import multipletests

    if not p_values:
        return {}
    given = numbers(list(p_values.values()), "P-values", low=0, high=1)
    if not 0 < level < 1:
        raise StatisticsError(f"The level has to be between 0 and 1, not {level:g}.")
    rejected, adjusted, *_ = multipletests(given, alpha=level, method="holm")
    return {
        name: Adjusted(float(p), float(corrected), bool(stands))
        for name, p, corrected, stands in zip(p_values, given, np.asarray(adjusted), rejected, strict=True)
    }
