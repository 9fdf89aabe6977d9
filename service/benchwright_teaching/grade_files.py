"""Grades as files that learning-management systems import."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass

_FORMULA = re.compile(r"(^|[;\t\r\n])(?=[ \u00a0]*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20])")
"""Where a formula begins, for a spreadsheet that reads commas or, as in many countries, semicolons or tabs between
cells. Some read the wide forms of East Asian keyboards too."""


@dataclass(frozen=True)
class Line:
    """A student."""

    name: str
    login: str
    """As the learning-management system knows them; empty if they did not sign in by it."""
    section: str
    points: Sequence[float]
    """For each assignment."""


@dataclass(frozen=True)
class Column:
    """An assignment."""

    title: str
    most: float
    """Points that can be had."""


def canvas(columns: Sequence[Column], lines: Sequence[Line]) -> str:
    """The format of Canvas' *Import Gradebook*: who is whom by `SIS Login ID`, most points in the second row."""
    head = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *(one.title for one in columns)]
    possible = ["    Points Possible", "", "", "", "", *(_number(one.most) for one in columns)]
    rows = [[one.name, "", "", one.login, one.section, *map(_number, one.points)] for one in lines]
    return _written([head, possible, *rows])


def moodle(columns: Sequence[Column], lines: Sequence[Line]) -> str:
    """For Moodle's *CSV import*, where each column is mapped by hand: map `Username` to the username."""
    head = ["Username", "Full name", "Group", *(one.title for one in columns)]
    return _written([head, *([one.login, one.name, one.section, *map(_number, one.points)] for one in lines)])


def table(columns: Sequence[Column], lines: Sequence[Line], help_: Sequence[Sequence[str]]) -> str:
    """For people: beside the points of each assignment, what records say of help by models that it did not allow.

    Args:
        columns: The assignments.
        lines: The students.
        help_: For each student, a cell for each assignment.
    """
    head = ["Student", "Login", "Section"]
    for one in columns:
        head += [one.title, f"{one.title}: characters of models that were not allowed, as reported"]
    rows = [head]
    for line, told in zip(lines, help_, strict=True):
        pairs = zip(map(_number, line.points), told, strict=True)
        rows.append([line.name, line.login, line.section, *(cell for pair in pairs for cell in pair)])
    return _written(rows)


def _number(points: float) -> str:
    return f"{points:.3f}".rstrip("0").rstrip(".")


def _written(rows: Sequence[Sequence[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerows([plain_cell(cell) for cell in row] for row in rows)
    return text.getvalue()


def plain_cell(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return _FORMULA.sub(r"\1'", cell)
