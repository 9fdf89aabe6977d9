from __future__ import annotations

from pathlib import Path

import pytest

from benchwright_authoring.problem_files.fields import FileFields, table_fields
from benchwright_authoring.problem_files.proposals import toml_hover, toml_proposals
from benchwright_exams.items import ExamItems
from benchwright_foundation.home import Home
from benchwright_foundation.stage_file import StageFile
from benchwright_server.authoring.exam_files import (
    EXAM_FIELDS,
    REVIEW_FIELDS,
    exam_remarks,
    is_exam_file,
    review_remarks,
)

ROOT = Path(__file__).parents[3]
FORM = 'decision = "accepted"\nformat = "multiple-choice"\nanswer = "B"\n[choices]\nA = "Flash"\nB = "SRAM"\n'


@pytest.fixture
def question(tmp_path: Path) -> Path:
    """The folder of a question of an exam."""
    folder = tmp_path / "exam" / "items" / "2b"
    folder.mkdir(parents=True)
    StageFile(tmp_path / "exam" / "items.json", ExamItems).write_output(ExamItems(made_from="", items=()))
    (tmp_path / "exam" / "exam.toml").write_text("")
    (folder / "statement.md").write_text("# Question 2b\n\nWhich memory is volatile?\n")
    return folder


def remark_texts(question: Path, form: str) -> list[tuple[str, str]]:
    """The remarks on a saved form: what each is at, and its message."""
    (question / "review.toml").write_text(form)
    home = Home.from_environment({"BENCHWRIGHT_HOME": str(question.parents[2] / "home")})
    return [
        (form[remark.span.start : remark.span.end], remark.message) for remark in review_remarks(question, form, home)
    ]


@pytest.mark.parametrize("file_fields", [REVIEW_FIELDS, EXAM_FIELDS])
def test_every_field_says_what_it_means_and_is_in_the_guide(file_fields: FileFields) -> None:
    page = (ROOT / "docs" / "how-to" / "questions-from-an-exam.md").read_text()
    pending_tables: list[tuple[str, ...]] = [()]
    field_names = set()
    while pending_tables:
        table = pending_tables.pop()
        for field in table_fields(file_fields, table):
            assert field.description
            assert field.name in page, (table, field.name)
            field_names.add(".".join((*table, field.name)))
            if field.is_table:
                pending_tables.append((*table, field.name))
    assert field_names == set(file_fields.descriptions)


@pytest.mark.parametrize(
    ("form_change", "expected_text", "message"),
    [
        (('answer = "B"', 'answer = "D"'), '"D"', "answer: "),
        (('answer = "B"', ""), 'decision = "accepted"', 'answer: is empty; write the answer, or decision = "left out"'),
        (('A = "Flash"\n', ""), '"accepted"', "A multiple-choice question needs at least two choices."),
        (('B = "SRAM"', 'b = "SRAM"'), '"SRAM"', "choices.b: "),
        (("[choices]", "rubric = [{ points = 2 }]\n[choices]"), "{ points = 2 }", "rubric.0.text: is missing"),
    ],
)
def test_what_no_pack_takes_is_told_at_its_field(
    question: Path, form_change: tuple[str, str], expected_text: str, message: str
) -> None:
    ((marked_text, remark_message),) = remark_texts(question, FORM.replace(*form_change))
    assert marked_text == expected_text
    assert message in remark_message


def test_a_statement_that_no_pack_takes_is_told_at_the_decision(question: Path) -> None:
    assert remark_texts(question, FORM) == []
    (question / "statement.md").write_text("No title\n")
    ((marked_text, remark_message),) = remark_texts(question, FORM)
    assert marked_text == '"accepted"'
    assert remark_message.startswith("statement.md: ")


def test_a_picture_that_no_pack_takes_is_named_at_the_decision(question: Path) -> None:
    (question / "figures").mkdir()
    (question / "figures" / "cell.png").write_text("no picture")
    ((marked_text, remark_message),) = remark_texts(question, FORM)
    assert (marked_text, remark_message.partition(";")[0]) == ('"accepted"', "Picture cell.png: is not shown anywhere")
    (question / "statement.md").write_text("# Question 2b\n\n![A cell](figures/cell.png)\n")
    ((marked_text, remark_message),) = remark_texts(question, FORM)
    assert marked_text == '"accepted"'
    assert remark_message.startswith("Picture cell.png: ")


@pytest.mark.parametrize("decision", ["open", "left out"])
def test_a_question_that_is_not_accepted_may_be_unfinished(question: Path, decision: str) -> None:
    (question / "statement.md").write_text("No title\n")
    assert remark_texts(question, FORM.replace("accepted", decision).replace('answer = "B"', "")) == []


def test_what_is_not_saved_is_not_packed(question: Path) -> None:
    assert remark_texts(question, FORM.replace("accepted", "open")) == []
    home = Home.from_environment({"BENCHWRIGHT_HOME": str(question.parents[2] / "home")})
    assert review_remarks(question, FORM.replace('"B"', '"D"'), home) == []


def test_an_exam_among_the_workspaces_of_solvers_is_refused(question: Path) -> None:
    (question / "review.toml").write_text(FORM)
    home = Home.from_environment({"BENCHWRIGHT_HOME": str(question.parents[2] / "home")})
    home.workspaces.mkdir(parents=True)
    moved = question.parents[1].rename(home.workspaces / "exam")
    (remark,) = review_remarks(moved / "items" / "2b", FORM, home)
    assert "Move the folder elsewhere" in remark.message


def test_only_the_files_of_an_exam_are_taken_for_such(question: Path, tmp_path: Path) -> None:
    (question / "review.toml").write_text(FORM)
    assert is_exam_file(question / "review.toml")
    assert is_exam_file(tmp_path / "exam" / "exam.toml")
    assert not is_exam_file(tmp_path / "exam" / "review.toml")
    assert not is_exam_file(tmp_path / "exam.toml")
    assert not is_exam_file(question / "statement.md")


@pytest.mark.parametrize("text", ["", "=", "[[", "[a", "a = {", "\0", "\ud800", "a." * 2000, '"""' * 99, "ä = ö"])
def test_any_text_gets_remarks_and_no_exception(text: str, question: Path) -> None:
    home = Home.from_environment({"BENCHWRIGHT_HOME": str(question.parents[2] / "home")})
    assert review_remarks(question, text, home)
    assert exam_remarks(question.parents[1] / "exam.toml", text)
    for file_fields in (REVIEW_FIELDS, EXAM_FIELDS):
        for offset in range(min(len(text), 50) + 1):
            toml_proposals(file_fields, text, offset)
            toml_hover(file_fields, text, offset)
