from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright_judges.scale import Scale

POINTS = st.integers(1, 10).map(str)


@pytest.mark.parametrize(
    ("labels", "label", "expected_pass"),
    [
        (["7", "8"], "7.5", True),
        (["9", "10"], "9.5", True),
        (["5", "5"], "5", False),
        (["6", "7", "8"], "7", True),
        (["6", "7", "6"], "6", False),
        (["2", "8", "8"], "8", True),
        (["4", "6", "9"], "6", False),
    ],
)
def test_points_are_decided_by_the_median_of_votes_that_lie_together(
    labels: list[str], label: str, expected_pass: bool
) -> None:
    decision = Scale.TIERS.decide(labels, 3) or Scale.TIERS.decide_finally(labels, 3)
    assert decision is not None
    assert (decision.label, decision.is_passed) == (label, expected_pass)
    assert decision.score == pytest.approx(float(label) / 10)


@pytest.mark.parametrize("labels", [["6", "7"], ["8", "9"], ["3", "4"], ["1", "3"], ["5", "8"]])
def test_two_votes_in_different_tiers_or_two_points_apart_ask_for_a_third(labels: list[str]) -> None:
    assert Scale.TIERS.decide(labels, 3) is None


def test_points_all_over_the_scale_decide_nothing() -> None:
    assert Scale.TIERS.decide_finally(["1", "5", "10"], 3) is None
    assert Scale.TIERS.decide_finally(["7"], 3) is None
    assert Scale.TIERS.decide_finally([], 3) is None


@pytest.mark.parametrize(
    ("labels", "seats", "label"),
    [
        (["correct", "correct"], 3, "correct"),
        (["correct", "incorrect"], 3, None),
        (["correct", "incorrect", "incorrect"], 3, "incorrect"),
        (["correct", "partially correct", "incorrect"], 3, "partially correct"),
        (["correct", "correct", "partially correct", "incorrect", "incorrect"], 5, "partially correct"),
        (["correct", "correct"], 5, None),
        (["correct", "partially correct"], 3, None),
        (["correct", "correct", "correct"], 5, "correct"),
        ([], 3, None),
    ],
)
def test_an_exam_is_settled_by_majority_or_else_by_the_middle_label(
    labels: list[str], seats: int, label: str | None
) -> None:
    decision = Scale.EXAM.decide_finally(labels, seats)
    assert (decision.label if decision else None) == label


def test_partially_correct_counts_as_incorrect_and_keeps_its_label() -> None:
    decision = Scale.EXAM.decide(["partially correct", "partially correct"], 3)
    assert decision is not None
    assert (decision.label, decision.score, decision.is_passed) == ("partially correct", 0.0, False)


@given(st.lists(POINTS, min_size=2, max_size=5))
def test_a_decision_does_not_depend_on_the_order_of_votes(labels: list[str]) -> None:
    for seats in (3, 5):
        assert Scale.TIERS.decide_finally(labels, seats) == Scale.TIERS.decide_finally(labels[::-1], seats)


@given(st.lists(POINTS, min_size=2, max_size=5))
def test_what_settles_early_is_settled_finally_too(labels: list[str]) -> None:
    early_decision = Scale.TIERS.decide(labels, 3)
    assert early_decision is None or early_decision == Scale.TIERS.decide_finally(labels, 3)


@pytest.mark.parametrize("scale", Scale)
def test_every_label_is_read_back_and_worth_something_from_0_to_1(scale: Scale) -> None:
    for label in scale.labels:
        value = label if scale is Scale.EXAM else float(label) if scale is Scale.SHARE else int(label)
        assert scale.read_label(value) == label
        assert 0 <= scale.score(label) <= 1
    assert not scale.passes(scale.labels[0]) and scale.passes(scale.labels[-1])


@pytest.mark.parametrize("scale", Scale)
@given(value=st.one_of(st.none(), st.booleans(), st.text(), st.integers(), st.floats(), st.lists(st.integers())))
def test_whatever_is_off_the_scale_is_refused(scale: Scale, value: object) -> None:
    try:
        label = scale.read_label(value)  # type: ignore[arg-type]
    except ValueError:
        return
    assert not isinstance(value, bool)
    assert label in scale.labels or scale is Scale.SHARE
    assert 0 <= scale.score(label) <= 1


def test_a_share_keeps_two_decimals() -> None:
    assert Scale.SHARE.read_label(0.854) == "0.85"
    assert Scale.SHARE.decide(["0.80", "0.85"], 3) is not None
    assert Scale.SHARE.decide(["0.60", "0.80"], 3) is None


@pytest.mark.parametrize("scale", list(Scale))
@given(most=st.integers(1, 40), share=st.floats(0, 1), enough=st.floats(0.05, 1))
def test_points_of_a_rubric_pass_from_what_is_enough_on(scale: Scale, most: int, share: float, enough: float) -> None:
    needed_points, points = enough * most, share * most
    label = scale.label_of_points(points, most, needed_points)
    assert label in scale.labels
    assert scale.passes(label) == (points >= needed_points - 1e-9)
    higher_label = scale.label_of_points(min(most, points + 1), most, needed_points)
    assert scale.labels.index(higher_label) >= scale.labels.index(label)


@pytest.mark.parametrize("scale", list(Scale))
def test_all_points_are_the_best_label_and_none_the_worst(scale: Scale) -> None:
    assert (scale.label_of_points(0, 6, 5), scale.label_of_points(6, 6, 5)) == (scale.labels[0], scale.labels[-1])
