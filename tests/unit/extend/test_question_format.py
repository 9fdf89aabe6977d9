"""A question format is a member of `QuestionFormat`, and a module of `benchwright_judges.formats`."""

from __future__ import annotations

import re
import sys
from types import ModuleType

import pytest

from benchwright_authoring.written_question import WrittenQuestion
from benchwright_judges import formats
from benchwright_judges.formats.question_rules import AnswerToScore, QuestionRules
from benchwright_judges.judgement import Judgement
from benchwright_judges.languages.english import ENGLISH
from benchwright_judges.reading.statements import Extraction, ExtractionOutcome
from benchwright_judges.rubric import rubric_for
from benchwright_judges.rule_judgements import RIGHT, WRONG
from benchwright_judges.scale import Scale
from benchwright_judges.score import read_selection, score_by_rules, selectable_values
from benchwright_problems.problem import (
    Answer,
    AnswerKind,
    Difficulty,
    Hidden,
    Problem,
    ProblemKind,
    Provenance,
    Public,
    Question,
    QuestionFormat,
)
from benchwright_server.references.schema import question_formats
from benchwright_subjects.prompts.prompt import reply_form_instruction


@pytest.fixture
def ordering(monkeypatch: pytest.MonkeyPatch) -> QuestionFormat:
    """Adds a format, as a line `ORDERING = "ordering"` in `QuestionFormat` and a module `ordering` do."""
    format_member = str.__new__(QuestionFormat, "ordering")
    format_member._name_, format_member._value_ = "ORDERING", "ordering"
    format_member.label, format_member.answered_by = "ordering", AnswerKind.BLANK
    monkeypatch.setitem(QuestionFormat._value2member_map_, "ordering", format_member)
    monkeypatch.setattr(QuestionFormat, "_member_names_", [*QuestionFormat._member_names_, "ORDERING"])
    monkeypatch.setitem(QuestionFormat._member_map_, "ORDERING", format_member)
    format_module = ModuleType(f"{formats.__name__}.ordering")
    format_module.ORDERING = QuestionRules(  # type: ignore[attr-defined]
        score=score_order,
        scale=Scale.BLANK,
        is_instant=True,
        task=lambda wording: f"{wording.explain} Give the letters in order, such as B, A.",
        selectable_values=lambda question: ("A", "B"),
        extract=lambda question, text: extract_order(text),
    )
    monkeypatch.setitem(sys.modules, format_module.__name__, format_module)
    return format_member


def extract_order(text: str) -> Extraction:
    letters = re.findall(r"\b[A-Z]\b", text)
    return Extraction("".join(letters), ExtractionOutcome.READ) if letters else Extraction()


def score_order(answer_text: AnswerToScore) -> Judgement:
    return RIGHT if extract_order(answer_text.text).value == answer_text.key.value else WRONG


def question_of_format(style: QuestionFormat) -> Problem:
    return Problem(
        id="q",
        kind=ProblemKind.QUESTION,
        title="q",
        difficulty=Difficulty.EASY,
        provenance=Provenance(source="test", license="Apache-2.0", version="1"),
        public=Public(statement="Which comes first?", question=Question(format=style)),
        hidden=Hidden(answer=Answer(value="BA")),
    )


def test_an_added_format_is_scored(ordering: QuestionFormat) -> None:
    problem = question_of_format(ordering)
    assert score_by_rules(problem, "B, then A").passed is True
    assert score_by_rules(problem, "A, then B").passed is False
    assert score_by_rules(problem, " ").status == "empty"


def test_it_is_selected_from_asked_for_and_graded(ordering: QuestionFormat) -> None:
    problem = question_of_format(ordering)
    question = problem.public.question
    assert question is not None
    assert (selectable_values(question), read_selection(question, "B, A")) == (("A", "B"), "BA")
    assert reply_form_instruction(problem) == f"{ENGLISH.wording.explain} Give the letters in order, such as B, A."
    assert rubric_for(problem) is None


def test_authors_write_it_by_what_answers_it(ordering: QuestionFormat) -> None:
    question = WrittenQuestion(
        format=ordering,
        title="q",
        statement="Which comes first, A or B?",
        answer="BA",
        alternatives=("B-A",),
        explanation="B is before A.",
    )
    assert (question.is_right_by_rule("B, A"), question.is_right_by_rule("A, B"), question.key.closed) == (
        True,
        False,
        True,
    )


def test_clients_get_it_with_its_label_and_what_answers_it(ordering: QuestionFormat) -> None:
    assert {"value": "ordering", "label": "ordering", "answeredBy": "blank"} in question_formats()


@pytest.mark.parametrize("style", QuestionFormat)
def test_every_format_has_its_rules(style: QuestionFormat) -> None:
    assert isinstance(formats.rules_of(style), QuestionRules)
