"""Assertions: a statement is true or false."""

from __future__ import annotations

from benchwright_judges.formats.question_rules import AnswerToScore, QuestionRules
from benchwright_judges.formats.selection import score_selection
from benchwright_judges.judgement import Judgement
from benchwright_judges.languages.language import LanguageWording
from benchwright_judges.reading.selections import truth_value_in
from benchwright_judges.reading.statements import Extraction, read_statement
from benchwright_judges.scale import Scale
from benchwright_problems.problem import Answer, Question


def _truth_keys(question: Question) -> tuple[str, ...]:
    return question.format.fixed_keys


def _extract(question: Question, answer_text: str) -> Extraction:
    return read_statement(answer_text, truth_value_in)


def _score(answer_to_score: AnswerToScore) -> Judgement:
    return score_selection(
        _extract(answer_to_score.question, answer_to_score.text),
        answer_to_score.question.format.fixed_keys,
        answer_to_score.key,
    )


def _show_key(wording: LanguageWording, key: Answer) -> str:
    return wording.true if key.value == "true" else wording.false


ASSERTION = QuestionRules(
    score=_score,
    scale=Scale.BLANK,
    rubric="selection",
    is_instant=True,
    is_single_value=True,
    task=lambda wording: wording.decide,
    json_answer_description='"true" or "false", whether what it states is true.',
    show_key=_show_key,
    selectable_values=_truth_keys,
    extract=_extract,
)
