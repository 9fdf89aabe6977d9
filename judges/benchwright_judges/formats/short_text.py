"""Scoring short answers by rule: a number, or an accepted answer with differences in spelling only."""

from __future__ import annotations

from benchwright_judges.formats.question_rules import GivenText
from benchwright_judges.judgement import Judgement
from benchwright_judges.numeric_answers import (
    Comparison,
    asks_for_unit,
    compare,
    is_sloppy_byte,
    names_bits,
    read_binary,
    read_quantity,
)
from benchwright_judges.rule_judgements import PENDING, RIGHT, WRONG
from benchwright_judges.short_answers import same_text, stated, unwrap


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
    return WRONG if given.key.closed or (number_decides and set(matches) == {False}) else PENDING


def _matches(given: GivenText, accepted: str) -> bool | None:
    """Whether the answer is an accepted one; None if only a judge can decide."""
    language, key, text = given.question.language, given.key, stated(given.text)
    plain, wanted = unwrap(text), read_quantity(unwrap(accepted), language)
    if wanted and max(wanted.numbers) < 0 and text.lstrip().startswith("- "):
        plain = f"-{plain}"  # No bullet.
    said = read_quantity(plain, language)
    if said is None or wanted is None:
        return True if same_text(text, accepted, language, given.statement) else None
    # Numbers are never compared as strings: 8 Gb is not 8 GB.
    match compare(said, wanted, key.tolerance, key.unit):
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
            return binary is not None and compare(binary, wanted, key.tolerance, key.unit) is Comparison.SAME
