"""Scoring short answers by rule: a number, or an accepted answer with differences in spelling only."""

from __future__ import annotations

from benchwright_judges.formats.question_rules import GivenText
from benchwright_judges.judgement import Judgement
from benchwright_judges.numeric_answers import Comparison, asks_for_unit, compare, read_quantity
from benchwright_judges.rule_judgements import PENDING, RIGHT, WRONG
from benchwright_judges.short_answers import same_text, unwrap


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
    language, key = given.question.language, given.key
    said, wanted = read_quantity(unwrap(given.text), language), read_quantity(unwrap(accepted), language)
    if said is None or wanted is None:
        return True if same_text(given.text, accepted, language, given.statement) else None
    # Numbers are never compared as strings: 8 Gb is not 8 GB.
    match compare(said, wanted, key.tolerance, key.unit):
        case Comparison.SAME:
            return True
        case Comparison.UNIT_MISSING:
            with_unit = said if said.dimension else wanted
            return True if asks_for_unit(given.statement, with_unit) else None
        case _:
            return False
