"""`benchwright eval perplexity`: values by hand, from an endpoint that plays the log-probabilities of a prompt."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from benchwright_server.cli.app import app_with_commands

from ..support.service.judge_endpoint import JudgeEndpoint, JudgeRequest, Play, PlayedReply, content, echoes, fails

STATEMENTS = {"en": "What is in r1?", "de": "Was ist in r1?"}


@pytest.fixture
def pack_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A pack with a question in two languages."""
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    records = [
        {
            "ID": 1,
            "Split": "Test",
            "Domain": "Computer Network",
            "SubDomain": "Physical Layer",
            "Format": "Open-ended",
            "Tag": "Knowledge",
            "Language": {"en": "English", "de": "German"}[language],
            "Question": statement,
            "Answer": "The secret key.",
            "Explanation": None,
        }
        for language, statement in STATEMENTS.items()
    ]
    file = tmp_path / "records.json"
    file.write_text(json.dumps(records))
    command = ["problems", "import", "csbench", str(file), "--pack", "mine"]
    cli_run = CliRunner().invoke(app_with_commands(), command, catch_exceptions=False)
    assert cli_run.exit_code == 0, cli_run.output
    return "mine"


def measure(play: Play, pack_name: str, *options: str) -> tuple[int, str, str, list[JudgeRequest]]:
    with JudgeEndpoint(play) as endpoint:
        command = ["eval", "perplexity", "--pack", pack_name, "--model", "m", "--base-url", endpoint.url, *options]
        cli_run = CliRunner().invoke(app_with_commands(), command, catch_exceptions=False)
    return cli_run.exit_code, cli_run.stdout, cli_run.stderr, endpoint.requests


def plays_halves_and_quarters(request: JudgeRequest) -> PlayedReply:
    prompt: str = request.body["prompt"]
    probability = 1 / 2 if prompt.startswith("What") else 1 / 4
    return echoes(prompt, [None, *[math.log(probability)] * 3, -0.1])


def test_perplexity_of_each_language_is_that_of_its_tokens_but_the_first(pack_name: str) -> None:
    status, output, _, requests = measure(plays_halves_and_quarters, pack_name, "--json")
    assert status == 0
    groups: list[dict[str, Any]] = json.loads(output)["groups"]
    assert [(group["name"], group["statements"], group["tokens"]) for group in groups] == [
        ("de", 1, 3),
        ("en", 1, 3),
        ("all", 2, 6),
    ]
    # Three tokens of 1/4 and three of 1/2: exp((3 ln 4 + 3 ln 2) / 6) is the square root of 8.
    assert [group["perplexity"] for group in groups] == pytest.approx([4, 2, math.sqrt(8)])
    assert sorted(request.body["prompt"] for request in requests) == sorted(STATEMENTS.values())
    assert "secret" not in json.dumps([request.body for request in requests])


def test_a_table_names_the_groups(pack_name: str) -> None:
    status, output, _, _ = measure(plays_halves_and_quarters, pack_name, "--by", "domain")
    assert status == 0
    assert "Computer Network" in output and "2.83" in output


@pytest.mark.parametrize(
    ("play", "message"),
    [
        (lambda _: fails(404, "no such path"), "answers 404"),
        (lambda _: echoes("", [None]), "gives no log-probabilities of a prompt"),
        (lambda _: content("Hello."), "gives no log-probabilities of a prompt"),
        (lambda _: echoes("What is", [None, 0.5, -0.1]), "gives a log-probability that is none"),
    ],
    ids=["no completions", "no tokens", "a chat endpoint", "above 1"],
)
def test_an_endpoint_that_can_not_say_ends_it_with_the_next_step(pack_name: str, play: Play, message: str) -> None:
    status, output, error_output, _ = measure(play, pack_name)
    assert (status, output) == (2, "")
    assert message in " ".join(error_output.split())
    assert "such as vLLM" in " ".join(error_output.split())
