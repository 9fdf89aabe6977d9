"""A toy format of data sets, registered in the tuple of formats, goes through the command line like the real ones."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from pydantic import JsonValue
from typer.testing import CliRunner, Result

from benchwright_foundation.home import Home
from benchwright_problems import datasets
from benchwright_problems.datasets.dataset_format import DatasetExcerpt, DatasetFormat, FileOption
from benchwright_problems.datasets.invalid_records import InvalidRecords
from benchwright_problems.datasets.jsonl import read_records
from benchwright_problems.datasets.record import RecordLocation, restored_record, with_record_patch
from benchwright_problems.problem import (
    Answer,
    Difficulty,
    Hidden,
    Pack,
    Problem,
    ProblemKind,
    Provenance,
    Public,
    Question,
    QuestionFormat,
)
from benchwright_problems.storage.store import Store
from benchwright_server.cli.app import app_with_commands

SOURCE = "https://example.org/toy"


def import_toy(paths: Sequence[Path], pack: str, invalid: InvalidRecords, notes: Path | None = None) -> Pack:
    """Lines of {`name`, `ask`, `reply`}; whatever else a record has is kept for the export."""
    title = notes.read_text().strip() if notes else "Toy"
    problems = []
    for path in paths:
        for line, record in read_records(path, invalid):
            problem = Problem(
                id=str(record["name"]),
                kind=ProblemKind.QUESTION,
                title=title,
                difficulty=Difficulty.EASY,
                provenance=Provenance(source=SOURCE, license="CC0-1.0", version="1"),
                public=Public(statement=str(record["ask"]), question=Question(format=QuestionFormat.FREE_RESPONSE)),
                hidden=Hidden(answer=Answer(value=str(record["reply"])), dataset_format="toy"),
            )
            problems.append(
                with_record_patch(problem, record_without_patch(problem), record, RecordLocation(path, "", line))
            )
    return Pack(
        name=pack,
        title="Toy",
        version="1",
        license="CC0-1.0",
        source=SOURCE,
        description="",
        problems=tuple(problems),
    )


def export_toy(problem: Problem) -> dict[str, JsonValue]:
    return restored_record(problem, record_without_patch(problem))


def record_without_patch(problem: Problem) -> dict[str, JsonValue]:
    key = problem.hidden.answer
    return {"name": problem.id, "ask": problem.public.statement, "reply": key.value if key else ""}


def recognise(excerpt: DatasetExcerpt) -> bool:
    return {"ask", "reply"} <= excerpt.fields


TOY = DatasetFormat(
    name="toy",
    source=SOURCE,
    reads="JSON Lines of questions",
    importer=import_toy,
    export=export_toy,
    recognise=recognise,
    file_options=(FileOption("notes", "The title of every problem."),),
)


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(datasets, "FORMATS", (*datasets.FORMATS, TOY))
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "200")


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    file = tmp_path / "toy.jsonl"
    file.write_text(json.dumps({"name": "one", "ask": "Why?", "reply": "So.", "more": [1, None]}) + "\n")
    return file


def benchwright(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app_with_commands(), [str(argument) for argument in arguments])


def test_the_record_comes_back_as_it_was(questions: Path, tmp_path: Path) -> None:
    imported = benchwright("problems", "import", "toy", questions, "--pack", "mine", "--json")
    assert json.loads(imported.stdout) == {"pack": "mine", "problems": ["one"], "left_out": 0, "unprovable": []}
    assert benchwright("problems", "export", "mine", tmp_path / "back.jsonl").exit_code == 0
    assert json.loads((tmp_path / "back.jsonl").read_text()) == json.loads(questions.read_text())


def test_help_lists_the_format_and_its_option() -> None:
    help_text = benchwright("problems", "import", "--help").stdout
    assert "toy: JSON Lines of questions." in help_text and "--notes" in help_text


def test_its_option_reaches_the_importer(questions: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.write_text("A title of its own\n")
    assert benchwright("problems", "import", "toy", questions, "--pack", "mine", "--notes", notes).exit_code == 0
    assert "A title of its own" in benchwright("problems", "list", "mine").stdout


def test_an_imported_pack_has_the_date_that_is_given(questions: Path) -> None:
    import_arguments = ("problems", "import", "toy", questions, "--pack", "mine")
    assert benchwright(*import_arguments, "--published", "2025-01").exit_code == 0
    assert Store(Home.from_environment()).public_pack("mine").published == "2025-01"
    wrong_import = benchwright(*import_arguments, "--replace", "--published", "lately")
    assert wrong_import.exit_code == 2 and "--published: 'lately' is not a date." in wrong_import.stderr


def test_its_option_is_refused_for_other_formats(questions: Path) -> None:
    wrong_import = benchwright("problems", "import", "csbench", questions, "--pack", "mine", "--notes", questions)
    assert wrong_import.exit_code == 2 and "--notes is an option of toy, not of csbench." in wrong_import.stderr


def test_another_importer_that_refuses_the_file_names_it(questions: Path) -> None:
    wrong_import = benchwright("problems", "import", "csbench", questions, "--pack", "mine")
    assert wrong_import.exit_code == 2 and "The data set looks like toy, not csbench." in wrong_import.stderr
