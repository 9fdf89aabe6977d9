"""Means and differences where participants and problems both vary: what holds for others at other problems.

A value of a participant at a problem is taken as a fixed part, an effect of the participant, one of the problem, and
what is left. The variances of these are estimated by Rao's minimum norm quadratic unbiased estimation with zero prior
weights (MIVQUE(0), Rao 1971; Hartley, Rao & LaMotte 1978), which has a closed form for any pattern of missing cells.
Intervals are Student's with the degrees of freedom of Satterthwaite (1946).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from benchwright_analysis.statistics.columns import Numbers, common_column_length, finite_number_column, flag_column
from benchwright_analysis.statistics.crossed_design import CrossedCells, CrossedDesign, VarianceModel
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_judges.agreement.estimators import CONFIDENCE, Estimate

FEWEST_PARTICIPANTS = 5
"""With fewer, intervals were not found to hold their level, and none is given."""
FEWEST_PROBLEMS = 4
MANY_PARTICIPANTS, FEWEST_FOR_MANY = 20, 6
"""With more participants it takes as many problems: chance between problems decides, and it is not normal."""
_NOTHING = 1e-9
_ALIKE = "All values are alike, which does not show how much they could differ."


@dataclass(frozen=True)
class CrossedEstimate:
    """A mean or difference with the interval that holds over participants and problems."""

    value: float
    standard_error: float | None
    """`None`, like all that follows from it, where there is no interval."""
    degrees_of_freedom: float | None
    low: float | None
    high: float | None
    p_value: float | None
    """That the truth is 0; `None` for shares."""
    attempts: int
    participants: int
    problems: int
    within: bool = False
    """Of a difference: whether participants are compared with themselves."""
    note: str = ""
    """Reason why there is no interval."""
    clusters: int = 0
    """Sites or sections of the participants, if the interval holds for others than these; else 0."""

    @property
    def estimate(self) -> Estimate:
        """The value with its interval alone."""
        return Estimate(value=self.value, low=self.low, high=self.high)

    @property
    def detectable_difference(self) -> float | None:
        """The smallest difference from 0 that a study of this size finds with a chance of 80 % (Bloom 1995)."""
        if self.standard_error is None or self.degrees_of_freedom is None:
            return None
        return self.standard_error * (
            _t_interval_quantile(CONFIDENCE, self.degrees_of_freedom) + _t_80_percent_quantile(self.degrees_of_freedom)
        )


def crossed_mean(
    attempt_values: ArrayLike,
    cells: CrossedCells,
    weights: ArrayLike | None = None,
    strata: Sequence[Sequence[str]] | None = None,
) -> CrossedEstimate:
    """The mean of values, for other participants at other problems.

    Args:
        attempt_values: One per attempt.
        cells: Participant and problem of each attempt.
        weights: Weight of each attempt; all alike if not given.
        strata: Labels of each attempt, such as categories, between which means differ by nature, not by chance.

    Raises:
        StatisticsError: Nothing is there, lengths differ, or no weight is positive.
    """
    return _column_means(finite_number_column(attempt_values, "Values")[:, None], cells, weights, strata)[0]


def crossed_share(pass_flags: ArrayLike, cells: CrossedCells) -> CrossedEstimate:
    """The share of attempts that passed, for other participants at other problems.

    Wilson's interval (1927) for the number of independent attempts that would have the same standard error (Korn &
    Graubard 1998), with Student's quantile. Where all passed, or none, that number is the participants or the problems,
    whichever are fewer.

    Raises:
        StatisticsError: As in `crossed_mean`.
    """
    return _with_wilson_interval(
        _column_means(flag_column(pass_flags, "Results").astype(np.float64)[:, None], cells)[0]
    )


def crossed_shares(
    pseudo_value_columns: Numbers, cells: CrossedCells, weights: ArrayLike | None = None
) -> list[CrossedEstimate]:
    """Shares from pseudo-values or chances, such as of not having passed by several times.

    Args:
        pseudo_value_columns: Attempts by shares; their means are the shares.
        cells: As in `crossed_mean`.
        weights: As in `crossed_mean`.
    """
    return [_with_wilson_interval(estimate) for estimate in _column_means(pseudo_value_columns, cells, weights)]


def crossed_means(value_columns: Numbers, cells: CrossedCells, weights: ArrayLike) -> list[CrossedEstimate]:
    """Weighted means of several columns, as by `crossed_mean`.

    Args:
        value_columns: Attempts by means.
        cells: As in `crossed_mean`.
        weights: As in `crossed_mean`.
    """
    return _column_means(value_columns, cells, weights)


def crossed_ratio(numerators: ArrayLike, denominators: ArrayLike, cells: CrossedCells) -> CrossedEstimate:
    """The ratio of two sums, for other participants at other problems, by linear approximation (Cochran 1977, 6.4).

    Args:
        numerators: One per attempt.
        denominators: One per attempt, not negative; their sum is positive.
        cells: Participant and problem of each attempt.

    Raises:
        StatisticsError: A denominator is negative, all are 0, or as in `crossed_mean`.
    """
    numerator_column, denominator_column = (
        finite_number_column(numerators, "Numerators"),
        finite_number_column(denominators, "Denominators", at_least=0),
    )
    common_column_length(numerators=len(numerator_column), denominators=len(denominator_column))
    if denominator_column.sum() <= 0:
        raise StatisticsError("A ratio needs a denominator greater than 0.")
    ratio = float(numerator_column.sum() / denominator_column.sum())
    estimate = crossed_mean((numerator_column - ratio * denominator_column) / denominator_column.mean(), cells)
    low, high = (None if end is None else ratio + end for end in (estimate.low, estimate.high))
    return replace(estimate, value=ratio, low=low, high=high, p_value=None)


def _column_means(
    value_columns: Numbers,
    cells: CrossedCells,
    weights: ArrayLike | None = None,
    strata: Sequence[Sequence[str]] | None = None,
) -> list[CrossedEstimate]:
    row_count = len(value_columns)
    design = CrossedDesign(cells, row_count)
    shares = np.ones(row_count) if weights is None else finite_number_column(weights, "Weights", at_least=0)
    common_column_length(values=row_count, weights=len(shares), strata=len(strata) if strata is not None else row_count)
    if shares.sum() <= 0:
        raise StatisticsError("At least one weight has to be positive.")
    fixed = [np.ones((row_count, 1)), *([_stratum_indicators(strata)] if strata is not None else [])]
    model = design.variance_model_of_means(np.hstack(fixed))
    total_weight = float(shares.sum())
    return [
        # Divided last, so that a share of all is 1.
        replace(
            _weighted_sum_estimate(
                column, shares / total_weight, model, design, exact_value=float(shares @ column) / total_weight
            ),
            clusters=design.varying_cluster_count(),
        )
        for column in value_columns.T
    ]


def _stratum_indicators(labels_of_rows: Sequence[Sequence[str]]) -> Numbers:
    names = sorted({label for labels in labels_of_rows for label in labels})
    return np.array([[name in labels for name in names] for labels in labels_of_rows], dtype=np.float64)


def _with_wilson_interval(mean_estimate: CrossedEstimate) -> CrossedEstimate:
    value = min(1.0, max(0.0, mean_estimate.value))
    people_units = mean_estimate.clusters or mean_estimate.participants
    fewest = min((size for size in (people_units, mean_estimate.problems) if size), default=0)
    if mean_estimate.standard_error is None and mean_estimate.note != _ALIKE:
        return replace(mean_estimate, value=value)
    if 0 < value < 1 and mean_estimate.standard_error:
        size, df = (
            value * (1 - value) / mean_estimate.standard_error**2,
            max(mean_estimate.degrees_of_freedom or 1.0, fewest - 1.0),
        )
    else:
        size, df = float(fewest), max(1.0, fewest - 1.0)
    reach = _t_interval_quantile(CONFIDENCE, df)
    extra = reach * reach / size
    middle = (value + extra / 2) / (1 + extra)
    half = math.sqrt(extra * value * (1 - value) + extra * extra / 4) / (1 + extra)
    low, high = max(0.0, middle - half), min(1.0, middle + half)
    return replace(mean_estimate, value=value, low=low, high=high, degrees_of_freedom=df, p_value=None, note="")


def crossed_difference(
    attempt_values: ArrayLike,
    in_second_group: ArrayLike,
    cells: CrossedCells,
    covariates: Sequence[ArrayLike] = (),
) -> CrossedEstimate:
    """By how much values under the second condition exceed those under the first.

    Problems are compared with themselves; so are participants where most worked under both conditions. The effect may
    differ between participants and between problems: that counts as chance too.

    Args:
        attempt_values: One per attempt.
        in_second_group: True for each attempt under the second condition.
        cells: Participant and problem of each attempt.
        covariates: Columns of numbers known before conditions were, such as the logarithm of a forecast.

    Raises:
        StatisticsError: Lengths differ, a condition has no attempts, or no problem was tried under both conditions.
    """
    column = finite_number_column(attempt_values, "Values")
    treated = flag_column(in_second_group, "Conditions").astype(np.float64)
    design = CrossedDesign(cells, len(column))
    covariate_columns = [finite_number_column(covariate, "A covariate") for covariate in covariates]
    common_column_length(
        values=len(column),
        conditions=len(treated),
        **{f"covariate_{i}": len(c) for i, c in enumerate(covariate_columns)},
    )
    is_within = design.have_most_people_both_conditions(treated)
    if not design.participants and not covariate_columns:
        column, residual_treatment = design.centre_by_problem(column), design.centre_by_problem(treated)
        model = design.variance_model_of_means(residual_treatment[:, None])
    else:
        residual_treatment, model = design.residual_treatment_and_variance_model(treated, covariate_columns, is_within)
    size = float(residual_treatment @ residual_treatment)
    if size < _NOTHING:
        raise StatisticsError(
            "Who worked on what determines the condition, so its effect can't be separated from theirs."
            if design.has_shared_problems(treated)
            else "No problem was tried under both conditions."
        )
    estimate = replace(_weighted_sum_estimate(column, residual_treatment / size, model, design), within=is_within)
    estimate = replace(estimate, clusters=design.varying_cluster_count(treated))
    lacking = "" if is_within else design.too_few_people_reason(treated)
    return _without_interval(estimate, lacking) if lacking else estimate


def crossed_share_difference(pass_flags: ArrayLike, in_second_group: ArrayLike, cells: CrossedCells) -> CrossedEstimate:
    """By how much the share that passed under the second condition exceeds that under the first.

    The interval is that of `crossed_difference`, less what is below -1 or above 1, where no difference of shares is.

    Raises:
        StatisticsError: As in `crossed_difference`.
    """
    estimate = crossed_difference(flag_column(pass_flags, "Results"), in_second_group, cells)
    low, high = (None if end is None else min(1.0, max(-1.0, end)) for end in (estimate.low, estimate.high))
    return replace(estimate, low=low, high=high)


def _weighted_sum_estimate(
    values: Numbers,
    weights: Numbers,
    variance_model: VarianceModel,
    design: CrossedDesign,
    *,
    exact_value: float | None = None,
) -> CrossedEstimate:
    sample_sizes = (len(values), design.participants, design.problems)
    bare = CrossedEstimate(
        float(weights @ values) if exact_value is None else exact_value, None, None, None, None, None, *sample_sizes
    )
    note = too_few_units_reason(design.participants, design.problems)
    if note:
        return _without_interval(bare, note)
    variance_estimate = variance_model.variance_of(weights, values)
    if variance_estimate is None or variance_estimate.variance <= (_NOTHING * float(np.abs(values).max())) ** 2:
        return _without_interval(bare, _ALIKE)
    error = math.sqrt(variance_estimate.variance)
    df = max(1.0, variance_estimate.degrees_of_freedom)
    reach = _t_interval_quantile(CONFIDENCE, df) * error
    p = _two_sided_t_p_value(bare.value / error, df)
    return CrossedEstimate(bare.value, error, df, bare.value - reach, bare.value + reach, p, *sample_sizes)


def too_few_units_reason(participants: int, problems: int) -> str:
    """Reason why these numbers do not show how much participants and problems vary; empty if they do.

    Args:
        participants: Number of participants; 0 if only models worked.
        problems: Number of problems.
    """
    if 0 < participants < FEWEST_PARTICIPANTS:
        return f"Too few participants for an interval: {participants}, and it takes {FEWEST_PARTICIPANTS}."
    if problems < FEWEST_PROBLEMS:
        return f"Too few problems for an interval: {problems}, and it takes {FEWEST_PROBLEMS}."
    if participants > MANY_PARTICIPANTS and problems < FEWEST_FOR_MANY:
        return (
            f"Too few problems for an interval: {problems}, and it takes {FEWEST_FOR_MANY} with more than "
            f"{MANY_PARTICIPANTS} participants."
        )
    return ""


def _without_interval(estimate: CrossedEstimate, note: str) -> CrossedEstimate:
    return replace(estimate, standard_error=None, degrees_of_freedom=None, low=None, high=None, p_value=None, note=note)


def _t_interval_quantile(confidence: float, degrees_of_freedom: float) -> float:
    from scipy import special

    return float(special.stdtrit(degrees_of_freedom, (1 + confidence) / 2))


def _t_80_percent_quantile(degrees_of_freedom: float) -> float:
    from scipy import special

    return float(special.stdtrit(degrees_of_freedom, 0.8))


def _two_sided_t_p_value(t_ratio: float, degrees_of_freedom: float) -> float:
    from scipy import special

    return float(2 * special.stdtr(degrees_of_freedom, -abs(t_ratio)))
