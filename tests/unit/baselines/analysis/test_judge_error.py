"""A judge that errs: shares as people would find them, with intervals that hold."""

from __future__ import annotations

import numpy as np
import pytest

from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.sections.judge_error import judge_error_section
from benchwright_analysis.statistics.crossed import crossed_share
from benchwright_analysis.statistics.crossed_design import CrossedCells
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_analysis.statistics.judge_error import (
    JudgedAnswers,
    JudgeErrors,
    judge_errors,
    prediction_powered_difference,
    prediction_powered_share,
    rogan_gladen,
)
from benchwright_judges.agreement.estimators import Estimate
from benchwright_judges.agreement.rated import RatedAnswer
from benchwright_judges.scale import Scale

from ....support.packs.report_sections import attempt, words


def judged_answers(
    random: np.random.Generator, chance: float, *, sensitivity: float, specificity: float, labelled: int = 60
) -> JudgedAnswers:
    """300 answers of a model, one to each problem, of which people labelled some by lot."""
    right = random.random(300) < chance
    accepted = np.where(right, random.random(300) < sensitivity, random.random(300) >= specificity)
    is_labelled = random.permutation(300) < labelled
    people_right = [bool(flag) if known else None for flag, known in zip(right, is_labelled, strict=True)]
    return JudgedAnswers(accepted.tolist(), people_right, [None] * 300, list(range(300)))


def counted_judge_errors(sample_answers: JudgedAnswers) -> JudgeErrors:
    pairs = [
        (judged, called_right)
        for judged, called_right in zip(sample_answers.judged_right, sample_answers.people_right, strict=True)
        if called_right is not None
    ]
    return judge_errors([judged for judged, _ in pairs], [called_right for _, called_right in pairs])


def interval_covers(estimate: Estimate, truth: float) -> bool:
    return estimate.low is not None and estimate.high is not None and estimate.low <= truth <= estimate.high


def test_corrected_intervals_hold_the_truth_where_those_of_verdicts_do_not(nightly: bool) -> None:
    group_count, truth = (1000 if nightly else 80), 0.6
    random = np.random.default_rng(3)
    held = {"as judged": 0, "rogan-gladen": 0, "prediction-powered": 0}
    for _ in range(group_count):
        sample_answers = judged_answers(random, truth, sensitivity=0.95, specificity=0.7)
        held["as judged"] += interval_covers(
            crossed_share(sample_answers.judged_right, sample_answers.cells).estimate, truth
        )
        held["rogan-gladen"] += interval_covers(
            rogan_gladen(sample_answers.judged_right, sample_answers.cells, counted_judge_errors(sample_answers)), truth
        )
        held["prediction-powered"] += interval_covers(prediction_powered_share(sample_answers), truth)
    assert held["as judged"] < 0.5 * group_count
    least = 0.93 if nightly else 0.86
    assert held["rogan-gladen"] >= least * group_count
    assert held["prediction-powered"] >= least * group_count


def test_the_difference_of_two_groups_holds_the_truth_though_the_judge_favours_the_second(nightly: bool) -> None:
    pairs = 1000 if nightly else 60
    random = np.random.default_rng(4)
    held = 0
    for _ in range(pairs):
        first_answers = judged_answers(random, 0.6, sensitivity=0.9, specificity=0.9)
        second_answers = judged_answers(random, 0.5, sensitivity=1.0, specificity=0.7)
        held += interval_covers(prediction_powered_difference(second_answers, first_answers), -0.1)
    assert held >= (0.93 if nightly else 0.86) * pairs


def test_rogan_and_gladen_s_formula() -> None:
    """An apparent share of 0.2 with sensitivity and specificity of 0.9 is a true one of 0.125."""
    judge_verdicts = np.arange(1000) < 200
    cells = CrossedCells([None] * 1000, list(range(1000)))
    estimate = rogan_gladen(judge_verdicts, cells, JudgeErrors(100, 90, 100, 90))
    assert estimate.value == pytest.approx(0.125)
    assert estimate.low is not None and estimate.high is not None and estimate.low < 0.125 < estimate.high


def test_a_judge_without_errors_changes_nothing() -> None:
    judge_verdicts = np.arange(400) % 4 > 0
    cells = CrossedCells([None] * 400, list(range(400)))
    corrected = rogan_gladen(judge_verdicts, cells, JudgeErrors(100_000, 100_000, 100_000, 100_000))
    plain = crossed_share(judge_verdicts, cells)
    assert (corrected.value, corrected.low, corrected.high) == pytest.approx(
        (plain.value, plain.low, plain.high), abs=1e-3
    )


def test_a_perfect_judge_makes_few_labels_as_good_as_many() -> None:
    """The closed form: labels' residuals are 0, and what is left is the variance of the verdicts."""
    random = np.random.default_rng(5)
    sample_answers = judged_answers(random, 0.5, sensitivity=1.0, specificity=1.0, labelled=60)
    estimate, every = (
        prediction_powered_share(sample_answers),
        crossed_share(sample_answers.judged_right, sample_answers.cells),
    )
    assert estimate.low is not None and estimate.high is not None and every.low is not None and every.high is not None
    assert estimate.value == pytest.approx(np.mean(sample_answers.judged_right), abs=1e-9)
    assert estimate.high - estimate.low == pytest.approx(every.high - every.low, rel=0.05)


def test_a_judge_that_accepts_everything_says_nothing() -> None:
    judge_verdicts = np.ones(50, dtype=bool)
    cells = CrossedCells([None] * 50, list(range(50)))
    with pytest.raises(StatisticsError, match="its verdicts say nothing"):
        rogan_gladen(judge_verdicts, cells, JudgeErrors(20, 20, 20, 0))


def test_few_labels_correct_nothing() -> None:
    with pytest.raises(StatisticsError, match="right and 1 wrong, and it takes 5"):
        judge_errors([1] * 10, [1] * 9 + [0])


def _report_data(labelled: int) -> Dataset:
    random = np.random.default_rng(6)
    attempts, rated = [], []
    for model, chance in (("a", 0.6), ("b", 0.5)):
        for problem in range(80):
            right, accepted = random.random() < chance, True
            accepted = bool(right or random.random() < 0.3)
            folded_attempt = attempt(
                model, f"p/{problem}", "model", seconds=1, solver="model", passed=accepted, judge_method="model"
            )
            attempts.append(folded_attempt)
            if problem < labelled:
                scale_labels = ("incorrect", "correct")
                rated.append(
                    RatedAnswer(
                        f"{model}{problem}",
                        f"p/{problem}",
                        "free-response",
                        Scale.EXAM,
                        {"ana": scale_labels[right]},
                        {"mini": [scale_labels[accepted]]},
                        attempt=folded_attempt.observation.attempt,
                    )
                )
    return Dataset(attempts, {}, rated=rated)


def test_the_page_shows_shares_as_judged_and_corrected() -> None:
    section = judge_error_section(_report_data(40))
    assert section is not None
    text = words(section)
    assert "On the 80 answers that people labelled too, judges accept 100 % of what people call right" in text
    assert len(section.pictures[0].table.rows) == 2
    assert set(section.numbers["differences"]) == {"model: b"}  # type: ignore[call-overload]


def test_the_page_says_what_is_missing_without_labels_and_nothing_without_judges() -> None:
    section = judge_error_section(_report_data(0))
    assert section is not None and "`benchwright judge grade --all` lets people grade" in section.empty_reason
    assert judge_error_section(Dataset([attempt("m", "p/a", "model", seconds=1, solver="model")], {})) is None
