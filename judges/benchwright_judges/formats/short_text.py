"""Scoring short answers by rule: a number, or an accepted answer with differences in spelling only."""

from __future__ import annotations

import re

from benchwright_judges.formats.question_rules import GivenText
from benchwright_judges.judgement import Judgement
from benchwright_judges.reading.numeric_answers import (
    Comparison,
    Dimension,
    asked_unit,
    asks_for_unit,
    compare,
    is_sloppy_byte,
    names_bits,
    read_binary,
    read_quantity,
)
from benchwright_judges.reading.short_answers import same_text, stated, unwrap
from benchwright_judges.reading.stated_answers import stated_phrases
from benchwright_judges.rule_judgements import PENDING, RIGHT, WRONG


def score_blank(answer: GivenText) -> Judgement:
    """Score a filled-in blank: a number other than the key's is wrong, whether or not the key is closed."""
    # If an accepted answer is not a number, a number may be another way of expressing it.
    return _score(answer, number_decides=True)


def score_text(answer: GivenText) -> Judgement:
    """Score any other free text: what differs from a closed key is wrong; everything else needs a judge."""
    return _score(answer, number_decides=False)


def _score(answer: GivenText, *, number_decides: bool) -> Judgement:
    matches = [_matches(answer, accepted) for accepted in (answer.key.value, *answer.key.alternatives)]
    if True in matches:
        return RIGHT
    if True not in matches and False not in matches and (judged := _in_sentences(answer)) is not None:
        return RIGHT if judged else WRONG if answer.key.closed or number_decides else PENDING
    return WRONG if answer.key.closed or (number_decides and set(matches) == {False}) else PENDING


def _in_sentences(answer: GivenText) -> bool | None:
    """True if a sentence states an accepted answer, False if the last one states another number; None if neither."""
    accepted = (answer.key.value, *answer.key.alternatives)
    has_rival = False
    right: tuple[int, int] | None = None
    rivals: set[tuple[int, int]] = set()
    for phrase in stated_phrases(answer.text, answer.statement):
        matches = {_compares(answer, phrase.text, variant) for variant in accepted}
        if True in matches:
            right = right or phrase.position
        elif matches == {None} and phrase.is_called and not _mentions(phrase.text, accepted):
            rivals.add(phrase.position)
        # A number of the question does not answer it, and one in another unit may be a step towards it.
        elif right is None and matches == {False} and phrase.is_last and not _is_step(answer, phrase.text):
            has_rival = True
    if right is None:
        return False if has_rival else None
    # Two answers: which one is meant is for a judge.
    return None if has_rival or rivals - {right} else True


def _mentions(text: str, accepted: tuple[str, ...]) -> bool:
    """True if a phrase holds an accepted answer, as a whole sentence does, or a number, which is compared otherwise."""
    return any(variant.casefold() in text.casefold() for variant in accepted) or any(
        variant.isdigit() for variant in text
    )


def _is_step(answer: GivenText, text: str) -> bool:
    stated_quantity, key_quantity = (
        read_quantity(unwrap(expression), answer.question.language) for expression in (text, answer.key.value)
    )
    if stated_quantity is None or key_quantity is None:
        return True
    if stated_quantity.dimension is not key_quantity.dimension and not (
        key_quantity.dimension is Dimension.NONE and asks_for_unit(answer.statement, stated_quantity)
    ):
        return True
    return re.search(rf"(?<![\w.,]){re.escape(text)}(?![\w])", answer.statement) is not None


def _matches(answer: GivenText, accepted: str) -> bool | None:
    """True if the answer is an accepted one; None if only a judge can decide."""
    return _compares(answer, stated(answer.text), accepted)


def _compares(answer: GivenText, text: str, accepted: str) -> bool | None:
    language, key = answer.question.language, answer.key
    plain, accepted_quantity = unwrap(text), read_quantity(unwrap(accepted), language)
    if accepted_quantity and max(accepted_quantity.numbers) < 0 and text.lstrip().startswith("- "):
        plain = f"-{plain}"  # No bullet.
    stated_quantity = read_quantity(plain, language)
    if stated_quantity is None or accepted_quantity is None:
        return True if same_text(text, accepted, language, answer.statement) else None
    unit = key.unit or asked_unit(answer.statement)
    # Numbers are never compared as strings: 8 Gb is not 8 GB.
    match compare(stated_quantity, accepted_quantity, key.tolerance, unit):
        case Comparison.SAME:
            return True
        case Comparison.UNIT_MISSING:
            with_unit = stated_quantity if stated_quantity.dimension else accepted_quantity
            return True if asks_for_unit(answer.statement, with_unit) else None
        case Comparison.ROUNDED:
            return None
        case _ if plain.rstrip(" .,!。").endswith("b") and is_sloppy_byte(stated_quantity, accepted_quantity):
            return None if names_bits(answer.statement) else True
        case _:
            binary = read_binary(plain)
            return binary is not None and compare(binary, accepted_quantity, key.tolerance, unit) is Comparison.SAME
