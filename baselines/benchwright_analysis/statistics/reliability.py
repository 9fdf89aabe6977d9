"""Reliability of a set of problems: how much of solvers' scores would come again at other problems of its kind."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from benchwright_analysis.statistics.columns import Indices, Numbers
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_analysis.statistics.response_table import ResponseTable
from benchwright_judges.agreement.estimators import CONFIDENCE, Estimate

FEWEST_SOLVERS = 20
"""With fewer, intervals were not seen to hold."""
FEWEST_PROBLEMS = 3
_FEWEST_PAIRS = 3
_MOST_PARTS = 60


@dataclass(frozen=True)
class Reliability:
    """Reliability of the number of problems solved."""

    solvers: int
    problems: int
    missing: int
    """Pairs of solver and problem without a result."""
    kr20: Estimate
    omega: Estimate
    """McDonald's, of one common factor; without a value where the factor can't be estimated."""
    error: Estimate
    """Standard error of measurement: of the number of problems solved, of one solver."""


def reliability(responses: ResponseTable) -> Reliability:
    """KR-20, omega and the standard error of measurement.

    Variances and covariances are those of the solvers who have results at both problems of a pair, so that nobody is
    left out. Intervals are the jackknife's, over solvers, of ln(1 - reliability) (Bonett 2002) and of the error's
    logarithm.

    Raises:
        StatisticsError: Too few solvers, problems that vary, or solvers in common of two problems.
    """
    varying, _ = responses.split_off_constant_problems()
    solver_count, problem_count = varying.passes.shape
    if solver_count < FEWEST_SOLVERS or problem_count < FEWEST_PROBLEMS:
        raise StatisticsError(
            f"{solver_count} solvers at {problem_count} problems that some solve and some do not: it takes "
            f"{FEWEST_SOLVERS} solvers at {FEWEST_PROBLEMS} problems."
        )
    answered = varying.is_answered.astype(np.float64)
    fewest = int((answered.T @ answered).min())
    if fewest < _FEWEST_PAIRS:
        raise StatisticsError(
            f"Two problems have {fewest} solvers in common, and it takes {_FEWEST_PAIRS} of each two: no forms that "
            "hardly overlap."
        )
    covariances = _pairwise_covariances(varying.passes)
    leave_out_covariances = [
        _pairwise_covariances(np.delete(varying.passes, left_out, axis=0))
        for left_out in _solver_groups_left_out(solver_count)
    ]
    return Reliability(
        solver_count,
        problem_count,
        varying.missing_count,
        _jackknife_estimate(
            covariances, leave_out_covariances, _kr20, lambda value: -math.log(1 - value), lambda y: 1 - math.exp(-y)
        ),
        _jackknife_estimate(
            covariances, leave_out_covariances, _omega, lambda value: -math.log(1 - value), lambda y: 1 - math.exp(-y)
        ),
        _jackknife_estimate(covariances, leave_out_covariances, _measurement_error, math.log, math.exp),
    )


def _kr20(covariances: Numbers) -> float:
    count = len(covariances)
    return count / (count - 1) * (1 - float(np.trace(covariances) / covariances.sum()))


def _omega(covariances: Numbers) -> float:
    """Of one factor, by principal axes (statsmodels)."""
    from statsmodels.multivariate.factor import Factor

    spreads = np.sqrt(np.diag(covariances))
    if not spreads.all():
        raise ValueError("a problem that all solve alike has no share in a factor")
    factor = Factor(corr=covariances / np.outer(spreads, spreads), n_factor=1, method="pa", smc=False)
    loadings = np.ravel(factor.fit(maxiter=100).loadings)
    common = float((loadings * spreads).sum()) ** 2
    rest = float(((1 - loadings**2) * spreads**2).sum())
    return common / (common + rest)


def _measurement_error(covariances: Numbers) -> float:
    return math.sqrt(float(covariances.sum()) * (1 - _kr20(covariances)))


def _pairwise_covariances(passes: Numbers) -> Numbers:
    answered = ~np.isnan(passes)
    filled, weights = np.where(answered, passes, 0.0), answered.astype(np.float64)
    counts = np.maximum(weights.T @ weights, 1.0)
    # A problem's mean among those who also have a result at the other one.
    means = (filled.T @ weights) / counts
    covariances: Numbers = ((filled.T @ filled) / counts - means * means.T) * counts / np.maximum(counts - 1, 1.0)
    return covariances


def _solver_groups_left_out(solver_count: int) -> list[Indices]:
    """Solvers that are left out together: one by one, or of many in equal parts."""
    return [
        np.arange(start, solver_count, min(solver_count, _MOST_PARTS), dtype=np.intp)
        for start in range(min(solver_count, _MOST_PARTS))
    ]


def _jackknife_estimate(
    covariances: Numbers,
    leave_out_covariances: list[Numbers],
    statistic: Callable[[Numbers], float],
    to_normal_scale: Callable[[float], float],
    from_normal_scale: Callable[[float], float],
) -> Estimate:
    from scipy import special

    try:
        value = statistic(covariances)
        transformed = np.array([to_normal_scale(statistic(part)) for part in leave_out_covariances])
        middle = to_normal_scale(value)
    except (ValueError, ZeroDivisionError, np.linalg.LinAlgError):
        # A covariance that is no one's, as pairs of a table with gaps may have, or a variance of 0.
        return Estimate(value=None)
    if not (math.isfinite(middle) and np.isfinite(transformed).all()):
        return Estimate(value=None)
    count = len(leave_out_covariances)
    error = math.sqrt((count - 1) / count * float(((transformed - transformed.mean()) ** 2).sum()))
    reach = float(special.stdtrit(count - 1, (1 + CONFIDENCE) / 2)) * error
    return Estimate(value=value, low=from_normal_scale(middle - reach), high=from_normal_scale(middle + reach))
