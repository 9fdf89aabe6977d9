"""Many models on the same problems: differences of all pairs whose intervals hold together."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from benchwright_analysis.statistics.columns import Numbers, distinct_labels_and_indices
from benchwright_analysis.statistics.errors import StatisticsError

FEWEST_PROBLEMS = 10
"""With fewer, several tests at once were not found to hold their level."""
_DRAWS = 4999
_CHUNK = 500
_ALIKE = 1e-12


@dataclass(frozen=True)
class PairDifference:
    """By how much the first of two models exceeds the second, on average over problems."""

    value: float
    low: float | None
    """Of an interval that holds for all pairs at once with 95 %; `None`, like all that follows, of equal scores."""
    high: float | None
    p_value: float | None
    """Of this pair by itself, by Student's t of families of problems."""
    adjusted: float | None
    """Among all pairs: the chance of a largest difference like this, if no pair differs (max-T)."""
    false_discovery: float | None
    """Among all pairs: the smallest share of false discoveries at which this would be one (Benjamini & Hochberg)."""


def all_pair_differences(
    scores_by_model: Mapping[str, Sequence[float]], families: Sequence[Hashable], *, seed: int = 1
) -> dict[tuple[str, str], PairDifference]:
    """Differences of all pairs of models, on the same problems.

    The distribution of the largest studentised difference is that of the residuals of families, each with a sign by
    lot, the same for all pairs (Romano & Wolf 2005; Mammen 1993): so it has the correlation that pairs have.

    Args:
        scores_by_model: Mean score at each problem, by model; problems in the same order.
        families: Family of each problem: problems that vary one task vary together.
        seed: Of the signs.

    Raises:
        StatisticsError: Lengths differ, or there are too few models or families.
    """
    if len(scores_by_model) < 2:
        raise StatisticsError("A difference needs two models.")
    if any(len(scores) != len(families) for scores in scores_by_model.values()):
        raise StatisticsError("Each model needs a score at each problem.")
    names, unit_indices = distinct_labels_and_indices(families, "Families")
    if len(names) < FEWEST_PROBLEMS:
        raise StatisticsError(
            f"Too few problems that all models tried: {len(names)}, and it takes {FEWEST_PROBLEMS} (of problems that "
            "vary one task, only the first counts)."
        )
    pairs = list(itertools.combinations(scores_by_model, 2))
    score_columns = {name: np.asarray(scores, dtype=np.float64) for name, scores in scores_by_model.items()}
    differences = np.column_stack([score_columns[first] - score_columns[second] for first, second in pairs])
    values: Numbers = differences.mean(axis=0)
    residuals = np.zeros((len(names), len(pairs)))
    np.add.at(residuals, unit_indices, (differences - values) / len(families))
    shares = np.bincount(unit_indices, minlength=len(names)) / len(families)
    standard_errors = _standard_errors(residuals)
    varied = standard_errors > _ALIKE
    largest = _draw_largest_ratios(residuals[:, varied], shares, np.random.default_rng(seed))
    reach = float(np.quantile(largest, 0.95)) if len(largest) else 0.0
    p_values = _student_p_values(values[varied] / standard_errors[varied], len(names) - 1)
    rates = _false_discovery_rates(p_values)
    adjusted = [
        (1 + int((largest >= abs(ratio)).sum())) / (1 + len(largest))
        for ratio in values[varied] / standard_errors[varied]
    ]
    test_numbers = iter(zip(standard_errors[varied], p_values, adjusted, rates, strict=True))
    return {
        pair: PairDifference(float(value), *_interval_and_tests(float(value), reach, *next(test_numbers)))
        if is_varied
        else PairDifference(float(value), None, None, None, None, None)
        for pair, value, is_varied in zip(pairs, values, varied, strict=True)
    }


def _interval_and_tests(
    value: float,
    half_width_in_errors: float,
    standard_error: float,
    p_value: float,
    adjusted_p_value: float,
    false_discovery_rate: float,
) -> tuple[float, float, float, float, float]:
    return (
        max(-1.0, value - half_width_in_errors * float(standard_error)),
        min(1.0, value + half_width_in_errors * float(standard_error)),
        float(p_value),
        float(adjusted_p_value),
        float(false_discovery_rate),
    )


def _standard_errors(residuals: Numbers) -> Numbers:
    count = len(residuals)
    standard_errors: Numbers = np.sqrt((residuals**2).sum(axis=0) * count / (count - 1))
    return standard_errors


def _draw_largest_ratios(residuals: Numbers, family_shares: Numbers, random: np.random.Generator) -> Numbers:
    """The largest absolute ratio of a difference to its error, where there is no difference."""
    if not residuals.shape[1]:
        return np.zeros(0)
    count, squares = len(residuals), (residuals**2).sum(axis=0)
    largest = []
    for start in range(0, _DRAWS, _CHUNK):
        signs = random.choice((-1.0, 1.0), size=(min(_CHUNK, _DRAWS - start), count))
        sums = signs @ residuals
        # Squares of the residuals with their signs, around their own mean.
        around = (
            squares - 2 * sums * ((signs * family_shares) @ residuals) + sums**2 * float(family_shares @ family_shares)
        )
        ratios = np.abs(sums) / np.sqrt(np.maximum(around, _ALIKE) * count / (count - 1))
        largest.append(ratios.max(axis=1))
    return np.concatenate(largest)


def _student_p_values(t_ratios: Numbers, degrees_of_freedom: float) -> Numbers:
    from scipy import special

    p_values: Numbers = np.asarray(2 * special.stdtr(degrees_of_freedom, -np.abs(t_ratios)), dtype=np.float64)
    return p_values


def _false_discovery_rates(p_values: Numbers) -> Numbers:
    from statsmodels.stats.multitest import multipletests

    return np.asarray(multipletests(p_values, method="fdr_bh")[1]) if len(p_values) else p_values
