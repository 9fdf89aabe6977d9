"""Scoring short answers by rule: a number, or an accepted answer with differences in spelling only."""

from __future__ import annotations

import re

from benchwright_judges.formats.question_rules import AnswerToScore
from benchwright_judges.judgement import Judgement
from benchwright_judges.languages import find_language
from benchwright_judges.reading.quantities import (
    Comparison,
    compare_quantities,
    find_asked_unit,
    read_quantity,
    read_unit,
)
from benchwright_judges.reading.statements import read_statement
from benchwright_judges.reading.words import is_same_apart_from_spelling, without_words_around_blank
from benchwright_judges.rule_judgements import PENDING, RIGHT, WRONG

_LONGEST = 300


def score_blank(answer_to_score: AnswerToScore) -> Judgement:
    """Score a filled-in blank: an accepted answer is right, and a number other than the key's is wrong.

    Everything else needs a judge, also where the key is closed: no rule can distinguish wrong words from right ones.
    """
    return _score_by_accepted_answers(answer_to_score, is_wrong_by_number=True)


def score_free_text(answer_to_score: AnswerToScore) -> Judgement:
    """Score any other free text: an accepted answer is right, and only a closed key makes another number wrong."""
    return _score_by_accepted_answers(answer_to_score, is_wrong_by_number=answer_to_score.key.closed)


def _score_by_accepted_answers(answer_to_score: AnswerToScore, *, is_wrong_by_number: bool) -> Judgement:
    accepted_answers = (answer_to_score.key.value, *answer_to_score.key.alternatives)
    if " ".join(answer_to_score.text.split()) in (" ".join(accepted.split()) for accepted in accepted_answers):
        return RIGHT  # However long it is, and whatever else it says.
    passage = read_statement(answer_to_score.text, _passage_if_short_statement, takes_any_words=True).value
    if passage is None:
        return PENDING
    matches = _matches_with_accepted_answers(answer_to_score, passage) | _matches_with_accepted_answers(
        answer_to_score, without_words_around_blank(passage, answer_to_score.statement)
    )
    # Two spellings of one answer, such as "starvation (Verhungern)".
    double = re.fullmatch(r"([^()（）]+?)\s*[(（]([^()（）]+)[)）]", passage)
    if True in matches or (
        double and all(True in _matches_with_accepted_answers(answer_to_score, part) for part in double.groups())
    ):
        return RIGHT
    # Where an accepted answer is in words, a number may be another way of saying it, unless the key is closed.
    is_other_number = matches == {False} or (answer_to_score.key.closed and False in matches)
    return WRONG if is_wrong_by_number and is_other_number else PENDING


def _matches_with_accepted_answers(answer_to_score: AnswerToScore, answer_passage: str) -> set[bool | None]:
    return {
        _matches_or_unsure(answer_to_score, answer_passage, accepted)
        for accepted in (answer_to_score.key.value, *answer_to_score.key.alternatives)
    }


def _matches_or_unsure(answer_to_score: AnswerToScore, answer_passage: str, accepted_answer: str) -> bool | None:
    """True if a passage is an accepted answer, False if it is another number, None if only a judge can decide."""
    language, key = answer_to_score.question.language, answer_to_score.key
    stated_quantity, accepted_quantity = (
        read_quantity(answer_passage, language),
        read_quantity(accepted_answer, language),
    )
    if stated_quantity is None or accepted_quantity is None:
        return True if is_same_apart_from_spelling(answer_passage, accepted_answer, language) else None
    if re.match(r"0\d", accepted_answer.strip()) and answer_passage.strip() != accepted_answer.strip():
        return None  # A code whose digits count.
    asked_unit = read_unit(key.unit) if key.unit else find_asked_unit(answer_to_score.statement)
    # Numbers are never compared as strings: 8 Gb is not 8 GB.
    match compare_quantities(stated_quantity, accepted_quantity, key.tolerance, asked_unit):
        case Comparison.SAME:
            return True
        case Comparison.DIFFERENT | Comparison.UNIT_DIFFERS:
            return None if _may_be_same_number(answer_passage, accepted_answer, language) else False
        case Comparison.NEAR | Comparison.UNIT_MISSING:
            return None


def _may_be_same_number(answer_passage: str, accepted_answer: str, language: str) -> bool:
    """True if another notation may hide the same number: a key in binary digits, or an English comma."""
    is_binary_key = re.fullmatch(r"[01]{2,64}", accepted_answer.strip()) and re.search(
        r"0b|'s?b|[₂B]\Z|_\{?2", answer_passage
    )
    spoken = find_language(language)
    has_english_comma = spoken is not None and spoken.comma_is_decimal and re.search(r"\d,\d{3}(?!\d)", answer_passage)
    return bool(is_binary_key or has_english_comma)


def _passage_if_short_statement(answer_passage: str) -> str | None:
    return (
        answer_passage
        if 0 < len(answer_passage) <= _LONGEST and not answer_passage.rstrip().endswith(("?", "？"))
        else None
    )
