"""Words of a page as lines in the order in which they are read, with what is drawn in its place."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from benchwright_exams.reading.page import Box, Drawing, DrawingKind, PageWord, ReadPage
from benchwright_exams.structure.doubts import is_doubtful
from benchwright_judges.models.prompt import escape_hidden_characters

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
    doubtful: tuple[str, ...] = ()
    """Words that may have been recognised wrongly."""

    @property
    def is_picture(self) -> bool:
        """True if it is a figure or a table."""
        return self.drawing in (DrawingKind.FIGURE, DrawingKind.TABLE)


def pieces_in_reading_order(page: ReadPage) -> list[PagePiece]:
    """Everything that a page shows, in reading order."""
    pictures, loose = _labelled_figures_and_other_words(
        [drawing for drawing in page.drawings if drawing.kind is not DrawingKind.RULE], page.words
    )
    words = [word for word in loose if not any(_is_well_inside(picture.box, word) for picture in pictures)]
    text_words = set(words)
    drawn_pieces = [
        PagePiece(
            page.number,
            picture.box,
            _joined_text(sorted(picture_words, key=lambda word: (round(word.box.bottom_edge / 6), word.box.left_edge))),
            drawing=picture.kind,
        )
        for picture in pictures
        for picture_words in [
            [word for word in page.words if word not in text_words and picture.box.has_centre_of(word.box)]
        ]
    ]
    rule_pieces = [
        PagePiece(page.number, drawing.box, drawing=drawing.kind)
        for drawing in page.drawings
        if drawing.kind is DrawingKind.RULE
    ]
    gutter = _gutter_if_two_columns(words, page.width)
    line_pieces = _line_pieces(page.number, words, gutter)
    return _in_reading_order([*line_pieces, *drawn_pieces, *rule_pieces], gutter)


def _is_well_inside(drawing: Box, word: PageWord) -> bool:
    """True if a word is well inside something drawn: a line of text may touch its edge."""
    return drawing.grown(0, -_EDGE_POINTS).has_centre_of(word.box)


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
        for word_row in _word_rows(words) if picture.kind is DrawingKind.FIGURE else ():
            near_phrases = [phrase for phrase in _phrases(word_row) if label_area.meets(_box_around(phrase))]
            middle = (_box_around(word_row).top_edge + _box_around(word_row).bottom_edge) / 2
            is_label = all(len(_joined_text(phrase)) <= _LABEL_CHARACTERS for phrase in near_phrases)
            if near_phrases and is_label and picture.box.top_edge <= middle <= picture.box.bottom_edge:
                label_words += [word for phrase in near_phrases for word in phrase]
                box = box.union(_box_around([word for phrase in near_phrases for word in phrase]))
        grown.append(picture.model_copy(update={"box": box}))
    return grown, [word for word in words if word not in label_words]


def _word_rows(words: Sequence[PageWord]) -> list[list[PageWord]]:
    """Words that stand on one line across the page, from left to right."""
    word_rows: list[list[PageWord]] = []
    for word in sorted(
        words, key=lambda candidate: (candidate.box.top_edge + candidate.box.bottom_edge, candidate.box.left_edge)
    ):
        for word_row in reversed(word_rows[-4:]):
            nearest_word = _nearest_word(word_row, word)
            shared = min(nearest_word.box.bottom_edge, word.box.bottom_edge) - max(
                nearest_word.box.top_edge, word.box.top_edge
            )
            if shared > 0.45 * min(nearest_word.box.height, word.box.height):
                word_row.append(word)
                break
        else:
            word_rows.append([word])
    return [sorted(row, key=lambda row_word: row_word.box.left_edge) for row in word_rows]


def _nearest_word(word_row: Sequence[PageWord], word: PageWord) -> PageWord:
    return min(
        word_row,
        key=lambda neighbour: max(
            neighbour.box.left_edge - word.box.right_edge, word.box.left_edge - neighbour.box.right_edge
        ),
    )


def _phrases(word_row: Sequence[PageWord]) -> list[list[PageWord]]:
    phrases: list[list[PageWord]] = []
    for word in word_row:
        if phrases and word.box.left_edge - phrases[-1][-1].box.right_edge <= _WIDE_GAP * max(word.size, 6.0):
            phrases[-1].append(word)
        else:
            phrases.append([word])
    return phrases


def _box_around(words: Sequence[PageWord]) -> Box:
    box = words[0].box
    for word in words[1:]:
        box = box.union(word.box)
    return box


def _gutter_if_two_columns(words: Sequence[PageWord], width: float) -> tuple[float, float] | None:
    """The gap between two columns, from left to right; None if the page has one column."""
    word_rows = _word_rows(words)
    if len(word_rows) < _LEAST_LINES:
        return None
    best: tuple[float, float] | None = None
    first_x, last_x = (round(width * share) for share in _MIDDLE)
    free_places = [x for x in range(first_x, last_x) if _crossing_count(word_rows, x) <= _CROSSING * len(word_rows)]
    start = previous_x = None
    for x in [*free_places, -1]:
        if previous_x is not None and x == previous_x + 1:
            previous_x = x
            continue
        if start is not None and previous_x is not None and (best is None or previous_x - start > best[1] - best[0]):
            best = (float(start), float(previous_x))
        start = previous_x = x
    if best is None or best[1] - best[0] < _GUTTER_POINTS:
        return None
    left_rows = [row for row in word_rows if any(word.box.right_edge <= best[0] + 1 for word in row)]
    right_starts = [
        min(word.box.left_edge for word in word_row if word.box.left_edge >= best[1] - 1)
        for word_row in word_rows
        if any(word.box.left_edge >= best[1] - 1 for word in word_row)
    ]
    if len(left_rows) < _LEAST_LINES or len(right_starts) < _LEAST_LINES:
        return None
    # A column of text has a left edge; points at the ends of lines and options beside each other are few, or ragged.
    edge = statistics.mode(round(begin / 4) for begin in right_starts)
    flush = sum(abs(begin / 4 - edge) <= 1 for begin in right_starts)
    wide = statistics.median(
        sum(word.box.width for word in word_row if word.box.left_edge >= best[1] - 1)
        for word_row in word_rows
        if word_row[-1].box.left_edge >= best[1] - 1
    )
    return best if flush >= 0.5 * len(right_starts) and wide > 0.15 * width else None


def _crossing_count(word_rows: Sequence[Sequence[PageWord]], x: int) -> int:
    """The number of rows that have a word at this place, or a phrase around it."""
    return sum(
        any(_box_around(phrase).left_edge < x < _box_around(phrase).right_edge for phrase in _phrases(row))
        for row in word_rows
    )


def _line_pieces(page_number: int, words: Sequence[PageWord], gutter: tuple[float, float] | None) -> list[PagePiece]:
    line_pieces = []
    for word_row in _word_rows(words):
        middle = sum(gutter) / 2 if gutter else 0.0
        spans = any(
            _box_around(phrase).left_edge < middle < _box_around(phrase).right_edge for phrase in _phrases(word_row)
        )
        if gutter is None or spans:
            column_words: list[list[PageWord]] = [list(word_row)]
        else:
            column_words = [
                [word for word in word_row if word.box.right_edge <= middle],
                [word for word in word_row if word.box.right_edge > middle],
            ]
        for side_words in filter(None, column_words):
            size = round(statistics.median(word.size for word in side_words), 1)
            listing = all(word.fixed for word in side_words)
            text = (
                "\t".join(_joined_text(phrase) for phrase in _phrases(side_words))
                if not listing
                else _spaced_line(side_words)
            )
            doubtful = tuple(word.text for word in side_words if is_doubtful(word))
            line_pieces.append(PagePiece(page_number, _box_around(side_words), text, size, listing, doubtful=doubtful))
    return line_pieces


def _spaced_line(words: Sequence[PageWord]) -> str:
    """A line of a listing with its spaces; those at its start are seen from its place."""
    # A letter's ink is narrower than its place; where one space is between two words, they tell how wide that is.
    ink = statistics.median(word.box.width / len(word.text) for word in words)
    sign_widths = [
        (next_word.box.left_edge - word.box.left_edge) / (len(word.text) + 1) for word, next_word in pairwise(words)
    ]
    width = max(ink, min(sign_widths, default=ink), 1.0)
    text = escape_hidden_characters(words[0].text)
    for word, next_word in pairwise(words):
        spaces = round((next_word.box.left_edge - word.box.right_edge) / width - _INK_GAP)
        text += " " * max(1, min(spaces, _MOST_SPACES)) + escape_hidden_characters(next_word.text)
    return text


def _in_reading_order(pieces: Sequence[PagePiece], gutter: tuple[float, float] | None) -> list[PagePiece]:
    """From the top down; between pieces that span both columns, the left column first."""
    pieces_downward = sorted(pieces, key=lambda page_piece: (page_piece.box.top_edge, page_piece.box.left_edge))
    if gutter is None:
        return pieces_downward
    middle = sum(gutter) / 2
    ordered_pieces: list[PagePiece] = []
    column_pieces: tuple[list[PagePiece], list[PagePiece]] = ([], [])
    for piece in pieces_downward:
        if piece.box.left_edge < middle - 3 and piece.box.right_edge > middle + 3:
            ordered_pieces += [*column_pieces[0], *column_pieces[1], piece]
            column_pieces = ([], [])
        else:
            column_pieces[piece.box.left_edge >= middle - 3].append(piece)
    return [*ordered_pieces, *column_pieces[0], *column_pieces[1]]
