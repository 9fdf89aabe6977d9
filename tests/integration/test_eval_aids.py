"""`benchwright eval` with passages and with Python: real sandbox, log and report; the model alone is an endpoint."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from benchwright_server.cli.app import app_with_commands

from ..support.service.judge_endpoint import JudgeEndpoint, JudgeRequest, Play, PlayedReply, content

MODEL = "openai-api/local/m"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LOCAL_API_KEY", "none")
    monkeypatch.delenv("BENCHWRIGHT_JUDGE_URL", raising=False)
    monkeypatch.chdir(tmp_path)
    question_records = [
        {
            "ID": number,
            "Split": "Test",
            "Domain": "Computer Network",
            "SubDomain": "Physical Layer",
            "Format": "Multiple-choice",
            "Tag": "Reasoning",
            "Language": "English",
            "Question": f"Question {number}?",
            **{letter: f"value {letter}" for letter in "ABCD"},
            "Answer": "B",
        }
        for number in (1, 2)
    ]
    Path("set.json").write_text(json.dumps(question_records))
    assert invoke("problems", "import", "csbench", "set.json", "--pack", "cs")[0] == 0


def invoke(*arguments: str) -> tuple[int, Any]:
    cli_run = CliRunner().invoke(app_with_commands(), [*arguments], catch_exceptions=False)
    output = json.loads(cli_run.stdout) if "--json" in arguments and cli_run.stdout else cli_run.output
    return cli_run.exit_code, output


def ask(play: Play, *options: str) -> tuple[int, Any, list[JudgeRequest]]:
    with JudgeEndpoint(play) as endpoint:
        arguments = ("eval", "--pack", "cs", "--model", MODEL, "--base-url", endpoint.url, "--out", "out", "--json")
        status, output = invoke(*arguments, *options)
    return status, output, list(endpoint.requests)


def calls(script: str) -> PlayedReply:
    function = {"name": "python", "arguments": json.dumps({"script": script})}
    return content(
        None, finish_reason="tool_calls", tool_calls=[{"id": "c1", "type": "function", "function": function}]
    )


def calculates(request: JudgeRequest) -> PlayedReply:
    """Runs a script, and takes its answer from what that printed."""
    messages = request.body["messages"]
    if messages[-1]["role"] != "tool":
        return calls("import socket\nprint('the letter is', 'ABCD'[3 - 2])\nopen('/code/kept', 'w')")
    return content(f"Answer: {'B' if 'the letter is B' in str(messages[-1]['content']) else 'A'}")


def test_passages_and_python_are_ways_to_ask_that_the_report_compares(tmp_path: Path) -> None:
    Path("passages.jsonl").write_text(
        '{"id": "en-1", "passages": ["The value is B.", "Another."]}\n{"id": "en-2", "passages": []}\n'
    )
    assert ask(lambda request: content("Answer: A"))[1]["passed"] == 0
    status, summary, requests = ask(
        lambda request: content(f"Answer: {'B' if 'The value is B.' in request.user else 'A'}"),
        *("--passages", "passages.jsonl"),
    )
    assert (status, summary["passed"]) == (0, 1)
    (shown,) = (request.user for request in requests if "Question 1?" in request.user)
    assert shown.index("[1] The value is B.\n\n[2] Another.") < shown.index("Question 1?")
    assert not any("looked up" in request.user for request in requests if "Question 2?" in request.user)
    status, summary, requests = ask(calculates, "--python")
    assert (status, summary["passed"], len(requests)) == (0, 2, 4), summary
    assert [tool["function"]["name"] for tool in requests[0].body["tools"]] == ["python"]
    assert invoke("report", "--out", "report", "--no-events")[0] == 0
    sections = json.loads(Path("report/report.json").read_text())["sections"]
    scores = {cell["column"]: cell["value"] for cell in sections["settings"]["numbers"]["scores"]}
    assert scores == {"zero-shot": 0.0, "zero-shot, passages": 0.5, "zero-shot, python": 1.0}
    # Two requests of 100 and 20 tokens for each question.
    tokens = sections["tokens"]["numbers"][f"model: {MODEL} (en, zero-shot, python)"]
    assert (tokens["sent"], tokens["received"]) == (200, 40)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"id": "en-1", "passages": []}\n', "no line for en-2"),
        ('{"id": "en-1", "passages": "B"}\n', "line 1: passages"),
        ("nothing\n", "line 1: the line"),
    ],
)
def test_passages_that_cannot_be_used_are_named_before_anything_is_asked(text: str, words: str) -> None:
    Path("passages.jsonl").write_text(text)
    status, output, requests = ask(lambda request: content("Answer: A"), "--passages", "passages.jsonl")
    assert (status, requests) == (2, [])
    assert words in " ".join(output.split())
