"""Grades as files that learning-management systems import."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass

_FORMULA = re.compile(r"(^|[;\t\r\n])(?=[ \u00a0]*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20])")
"""Start of a formula, for a spreadsheet that reads commas or, as in many countries, semicolons or tabs between
cells. Some read the wide forms of East Asian keyboards too."""


@dataclass(frozen=True)
class StudentLine:
    """A student."""

    name: str
    login: str
    """As the learning-management system knows them; empty if they did not sign in by it."""
    section: str
    points: Sequence[float]
    """For each assignment."""


@dataclass(frozen=True)
class AssignmentColumn:
    """An assignment."""

    title: str
    most_points: float
    """Points that can be had."""


def canvas_csv(columns: Sequence[AssignmentColumn], lines: Sequence[StudentLine]) -> str:
    """The format of Canvas' *Import Gradebook*: who is whom by `SIS Login ID`, most points in the second row."""
    head = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *(column.title for column in columns)]
    possible = ["    Points Possible", "", "", "", "", *(_number_text(column.most_points) for column in columns)]
    rows = [[line.name, "", "", line.login, line.section, *map(_number_text, line.points)] for line in lines]
    return _csv_text([head, possible, *rows])


def moodle_csv(columns: Sequence[AssignmentColumn], lines: Sequence[StudentLine]) -> str:
    """For Moodle's *CSV import*, where each column is mapped by hand: map `Username` to the username."""
    head = ["Username", "Full name", "Group", *(column.title for column in columns)]
    return _csv_text(
        [head, *([line.login, line.name, line.section, *map(_number_text, line.points)] for line in lines)]
    )


def people_csv(
    columns: Sequence[AssignmentColumn], lines: Sequence[StudentLine], help_cells: Sequence[Sequence[str]]
) -> str:
    """For people: beside the points of each assignment, what records say of help by models that it did not allow.

    Args:
        columns: The assignments.
        lines: The students.
        help_cells: Cells for each student, one for each assignment.
    """
    head = ["Student", "Login", "Section"]
    for column in columns:
        head += [column.title, f"{column.title}: characters of models that were not allowed, as reported"]
    rows = [head]
    for line, cells in zip(lines, help_cells, strict=True):
        point_help_pairs = zip(map(_number_text, line.points), cells, strict=True)
        rows.append([line.name, line.login, line.section, *(cell for pair in point_help_pairs for cell in pair)])
    return _csv_text(rows)


def _number_text(points: float) -> str:
    return f"{points:.3f}".rstrip("0").rstrip(".")


def _csv_text(rows: Sequence[Sequence[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerows([formula_free_cell(cell) for cell in row] for row in rows)
    return text.getvalue()


def formula_free_cell(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return _FORMULA.sub(r"\1'", cell)
