"""Many models at once: identical ones do not differ, different ones do."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special, stats

from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.sections.models_compared import models_compared_section
from benchwright_analysis.statistics.columns import Numbers
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_analysis.statistics.simultaneous import all_pair_differences

from ....support.packs.report_sections import attempt, words


def scores_of_identical_models(random: np.random.Generator, problems: int, models: int = 20) -> dict[str, list[float]]:
    chances = special.expit(random.normal(0, 1.5, problems))
    return {f"m{model:02}": (random.random(problems) < chances).astype(float).tolist() for model in range(models)}


def test_of_twenty_identical_models_one_pair_differs_in_one_report_of_twenty(nightly: bool) -> None:
    reports = 400 if nightly else 12
    random = np.random.default_rng(6)
    corrected = alone = 0
    for _ in range(reports):
        pairs = all_pair_differences(scores_of_identical_models(random, 60), range(60))
        corrected += any(pair.adjusted is not None and pair.adjusted < 0.05 for pair in pairs.values())
        alone += any(pair.p_value is not None and pair.p_value < 0.05 for pair in pairs.values())
    assert corrected <= (32 if nightly else 4)
    assert alone > 0.9 * reports


def test_two_models_have_a_paired_t_test_and_a_false_discovery_rate_of_their_own() -> None:
    random = np.random.default_rng(1)
    first_scores, second_scores = random.random(30), random.random(30)
    (pair,) = all_pair_differences({"a": first_scores.tolist(), "b": second_scores.tolist()}, range(30)).values()
    paired_test = stats.ttest_rel(first_scores, second_scores)
    assert pair.value == pytest.approx(first_scores.mean() - second_scores.mean())
    assert pair.p_value == pytest.approx(paired_test.pvalue)
    assert pair.false_discovery == pytest.approx(paired_test.pvalue)
    assert pair.adjusted == pytest.approx(paired_test.pvalue, abs=0.03)
    interval = paired_test.confidence_interval()
    assert (pair.low, pair.high) == pytest.approx((interval.low, interval.high), abs=0.02)


def test_problems_that_vary_one_task_do_not_make_a_difference_surer() -> None:
    random = np.random.default_rng(2)
    scores = scores_of_identical_models(random, 15, 2)
    thrice = {name: np.repeat(values, 3).tolist() for name, values in scores.items()}
    (once,), (repeated,) = (
        all_pair_differences(scores, range(15)).values(),
        all_pair_differences(thrice, np.repeat(np.arange(15), 3).tolist()).values(),
    )
    assert repeated.p_value == pytest.approx(once.p_value)


def test_models_that_answer_alike_have_no_interval() -> None:
    same: Numbers = np.tile([1.0, 0.0], 10)
    (pair,) = all_pair_differences({"a": same.tolist(), "b": same.tolist()}, range(20)).values()
    assert (pair.value, pair.low, pair.adjusted) == (0.0, None, None)


def test_few_problems_are_refused_with_what_it_takes() -> None:
    with pytest.raises(StatisticsError, match="Too few problems that all models tried: 6, and it takes 10"):
        all_pair_differences(scores_of_identical_models(np.random.default_rng(3), 6, 3), range(6))


def _report_data(chance_by_model: dict[str, float], problems: int) -> Dataset:
    random = np.random.default_rng(8)
    return Dataset(
        [
            attempt(model, f"p/{problem}", "model", seconds=1, solver="model", passed=bool(random.random() < chance))
            for model, chance in chance_by_model.items()
            for problem in range(problems)
        ],
        {},
    )


def test_the_page_names_the_models_that_the_best_can_not_be_distinguished_from() -> None:
    section = models_compared_section(_report_data({"strong": 0.9, "also": 0.88, "weak": 0.2}, 60))
    assert section is not None
    text = words(section)
    alike = section.numbers["not_distinguished_from_best"]
    assert isinstance(alike, list)
    assert {*alike, section.pictures[0].table.rows[0][0]} == {"model: strong", "model: also"}
    assert "Of 3 pairs, 2 differ" in text


def test_two_models_are_compared_elsewhere_and_few_problems_are_named() -> None:
    assert models_compared_section(_report_data({"a": 0.5, "b": 0.5}, 20)) is None
    few = models_compared_section(_report_data({"a": 0.5, "b": 0.5, "c": 0.5}, 5))
    assert few is not None and "5, and it takes 10" in few.empty_reason
