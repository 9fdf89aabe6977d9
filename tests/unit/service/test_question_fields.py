"""The fields of a question's form when its format is changed: nothing that was typed is lost."""

from __future__ import annotations

import pytest

from benchwright_problems.problem import QuestionFormat
from benchwright_service.pages.question_form import empty_fields, fields_in_format, unasked_fields

_TYPED = {"title": "Ways", "statement": "How many?", "A": "one", "B": "two", "C": "four", "D": "eight"} | {
    "answer": "C",
    "explanation": "Count them.",
    "alternatives": "4",
    "item-1": "Counts",
    "points-1": "2",
    "enough": "2",
}
FIELDS = {**empty_fields(QuestionFormat.MULTIPLE_CHOICE), **_TYPED}


@pytest.mark.parametrize("style", list(QuestionFormat))
def test_another_format_and_back_has_every_field_as_it_was(style: QuestionFormat) -> None:
    there = fields_in_format(FIELDS, style)
    back = fields_in_format(there, QuestionFormat.MULTIPLE_CHOICE)
    assert {name: back[name] for name in _TYPED} == _TYPED


def test_the_form_has_what_its_format_does_not_ask_for_out_of_sight() -> None:
    there = fields_in_format(FIELDS, QuestionFormat.FREE_RESPONSE)
    assert unasked_fields(there) == {name: _TYPED[name] for name in ("A", "B", "C", "D", "alternatives")} | {
        "answer-choice": "C"
    }


@pytest.mark.parametrize(
    ("style", "answer"),
    [
        (QuestionFormat.MULTIPLE_RESPONSE, "C"),
        (QuestionFormat.ASSERTION, ""),
        (QuestionFormat.FILL_IN_THE_BLANK, "four"),
        (QuestionFormat.FREE_RESPONSE, "four"),
    ],
)
def test_an_answer_goes_along_where_the_other_format_can_have_it(style: QuestionFormat, answer: str) -> None:
    assert fields_in_format(FIELDS, style)["answer"] == answer
