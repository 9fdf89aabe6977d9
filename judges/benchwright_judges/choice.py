r"""Reading a choice out of free text: a letter, or true/false.

People write `B`, `(b)`, `**B**` or "The answer is (C)."; models also write JSON and `\boxed{C}`.
A text that names two different choices, or none, gives `None`: it is never guessed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection

_TRUE = {"true", "t", "yes", "correct", "right"}
_FALSE = {"false", "f", "no", "incorrect", "wrong"}
# "A" before a word is an article and "I" a pronoun: in prose they name no choice.
_NO_WORD = r"(?!(?:[Aa]|[Ii])\s+(?!(?:and|or|is|because|since|as)\b)[a-z])"
_OPEN, _CLOSE = r"[(\[*_`\"']*", r"[)\]*_`\"']*"
_IS = r"(?:\s+(?:is|would\s+be|should\s+be))?[*_`]*\s*[:=]?\s*"
_OR = r"\s*(?:,|/|\bor\b|\band\b)\s*"


def _stated(subjects: str, value: str) -> re.Pattern[str]:
    """A sentence that says what the answer is, perhaps two things."""
    value = f"{_OPEN}({value})\\b{_CLOSE}"
    return re.compile(rf"\b(?i:{subjects})\b{_IS}{value}(?:{_OR}{value})?")


_STATED = _stated(r"final\s+answer|answer|choice|option", f"{_NO_WORD}[A-Za-z]|(?i:true|false)")
_STATED_TRUTH = _stated(
    r"final\s+answer|answer|statement|assertion|claim",
    r"(?i:true|false|yes|no(?!\s+\w)|correct|incorrect|right|wrong)",
)
_LED_TRUTH = re.compile(r"^[\s>#*_`(]*(true|false)\b[)*_`]*\s*[,.:;](?!\s*(?:true|false)\b)", re.IGNORECASE)
_LETTER = re.compile(rf"\b{_NO_WORD}[A-Z]\b")
_NEGATED = re.compile(
    r"(?:\bnot|n['\u2019]t|\bnever|\bexcept|\b(?:anything|all) but)(?:\W+\w+){0,2}\W+$", re.IGNORECASE
)
_BOXED = re.compile(r"\\boxed\{\s*(?:\\text\{)?\s*([A-Z]|true|false)\s*\}", re.IGNORECASE)
_ALONE = re.compile(r"^[\s>#*_`(\[\"']*([A-Z]|true|false)[\s*_`)\].,:;!\"']*$", re.IGNORECASE)
_LED = re.compile(r"^[\s>#*_`]*\(?([A-Z])[).:]\s", re.IGNORECASE)


def read_choice(text: str, letters: Collection[str]) -> str | None:
    """The letter that an answer to a multiple-choice question names.

    Args:
        text: The whole answer.
        letters: The question's letters, upper case.
    """
    for found in _candidates(text, _STATED):
        named = {letter.upper() for letter in found} & set(letters)
        if named:
            return named.pop() if len(named) == 1 else None
    capitals = [found for found in _LETTER.finditer(text) if found[0] in letters]
    if len({found[0] for found in capitals}) != 1 or any(_is_negated(text, found.start()) for found in capitals):
        return None
    return capitals[0][0]


def read_truth(text: str) -> bool | None:
    """What an answer to an assertion question says."""
    for found in _candidates(text, _STATED_TRUTH):
        said = {value for word in found if (value := _truth(word)) is not None}
        if said:
            return said.pop() if len(said) == 1 else None
    if led := _LED_TRUTH.match(text):
        return _truth(led[1])
    if re.search(r"\b(?:not|isn't|neither|n't)\b", text, re.IGNORECASE):
        return None
    words = {value for word in re.findall(r"[a-z]+", text.lower()) if (value := _truth(word)) is not None}
    return words.pop() if len(words) == 1 and len(text.split()) <= 3 else None


def _candidates(text: str, stated: re.Pattern[str]) -> list[list[str]]:
    """What the text may name, the most deliberate way of saying it first."""
    lines = [line for line in text.strip().splitlines() if line.strip()]
    ways = [_from_json(text), _BOXED.findall(text)[-1:]]
    if len(lines) == 1 and (alone := _ALONE.match(lines[0])):
        ways.append([alone[1]])
    ways.append([word for pair in stated.findall(text) for word in pair if word])
    # The first line and the last: where both say something, they have to agree.
    ways.append([match[1] for line in (*lines[:1], *lines[-1:]) if (match := _ALONE.match(line))])
    if len(lines) == 1 and (led := _LED.match(lines[0])):
        ways.append([led[1]])
    return [way for way in ways if way]


def _is_negated(text: str, position: int) -> bool:
    return _NEGATED.search(text[max(0, position - 60) : position]) is not None


def _from_json(text: str) -> list[str]:
    for found in reversed(re.findall(r"\{[^{}]*\}", text)):
        try:
            value = json.loads(found)
        except ValueError:
            continue
        for key in ("final_answer", "answer"):
            if isinstance(value, dict) and key in value:
                answer = value[key]
                return [answer.strip()] if isinstance(answer, str) else [str(answer)]
    return []


def _truth(word: str) -> bool | None:
    lowered = word.lower()
    return True if lowered in _TRUE else False if lowered in _FALSE else None
