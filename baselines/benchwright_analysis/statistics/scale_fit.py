"""Scores of a family of models against their size: score = a + b * ln(parameters), by least squares.

It goes beyond 0 and 1, which `scale_curve` does not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from benchwright_analysis.statistics.columns import Numbers, common_column_length, finite_number_column
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_judges.agreement.estimators import CONFIDENCE, Estimate

FEWEST_MODELS = 3
"""A line through two points says nothing of a third."""


@dataclass(frozen=True)
class ScaleLine:
    """A family's line."""

    intercept: float
    slope: float
    """Of the score, for each unit of the natural logarithm."""
    per_doubling: Estimate
    """By how much the score grows when the parameters double."""
    r_squared: float
    models: int
    smallest: float
    largest: float
    residual: float
    """Standard deviation of the residuals, with `models` - 2 degrees of freedom."""
    middle: float
    """Mean of the logarithms."""
    spread: float
    """Sum of their squared deviations."""

    def line_score(self, parameter_count: float) -> float:
        """The score on the line."""
        return self.intercept + self.slope * math.log(parameter_count)

    def predict_with_interval(self, parameter_count: float) -> Estimate:
        """The score of another model of this size, with its 95 % prediction interval by Student's distribution.

        The residuals are taken as independent and normal; neither is known, least of all outside the sizes tried.

        Args:
            parameter_count: Number of parameters in the unit of the fit.
        """
        value = self.line_score(parameter_count)
        distance = (math.log(parameter_count) - self.middle) ** 2 / self.spread
        half = _t_interval_quantile(self.models - 2) * self.residual * math.sqrt(1 + 1 / self.models + distance)
        return Estimate(value=value, low=value - half, high=value + half)


def fit_scale_line(parameter_counts: ArrayLike, scores: ArrayLike) -> ScaleLine:
    """Fit the line of one family.

    Args:
        parameter_counts: Number of parameters of each model, greater than 0, all in one unit.
        scores: Score of each model.

    Raises:
        StatisticsError: Fewer than three models, lengths differ, or all have the same size.
    """
    sizes, column = (
        finite_number_column(parameter_counts, "Parameters", at_least=0),
        finite_number_column(scores, "Scores"),
    )
    common_column_length(parameters=len(sizes), scores=len(column))
    if len(sizes) < FEWEST_MODELS:
        raise StatisticsError(f"Too few models for a fit: {len(sizes)}, and it takes {FEWEST_MODELS}.")
    if sizes.min() <= 0 or np.ptp(sizes) == 0:
        raise StatisticsError("A fit needs models of different sizes, all greater than 0.")
    logs: Numbers = np.log(sizes)
    middle = float(logs.mean())
    spread = float(np.sum((logs - middle) ** 2))
    slope = float(np.sum((logs - middle) * column) / spread)
    intercept = float(column.mean()) - slope * middle
    residual_squares = float(np.sum((column - intercept - slope * logs) ** 2))
    total = float(np.sum((column - column.mean()) ** 2))
    residual = math.sqrt(residual_squares / (len(sizes) - 2))
    half = _t_interval_quantile(len(sizes) - 2) * residual / math.sqrt(spread)
    grows = Estimate(value=slope * math.log(2), low=(slope - half) * math.log(2), high=(slope + half) * math.log(2))
    return ScaleLine(
        intercept=intercept,
        slope=slope,
        per_doubling=grows,
        r_squared=1 - residual_squares / total if total > 0 else 1.0,
        models=len(sizes),
        smallest=float(sizes.min()),
        largest=float(sizes.max()),
        residual=residual,
        middle=middle,
        spread=spread,
    )


def _t_interval_quantile(degrees_of_freedom: int) -> float:
    from scipy import special

    return float(special.stdtrit(degrees_of_freedom, (1 + CONFIDENCE) / 2))
