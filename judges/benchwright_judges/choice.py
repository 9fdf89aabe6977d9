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
_STATED = re.compile(
    r"\b(?:final\s+answer|answer|choice|option)\b(?:\s+(?:is|would\s+be|should\s+be))?\s*[:=]?\s*"
    r"[(\[*_`\"']*([A-Z]|true|false)\b[)\]*_`\"']*(?:\s*(?:,|/|\bor\b|\band\b)\s*[(\[*_`\"']*([A-Z]|true|false)\b)?",
    re.IGNORECASE,
)
# "A" before a word is an article and "I" a pronoun: in prose they name no choice.
_LETTER = re.compile(r"\b(?!I\s+[a-z])(?!A\s+(?!(?:and|or|is|because|since|as)\b)[a-z])[A-Z]\b")
_BOXED = re.compile(r"\\boxed\{\s*(?:\\text\{)?\s*([A-Z]|true|false)\s*\}", re.IGNORECASE)
_ALONE = re.compile(r"^[\s>#*_`(\[\"']*([A-Z]|true|false)[\s*_`)\].,:;!\"']*$", re.IGNORECASE)
_LED = re.compile(r"^[\s>#*_`]*\(?([A-Z])[).:]\s", re.IGNORECASE)


def read_choice(text: str, letters: Collection[str]) -> str | None:
    """The letter that an answer to a multiple-choice question names.

    Args:
        text: The whole answer.
        letters: The question's letters, upper case.
    """
    for found in _candidates(text):
        named = {letter.upper() for letter in found} & set(letters)
        if named:
            return named.pop() if len(named) == 1 else None
    capitals = {word for word in _LETTER.findall(text) if word in letters}
    return capitals.pop() if len(capitals) == 1 else None


def read_truth(text: str) -> bool | None:
    """What an answer to an assertion question says."""
    for found in _candidates(text):
        said = {value for word in found if (value := _truth(word)) is not None}
        if said:
            return said.pop() if len(said) == 1 else None
    if re.search(r"\b(?:not|isn't|neither|n't)\b", text, re.IGNORECASE):
        return None
    words = {value for word in re.findall(r"[a-z]+", text.lower()) if (value := _truth(word)) is not None}
    return words.pop() if len(words) == 1 and len(text.split()) <= 3 else None


def _candidates(text: str) -> list[list[str]]:
    """What the text may name, the most deliberate way of saying it first."""
    lines = [line for line in text.strip().splitlines() if line.strip()]
    ways = [_from_json(text), _BOXED.findall(text)[-1:]]
    if len(lines) == 1 and (alone := _ALONE.match(lines[0])):
        ways.append([alone[1]])
    ways.append([word for pair in _STATED.findall(text) for word in pair if word])
    for line in (lines[:1], lines[-1:]):
        if line and (match := _ALONE.match(line[0]) or (_LED.match(line[0]) if len(lines) == 1 else None)):
            ways.append([match[1]])
    return [way for way in ways if way]


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
