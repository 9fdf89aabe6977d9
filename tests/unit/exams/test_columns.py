"""Columns, choices and numbers of questions, on pages of words set by hand."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from benchwright_exams.items import ExamItems, items_of_ledger
from benchwright_exams.reading.page import Box, Drawing, DrawingKind, PageWord, ReadExam, ReadPage
from benchwright_exams.structure.layout import reading_order
from benchwright_exams.structure.structure import structure_by_rules

LETTER_POINTS = 10.0
SIGN_POINTS = 5.0


def set_words(line: str, left: float, top: float) -> list[PageWord]:
    """The words of a line; a space is as wide as a sign."""
    words = []
    offset = 0
    for text in line.split(" "):
        start = left + offset * SIGN_POINTS
        if text:
            words.append(
                PageWord(text, Box(start, top, start + len(text) * SIGN_POINTS, top + LETTER_POINTS), LETTER_POINTS)
            )
        offset += len(text) + 1
    return words


def page_of_columns(
    column_lines: Sequence[Sequence[str]], gap: float, *, shift: float = 0.0, drawings: tuple[Drawing, ...] = ()
) -> ReadPage:
    """Columns of lines, the words row by row as a scan has them; each column stands a little lower than the last."""
    width = max(len(line) for lines in column_lines for line in lines) * SIGN_POINTS
    words = [
        word
        for index, lines in enumerate(column_lines)
        for row_index, line in enumerate(lines)
        for word in set_words(line, 50 + index * (width + gap), 100 + 12 * row_index + index * shift)
    ]
    sorted_words = sorted(words, key=lambda word: (round(word.box.top_edge / 12), word.box.left_edge))
    return ReadPage(number=1, width=595, height=842, words=tuple(sorted_words), drawings=drawings)


def items_of_page(page: ReadPage) -> ExamItems:
    return items_of_ledger(structure_by_rules(ReadExam(made_from="", file="exam.pdf", sha256="", pages=(page,))))


def body_by_label(exam_items: ExamItems) -> dict[str, str]:
    return {item.label: " ".join(block.text for block in item.body if not block.region) for item in exam_items.items}


LEFT = (
    "1. Which gate is the one that",
    "inverts what it is given?",
    "2. Name a latch that is not",
    "transparent to its input.",
)
RIGHT = (
    "3. What does an adder do with",
    "the carry of its last stage?",
    "4. Draw a counter that counts",
    "in the code of Mr Gray.",
)


@pytest.mark.parametrize("gap", [7.0, 10.0, 14.0, 18.0, 30.0])
@pytest.mark.parametrize("shift", [0.0, 5.0])
def test_columns_are_read_one_after_the_other_however_near_they_are(gap: float, shift: float) -> None:
    exam_items = items_of_page(page_of_columns((LEFT, RIGHT), gap, shift=shift))
    assert body_by_label(exam_items) == {
        "1": "Which gate is the one that inverts what it is given?",
        "2": "Name a latch that is not transparent to its input.",
        "3": "What does an adder do with the carry of its last stage?",
        "4": "Draw a counter that counts in the code of Mr Gray.",
    }
    assert exam_items.findings == ()


def test_a_title_is_not_cut_where_its_space_is_over_the_gap() -> None:
    page = page_of_columns((LEFT, RIGHT), 14)
    gap_left = max(word.box.right_edge for word in page.words if word.box.left_edge < 200)
    title = (
        PageWord("Quiz", Box(gap_left - 60, 70, gap_left + 5, 90), 20.0),
        PageWord("1013", Box(gap_left + 14, 70, gap_left + 60, 90), 20.0),
    )
    exam_items = items_of_page(page.model_copy(update={"words": (*title, *page.words)}))
    assert body_by_label(exam_items)["2"] == "Name a latch that is not transparent to its input."


def test_choices_beside_each_other_are_no_columns() -> None:
    page = page_of_columns((("1. Which is it?", "(A) a latch", "(C) a wire"), ("", "(B) a gate", "(D) a bus")), 40)
    assert items_of_page(page).items[0].choices == {"A": "a latch", "B": "a gate", "C": "a wire", "D": "a bus"}


@pytest.mark.parametrize(
    "row", ["a) OR  b) AND  c) XOR", "(a) OR (b) AND (c) XOR", "a. OR    b. AND    c. XOR", "A) OR  B) AND  C) XOR"]
)
def test_letters_that_follow_each_other_in_a_line_are_choices(row: str) -> None:
    exam_items = items_of_page(page_of_columns((("1. Which gate has it?", row, "2. Why is that so?"),), 0))
    assert [item.label for item in exam_items.items] == ["1", "2"]
    assert exam_items.items[0].choices == {"A": "OR", "B": "AND", "C": "XOR"}


def test_letters_with_points_begin_parts() -> None:
    part_lines = ("1. Take this circuit.", "a) Name it. [2 points]", "b) Draw it. [3 points]")
    assert [item.label for item in items_of_page(page_of_columns((part_lines,), 0)).items] == ["1a", "1b"]


def test_short_lines_with_letters_may_be_parts_and_a_finding_says_so() -> None:
    page = page_of_columns((("1. Take this circuit.", "a) OR", "b) AND"),), 0)
    ledger = structure_by_rules(ReadExam(made_from="", file="exam.pdf", sha256="", pages=(page,)))
    assert items_of_ledger(ledger).items[0].choices == {"A": "OR", "B": "AND"}
    assert [finding.item for finding in ledger.findings if "may be parts" in finding.says] == ["1"]


def test_a_number_in_the_text_of_another_question_is_named() -> None:
    exam_items = items_of_page(page_of_columns((("1. Why does it work 2. Which gate is it", "and what for?"),), 0))
    assert [item.label for item in exam_items.items] == ["1"]
    assert "2" in [finding.item for finding in exam_items.findings]


def test_a_question_before_the_first_number_is_named() -> None:
    exam_items = items_of_page(page_of_columns((("Quiz", "I. Which gate is it?", "1. Why?"),), 0))
    assert any("belongs to no question, and may be one" in finding.says for finding in exam_items.findings)


def test_a_figure_beside_two_questions_is_named_for_both() -> None:
    figure = Drawing(kind=DrawingKind.FIGURE, box=Box(300, 100, 400, 160))
    page = page_of_columns((("1. Which gate is it?", "Say why.", "2. What is this?"),), 0, drawings=(figure,))
    ledger = structure_by_rules(ReadExam(made_from="", file="exam.pdf", sha256="", pages=(page,)))
    assert {finding.item for finding in ledger.findings if "beside several" in finding.says} >= {"1", "2"}


def test_room_for_an_answer_does_not_begin_the_solutions() -> None:
    exam_items = items_of_page(page_of_columns((("1. Which gate?", "Answer:", "2. Which latch?", "Answer:"),), 0))
    assert body_by_label(exam_items) == {"1": "Which gate?", "2": "Which latch?"}


@pytest.mark.parametrize("form", ["{}.", "{})", "({})", "[{}]", "{}:", "Frage {}:", "Exercice {}.", "Aufgabe {}"])
def test_questions_are_numbered_in_many_forms(form: str) -> None:
    lines = [f"{form.format(number)} Which one is it?" for number in (1, 2, 3)]
    assert body_by_label(items_of_page(page_of_columns((lines,), 0))) == dict.fromkeys("123", "Which one is it?")


def test_numbers_in_another_form_than_the_questions_are_named() -> None:
    rule_lines = ("1. Write clearly.", "2. Use no calculator.", "3. Hand in all sheets.", "4. Do not talk.")
    exam_lines = (*rule_lines, "1) Which gate is it?", "2) Which latch?", "3) Which adder?")
    page = page_of_columns((exam_lines,), 0)
    ledger = structure_by_rules(ReadExam(made_from="", file="exam.pdf", sha256="", pages=(page,)))
    assert any("3 lines begin with numbers such as “1)”" in finding.says for finding in ledger.findings)


def test_headings_of_questions_at_the_top_of_pages_are_no_header() -> None:
    pages = tuple(
        ReadPage(
            number=number,
            width=595,
            height=842,
            words=(
                *set_words(f"Question {number} (5 points)", 50, 50),
                *set_words(f"Why is the answer not {number + 6}?", 50, 64),
            ),
        )
        for number in (1, 2)
    )
    ledger = structure_by_rules(ReadExam(made_from="", file="exam.pdf", sha256="", pages=pages))
    assert [item.label for item in items_of_ledger(ledger).items] == ["1", "2"]


def test_columns_without_labels_are_told_by_their_white_space() -> None:
    left_lines = (
        "some words of a text that",
        "goes on in the next line",
        "and has no labels at all",
        "and ends here somehow.",
    )
    right_lines = (
        "other words that are set",
        "right of them and have no",
        "labels either, so that",
        "only white space tells.",
    )
    assert len({piece.column for piece in reading_order(page_of_columns((left_lines, right_lines), 14)).pieces}) == 2
