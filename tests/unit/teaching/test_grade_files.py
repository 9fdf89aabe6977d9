from __future__ import annotations

import csv
import io

import pytest

from benchwright_teaching.grade_files import AssignmentColumn, StudentLine, canvas_csv, formula_free_cell, moodle_csv
from benchwright_teaching.person_ids import PersonIds

COLUMNS = [AssignmentColumn("Week 1, counters", 4.0), AssignmentColumn('=HYPERLINK("http://x")', 1.5)]
ADA = PersonIds("ada@x.org", "123", "S1", "ada", "1001", "Ada", "Lovelace")
LINES = [
    StudentLine("Lovelace, Ada", ADA, "A", [4.0, 0.0]),
    StudentLine("=1+1", PersonIds(login="-grace"), "@B", [1.333, 1.5]),
]


def read(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


def test_canvas_gets_its_columns_and_the_row_of_possible_points() -> None:
    head, possible, ada, grace = read(canvas_csv(COLUMNS, LINES))
    assert head[:6] == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Week 1, counters"]
    assert possible == ["    Points Possible", "", "", "", "", "4", "1.5"]
    assert ada == ["Lovelace, Ada", "1001", "S1", "ada", "A", "4", "0"]
    assert grace == ["'=1+1", "", "", "'-grace", "'@B", "1.333", "1.5"]


def test_no_spreadsheet_finds_a_formula() -> None:
    for text in (canvas_csv(COLUMNS, LINES), moodle_csv(COLUMNS, LINES)):
        assert not any(cell.startswith(("=", "+", "-", "@")) for row in read(text) for cell in row)


def test_moodle_gets_the_columns_that_it_maps_people_by() -> None:
    head, ada, grace = read(moodle_csv(COLUMNS, LINES))
    assert head[:6] == ["First name", "Last name", "ID number", "Email address", "Username", "Group"]
    assert ada == ["Ada", "Lovelace", "123", "ada@x.org", "ada", "A", "4", "0"]
    assert grace[:5] == ["", "'=1+1", "", "", "'-grace"]


@pytest.mark.parametrize(
    ("ids", "sis_id", "login"),
    [
        (PersonIds(email="a@x.org"), "", "a@x.org"),
        (PersonIds(student_number="7"), "7", ""),
        (PersonIds(student_number="7", login="ada"), "", "ada"),
        (PersonIds(sis_id="S1", email="a@x.org"), "S1", "a@x.org"),
    ],
)
def test_every_row_for_canvas_has_something_to_know_its_person_by(ids: PersonIds, sis_id: str, login: str) -> None:
    row = read(canvas_csv(COLUMNS, [StudentLine("Ada", ids, "", [1.0, 1.0])]))[2]
    assert row[2:4] == [sis_id, login]


def test_columns_of_one_title_stay_two() -> None:
    same_columns = [AssignmentColumn("Week 1", 1.0)] * 3
    for text in (canvas_csv(same_columns, []), moodle_csv(same_columns, [])):
        assert read(text)[0][-3:] == ["Week 1", "Week 1 – 2", "Week 1 – 3"]


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
