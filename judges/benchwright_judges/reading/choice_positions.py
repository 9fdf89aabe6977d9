"""Choices named by their place or together: "the second option", "die letzte", "none of them".

Each becomes the choice's mark, as its letter or its text would. A place counts with a noun behind it ("the first
option"), or at the end of a clause ("I take the first"): "the first step" names no choice.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from benchwright_judges import languages
from benchwright_judges.languages.language import AnswerLanguage, any_of


def mark_positions(text: str, choices: Mapping[str, str], letter: int, wording: int) -> str:
    """A reply in which places and "none of them" are marks.

    Args:
        text: From `answer_text`, with the wording of the choices marked.
        choices: Upper-case letter → wording.
        letter: Code of the mark of the letter A.
        wording: Code of the mark of the text of A.
    """
    letters = sorted(choices)
    for together, one in _together(tuple(choices.items()), languages.LANGUAGES):
        text = together.sub(chr(wording + ord(one) - 65), text)
    for known in _compile(languages.LANGUAGES):
        if not known.likely.search(text):
            continue
        places = [*zip(known.places, letters, strict=False)]
        ends = zip((known.last_but_one, known.last), letters[-2:], strict=False) if len(letters) > 1 else ()
        for pattern, one in (*ends, *places):
            text = pattern.sub(chr(letter + ord(one) - 65), text)
    return text


@lru_cache(maxsize=256)
def _together(
    choices: tuple[tuple[str, str], ...], known: tuple[AnswerLanguage, ...]
) -> tuple[tuple[re.Pattern[str], str], ...]:
    """What the only choice says that is "none of them" or "all of them", and its letter."""
    found = []
    for spoken in _compile(known):
        for together in (spoken.none, spoken.every):
            named = [letter for letter, text in choices if together.fullmatch(text.strip(" .。"))]
            found += [(together, named[0])] if len(named) == 1 else []
    return tuple(found)


@dataclass(frozen=True, eq=False)
class _Positions:
    likely: re.Pattern[str]
    """Any word for a place; most replies have none."""
    places: tuple[re.Pattern[str], ...]
    last: re.Pattern[str]
    last_but_one: re.Pattern[str]
    none: re.Pattern[str]
    every: re.Pattern[str]


# Compiled at first use: a language server that opens a design never needs them.
@cache
def _compile(known: tuple[AnswerLanguage, ...]) -> tuple[_Positions, ...]:
    return tuple(_positions(one) for one in known)


def _positions(language: AnswerLanguage) -> _Positions:
    places = language.places
    numbers = (*places.numbers, *("" for _ in places.ordinals[len(places.numbers) :]))
    return _Positions(
        likely=_insensitive(any_of((*places.ordinals, places.last, places.last_but_one, places.counted)) or "(?!)"),
        places=tuple(_place(language, *one) for one in zip(places.ordinals, numbers, strict=True)),
        last=_place(language, places.last, ""),
        last_but_one=_place(language, places.last_but_one, ""),
        # "None of the options A, B or C" leaves D.
        none=_insensitive(rf"(?:{places.none or '(?!)'})(?!\W*[A-H]\b)"),
        every=_insensitive(places.every or "(?!)"),
    )


def _place(language: AnswerLanguage, ordinal: str, number: str) -> re.Pattern[str]:
    places, end = language.places, r"(?=\s*(?:[.,;:!?)。，；！]|$))"
    if not ordinal:
        return re.compile("(?!)")
    if language.unspaced:
        return _insensitive(rf"(?:{ordinal})(?:{places.nouns})(?={places.behind}|{end[3:-1]})")
    word = rf"\b(?:(?:{places.articles})\s+)?\b(?:{ordinal})"
    ways = [
        rf"(?<!my ){word}\s+(?:{places.nouns})\b",
        rf"\b(?:{places.articles})\s+(?:{ordinal}){end}",
        rf"^\W{{0,4}}(?:{ordinal})(?=\W{{0,3}}$)",
    ]
    if number:
        ways.append(rf"\b(?:{places.counted})\s+(?:{number})(?![\w^]|\.\d|\s*[-+*/=:])")
    return _insensitive(any_of(ways))


def _insensitive(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.MULTILINE)
