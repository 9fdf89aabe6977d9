"""Columns of a page, by the white space between them and the numbers that follow each other in them."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from benchwright_exams.reading.page import Box, Drawing, PageWord
from benchwright_exams.structure.word_rows import box_around, word_rows

_LEAST_GAP = 0.55
"""White space between two columns, in sizes of letters."""
_WIDE_GAP = 0.9
_FEW_LINES = 2
_SOME_LINES = 4
_MANY_LINES = 6
_PROSE_WORDS = 2.5
"""In a line of text; a table has fewer."""
_LEAST_SHARE = 0.13
"""Of the page's width, that a column takes which nothing but its white space tells."""
_LEAST_POINTS = 20.0
"""Width of any column."""
_FLUSH_POINTS = 2.0
_FLUSH_SHARE = 0.4
_INK_POINTS = 3.0
"""That the box of a picture may reach beyond its ink."""
_BUCKET_POINTS = 8.0


class PageColumn(NamedTuple):
    """A part of a page that is read from the top down."""

    words: tuple[PageWord, ...]
    pictures: tuple[Drawing, ...]


class PageColumns(NamedTuple):
    """The columns of a page in the order in which they are read."""

    in_order: list[PageColumn]
    may_have_more_columns: bool
    """True if white space may separate columns that were read across."""


class _Gutter(NamedTuple):
    right_start: float
    """Where the column on its right begins."""
    top_edge: float
    bottom_edge: float
    width: float
    is_clear: bool
    """True if nothing but two columns of text has such a gap."""
    has_left_before_right_in_file: bool
    """True if the file has everything on its left before everything on its right."""

    @property
    def is_likely(self) -> bool:
        """True if it separates columns unless labels speak against it."""
        return self.is_clear or self.has_left_before_right_in_file


def page_columns(
    page_part: PageColumn, page_width: float, label_order_score: Callable[[Sequence[PageColumn]], int]
) -> PageColumns:
    """Divide a page, or a part of one, into columns.

    Args:
        page_part: Everything on it.
        page_width: In points.
        label_order_score: The number of labels that follow each other if columns are read one after the other.
    """
    if len(page_part.words) < 2:
        return PageColumns([page_part] if page_part.words or page_part.pictures else [], False)
    undivided_score = label_order_score([page_part])
    best_rank: tuple[int, bool, float] | None = None
    best_division: tuple[PageColumn, ...] = ()
    may_be_more = False
    for gutter in _gutters(page_part, page_width):
        division = _parts_around_gutter(page_part, gutter)
        gain = label_order_score(division) - undivided_score
        rank = (gain, gutter.is_likely, gutter.width * (gutter.bottom_edge - gutter.top_edge))
        if (gain > 0 or (gain == 0 and gutter.is_likely)) and (best_rank is None or rank > best_rank):
            best_rank, best_division = rank, division
        elif gutter.is_clear:
            may_be_more = True
    if best_rank is None:
        return PageColumns([page_part], may_be_more)
    divided = [page_columns(division_part, page_width, label_order_score) for division_part in best_division]
    return PageColumns(
        [page_column for page_division in divided for page_column in page_division.in_order],
        any(page_division.may_have_more_columns for page_division in divided),
    )


def _gutters(page_part: PageColumn, page_width: float) -> Iterator[_Gutter]:
    """White strips from top to bottom that have lines on both sides; those on the right begin flush."""
    letter_points = statistics.median(word.size for word in page_part.words)
    gap = max(5.0, _LEAST_GAP * letter_points)
    obstacles = [
        *(word.box for word in page_part.words),
        *_spaces_of_large_words(page_part.words, gap),
        *(picture.box.grown(-_INK_POINTS, 0) for picture in page_part.pictures),
    ]
    bottom = max(box.bottom_edge for box in obstacles)
    first_left = min(box.left_edge for box in obstacles)
    last_right = max(box.right_edge for box in obstacles)
    for start in _flush_starts(page_part.words, gap):
        if min(start - gap - first_left, last_right - start) < _LEAST_POINTS:
            continue
        crossing = sorted(
            (box for box in obstacles if box.left_edge < start - 0.3 and box.right_edge > start - gap),
            key=lambda box: box.top_edge,
        )
        top = 0.0
        for box in [*crossing, Box(0, bottom + 1, 0, bottom + 1)]:
            if box.top_edge > top:
                gutter = _gutter_if_text_on_both_sides(page_part, start, (top, box.top_edge), page_width)
                if gutter is not None:
                    yield gutter
            top = max(top, box.bottom_edge)


def _spaces_of_large_words(words: Sequence[PageWord], column_gap: float) -> Iterator[Box]:
    """Spaces between words of one line that are as wide as a gap between columns, as the words are large: a title's."""
    for word_row in word_rows([word for word in words if _LEAST_GAP * word.size > column_gap]):
        for word, next_word in pairwise(word_row):
            if next_word.box.left_edge - word.box.right_edge < _LEAST_GAP * max(word.size, next_word.size):
                yield word.box.union(next_word.box)


def _flush_starts(words: Sequence[PageWord], least_gap: float) -> list[float]:
    """Left edges at which several words begin with white space before them."""
    words_by_bucket: dict[int, list[PageWord]] = {}
    for word in words:
        for bucket in range(int(word.box.top_edge // _BUCKET_POINTS), int(word.box.bottom_edge // _BUCKET_POINTS) + 1):
            words_by_bucket.setdefault(bucket, []).append(word)
    left_edges = sorted(
        word.box.left_edge
        for word in words
        if not any(
            neighbour.box.left_edge < word.box.left_edge and word.box.left_edge - neighbour.box.right_edge < least_gap
            for neighbour in words_by_bucket[int((word.box.top_edge + word.box.bottom_edge) / 2 // _BUCKET_POINTS)]
            if neighbour is not word and _shares_line(neighbour, word)
        )
    )
    groups: list[list[float]] = []
    for left_edge in left_edges:
        if groups and left_edge - groups[-1][0] <= _FLUSH_POINTS:
            groups[-1].append(left_edge)
        else:
            groups.append([left_edge])
    return [group[0] for group in groups if len(group) >= _FEW_LINES]


def _shares_line(word: PageWord, neighbour: PageWord) -> bool:
    shared = min(word.box.bottom_edge, neighbour.box.bottom_edge) - max(word.box.top_edge, neighbour.box.top_edge)
    return shared > 0.3 * min(word.box.height, neighbour.box.height)


def _gutter_if_text_on_both_sides(
    page_part: PageColumn, right_start: float, top_and_bottom_edge: tuple[float, float], page_width: float
) -> _Gutter | None:
    top, bottom = top_and_bottom_edge
    inside_words = [word for word in page_part.words if top <= (word.box.top_edge + word.box.bottom_edge) / 2 <= bottom]
    sides = (
        [word for word in inside_words if word.box.left_edge < right_start - 0.3],
        [word for word in inside_words if word.box.left_edge >= right_start - 0.3],
    )
    if not all(sides):
        return None
    rows_by_side = [word_rows(side) for side in sides]
    line_count = min(map(len, rows_by_side))
    is_written_so = inside_words == [*sides[0], *sides[1]]
    side_width = min(box_around(side).width for side in sides)
    if line_count < _FEW_LINES or side_width < _LEAST_POINTS:
        return None
    letter_points = statistics.median(word.size for word in inside_words)
    flush_counts = Counter(round(row[0].box.left_edge / _FLUSH_POINTS) for row in rows_by_side[1])
    width = right_start - max(word.box.right_edge for word in sides[0])
    is_clear = (
        side_width >= _LEAST_SHARE * page_width
        and all(len(side) >= _PROSE_WORDS * len(side_rows) for side, side_rows in zip(sides, rows_by_side, strict=True))
        and flush_counts.most_common(1)[0][1] >= _FLUSH_SHARE * len(rows_by_side[1])
        and line_count >= (_SOME_LINES if width >= _WIDE_GAP * letter_points else _MANY_LINES)
    )
    return _Gutter(right_start, top, bottom, width, is_clear, is_written_so)


def _parts_around_gutter(page_part: PageColumn, gutter: _Gutter) -> tuple[PageColumn, ...]:
    """What is above a gutter, on its left, on its right, and below it."""

    def part_of(box: Box) -> int:
        middle = (box.top_edge + box.bottom_edge) / 2
        if middle < gutter.top_edge:
            return 0
        if middle > gutter.bottom_edge:
            return 3
        return 2 if (box.left_edge + box.right_edge) / 2 >= gutter.right_start - _INK_POINTS else 1

    return tuple(
        PageColumn(
            tuple(word for word in page_part.words if part_of(word.box) == number),
            tuple(picture for picture in page_part.pictures if part_of(picture.box) == number),
        )
        for number in range(4)
    )
