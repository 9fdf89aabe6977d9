"""The short answer inside a sentence: "The answer would be 18 bytes because …", "it's called MESI".

A sentence states what follows the last word that states something ("is", "called", "=") up to the end of the clause.
What is denied, asked or one of two is not stated. Whether it is right is for the caller to compare: a phrase that is
not the key as a whole says nothing about it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from benchwright_judges import languages
from benchwright_judges.languages.language import AnswerLanguage, any_of, joined
from benchwright_judges.reading.answer_extraction import (
    before_next_question,
    declines,
    is_denied,
    sentences,
    since_correction,
)
from benchwright_judges.reading.short_answers import stated, unwrap

_MAX_REPLY = 3_000
_MAX_SENTENCES = 12
_OPENING = 30
_MIN_AROUND = 8
_BOLD = re.compile(r"\*\*([^*\n]{1,60})\*\*")
_QUOTED = re.compile(r"[\"“„«「][ \u00a0]?([^\"“”„«»「」\n]{1,60}?)[ \u00a0]?[\"“”»」]")
_WORD = re.compile(r"[\u2e80-\u9fff]{2}|[^\W\u2e80-\u9fff]+")
_BLANK = re.compile(r"_{2,}|[(（]\s*[)）]")
_MARKS = re.compile("[\U0001f000-\U0001faff\u231a\u231b\u23e9-\u23fa\u2600-\u27bf\ufe0f*]|(?<!\\w)`|`(?!\\w)")


@dataclass(frozen=True)
class Phrase:
    """What a clause states."""

    text: str
    is_last: bool
    """Whether no later sentence states anything."""
    is_called: bool
    """Whether it is one or two words behind "is" or "called", so that it would be the answer."""
    place: tuple[int, int]
    """Number of the sentence, and where in it the words begin; several forms of a phrase have the same."""


def stated_phrases(reply: str, statement: str) -> list[Phrase]:
    """What the sentences of a reply state, the last first; empty if the reply leaves the answer open.

    Args:
        reply: The whole reply.
        statement: The question; its words around an answer are left out ("the MESI protocol").
    """
    reply = _BOLD.sub(r'"\1"', reply) if len(_BOLD.findall(reply)) == 1 else reply
    text = unwrap(stated(before_next_question(reply) or reply))[:_MAX_REPLY]
    text = _MARKS.sub("", text.replace("\u2019", "'")).strip()
    if not text or declines(text):
        return []
    if filled := _filled(text, statement):
        return [Phrase(filled, is_last=True, is_called=True, place=(0, 0))]
    corrected = since_correction(text, r"[^\s,.]")
    text = corrected if corrected and re.search(r"\w", corrected) else text
    if _patterns().alternative.search(text):
        return []
    said: list[list[tuple[str, bool, int]]] = []
    parts = [one for _, one in sentences(text) if one.strip()]
    for sentence in [*parts[:2], *parts[2:][-_MAX_SENTENCES:]]:
        if found := [one for one in _phrases(sentence, statement) if one[0]]:
            said.append(found)
    last = len(said) - 1
    return [
        Phrase(text, number == last, called, (number, start))
        for number in range(last, -1, -1)
        for text, called, start in said[number]
    ]


def _filled(text: str, statement: str) -> str:
    """What a reply that says the sentence of the question again has in its blank; empty if it does not."""
    around = [_plain(one).strip(" .。?？") for one in _BLANK.split(statement)]
    if len(around) != 2 or len("".join(around)) < _MIN_AROUND:
        return ""
    before, after = (re.escape(one) for one in around)
    found = re.fullmatch(rf"\W*{before}\s*(.{{1,60}}?)\s*{after}[\s.。!]*", _plain(text))
    return found[1] if found else ""


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"[*`_]", "", text)).strip().casefold()


def _phrases(sentence: str, statement: str) -> Iterator[tuple[str, bool, int]]:
    known = _patterns()
    asked = sentence.rstrip().endswith(("?", "？"))
    if asked and len(_WORD.findall(sentence)) > 4:
        return
    sentence = sentence.strip(" \t\n.?!。？！")
    if known.some.search(sentence[:_OPENING]):
        return
    quoted = [one for one in _QUOTED.finditer(sentence) if not is_denied(sentence, one.start(), one.end())]
    if len(quoted) == 1:
        yield _bare(quoted[0][1]), False, quoted[0].start()
    leads = [(0, True), *((one.end(), bool(known.calls.match(one[0]))) for one in known.states.finditer(sentence))]
    for start, calls in reversed(leads[-6:]):
        rest = sentence[start:]
        for end in sorted({found.start() for found in known.ends.finditer(rest)} | {len(rest)}, reverse=True)[:8]:
            if known.contrasts.search(sentence[:start]) or not is_denied(sentence, start, start):
                for one in _forms(rest[:end], statement):
                    called = calls and end == len(rest) and len(one.split()) < 3 and one not in statement
                    yield one, called, start


def _forms(phrase: str, statement: str) -> Iterator[str]:
    """A phrase as it is, without what hedges it, and without the words of the question around it."""
    plain = _bare(phrase)
    yield plain
    if found := re.fullmatch(r"([^()（）]+?)\s*[(（]([^()（）]+)[)）]\s*([^()（）]*)", plain):
        yield from (_bare(f"{found[1]} {found[3]}"), _bare(found[2]))
        plain = _bare(f"{found[1]} {found[3]}")
    asked = set(re.findall(r"\w{3,}", statement.casefold()))
    words = plain.replace("-", " ").split()
    while len(words) > 1 and _is_asked(words[-1].casefold(), asked):
        words.pop()
    while len(words) > 1 and words[0].casefold() in asked:
        words.pop(0)
    yield _bare(" ".join(words))
    for size in range(1, len(plain)):  # No spaces separate words: "MESI协议".
        if plain[-size] < "\u2e80":
            break
        if plain[-size:] in statement:
            yield plain[:-size]


def _is_asked(word: str, asked: set[str]) -> bool:
    """Whether a question has a word, or one that is composed with it."""
    return word in asked or (len(word) > 4 and any(one.endswith(word) for one in asked))


def _bare(phrase: str) -> str:
    known = _patterns()
    previous = None
    phrase = phrase.strip(" \t\n,;:\"'“”„«»「」")
    while phrase != previous:
        previous = phrase
        phrase = known.tails.sub("", known.hedges.sub("", phrase)).strip(" \t\n,;:\"'“”„«»「」")
    return phrase


@dataclass(frozen=True, eq=False)
class _Patterns:
    states: re.Pattern[str]
    hedges: re.Pattern[str]
    tails: re.Pattern[str]
    ends: re.Pattern[str]
    alternative: re.Pattern[str]
    contrasts: re.Pattern[str]
    calls: re.Pattern[str]
    some: re.Pattern[str]


def _patterns() -> _Patterns:
    return _compile(languages.LANGUAGES)


# Compiled at first use: a language server that opens a design never needs them.
@cache
def _compile(known: tuple[AnswerLanguage, ...]) -> _Patterns:
    because = any_of(
        (joined(known, lambda one: one.choices.because), joined(known, lambda one: one.true_false.because))
    )
    return _Patterns(
        states=_insensitive(rf"(?:{joined(known, lambda one: one.short_text.states)}|[=:≈→\uff1d\uff1a])\s*"),
        hedges=_insensitive(rf"\A(?:{joined(known, lambda one: one.short_text.hedges)})\s*,?\s*"),
        tails=_insensitive(rf"\s*,?\s*(?:{joined(known, lambda one: one.short_text.tails)})\Z"),
        ends=_insensitive(rf"\s*(?:[,;，；](?!\d)|\s[-–—]\s|\b(?:{because})\b|因为|由于)"),
        calls=_insensitive(joined(known, lambda one: one.short_text.calls)),
        some=_insensitive(joined(known, lambda one: one.short_text.some)),
        contrasts=_insensitive(rf"(?:{joined(known, lambda one: one.short_text.contrasts)})\s*\Z"),
        alternative=_insensitive(joined(known, lambda one: one.short_text.alternative)),
    )


def _insensitive(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)
