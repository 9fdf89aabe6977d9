"""Time to first pass against textbooks' worked examples."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.duration.survfunc import SurvfuncRight

from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_analysis.statistics.restricted_mean import (
    observable_limit,
    restricted_mean,
    restricted_mean_difference,
)
from benchwright_analysis.statistics.survival import (
    Survival,
    kaplan_meier,
    log_rank,
    success_only_time,
    with_give_ups_until,
)

# First calls import much of SciPy, however little time a test has.
SETTINGS = settings(deadline=None, max_examples=50)

# Freireich et al. (1963): weeks of remission in acute leukaemia; with 6-MP, + is censored.
TREATED = "6 6 6 6+ 7 9+ 10 10+ 11+ 13 16 17+ 19+ 20+ 22 23 25+ 32+ 32+ 34+ 35+"
PLACEBO = "1 1 2 2 3 4 4 5 5 8 8 8 8 11 11 12 12 15 17 22 23"
# Kardaun (1983): years after diagnosis of cancer of the larynx, by stage; Klein & Moeschberger's table of 90 patients.
LARYNX = {
    1: "0.6 1.3 2.4 2.5+ 3.2 3.2+ 3.3 3.3+ 3.5 3.5 4 4 4.3 4.5+ 4.5+ 5.3 5.5+ 5.9+ 5.9+ 6 6.1+ 6.2+ 6.4 6.5 6.5+ 6.7+ "
    "7+ 7.4 7.4+ 8.1+ 8.1+ 9.6+ 10.7+",
    2: "0.2 1.8 2 2.2+ 2.6+ 3.3+ 3.6 3.6+ 4 4.3+ 4.3+ 5+ 6.2 7 7.5+ 7.6+ 9.3+",
    3: "0.3 0.3 0.5 0.7 0.8 1 1.3 1.6 1.8 1.9 1.9 3.2 3.5 3.7+ 4.5+ 4.8+ 4.8+ 5 5+ 5.1+ 6.3 6.4 6.5+ 7.8 8+ 9.3+ 10.1+",
    4: "0.1 0.3 0.4 0.8 0.8 1 1.5 2 2.3 2.9+ 3.6 3.8 4.3+",
}


def read(text: str) -> tuple[list[float], list[bool]]:
    words = text.split()
    return [float(word.rstrip("+")) for word in words], [not word.endswith("+") for word in words]


BOTH = read(f"{TREATED} {PLACEBO}")
ARMS = ["6-MP"] * 21 + ["placebo"] * 21


def unsolved_at(curve: Survival, time: float) -> float:
    """The share not solved by a time."""
    return min((share for at, share in zip(curve.times, curve.unsolved, strict=True) if at <= time), default=1.0)


def test_the_curve_of_freireichs_trial() -> None:
    """Collett, Modelling Survival Data, and Kleinbaum & Klein, Survival Analysis, table of the 6-MP group."""
    curve = kaplan_meier(*read(TREATED))
    assert (curve.attempts, curve.passed) == (21, 9)
    expected = {6: 0.8571, 7: 0.8067, 10: 0.7529, 13: 0.6902, 16: 0.6275, 22: 0.5378, 23: 0.4482}
    for week, unsolved in expected.items():
        assert unsolved_at(curve, week) == pytest.approx(unsolved, abs=5e-5)
    assert unsolved_at(curve, 5.9) == 1
    assert unsolved_at(curve, 22.9) == unsolved_at(curve, 22)
    at_six = curve.times.index(6)
    assert (curve.at_risk[at_six], curve.passes[at_six], curve.censored[at_six]) == (21, 3, 1)
    assert (curve.low[at_six], curve.high[at_six]) == pytest.approx((0.6197, 0.9516), abs=5e-5)


def test_medians_and_their_intervals_of_freireichs_trial() -> None:
    """SAS LIFETEST and R survfit with log-log bands: 23 (13, -) and 8 (4, 11) weeks."""
    treated, placebo = kaplan_meier(*read(TREATED)).median, kaplan_meier(*read(PLACEBO)).median
    assert (treated.value, treated.low, treated.high) == (23, 13, None)
    assert (placebo.value, placebo.low, placebo.high) == (8, 4, 11)


def test_a_median_on_a_flat_stretch_is_its_middle() -> None:
    assert kaplan_meier([1, 2, 3, 4], [1, 1, 1, 1]).median.value == 2.5


@SETTINGS
@given(st.lists(st.tuples(st.integers(1, 9), st.booleans()), min_size=1, max_size=30))
def test_the_curve_is_statsmodels(rows: list[tuple[int, bool]]) -> None:
    times, passed = [float(time) for time, _ in rows], [event for _, event in rows]
    ours = kaplan_meier(times, passed)
    assert all(0 <= low <= s <= high <= 1 for low, s, high in zip(ours.low, ours.unsolved, ours.high, strict=True))
    if any(passed):
        theirs = SurvfuncRight(np.array(times), np.array(passed, int))
        for time, unsolved in zip(theirs.surv_times, theirs.surv_prob, strict=True):
            assert unsolved_at(ours, time) == pytest.approx(unsolved, abs=1e-12)


def test_the_curve_of_nobody_is_refused_and_of_no_passes_is_flat() -> None:
    with pytest.raises(StatisticsError, match="nothing to estimate from"):
        kaplan_meier([], [])
    with pytest.raises(StatisticsError, match="Times have to be at least 0: item 1 is -1"):
        kaplan_meier([1, -1], [1, 1])
    flat = kaplan_meier([5, 7], [0, 0])
    assert flat.unsolved == flat.high == (1, 1) and flat.median.value is None


def test_restricted_means_of_freireichs_trial() -> None:
    """R's print(survfit(...), rmean = 35): 23.29 (2.83) and 8.67 (1.38); Klein & Moeschberger, section 4.5: 2.827."""
    treated, placebo = restricted_mean(*read(TREATED), 35), restricted_mean(*read(PLACEBO), 35)
    assert (treated.value, treated.standard_error) == pytest.approx((23.287, 2.827), abs=5e-4)
    assert (placebo.value, placebo.standard_error) == pytest.approx((8.667, 1.377), abs=5e-4)


def test_a_restricted_mean_without_censoring_is_the_plain_mean_of_stopped_times() -> None:
    times = np.array([1.0, 2, 2, 5, 9])
    found = restricted_mean(times, np.ones(5), 6)
    stopped = np.minimum(times, 6)
    assert found.value == pytest.approx(stopped.mean())
    assert found.standard_error == pytest.approx(stopped.std() / math.sqrt(5))


def test_a_limit_after_all_that_is_known_is_refused() -> None:
    with pytest.raises(StatisticsError, match="Nothing is known after 35"):
        restricted_mean(*read(TREATED), 36)
    assert observable_limit(*read(TREATED), 40) == 35
    assert observable_limit(*read(PLACEBO), 40) == 40
    assert restricted_mean(*read(PLACEBO), 40).value == pytest.approx(np.mean(read(PLACEBO)[0]))


def test_a_clustered_difference_of_separate_people_is_the_plain_one() -> None:
    plain = restricted_mean_difference(*BOTH, ARMS, "placebo", 23, seed=1)
    drawn = restricted_mean_difference(*BOTH, ARMS, "placebo", 23, clusters=range(42), seed=1)
    assert (plain.other, plain.clustered, drawn.clustered) == ("6-MP", False, True)
    assert plain.difference.value == drawn.difference.value == pytest.approx(17.9092 - 8.6667, abs=1e-3)
    assert (drawn.difference.low, drawn.difference.high) == pytest.approx(
        (plain.difference.low, plain.difference.high), abs=0.6
    )


def test_pairs_that_vary_together_have_a_narrower_difference() -> None:
    random = np.random.default_rng(1)
    speed = random.exponential(10, 40)
    times, who = np.concatenate([speed, speed + random.uniform(0.99, 1.01, 40)]), [*range(40), *range(40)]
    arms = ["a"] * 40 + ["b"] * 40
    plain = restricted_mean_difference(times, np.ones(80), arms, "a", 200, seed=1).difference
    paired = restricted_mean_difference(times, np.ones(80), arms, "a", 200, clusters=who, seed=1).difference
    assert paired.low == pytest.approx(1, abs=0.01) and paired.high == pytest.approx(1, abs=0.01)
    assert paired.low is not None and paired.high is not None and paired.low < paired.high
    assert plain.low is not None and plain.low < -1


def test_the_log_rank_test_of_freireichs_trial() -> None:
    """R survdiff, SAS and Kleinbaum & Klein: 16.79 on 1 degree of freedom; SciPy for the p-value."""
    found = log_rank(*BOTH, ARMS)
    assert found.statistic == pytest.approx(16.793, abs=5e-4)
    assert found.degrees_of_freedom == 1
    (treated, events), (placebo, _) = read(TREATED), read(PLACEBO)
    right: stats.CensoredData = stats.CensoredData(
        uncensored=[t for t, e in zip(treated, events, strict=True) if e],
        right=[t for t, e in zip(treated, events, strict=True) if not e],
    )
    assert found.p_value == pytest.approx(stats.logrank(right, placebo).pvalue, rel=1e-6)


def test_the_log_rank_test_of_four_groups() -> None:
    """Klein & Moeschberger, larynx data; R survdiff gives 22.8 on 3 degrees of freedom, p = 5e-05."""
    times, deaths = read(" ".join(LARYNX.values()))
    stages = [stage for stage, words in LARYNX.items() for _ in words.split()]
    assert (len(times), sum(deaths)) == (90, 50)
    found = log_rank(times, deaths, stages)
    assert found.degrees_of_freedom == 3
    assert found.statistic == pytest.approx(22.8, abs=0.05)
    assert found.p_value == pytest.approx(4.5e-05, abs=1e-6)


def test_strata_compare_only_within() -> None:
    """Easy problems all in one condition: together they differ, within each problem they do not."""
    easy, hard = [1.0, 2, 3, 4] * 5, [10.0, 20, 30, 40] * 5
    times = easy + hard + [2.5, 25.0]
    conditions = ["a"] * 20 + ["b"] * 20 + ["b", "a"]
    strata = ["easy"] * 20 + ["hard"] * 20 + ["easy", "hard"]
    assert log_rank(times, [1] * 42, conditions).p_value < 1e-6
    within = log_rank(times, [1] * 42, conditions, strata)
    assert within.strata == 2 and within.p_value > 0.5


def test_conditions_that_cannot_be_compared_are_refused() -> None:
    with pytest.raises(StatisticsError, match="two conditions or more"):
        log_rank([1, 2], [1, 1], ["a", "a"])
    with pytest.raises(StatisticsError, match="at least one attempt that passed"):
        log_rank([1, 2], [0, 0], ["a", "b"])
    with pytest.raises(StatisticsError, match="under way"):
        log_rank([1, 2], [1, 1], ["a", "b"], ["x", "y"])
    with pytest.raises(StatisticsError, match="baseline 'c'"):
        restricted_mean_difference([1, 2], [1, 1], ["a", "b"], "c", 1, seed=1)


def test_give_ups_can_be_counted_as_never() -> None:
    assert with_give_ups_until([3, 5, 9], [1, 0, 0], 60).tolist() == [60, 5, 9]
    with pytest.raises(StatisticsError, match="later than the limit"):
        with_give_ups_until([3, 70], [0, 1], 60)


def test_times_of_successes_only_have_a_geometric_mean() -> None:
    found = success_only_time([2, 8, 100], [1, 1, 0])
    assert (found.passed, found.left_out) == (2, 1)
    assert found.geometric_mean.value == pytest.approx(4)
    # Student's t at one degree of freedom, 12.706, times the standard error of log 2 and log 8.
    assert found.geometric_mean.high == pytest.approx(4 * math.exp(12.7062 * math.log(2)), rel=1e-4)
    assert success_only_time([2], [0]).geometric_mean.value is None


def test_a_condition_that_nobody_passed_has_a_mean_at_the_limit_and_no_interval() -> None:
    found = restricted_mean([3, 5, 8], [0, 0, 0], 8)
    assert (found.value, found.low, found.high) == (8, None, None)
