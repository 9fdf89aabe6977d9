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
    TURN = "turn"
    READ = "read"
    CALLED = "called"
    EDITED = "edited"
    RAN = "ran"
    OTHER = "other"


@dataclass(frozen=True)
class ExcerptLine:
    """A line of an excerpt."""

    text: str
    mark: str = " "
    """`+` if it was added, `-` if it was removed, `~` if it stands for lines that are left out."""


@dataclass(frozen=True)
class StepExcerpt:
    """A part of a file or of an offer, as a step shows it."""

    caption: str
    lines: Sequence[ExcerptLine]


@dataclass(frozen=True)
class TraceStep:
    """One thing that happened."""

    kind: StepKind
    title: str
    at_s: float | None = None
    """Seconds since the opening, if they are known."""
    fact_texts: Mapping[str, str] = field(default_factory=dict)
    excerpts: Sequence[StepExcerpt] = ()
    is_end: bool = True
    """False if the step only begins something whose end is a step of its own."""


@dataclass(frozen=True)
class TracePart:
    """Steps that follow each other: an attempt, or a site with a policy."""

    title: str
    steps: Sequence[TraceStep]


@dataclass(frozen=True)
class AttemptTrace:
    """All of a page."""

    title: str
    fact_texts: Mapping[str, str]
    trace_parts: Sequence[TracePart]


def whole_excerpt(caption: str, text: str) -> StepExcerpt:
    """All of it."""
    return StepExcerpt(caption, [ExcerptLine(line) for line in _editor_lines(text)])


def change_excerpt(caption: str, old_text: str, new_text: str) -> StepExcerpt:
    """Differences between two versions of a file, with some lines around."""
    old_lines, new_lines = _editor_lines(old_text), _editor_lines(new_text)
    shorter, start = min(len(old_lines), len(new_lines)), 0
    while start < shorter and old_lines[start] == new_lines[start]:
        start += 1
    end = 0
    while end < shorter - start and old_lines[-1 - end] == new_lines[-1 - end]:
        end += 1
    first_shown = max(0, start - _CONTEXT)
    lines_before = [ExcerptLine(line) for line in old_lines[first_shown:start]]
    lines_after = [ExcerptLine(line) for line in old_lines[len(old_lines) - end : len(old_lines) - end + _CONTEXT]]
    middle = _compared_lines(old_lines[start : len(old_lines) - end], new_lines[start : len(new_lines) - end])
    omission = [ExcerptLine(_omission_text(first_shown), "~")] if first_shown else []
    omitted_count = end - len(lines_after)
    return StepExcerpt(
        caption,
        [
            *omission,
            *lines_before,
            *middle,
            *lines_after,
            *([ExcerptLine(_omission_text(omitted_count), "~")] if omitted_count else []),
        ],
    )


def _compared_lines(old_lines: Sequence[str], new_lines: Sequence[str]) -> list[ExcerptLine]:
    if len(old_lines) + len(new_lines) > _MOST_COMPARED:
        return [*(ExcerptLine(line, "-") for line in old_lines), *(ExcerptLine(line, "+") for line in new_lines)]
    compared_lines = []
    for tag, old_start, old_end, new_start, new_end in difflib.SequenceMatcher(
        None, old_lines, new_lines, autojunk=False
    ).get_opcodes():
        if tag == "equal":
            compared_lines += [ExcerptLine(line) for line in old_lines[old_start:old_end]]
        else:
            compared_lines += [
                *(ExcerptLine(line, "-") for line in old_lines[old_start:old_end]),
                *(ExcerptLine(line, "+") for line in new_lines[new_start:new_end]),
            ]
    return compared_lines


def _omission_text(omitted_line_count: int) -> str:
    return f"{omitted_line_count:,} line{'' if omitted_line_count == 1 else 's'} not shown"


def _editor_lines(text: str) -> list[str]:
    # Not `splitlines`, which also splits at characters that an editor shows within a line.
    lines = text.replace("\r\n", "\n").split("\n")
    return lines[:-1] if lines[-1] == "" else lines
