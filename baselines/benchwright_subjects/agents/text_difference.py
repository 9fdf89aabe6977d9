"""Changes that turn one text into another: line by line, then without what both ends of a change share."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from benchwright_attempts.events.file_text import Change

_MOST_LINES = 2000
"""Of the part that differs; a longer one is one change. The time grows with the square of it."""


def text_changes(old_text: str, new_text: str) -> tuple[Change, ...]:
    """Changes in the order in which they are applied: from the last place in the text to the first."""
    old_lines, new_lines = old_text.splitlines(keepends=True), new_text.splitlines(keepends=True)
    start, end = _shared_start_and_end_lengths(old_lines, new_lines)
    old_middle, new_middle = old_lines[start : len(old_lines) - end], new_lines[start : len(new_lines) - end]
    if max(len(old_middle), len(new_middle)) > _MOST_LINES:
        spans = [(0, len(old_middle), 0, len(new_middle))]
    else:
        blocks = difflib.SequenceMatcher(None, old_middle, new_middle).get_opcodes()
        spans = [span for kind, *span in blocks if kind != "equal"]  # type: ignore[misc]
    offsets = [sum(map(len, old_lines[:start]))]
    for line in old_middle:
        offsets.append(offsets[-1] + len(line))
    text_changes = [
        _narrowest_change(offsets[a], "".join(old_middle[a:b]), "".join(new_middle[c:d])) for a, b, c, d in spans
    ]
    return tuple(reversed(text_changes))


def _shared_start_and_end_lengths(first_sequence: Sequence[str], second_sequence: Sequence[str]) -> tuple[int, int]:
    """Lengths that two sequences have in common at the beginning, and at the end of the rest."""
    longest = min(len(first_sequence), len(second_sequence))
    start = next((index for index in range(longest) if first_sequence[index] != second_sequence[index]), longest)
    remaining = longest - start
    end = next(
        (index for index in range(remaining) if first_sequence[-1 - index] != second_sequence[-1 - index]), remaining
    )
    return start, end


def _narrowest_change(offset: int, old_text: str, new_text: str) -> Change:
    start, end = _shared_start_and_end_lengths(old_text, new_text)
    return Change(start=offset + start, end=offset + len(old_text) - end, text=new_text[start : len(new_text) - end])
