"""Long tables in the browser: so many rows and columns on a page that it is read at a glance and made at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from sqlalchemy import Row

from benchwright_service.courses.progress import CourseStudent

MATRIX_COLUMNS = 30
LIST_ROWS = 100
_FEWEST_ROWS = 25
_MOST_CELLS = _FEWEST_ROWS * MATRIX_COLUMNS

_Line = TypeVar("_Line")


@dataclass(frozen=True)
class TablePage(Generic[_Line]):
    """Some of the lines of a table that are there already."""

    lines: Sequence[_Line]
    page: int
    """From 1."""
    page_count: int
    total: int
    """Number of lines on all pages."""


def page_of(lines: Sequence[_Line], page_number: int, line_limit: int) -> TablePage[_Line]:
    """A page of lines; the last one if there are fewer."""
    page_count = max(1, -(-len(lines) // line_limit))
    shown_page = min(page_number, page_count)
    start = (shown_page - 1) * line_limit
    return TablePage(lines[start : start + line_limit], shown_page, page_count, len(lines))


def matrix_row_limit(column_count: int) -> int:
    """Number of rows of a page of a table with so many columns: few columns leave room for a whole class."""
    shown_columns = max(1, min(column_count, MATRIX_COLUMNS))
    return min(LIST_ROWS, _MOST_CELLS // shown_columns)


def student_of_row(people_row: Row[Any]) -> CourseStudent:
    """The student of a row of people."""
    return CourseStudent(people_row.account, people_row.name, people_row.section, people_row.team)
