"""Human time horizon against other implementations of logistic regression, and where there is none."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from sklearn.linear_model import LogisticRegression

from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_analysis.statistics.horizon import METR_RIDGE, FitKind, Weights, human_time_horizon

PROBLEMS = np.repeat(np.arange(24), 4)
MINUTES = np.geomspace(1, 480, 24)[PROBLEMS]
FAMILIES = (PROBLEMS // 3).tolist()
NAMES = PROBLEMS.tolist()


def draw_pass_flags(seed: int = 1) -> np.ndarray:
    chance = 1 / (1 + np.exp(0.9 * (np.log2(MINUTES) - 5)))
    return np.random.default_rng(seed).random(len(MINUTES)) < chance


def test_without_a_penalty_the_fit_is_statsmodels_logit() -> None:
    passed_flags = draw_pass_flags()
    own_fit = human_time_horizon(MINUTES, passed_flags, NAMES, ridge=0, seed=1, resamples=50)
    theirs = sm.Logit(passed_flags.astype(float), sm.add_constant(np.log2(MINUTES))).fit(disp=False)
    assert (own_fit.intercept, own_fit.slope) == pytest.approx(tuple(theirs.params), abs=1e-6)
    half, long_horizon = own_fit.horizons
    assert half.minutes == pytest.approx(2 ** (-theirs.params[0] / theirs.params[1]), rel=1e-6)
    assert long_horizon.minutes == pytest.approx(2 ** ((math.log(4) - theirs.params[0]) / theirs.params[1]), rel=1e-6)


@pytest.mark.parametrize("ridge", [0.1, 1, 10])
def test_with_a_penalty_the_fit_is_scikit_learns(ridge: float) -> None:
    """METR's published analysis fits sklearn's LogisticRegression(C=1/ridge), which leaves the intercept free."""
    passed_flags = draw_pass_flags(2)
    own_fit = human_time_horizon(MINUTES, passed_flags, NAMES, ridge=ridge, seed=1, resamples=50)
    theirs = LogisticRegression(C=1 / ridge, tol=1e-8, max_iter=1000).fit(np.log2(MINUTES)[:, None], passed_flags)
    assert own_fit.slope == pytest.approx(theirs.coef_[0][0], abs=1e-4)
    assert own_fit.intercept == pytest.approx(theirs.intercept_[0], abs=1e-4)


def test_intervals_hold_the_value_and_repeat_with_the_seed() -> None:
    first_fit = human_time_horizon(MINUTES, draw_pass_flags(), NAMES, FAMILIES, seed=5)
    assert first_fit == human_time_horizon(MINUTES, draw_pass_flags(), NAMES, FAMILIES, seed=5)
    assert (first_fit.fit, first_fit.attempts, first_fit.problems, first_fit.families) == (FitKind.FITTED, 96, 24, 8)
    for horizon in first_fit.horizons:
        assert horizon.minutes is not None and horizon.low is not None and horizon.high is not None
        assert horizon.low < horizon.minutes < horizon.high
        assert not horizon.beyond_data
    assert first_fit.curve is not None
    assert all(
        low <= middle <= high
        for low, middle, high in zip(first_fit.curve.low, first_fit.curve.success, first_fit.curve.high, strict=True)
    )


def test_chance_of_attempts_alone_gives_the_interval_of_the_delta_method() -> None:
    """Problems of one family, of two lengths, all alike: nine of ten pass in one minute, one of ten in 1024.

    The log odds at the middle, 32 minutes, vary by sqrt(1 / (2 * 200 * 0.9 * 0.1)), and the slope is 2 log(9) / 10.
    """
    problems = np.repeat(np.arange(40), 10)
    minutes = np.where(problems < 20, 1, 1024)
    passed = (np.arange(400) % 10 < 9) == (problems < 20)
    horizon = human_time_horizon(minutes, passed, problems.tolist(), ["all"] * 400, seed=1, resamples=2000).horizons[0]
    reach = 1.96 * math.sqrt(1 / (2 * 200 * 0.9 * 0.1)) / (2 * math.log(9) / 10)
    assert horizon.minutes == pytest.approx(32)
    assert horizon.low is not None and horizon.high is not None
    assert math.log2(32 / horizon.low) == pytest.approx(reach, rel=0.1)
    assert math.log2(horizon.high / 32) == pytest.approx(reach, rel=0.1)


def test_families_that_succeed_and_fail_as_one_widen_the_interval() -> None:
    family = np.random.default_rng(3).random(8)
    passed_flags = family[PROBLEMS // 3] < 1 / (1 + np.exp(0.9 * (np.log2(MINUTES) - 5)))
    independent_horizon = human_time_horizon(MINUTES, passed_flags, NAMES, seed=1).horizons[0]
    family_horizon = human_time_horizon(MINUTES, passed_flags, NAMES, FAMILIES, seed=1).horizons[0]
    assert (
        independent_horizon.low is not None
        and family_horizon.low is not None
        and family_horizon.low < independent_horizon.low
    )


@pytest.mark.parametrize(
    ("all_passed", "fit", "message"),
    [(True, FitKind.ALL_PASSED, "longer ones are needed"), (False, FitKind.ALL_FAILED, "shorter ones are needed")],
)
def test_all_passed_or_all_failed_is_beyond_the_range(all_passed: bool, fit: FitKind, message: str) -> None:
    horizon_fit = human_time_horizon(MINUTES, np.full(len(MINUTES), all_passed), NAMES, seed=1)
    assert horizon_fit.fit is fit and message in horizon_fit.note
    assert horizon_fit.slope is None and horizon_fit.curve is None
    for horizon in horizon_fit.horizons:
        assert horizon.beyond_data and horizon.minutes is horizon.low is horizon.high is None


def test_separated_data_gives_a_horizon_within_the_gap_and_says_so() -> None:
    horizon_fit = human_time_horizon(MINUTES, MINUTES < 30, NAMES, seed=1)
    assert horizon_fit.fit is FitKind.SEPARATED and "penalty" in horizon_fit.note
    longest_passed, shortest_failed = MINUTES[MINUTES < 30].max(), MINUTES[MINUTES >= 30].min()
    half = horizon_fit.horizons[0].minutes
    assert half is not None and longest_passed < half < shortest_failed
    with pytest.raises(StatisticsError, match="separated"):
        human_time_horizon(MINUTES, MINUTES < 30, NAMES, ridge=0, seed=1)


def test_success_that_rises_with_length_has_no_horizon() -> None:
    horizon_fit = human_time_horizon(MINUTES, MINUTES > 30, NAMES, seed=1)
    assert horizon_fit.fit is FitKind.NOT_FALLING
    assert horizon_fit.slope is not None and horizon_fit.slope > 0
    assert all(horizon.minutes is None and horizon.beyond_data for horizon in horizon_fit.horizons)


def test_a_nearly_flat_curve_has_no_horizon_in_millions_of_years() -> None:
    """Each length passes alike, the shortest once more."""
    passed_flags = np.tile([True, True, True, False], 24)
    passed_flags[3] = True
    horizon_fit = human_time_horizon(MINUTES, passed_flags, NAMES, levels=(1e-9,), ridge=1000, seed=1)
    assert horizon_fit.slope is not None and -0.01 < horizon_fit.slope < 0
    assert horizon_fit.horizons[0].minutes is None and horizon_fit.horizons[0].beyond_data


def test_a_horizon_outside_the_problems_is_marked() -> None:
    passed_flags = draw_pass_flags() | (MINUTES < 400)
    passed_flags[-1] = False
    horizon_fit = human_time_horizon(MINUTES, passed_flags, NAMES, levels=(0.01,), seed=1)
    assert horizon_fit.horizons[0].beyond_data


@pytest.mark.parametrize(
    ("horizon_columns", "message"),
    [
        (([1, 2], [1, 0], ["a", "a"]), "Problem a has two human times, 1 and 2 minutes"),
        (([1, 1], [1, 0], ["a", "a"], ["x", "y"]), "Problem a is in two families, x and y"),
        (([3, 3], [1, 0], ["a", "b"]), "all take people equally long"),
        (([0, 3], [1, 0], ["a", "b"]), "Human minutes have to be greater than 0: item 0 is 0"),
        (([1], [1, 0], ["a"]), "equally long"),
    ],
)
def test_what_allows_no_horizon_is_named(horizon_columns: tuple[list[Any], ...], message: str) -> None:
    with pytest.raises(StatisticsError, match=message):
        human_time_horizon(*horizon_columns, seed=1)


def test_metrs_weights_are_scikit_learns_with_a_square_root_of_the_family() -> None:
    """1/sqrt(problems in the family), shared by a problem's runs, adding up to 1; C = 1/regularization."""
    random = np.random.default_rng(5)
    problems = np.repeat(np.arange(12), random.integers(1, 9, 12))
    minutes = np.geomspace(1, 480, 12)[problems]
    family = np.array([0, 0, 0, 0, 0, 0, 1, 1, 2, 3, 4, 4])
    passed_flags = random.random(len(problems)) < 1 / (1 + np.exp(0.9 * (np.log2(minutes) - 5)))
    sizes = np.bincount(family)[family][problems]
    weights = 1 / np.sqrt(sizes) / np.bincount(problems)[problems]
    weights /= weights.sum()
    model = LogisticRegression(C=1 / METR_RIDGE, tol=1e-10, max_iter=10_000)
    theirs = model.fit(np.log2(minutes)[:, None], passed_flags, sample_weight=weights)
    own_fit = human_time_horizon(
        minutes, passed_flags, problems.tolist(), family[problems].tolist(), weights=Weights.METR, seed=1, resamples=50
    )
    assert own_fit.weights is Weights.METR
    assert (own_fit.intercept, own_fit.slope) == pytest.approx((theirs.intercept_[0], theirs.coef_[0, 0]), rel=1e-4)
    equal_weights_fit = human_time_horizon(
        minutes, passed_flags, problems.tolist(), family[problems].tolist(), seed=1, resamples=50
    )
    assert equal_weights_fit.slope != pytest.approx(own_fit.slope, rel=1e-2)
