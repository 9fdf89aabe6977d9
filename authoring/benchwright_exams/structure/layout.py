"""Words of a page as lines in the order in which they are read, with what is drawn in its place."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

from benchwright_exams.reading.page import Box, Drawing, DrawingKind, PageWord, ReadPage
from benchwright_exams.structure.columns import PageColumn, page_columns
from benchwright_exams.structure.doubts import is_doubtful
from benchwright_exams.structure.label_sequence import label_order_score
from benchwright_exams.structure.word_rows import box_around, phrases_of_row, word_rows
from benchwright_judges.models.prompt import escape_hidden_characters

_LABEL_CHARACTERS = 14
_LABEL_POINTS = 22.0
_EDGE_POINTS = 4.0
_BESIDE_POINTS = 14.0
_INK_GAP = 0.3
"""Of a letter's place, that ink leaves free on both sides together."""
_MOST_SPACES = 100


@dataclass(frozen=True)
class PagePiece:
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
    doubtful_words: tuple[str, ...] = ()
    """Words that may have been recognised wrongly."""
    column: int = 0
    """Number of its column on the page, from 0."""
    indent: float = 0.0
    """From the left edge of its column."""
    room: float = 0.0
    """To the right edge of its column."""

    def is_broken_before(self, following: PagePiece) -> bool:
        """True if a line has no room for the first word of the next: its sentence may go on there."""
        first_word = following.text.split(maxsplit=1)[:1]
        word_share = (len("".join(first_word)) + 1) / max(len(following.text), 1)
        return bool(first_word) and word_share * following.box.width > self.room

    @property
    def is_picture(self) -> bool:
        """True if it is a figure or a table."""
        return self.drawing in (DrawingKind.FIGURE, DrawingKind.TABLE)


class ReadingOrder(NamedTuple):
    """Everything that a page shows, in the order in which it is read."""

    pieces: list[PagePiece]
    may_have_columns: bool
    """True if white space may separate columns that were read across."""


def reading_order(page: ReadPage) -> ReadingOrder:
    """The order in which a page is read: its columns from left to right, each from the top down."""
    pictures = [drawing for drawing in page.drawings if drawing.kind is not DrawingKind.RULE]
    words = [word for word in page.words if not any(_is_well_inside(picture.box, word) for picture in pictures)]
    ordered_columns, may_have_columns = page_columns(
        PageColumn(tuple(words), tuple(pictures)),
        page.width,
        lambda page_parts: label_order_score(
            _row_text(word_row) for part in page_parts for word_row in word_rows(part.words)
        ),
    )
    inner_words = set(page.words).difference(words)
    pieces = [
        piece
        for number, page_column in enumerate(ordered_columns)
        for piece in _pieces_of_column(page.number, number, page_column, inner_words)
    ]
    rule_pieces = [
        PagePiece(page.number, drawing.box, drawing=drawing.kind)
        for drawing in page.drawings
        if drawing.kind is DrawingKind.RULE
    ]
    return ReadingOrder([*pieces, *rule_pieces], may_have_columns)


def _pieces_of_column(
    page_number: int, column_number: int, page_column: PageColumn, inner_words: set[PageWord]
) -> list[PagePiece]:
    pictures, words = _labelled_figures_and_other_words(page_column.pictures, page_column.words)
    text_words = set(words)
    text_lines = _line_pieces(page_number, words)
    picture_words = [*inner_words, *(word for word in page_column.words if word not in text_words)]
    drawn_pieces = [
        PagePiece(
            page_number,
            picture.box,
            _joined_text(
                sorted(
                    (word for word in picture_words if picture.box.has_centre_of(word.box)),
                    key=lambda word: (round(word.box.bottom_edge / 6), word.box.left_edge),
                )
            ),
            drawing=picture.kind,
        )
        for picture in pictures
    ]
    first_left = min((line.box.left_edge for line in text_lines), default=0.0)
    last_right = max((line.box.right_edge for line in text_lines), default=0.0)

    def place(piece: PagePiece) -> tuple[float, float]:
        # A picture beside text belongs to the line at its top, which may begin a little below it.
        is_beside = piece.is_picture and any(_stands_picture_beside_line(piece.box, line.box) for line in text_lines)
        return (piece.box.top_edge + (_BESIDE_POINTS if is_beside else 0.0), piece.box.left_edge)

    return [
        replace(
            piece,
            column=column_number,
            indent=max(0.0, piece.box.left_edge - first_left),
            room=max(0.0, last_right - piece.box.right_edge),
        )
        for piece in sorted([*text_lines, *drawn_pieces], key=place)
    ]


def _stands_picture_beside_line(picture_box: Box, line_box: Box) -> bool:
    """True if a picture and a line of text share a height, and neither is over the other."""
    is_apart = (
        line_box.right_edge <= picture_box.left_edge + _EDGE_POINTS
        or picture_box.right_edge <= line_box.left_edge + _EDGE_POINTS
    )
    return is_apart and min(picture_box.bottom_edge, line_box.bottom_edge) > max(
        picture_box.top_edge, line_box.top_edge
    )


def are_beside(drawn_piece: PagePiece, text_line: PagePiece) -> bool:
    """True if a line of text stands beside a picture, in the same column."""
    return (
        drawn_piece.page == text_line.page
        and drawn_piece.column == text_line.column
        and _stands_picture_beside_line(drawn_piece.box, text_line.box)
    )


def _is_well_inside(drawing_box: Box, word: PageWord) -> bool:
    """True if a word is well inside something drawn: a line of text may touch its edge."""
    return drawing_box.grown(0, -_EDGE_POINTS).has_centre_of(word.box)


def _joined_text(words: Sequence[PageWord]) -> str:
    return escape_hidden_characters(" ".join(word.text for word in words))


def _labelled_figures_and_other_words(
    pictures: Sequence[Drawing], words: Sequence[PageWord]
) -> tuple[list[Drawing], list[PageWord]]:
    """Figures grown by the short labels beside them, and the words that are no labels."""
    label_words: list[PageWord] = []
    grown = []
    for picture in pictures:
        box = picture.box
        label_area = picture.box.grown(_LABEL_POINTS, 2.0)
        for word_row in word_rows(words) if picture.kind is DrawingKind.FIGURE else ():
            near_phrases = [phrase for phrase in phrases_of_row(word_row) if label_area.meets(box_around(phrase))]
            middle = (box_around(word_row).top_edge + box_around(word_row).bottom_edge) / 2
            is_label = all(len(_joined_text(phrase)) <= _LABEL_CHARACTERS for phrase in near_phrases)
            if near_phrases and is_label and picture.box.top_edge <= middle <= picture.box.bottom_edge:
                label_words += [word for phrase in near_phrases for word in phrase]
                box = box.union(box_around([word for phrase in near_phrases for word in phrase]))
        grown.append(picture.model_copy(update={"box": box}))
    return grown, [word for word in words if word not in label_words]


def _line_pieces(page_number: int, words: Sequence[PageWord]) -> list[PagePiece]:
    line_pieces = []
    for word_row in word_rows(words):
        size = round(statistics.median(word.size for word in word_row), 1)
        listing = all(word.fixed for word in word_row)
        doubtful = tuple(word.text for word in word_row if is_doubtful(word))
        text = _spaced_line(word_row) if listing else _row_text(word_row)
        line_pieces.append(PagePiece(page_number, box_around(word_row), text, size, listing, doubtful_words=doubtful))
    return line_pieces


def _row_text(words_in_row: Sequence[PageWord]) -> str:
    return "\t".join(_joined_text(phrase) for phrase in phrases_of_row(words_in_row))


def _spaced_line(words_in_row: Sequence[PageWord]) -> str:
    """A line of a listing with its spaces; those at its start are seen from its place."""
    # A letter's ink is narrower than its place; where one space is between two words, they tell how wide that is.
    ink = statistics.median(word.box.width / len(word.text) for word in words_in_row)
    sign_widths = [
        (next_word.box.left_edge - word.box.left_edge) / (len(word.text) + 1)
        for word, next_word in pairwise(words_in_row)
    ]
    width = max(ink, min(sign_widths, default=ink), 1.0)
    text = escape_hidden_characters(words_in_row[0].text)
    for word, next_word in pairwise(words_in_row):
        spaces = round((next_word.box.left_edge - word.box.right_edge) / width - _INK_GAP)
        text += " " * max(1, min(spaces, _MOST_SPACES)) + escape_hidden_characters(next_word.text)
    return text
