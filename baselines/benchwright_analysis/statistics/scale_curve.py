"""CS-Bench's curve of a family's scores over its sizes (arXiv:2406.08587, section 3.4), by least squares.

score = 1 - 1 / (a * log10(b * parameters + 1) + 1), with a and b greater than 0: it grows from 0 and never reaches 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from benchwright_analysis.statistics.columns import Numbers, common_column_length, finite_number_column
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_judges.agreement.estimators import CONFIDENCE, Estimate

FEWEST_MODELS = 2
"""Each of the curve's two numbers takes a model; with no more than two, nothing says how far off it is."""
_MOST_LOGARITHM = 60.0
"""Of either number of the curve: beyond it, other numbers give the same curve."""


@dataclass(frozen=True)
class ScaleCurve:
    """A family's curve."""

    steepness: float
    """a."""
    reach: float
    """b, for each unit of the parameters."""
    models: int
    smallest: float
    largest: float
    residual: float | None
    """Standard deviation of the residuals, with `models` - 2 degrees of freedom; None with two models."""
    covariance: Sequence[Sequence[float]] | None
    """Of the logarithms of a and b, shape (2, 2); None with two models, or where the scores don't determine both."""

    def curve_score(self, parameter_count: float) -> float:
        """The score on the curve, from 0 to 1."""
        return float(_curve_scores(np.log([self.steepness, self.reach]), np.asarray([parameter_count]))[0])

    def predict_with_interval(self, parameter_count: float) -> Estimate:
        """The score of another model of this size, with its 95 % prediction interval by the delta method.

        The residuals are taken as independent and normal; neither is known, least of all outside the sizes tried.

        Args:
            parameter_count: Number of parameters in the unit of the fit.

        Returns:
            Between 0 and 1; without an interval where the curve has none.
        """
        value = self.curve_score(parameter_count)
        if self.residual is None or self.covariance is None:
            return Estimate(value=value)
        from scipy import special

        gradient = _curve_gradients(np.log([self.steepness, self.reach]), np.asarray([parameter_count]))[0]
        variance = self.residual**2 + float(gradient @ np.asarray(self.covariance) @ gradient)
        half = float(special.stdtrit(self.models - 2, (1 + CONFIDENCE) / 2)) * math.sqrt(variance)
        return Estimate(value=value, low=max(0.0, value - half), high=min(1.0, value + half))


def fit_scale_curve(parameter_counts: ArrayLike, scores: ArrayLike) -> ScaleCurve:
    """Fit the curve of one family.

    Args:
        parameter_counts: Number of parameters of each model, greater than 0, all in one unit.
        scores: Score of each model, from 0 to 1.

    Raises:
        StatisticsError: Fewer than two models, lengths differ, all have the same size, or no curve follows the scores.
    """
    from scipy import optimize

    sizes = finite_number_column(parameter_counts, "Parameters", at_least=0)
    column = finite_number_column(scores, "Scores", at_least=0)
    common_column_length(parameters=len(sizes), scores=len(column))
    if len(sizes) < FEWEST_MODELS:
        raise StatisticsError(f"Too few models for a curve: {len(sizes)}, and it takes {FEWEST_MODELS}.")
    if sizes.min() <= 0 or np.ptp(sizes) == 0:
        raise StatisticsError("A curve needs models of different sizes, all greater than 0.")

    def residuals(logarithms: Numbers) -> Numbers:
        return _curve_scores(logarithms, sizes) - column

    def gradients(logarithms: Numbers) -> Numbers:
        return _curve_gradients(logarithms, sizes)

    fit = optimize.least_squares(
        residuals,
        np.asarray([0.0, -float(np.log(np.median(sizes)))]),
        gradients,
        bounds=(-_MOST_LOGARITHM, _MOST_LOGARITHM),
        x_scale="jac",
    )
    if not fit.success or np.abs(fit.x).max() > _MOST_LOGARITHM - 1:
        raise StatisticsError("No curve follows these scores: they do not grow with the size of the models.")
    degrees_of_freedom = len(sizes) - 2
    residual = math.sqrt(2 * float(fit.cost) / degrees_of_freedom) if degrees_of_freedom else None
    jacobian = _curve_gradients(fit.x, sizes)
    information = jacobian.T @ jacobian
    covariance: Sequence[Sequence[float]] | None = None
    if residual is not None and np.linalg.cond(information) < 1 / np.finfo(float).eps:
        covariance = (residual**2 * np.linalg.inv(information)).tolist()
    steepness, reach = np.exp(fit.x)
    return ScaleCurve(
        steepness=float(steepness),
        reach=float(reach),
        models=len(sizes),
        smallest=float(sizes.min()),
        largest=float(sizes.max()),
        residual=residual,
        covariance=covariance,
    )


def _curve_scores(log_steepness_and_reach: Numbers, parameter_counts: Numbers) -> Numbers:
    scores: Numbers = 1 - 1 / (
        math.exp(log_steepness_and_reach[0]) * np.log10(math.exp(log_steepness_and_reach[1]) * parameter_counts + 1) + 1
    )
    return scores


def _curve_gradients(log_steepness_and_reach: Numbers, parameter_counts: Numbers) -> Numbers:
    """Derivatives of the scores by the logarithms of a and b; shape (sizes, 2)."""
    steepness, reach = np.exp(log_steepness_and_reach)
    growth = steepness * np.log10(reach * parameter_counts + 1)
    by_reach = steepness * reach * parameter_counts / ((reach * parameter_counts + 1) * math.log(10))
    gradients: Numbers = np.stack([growth, by_reach], axis=1) / (growth[:, np.newaxis] + 1) ** 2
    return gradients
