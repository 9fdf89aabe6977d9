"""Multiple choice: one letter is right."""

from __future__ import annotations

from benchwright_judges.formats.question_rules import GivenText, QuestionRules
from benchwright_judges.formats.selection import option_letters, option_texts, score_selection
from benchwright_judges.judgement import Judgement
from benchwright_judges.reading.selections import choice_letter_in
from benchwright_judges.reading.statements import Extraction, read_statement
from benchwright_judges.scale import Scale
from benchwright_problems.problem import Question


def _extract(question: Question, answer_text: str) -> Extraction:
    texts_by_letter = option_texts(question)
    return read_statement(answer_text, lambda passage: choice_letter_in(passage, texts_by_letter, question.language))


def _score(given_text: GivenText) -> Judgement:
    extraction = _extract(given_text.question, given_text.text)
    return score_selection(extraction, option_letters(given_text.question), given_text.key)


MULTIPLE_CHOICE = QuestionRules(
    score=_score,
    scale=Scale.BLANK,
    rubric="selection",
    is_instant=True,
    names_value=True,
    task=lambda wording: wording.choose,
    answer_in_json="the letter of exactly one option.",
    selectable=option_letters,
    extract=_extract,
)
