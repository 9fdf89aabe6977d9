from __future__ import annotations

import pytest

from benchwright_exams.structure import numbering
from benchwright_exams.structure.exam_place import (
    ExamPlace,
    is_label_or_range_or_empty,
    parent_labels,
    part_ordinal,
    section_and_number,
)


@pytest.mark.parametrize(
    ("text", "value", "remainder"),
    [
        ("Problem 3: Caches (5 points)", "3", "Caches (5 points)"),
        ("Question 12", "12", ""),
        ("Q4. Why?", "4", "Why?"),
        ("EXERCISE 2 (5 marks)", "2", "(5 marks)"),
        ("Problem 1 – Pipelines", "1", "Pipelines"),
        ("Task 7 Draw it.", "7", "Draw it."),
    ],
)
def test_a_heading_begins_a_question(text: str, value: str, remainder: str) -> None:
    number_start = numbering.number_after_heading_word(text)
    assert number_start is not None
    assert (number_start.value, text[number_start.end :].strip()) == (value, remainder)


@pytest.mark.parametrize(
    "text", ["Question the design.", "Problem 3 of the last exam is needed.", "1.5 V is low.", "3"]
)
def test_a_sentence_is_no_heading(text: str) -> None:
    assert numbering.number_after_heading_word(text) is None
    assert numbering.number_without_heading_word(text) is None


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("Why? [6 points]", ["6"]),
        ("Why? (2.5 pts)", ["2.5"]),
        ("Why? (1 mark)", ["1"]),
        ("Problem 2 – 10 points", ["10"]),
        ("Why?\t[5]", ["5"]),
        ("x[3] is read from the array [4].", []),
        ("Three points (of view) count.", []),
    ],
)
def test_points_are_read_as_printed(text: str, points: list[str]) -> None:
    assert [start.value for _, start in numbering.points_offsets_and_labels(text)] == points


@pytest.mark.parametrize("text", ["3. Why?", "3) Why?", "3.", "3 (a) Why?", "3\tWhy?", "3.(a) Why?", "3.C"])
def test_a_bare_number_begins_a_question(text: str) -> None:
    number_start = numbering.number_without_heading_word(text)
    assert number_start is not None
    assert number_start.value == "3"


@pytest.mark.parametrize("text", ["3 bits", "3.5 V", "3 (b) is wrong", "1,000"])
def test_a_quantity_begins_none(text: str) -> None:
    assert numbering.number_without_heading_word(text) is None


@pytest.mark.parametrize("text", ["2. (continued)", "Problem 2 (cont.)", "Question 4, continued", "2 (cont'd)"])
def test_a_heading_may_say_that_its_question_goes_on(text: str) -> None:
    assert numbering.says_question_continues(text)
    assert not numbering.says_question_continues(f"{text} with more")


def test_points_may_be_broken_between_lines() -> None:
    assert numbering.broken_points_offset_and_label("of the same width? (2", "points)") is not None
    assert numbering.offset_after_rest_of_points("points) Why?", "of the same width? (2") == 7
    assert numbering.broken_points_offset_and_label("f(2", "x)") is None


def test_choices_follow_each_other_in_a_line() -> None:
    choice_labels = numbering.choice_offsets_and_labels("(A) one (B) two (C) three", "A")
    assert [start.value for _, start in choice_labels] == ["A", "B", "C"]
    assert numbering.choice_offsets_and_labels("Vitamin A. is no choice", "A") == []


@pytest.mark.parametrize(
    ("previous_place", "text", "label"),
    [
        (ExamPlace(question="1"), "(a) Why?", "1a"),
        (ExamPlace(question="1", part="a"), "(b) Why?", "1b"),
        (ExamPlace(question="1", part="a"), "(i) Why?", "1a-i"),
        (ExamPlace(question="1", part="h"), "(i) Why?", "1i"),
        (ExamPlace(question="1", part="a", subpart="i"), "(ii) Why?", "1a-ii"),
        (ExamPlace(question="1"), "(i) Why?", "1i"),
        (ExamPlace(question="1", part="i"), "(ii) Why?", "1-ii"),
    ],
)
def test_a_part_continues_its_question(previous_place: ExamPlace, text: str, label: str) -> None:
    next_place = previous_place.begun_part_and_offset(text)
    assert next_place is not None
    assert next_place[0].label == label


@pytest.mark.parametrize("text", ["(z) is high.", "(b) Why?", "a) b"])
def test_a_letter_out_of_order_is_no_part(text: str) -> None:
    assert ExamPlace(question="1", part="c").begun_part_and_offset(text) is None


def test_labels_know_what_they_are_part_of() -> None:
    assert parent_labels("A-1b-ii") == ("A-1", "A-1b")
    assert parent_labels("2-1") == ("2",)
    assert parent_labels("10") == ()
    assert section_and_number("S2-4") == ("S2-", 4)
    assert [part_ordinal(label) for label in ("1b", "1-ii", "2-3", "1a-iv", "5")] == [2, 2, 3, 4, 0]
    assert is_label_or_range_or_empty("3..5")
    assert not is_label_or_range_or_empty("../etc")


@pytest.mark.parametrize(
    "text", ["Page 3 of 10", "- 4 -", "Turn over", "End of exam", "This page is intentionally left blank."]
)
def test_edges_of_pages_are_known(text: str) -> None:
    assert numbering.is_page_edge_line(text)


def test_a_shared_context_names_its_questions() -> None:
    assert numbering.shared_question_range("Questions 3–5 refer to the following cache.") == (3, 5)
    assert numbering.shared_question_range("Questions 3 and 5 are hard.") is None
