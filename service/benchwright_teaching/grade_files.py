"""Grades as files that learning-management systems import."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass

from benchwright_teaching.person_ids import PersonIds

_FORMULA = re.compile(r"(^|[;\t\r\n])(?=[ \u00a0]*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20])")
"""Start of a formula, for a spreadsheet that reads commas or, as in many countries, semicolons or tabs between
cells. Some read the wide forms of East Asian keyboards too."""


@dataclass(frozen=True)
class StudentLine:
    """A student."""

    name: str
    ids: PersonIds
    """What the learning-management system calls them."""
    section: str
    points: Sequence[float]
    """For each assignment."""


@dataclass(frozen=True)
class AssignmentColumn:
    """An assignment."""

    title: str
    most_points: float
    """Points that can be had."""


def canvas_csv(columns: Sequence[AssignmentColumn], student_lines: Sequence[StudentLine]) -> str:
    """The format of Canvas' *Import Gradebook*: most points in the second row.

    Canvas finds people by `ID`, else by `SIS User ID`, `SIS Login ID` or name. It reads the columns up to `Section` by
    their place.
    """
    head = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *_unique_titles(columns)]
    possible = ["    Points Possible", "", "", "", "", *(_number_text(column.most_points) for column in columns)]
    rows = [
        [
            line.name,
            line.ids.lms_id,
            # Where no login is known, the number that a school has is what its Canvas most likely knows.
            line.ids.sis_id or ("" if line.ids.login or line.ids.email else line.ids.student_number),
            line.ids.login or line.ids.email,
            line.section,
            *map(_number_text, line.points),
        ]
        for line in student_lines
    ]
    return _csv_text([head, possible, *rows])


def moodle_csv(columns: Sequence[AssignmentColumn], student_lines: Sequence[StudentLine]) -> str:
    """For Moodle's *CSV import*: the columns of its own export, and `Username`.

    *Map from* one of `Email address`, `ID number` and `Username`, *map to* the field of this name.
    """
    head = ["First name", "Last name", "ID number", "Email address", "Username", "Group", *_unique_titles(columns)]
    rows = [
        [
            *_name_parts(line),
            line.ids.student_number or line.ids.sis_id,
            line.ids.email,
            line.ids.login,
            line.section,
            *map(_number_text, line.points),
        ]
        for line in student_lines
    ]
    return _csv_text([head, *rows])


def people_csv(
    columns: Sequence[AssignmentColumn], student_lines: Sequence[StudentLine], model_help_cells: Sequence[Sequence[str]]
) -> str:
    """For people: beside the points of each assignment, what records say of help by models that it did not allow.

    Args:
        columns: The assignments.
        student_lines: The students.
        model_help_cells: Cells for each student, one for each assignment.
    """
    head = ["Student", "Login", "Section"]
    for column in columns:
        head += [column.title, f"{column.title}: characters of models that were not allowed, as reported"]
    rows = [head]
    for line, cells in zip(student_lines, model_help_cells, strict=True):
        point_help_pairs = zip(map(_number_text, line.points), cells, strict=True)
        rows.append(
            [
                line.name,
                line.ids.login or line.ids.email,
                line.section,
                *(cell for pair in point_help_pairs for cell in pair),
            ]
        )
    return _csv_text(rows)


def _unique_titles(columns: Sequence[AssignmentColumn]) -> Sequence[str]:
    """The titles, each once: importers take columns of one name for one column."""
    titles: list[str] = []
    for column in columns:
        # Canvas takes a number in brackets for the id of an assignment.
        candidates = (column.title, *(f"{column.title} – {number}" for number in range(2, len(columns) + 2)))
        titles.append(next(title for title in candidates if title not in titles))
    return titles


def _name_parts(line: StudentLine) -> tuple[str, str]:
    """First and last names; all of the name as the last where nobody has said which is which."""
    is_known = line.ids.given_name or line.ids.family_name
    return (line.ids.given_name, line.ids.family_name) if is_known else ("", line.name)


def _number_text(points: float) -> str:
    return f"{points:.3f}".rstrip("0").rstrip(".")


def _csv_text(rows: Sequence[Sequence[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerows([formula_free_cell(cell) for cell in row] for row in rows)
    return text.getvalue()


def formula_free_cell(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return _FORMULA.sub(r"\1'", cell)
