"""Multiple choice: one letter is right."""

from __future__ import annotations

from benchwright_judges.formats.question_rules import AnswerToScore, QuestionRules
from benchwright_judges.formats.selection import option_letters, option_text_by_letter, score_selection
from benchwright_judges.judgement import Judgement
from benchwright_judges.reading.selections import choice_letter_in
from benchwright_judges.reading.statements import Extraction, read_statement
from benchwright_judges.scale import Scale
from benchwright_problems.problem import Question


def _extract(question: Question, answer_text: str) -> Extraction:
    texts_by_letter = option_text_by_letter(question)
    return read_statement(answer_text, lambda passage: choice_letter_in(passage, texts_by_letter, question.language))


def _score(answer_to_score: AnswerToScore) -> Judgement:
    extraction = _extract(answer_to_score.question, answer_to_score.text)
    return score_selection(extraction, option_letters(answer_to_score.question), answer_to_score.key)


MULTIPLE_CHOICE = QuestionRules(
    score=_score,
    scale=Scale.BLANK,
    rubric="selection",
    is_instant=True,
    is_single_value=True,
    task=lambda wording: wording.choose,
    json_answer_description="the letter of exactly one option.",
    selectable_values=option_letters,
    extract=_extract,
)
