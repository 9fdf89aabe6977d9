"""Importing question sets and scoring many answers, as the command line does it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from benchwright_server.cli.app import app_with_commands

from ...support.packs.csbench_set import write_layout

Call = Callable[..., Result]


@pytest.fixture
def benchwright(tmp_path: Path) -> Call:
    def call(*arguments: str | Path) -> Result:
        environ = {"BENCHWRIGHT_HOME": str(tmp_path / "home"), "COLUMNS": "200"}
        return CliRunner().invoke(app_with_commands(), [str(argument) for argument in arguments], env=environ)

    return call


def csbench(number: int, style: str, answer_key: object, language: str = "English", **fields: str) -> dict[str, Any]:
    return {
        "ID": number,
        "Domain": "Computer Organization" if number < 3 else "Operating System",
        "SubDomain": "Overview",
        "Format": style,
        "Tag": "Knowledge",
        "Language": language,
        "Question": f"CANARY question {number}?",
        "Answer": answer_key,
    } | fields


CHOICES = {"A": "one", "B": "two", "C": "three", "D": "four"}
RECORDS = [
    csbench(1, "Multiple-choice", "B", **CHOICES),
    csbench(2, "Assertion", False),
    csbench(3, "Assertion", "Vrai", "French"),
    csbench(4, "Fill-in-the-blank", "PC"),
    csbench(5, "Open-ended", "Because."),
]


@pytest.fixture
def pack(benchwright: Call, tmp_path: Path) -> str:
    file = tmp_path / "set.json"
    file.write_text(json.dumps(RECORDS))
    completed = benchwright("problems", "import", "csbench", file, "--pack", "cs", "--json")
    assert json.loads(completed.stdout)["problems"] == ["en-1", "en-2", "fr-3", "en-4", "en-5"]
    return "cs"


def lines(file: Path, rows: list[dict[str, Any]]) -> Path:
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def test_a_file_of_answers_is_scored_and_summed_up(benchwright: Call, pack: str, tmp_path: Path) -> None:
    answers = lines(
        tmp_path / "answers.jsonl",
        [
            {"id": "en-1", "response": "The answer is (B)."},
            {"id": "en-1", "response": "C"},
            {"id": "en-1", "response": "B or C"},
            {"id": "en-2", "response": '{"answer": false}'},
            {"id": "fr-3", "response": "Réponse : faux"},
            {"id": "fr-3", "response": "  "},
            {"id": "en-4", "response": "the PC"},
            {"id": "en-5", "response": "Something else."},
        ],
    )
    scores_file = tmp_path / "out" / "verdicts.jsonl"
    completed = benchwright("answer", pack, "--responses", answers, "--out", scores_file.parent, "--json")
    assert completed.exit_code == 0
    summary = json.loads(completed.stdout)
    expected_counts = {"total": 8, "judged": 7, "right": 3, "wrong": 2, "unreadable": 1, "empty": 1, "pending": 1}
    assert {name: summary[name] for name in expected_counts} == expected_counts
    right_shares = (summary["accuracy"], summary["accuracy_of_readable"], summary["csbench_script"])
    assert right_shares == (0.428571, 0.6, 0.5)
    assert {name: group["total"] for name, group in summary["by_language"].items()} == {"en": 6, "fr": 2}
    assert summary["by_format"]["assertion"]["right"] == 1
    assert summary["by_format"]["open-ended"]["accuracy"] is None
    assert set(summary["by_domain"]) == {"Computer Organization", "Operating System"}
    verdict_rows = [json.loads(row) for row in scores_file.read_text().splitlines()]
    assert [(row["problem"], row["sample"], row["verdict"], row["reason"], row["label"]) for row in verdict_rows][
        :3
    ] == [
        ("en-1", 1, "passed", "passed", "B"),
        ("en-1", 2, "failed", "wrong_answer", "C"),
        ("en-1", 3, "failed", "unreadable", "ambiguous"),
    ]
    assert "CANARY" not in completed.output + scores_file.read_text()
    assert "operating" in benchwright("answer", pack, "--responses", answers).stdout.lower()


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"id": "en-9", "response": "B"}, "field id: the pack has no problem 'en-9'"),
        ({"id": "en-1", "response": 3}, "answers.jsonl:1"),
    ],
)
def test_a_bad_line_is_named_and_nothing_is_scored(
    benchwright: Call, pack: str, tmp_path: Path, row: dict[str, Any], message: str
) -> None:
    answers = lines(tmp_path / "answers.jsonl", [row])
    completed = benchwright("answer", pack, "--responses", answers, "--out", tmp_path / "out")
    assert completed.exit_code == 2
    assert message in completed.stderr
    assert not (tmp_path / "out").exists()


def test_one_answer_and_many_are_two_ways(benchwright: Call, pack: str, tmp_path: Path) -> None:
    assert "Give the file" in benchwright("answer", "cs/en-1").stderr
    refused_command = benchwright("answer", pack, tmp_path / "a", "--responses", tmp_path / "b")
    assert "no other file" in refused_command.stderr


def test_an_exported_set_is_the_imported_one(benchwright: Call, pack: str, tmp_path: Path) -> None:
    assert benchwright("problems", "export", pack, tmp_path / "out.jsonl").exit_code == 0
    assert [json.loads(row) for row in (tmp_path / "out.jsonl").read_text().splitlines()] == RECORDS


def test_quarch_takes_its_answers_from_a_file_of_their_own(benchwright: Call, tmp_path: Path) -> None:
    choice_question = {
        "question_id": 1,
        "question": "____?",
        "options": ["a", "b"],
        "difficulty": "EASY",
        "topic": "Memory",
    }
    questions = lines(tmp_path / "questions.jsonl", [choice_question])
    answers = lines(tmp_path / "keys.jsonl", [{"question_id": 1, "answer": "B"}])
    refused_import = benchwright("problems", "import", "quarch", questions, "--pack", "q")
    assert (refused_import.exit_code, "--answers" in refused_import.stderr) == (2, True)
    assert benchwright("problems", "import", "quarch", questions, "--pack", "q", "--answers", answers).exit_code == 0
    assert benchwright("problems", "check", "q").exit_code == 0
    wrong_import = benchwright("problems", "import", "csbench", questions, "--pack", "x", "--answers", answers)
    assert "--answers is an option of quarch" in wrong_import.stderr


def test_a_pattern_names_whole_sets_and_one_that_matches_nothing_is_said_so(
    benchwright: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = write_layout(tmp_path / "Dataset", 20)
    monkeypatch.chdir(tmp_path)
    completed = benchwright("problems", "import", "csbench", "Dataset/*/*.json", "--pack", "all", "--json")
    assert sorted(json.loads(completed.stdout)["problems"]) == sorted(names)
    english = tmp_path / "Dataset/CSBench-EN/*.json"
    completed = benchwright("problems", "import", "csbench", english, "--pack", "en", "--json")
    assert sorted(json.loads(completed.stdout)["problems"]) == sorted(name for name in names if name.startswith("en-"))
    missing = benchwright("problems", "import", "csbench", "Dataset/XX/*.json", "--pack", "xx")
    assert (missing.exit_code, "No file matches Dataset/XX/*.json" in missing.stderr) == (2, True)
