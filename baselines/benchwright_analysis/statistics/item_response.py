"""One scale for solvers and problems: Rasch's model, by the library mirt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchwright_analysis.statistics.columns import Numbers
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_analysis.statistics.response_table import ResponseTable
from benchwright_judges.agreement.estimators import Estimate

if TYPE_CHECKING:
    # SciPy takes most of a second to import.
    from mirt import OneParameterLogistic

FEWEST_SOLVERS = 50
"""With fewer, problems that do not fit the scale would mostly go unseen: the page on error rates has the shares."""
FEWEST_PROBLEMS = 10
_FEWEST_RESULTS = 5
_MISFIT_LEVEL = 0.05
NORMAL_QUANTILE = 1.959963984540054
"""Of a 95 % interval."""


@dataclass(frozen=True)
class AbilityScale:
    """Abilities of solvers and difficulties of problems in logits; 0 is the mean difficulty.

    A solver of ability 1 solves a problem of difficulty 0 with the chance 1/(1 + e⁻¹) = 73 %.
    """

    difficulties: Mapping[str, Estimate]
    abilities: Mapping[str, Estimate]
    standard_errors: Mapping[str, float]
    """Of each solver's ability."""
    spread: float
    """Standard deviation of ability, of all solvers."""
    misfit_p: float
    """P-value of the test that all problems separate solvers alike."""
    alike: tuple[str, ...]
    """Problems that everybody solved, or nobody: they have no place on the scale."""
    missing: int
    """Pairs of solver and problem without a result."""
    model: OneParameterLogistic
    responses: ResponseTable
    """What the scale was fitted to."""


def fit_and_test_ability_scale(responses: ResponseTable) -> AbilityScale:
    """Fits the scale, if there is enough data to see that it does not hold.

    Raises:
        StatisticsError: Too few solvers or problems, no results that tie them together, or problems that separate
            solvers unlike each other.
    """
    varying, alike = responses.split_off_constant_problems()
    solver_count, problem_count = varying.passes.shape
    if solver_count < FEWEST_SOLVERS or problem_count < FEWEST_PROBLEMS:
        raise StatisticsError(
            f"There are {solver_count} solvers and {problem_count} problems that some of them solved and some did not, "
            f"and it takes {FEWEST_SOLVERS} and {FEWEST_PROBLEMS}: with fewer, nothing would show that problems do not "
            "fit the scale."
        )
    fitted = fit_rasch(varying, alike)
    if fitted.misfit_p < _MISFIT_LEVEL:
        raise StatisticsError(
            f"The problems separate solvers unlike each other (p = {fitted.misfit_p:.2g}), and then intervals of "
            "difficulties do not hold, nor can a number of solved problems stand for an ability."
        )
    return fitted


def fit_rasch(varying_responses: ResponseTable, constant_problems: tuple[str, ...] = ()) -> AbilityScale:
    """Fits the scale, however few there are: for simulations, and for forms whose scales are to be joined.

    Difficulties are those of the largest marginal likelihood, for normal abilities whose variance is estimated too
    (Bock & Aitkin 1981), with Louis's information; abilities Warm's weighted likelihood (1989), which takes each
    solver's own results: one that is missing says nothing about the rest.

    Args:
        varying_responses: Problems that some solved and some did not.
        constant_problems: Names of the others.

    Raises:
        StatisticsError: Results do not tie the problems together, or the fit does not converge.
    """
    import mirt
    from mirt.estimation import EMEstimator, GaussianDensity

    _require_connected_results(varying_responses)
    coded = mirt_coded_passes(varying_responses)
    problem_count = len(varying_responses.problems)
    estimator = EMEstimator(latent_density=GaussianDensity(n_dimensions=1, estimate_cov=True))
    try:
        fit = estimator.fit(mirt.OneParameterLogistic(problem_count), coded)
    except mirt.MirtError as error:
        raise StatisticsError(f"The scale can't be fitted: {error}") from error
    covariances = None if fit.vcov is None else np.asarray(fit.vcov, dtype=np.float64)
    if not fit.converged or covariances is None or not np.isfinite(covariances).all():
        raise StatisticsError("The scale can't be fitted: the estimates do not settle.")
    raw_difficulties = np.asarray(fit.model.parameters["difficulty"], dtype=np.float64)
    origin = float(raw_difficulties.mean())
    centring = np.eye(problem_count) - 1 / problem_count
    difficulty_errors = np.sqrt(np.diag(centring @ covariances @ centring))
    scores = mirt.fscores(fit, coded, method="WLE", bounds=(-10.0, 10.0))
    raw_abilities = np.ravel(np.asarray(scores.theta, dtype=np.float64))
    ability_errors = np.ravel(np.asarray(scores.standard_error, dtype=np.float64))
    spread = 1.0 if fit.latent_covariance is None else float(np.sqrt(np.ravel(fit.latent_covariance)[0]))
    return AbilityScale(
        _estimates_by_name(varying_responses.problems, raw_difficulties - origin, difficulty_errors),
        _estimates_by_name(varying_responses.solvers, raw_abilities - origin, ability_errors),
        dict(zip(varying_responses.solvers, ability_errors.tolist(), strict=True)),
        spread,
        _misfit_p_value(varying_responses, raw_abilities, raw_difficulties),
        constant_problems,
        varying_responses.missing_count,
        fit.model,
        varying_responses,
    )


def mirt_coded_passes(responses: ResponseTable) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """Results as mirt takes them: -1 where there is none."""
    return np.where(responses.is_answered, responses.passes, -1).astype(np.int64)


def _require_connected_results(responses: ResponseTable) -> None:
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    answered = responses.is_answered
    fewest = int(answered.sum(axis=0).min())
    if fewest < _FEWEST_RESULTS:
        problem = responses.problems[int(answered.sum(axis=0).argmin())]
        raise StatisticsError(f"{problem} has results of {fewest} solvers, and it takes {_FEWEST_RESULTS}.")
    solver_count = len(answered)
    solver_rows, problem_columns = answered.nonzero()
    node_count = solver_count + answered.shape[1]
    edges = csr_array(
        (np.ones(len(solver_rows)), (solver_rows, solver_count + problem_columns)), shape=(node_count, node_count)
    )
    component_count, _ = connected_components(edges, directed=False)
    if component_count > 1:
        raise StatisticsError(
            f"Solvers and problems fall into {component_count} parts that share nobody and nothing, so no scale holds "
            "for both. Let some solvers work in each."
        )


def _misfit_p_value(responses: ResponseTable, abilities: Numbers, difficulties: Numbers) -> float:
    """Test of equal slopes: how much more or less than the scale says each problem's chance rises with ability.

    The slope's deviation is a step of Newton's from 1 with its information; its homogeneity over problems is Cochran's.
    """
    from scipy import special

    chances = special.expit(abilities[:, None] - difficulties)
    answered = responses.is_answered
    information = np.where(answered, chances * (1 - chances), 0.0)
    residuals = np.where(answered, responses.passes - chances, 0.0)
    centred = abilities[:, None] - (information * abilities[:, None]).sum(axis=0) / information.sum(axis=0)
    weights = (information * centred**2).sum(axis=0)
    deviations = (residuals * centred).sum(axis=0) / weights
    mean = float((weights * deviations).sum() / weights.sum())
    return float(special.chdtrc(len(deviations) - 1, float((weights * (deviations - mean) ** 2).sum())))


def _estimates_by_name(names: tuple[str, ...], values: Numbers, standard_errors: Numbers) -> dict[str, Estimate]:
    return {
        name: Estimate(value=value, low=value - NORMAL_QUANTILE * error, high=value + NORMAL_QUANTILE * error)
        for name, value, error in zip(names, values.tolist(), standard_errors.tolist(), strict=True)
    }
