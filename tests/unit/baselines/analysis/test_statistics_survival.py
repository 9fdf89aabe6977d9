"""Time to first pass against textbooks' worked examples."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.duration.survfunc import SurvfuncRight

from benchwright_analysis.statistics.crossed_design import CrossedCells
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_analysis.statistics.pseudo_values import (
    log_restricted_time_pseudo_values,
    restricted_time_pseudo_values,
    unsolved_pseudo_values,
)
from benchwright_analysis.statistics.restricted_mean import (
    geometric_mean_time_change,
    observable_limit,
    restricted_mean,
    restricted_mean_difference,
)
from benchwright_analysis.statistics.survival import (
    SurvivalCurve,
    geometric_mean_of_passes,
    kaplan_meier,
    times_if_give_ups_continued,
)

# First calls import much of SciPy, however little time a test has.
SETTINGS = settings(deadline=None, max_examples=50)

# Freireich et al. (1963): weeks of remission in acute leukaemia; with 6-MP, + is censored.
TREATED = "6 6 6 6+ 7 9+ 10 10+ 11+ 13 16 17+ 19+ 20+ 22 23 25+ 32+ 32+ 34+ 35+"
PLACEBO = "1 1 2 2 3 4 4 5 5 8 8 8 8 11 11 12 12 15 17 22 23"


def times_and_pass_flags(text: str) -> tuple[list[float], list[bool]]:
    words = text.split()
    return [float(word.rstrip("+")) for word in words], [not word.endswith("+") for word in words]


def cells_of_people_once(count: int) -> CrossedCells:
    """Each participant at one problem, which are six in turn."""
    return CrossedCells(list(range(count)), [index % 6 for index in range(count)])


def unsolved_at(curve: SurvivalCurve, time: float) -> float:
    """The share not solved by a time."""
    return min(
        (share for pass_time, share in zip(curve.times, curve.unsolved, strict=True) if pass_time <= time), default=1.0
    )


def test_the_curve_of_freireichs_trial() -> None:
    """Collett, Modelling Survival Data, and Kleinbaum & Klein, Survival Analysis, table of the 6-MP group."""
    curve = kaplan_meier(*times_and_pass_flags(TREATED))
    assert (curve.attempts, curve.passed) == (21, 9)
    expected_shares = {6: 0.8571, 7: 0.8067, 10: 0.7529, 13: 0.6902, 16: 0.6275, 22: 0.5378, 23: 0.4482}
    for week, unsolved in expected_shares.items():
        assert unsolved_at(curve, week) == pytest.approx(unsolved, abs=5e-5)
    assert unsolved_at(curve, 5.9) == 1
    assert unsolved_at(curve, 22.9) == unsolved_at(curve, 22)
    at_six = curve.times.index(6)
    assert (curve.at_risk[at_six], curve.passes[at_six], curve.censored[at_six]) == (21, 3, 1)
    assert curve.low is None and curve.high is None


def test_a_median_on_a_flat_stretch_is_its_middle() -> None:
    assert kaplan_meier([1, 2, 3, 4], [1, 1, 1, 1]).median.value == 2.5


@SETTINGS
@given(st.lists(st.tuples(st.integers(1, 9), st.booleans()), min_size=1, max_size=30))
def test_the_curve_is_statsmodels(rows: list[tuple[int, bool]]) -> None:
    times, passed_flags = [float(time) for time, _ in rows], [event for _, event in rows]
    own_curve = kaplan_meier(times, passed_flags)
    if any(passed_flags):
        theirs = SurvfuncRight(np.array(times), np.array(passed_flags, int))
        for time, unsolved in zip(theirs.surv_times, theirs.surv_prob, strict=True):
            assert unsolved_at(own_curve, time) == pytest.approx(unsolved, abs=1e-12)


def test_the_curve_of_nobody_is_refused_and_of_no_passes_is_flat() -> None:
    with pytest.raises(StatisticsError, match="nothing to estimate from"):
        kaplan_meier([], [])
    with pytest.raises(StatisticsError, match="Times have to be at least 0: item 1 is -1"):
        kaplan_meier([1, -1], [1, 1])
    flat = kaplan_meier([5, 7], [0, 0])
    assert flat.unsolved == (1, 1) and flat.median.value is None


def test_a_limit_after_all_that_is_known_is_refused() -> None:
    with pytest.raises(StatisticsError, match="Nothing is known after 35"):
        restricted_mean(*times_and_pass_flags(TREATED), 36, cells_of_people_once(21))
    assert observable_limit(*times_and_pass_flags(TREATED), 40) == 35
    assert observable_limit(*times_and_pass_flags(PLACEBO), 40) == 40
    assert restricted_mean(*times_and_pass_flags(PLACEBO), 40, cells_of_people_once(21)).value == pytest.approx(
        np.mean(times_and_pass_flags(PLACEBO)[0])
    )


def test_give_ups_can_be_counted_as_never() -> None:
    assert times_if_give_ups_continued([3, 5, 9], [1, 0, 0], 60).tolist() == [60, 5, 9]
    with pytest.raises(StatisticsError, match="later than the limit"):
        times_if_give_ups_continued([3, 70], [0, 1], 60)


def test_times_of_successes_only_have_a_geometric_mean() -> None:
    success_time = geometric_mean_of_passes([2, 8, 100], [1, 1, 0])
    assert (success_time.passed, success_time.left_out) == (2, 1)
    assert success_time.geometric_mean == pytest.approx(4)
    assert geometric_mean_of_passes([2], [0]).geometric_mean is None


def test_a_condition_that_nobody_passed_has_a_mean_at_the_limit_and_no_interval() -> None:
    mean_time = restricted_mean([3, 5, 8], [0, 0, 0], 8, cells_of_people_once(3))
    assert (mean_time.value, mean_time.low, mean_time.high) == (8, None, None)


def test_medians_of_freireichs_trial() -> None:
    """SAS LIFETEST and R survfit: 23 and 8 weeks."""
    assert kaplan_meier(*times_and_pass_flags(TREATED)).median.value == 23
    assert kaplan_meier(*times_and_pass_flags(PLACEBO)).median.value == 8


def test_restricted_means_of_freireichs_trial() -> None:
    """R's print(survfit(...), rmean = 35): 23.29 (2.83) and 8.67 (1.38); pseudo-values have nearly the same error."""
    treated = restricted_mean(*times_and_pass_flags(TREATED), 35, cells_of_people_once(21))
    placebo = restricted_mean(*times_and_pass_flags(PLACEBO), 35, cells_of_people_once(21))
    assert (treated.value, placebo.value) == pytest.approx((23.287, 8.667), abs=5e-4)
    assert (treated.standard_error, placebo.standard_error) == pytest.approx((2.83, 1.38), rel=0.06)


def test_the_interval_of_a_restricted_mean_has_more_room_on_the_side_away_from_the_limit() -> None:
    treated = restricted_mean(*times_and_pass_flags(TREATED), 35, cells_of_people_once(21))
    assert treated.low is not None and treated.high is not None
    assert treated.value - treated.low > treated.high - treated.value
    odds = [share / (1 - share) for share in (treated.low / 35, treated.value / 35, treated.high / 35)]
    assert odds[1] / odds[0] == pytest.approx(odds[2] / odds[1])


@SETTINGS
@given(st.lists(st.tuples(st.integers(1, 9), st.booleans()), min_size=2, max_size=20), st.integers(2, 9))
def test_a_pseudo_value_is_n_estimates_less_those_without_it(rows: list[tuple[int, bool]], limit: int) -> None:
    """By its definition (Andersen, Klein & Rosthøj 2003), moved so that the mean is the estimate itself."""
    times, passed_flags = np.array([float(time) for time, _ in rows]), np.array([event for _, event in rows])
    moments = [0.5, 3.0, 4.5, 9.0]

    def mean(keep: np.ndarray, scale: Callable[[float], float]) -> float:
        waits, events = times[keep], passed_flags[keep]
        steps = sorted({float(t) for t in waits[events] if t < limit})
        total = scale(steps[0]) if steps else scale(limit)
        for start, end in itertools.pairwise([*steps, float(limit)]):
            total += unsolved_share(waits, events, start) * (scale(end) - scale(start))
        return total

    everyone = np.arange(len(rows))
    leave_one_out = [np.delete(everyone, index) for index in everyone]
    for pseudo_values, scale in (
        (restricted_time_pseudo_values(times, passed_flags, limit), float),
        (log_restricted_time_pseudo_values(times, passed_flags, limit), math.log),
    ):
        full_estimate = mean(everyone, scale)
        by_definition = np.array(
            [len(rows) * full_estimate - (len(rows) - 1) * mean(kept_rows, scale) for kept_rows in leave_one_out]
        )
        assert pseudo_values.tolist() == pytest.approx(by_definition + full_estimate - by_definition.mean(), abs=1e-9)
        assert pseudo_values.mean() == pytest.approx(full_estimate)
    for column, moment in zip(unsolved_pseudo_values(times, passed_flags, moments).T, moments, strict=True):
        full_estimate = unsolved_share(times, passed_flags, moment)
        estimates = [unsolved_share(times[kept_rows], passed_flags[kept_rows], moment) for kept_rows in leave_one_out]
        by_definition = len(rows) * full_estimate - (len(rows) - 1) * np.array(estimates)
        assert column.tolist() == pytest.approx(by_definition + full_estimate - by_definition.mean(), abs=1e-9)


def unsolved_share(times: np.ndarray, passed_flags: np.ndarray, moment: float) -> float:
    step_times = set(times[passed_flags & (times <= moment)].tolist())
    return math.prod(1 - float((passed_flags & (times == step)).sum() / (times >= step).sum()) for step in step_times)


def test_bands_and_medians_interval_hold_the_curve() -> None:
    random = np.random.default_rng(1)
    people, problems = np.repeat(np.arange(12), 8), np.tile(np.arange(8), 12)
    times = random.exponential(10, 96)
    curve = kaplan_meier(times, times < 25, CrossedCells(people.tolist(), problems.tolist()))
    assert curve.low is not None and curve.high is not None
    assert all(low <= s <= high for low, s, high in zip(curve.low, curve.unsolved, curve.high, strict=True))
    median = curve.median
    assert median.value is not None and median.low is not None and median.high is not None
    assert median.low < median.value < median.high
    small_curve = kaplan_meier(times[:8], times[:8] < 25, CrossedCells([0] * 8, list(range(8))))
    assert (small_curve.low, small_curve.high) == (None, None)


def test_conditions_that_differ_by_a_factor_differ_by_its_percentage() -> None:
    people, problems = np.repeat(np.arange(10), 6), np.tile(np.arange(6), 10)
    second = (people + problems) % 2 == 1
    times = np.exp(0.3 * people + 0.1 * problems) * np.where(second, 0.8, 1.0)
    times *= np.exp(np.random.default_rng(2).normal(0, 0.01, 60))
    cells = CrossedCells(people.tolist(), problems.tolist())
    condition_change = geometric_mean_time_change(times, [True] * 60, second, 1000, cells)
    assert condition_change.within and condition_change.low is not None and condition_change.high is not None
    assert (
        condition_change.value == pytest.approx(-0.2, abs=0.01) and condition_change.low < -0.2 < condition_change.high
    )
    assert restricted_mean_difference(times, [True] * 60, second, 1000, cells).value < 0
    with pytest.raises(StatisticsError, match="attempts under both conditions"):
        geometric_mean_time_change(times, [True] * 60, [True] * 60, 1000, cells)
