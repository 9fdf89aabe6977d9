"""Roles of the words of a line, once it is known what it belongs to: text, choices, points."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from benchwright_exams.structure import numbering
from benchwright_exams.structure.ledger import RegionRole, Segment

_TITLE_CHARACTERS = 80
_ENDS_OF_SENTENCES = ("?", ".", ":", "。")


@dataclass(frozen=True)
class LabelledLine:
    """A line after its label."""

    text: str
    """With its label."""
    words_start: int
    """Offset at which the words after the label begin."""
    role: RegionRole
    item_label: str
    choice: str = ""
    """The letter of the last choice before it; empty if there is none."""
    following_line: str = ""
    """The line that follows."""
    may_have_title: bool = True
    """True if headings of this exam's questions have titles."""
    is_broken: bool = False
    """True if it is so long that its sentence may go on in the line that follows."""
    choice_labels: tuple[tuple[int, numbering.LineLabel], ...] | None = None
    """Those of its choices with the offsets at which they begin; None if they have to be looked for."""


def segments_of_line(line: LabelledLine) -> Iterator[Segment]:
    """The segments of a line from `begin` on."""
    asks = line.role is RegionRole.QUESTION
    letter = line.choice if asks else ""
    offset = line.words_start
    title = "title" if line.may_have_title and has_title(line) else ""
    for cut_start, end, role, value in sorted(_labels_within_line(line)) if asks else ():
        if cut_start > offset:
            yield _words_segment(line, offset, cut_start, letter or title)
        yield Segment(role=role, start=cut_start, end=end, item=line.item_label, value=value)
        letter = value if role is RegionRole.LABEL else letter
        offset = end
    if offset < len(line.text) or line.words_start == len(line.text):
        yield _words_segment(line, offset, len(line.text), letter or title)


def _labels_within_line(line: LabelledLine) -> Iterator[tuple[int, int, RegionRole, str]]:
    if line.choice_labels is None:
        expected_letter = chr(ord(line.choice) + 1) if line.choice else "A"
        choice_labels = [
            (line.words_start + label_start, label._replace(end=line.words_start + label.end))
            for label_start, label in numbering.choice_offsets_and_labels(
                line.text[line.words_start :], expected_letter
            )
        ]
    else:
        choice_labels = [(start, label) for start, label in line.choice_labels if start >= line.words_start]
    for label_start, label in choice_labels:
        yield label_start, label.end, RegionRole.LABEL, label.value
    broken_points = numbering.broken_points_offset_and_label(line.text, line.following_line)
    for label_start, label in (
        *numbering.points_offsets_and_labels(line.text),
        *([broken_points] if broken_points else ()),
    ):
        if label_start >= line.words_start:
            yield label_start, label.end, RegionRole.POINTS, label.value


def last_choice_letter(segments: Iterable[Segment]) -> str:
    """The letter of the last choice that begins in a line; empty if none does."""
    return ([segment.value for segment in segments if segment.role is RegionRole.LABEL and segment.value] or [""])[-1]


def offset_after_labels(line_text: str) -> int:
    """The offset of the words of a line after all numbers and letters that it begins with: `1. (a) …`."""
    offset = 0
    while start := _leading_label(line_text[offset:]):
        offset += start.end
    return offset


def _leading_label(line_text: str) -> numbering.LineLabel | None:
    decimal = numbering.decimal_number(line_text)
    line_label = (
        numbering.number_after_heading_word(line_text)
        or (decimal and decimal[1])
        or numbering.number_without_heading_word(line_text)
    )
    return line_label or numbering.roman_part(line_text) or numbering.lettered_part(line_text)


def _words_segment(line: LabelledLine, start_offset: int, end_offset: int, segment_value: str) -> Segment:
    is_choice = line.role is RegionRole.QUESTION and len(segment_value) == 1
    role = RegionRole.CHOICE if is_choice else line.role
    return Segment(
        role=role,
        start=start_offset,
        end=end_offset,
        item=line.item_label,
        value=segment_value if line.role is RegionRole.QUESTION else "",
    )


def has_title(line: LabelledLine) -> bool:
    """True if what a heading says after its number is no sentence, and none goes on in the next line."""
    if numbering.number_after_heading_word(line.text) is None:
        return False
    points = [start for start, _ in numbering.points_offsets_and_labels(line.text) if start >= line.words_start]
    words = line.text[line.words_start : min(points, default=len(line.text))].strip()
    goes_on = line.is_broken or line.following_line[:1].islower()
    return (
        len(words) < _TITLE_CHARACTERS
        and not numbering.with_ascii_width_signs(words).endswith(_ENDS_OF_SENTENCES)
        and not goes_on
    )
