from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from benchwright_exams.reading.page import Box, PageWord
from benchwright_exams.structure.doubts import doubt_findings, is_doubtful
from benchwright_exams.structure.ledger import Region, RegionRole, Segment
from benchwright_exams.structure.text_blocks import Block, BlockKind

LINE = Box(50, 100, 500, 112)


@dataclass
class Question:
    label: str
    text: str = "Which memory is volatile?"
    choices: dict[str, str] = field(default_factory=lambda: {"A": "Flash", "B": "SRAM"})
    points: float | None = 2.0
    title: str = ""
    regions: tuple[str, ...] = ()

    @property
    def body(self) -> tuple[Block, ...]:
        return (Block(kind=BlockKind.TEXT, text=self.text),)


def line_region(
    name: str, item_label: str, text: str = "Which memory is volatile?", *roles: Segment, **fields: object
) -> Region:
    segments = roles or (Segment(role=RegionRole.QUESTION, start=0, end=len(text), item=item_label),)
    return Region.model_validate({"id": name, "page": 1, "box": LINE, "text": text, "segments": segments, **fields})


def doubt_texts(exam_questions: list[Question], *regions: Region) -> list[tuple[str, str]]:
    return [(finding.item, finding.says) for finding in doubt_findings(exam_questions, regions)]


def test_questions_that_are_alike_raise_no_doubt() -> None:
    assert doubt_texts([Question("1"), Question("2"), Question("3")]) == []


def test_words_that_may_be_others_are_quoted_but_not_those_of_a_label() -> None:
    roles = (
        Segment(role=RegionRole.LABEL, start=0, end=2, item="1"),
        Segment(role=RegionRole.QUESTION, start=2, end=12, item="1"),
    )
    region = line_region("p1-1", "1", "l. What is|", *roles, recognised=True, doubtful=("l.", "is|"))
    assert doubt_texts([Question("1", regions=("p1-1",))], region) == [
        ("1", "These words may have been recognised wrongly: “is|”.")
    ]


def test_ink_within_a_line_that_was_not_recognised_is_a_doubt_about_its_question() -> None:
    def ink(box: Box) -> Region:
        rule_segments = (Segment(role=RegionRole.RULE, start=0, end=0),)
        return Region(id="p1-2", page=1, box=box, segments=rule_segments, recognised=True)

    text = line_region("p1-1", "1", recognised=True)
    inside_box, lower, dot = Box(200, 102, 230, 110), Box(200, 200, 230, 208), Box(200, 105, 202, 107)
    doubts = [doubt_texts([Question("1", regions=("p1-1",))], text, ink(box)) for box in (inside_box, lower, dot)]
    assert doubts == [[("1", "Something stands in its lines that was not recognised.")], [], []]


@pytest.mark.parametrize("text", ["Which? C) ROM", "Which? (C) ROM", "Which? C. ROM"])
def test_a_letter_in_the_text_may_begin_a_choice(text: str) -> None:
    assert next(says for _, says in doubt_texts([Question("1", text)])).endswith("which may begin a choice.")


def test_a_letter_that_names_something_begins_no_choice() -> None:
    assert doubt_texts([Question("1", "Cores A and B share a cache (MESI).")]) == []


def test_other_numbers_of_choices_are_a_doubt() -> None:
    usual = {"A": "1", "B": "2", "C": "3", "D": "4"}
    exam_questions = [Question(label, choices=usual) for label in "123"]
    assert doubt_texts([*exam_questions, Question("4", choices={"A": "1", "B": "2", "C": "3"})]) == [
        ("4", "It has 3 choices; others have 4.")
    ]
    assert doubt_texts([*exam_questions, Question("4", choices={})]) == [("4", "It has 0 choices; others have 4.")]
    assert ("4", "It has one choice only.") in doubt_texts([*exam_questions, Question("4", choices={"A": "1"})])
    open_ones = [Question(label, choices={}) for label in "567"]
    assert doubt_texts([*exam_questions, *open_ones]) == []


def test_points_that_only_one_lacks_or_has_twice_are_a_doubt() -> None:
    exam_questions = [Question("1"), Question("2"), Question("3", points=None)]
    assert doubt_texts(exam_questions) == [("3", "No points were found for it, although other questions have some.")]
    assert doubt_texts(exam_questions[1:]) == []
    twice = (
        Segment(role=RegionRole.POINTS, start=0, end=3, item="1", value="2"),
        Segment(role=RegionRole.POINTS, start=3, end=6, item="1", value="3"),
    )
    assert doubt_texts([Question("1", regions=("p1-1",))], line_region("p1-1", "1", "[2][3]", *twice)) == [
        ("1", "It has points more than once: another question may be in it.")
    ]


@pytest.mark.parametrize(
    ("text", "confidence", "doubtful"),
    [
        ("cache", 95, False),
        ("cache", 60, True),
        ("c@che", 95, True),
        ("c@che", 100, False),
        ("0x1F", 90, False),
        ("write-back,", 90, False),
        ("3.5%", 90, False),
        ("|", 90, True),
    ],
)
def test_an_unclear_word_or_an_odd_one_of_a_picture_is_doubtful(text: str, confidence: float, doubtful: bool) -> None:
    assert is_doubtful(PageWord(text, LINE, 10, confidence=confidence)) is doubtful
