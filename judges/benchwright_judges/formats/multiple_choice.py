"""Multiple choice: one letter is right."""

from __future__ import annotations

from benchwright_judges.formats.question_rules import GivenText, QuestionRules
from benchwright_judges.formats.selection import score_selection
from benchwright_judges.judgement import Judgement
from benchwright_judges.reading.answer_extraction import Extraction
from benchwright_judges.reading.choice_answers import read_choice
from benchwright_judges.scale import Scale
from benchwright_problems.problem import Question


def _letters(question: Question) -> tuple[str, ...]:
    return tuple(choice.letter for choice in question.choices)


def _extract(question: Question, text: str, statement: str = "") -> Extraction:
    choices = {choice.letter: choice.text for choice in question.choices}
    return read_choice(text, choices, question.language, statement=statement)


def _score(given_text: GivenText) -> Judgement:
    return score_selection(
        _extract(given_text.question, given_text.text, given_text.statement),
        _letters(given_text.question),
        given_text.key,
    )


MULTIPLE_CHOICE = QuestionRules(
    score=_score,
    scale=Scale.BLANK,
    is_instant=True,
    names_value=True,
    task=lambda wording: wording.choose,
    answer_in_json="the letter of exactly one option.",
    selectable=_letters,
    extract=_extract,
)
