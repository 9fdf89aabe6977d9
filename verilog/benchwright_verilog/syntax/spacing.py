"""The smallest edits between two versions that differ only in white space."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_WORD = re.compile(r"[^ \t\n\r\f\v]+")
_LINE_END = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True)
class SpacingChange:
    """White space from one code point to another that becomes other white space."""

    start: int
    end: int
    text: str


def has_same_words(old_text: str, new_text: str) -> bool:
    """True if two versions differ at most in white space."""
    return "".join(_WORD.findall(old_text)) == "".join(_WORD.findall(new_text))


def spacing_changes(old_text: str, new_text: str) -> Iterator[SpacingChange]:
    """Changes that make one text of another with the same words; nothing but white space is touched.

    Line ends are those of the old text. Form feeds stay.
    """
    end_of_line = _first_line_end_or_lf(old_text)
    for start, end, text in _changed_spaces(old_text, new_text):
        gap = old_text[start:end]
        if "\f" not in gap and "\v" not in gap and _LINE_END.sub("\n", gap) != text:
            yield SpacingChange(start, end, text.replace("\n", end_of_line))


def _changed_spaces(old_text: str, new_text: str) -> Iterator[tuple[int, int, str]]:
    """White space in two versions with the same words: its range in the old one, its characters in the new one."""
    old_words, new_words = _WORD.finditer(old_text), _WORD.finditer(new_text)
    old_at = new_at = old_gap = new_gap = old_end = new_end = 0
    while True:
        if old_at == old_end:
            match = next(old_words, None)
            old_gap, (old_at, old_end) = old_end, match.span() if match else (len(old_text), len(old_text))
        else:
            old_gap = old_at
        if new_at == new_end:
            match = next(new_words, None)
            new_gap, (new_at, new_end) = new_end, match.span() if match else (len(new_text), len(new_text))
        else:
            new_gap = new_at
        if old_gap != old_at or new_gap != new_at:
            yield old_gap, old_at, new_text[new_gap:new_at]
        # As far as both continue without a gap.
        step = min(old_end - old_at, new_end - new_at)
        if step == 0:
            return
        old_at += step
        new_at += step


def _first_line_end_or_lf(text: str) -> str:
    match = _LINE_END.search(text)
    return match[0] if match else "\n"
