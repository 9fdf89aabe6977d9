from __future__ import annotations

import csv
import io

import pytest

from benchwright_teaching.grade_files import AssignmentColumn, StudentLine, canvas_csv, formula_free_cell, moodle_csv

COLUMNS = [AssignmentColumn("Week 1, counters", 4.0), AssignmentColumn('=HYPERLINK("http://x")', 1.5)]
LINES = [StudentLine("Lovelace, Ada", "ada", "A", [4.0, 0.0]), StudentLine("=1+1", "-grace", "@B", [1.333, 1.5])]


def read(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


def test_canvas_gets_its_columns_and_the_row_of_possible_points() -> None:
    head, possible, ada, grace = read(canvas_csv(COLUMNS, LINES))
    assert head[:6] == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Week 1, counters"]
    assert possible == ["    Points Possible", "", "", "", "", "4", "1.5"]
    assert ada == ["Lovelace, Ada", "", "", "ada", "A", "4", "0"]
    assert grace == ["'=1+1", "", "", "'-grace", "'@B", "1.333", "1.5"]


def test_no_spreadsheet_finds_a_formula() -> None:
    for text in (canvas_csv(COLUMNS, LINES), moodle_csv(COLUMNS, LINES)):
        assert not any(cell.startswith(("=", "+", "-", "@")) for row in read(text) for cell in row)


def test_moodle_gets_usernames_first() -> None:
    head, ada, _ = read(moodle_csv(COLUMNS, LINES))
    assert head[:3] == ["Username", "Full name", "Group"]
    assert ada == ["ada", "Lovelace, Ada", "A", "4", "0"]


@pytest.mark.parametrize(
    ("cell", "escaped_cell"),
    [
        ("Ada;=1+1", "Ada;'=1+1"),
        ("Ada; @SUM(A1)", "Ada;' @SUM(A1)"),
        ("Ada\t=1\n-2", "Ada\t'=1\n'-2"),
        (" =1+1", "' =1+1"),
        ("\uff1d1+1", "'\uff1d1+1"),
        ("Smith-Jones, A. = 1", "Smith-Jones, A. = 1"),
    ],
)
def test_a_cell_that_other_separators_divide_has_no_formula_either(cell: str, escaped_cell: str) -> None:
    assert formula_free_cell(cell) == escaped_cell
