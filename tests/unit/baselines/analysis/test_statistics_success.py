"""Success rates, macro averages and pass@k against closed forms, other implementations and published examples."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from benchwright_analysis.statistics.bootstrap import (
    clustered_mean,
    draw_counts,
    nested_draw_counts,
    percentile_interval,
)
from benchwright_analysis.statistics.crossed import crossed_share
from benchwright_analysis.statistics.crossed_design import CrossedCells
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_analysis.statistics.pass_at_k import (
    ProblemSamples,
    all_of_k_pass,
    best_of_k_weights,
    cvdp_mean_success,
    cvdp_plug_in_pass_at_k,
    mean_pass_at_k,
    pass_at_k,
)
from benchwright_analysis.statistics.success import mean_over_labels, success_by_label
from benchwright_harness.cvdp_report import GradedAnswer, composite_report_content, report_content, report_text
from benchwright_problems.category import Category
from benchwright_problems.problem import Difficulty
from benchwright_problems.verdict import Reason, Verdict

# First calls import much of SciPy, however little time a test has.
SETTINGS = settings(deadline=None, max_examples=50)

COUNTS = st.integers(1, 12).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n)))


def model_cells(problems: Sequence[str]) -> CrossedCells:
    return CrossedCells([None] * len(problems), problems)


def test_a_share_of_independent_attempts_has_newcombes_wilson_interval() -> None:
    """Newcombe (1998), Statistics in Medicine 17, table I, method 3: here with Student's t for the normal."""
    share = crossed_share([True] * 15 + [False] * 133, model_cells([str(index) for index in range(148)]))
    assert share.value == pytest.approx(15 / 148)
    assert (share.low, share.high) == pytest.approx((0.0624, 0.1605), abs=1e-3)


def test_a_result_that_is_neither_passed_nor_failed_is_named() -> None:
    with pytest.raises(StatisticsError, match=r"Results have to be true or false: item 1 is 0\.5"):
        crossed_share([1, 0.5], model_cells(["a", "b"]))


def test_success_is_broken_down_by_each_label_of_a_problem() -> None:
    labels = [("fsm", "fifo"), "fsm", "fifo", (), ("fsm", "fsm")]
    label_groups = success_by_label([1, 0, 1, 1, 0], labels, model_cells(["a", "b", "c", "d", "b"]))
    assert [(group.label, group.attempts, group.score.problems) for group in label_groups] == [
        ("fifo", 2, 2),
        ("fsm", 3, 2),
    ]
    assert label_groups[0].passed is not None and label_groups[0].passed.value == 1
    assert label_groups[1].score.value == pytest.approx(1 / 3)


def test_fractional_scores_have_a_mean_and_no_share() -> None:
    (only,) = success_by_label([0.25, 1.0], ["cid009", "cid009"], model_cells(["a", "b"]))
    assert only.passed is None
    assert only.score.value == 0.625


def test_a_macro_average_counts_groups_alike() -> None:
    scores, labels = [1, 1, 0, 1, 0, 0, 1, 1], ["a"] * 4 + ["b"] * 2 + ["c"] * 2
    average = mean_over_labels(scores, labels, model_cells([str(index) for index in range(8)]))
    assert average.value == pytest.approx((0.75 + 0 + 1) / 3)
    # Categories differ by nature: only what varies within a, 3/4 of a problem in each, is chance.
    weight = 1 / 12
    variance_inside = weight**2 * (3 * 0.25**2 + 0.75**2) * 8 / 7
    assert average.standard_error == pytest.approx(math.sqrt(variance_inside))


def test_a_bootstrap_interval_of_a_mean_is_scipys_at_hesterbergs_level() -> None:
    """Hesterberg (2015): of 50 values the tails of 2.5 % become 2.1 %."""
    sample_values = np.random.default_rng(5).exponential(size=50)
    own_estimate = clustered_mean(sample_values, seed=1, resamples=4000)
    scipy_interval = stats.bootstrap(
        (sample_values,), np.mean, method="percentile", confidence_level=0.958, n_resamples=4000, rng=2
    ).confidence_interval
    assert (own_estimate.low, own_estimate.high) == pytest.approx((scipy_interval.low, scipy_interval.high), abs=0.02)
    assert own_estimate == clustered_mean(sample_values, seed=1, resamples=4000)


def test_an_interval_of_few_units_is_expanded() -> None:
    """Hesterberg (2015): of 10 values the tails of 2.5 % become 0.86 %."""
    replicates = np.linspace(0, 1, 10_001)
    assert percentile_interval(replicates) == pytest.approx((0.025, 0.975), abs=2e-4)
    assert percentile_interval(replicates, 10) == pytest.approx((0.0086, 0.9914), abs=2e-4)
    assert percentile_interval(np.array([np.nan, -np.inf, 1.0, np.inf])) == (None, None)
    assert percentile_interval(np.array([np.nan])) == (None, None)


@pytest.mark.parametrize("score", [0.0, 0.1, 1 / 3, 1.0])
def test_scores_that_are_all_alike_do_not_feign_certainty(score: float) -> None:
    estimate = clustered_mean([score] * 12, [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6], seed=1)
    assert estimate.value == pytest.approx(score)
    assert (estimate.low, estimate.high) == (None, None)


def test_copies_of_an_attempt_do_not_feign_precision() -> None:
    """Of clusters of equal values the interval is the one of the clusters' values."""
    cluster_values = np.random.default_rng(6).normal(size=20)
    copied = clustered_mean(np.repeat(cluster_values, 10), np.repeat(np.arange(20), 10).tolist(), seed=1)
    assert copied.low is not None and copied.high is not None
    error = cluster_values.std() / math.sqrt(20)
    assert copied.high - copied.low == pytest.approx(2 * 1.96 * error, rel=0.1)


def test_one_cluster_gives_a_value_without_an_interval() -> None:
    estimate = clustered_mean([1, 0, 1], ["a", "a", "a"], seed=1)
    assert estimate.value == pytest.approx(2 / 3) and estimate.low is None and estimate.high is None


def test_nested_draws_draw_as_many_children_as_their_parents_were_drawn_for() -> None:
    random = np.random.default_rng(7)
    parents = ["b", "a", "b", "b", "a"]
    parent_draws = draw_counts(2, 500, random)
    children = nested_draw_counts(parents, parent_draws, random)
    assert (children[:, [1, 4]].sum(axis=1) == 2 * parent_draws[:, 0]).all()
    assert (children[:, [0, 2, 3]].sum(axis=1) == 3 * parent_draws[:, 1]).all()
    assert children.mean(axis=0) == pytest.approx(np.ones(5), abs=0.2)


@SETTINGS
@given(COUNTS)
def test_pass_at_k_is_chen_and_others_formula(counts: tuple[int, int, int]) -> None:
    """Chen et al. (2021), Evaluating Large Language Models Trained on Code, equation 1."""
    n, c, k = counts
    assert pass_at_k(n, c, k) == pytest.approx(1 - math.comb(n - c, k) / math.comb(n, k), abs=1e-12)


@SETTINGS
@given(st.integers(0, 100).map(lambda percent: percent / 100), st.integers(1, 8), st.integers(1, 8))
def test_pass_at_k_is_unbiased_and_cvdps_value_is_not_too_high(rate: float, k: int, more: int) -> None:
    """Its expectation over binomial counts is 1 - (1-p)^k; the plug-in's is at most that, by Jensen's inequality."""
    n = k + more
    chances = [float(stats.binom.pmf(count, n, rate)) for count in range(n + 1)]
    truth = 1 - (1 - rate) ** k
    assert sum(p * pass_at_k(n, c, k) for c, p in enumerate(chances)) == pytest.approx(truth, abs=1e-9)
    assert sum(p * cvdp_plug_in_pass_at_k(n, c, k) for c, p in enumerate(chances)) <= truth + 1e-9


def test_that_all_of_k_pass_is_the_share_of_draws_without_a_failure() -> None:
    for n, c, k in ((1, 0, 1), (4, 4, 4), (5, 3, 2), (8, 7, 3), (6, 2, 3)):
        assert all_of_k_pass(n, c, k) == pytest.approx(math.comb(c, k) / math.comb(n, k), abs=1e-12)
    with pytest.raises(StatisticsError, match="at least 3 samples"):
        all_of_k_pass(2, 2, 3)


def test_pass_at_k_stays_exact_for_many_samples() -> None:
    exact = 1 - math.comb(99_990, 100) / math.comb(100_000, 100)
    assert pass_at_k(100_000, 10, 100) == pytest.approx(exact, rel=1e-9)


def test_pass_at_k_of_too_few_samples_is_refused() -> None:
    with pytest.raises(StatisticsError, match="pass@5 needs at least 5 samples of each problem, and one has 3"):
        mean_pass_at_k([10, 3], [1, 1], 5, seed=1)
    with pytest.raises(StatisticsError, match="4 of 3 samples"):
        pass_at_k(3, 4, 1)
    with pytest.raises(StatisticsError, match="k has to be at least 1"):
        pass_at_k(3, 1, 0)


def test_mean_pass_at_1_is_the_mean_rate_both_ways() -> None:
    pass_rates = mean_pass_at_k([4, 4, 4], [0, 1, 4], 1, seed=1)
    assert pass_rates.unbiased.value == pass_rates.cvdp_plug_in.value == pytest.approx(1.25 / 3)
    assert pass_rates.unbiased.low is not None and pass_rates.unbiased.low < 1.25 / 3


def test_cvdps_success_is_what_its_reporter_prints() -> None:
    """The composite report of CVDP's own format, by the harness room's writer of it."""

    def graded(name: str, category: str, has_passed: bool, score: float | None = None) -> GradedAnswer:
        return GradedAnswer(
            id=name,
            category=Category(category),
            difficulty=Difficulty.EASY,
            verdict=Verdict(reason=Reason.PASSED if has_passed else Reason.TESTS_FAILED, detail="", wall_s=0.5),
            score=score,
        )

    passes_by_problem = {"a": (1, 1, 0), "b": (0, 1, 0), "c": (0, 0, 0)}
    sample_scores = (0.25, 0.75, 0.9)
    report_time = datetime(2026, 1, 2, tzinfo=UTC)
    reports = [
        report_content(
            [graded(name, "cid003", bool(passes[sample])) for name, passes in passes_by_problem.items()]
            + [graded("d", "cid009", False, sample_scores[sample])],
            "pack",
            "somebody",
            report_time,
        )
        for sample in range(3)
    ]
    text = report_text(composite_report_content(reports, ["1", "2", "3"], 2, report_time))
    probability_match = re.search(r"Overall Pass@2, n=3 probability: ([0-9.]+)%", text)
    assert probability_match is not None
    problem_samples = [ProblemSamples(tuple(map(float, passes))) for passes in passes_by_problem.values()]
    own_success = cvdp_mean_success([*problem_samples, ProblemSamples(sample_scores, is_score_based=True)], 2)
    assert round(100 * own_success, 2) == float(probability_match[1])


@SETTINGS
@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.integers(1, 8))
def test_best_of_k_is_the_mean_over_all_choices(scores: list[float], k: int) -> None:
    if k > len(scores):
        with pytest.raises(StatisticsError, match=f"best of {k}"):
            best_of_k_weights(len(scores), k)
        return
    best = np.sort(scores) @ best_of_k_weights(len(scores), k)
    assert best == pytest.approx(np.mean([max(choice) for choice in combinations(scores, k)]))


@SETTINGS
@given(COUNTS)
def test_best_of_k_of_passes_is_pass_at_k(counts: tuple[int, int, int]) -> None:
    n, c, k = counts
    best = np.array([0.0] * (n - c) + [1.0] * c) @ best_of_k_weights(n, k)
    assert best == pytest.approx(pass_at_k(n, c, k), abs=1e-12)


def test_many_clusters_are_drawn_in_parts_that_make_the_same_interval() -> None:
    binary_values = np.random.default_rng(5).integers(0, 2, 3000).astype(float)
    at_once = draw_counts(3000, 1500, np.random.default_rng(1)) @ binary_values / 3000
    estimate = clustered_mean(binary_values, seed=1, resamples=1500)
    assert (estimate.low, estimate.high) == percentile_interval(at_once, 3000)
