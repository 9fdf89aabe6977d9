"""Effects, several tests at once and calibration against closed forms and published examples."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import brier_score_loss

from benchwright_analysis.statistics.calibration import chance_calibration, rank_correlation, time_calibration
from benchwright_analysis.statistics.condition_effects import condition_effects
from benchwright_analysis.statistics.crossed import crossed_mean, crossed_share
from benchwright_analysis.statistics.crossed_design import CrossedCells
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_analysis.statistics.multiple import holm_tests

# First calls import much of SciPy, however little time a test has.
SETTINGS = settings(deadline=None, max_examples=50)


def draw_times_and_conditions(seed: int = 1) -> tuple[np.ndarray, list[str], np.ndarray, list[int]]:
    random = np.random.default_rng(seed)
    conditions = ["ai" if draw else "none" for draw in random.random(60) < 0.5]
    forecasts = random.lognormal(3, 0.5, 60)
    slower = np.array([math.log(0.8) if condition == "ai" else 0 for condition in conditions])
    times = np.exp(0.2 + slower + 0.9 * np.log(forecasts) + random.normal(0, 0.3, 60))
    return times, conditions, forecasts, (np.arange(60) // 5).tolist()


def test_effects_have_hc3_and_clustered_errors_by_their_formulas() -> None:
    """MacKinnon & White (1985); Liang & Zeger (1986) with the factor G/(G-1) (n-1)/(n-p)."""
    times, conditions, forecasts, participant_numbers = draw_times_and_conditions()
    model = condition_effects(times, conditions, "none", forecasts=forecasts, participants=participant_numbers)
    x = np.column_stack([np.ones(60), [condition == "ai" for condition in conditions], np.log(forecasts)])
    bread = np.linalg.inv(x.T @ x)
    b = bread @ x.T @ np.log(times)
    e = np.log(times) - x @ b
    h = np.sum(x @ bread * x, axis=1)
    hc3 = bread @ (x.T * (e / (1 - h)) ** 2) @ x @ bread
    sums = np.array([x[i : i + 5].T @ e[i : i + 5] for i in range(0, 60, 5)])
    clustered = 12 / 11 * 59 / 57 * bread @ sums.T @ sums @ bread
    (effect,) = model.effects
    assert effect.condition == "ai"
    assert effect.coefficient == pytest.approx(b[1])
    assert effect.percent == pytest.approx(100 * (math.exp(b[1]) - 1))
    assert model.forecast_exponent == pytest.approx(b[2])
    assert effect.hc3.standard_error == pytest.approx(math.sqrt(hc3[1, 1]))
    assert effect.clustered is not None
    assert effect.clustered.standard_error == pytest.approx(math.sqrt(clustered[1, 1]))
    high = 100 * math.expm1(b[1] + stats.t.ppf(0.975, 57) * math.sqrt(hc3[1, 1]))
    assert effect.hc3.high == pytest.approx(high)
    low = 100 * math.expm1(b[1] - stats.t.ppf(0.975, 11) * math.sqrt(clustered[1, 1]))
    assert effect.clustered.low == pytest.approx(low)
    assert "12 participants" in model.note


def test_without_forecasts_an_effect_is_the_ratio_of_geometric_means() -> None:
    model = condition_effects([1, 4, 8, 32], ["a", "a", "b", "b"], "a")
    assert model.effects[0].percent == pytest.approx(700)
    assert model.forecast_exponent is None and model.effects[0].clustered is None
    assert "independent" in model.note


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning", "ignore:divide by zero:RuntimeWarning")
@pytest.mark.parametrize("times", [[2, 2, 2, 2], [10, 10, 11, 11]])
def test_times_without_spread_have_no_p_value_made_of_rounding(times: list[float]) -> None:
    with pytest.raises(StatisticsError, match="do not vary within a condition"):
        condition_effects(times, ["a", "a", "b", "b"], "a", participants=[1, 2, 3, 4])


def test_two_participants_have_no_clustered_interval() -> None:
    model = condition_effects([600, 5, 600, 6], ["a", "a", "b", "b"], "a", participants=[1, 1, 2, 2])
    assert model.effects[0].clustered is None
    assert "2 participants are too few" in model.note


def test_forecasts_that_are_all_alike_are_left_out() -> None:
    model = condition_effects([1, 4, 8, 32], ["a", "a", "b", "b"], "a", forecasts=[5, 5, 5, 5])
    assert model.effects[0].percent == pytest.approx(700) and model.forecast_exponent is None


@pytest.mark.parametrize(
    ("times", "conditions", "forecasts", "message"),
    [
        ([1, 2, 3], ["a", "a", "a"], None, "one of two or more conditions"),
        ([1, 0, 3], ["a", "b", "b"], None, "Times have to be greater than 0: item 1 is 0"),
        ([1, 2], ["a", "b"], None, "too few"),
        ([1, 2, 3, 4, 5], ["a", "b", "b", "b", "b"], None, "at least two attempts"),
        ([1, 2, 3, 4], ["a", "a", "b", "b"], [1, 1, 2, 2], "can't be separated"),
        ([1, 2, 3], ["a", "b"], None, "equally long"),
    ],
)
def test_what_allows_no_effect_is_named(
    times: list[float], conditions: list[str], forecasts: list[float] | None, message: str
) -> None:
    with pytest.raises(StatisticsError, match=message):
        condition_effects(times, conditions, "a", forecasts=forecasts)


def test_holms_correction_of_a_worked_example() -> None:
    """Sorted 0.005, 0.01, 0.03, 0.04 become 0.02, 0.03, 0.06, 0.06."""
    adjustments = holm_tests({"a": 0.01, "b": 0.04, "c": 0.03, "d": 0.005})
    assert {name: round(p_value.adjusted, 10) for name, p_value in adjustments.items()} == {
        "a": 0.03,
        "b": 0.06,
        "c": 0.06,
        "d": 0.02,
    }
    assert [name for name, p_value in adjustments.items() if p_value.significant] == ["a", "d"]
    assert holm_tests({}) == {}
    with pytest.raises(StatisticsError, match="P-values have to be at most 1"):
        holm_tests({"a": 1.5})


def test_time_forecasts_are_measured_by_ratio() -> None:
    calibration = time_calibration([10, 10, 10, 10], [20, 40, 10, 99], pass_flags=[1, 1, 1, 0], seed=1)
    assert (calibration.attempts, calibration.left_out) == (3, 1)
    assert calibration.ratio.value == pytest.approx(2)
    assert calibration.spread == pytest.approx(1)
    assert (calibration.within_factor_2.count, calibration.within_factor_2.total) == (2, 3)
    assert calibration.rank_correlation.value is None
    assert time_calibration([1], [2], pass_flags=[0], seed=1).ratio.value is None


def test_chances_are_scored_by_brier_and_murphy() -> None:
    """Murphy (1973): reliability - resolution + uncertainty; scikit-learn for the score."""
    chances = np.array([0.1, 0.1, 0.1, 0.1, 0.5, 0.5, 0.9, 0.9, 0.9, 1.0])
    happened = np.array([0, 0, 0, 1, 1, 0, 1, 1, 0, 1])
    calibration = chance_calibration(chances, happened, bin_count=10)
    assert calibration.brier.value == pytest.approx(brier_score_loss(happened, chances))
    assert calibration.uncertainty == pytest.approx(0.25)
    assert calibration.resolution == pytest.approx(0.4 * 0.25**2 + 0 + 0.4 * 0.25**2)
    assert calibration.reliability == pytest.approx(0.4 * 0.15**2 + 0 + 0.4 * (0.925 - 0.75) ** 2)
    assert [(chance_bin.outcome.count, chance_bin.outcome.total) for chance_bin in calibration.bins] == [
        (1, 4),
        (1, 2),
        (3, 4),
    ]


@SETTINGS
@given(st.lists(st.tuples(st.integers(0, 4), st.booleans()), min_size=1, max_size=40))
def test_murphys_parts_add_up_where_a_bin_has_one_forecast(rows: list[tuple[int, bool]]) -> None:
    chances, happened = [step / 5 + 0.1 for step, _ in rows], [outcome for _, outcome in rows]
    calibration = chance_calibration(chances, happened)
    assert calibration.brier.value == pytest.approx(
        calibration.reliability - calibration.resolution + calibration.uncertainty
    )


@SETTINGS
@given(st.lists(st.tuples(st.integers(1, 5), st.integers(0, 9)), min_size=3, max_size=30))
def test_rank_correlation_is_scipys(rows: list[tuple[int, int]]) -> None:
    first_values, second_values = zip(*rows, strict=True)
    correlation = rank_correlation(first_values, second_values, seed=1, resamples=20)
    if len(set(first_values)) == 1 or len(set(second_values)) == 1:
        assert correlation.value is None
    else:
        assert correlation.value == pytest.approx(stats.spearmanr(first_values, second_values).statistic, abs=1e-9)


def test_calibration_holds_for_other_people_at_other_problems() -> None:
    """Each person's attempts are alike, and so are those at a problem: intervals are wider than of independent ones."""
    random = np.random.default_rng(5)
    people, problems = np.repeat(np.arange(10), 8), np.tile(np.arange(8), 10)
    cells = CrossedCells(people.tolist(), problems.tolist())
    bias = random.normal(0.3, 0.5, 10)[people] + random.normal(0, 0.8, 8)[problems]
    forecasts = random.lognormal(3, 0.5, 80)
    times = forecasts * np.exp(bias + random.normal(0, 0.2, 80))
    logs = np.log2(times / forecasts)
    crossed = crossed_mean(logs, cells)
    calibration = time_calibration(forecasts, times, cells=cells, seed=1, resamples=200)
    assert crossed.low is not None and calibration.ratio.low == pytest.approx(2**crossed.low)
    share = crossed_share(np.abs(logs) <= 1, cells)
    assert (calibration.within_factor_2.low, calibration.within_factor_2.high) == (share.low, share.high)
    unclustered_calibration = time_calibration(forecasts, times, seed=1, resamples=200)
    for clustered_estimate, single in (
        (calibration.ratio, unclustered_calibration.ratio),
        (calibration.within_factor_2, unclustered_calibration.within_factor_2),
        (calibration.rank_correlation, unclustered_calibration.rank_correlation),
    ):
        assert (
            clustered_estimate.high is not None
            and clustered_estimate.low is not None
            and single.high is not None
            and single.low is not None
        )
        assert clustered_estimate.high - clustered_estimate.low > 1.2 * (single.high - single.low)
    four = time_calibration(forecasts[:32], times[:32], cells=cells.select_rows(people < 4), seed=1, resamples=200)
    assert four.ratio.low is four.within_factor_2.low is four.rank_correlation.low is None


def test_the_interval_of_a_rank_correlation_is_scipys() -> None:
    random = np.random.default_rng(4)
    grades = random.integers(1, 6, 100).astype(float)
    noisy_grades = grades + random.normal(0, 1, 100).round(1)
    own_interval = rank_correlation(grades, noisy_grades, seed=1, resamples=2000)
    scipy_interval = stats.bootstrap(
        (grades, noisy_grades),
        lambda first, second: float(stats.spearmanr(first, second).statistic),
        paired=True,
        vectorized=False,
        method="percentile",
        confidence_level=0.954,
        n_resamples=500,
        rng=2,
    ).confidence_interval
    assert (own_interval.low, own_interval.high) == pytest.approx((scipy_interval.low, scipy_interval.high), abs=0.02)
