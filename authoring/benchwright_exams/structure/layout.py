"""Words of a page as lines in the order in which they are read, with what is drawn in its place."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from benchwright_exams.reading.page import Box, Drawing, DrawingKind, ReadPage, Word
from benchwright_exams.structure.doubts import is_doubtful
from benchwright_judges.models.prompt import visible

_LABEL_CHARACTERS = 14
_LABEL_POINTS = 22.0
_GUTTER_POINTS = 11.0
_EDGE_POINTS = 4.0
_MIDDLE = (0.35, 0.65)
_CROSSING = 0.25
_LEAST_LINES = 4
_WIDE_GAP = 2.0
"""In sizes of letters, between words that are no phrase: a mark at the right edge, a column of a table."""
_INK_GAP = 0.3
"""Of a letter's place, that ink leaves free on both sides together."""
_MOST_SPACES = 100


@dataclass(frozen=True)
class Piece:
    """A line of text, or something drawn, as one thing to account for."""

    page: int
    box: Box
    text: str = ""
    """Of a line; wide gaps are tabs. Of a drawing, the words inside."""
    size: float = 0.0
    """Of its letters, in points."""
    listing: bool = False
    """True if it is a line of a listing."""
    drawing: DrawingKind | None = None
    doubtful: tuple[str, ...] = ()
    """Words that may have been recognised wrongly."""

    @property
    def is_picture(self) -> bool:
        """True if it is a figure or a table."""
        return self.drawing in (DrawingKind.FIGURE, DrawingKind.TABLE)


def pieces_of(page: ReadPage) -> list[Piece]:
    """Everything that a page shows, in reading order."""
    pictures, loose = _with_labels(
        [drawing for drawing in page.drawings if drawing.kind is not DrawingKind.RULE], page.words
    )
    words = [word for word in loose if not any(_inside(picture.box, word) for picture in pictures)]
    text = set(words)
    drawn = [
        Piece(
            page.number,
            picture.box,
            _joined(sorted(inside, key=lambda word: (round(word.box.bottom / 6), word.box.left))),
            drawing=picture.kind,
        )
        for picture in pictures
        for inside in [[word for word in page.words if word not in text and picture.box.has_centre_of(word.box)]]
    ]
    rules = [
        Piece(page.number, drawing.box, drawing=drawing.kind)
        for drawing in page.drawings
        if drawing.kind is DrawingKind.RULE
    ]
    gutter = _gutter(words, page.width)
    lines = _lines(page.number, words, gutter)
    return _in_order([*lines, *drawn, *rules], gutter)


def _inside(drawing: Box, word: Word) -> bool:
    """True if a word is well inside something drawn: a line of text may touch its edge."""
    return drawing.grown(0, -_EDGE_POINTS).has_centre_of(word.box)


def _joined(words: Sequence[Word]) -> str:
    return visible(" ".join(word.text for word in words))


def _with_labels(pictures: Sequence[Drawing], words: Sequence[Word]) -> tuple[list[Drawing], list[Word]]:
    """Figures grown by the short labels beside them, and the words that are no labels."""
    labels: list[Word] = []
    grown = []
    for picture in pictures:
        box = picture.box
        label_area = picture.box.grown(_LABEL_POINTS, 2.0)
        for row in _rows(words) if picture.kind is DrawingKind.FIGURE else ():
            near_phrases = [phrase for phrase in _phrases(row) if label_area.meets(_box_around(phrase))]
            middle = (_box_around(row).top + _box_around(row).bottom) / 2
            is_label = all(len(_joined(phrase)) <= _LABEL_CHARACTERS for phrase in near_phrases)
            if near_phrases and is_label and picture.box.top <= middle <= picture.box.bottom:
                labels += [word for phrase in near_phrases for word in phrase]
                box = box.union(_box_around([word for phrase in near_phrases for word in phrase]))
        grown.append(picture.model_copy(update={"box": box}))
    return grown, [word for word in words if word not in labels]


def _rows(words: Sequence[Word]) -> list[list[Word]]:
    """Words that stand on one line across the page, from left to right."""
    rows: list[list[Word]] = []
    for word in sorted(words, key=lambda candidate: (candidate.box.top + candidate.box.bottom, candidate.box.left)):
        for row in reversed(rows[-4:]):
            last = _nearest(row, word)
            shared = min(last.box.bottom, word.box.bottom) - max(last.box.top, word.box.top)
            if shared > 0.45 * min(last.box.height, word.box.height):
                row.append(word)
                break
        else:
            rows.append([word])
    return [sorted(row, key=lambda member: member.box.left) for row in rows]


def _nearest(row: Sequence[Word], word: Word) -> Word:
    return min(row, key=lambda neighbour: max(neighbour.box.left - word.box.right, word.box.left - neighbour.box.right))


def _phrases(row: Sequence[Word]) -> list[list[Word]]:
    phrases: list[list[Word]] = []
    for word in row:
        if phrases and word.box.left - phrases[-1][-1].box.right <= _WIDE_GAP * max(word.size, 6.0):
            phrases[-1].append(word)
        else:
            phrases.append([word])
    return phrases


def _box_around(words: Sequence[Word]) -> Box:
    box = words[0].box
    for word in words[1:]:
        box = box.union(word.box)
    return box


def _gutter(words: Sequence[Word], width: float) -> tuple[float, float] | None:
    """The gap between two columns, from left to right; None if the page has one column."""
    rows = _rows(words)
    if len(rows) < _LEAST_LINES:
        return None
    best: tuple[float, float] | None = None
    first, last = (round(width * share) for share in _MIDDLE)
    free = [x for x in range(first, last) if _crossed(rows, x) <= _CROSSING * len(rows)]
    start = previous = None
    for x in [*free, -1]:
        if previous is not None and x == previous + 1:
            previous = x
            continue
        if start is not None and previous is not None and (best is None or previous - start > best[1] - best[0]):
            best = (float(start), float(previous))
        start = previous = x
    if best is None or best[1] - best[0] < _GUTTER_POINTS:
        return None
    left = [row for row in rows if any(word.box.right <= best[0] + 1 for word in row)]
    begins = [
        min(word.box.left for word in row if word.box.left >= best[1] - 1)
        for row in rows
        if any(word.box.left >= best[1] - 1 for word in row)
    ]
    if len(left) < _LEAST_LINES or len(begins) < _LEAST_LINES:
        return None
    # A column of text has a left edge; points at the ends of lines and options beside each other are few, or ragged.
    edge = statistics.mode(round(begin / 4) for begin in begins)
    flush = sum(abs(begin / 4 - edge) <= 1 for begin in begins)
    wide = statistics.median(
        sum(word.box.width for word in row if word.box.left >= best[1] - 1)
        for row in rows
        if row[-1].box.left >= best[1] - 1
    )
    return best if flush >= 0.5 * len(begins) and wide > 0.15 * width else None


def _crossed(rows: Sequence[Sequence[Word]], x: int) -> int:
    """The number of rows that have a word at this place, or a phrase around it."""
    return sum(
        any(_box_around(phrase).left < x < _box_around(phrase).right for phrase in _phrases(row)) for row in rows
    )


def _lines(page: int, words: Sequence[Word], gutter: tuple[float, float] | None) -> list[Piece]:
    lines = []
    for row in _rows(words):
        middle = sum(gutter) / 2 if gutter else 0.0
        spans = any(_box_around(phrase).left < middle < _box_around(phrase).right for phrase in _phrases(row))
        if gutter is None or spans:
            sides: list[list[Word]] = [list(row)]
        else:
            sides = [
                [word for word in row if word.box.right <= middle],
                [word for word in row if word.box.right > middle],
            ]
        for side in filter(None, sides):
            size = round(statistics.median(word.size for word in side), 1)
            listing = all(word.fixed for word in side)
            text = "\t".join(_joined(phrase) for phrase in _phrases(side)) if not listing else _spaced(side)
            doubtful = tuple(word.text for word in side if is_doubtful(word))
            lines.append(Piece(page, _box_around(side), text, size, listing, doubtful=doubtful))
    return lines


def _spaced(words: Sequence[Word]) -> str:
    """A line of a listing with its spaces; those at its start are seen from its place."""
    # A letter's ink is narrower than its place; where one space is between two words, they tell how wide that is.
    ink = statistics.median(word.box.width / len(word.text) for word in words)
    places = [(next_word.box.left - word.box.left) / (len(word.text) + 1) for word, next_word in pairwise(words)]
    width = max(ink, min(places, default=ink), 1.0)
    text = visible(words[0].text)
    for word, next_word in pairwise(words):
        spaces = round((next_word.box.left - word.box.right) / width - _INK_GAP)
        text += " " * max(1, min(spaces, _MOST_SPACES)) + visible(next_word.text)
    return text


def _in_order(pieces: Sequence[Piece], gutter: tuple[float, float] | None) -> list[Piece]:
    """From the top down; between pieces that span both columns, the left column first."""
    pieces_downward = sorted(pieces, key=lambda member: (member.box.top, member.box.left))
    if gutter is None:
        return pieces_downward
    middle = sum(gutter) / 2
    ordered: list[Piece] = []
    columns: tuple[list[Piece], list[Piece]] = ([], [])
    for piece in pieces_downward:
        if piece.box.left < middle - 3 and piece.box.right > middle + 3:
            ordered += [*columns[0], *columns[1], piece]
            columns = ([], [])
        else:
            columns[piece.box.left >= middle - 3].append(piece)
    return [*ordered, *columns[0], *columns[1]]
