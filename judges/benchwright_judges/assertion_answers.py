"""Extracting true or false from free text, in English, French, German and Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterator
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

_OPEN, _CLOSE = r"[\s(\[{*_`\"'“‘「【<$:]{0,8}(?:\\\w{1,12}\{){0,2}", r"[)\]}*_`\"'”’」】>$]{0,8}"
_AROUND = " \t\r\n>#*_`([\"'-"


def read_truth(text: str) -> Extraction:
    """The answer to an assertion question: `true`, `false`, or nothing that can be read."""
    plain = prepare(text)
    if not plain:
        return Extraction()
    given = json_answer(plain)
    if given is None and (content := boxed(plain)) is not None:
        given = [content]
    if given is not None:
        found = {_alone(value) for value in given}
        return _reading(found.pop()) if len(found) == 1 else AMBIGUOUS
    if (value := _alone(plain)) is not None:
        return _reading(value)
    corrected = since_correction(plain)
    if corrected != plain:
        said = list(_statements(corrected))
        if said or _patterns().value.search(corrected):
            reading = conclude(corrected, said)
            value = _alone(corrected.strip(" ,.:;!—–-\n"))
            return _reading(value) if value is not None else _or_ambiguous(reading)
    both = _patterns().either.search(plain)
    if both and _truth(both[1]) is not _truth(both[2]):
        return AMBIGUOUS
    return conclude(plain, list(_statements(plain)))


def _or_ambiguous(reading: Extraction) -> Extraction:
    return reading if reading.value is not None else AMBIGUOUS


def _reading(value: bool | None) -> Extraction:
    return Extraction() if value is None else Extraction(str(value).lower(), ExtractionOutcome.READ)


def _truth(word: str) -> bool | None:
    plain = word.casefold()
    return True if plain in _patterns().true else False if plain in _patterns().false else None


def _alone(value: object) -> bool | None:
    """The value of an answer that is nothing but a verdict."""
    if isinstance(value, bool):
        return value
    if not isinstance(value, str) or len(value) > 200:
        return None
    plain = re.sub(r"\\\w+\s*\{([^{}]*)\}", r"\1", value).strip(_AROUND)
    plain = _patterns().label.sub("", plain)
    plain = plain.strip(f"{_AROUND})].,:;!。")
    negated = _patterns().negated.fullmatch(plain)
    if negated and _truth(negated[1]) is True:
        return False
    for language in languages.LANGUAGES:
        plain = plain.removesuffix(language.true_false.value_suffix)
    return _truth(plain)


def _statements(text: str) -> Iterator[Statement]:
    for pattern in _patterns().says:
        for found in pattern.finditer(text):
            said = _said(found)
            if said is None or is_denied(text, found.start(), found.end()):
                continue
            yield Statement(str(said).lower(), found.start(), concludes(text, found.start(), found.end()))
    lines = [(found.start(), found[0]) for found in re.finditer(r"[^\n]*\S[^\n]*", text)]
    below = lines[1:2] if lines and re.fullmatch(r"\s*#+\s*\S.*", lines[0][1]) else []
    for start, line in {*lines[:1], *lines[-1:], *below}:
        if (value := _alone(line)) is not None:
            yield Statement(str(value).lower(), start)
    start, line = (below or lines)[0] if lines else (0, "")
    if led := _patterns().leads.match(line):
        yield Statement(str(_truth(led[1])).lower(), start)
        if (other := _alone(line[led.end() :])) is not None:
            yield Statement(str(other).lower(), start)


def _said(found: re.Match[str]) -> bool | None:
    groups = found.groupdict()
    value = True if groups.get("true") else next(_truth(word) for word in found.groups() if word and _is_value(word))
    denied = bool(groups.get("not") or groups.get("not_before"))
    # "Not true" is false; what is not false may be anything.
    return value if not denied else False if value else None


def _is_value(word: str) -> bool:
    return _truth(word) is not None


@dataclass(frozen=True, eq=False)
class _Patterns:
    true: frozenset[str]
    false: frozenset[str]
    value: re.Pattern[str]
    """A word for true or false, anywhere."""
    either: re.Pattern[str]
    """Two of them named together."""
    label: re.Pattern[str]
    negated: re.Pattern[str]
    """A negation and a word that are a whole answer."""
    says: tuple[re.Pattern[str], ...]
    leads: re.Pattern[str]
    """A value that begins an answer."""


def _patterns() -> _Patterns:
    return _compile(languages.LANGUAGES)


# Compiled at first use: a language server that opens a design never needs them.
@cache
def _compile(known: tuple[AnswerLanguage, ...]) -> _Patterns:
    value = joined(known, _value)
    bounded = rf"(?<![A-Za-zÀ-ÿ])({value})"
    negations = any_of(word for one in known for word in one.true_false.negations)
    clauses = joined(known, lambda one: one.true_false.clause_starts)
    stands_for = {
        "VALUE": rf"{_OPEN}{bounded}{_CLOSE}",
        "NOT": rf"(?:(?P<not>{negations})\s*)?",
        # "No other cache", "the right half", "not correct": part of a sentence, not its verdict.
        "STOP": rf"(?=\s*(?:[.,;:!\n。，；！)—–]|$|-\s|(?:{clauses})\b|[^\x00-\u2e7f]))",
    }
    alone = any_of(word for one in known for word in one.true_false.negations_alone)
    because = joined(known, lambda one: one.true_false.because)
    return _Patterns(
        true=frozenset(word for one in known for word in (*one.true_false.true, *one.true_false.true_alone)),
        false=frozenset(word for one in known for word in (*one.true_false.false, *one.true_false.false_alone)),
        value=_insensitive(bounded),
        either=_insensitive(rf"{bounded}\s*(?:,|/|{joined(known, lambda one: one.true_false.either)})\s*({value})"),
        label=_insensitive(rf"\A(?:{joined(known, lambda one: one.true_false.label)})\s*:?\s*"),
        negated=_insensitive(rf"(?:{alone})\s+(\w+)"),
        says=tuple(_insensitive(fill(pattern, **stands_for)) for one in known for pattern in one.true_false.says),
        leads=_insensitive(rf"^[\s>#*_`(]{{0,6}}({value})[)*_`]{{0,4}}\s*(?:[.,:;!。，；：！]|[-–—]\s|{because})"),
    )


def _value(language: AnswerLanguage) -> str:
    """Every word for true and false; the longest first, as where no spaces separate words one may begin another."""
    words = sorted((*language.true_false.true, *language.true_false.false), key=len, reverse=True)
    return any_of(words) if language.unspaced else rf"(?:{any_of(words)})(?![\w'-])"


def _insensitive(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.MULTILINE)
