r"""Reading the letter of a choice from free text, in every answer language.

People write `B`, `(b)`, `**B**` or "The answer is (C)."; models also write JSON, `\boxed{C}`, or the wording of a
choice, and discuss all choices before they settle on one. There is no guessing if an answer names no choice, or two:
a letter is read only if a sentence states that it is the answer, never merely because it occurs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from benchwright_judges import languages
from benchwright_judges.answer_extraction import (
    AMBIGUOUS,
    Extraction,
    ExtractionOutcome,
    Statement,
    boxed,
    conclude,
    concludes,
    is_denied,
    json_answer,
    prepare,
    since_correction,
)
from benchwright_judges.languages.language import AnswerLanguage, any_of, fill, joined
from benchwright_judges.short_answers import normalise

_OPEN = r"[\s(\[{*_`\"'“‘「『【<$:]{0,8}(?:\\\w{1,12}\{){0,2}[\s(\[*_`$]{0,3}"
_CLOSE = r"[)\]}*_`\"'”’」』】>$]{0,8}"
# Not a letter of a word, a B-tree, C++, or D'abord.
_END = r"(?![A-Za-z0-9À-ÿ]|'[A-Za-zÀ-ÿ]|[-+][A-Za-z0-9+]|[#\[]|\(\w)"


def read_choice(text: str, choices: Mapping[str, str], language: str = "en") -> Extraction:
    """The letter that an answer to a multiple-choice question names.

    Args:
        text: The whole answer.
        choices: Upper-case letter → wording of each choice. The wording is a way of naming its letter.
        language: ISO 639 code of the choices' language.
    """
    # The spelling of a choice, including its article, does not matter.
    texts = {letter: normalise(choice, language) for letter, choice in choices.items()}
    plain = prepare(text)
    if not plain:
        return Extraction()
    given = json_answer(plain)
    if given is None and (content := boxed(plain)) is not None:
        given = [content]
    if given is not None:
        return _agreed([_named(value, texts, language) for value in given])
    if (named := _named(plain, texts, language)).outcome is not ExtractionOutcome.NOTHING:
        return named
    corrected = since_correction(plain)
    if corrected != plain:
        reading = conclude(corrected, [*_statements(corrected, texts), *_bare(corrected, texts)])
        if reading.value is not None or _mentions(corrected, texts):
            return reading if reading.value is not None else AMBIGUOUS
    return conclude(plain, list(_statements(plain, texts)))


def _agreed(readings: list[Extraction]) -> Extraction:
    """The only answer; a list of several gives none."""
    if len(readings) == 1:
        return readings[0]
    return AMBIGUOUS if any(one.outcome is not ExtractionOutcome.NOTHING for one in readings) else Extraction()


def _named(value: object, choices: Mapping[str, str], language: str) -> Extraction:
    """What a bare answer names: a letter, a choice's wording, or both."""
    if not isinstance(value, str):
        return Extraction()
    text = value.strip()
    if (alone := _patterns().alone.match(text)) and alone[1].upper() in choices:
        return Extraction(alone[1].upper(), ExtractionOutcome.READ)
    several = re.findall(r"[A-Z]", text) if _patterns().several.fullmatch(text) else []
    if len(set(several) & set(choices)) > 1:
        return AMBIGUOUS
    same = _letters_of(text, choices, language)
    if len(same) == 1:
        return Extraction(same.pop(), ExtractionOutcome.READ)
    if same:
        return AMBIGUOUS
    if "\n" not in text and (led := _patterns().leads.match(text)) and led[1].upper() in choices:
        # "A) forgets a stall: wrong." discusses a choice without choosing it.
        if _patterns().dismissed.match(text, led.end()) and not led[0].rstrip()[-1].isalpha():
            return Extraction()
        return _led_by(led[1].upper(), text[led.end() :], choices, language)
    return Extraction()


def _led_by(letter: str, rest: str, choices: Mapping[str, str], language: str) -> Extraction:
    if since_correction(rest) != rest:
        return Extraction()
    # "(A) … (B) … (C) …" repeats the question.
    if any(
        found[1] != letter and found[1] in choices
        for found in re.finditer(r"(?<![A-Za-z0-9])([A-Z])(?:[)\]:]|\.\s+\S)", rest)
    ):
        return AMBIGUOUS
    others = _letters_of(rest, choices, language)
    if others and letter not in others:
        return AMBIGUOUS
    found = list(_statements(rest, choices))
    contradicted = any(one.value != letter for one in found)
    also = _also(choices).match(rest.lstrip(" )]*_`"))
    return AMBIGUOUS if contradicted or also else Extraction(letter, ExtractionOutcome.READ)


def _letters_of(text: str, choices: Mapping[str, str], language: str) -> set[str]:
    wanted = normalise(text, language)
    return {letter for letter, choice in choices.items() if choice and choice == wanted}


def _statements(text: str, choices: Mapping[str, str]) -> Iterator[Statement]:
    for pattern in _patterns().says:
        for found in pattern.finditer(text):
            letter = found[1].upper()
            if letter not in choices or is_denied(text, found.start(), found.end()):
                continue
            concluding = concludes(text, found.start(), found.end())
            yield Statement(letter, found.start(1), concluding)
            rest = found.end()
            while also := _also(choices).match(text, rest):
                yield Statement(also[1], also.start(1), concluding)
                rest = also.end()
    yield from _lines(text, choices)


def _lines(text: str, choices: Mapping[str, str]) -> Iterator[Statement]:
    """Letters alone on the first or last line, or at the beginning."""
    lines = [(found.start(), found[0]) for found in re.finditer(r"[^\n]*\S[^\n]*", text)]
    if not lines:
        return
    for start, line in {lines[0], lines[-1]} | set(_below_heading(lines)):
        if (alone := _patterns().alone.match(line)) and alone[1].upper() in choices:
            yield Statement(alone[1].upper(), start)
    leads = {
        led[1].upper(): start
        for start, line in lines
        if (led := _patterns().leads.match(line))
        and led[1].upper() in choices
        and not _patterns().dismissed.match(line, led.end())
    }
    # Several lines that begin with a letter are the choices, discussed one by one.
    opening = [start for start in leads.values() if start in (lines[0][0], *(at for at, _ in _below_heading(lines)))]
    if len(leads) == 1 and opening:
        yield Statement(next(iter(leads)), opening[0])


def _below_heading(lines: list[tuple[int, str]]) -> list[tuple[int, str]]:
    return lines[1:2] if re.fullmatch(r"\s*#+\s*\S.*", lines[0][1]) else []


def _bare(text: str, choices: Mapping[str, str]) -> Iterator[Statement]:
    """The letter right after a correction: "no wait, C"."""
    found = _patterns().corrected.match(text)
    if found and found[1] in choices:
        yield Statement(found[1], found.start(1))


def _mentions(text: str, choices: Mapping[str, str]) -> bool:
    return any(letter in choices for letter in re.findall(r"(?<![A-Za-z0-9])[A-Z](?![A-Za-z0-9])", text))


@dataclass(frozen=True, eq=False)
class _Patterns:
    says: tuple[re.Pattern[str], ...]
    corrected: re.Pattern[str]
    """The letter right after a correction."""
    alone: re.Pattern[str]
    """A letter that is the whole text or line."""
    several: re.Pattern[str]
    """Letters that are the whole text."""
    leads: re.Pattern[str]
    """A letter that begins the answer or a line."""
    dismissed: re.Pattern[str]
    """What rejects the choice that it follows."""
    option: str
    also: str
    own_sentence: str


def _patterns() -> _Patterns:
    return _compile(languages.LANGUAGES)


# Compiled at first use: a language server that opens a design never needs them.
@cache
def _compile(known: tuple[AnswerLanguage, ...]) -> _Patterns:
    stands_for = _placeholders(known)
    says = [fill(pattern, **stands_for) for one in known for pattern in one.choices.says]
    corrected = fill(r"[\s,.:;!—–-]{0,5}<CAPITAL><STOP>", **stands_for)
    label = joined(known, lambda one: one.choices.label)
    letter = r"[(\[*_`\"'<]{0,3}[A-Z][)\]*_`\"'>]{0,3}"
    join = rf"\s*(?:,|/|&|\+|;|、|{joined(known, lambda one: one.choices.joins)}|\s)?\s*"
    because = joined(known, lambda one: one.choices.because_first)
    dismissed = joined(known, lambda one: one.choices.dismissal)
    later = joined(known, lambda one: one.choices.dismissal_later)
    return _Patterns(
        says=tuple(re.compile(pattern, re.IGNORECASE | re.MULTILINE) for pattern in says),
        corrected=re.compile(corrected),
        alone=re.compile(
            rf"^[\s>#*_`(\[\"'<-]{{0,8}}(?:(?:{label})\s*(?:[:=]|[-–—]\s)?)?{_OPEN}([A-Za-z])"
            r"[\s*_`)\]}.,:;!\"'>。$-]{0,10}$",
            re.IGNORECASE,
        ),
        several=re.compile(
            rf"(?i:{joined(known, lambda one: one.choices.either)})?\s*{letter}(?:{join}{letter}){{1,8}}[.!?。]?"
        ),
        leads=re.compile(
            r"^[\s>#*_`]{0,6}[(\[]?([A-Za-z])"
            rf"(?:[)\]*_`]{{0,3}}[).:\]、。][)*_`]{{0,3}}|\s+[-–—](?=\s)|(?:{because}))"
        ),
        dismissed=re.compile(rf"\s*(?:{dismissed})|[^;!?。；！？]{{0,80}}?(?:{later})", re.IGNORECASE),
        option=any_of(noun for one in known for noun in one.choices.option_nouns),
        also=joined(known, lambda one: one.choices.also),
        own_sentence=joined(known, lambda one: one.choices.own_sentence),
    )


def _placeholders(known: tuple[AnswerLanguage, ...]) -> dict[str, str]:
    verbs = joined(known, lambda one: one.choices.predicates)
    others = joined(known, lambda one: one.choices.adverbials)
    # "A" before a word is an article, and C before one may be the language of a program.
    no_article = rf"(?-i:(?!(?:[Aa]|[Ii])[ \t]+(?!(?:{verbs})\b)[a-zà-ÿ]))"
    no_noun = rf"(?-i:(?![ \t]+(?!(?:{any_of((verbs, others))})\b)[a-zà-ÿ]))"
    first = rf"(?<![A-Za-z0-9À-ÿ]){no_article}((?-i:[A-Z])){_END}{no_noun}{_CLOSE}"
    because = joined(known, lambda one: one.choices.because)
    return {
        "LETTER": rf"{_OPEN}(?<![A-Za-z0-9À-ÿ]){no_article}([A-Za-z]){_END}{no_noun}{_CLOSE}",
        "CAPITAL": _OPEN + first,
        "FIRST": first,
        "STOP": rf"(?=[\s*_`)\]\"']{{0,4}}(?:[.,;!:\n—–。，；！]|$|-\s|{because}))",
    }


def _also(choices: Mapping[str, str]) -> re.Pattern[str]:
    return _compile_also("".join(sorted(choices)), _patterns())


@cache
def _compile_also(letters: str, patterns: _Patterns) -> re.Pattern[str]:
    join = rf"\s*(?:{patterns.also}|,|/|&|\+|、)\s*"
    option = rf"(?:(?:{patterns.option})\s+)?"
    return re.compile(rf"{join}{option}{_OPEN}([{letters}]){_END}{_CLOSE}(?!{patterns.own_sentence})")
