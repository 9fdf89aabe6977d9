"""Fixtures and helpers of the tests of review."""

from __future__ import annotations

from benchwright_exams.reading.page import Box, Drawing, DrawingKind, PageWord, ReadExam, ReadPage


def exam(*lines: str) -> ReadExam:
    """A page with these lines, and a figure in place of the empty ones."""
    words = []
    for row, line in enumerate(lines):
        left = 72.0
        for text in line.split():
            words.append(PageWord(text, Box(left, 100 + 16 * row, left + 6 * len(text), 110 + 16 * row), 10.0))
            left += 6 * len(text) + 4
    empty = [row for row, line in enumerate(lines) if not line]
    drawn = Box(90, 100 + 16 * empty[0], 200, 110 + 16 * empty[-1]) if empty else None
    drawings = (Drawing(kind=DrawingKind.FIGURE, box=drawn),) if drawn else ()
    page = ReadPage(number=1, width=612, height=792, words=tuple(words), drawings=drawings)
    return ReadExam(made_from="test", file="exam.pdf", sha256="0", pages=(page,))
