"""Problems that are harder for one kind of solvers than for others who solve as many: differential functioning."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from benchwright_analysis.statistics.columns import Flags, Numbers
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_analysis.statistics.item_response import NORMAL_QUANTILE, fit_rasch, mirt_coded_passes
from benchwright_analysis.statistics.response_table import ResponseTable
from benchwright_judges.agreement.estimators import Estimate

FEWEST_OF_EACH = 50
"""Solvers of each kind; of 20 of each, not even a difference of two logits was found in simulations."""
FEWEST_PROBLEMS = 10
_DELTA = -2.35
"""Of a logarithm of odds, on the scale on which Educational Testing Service writes difficulties."""
_SMALL, _LARGE = 1.0, 1.5
_LEVEL = 0.05
_ONE_SIDED_QUANTILE = 1.6448536269514722


class EffectClass(StrEnum):
    """How much it matters, by the rule of Educational Testing Service (Zieky 1993)."""

    NEGLIGIBLE = "A"
    MODERATE = "B"
    LARGE = "C"


@dataclass(frozen=True)
class ProblemDifference:
    """How much harder a problem is for models than for people who solve as many of the others."""

    delta: Estimate
    """Mantel and Haenszel's, -2.35 times the logarithm of the odds ratio: below 0 the problem is harder for models."""
    p_value: float
    adjusted: float
    """Among all problems: the smallest share of false discoveries at which this would be one (Benjamini & Hochberg)."""
    effect: EffectClass
    people: int
    models: int


def differential_functioning(responses: ResponseTable, is_model: Flags) -> Mapping[str, ProblemDifference]:
    """Compares people and models of equal ability at each problem, by Mantel and Haenszel (statsmodels).

    Solvers are matched by the number of problems that they would solve of all, at the ability that their own results
    show: with no gaps it is the number that they solved. Problems that are then found to differ are left out of the
    matching, but where they are compared themselves (Holland & Thayer 1988).

    Args:
        responses: Results of both.
        is_model: True for the solvers that are models.

    Raises:
        StatisticsError: Too few of either, or too few problems.
    """
    varying, alike = responses.split_off_constant_problems()
    people, models = int((~is_model).sum()), int(is_model.sum())
    if min(people, models) < FEWEST_OF_EACH or len(varying.problems) < FEWEST_PROBLEMS:
        raise StatisticsError(
            f"There are {people} people and {models} models at {len(varying.problems)} problems that some solved and "
            f"some did not, and it takes {FEWEST_OF_EACH} of each at {FEWEST_PROBLEMS} problems."
        )
    everything = np.ones(len(varying.problems), dtype=np.bool_)
    first_pass = _problem_differences(varying, is_model, everything, alike)
    unlike = np.array(
        [problem in first_pass and first_pass[problem].adjusted < _LEVEL for problem in varying.problems],
        dtype=np.bool_,
    )
    if not unlike.any() or int((~unlike).sum()) < FEWEST_PROBLEMS // 2:
        return first_pass
    return _problem_differences(varying, is_model, ~unlike, alike)


def _problem_differences(
    responses: ResponseTable, is_model: Flags, is_matching_problem: Flags, constant_problems: tuple[str, ...]
) -> dict[str, ProblemDifference]:
    from statsmodels.stats.multitest import multipletests

    common_scores = _matching_scores(responses, is_matching_problem, constant_problems)
    log_odds: dict[str, tuple[float, float, float, int, int]] = {}
    for column, problem in enumerate(responses.problems):
        if is_matching_problem[column]:
            scores = common_scores
        else:
            with_itself = is_matching_problem.copy()
            with_itself[column] = True
            scores = _matching_scores(responses, with_itself, constant_problems)
        odds_statistics = _mantel_haenszel(responses.passes[:, column], is_model, scores)
        if odds_statistics is not None:
            log_odds[problem] = odds_statistics
    if not log_odds:
        return {}
    adjusted = multipletests([p for _, _, p, _, _ in log_odds.values()], method="fdr_bh")[1]
    problem_differences = {}
    for (problem, (value, error, p, people, models)), corrected in zip(log_odds.items(), adjusted, strict=True):
        ends = sorted(_DELTA * (value + side * NORMAL_QUANTILE * error) for side in (-1, 1))
        delta = Estimate(value=_DELTA * value, low=ends[0], high=ends[1])
        effect = _effect_class(_DELTA * value, abs(_DELTA) * error, float(corrected))
        problem_differences[problem] = ProblemDifference(delta, p, float(corrected), effect, people, models)
    return problem_differences


def _matching_scores(
    responses: ResponseTable, is_matching_problem: Flags, constant_problems: tuple[str, ...]
) -> Numbers:
    from scipy import special

    matched = responses.of_problems(is_matching_problem)
    if not matched.missing_count:
        return np.asarray(matched.passes.sum(axis=1), dtype=np.float64)
    import mirt

    fitted = fit_rasch(matched, constant_problems)
    scores = mirt.fscores(fitted.model, mirt_coded_passes(matched), method="ML", bounds=(-10.0, 10.0))
    abilities = np.ravel(np.asarray(scores.theta, dtype=np.float64))
    difficulties = np.asarray(fitted.model.parameters["difficulty"], dtype=np.float64)
    expected_passes = special.expit(abilities[:, None] - difficulties).sum(axis=1)
    return np.asarray(np.round(expected_passes), dtype=np.float64)


def _mantel_haenszel(passes: Numbers, is_model: Flags, scores: Numbers) -> tuple[float, float, float, int, int] | None:
    """Logarithm of the odds ratio of people to models, its error, its p-value, and how many of both count."""
    from statsmodels.stats.contingency_tables import StratifiedTable

    level_tables = []
    for score in np.unique(scores):
        level = (scores == score) & ~np.isnan(passes)
        solved = passes == 1
        level_table = np.array(
            [[np.sum(level & of_kind & result) for result in (solved, ~solved)] for of_kind in (~is_model, is_model)],
            dtype=np.float64,
        )
        if (level_table.sum(axis=0) > 0).all() and (level_table.sum(axis=1) > 0).all():
            level_tables.append(level_table)
    if len(level_tables) < 2:
        return None
    stratified = StratifiedTable(level_tables)
    value, error = float(stratified.logodds_pooled), float(stratified.logodds_pooled_se)
    if not (math.isfinite(value) and math.isfinite(error)):
        return None
    people, models = (int(sum(level_table[row].sum() for level_table in level_tables)) for row in (0, 1))
    return value, error, float(stratified.test_null_odds(correction=True).pvalue), people, models


def _effect_class(delta: float, standard_error: float, p_value: float) -> EffectClass:
    if p_value >= _LEVEL or abs(delta) < _SMALL:
        return EffectClass.NEGLIGIBLE
    if abs(delta) >= _LARGE and abs(delta) - _ONE_SIDED_QUANTILE * standard_error > _SMALL:
        return EffectClass.LARGE
    return EffectClass.MODERATE
