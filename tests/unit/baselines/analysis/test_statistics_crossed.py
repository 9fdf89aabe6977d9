"""Means and differences over participants and problems against the analysis of variance and mixed models."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import stats

from benchwright_analysis.statistics.columns import Numbers
from benchwright_analysis.statistics.crossed import (
    crossed_difference,
    crossed_mean,
    crossed_ratio,
    crossed_share,
    crossed_share_difference,
)
from benchwright_analysis.statistics.crossed_design import CrossedCells
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_analysis.statistics.variance_components import VarianceComponents, indicator_matrix

PEOPLE, PROBLEMS = np.repeat(np.arange(8), 6), np.tile(np.arange(6), 8)
CELLS = CrossedCells(PEOPLE.tolist(), PROBLEMS.tolist())


def draw_values(seed: int = 1, person: float = 1.0, problem_deviation: float = 1.0) -> np.ndarray:
    random = np.random.default_rng(seed)
    level_values = random.normal(0, person, 8)[PEOPLE] + random.normal(0, problem_deviation, 6)[PROBLEMS]
    drawn_values: np.ndarray = 10 + level_values + random.normal(0, 0.5, 48)
    return drawn_values


def test_a_mean_of_a_full_table_is_the_two_way_analysis_of_variance() -> None:
    """Variance (MSP + MSQ - MSE) / NM, Satterthwaite's degrees of freedom from the three mean squares."""
    y = draw_values()
    value_grid = y.reshape(8, 6)
    rows, columns, mean = value_grid.mean(1), value_grid.mean(0), value_grid.mean()
    people = 6 * ((rows - mean) ** 2).sum() / 7
    problems = 8 * ((columns - mean) ** 2).sum() / 5
    residual = ((value_grid - rows[:, None] - columns + mean) ** 2).sum() / 35
    variance = (people + problems - residual) / 48
    df = (people + problems - residual) ** 2 / (people**2 / 7 + problems**2 / 5 + residual**2 / 35)
    estimate = crossed_mean(y, CELLS)
    assert estimate.value == pytest.approx(mean)
    assert estimate.standard_error == pytest.approx(math.sqrt(variance))
    assert estimate.degrees_of_freedom == pytest.approx(df)
    assert estimate.high == pytest.approx(mean + stats.t.ppf(0.975, df) * math.sqrt(variance))


def test_components_are_near_those_of_a_mixed_model() -> None:
    """Of a full table, REML and MIVQUE(0) give the same variances; statsmodels' MixedLM has crossed effects."""
    y = draw_values(2)
    frame = pd.DataFrame({"y": y, "person": PEOPLE, "problem": PROBLEMS, "all": 1})
    component_formulas = {"person": "0 + C(person)", "problem": "0 + C(problem)"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = sm.MixedLM.from_formula(
            "y ~ 1", frame, groups="all", vc_formula=component_formulas, re_formula="0"
        ).fit()
    assert crossed_mean(y, CELLS).standard_error == pytest.approx(float(theirs.bse["Intercept"]), rel=2e-3)


def test_variances_are_unbiased_where_cells_are_missing() -> None:
    random = np.random.default_rng(3)
    kept_rows = random.random(48) < 0.7
    people, problems = indicator_matrix(PEOPLE[kept_rows], 8), indicator_matrix(PROBLEMS[kept_rows], 6)
    weights = np.full(kept_rows.sum(), 1 / kept_rows.sum())
    variance_model = VarianceComponents(np.ones((kept_rows.sum(), 1)), [people, problems])
    estimates, means = [], []
    for _ in range(2000):
        y = random.normal(0, 1, 8)[PEOPLE] + random.normal(0, 2, 6)[PROBLEMS] + random.normal(0, 0.5, 48)
        variance = variance_model.variance_of(weights, y[kept_rows])
        assert variance is not None
        estimates.append(variance.variance)
        means.append(weights @ y[kept_rows])
    assert np.mean(estimates) == pytest.approx(np.var(means), rel=0.08)


def test_participants_in_both_conditions_are_compared_with_themselves() -> None:
    """Levels of people and problems cancel, however far apart they are."""
    second = (PEOPLE + PROBLEMS) % 2 == 1
    near_difference, far = (
        crossed_difference(draw_values(4, size, size) + 2 * second, second, CELLS) for size in (0.1, 100)
    )
    assert near_difference.within and far.within
    assert near_difference.standard_error == pytest.approx(far.standard_error)
    assert near_difference.value == pytest.approx(far.value) and abs(near_difference.value - 2) < 0.5


def test_participants_in_one_condition_each_are_the_units() -> None:
    """Of a full table the difference is Student's of people's means, with pooled variance."""
    second = PEOPLE % 2 == 1
    y = draw_values(5, person=3)
    difference = crossed_difference(y, second, CELLS)
    means = y.reshape(8, 6).mean(1)
    scipy_test = stats.ttest_ind(means[1::2], means[::2])
    assert not difference.within
    assert difference.value == pytest.approx(means[1::2].mean() - means[::2].mean())
    assert difference.p_value == pytest.approx(float(scipy_test.pvalue), rel=0.02)


def test_a_covariate_takes_away_what_it_explains() -> None:
    second = (PEOPLE + PROBLEMS) % 2 == 1
    covariate = np.random.default_rng(6).normal(0, 2, 48)
    plain_difference = crossed_difference(draw_values(6) + covariate, second, CELLS)
    adjusted = crossed_difference(draw_values(6) + covariate, second, CELLS, [covariate])
    assert plain_difference.standard_error is not None and adjusted.standard_error is not None
    assert adjusted.standard_error < plain_difference.standard_error / 2


def test_a_model_is_not_drawn_from_a_population_of_models() -> None:
    """Two models on the same problems: the paired t test over problems."""
    random = np.random.default_rng(7)
    ease = random.normal(0, 3, 12)
    scores = np.concatenate([ease, ease + random.normal(0.5, 1, 12)])
    cells = CrossedCells([None] * 24, [*range(12), *range(12)])
    difference = crossed_difference(scores, [False] * 12 + [True] * 12, cells)
    scipy_test = stats.ttest_rel(scores[12:], scores[:12])
    assert difference.p_value == pytest.approx(float(scipy_test.pvalue))
    assert (difference.participants, difference.problems, difference.degrees_of_freedom) == (0, 12, 11)


def test_a_person_and_a_model_are_compared_over_both() -> None:
    y = np.concatenate([draw_values(8), np.full(6, 11.0)])
    cells = CrossedCells([*PEOPLE.tolist(), *[None] * 6], [*PROBLEMS.tolist(), *range(6)])
    difference = crossed_difference(y, [False] * 48 + [True] * 6, cells)
    assert not difference.within and difference.low is not None
    assert difference.value == pytest.approx(11 - draw_values(8).mean())


def test_problems_of_a_family_vary_together() -> None:
    random = np.random.default_rng(9)
    family = np.arange(12) // 4
    scores = random.normal(0, 1, 3)[family] + random.normal(0, 0.1, 12)
    independent_mean = crossed_mean(scores, CrossedCells([None] * 12, list(range(12))))
    family_mean = crossed_mean(scores, CrossedCells([None] * 12, list(range(12)), family.tolist()))
    assert independent_mean.standard_error is not None and family_mean.standard_error is not None
    assert family_mean.standard_error > 1.5 * independent_mean.standard_error and family_mean.degrees_of_freedom == 2


@pytest.mark.parametrize(
    ("people", "problems", "message"),
    [
        (4, 6, "Too few participants for an interval: 4, and it takes 5"),
        (8, 3, "Too few problems for an interval: 3, and it takes 4"),
    ],
)
def test_too_few_have_no_interval(people: int, problems: int, message: str) -> None:
    mask = (people > PEOPLE) & (problems > PROBLEMS)
    estimate = crossed_mean(draw_values()[mask], CELLS.select_rows(mask))
    assert (estimate.low, estimate.high, estimate.p_value) == (None, None, None)
    assert message in estimate.note
    share = crossed_share(draw_values()[mask] > 10, CELLS.select_rows(mask))
    assert (share.low, share.high) == (None, None) and message in share.note


def test_a_condition_with_one_person_has_no_interval() -> None:
    difference = crossed_difference(draw_values(), PEOPLE == 0, CELLS)
    assert difference.low is None and "Too few participants in a condition: 1, and it takes 3" in difference.note


def test_values_that_are_all_alike_do_not_feign_certainty() -> None:
    estimate = crossed_mean(np.full(48, 0.3), CELLS)
    assert estimate.low is None and "All values are alike" in estimate.note
    share = crossed_share([True] * 48, CELLS)
    # Wilson's interval of 6 of 6, the problems, with Student's quantile at 5 degrees of freedom.
    assert share.high == 1 and share.low == pytest.approx(6 / (6 + stats.t.ppf(0.975, 5) ** 2))


def test_what_cant_be_compared_is_named() -> None:
    with pytest.raises(StatisticsError, match="No problem was tried under both conditions"):
        crossed_difference(draw_values(), PROBLEMS < 3, CrossedCells([None] * 48, PROBLEMS.tolist()))
    with pytest.raises(StatisticsError, match="Who worked on what determines the condition"):
        crossed_difference(
            [1.0, 2, 3, 4], [0, 1, 1, 0], CrossedCells(["p", "p", "q", "q"], ["a", "b", "a", "b"]), [[0, 1, 1, 0]]
        )
    with pytest.raises(StatisticsError, match="At least one weight"):
        crossed_mean(draw_values(), CELLS, np.zeros(48))
    with pytest.raises(StatisticsError, match="equally long"):
        crossed_mean([1.0, 2.0], CELLS)


def test_a_ratio_of_sums_has_the_interval_of_its_linear_approximation() -> None:
    denominators = np.random.default_rng(11).integers(5, 15, 48).astype(float)
    numerators = denominators * (0.3 + 0.02 * draw_values(11))
    ratio = crossed_ratio(numerators, denominators, CELLS)
    linear = crossed_mean((numerators - ratio.value * denominators) / denominators.mean(), CELLS)
    assert ratio.value == pytest.approx(numerators.sum() / denominators.sum())
    assert ratio.low is not None and linear.low is not None
    assert ratio.low == pytest.approx(ratio.value + linear.low)
    with pytest.raises(StatisticsError, match="denominator greater than 0"):
        crossed_ratio([0.0] * 48, [0.0] * 48, CELLS)


@pytest.mark.parametrize(
    ("people", "problems", "message"),
    [(20, 4, ""), (21, 5, "Too few problems for an interval: 5, and it takes 6 with more than 20"), (21, 6, "")],
)
def test_many_people_need_more_problems(people: int, problems: int, message: str) -> None:
    person_indices, problem_indices = np.repeat(np.arange(people), problems), np.tile(np.arange(problems), people)
    y = np.random.default_rng(12).normal(0, 1, len(person_indices))
    difference = crossed_difference(
        y, (person_indices + problem_indices) % 2, CrossedCells(person_indices.tolist(), problem_indices.tolist())
    )
    assert (difference.low is None) == (difference.p_value is None) == bool(message)
    assert message in difference.note and bool(difference.note) == bool(message)


def test_a_difference_within_persons_counts_that_effects_vary_by_the_mean_squares_of_a_full_table() -> None:
    """Of a table of differences: MSP + MSQ - MSE, widened, by Student's t; here no component is 0 or below."""
    random = np.random.default_rng(13)
    people, problems = np.repeat(np.arange(12), 16), np.tile(np.repeat(np.arange(8), 2), 12)
    second_condition = np.tile([0, 1], 96)
    effect = random.normal(0, 1, 12)[people] + random.normal(0, 1, 8)[problems]
    y = (
        random.normal(0, 3, 12)[people]
        + random.normal(0, 3, 8)[problems]
        + second_condition * effect
        + random.normal(0, 1, 192)
    )
    shifts = (y[second_condition == 1] - y[second_condition == 0]).reshape(12, 8)
    row, column, mean = shifts.mean(1), shifts.mean(0), shifts.mean()
    # Residuals of a difference within the cell have 77, those of the sums as many: all are in the model's residual.
    sums = (y[second_condition == 1] + y[second_condition == 0]).reshape(12, 8)
    residual = sum(
        ((table - table.mean(1)[:, None] - table.mean(0) + table.mean()) ** 2).sum() / 2 for table in (shifts, sums)
    ) / (2 * 77)
    by_person, by_problem = 8 * ((row - mean) ** 2).sum() / 2 / 11, 12 * ((column - mean) ** 2).sum() / 2 / 7
    component_squares = {11: by_person - residual, 7: by_problem - residual}
    assert min(component_squares.values()) > 0
    total = residual + sum(component_squares.values())
    df = total**2 / (
        residual**2 / 154 + sum(part * (part + residual) / size for size, part in component_squares.items())
    )
    widening = (1.03 + 0.7 / 7) / (1 + 6.5 / 77)
    difference = crossed_difference(y, second_condition, CrossedCells(people.tolist(), problems.tolist()))
    assert difference.value == pytest.approx(mean)
    assert difference.standard_error == pytest.approx(widening * math.sqrt(2 * total / 96))
    assert difference.degrees_of_freedom == pytest.approx(df)


def test_effects_that_are_not_seen_to_vary_do_not_make_intervals_wider() -> None:
    """Estimates of components that are below 0 count against those above, so on average the variance is right."""
    people, problems = np.repeat(np.arange(12), 8), np.tile(np.arange(8), 12)
    second_condition = (people + problems) % 2
    cells = CrossedCells(people.tolist(), problems.tolist())
    random = np.random.default_rng(14)
    differences = [crossed_difference(random.normal(0, 1, 96), second_condition, cells) for _ in range(400)]
    squares = np.mean(
        [difference.standard_error**2 for difference in differences if difference.standard_error is not None]
    )
    # Widened by 1.045, and 0.6 of the variance at least.
    assert squares / np.var([difference.value for difference in differences]) == pytest.approx(1.2, abs=0.2)


def test_people_may_vary_more_under_one_condition() -> None:
    """People who vary more and leave earlier do not count for less: on average the variance is right."""
    people, problems = np.repeat(np.arange(20), 8), np.tile(np.arange(8), 20)
    is_second_group = people >= 10
    present = ~is_second_group | (problems % 4 == people % 4)
    random = np.random.default_rng(15)
    spread = np.where(np.arange(20) < 10, 0.2, 1.0)
    differences = [
        crossed_difference(
            (random.normal(0, spread)[people] + random.normal(0, 0.5, 160))[present],
            is_second_group[present],
            CrossedCells(people[present].tolist(), problems[present].tolist()),
        )
        for _ in range(300)
    ]
    squares = np.mean(
        [difference.standard_error**2 for difference in differences if difference.standard_error is not None]
    )
    assert squares / np.var([difference.value for difference in differences]) == pytest.approx(1.0, abs=0.2)


def test_degrees_of_freedom_are_those_of_equal_variances() -> None:
    """Of people of whom each works under one condition: 10 + 10 - 2, however unlike the conditions are."""
    people, problems = np.repeat(np.arange(20), 8), np.tile(np.arange(8), 20)
    random = np.random.default_rng(16)
    degrees = [
        crossed_difference(
            random.normal(0, np.where(np.arange(20) < 10, first_spread, 1.0))[people] + random.normal(0, 0.01, 160),
            people >= 10,
            CrossedCells(people.tolist(), problems.tolist()),
        ).degrees_of_freedom
        for first_spread in (1.0, 0.1)
    ]
    assert degrees == pytest.approx([18, 18], abs=0.1)


def test_a_difference_of_shares_stays_between_minus_one_and_one() -> None:
    """Of 8 attempts at 4 problems, Student's interval would end at -129 percentage points."""
    cells = CrossedCells([None] * 8, [0, 1, 2, 3] * 2)
    passed_flags = [1, 1, 1, 0, 0, 0, 0, 0]
    plain_difference = crossed_difference(passed_flags, [0] * 4 + [1] * 4, cells)
    bounded_difference = crossed_share_difference(passed_flags, [0] * 4 + [1] * 4, cells)
    assert plain_difference.low is not None and plain_difference.low < -1
    assert (bounded_difference.value, bounded_difference.low, bounded_difference.high, bounded_difference.p_value) == (
        -0.75,
        -1.0,
        plain_difference.high,
        plain_difference.p_value,
    )


def test_the_detectable_difference_is_blooms() -> None:
    """Bloom (1995): with many degrees of freedom, 2.8 standard errors."""
    random = np.random.default_rng(10)
    estimate = crossed_mean(random.normal(0, 1, 5000), CrossedCells([None] * 5000, list(range(5000))))
    assert estimate.standard_error is not None and estimate.detectable_difference is not None
    assert estimate.detectable_difference / estimate.standard_error == pytest.approx(2.8, abs=0.01)


def _draw_own_tasks_study(
    random: np.random.Generator, people: int, tasks: int, effect_varies: float
) -> tuple[Numbers, Numbers, CrossedCells]:
    """Values of people who each have tasks of their own, half under each condition by lot, without an effect."""
    persons = np.repeat(np.arange(people), tasks)
    second = np.concatenate([random.permutation(np.arange(tasks) % 2) for _ in range(people)]).astype(float)
    level, slope = random.normal(0, 0.4, people), random.normal(0, effect_varies, people)
    y = level[persons] + second * slope[persons] + random.normal(0, 0.7, people * tasks)
    return y, second, CrossedCells(persons.tolist(), list(range(people * tasks)))


def test_people_with_tasks_of_their_own_are_compared_with_themselves() -> None:
    y, second, cells = _draw_own_tasks_study(np.random.default_rng(21), 14, 10, 0.6)
    difference = crossed_difference(y, second, cells)
    persons = np.array(cells.participants)
    gaps = [
        y[(persons == person) & (second == 1)].mean() - y[(persons == person) & (second == 0)].mean()
        for person in range(14)
    ]
    paired_test = stats.ttest_1samp(gaps, 0)
    assert difference.within
    assert difference.value == pytest.approx(np.mean(gaps))
    assert difference.standard_error == pytest.approx(np.std(gaps, ddof=1) / np.sqrt(14), rel=0.1)
    assert difference.p_value == pytest.approx(paired_test.pvalue, abs=0.05)


def test_tasks_of_one_s_own_raise_no_false_alarms(nightly: bool) -> None:
    random = np.random.default_rng(22)
    studies = 600 if nightly else 60
    alarms = 0
    for _ in range(studies):
        p = crossed_difference(*_draw_own_tasks_study(random, 16, 15, 0.2)).p_value
        assert p is not None
        alarms += p < 0.05
    assert alarms <= (0.075 if nightly else 0.16) * studies
