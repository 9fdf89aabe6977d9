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
from benchwright_judges.answer_extraction import before_next_question, declines, is_denied, sentences, since_correction
from benchwright_judges.languages.language import AnswerLanguage, any_of, joined
from benchwright_judges.short_answers import stated, unwrap

_MAX_REPLY = 3_000
_MAX_SENTENCES = 12
_OPENING = 30
_MARKS = re.compile("[\U0001f000-\U0001faff\u2600-\u27bf\ufe0f*]|(?<!\\w)`|`(?!\\w)")


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
    text = unwrap(stated(before_next_question(reply) or reply))[:_MAX_REPLY]
    text = _MARKS.sub("", text.replace("\u2019", "'")).strip()
    if not text or declines(text):
        return []
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


def _phrases(sentence: str, statement: str) -> Iterator[tuple[str, bool, int]]:
    known = _patterns()
    asked = sentence.rstrip().endswith(("?", "？"))
    if asked and len(sentence.split()) > 4:
        return
    sentence = sentence.strip(" \t\n.?!。？！")
    if known.some.search(sentence[:_OPENING]):
        return
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
        states=_insensitive(rf"(?:{joined(known, lambda one: one.short_text.states)}|[=:≈→])\s*"),
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
