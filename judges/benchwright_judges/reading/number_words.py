"""Whole numbers in words: "five hundred and twelve", „tausendvierundzwanzig“, « quatre-vingt-dix », 五百一十二."""

from __future__ import annotations

import re
from functools import cache

from benchwright_judges import languages
from benchwright_judges.languages.language import AnswerLanguage


def number_in_words(text: str) -> tuple[str, int] | None:
    """The number whose words begin a short answer, as decimal digits, and where the words end; None if none do.

    Args:
        text: A short answer. Words that stand for a number only in some places, such as articles, are not read.
    """
    known, words = _compile(languages.LANGUAGES)
    found = known.match(text)
    if not found:
        return None
    total = section = unit = 0.0
    for word in words.findall(found[0].casefold()):
        value = _values(languages.LANGUAGES)[word]
        if value >= 1000:
            total += (section + unit or 1) * value
            section = unit = 0
        elif value >= 100 or (value == 10 and word > "\u2e80"):
            section += (unit or 1) * value
            unit = 0
        else:
            unit += value
    return f"{total + section + unit:.10g}", found.end()


@cache
def _values(known: tuple[AnswerLanguage, ...]) -> dict[str, float]:
    return {word: value for one in known for word, value in one.numbers.words.items()}


@cache
def _compile(known: tuple[AnswerLanguage, ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    longest = sorted(_values(known), key=len, reverse=True)
    word = "|".join(map(re.escape, longest))
    between = r"(?:[\s-]*(?:and|und|et)[\s-]*(?=(?:" + word + r"))|[\s-]+(?=(?:" + word + r")))?"
    return (
        re.compile(rf"(?:(?:{word}){between})+(?![A-Za-zÀ-ÿ'’-])", re.IGNORECASE),
        re.compile(word),
    )
