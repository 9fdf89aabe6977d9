from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from benchwright_exams.errors import ExamError
from benchwright_exams.items import items_of_ledger
from benchwright_exams.reading.page import Box, PageWord
from benchwright_exams.review.packing import make_pack
from benchwright_exams.review.review import WrittenReviewFiles, write_review_files
from benchwright_exams.structure.structure import structure_by_rules
from benchwright_foundation.stage_file import StageFile
from benchwright_problems.errors import DatasetError
from benchwright_problems.problem import QuestionFormat

from ...support.packs.review import exam

LINES = (
    "1. Which memory is volatile? (2 points)",
    "A. Flash",
    "B. SRAM",
    "2. What does this circuit do? (3 points)",
    "",
    "",
    "",
    "3. Why?",
    "Answer key",
    "1. B",
    "2. It adds.",
)


def write_review(folder: Path, *lines: str) -> WrittenReviewFiles:
    read_pages = exam(*lines)
    (folder / "pages").mkdir(exist_ok=True)
    Image.new("RGB", (1224, 1584), "white").save(folder / "pages" / "1.png")
    ledger = structure_by_rules(read_pages)
    exam_items = items_of_ledger(ledger)
    StageFile(folder / "items.json", type(exam_items)).write_output(exam_items)
    return write_review_files(folder, read_pages, ledger, exam_items)


def accept_questions(folder: Path, *labels: str) -> None:
    for label in labels:
        review_form = folder / "items" / label / "review.toml"
        review_form.write_text(review_form.read_text().replace('decision = "open"', 'decision = "accepted"'))


def state_licence(folder: Path) -> None:
    head_file = folder / "exam.toml"
    head_file.write_text(head_file.read_text().replace('license = ""', 'license = "CC-BY-4.0"'))


def test_accepted_questions_become_a_pack(tmp_path: Path) -> None:
    write_review(tmp_path, *LINES)
    accept_questions(tmp_path, "1", "2")
    review_form = tmp_path / "items" / "3" / "review.toml"
    review_form.write_text(review_form.read_text().replace('"open"', '"left out"'))
    state_licence(tmp_path)
    choice, free_response = make_pack(tmp_path, "exam").problems
    assert choice.public.question is not None
    assert choice.public.question.format is QuestionFormat.MULTIPLE_CHOICE
    assert [option.text for option in choice.public.question.choices] == ["Flash", "SRAM"]
    assert choice.hidden.answer is not None
    assert (choice.hidden.answer.value, choice.hidden.answer.closed) == ("B", True)
    assert free_response.hidden.answer is not None
    assert free_response.hidden.answer.value == "It adds."
    assert free_response.hidden.answer.points is not None
    assert free_response.hidden.answer.points.most == 3
    assert len(free_response.public.figures) == 1
    assert "It adds" not in free_response.public.model_dump_json()


def test_no_pack_while_a_question_is_open(tmp_path: Path) -> None:
    write_review(tmp_path, *LINES)
    accept_questions(tmp_path, "1")
    with pytest.raises(ExamError, match="2 of 3 questions are not decided on: 2, 3"):
        make_pack(tmp_path, "exam")


def test_a_question_without_an_answer_is_refused(tmp_path: Path) -> None:
    write_review(tmp_path, *LINES)
    accept_questions(tmp_path, "1", "2", "3")
    state_licence(tmp_path)
    with pytest.raises(DatasetError, match=r"items/3/solution/solution\.md: is empty"):
        make_pack(tmp_path, "exam")


def test_a_pack_needs_a_licence(tmp_path: Path) -> None:
    write_review(tmp_path, *LINES[:3], *LINES[8:10])
    accept_questions(tmp_path, "1")
    with pytest.raises(DatasetError, match=r"exam\.toml: field license: is empty"):
        make_pack(tmp_path, "exam")


def test_nothing_is_written_again_for_the_same_exam(tmp_path: Path) -> None:
    assert write_review(tmp_path, *LINES).written_count > 0
    assert write_review(tmp_path, *LINES) == WrittenReviewFiles(0)


def test_a_question_that_its_author_edited_is_left_alone(tmp_path: Path) -> None:
    write_review(tmp_path, "1. Wy? (2 points)", "2. How?")
    statement = tmp_path / "items/1/statement.md"
    statement.write_text("# Question 1\n\nWhy?\n")
    second_review = write_review(tmp_path, "1. Wy not? (3 points)", "2. How so?")
    assert statement.read_text() == "# Question 1\n\nWhy?\n"
    assert "points = 2.0" in (tmp_path / "items/1/review.toml").read_text()
    assert "items/1/statement.md" in second_review.kept_files
    assert "How so?" in (tmp_path / "items/2/statement.md").read_text()


def test_a_decision_does_not_outlive_the_text_it_was_about(tmp_path: Path) -> None:
    write_review(tmp_path, "1. Why?")
    accept_questions(tmp_path, "1")
    second_review = write_review(tmp_path, "1. Why not?")
    assert "Why?" in (tmp_path / "items/1/statement.md").read_text()
    assert "items/1/statement.md" in second_review.kept_files


def test_a_question_that_is_gone_is_named(tmp_path: Path) -> None:
    write_review(tmp_path, "1. Why?", "2. How?")
    assert write_review(tmp_path, "1. Why?").vanished_labels == ("2",)


def test_missing_numbers_and_points_that_do_not_add_up_are_named() -> None:
    read_pages = exam(
        "Problem 1 (10 points)", "(a) Why? [3 points]", "(c) How? [4 points]", "Problem 3", "See Figure 7."
    )
    says = [finding.says for finding in items_of_ledger(structure_by_rules(read_pages)).findings]
    assert "Question 2 was not found." in says
    assert "Its parts have 7 points together, and it says 10." in says
    assert "Of its parts, number 2 (from the first) was not found." in says
    assert "Its text names figure 7, of which no caption was found." in says


def test_a_shared_context_is_given_to_each_of_its_questions() -> None:
    read_pages = exam(
        "1. Why?", "Questions 2-3 refer to a cache of 4 KiB.", "2. How large?", "3. How fast?", "4. When?"
    )
    items = {item.label: item for item in items_of_ledger(structure_by_rules(read_pages)).items}
    assert [bool(items[label].context) for label in "1234"] == [False, True, True, False]


def test_a_list_in_a_question_begins_no_question() -> None:
    items = items_of_ledger(
        structure_by_rules(exam("Problem 1", "Sort these:", "1. adder", "2. shifter", "Problem 2", "Why?"))
    ).items
    assert [item.label for item in items] == ["1", "2"]
    assert "2. shifter" in items[0].body[0].text


def test_a_heading_that_continues_a_question_is_no_part_of_it() -> None:
    exam_lines = ("1. Look.", "(a) Why?", "1. (continued)", "(b) How?", "• fast", "• small")
    items = items_of_ledger(structure_by_rules(exam(*exam_lines))).items
    assert [item.label for item in items] == ["1a", "1b"]
    assert [block.text for block in items[0].body] == ["Why?"]
    assert [block.text for block in items[1].body] == ["How?", "• fast", "• small"]


def test_a_listing_keeps_its_spaces() -> None:
    code_lines = ("module m(input a);", "  assign y = a;", "endmodule")
    words = []
    for line_number, line in enumerate(code_lines):
        column = 0
        for text in line.split():
            column = line.index(text, column)
            left_edge, top_edge = 80 + 5.4 * column, 100 + 11 * line_number
            # Ink is narrower than a letter's place.
            words.append(
                PageWord(
                    text,
                    Box(left_edge + 0.3, top_edge, left_edge + 5.4 * len(text) - 0.6, top_edge + 8),
                    9.0,
                    fixed=True,
                )
            )
            column += len(text)
    first_exam = exam("1. What is wrong?")
    (page,) = first_exam.pages
    heading = [word._replace(box=Box(word.box.left_edge, 80, word.box.right_edge, 90)) for word in page.words]
    read_pages = first_exam.model_copy(update={"pages": (page.model_copy(update={"words": (*heading, *words)}),)})
    (exam_item,) = items_of_ledger(structure_by_rules(read_pages)).items
    assert exam_item.body[1].text == "\n".join(code_lines)
