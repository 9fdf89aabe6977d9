from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchwright_authoring.new_problem import write_new_problem
from benchwright_problems.problem import QuestionFormat
from benchwright_server.cli.app import app_with_commands

from ...support.service.judge_endpoint import JudgeEndpoint, JudgeRequest, PlayedReply, content


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for form in (
        QuestionFormat.MULTIPLE_CHOICE,
        QuestionFormat.MULTIPLE_RESPONSE,
        QuestionFormat.FILL_IN_THE_BLANK,
        QuestionFormat.FREE_RESPONSE,
    ):
        write_new_problem(tmp_path / "mine", form.value, form)
    return tmp_path / "mine"


class Models:
    """Two models: `good` says what is set, `bad` always the same wrong thing."""

    def __init__(self) -> None:
        self.good = {"multiple-choice": "A", "fill-in-the-blank": "24", "free-response": "Because."}
        self.good["multiple-response"] = "A, C"
        self.requests: list[JudgeRequest] = []

    def __call__(self, request: JudgeRequest) -> PlayedReply:
        self.requests.append(request)
        if request.body["model"] == "bad":
            return content('{"answer": "B"}' if "letters" in request.system else "It is B, I think.")
        form = "fill-in-the-blank" if "blank" in request.system else "free-response"
        form = "multiple-choice" if "letter" in request.system else form
        form = "multiple-response" if "letters" in request.system else form
        return content(json.dumps({"reason": "It is.", "answer": self.good[form]}))


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Models]:
    played_models = Models()
    with JudgeEndpoint(played_models) as endpoint:
        monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path / "home"))
        config = tmp_path / "home" / "config"
        config.mkdir(parents=True)
        judges = (
            f'[[judge]]\nname = "{name}"\nmodel = "{name}"\nbase_url = "{endpoint.url}"\n' for name in ("good", "bad")
        )
        (config / "judges.toml").write_text("".join(judges))
        yield played_models


def try_out_command(*options: str) -> tuple[int, str]:
    invocation = CliRunner().invoke(app_with_commands(), ["questions", "try", *options])
    return invocation.exit_code, invocation.output


def test_each_model_answers_each_question_and_rules_say_which_are_right(folder: Path, models: Models) -> None:
    code, console_text = try_out_command(str(folder), "--model", "good", "--model", "bad", "--json")
    assert code == 0, console_text
    graded_answers = {
        (row["problem"], row["model"]): (row["answer"], row["is_right"]) for row in json.loads(console_text)
    }
    assert graded_answers == {
        ("multiple-choice", "good"): ("A", True),
        ("multiple-choice", "bad"): ("", None),
        ("multiple-response", "good"): ("AC", True),
        ("multiple-response", "bad"): ("B", False),
        ("fill-in-the-blank", "good"): ("24", True),
        ("fill-in-the-blank", "bad"): ("It is B, I think.", None),
        ("free-response", "good"): ("", None),
        ("free-response", "bad"): ("", None),
    }


def test_the_key_is_not_sent(folder: Path, models: Models) -> None:
    problem = folder / "free-response" / "problem.toml"
    problem.write_text(problem.read_text().replace("A model answer.", "Only the key says this."))
    assert try_out_command(str(folder), "free-response", "--model", "good")[0] == 0
    (request,) = models.requests
    assert "Only the key" not in json.dumps(request.body)
    assert "Why this is right" not in json.dumps(request.body)


def test_replies_are_shown_on_request_and_a_model_that_fails_is_named(folder: Path, models: Models) -> None:
    code, console_text = try_out_command(str(folder), "multiple-choice", "--model", "bad", "--replies")
    assert (code, "It is B, I think." in console_text) == (0, True)
    code, console_text = try_out_command(str(folder), "nothing", "--model", "bad")
    assert (code, "There is no question nothing; there is" in console_text) == (2, True)
    code, console_text = try_out_command(str(folder))
    assert (code, "Name at least one model of judges.toml with --model." in console_text) == (2, True)
    code, console_text = try_out_command(str(folder), "--model", "other")
    assert (code, "no model judge 'other'" in console_text) == (2, True)


def test_what_a_terminal_would_obey_is_not_printed(folder: Path, models: Models) -> None:
    models.good["fill-in-the-blank"] = "\x1b]0;owned\x07 \u202e \ud800"
    code, console_text = try_out_command(
        str(folder), "fill-in-the-blank", "--model", "good", "--model", "good", "--replies"
    )
    assert code == 0, console_text
    assert len(models.requests) == 1
    assert not {"\x1b", "\x07", "\u202e"} & set(console_text)
    assert try_out_command(str(folder), "fill-in-the-blank", "--model", "good", "--json")[0] == 0
