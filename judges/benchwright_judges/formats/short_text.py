"""Scoring short answers by rule: a number, or an accepted answer with differences in spelling only."""

from __future__ import annotations

import re

from benchwright_judges.formats.question_rules import GivenText
from benchwright_judges.judgement import Judgement
from benchwright_judges.reading.numeric_answers import (
    Dimension,
    NumberComparison,
    asked_unit,
    asks_for_unit,
    compare,
    is_sloppy_byte,
    names_bits,
    read_binary,
    read_quantity,
)
from benchwright_judges.reading.short_answers import same_text, stated_answer, unwrap
from benchwright_judges.reading.stated_answers import stated_phrases
from benchwright_judges.rule_judgements import PENDING, RIGHT, WRONG


def score_blank(given_text: GivenText) -> Judgement:
    """Score a filled-in blank: a number other than the key's is wrong, whether or not the key is closed."""
    # If an accepted answer is not a number, a number may be another way of expressing it.
    return _score(given_text, number_decides=True)


def score_text(given_text: GivenText) -> Judgement:
    """Score any other free text: what differs from a closed key is wrong; everything else needs a judge."""
    return _score(given_text, number_decides=False)


def _score(given_text: GivenText, *, number_decides: bool) -> Judgement:
    matches = [_matches(given_text, accepted) for accepted in (given_text.key.value, *given_text.key.alternatives)]
    if True in matches:
        return RIGHT
    if True not in matches and False not in matches and (judged := _in_sentences(given_text)) is not None:
        return RIGHT if judged else WRONG if given_text.key.closed or number_decides else PENDING
    return WRONG if given_text.key.closed or (number_decides and set(matches) == {False}) else PENDING


def _in_sentences(given_text: GivenText) -> bool | None:
    """True if a sentence states an accepted answer, False if the last one states another number; None if neither."""
    accepted_answers = (given_text.key.value, *given_text.key.alternatives)
    has_rival = False
    right_position: tuple[int, int] | None = None
    rivals: set[tuple[int, int]] = set()
    for phrase in stated_phrases(given_text.text, given_text.statement):
        matches = {_compares(given_text, phrase.text, variant) for variant in accepted_answers}
        if True in matches:
            right_position = right_position or phrase.position
        elif matches == {None} and phrase.is_called and not _mentions(phrase.text, accepted_answers):
            rivals.add(phrase.position)
        # A number of the question does not answer it, and one in another unit may be a step towards it.
        elif right_position is None and matches == {False} and phrase.is_last and not _is_step(given_text, phrase.text):
            has_rival = True
    if right_position is None:
        return False if has_rival else None
    # Two answers: which one is meant is for a judge.
    return None if has_rival or rivals - {right_position} else True


def _mentions(text: str, accepted_answers: tuple[str, ...]) -> bool:
    """True if a phrase holds an accepted answer, as a whole sentence does, or a number, which is compared otherwise."""
    return any(variant.casefold() in text.casefold() for variant in accepted_answers) or any(
        variant.isdigit() for variant in text
    )


def _is_step(given_text: GivenText, text: str) -> bool:
    stated_quantity, key_quantity = (
        read_quantity(unwrap(expression), given_text.question.language) for expression in (text, given_text.key.value)
    )
    if stated_quantity is None or key_quantity is None:
        return True
    if stated_quantity.dimension is not key_quantity.dimension and not (
        key_quantity.dimension is Dimension.NONE and asks_for_unit(given_text.statement, stated_quantity)
    ):
        return True
    return re.search(rf"(?<![\w.,]){re.escape(text)}(?![\w])", given_text.statement) is not None


def _matches(given_text: GivenText, accepted_answer: str) -> bool | None:
    """True if the answer is an accepted one; None if only a judge can decide."""
    return _compares(given_text, stated_answer(given_text.text), accepted_answer)


def _compares(given_text: GivenText, text: str, accepted_answer: str) -> bool | None:
    language, key = given_text.question.language, given_text.key
    plain_text, accepted_quantity = unwrap(text), read_quantity(unwrap(accepted_answer), language)
    if accepted_quantity and max(accepted_quantity.numbers) < 0 and text.lstrip().startswith("- "):
        plain_text = f"-{plain_text}"  # No bullet.
    stated_quantity = read_quantity(plain_text, language)
    if stated_quantity is None or accepted_quantity is None:
        return True if same_text(text, accepted_answer, language, given_text.statement) else None
    unit = key.unit or asked_unit(given_text.statement)
    # Numbers are never compared as strings: 8 Gb is not 8 GB.
    match compare(stated_quantity, accepted_quantity, key.tolerance, unit):
        case NumberComparison.SAME:
            return True
        case NumberComparison.UNIT_MISSING:
            with_unit = stated_quantity if stated_quantity.dimension else accepted_quantity
            return True if asks_for_unit(given_text.statement, with_unit) else None
        case NumberComparison.ROUNDED:
            return None
        case _ if plain_text.rstrip(" .,!。").endswith("b") and is_sloppy_byte(stated_quantity, accepted_quantity):
            return None if names_bits(given_text.statement) else True
        case _:
            binary = read_binary(plain_text)
            return (
                binary is not None and compare(binary, accepted_quantity, key.tolerance, unit) is NumberComparison.SAME
            )
