"""Roles of the words of a line, once it is known what it belongs to: text, choices, points."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from benchwright_exams.structure import numbering
from benchwright_exams.structure.ledger import Role, Segment

_TITLE_CHARACTERS = 80


@dataclass(frozen=True)
class Line:
    """A line after its label."""

    text: str
    """With its label."""
    begin: int
    """Offset at which the words after the label begin."""
    role: Role
    item: str
    choice: str = ""
    """The letter of the last choice before it; empty if there is none."""
    following: str = ""
    """The line that follows."""


def split_line(line: Line) -> Iterator[Segment]:
    """The segments of a line from `begin` on."""
    asks = line.role is Role.QUESTION
    letter = line.choice if asks else ""
    offset = line.begin
    title = "title" if numbering.headed(line.text) and _is_title(line.text[offset:]) else ""
    for begin, end, role, value in sorted(_cuts(line)) if asks else ():
        if begin > offset:
            yield _words(line, offset, begin, letter or title)
        yield Segment(role=role, start=begin, end=end, item=line.item, value=value)
        letter = value if role is Role.LABEL else letter
        offset = end
    if offset < len(line.text) or line.begin == len(line.text):
        yield _words(line, offset, len(line.text), letter or title)


def _cuts(line: Line) -> Iterator[tuple[int, int, Role, str]]:
    expected = chr(ord(line.choice) + 1) if line.choice else "A"
    for begin, start in numbering.choices(line.text[line.begin :], expected):
        yield line.begin + begin, line.begin + start.end, Role.LABEL, start.value
    broken = numbering.broken_points(line.text, line.following)
    for begin, start in (*numbering.points(line.text), *([broken] if broken else ())):
        if begin >= line.begin:
            yield begin, start.end, Role.POINTS, start.value


def last_choice(segments: Iterable[Segment]) -> str:
    """The letter of the last choice that begins in a line; empty if none does."""
    return ([segment.value for segment in segments if segment.role is Role.LABEL and segment.value] or [""])[-1]


def label_end(text: str) -> int:
    """The offset of the words of a line after all numbers and letters that it begins with: `1. (a) …`."""
    offset = 0
    while start := _label(text[offset:]):
        offset += start.end
    return offset


def _label(text: str) -> numbering.Start | None:
    decimal = numbering.decimal(text)
    start = numbering.headed(text) or (decimal and decimal[1]) or numbering.bare(text)
    return start or numbering.roman(text) or numbering.lettered(text)


def _words(line: Line, start: int, end: int, value: str) -> Segment:
    is_choice = line.role is Role.QUESTION and len(value) == 1
    role = Role.CHOICE if is_choice else line.role
    return Segment(role=role, start=start, end=end, item=line.item, value=value if line.role is Role.QUESTION else "")


def _is_title(text: str) -> bool:
    words = text.strip()
    return len(words) < _TITLE_CHARACTERS and not words.endswith(("?", ".", ":"))
