"""Which changes turn one text into another: line by line, then without what both ends of a change share."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from benchwright_attempts.events.file_text import Change

_MOST_LINES = 2000
"""Of the part that differs; a longer one is one change. The time grows with the square of it."""


def changes(old: str, new: str) -> tuple[Change, ...]:
    """Changes in the order in which they are applied: from the last place in the text to the first."""
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    start, end = _shared(before, after)
    one, other = before[start : len(before) - end], after[start : len(after) - end]
    if max(len(one), len(other)) > _MOST_LINES:
        spans = [(0, len(one), 0, len(other))]
    else:
        blocks = difflib.SequenceMatcher(None, one, other).get_opcodes()
        spans = [span for kind, *span in blocks if kind != "equal"]  # type: ignore[misc]
    offsets = [sum(map(len, before[:start]))]
    for line in one:
        offsets.append(offsets[-1] + len(line))
    found = [_change(offsets[a], "".join(one[a:b]), "".join(other[c:d])) for a, b, c, d in spans]
    return tuple(reversed(found))


def _shared(one: Sequence[str], other: Sequence[str]) -> tuple[int, int]:
    """How much two sequences have in common at the beginning, and at the end of the rest."""
    most = min(len(one), len(other))
    start = next((place for place in range(most) if one[place] != other[place]), most)
    rest = most - start
    end = next((place for place in range(rest) if one[-1 - place] != other[-1 - place]), rest)
    return start, end


def _change(place: int, old: str, new: str) -> Change:
    start, end = _shared(old, new)
    return Change(start=place + start, end=place + len(old) - end, text=new[start : len(new) - end])
