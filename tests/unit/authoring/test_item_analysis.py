from __future__ import annotations

import random

import numpy as np
import pytest
from scipy.stats import pointbiserialr
from statsmodels.stats.proportion import proportion_confint

from benchwright_authoring.item_analysis import item_statistics, option_statistics


def test_values_of_a_test_worked_out_by_hand() -> None:
    # Ten students by what they have for two other items: 0, 0, 1, 1, 1, 1, 2, 2, 2, 2.
    first_scores = [0, 0, 1, 1, 1, 1, 1, 1, 1, 1]
    second_scores = [0, 0, 0, 0, 0, 0, 1, 1, 1, 1]
    item_scores = [0, 0, 0, 1, 0, 1, 1, 1, 1, 1]
    analysis = item_statistics({"item": item_scores, "first": first_scores, "second": second_scores})["item"]
    assert (analysis.students, analysis.facility) == (10, 0.6)
    # 27 % of ten are three. Of the four with 2 others all have it; of the worst, two with 0 have not, and of the four
    # with 1, who share the third place, half.
    assert analysis.upper_lower == pytest.approx(1 - 0.5 / 3)
    other_scores = np.add(first_scores, second_scores)
    assert analysis.discrimination == pytest.approx(pointbiserialr(np.array(item_scores, bool), other_scores).statistic)
    assert analysis.facility_interval == pytest.approx(proportion_confint(6, 10, method="wilson"))


def test_students_who_are_tied_count_alike_in_any_order() -> None:
    dice = random.Random(1)
    score_pairs = [(float(dice.random() < 0.5), float(dice.random() < 0.5)) for _ in range(30)]
    differences = set()
    for _ in range(5):
        dice.shuffle(score_pairs)
        analysis = item_statistics(
            {"a": [first for first, _ in score_pairs], "b": [second for _, second in score_pairs]}
        )["a"]
        assert analysis.upper_lower is not None
        differences.add(round(analysis.upper_lower, 9))
    assert len(differences) == 1


@pytest.mark.parametrize("seed", range(20))
def test_discrimination_is_the_corrected_point_biserial_correlation(seed: int) -> None:
    dice = random.Random(seed)
    columns = {str(name): [float(dice.random() < 0.6) for _ in range(40)] for name in range(5)}
    for name, analysis in item_statistics(columns).items():
        rest_scores = np.sum([column for other_name, column in columns.items() if other_name != name], axis=0)
        assert analysis.discrimination == pytest.approx(
            pointbiserialr(np.array(columns[name], bool), rest_scores).statistic
        )


def test_who_has_not_worked_on_an_item_is_not_counted_there() -> None:
    columns: dict[str, list[float | None]] = {"a": [1.0] * 6 + [None] * 6, "b": [0.0, 1.0] * 6}
    analyses = item_statistics(columns)
    assert (analyses["a"].students, analyses["a"].facility, analyses["a"].discrimination) == (6, 1.0, None)
    assert analyses["b"].students == 12


@pytest.mark.parametrize("column", [[], [None, None], [1.0], [0.5] * 30])
def test_what_can_not_be_said_is_not_said(column: list[float | None]) -> None:
    analysis = item_statistics({"a": column, "b": [0.0] * len(column)})["a"]
    assert analysis.discrimination is None


@pytest.mark.parametrize("columns", [{"a": [1.5]}, {"a": [-0.1]}, {"a": [1.0], "b": [1.0, 0.0]}])
def test_shares_that_are_none_are_refused(columns: dict[str, list[float | None]]) -> None:
    with pytest.raises(ValueError, match=r"share|different numbers"):
        item_statistics(columns)


@pytest.mark.parametrize(("count", "total"), [(0, 5), (5, 5), (3, 7), (450, 500)])
def test_the_interval_of_a_share_is_wilsons(count: int, total: int) -> None:
    analysis = item_statistics({"a": [1.0] * count + [0.0] * (total - count)})["a"]
    assert analysis.facility_interval == pytest.approx(proportion_confint(count, total, method="wilson"), abs=1e-12)


def test_a_distractor_attracts_the_worst_more_than_the_best() -> None:
    other_scores: list[float | None] = [0, 0, 0, 0, 1, 1, 1, 1, 1, 1]
    chosen_letters = ["A", "A", "A", "B", "B", "B", "B", "B", "B", None]
    options_by_letter = {
        option.value: option
        for option in option_statistics({"item": [None] * 10, "rest": other_scores}, "item", chosen_letters, "ABC")
    }
    assert {value: (option.students, option.upper) for value, option in options_by_letter.items()} == {
        "A": (3, None),
        "B": (6, None),
        "C": (0, None),
    }
    options_by_letter = {
        option.value: option
        for option in option_statistics({"rest": other_scores}, "item", [*chosen_letters[:9], "C"], "ABC")
    }
    assert (options_by_letter["A"].share, options_by_letter["A"].upper) == (0.3, 0.0)
    assert options_by_letter["A"].lower == pytest.approx(0.75)
    assert options_by_letter["C"].upper == pytest.approx(1 / 6)
    assert option_statistics({"rest": other_scores}, "item", [None] * 10, "AB") == []


def test_a_student_may_select_several_options() -> None:
    analysed_options = option_statistics({"rest": [1.0, 0.0]}, "item", [("A", "C"), ("C",)], "ABC")
    assert [(option.value, option.students, option.share) for option in analysed_options] == [
        ("A", 1, 0.5),
        ("B", 0, 0.0),
        ("C", 2, 1.0),
    ]


@pytest.mark.parametrize(
    ("other_count", "count", "expected_flag"), [(19, 0, None), (20, 0, True), (39, 2, False), (41, 2, True)]
)
def test_a_distractor_that_fewer_than_5_percent_select_is_non_functional(
    other_count: int, count: int, expected_flag: bool | None
) -> None:
    chosen_letters = ["B"] * count + ["A"] * (other_count if count == 0 else other_count - count)
    rest_scores: list[float | None] = [float(number % 2) for number in range(len(chosen_letters))]
    options_by_letter = {
        option.value: option for option in option_statistics({"rest": rest_scores}, "item", chosen_letters, "AB")
    }
    assert options_by_letter["B"].is_non_functional is expected_flag


def test_a_distractor_that_the_better_select_has_a_positive_discrimination() -> None:
    rest_scores: list[float | None] = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]
    chosen_letters = ["A", "A", "A", "A", "B", "A", "B", "B", "B", "B"]
    options_by_letter = {
        option.value: option for option in option_statistics({"rest": rest_scores}, "item", chosen_letters, "ABC")
    }
    assert options_by_letter["B"].discrimination == pytest.approx(0.6)
    assert options_by_letter["A"].discrimination == pytest.approx(-0.6)
    assert options_by_letter["C"].discrimination is None
    few_options = {
        option.value: option
        for option in option_statistics({"rest": rest_scores[:9]}, "item", chosen_letters[:9], "AB")
    }
    assert few_options["B"].discrimination is None
