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


def score_blank(given: GivenText) -> Judgement:
    """Score a filled-in blank: a number other than the key's is wrong, whether or not the key is closed."""
    # If an accepted answer is not a number, a number may be another way of expressing it.
    return _score(given, number_decides=True)


def score_text(given: GivenText) -> Judgement:
    """Score any other free text: what differs from a closed key is wrong; everything else needs a judge."""
    return _score(given, number_decides=False)


def _score(given: GivenText, *, number_decides: bool) -> Judgement:
    matches = [_matches(given, accepted) for accepted in (given.key.value, *given.key.alternatives)]
    if True in matches:
        return RIGHT
    if True not in matches and False not in matches and (judged := _in_sentences(given)) is not None:
        return RIGHT if judged else WRONG if given.key.closed or number_decides else PENDING
    return WRONG if given.key.closed or (number_decides and set(matches) == {False}) else PENDING


def _in_sentences(given: GivenText) -> bool | None:
    """Whether a sentence states an accepted answer, or the last one another number; None if neither."""
    accepted = (given.key.value, *given.key.alternatives)
    other = False
    right: tuple[int, int] | None = None
    rivals: set[tuple[int, int]] = set()
    for phrase in stated_phrases(given.text, given.statement):
        matches = {_compares(given, phrase.text, one) for one in accepted}
        if True in matches:
            right = right or phrase.place
        elif matches == {None} and phrase.is_called and not _mentions(phrase.text, accepted):
            rivals.add(phrase.place)
        # A number of the question does not answer it, and one in another unit may be a step towards it.
        elif right is None and matches == {False} and phrase.is_last and not _is_step(given, phrase.text):
            other = True
    if right is None:
        return False if other else None
    # Two answers: which one is meant is for a judge.
    return None if other or rivals - {right} else True


def _mentions(text: str, accepted: tuple[str, ...]) -> bool:
    """Whether a phrase holds an accepted answer, as a whole sentence does, or a number, which is compared otherwise."""
    return any(one.casefold() in text.casefold() for one in accepted) or any(one.isdigit() for one in text)


def _is_step(given: GivenText, text: str) -> bool:
    said, wanted = (read_quantity(unwrap(one), given.question.language) for one in (text, given.key.value))
    if said is None or wanted is None:
        return True
    if said.dimension is not wanted.dimension and not (
        wanted.dimension is Dimension.NONE and asks_for_unit(given.statement, said)
    ):
        return True
    return re.search(rf"(?<![\w.,]){re.escape(text)}(?![\w])", given.statement) is not None


def _matches(given: GivenText, accepted: str) -> bool | None:
    """Whether the answer is an accepted one; None if only a judge can decide."""
    return _compares(given, stated(given.text), accepted)


def _compares(given: GivenText, text: str, accepted: str) -> bool | None:
    language, key = given.question.language, given.key
    plain, wanted = unwrap(text), read_quantity(unwrap(accepted), language)
    if wanted and max(wanted.numbers) < 0 and text.lstrip().startswith("- "):
        plain = f"-{plain}"  # No bullet.
    said = read_quantity(plain, language)
    if said is None or wanted is None:
        return True if same_text(text, accepted, language, given.statement) else None
    unit = key.unit or asked_unit(given.statement)
    # Numbers are never compared as strings: 8 Gb is not 8 GB.
    match compare(said, wanted, key.tolerance, unit):
        case Comparison.SAME:
            return True
        case Comparison.UNIT_MISSING:
            with_unit = said if said.dimension else wanted
            return True if asks_for_unit(given.statement, with_unit) else None
        case Comparison.ROUNDED:
            return None
        case _ if plain.rstrip(" .,!。").endswith("b") and is_sloppy_byte(said, wanted):
            return None if names_bits(given.statement) else True
        case _:
            binary = read_binary(plain)
            return binary is not None and compare(binary, wanted, key.tolerance, unit) is Comparison.SAME
