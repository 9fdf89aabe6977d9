"""Parts of a trace: steps, each with facts and excerpts of files and offers."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

_CONTEXT = 3
"""Lines shown around a change."""
_MOST_COMPARED = 2000
"""Lines of a change up to which it is compared line by line; a longer one is shown as removed and added."""


class StepKind(StrEnum):
    """Kind of a step, for finding it."""

    ASKED = "asked"
    SHOWN = "shown"
    ACCEPTED = "accepted"
    REFUSED = "refused"
    EDITED = "edited"
    RAN = "ran"
    OTHER = "other"


@dataclass(frozen=True)
class Line:
    """A line of an excerpt."""

    text: str
    mark: str = " "
    """`+` if it was added, `-` if it was removed, `~` if it stands for lines that are left out."""


@dataclass(frozen=True)
class Excerpt:
    """A part of a file or of an offer, as a step shows it."""

    caption: str
    lines: Sequence[Line]


@dataclass(frozen=True)
class TraceStep:
    """One thing that happened."""

    kind: StepKind
    title: str
    at_s: float | None = None
    """Seconds since the opening, if they are known."""
    facts: Mapping[str, str] = field(default_factory=dict)
    excerpts: Sequence[Excerpt] = ()


@dataclass(frozen=True)
class TracePart:
    """Steps that follow each other: an attempt, or a site with a policy."""

    title: str
    steps: Sequence[TraceStep]


@dataclass(frozen=True)
class Trace:
    """All of a page."""

    title: str
    facts: Mapping[str, str]
    parts: Sequence[TracePart]


def whole(caption: str, text: str) -> Excerpt:
    """All of it."""
    return Excerpt(caption, [Line(line) for line in _lines(text)])


def change(caption: str, old_text: str, new_text: str) -> Excerpt:
    """Differences between two versions of a file, with some lines around."""
    old, new = _lines(old_text), _lines(new_text)
    shorter, start = min(len(old), len(new)), 0
    while start < shorter and old[start] == new[start]:
        start += 1
    end = 0
    while end < shorter - start and old[-1 - end] == new[-1 - end]:
        end += 1
    first = max(0, start - _CONTEXT)
    lines_before = [Line(line) for line in old[first:start]]
    lines_after = [Line(line) for line in old[len(old) - end : len(old) - end + _CONTEXT]]
    middle = _compared(old[start : len(old) - end], new[start : len(new) - end])
    omission = [Line(_left_out(first), "~")] if first else []
    left = end - len(lines_after)
    return Excerpt(
        caption, [*omission, *lines_before, *middle, *lines_after, *([Line(_left_out(left), "~")] if left else [])]
    )


def _compared(old: Sequence[str], new: Sequence[str]) -> list[Line]:
    if len(old) + len(new) > _MOST_COMPARED:
        return [*(Line(line, "-") for line in old), *(Line(line, "+") for line in new)]
    compared_lines = []
    for tag, first, last, begin, end in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            compared_lines += [Line(line) for line in old[first:last]]
        else:
            compared_lines += [
                *(Line(line, "-") for line in old[first:last]),
                *(Line(line, "+") for line in new[begin:end]),
            ]
    return compared_lines


def _left_out(count: int) -> str:
    return f"{count:,} line{'' if count == 1 else 's'} not shown"


def _lines(text: str) -> list[str]:
    # Not `splitlines`, which also splits at characters that an editor shows within a line.
    lines = text.replace("\r\n", "\n").split("\n")
    return lines[:-1] if lines[-1] == "" else lines
