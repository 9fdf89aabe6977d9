"""Multiple response: several letters may be right, and all of them answer."""

from __future__ import annotations

from benchwright_judges.formats.question_rules import AnswerToScore, QuestionRules
from benchwright_judges.formats.selection import option_letters, option_text_by_letter, unreadable_judgement
from benchwright_judges.judgement import Judgement
from benchwright_judges.reading.selections import choice_letters_in
from benchwright_judges.reading.statements import Extraction, read_statement
from benchwright_judges.rule_judgements import RIGHT, WRONG
from benchwright_judges.scale import Scale
from benchwright_problems.problem import Question


def _extract(question: Question, answer_text: str) -> Extraction:
    texts_by_letter = option_text_by_letter(question)
    return read_statement(answer_text, lambda passage: choice_letters_in(passage, texts_by_letter, question.language))


def _score(answer_to_score: AnswerToScore) -> Judgement:
    """Right if exactly the key's letters are given.

    The score of others is the share of the key's letters that were given, less as much for each other letter, and at
    least 0.
    """
    extraction = _extract(answer_to_score.question, answer_to_score.text)
    if extraction.value is None:
        return unreadable_judgement(extraction, option_letters(answer_to_score.question), "every right one of")
    given_letters, key_letters = set(extraction.value), set(answer_to_score.key.value.strip().upper())
    hits, slips = len(given_letters & key_letters), len(given_letters - key_letters)
    score = max(0.0, (hits - slips) / len(key_letters))
    judgement = RIGHT if given_letters == key_letters else WRONG
    return judgement.model_copy(update={"label": extraction.value, "score": score})


MULTIPLE_RESPONSE = QuestionRules(
    score=_score,
    scale=Scale.BLANK,
    rubric="selection",
    is_instant=True,
    is_single_value=True,
    task=lambda wording: wording.choose_several,
    json_answer_description="the letters of all right options, such as AC.",
    selectable_values=option_letters,
    extract=_extract,
)
