"""Score against time, active time, provenance and kinds of failure, by hand-worked numbers and scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score

from benchwright_analysis.statistics.active_time import active_time_sensitivity
from benchwright_analysis.statistics.crossed_design import CrossedCells
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_analysis.statistics.failures import MessageComparison, cluster_failures
from benchwright_analysis.statistics.provenance import AttemptProvenance, condition_provenance
from benchwright_analysis.statistics.score_over_time import ScoreTrace, best_score_within, score_curve

TRACES = [
    ScoreTrace("a", "p1", (10, 30), (0.5, 0.25)),
    ScoreTrace("a", "p2", (20,), (1.0,)),
    ScoreTrace("b", "p1", (5,), (0.0,)),
    ScoreTrace("b", "p2", (), ()),
    ScoreTrace("c", "p1", (40,), (1.0,)),
]


def test_the_best_score_so_far_never_falls() -> None:
    assert best_score_within(TRACES[0], [0, 9, 10, 29, 100]).tolist() == [0, 0, 0.5, 0.5, 0.5]
    assert best_score_within(ScoreTrace("a", "p", (30, 10), (1, 0.5)), [20, 30]).tolist() == [0.5, 1]


def test_a_score_curve_is_the_mean_over_problems() -> None:
    curve = score_curve(TRACES, [10, 20, 40])
    assert curve.score == pytest.approx((0.25 / 3, 0.75 / 3, 1.75 / 3))
    assert (curve.problems, curve.left_out) == (3, 0)
    assert set(curve.low) == {None}, "three problems are too few for a band"


def test_bands_hold_over_people_and_problems() -> None:
    random = np.random.default_rng(1)
    person_problems = [(person, problem) for person in range(6) for problem in "abcde"]
    traces = [
        ScoreTrace(problem, str(person), (float(random.exponential(10)),), (1.0,))
        for person, problem in person_problems
    ]
    person_cells = CrossedCells([person for person, _ in person_problems], [problem for _, problem in person_problems])
    curve = score_curve(traces, [5, 10, 20], cells=person_cells)
    for low, score, high in zip(curve.low, curve.score, curve.high, strict=True):
        assert low is not None and high is not None and 0 <= low <= score <= high <= 1
    assert set(score_curve(traces, [5, 10], attempts_sharing_budget=4, cells=person_cells).low) == {None}
    assert None not in score_curve(traces, [10, 20], attempts_sharing_budget=4).low


def test_the_best_of_k_shares_one_budget() -> None:
    """At 40 in total two attempts have 20 each: problem a has 0.5 and 1 by then, problem b nothing."""
    curve = score_curve(TRACES, [20, 40], attempts_sharing_budget=2)
    assert curve.score == pytest.approx(((max(0.5, 0) + 0) / 2, (1 + 0) / 2))
    assert (curve.problems, curve.left_out) == (2, 1)


def test_a_curve_that_cannot_be_is_refused() -> None:
    with pytest.raises(StatisticsError, match="No problem has 3 attempts"):
        score_curve(TRACES, [10], attempts_sharing_budget=3)
    with pytest.raises(StatisticsError, match="Scores have to be at most 1"):
        best_score_within(ScoreTrace("a", "p", (1,), (2,)), [1])


def test_active_time_is_compared_over_thresholds() -> None:
    sensitivity = active_time_sensitivity(
        {60: [50, 100, 150], 120: [100, 100, 200], 300: [100, 200, 300]}, [200, 200, 400], reference_s=120
    )
    one_minute, two_minutes, five = sensitivity.thresholds
    assert (one_minute.total_s, one_minute.median_s) == (300, 100)
    assert one_minute.against_reference == pytest.approx(-0.25)
    assert (two_minutes.share_of_elapsed, two_minutes.against_reference) == (0.5, 0)
    assert five.against_reference == pytest.approx(0.5)
    assert five.rank_correlation == pytest.approx(np.sqrt(3) / 2)
    assert sensitivity.largest_change == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("active_times", "message"),
    [
        ({60: [100.0]}, "No active times were given for the reference threshold of 120 s"),
        ({60: [100.0], 120: [90.0]}, "Active time shrinks"),
        ({120: [300.0]}, "active for longer than its clock ran"),
        ({120: [1.0, 2.0]}, "equally long"),
    ],
)
def test_active_times_that_cannot_be_are_refused(active_times: dict[float, list[float]], message: str) -> None:
    with pytest.raises(StatisticsError, match=message):
        active_time_sensitivity(active_times, [200.0], reference_s=120)


def test_provenance_is_pooled_and_per_attempt() -> None:
    text_provenance = condition_provenance(
        [
            AttemptProvenance("1", "p1", "a", {"hand": 90, "completion": 10}, 10, {"30 s": 8, "submit": 5}),
            AttemptProvenance("2", "p2", "b", {"hand": 100, "completion": 300}, 300, {"30 s": 200}, {"30 s": 250}),
            AttemptProvenance("3", "p2", "c", {}),
        ],
    )
    assert (text_provenance.attempts, text_provenance.without_text) == (3, 1)
    completion, hand = text_provenance.sources
    assert (completion.source, completion.characters) == ("completion", 310)
    assert completion.pooled.value == pytest.approx(310 / 500)
    assert completion.per_attempt.value == pytest.approx((0.1 + 0.75) / 2)
    assert hand.pooled.value == pytest.approx(190 / 500)
    soon, submit_share = text_provenance.survival
    assert (soon.moment, soon.accepted, soon.surviving) == ("30 s", 260, 208)
    assert soon.pooled.value == pytest.approx(0.8)
    assert (submit_share.moment, submit_share.pooled.value, submit_share.pooled.low) == ("submit", 0.5, None)


def test_more_surviving_than_accepted_is_refused() -> None:
    with pytest.raises(StatisticsError, match="Attempt 7: at submit, 11 characters survive of 10"):
        condition_provenance([AttemptProvenance("7", "p", "a", {"hand": 1}, 10, {"submit": 11})])
    with pytest.raises(StatisticsError, match="negative"):
        condition_provenance([AttemptProvenance("7", "p", "a", {"hand": -1})])


WIDTH = ["the bus width is wrong, bits are cut", "wrong width of the data bus", "bus width cut to eight bits"]
RESET = ["reset is asynchronous here", "the counter ignores reset", "asynchronous reset is missing"]
LATCH = ["an inferred latch from a missing default", "incomplete case infers a latch", "latch, default missing"]
TEXTS = WIDTH + RESET + LATCH
POINTS = np.array([[0, 0], [0, 1], [1, 0], [20, 0], [20, 1], [21, 0], [0, 30], [0, 31], [1, 30]], float)


def embed(texts: Sequence[str]) -> np.ndarray:
    return np.array([POINTS[TEXTS.index(text)] for text in texts])


def test_the_number_of_groups_has_the_best_silhouette() -> None:
    """scikit-learn's k-means and silhouette, by the steps of CVDP's Algorithm 1."""
    analysis = cluster_failures(TEXTS, embed=embed, name_group=lambda texts: texts[0].split()[-1], seed=3)
    assert [group.members for group in analysis.failure_groups] == [(0, 1, 2), (3, 4, 5), (6, 7, 8)]
    assert analysis.comparison is MessageComparison.EMBEDDING and analysis.named and analysis.note == ""
    assert [group.name for group in analysis.failure_groups] == ["cut", "here", "default"]
    assert list(analysis.silhouettes) == list(range(2, 9))
    assert max(analysis.silhouettes, key=lambda count: analysis.silhouettes[count]) == 3
    places = KMeans(3, n_init=10, random_state=3).fit_predict(POINTS)
    assert analysis.silhouettes[3] == pytest.approx(silhouette_score(POINTS, places))


def test_no_more_than_eleven_groups_are_tried() -> None:
    texts = [f"failure {number}" for number in range(40)]
    analysis = cluster_failures(
        texts, embed=lambda messages: np.arange(len(messages), dtype=float)[:, None] ** 2, seed=1
    )
    assert list(analysis.silhouettes) == list(range(2, 12))


def test_offline_groups_share_words_and_say_so() -> None:
    analysis = cluster_failures(TEXTS, seed=1)
    assert analysis.comparison is MessageComparison.WORDS and not analysis.named
    assert "TF-IDF" in analysis.note and "no names" in analysis.note
    assert analysis == cluster_failures(TEXTS, seed=1)
    assert all(group.name is None and group.distinctive_words for group in analysis.failure_groups)
    assert sorted(member for group in analysis.failure_groups for member in group.members) == list(range(9))
    assert any({"bus", "width"} <= set(group.distinctive_words) for group in analysis.failure_groups)


@pytest.mark.parametrize(
    ("texts", "group_count", "message"),
    [
        ([], 0, "fewer than three"),
        (["a latch", "no reset"], 1, "fewer than three"),
        (["same words"] * 5, 1, "All messages are alike"),
        (["the of", "and to", "a is"], 1, "All messages are alike"),
    ],
)
def test_too_little_to_group_is_one_group_and_says_so(texts: list[str], group_count: int, message: str) -> None:
    analysis = cluster_failures(texts, seed=1)
    assert len(analysis.failure_groups) == group_count and analysis.silhouettes == {} and message in analysis.note


def test_texts_of_two_kinds_make_two_groups() -> None:
    analysis = cluster_failures(["bus width"] * 3 + ["missing reset"] * 2, seed=1)
    assert [group.members for group in analysis.failure_groups] == [(0, 1, 2), (3, 4)]


def test_reflections_and_vectors_that_do_not_fit_are_refused() -> None:
    with pytest.raises(StatisticsError, match="Message 1 is empty"):
        cluster_failures(["a", " "], seed=1)
    with pytest.raises(StatisticsError, match="one vector of finite numbers for each of 3 messages"):
        cluster_failures(["a", "b", "c"], embed=lambda texts: [[1.0]], seed=1)


def test_problems_that_do_not_differ_have_a_score_but_no_band() -> None:
    traces = [ScoreTrace(problem, "m", (2.0,), (1.0,)) for problem in "abd"] + [ScoreTrace("c", "m", (3.0,), (1.0,))]
    curve = score_curve(traces, [1, 2.5, 4])
    assert curve.score == pytest.approx((0, 3 / 4, 1))
    assert [bound is None for bound in curve.low] == [bound is None for bound in curve.high] == [True, False, True]
    assert score_curve(traces[:1], [4]).low == (None,)
