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
from benchwright_judges.reading.short_answers import stated_answer, unwrap

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
    """The statement of a clause."""

    text: str
    is_last: bool
    """True if no later sentence states anything."""
    is_called: bool
    """True if it is one or two words behind "is" or "called", so that it would be the answer."""
    position: tuple[int, int]
    """Number of the sentence, and where in it the words begin; several forms of a phrase have the same."""


def stated_phrases(reply: str, statement: str) -> list[Phrase]:
    """Return what the sentences of a reply state, the last first; empty if the reply leaves the answer open.

    Args:
        reply: The whole reply.
        statement: The question; its words around an answer are left out ("the MESI protocol").
    """
    reply = _BOLD.sub(r'"\1"', reply) if len(_BOLD.findall(reply)) == 1 else reply
    text = unwrap(stated_answer(before_next_question(reply) or reply))[:_MAX_REPLY]
    text = _MARKS.sub("", text.replace("\u2019", "'")).strip()
    if not text or declines(text):
        return []
    if filled := _filled(text, statement):
        return [Phrase(filled, is_last=True, is_called=True, position=(0, 0))]
    corrected = since_correction(text, r"[^\s,.]")
    text = corrected if corrected and re.search(r"\w", corrected) else text
    if _patterns().alternative.search(text):
        return []
    phrases_by_sentence: list[list[tuple[str, bool, int]]] = []
    passages = [part for _, part in sentences(text) if part.strip()]
    for sentence in [*passages[:2], *passages[2:][-_MAX_SENTENCES:]]:
        if phrases := [phrase for phrase in _phrases(sentence, statement) if phrase[0]]:
            phrases_by_sentence.append(phrases)
    last_index = len(phrases_by_sentence) - 1
    return [
        Phrase(text, number == last_index, is_called, (number, start))
        for number in range(last_index, -1, -1)
        for text, is_called, start in phrases_by_sentence[number]
    ]


def _filled(text: str, statement: str) -> str:
    """Return what a reply that says the sentence of the question again has in its blank; empty if it does not."""
    pieces = [_plain(piece).strip(" .。?？") for piece in _BLANK.split(statement)]
    if len(pieces) != 2 or len("".join(pieces)) < _MIN_AROUND:
        return ""
    prefix, suffix = (re.escape(piece) for piece in pieces)
    match = re.fullmatch(rf"\W*{prefix}\s*(.{{1,60}}?)\s*{suffix}[\s.。!]*", _plain(text))
    return match[1] if match else ""


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"[*`_]", "", text)).strip().casefold()


def _phrases(sentence: str, statement: str) -> Iterator[tuple[str, bool, int]]:
    patterns = _patterns()
    is_question = sentence.rstrip().endswith(("?", "？"))
    if is_question and len(_WORD.findall(sentence)) > 4:
        return
    sentence = sentence.strip(" \t\n.?!。？！")
    if patterns.partial_phrase.search(sentence[:_OPENING]):
        return
    quoted = [match for match in _QUOTED.finditer(sentence) if not is_denied(sentence, match.start(), match.end())]
    if len(quoted) == 1:
        yield _bare(quoted[0][1]), False, quoted[0].start()
    leads = [
        (0, True),
        *((match.end(), bool(patterns.calls.match(match[0]))) for match in patterns.states_pattern.finditer(sentence)),
    ]
    for start, calls in reversed(leads[-6:]):
        remainder = sentence[start:]
        for end in sorted(
            {ending.start() for ending in patterns.ending_pattern.finditer(remainder)} | {len(remainder)}, reverse=True
        )[:8]:
            if patterns.contrasts.search(sentence[:start]) or not is_denied(sentence, start, start):
                for form in _forms(remainder[:end], statement):
                    is_called = calls and end == len(remainder) and len(form.split()) < 3 and form not in statement
                    yield form, is_called, start


def _forms(phrase: str, statement: str) -> Iterator[str]:
    """A phrase as it is, without what hedges it, and without the words of the question around it."""
    plain_phrase = _bare(phrase)
    yield plain_phrase
    if match := re.fullmatch(r"([^()（）]+?)\s*[(（]([^()（）]+)[)）]\s*([^()（）]*)", plain_phrase):
        yield from (_bare(f"{match[1]} {match[3]}"), _bare(match[2]))
        plain_phrase = _bare(f"{match[1]} {match[3]}")
    question_words = set(re.findall(r"\w{3,}", statement.casefold()))
    words = plain_phrase.replace("-", " ").split()
    while len(words) > 1 and _is_asked(words[-1].casefold(), question_words):
        words.pop()
    while len(words) > 1 and words[0].casefold() in question_words:
        words.pop(0)
    yield _bare(" ".join(words))
    for size in range(1, len(plain_phrase)):  # No spaces separate words: "MESI协议".
        if plain_phrase[-size] < "\u2e80":
            break
        if plain_phrase[-size:] in statement:
            yield plain_phrase[:-size]


def _is_asked(word: str, question_words: set[str]) -> bool:
    """True if a question has a word, or one that is composed with it."""
    return word in question_words or (
        len(word) > 4 and any(question_word.endswith(word) for question_word in question_words)
    )


def _bare(phrase: str) -> str:
    patterns = _patterns()
    old_phrase = None
    phrase = phrase.strip(" \t\n,;:\"'“”„«»「」")
    while phrase != old_phrase:
        old_phrase = phrase
        phrase = patterns.tails.sub("", patterns.hedges.sub("", phrase)).strip(" \t\n,;:\"'“”„«»「」")
    return phrase


@dataclass(frozen=True, eq=False)
class _Patterns:
    states_pattern: re.Pattern[str]
    hedges: re.Pattern[str]
    tails: re.Pattern[str]
    ending_pattern: re.Pattern[str]
    alternative: re.Pattern[str]
    contrasts: re.Pattern[str]
    calls: re.Pattern[str]
    partial_phrase: re.Pattern[str]


def _patterns() -> _Patterns:
    return _compile(languages.LANGUAGES)


# Compiled at first use: a language server that opens a design never needs them.
@cache
def _compile(known_languages: tuple[AnswerLanguage, ...]) -> _Patterns:
    because = any_of(
        (
            joined(known_languages, lambda language: language.choices.because),
            joined(known_languages, lambda language: language.true_false.because),
        )
    )
    return _Patterns(
        states_pattern=_insensitive(
            rf"(?:{joined(known_languages, lambda language: language.short_text.state_verbs)}|[=:≈→\uff1d\uff1a])\s*"
        ),
        hedges=_insensitive(rf"\A(?:{joined(known_languages, lambda language: language.short_text.hedges)})\s*,?\s*"),
        tails=_insensitive(rf"\s*,?\s*(?:{joined(known_languages, lambda language: language.short_text.tails)})\Z"),
        ending_pattern=_insensitive(rf"\s*(?:[,;，；](?!\d)|\s[-–—]\s|\b(?:{because})\b|因为|由于)"),
        calls=_insensitive(joined(known_languages, lambda language: language.short_text.calls)),
        partial_phrase=_insensitive(joined(known_languages, lambda language: language.short_text.partial_phrases)),
        contrasts=_insensitive(rf"(?:{joined(known_languages, lambda language: language.short_text.contrasts)})\s*\Z"),
        alternative=_insensitive(joined(known_languages, lambda language: language.short_text.alternative)),
    )


def _insensitive(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)
