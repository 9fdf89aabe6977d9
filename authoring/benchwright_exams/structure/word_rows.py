"""Words of a page in lines, and those of a line in groups."""

from __future__ import annotations

from collections.abc import Sequence

from benchwright_exams.reading.page import Box, PageWord

_WIDE_GAP = 2.0
"""In sizes of letters, between words that are no phrase: a mark at the right edge, a column of a table."""


def word_rows(words: Sequence[PageWord]) -> list[list[PageWord]]:
    """Words that stand on one line across the page, from left to right."""
    joined_rows: list[list[PageWord]] = []
    for word in sorted(
        words, key=lambda candidate: (candidate.box.top_edge + candidate.box.bottom_edge, candidate.box.left_edge)
    ):
        for word_row in reversed(joined_rows[-4:]):
            nearest_word = _nearest_word(word_row, word)
            shared = min(nearest_word.box.bottom_edge, word.box.bottom_edge) - max(
                nearest_word.box.top_edge, word.box.top_edge
            )
            if shared > 0.45 * min(nearest_word.box.height, word.box.height):
                word_row.append(word)
                break
        else:
            joined_rows.append([word])
    return [sorted(row, key=lambda row_word: row_word.box.left_edge) for row in joined_rows]


def _nearest_word(word_row: Sequence[PageWord], next_word: PageWord) -> PageWord:
    return min(
        word_row,
        key=lambda neighbour: max(
            neighbour.box.left_edge - next_word.box.right_edge, next_word.box.left_edge - neighbour.box.right_edge
        ),
    )


def phrases_of_row(word_row: Sequence[PageWord]) -> list[list[PageWord]]:
    """The words of a line in groups, wherever a wide gap separates them."""
    phrases: list[list[PageWord]] = []
    for word in word_row:
        if phrases and word.box.left_edge - phrases[-1][-1].box.right_edge <= _WIDE_GAP * max(word.size, 6.0):
            phrases[-1].append(word)
        else:
            phrases.append([word])
    return phrases


def box_around(words: Sequence[PageWord]) -> Box:
    """The smallest box that holds all words."""
    box = words[0].box
    for word in words[1:]:
        box = box.union(word.box)
    return box
