"""Questions in another language: what a model gives back is checked before it is written."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from benchwright_authoring.new_problem import write_new_problem
from benchwright_authoring.translation.translating import translation_faults
from benchwright_problems.problem import QuestionFormat
from benchwright_problems.storage.pack_folder import read_pack_folder
from benchwright_server.cli.app import app_with_commands

from ...support.service.judge_endpoint import JudgeEndpoint, JudgeRequest, PlayedReply, content

STATEMENT = "# Dirty lines\n\nA line of 64 bytes has `dirty = 1`. What happens first?\n\n![A cache](figures/c.svg)\n"
GERMAN = {
    "title": "Geänderte Zeilen",
    "statement": "Eine Zeile von 64 Bytes hat `dirty = 1`. Was geschieht zuerst?\n\n![Ein Cache](figures/c.svg)",
    "choice A": "Erste",
    "choice B": "Zweite",
    "choice C": "Dritte",
    "choice D": "Vierte",
    "rubric": "",
    "explanation": "Weil der Speicher alt ist.",
}


def translatable_english_texts(folder: Path) -> dict[str, str]:
    (problem,) = read_pack_folder(folder).problems
    question, key = problem.public.question, problem.hidden.answer
    assert question is not None
    assert key is not None
    choices = {f"choice {choice.letter}": choice.text for choice in question.choices}
    body = problem.public.statement.partition("\n")[2].strip()
    return {"title": problem.title, "statement": body, **choices, "rubric": "", "explanation": key.explanation}


Say = Callable[[str, dict[str, Any]], Any]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    problem_folder = write_new_problem(tmp_path / "mine", "lines", QuestionFormat.MULTIPLE_CHOICE)
    (problem_folder / "statement.md").write_text(STATEMENT)
    (problem_folder / "figures").mkdir()
    (problem_folder / "figures" / "c.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')
    return tmp_path / "mine"


class Scripted:
    """A model that translates as it is told, and finds both versions the same unless it is told otherwise."""

    def __init__(self, folder: Path) -> None:
        self.german: dict[str, Any] = {**GERMAN}
        self.back: dict[str, Any] = translatable_english_texts(folder)
        self.verdict: dict[str, Any] = {"difference": "", "same": True}
        self.request_kinds: list[str] = []

    def __call__(self, request: JudgeRequest) -> PlayedReply:
        kind = (
            "compare" if "compare two versions" in request.system else "to" if "to German" in request.system else "back"
        )
        self.request_kinds.append(kind)
        reply = {"to": self.german, "back": self.back, "compare": self.verdict}[kind]
        return content(json.dumps(reply))


@pytest.fixture
def model(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scripted]:
    scripted = Scripted(folder)
    with JudgeEndpoint(scripted) as endpoint:
        monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path / "home"))
        config = tmp_path / "home" / "config"
        config.mkdir(parents=True)
        (config / "judges.toml").write_text(f'[[judge]]\nname = "m"\nmodel = "m"\nbase_url = "{endpoint.url}"\n')
        yield scripted


def run_translation(folder: Path, *options: str) -> tuple[int, str, Path]:
    target = folder.parent / "mine-de"
    command = ["questions", "translate", str(folder), "--to", "de", "--out", str(target), "--model", "m", *options]
    invocation = CliRunner().invoke(app_with_commands(), command)
    return invocation.exit_code, invocation.output, target


def test_a_translated_pack_has_the_question_with_its_key_figures_and_group(folder: Path, model: Scripted) -> None:
    code, console_text, target = run_translation(folder)
    assert code == 0, console_text
    assert "1 of 1 questions passed" in console_text
    pack = read_pack_folder(target)
    (problem,) = pack.problems
    question, key = problem.public.question, problem.hidden.answer
    assert question is not None
    assert key is not None
    assert (problem.id, problem.title, question.language, question.group) == (
        *("lines-de", "Geänderte Zeilen", "de", "lines"),
    )
    assert [choice.text for choice in question.choices] == ["Erste", "Zweite", "Dritte", "Vierte"]
    assert (key.value, key.explanation) == ("A", "Weil der Speicher alt ist.")
    assert [figure.path for figure in problem.public.figures] == ["figures/c.svg"]
    assert pack.title.endswith("(German)")
    assert pack.canary is None
    assert model.request_kinds == ["to", "back", "compare"]
    assert run_translation(folder)[0] == 0
    assert len(model.request_kinds) == 3, "replies are kept"


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"statement": GERMAN["statement"].replace("64", "46")}, "statement has a number that was changed"),
        ({"statement": GERMAN["statement"].replace("`dirty = 1`", "`schmutzig = 1`")}, "statement has code"),
        ({"statement": GERMAN["statement"].replace("c.svg", "../../x.svg")}, "statement has a picture"),
        ({"choice B": "Erste"}, "two options say the same"),
        ({"choice B": ""}, "choice B is empty"),
        ({"rubric": "Es ist A."}, "rubric is not empty any more"),
        ({"choice B": 3}, "choice B is no text"),
        ({"choice E": "Fünfte"}, "other fields than the question"),
        ({"title": "\ud800"}, "title has characters that can't be seen"),
        ({"title": "\x1b[2J"}, "title has characters that can't be seen"),
    ],
)
def test_a_translation_that_changes_what_has_to_stay_is_not_written(
    folder: Path, model: Scripted, change: dict[str, Any], fault: str
) -> None:
    model.german |= change
    code, console_text, target = run_translation(folder)
    assert code == 1
    assert fault in console_text.replace("\n", " ")
    assert not (target / "pack.toml").exists()
    (row,) = json.loads((target / "translations.json").read_text())
    assert (row["problem"], row["made"]) == ("lines", "")
    assert model.request_kinds == ["to"]


def test_what_says_something_else_when_translated_back_is_named(folder: Path, model: Scripted) -> None:
    model.verdict = {"difference": "The first asks for the first step,\x1b the second for the last.", "same": False}
    code, console_text, target = run_translation(folder)
    assert code == 1
    assert "lines: translated back, something differs: The first asks" in console_text.replace("\n", " ")
    assert "\x1b" not in console_text
    (row,) = json.loads((target / "translations.json").read_text())
    assert row["texts"]["title"] == "Geänderte Zeilen"
    assert not (target / "lines-de").exists()


def test_a_model_that_does_not_compare_passes_nothing(folder: Path, model: Scripted) -> None:
    model.verdict = {"difference": "", "same": "yes"}
    assert run_translation(folder)[0] == 1


def test_numbers_may_be_written_as_another_language_writes_them() -> None:
    assert list(translation_faults({"statement": "1,024.5 bytes"}, {"statement": "1.024,5 Bytes"})) == []
    assert list(translation_faults({"statement": "```\na\n```"}, {"statement": "```\nb\n```"})) == [
        "statement has a block of code that was changed"
    ]


def test_a_number_that_is_another_one_in_the_other_language_is_named(
    folder: Path, model: Scripted, tmp_path: Path
) -> None:
    blank = write_new_problem(tmp_path / "blanks", "words", QuestionFormat.FILL_IN_THE_BLANK)
    file = blank / "problem.toml"
    file.write_text(file.read_text().replace('"24"', '"1,024"'))
    model.german = {**GERMAN, "statement": "Wie viele?", "answer": "1,024"}
    model.german = {name: text for name, text in model.german.items() if not name.startswith("choice")}
    (blank / "statement.md").write_text("# How many\n\nHow many?\n")
    code, console_text, _ = run_translation(tmp_path / "blanks")
    assert code == 1
    assert "answer is another number in German" in console_text.replace("\n", " ")
    model.german["answer"] = "1.024"
    model.back = {
        "title": "How many",
        "statement": "How many?",
        "answer": "1,024",
        "rubric": "",
        "explanation": "It is.",
    }
    assert run_translation(tmp_path / "blanks", "--out", str(tmp_path / "again"))[0] == 0


def test_no_other_pack_is_written_over_and_a_picture_that_is_gone_goes(folder: Path, model: Scripted) -> None:
    pack_text = (folder / "pack.toml").read_text()
    code, console_text, target = run_translation(folder, "--out", str(folder))
    assert code != 0
    assert "holds another pack" in console_text.replace("\n", " ")
    assert (folder / "pack.toml").read_text() == pack_text
    assert model.request_kinds == []
    assert run_translation(folder)[0] == 0
    (target / "lines-de" / "figures" / "old.svg").write_text("<svg/>")
    assert run_translation(folder)[0] == 0
    assert not (target / "lines-de" / "figures" / "old.svg").exists()
    model.verdict = {"difference": "All.", "same": False}
    (folder / "lines" / "statement.md").write_text(STATEMENT.replace("A line", "One line"))
    assert run_translation(folder)[0] == 1
    assert not (target / "pack.toml").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--from", "de"), "in that language already"),
        (("--from", "fr"), "has no question in French"),
        (("--to", "xx"), "none of the languages"),
        (("--model", "other"), "no model judge"),
    ],
)
def test_what_can_not_be_translated_is_said(
    folder: Path, model: Scripted, options: tuple[str, str], message: str
) -> None:
    code, console_text, target = run_translation(folder, *options)
    assert code == 2 or code == 1
    assert message in console_text.replace("\n", " ")
    assert not target.exists()
