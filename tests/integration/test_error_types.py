"""From CS-Bench's records to its tables: real commands, the model and the judges are endpoints on loopback."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from benchwright_attempts import log_file
from benchwright_attempts.events.events import ErrorsClassified
from benchwright_attempts.summary.replay import verify
from benchwright_foundation.home import Home
from benchwright_judges.agreement.error_types import instructions
from benchwright_server.cli.app import command_line
from benchwright_studies.conduct.study_log import StudyLog

from ..support.service.judge_endpoint import Asked, JudgeEndpoint, Play, Played, content

MODEL = "openai-api/local/m"
STEPS = "A bus has two ends, so two bits are needed."
RECORD: dict[str, object] = {
    "Split": "Test",
    "Domain": "Computer Organization",
    "SubDomain": "Bus",
    "Format": "Multiple-choice",
    "Language": "English",
    "A": "two",
    "B": "three",
    "C": "four",
    "D": "five",
    "Answer": "B",
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LOCAL_API_KEY", "none")
    monkeypatch.delenv("BENCHWRIGHT_JUDGE_URL", raising=False)
    monkeypatch.chdir(tmp_path)
    records = [
        RECORD | {"ID": number, "Tag": ("Knowledge", "Reasoning")[number % 2], "Question": f"Question {number}?"}
        for number in range(6)
    ]
    Path("set.json").write_text(json.dumps(records))
    assert invoke("problems", "import", "csbench", "set.json", "--pack", "cs")[0] == 0
    return Home.find()


def invoke(*given: str) -> tuple[int, Any]:
    ran = CliRunner().invoke(command_line(), [*given], catch_exceptions=False)
    return ran.exit_code, json.loads(ran.stdout) if "--json" in given and ran.stdout else ran.output


def run_model(*options: str) -> None:
    """Right at question 0, wrong at the others."""

    def reply(asked: Asked) -> Played:
        right = "Question 0?" in json.dumps(asked.body["messages"])
        return content(f"{STEPS}\nAnswer: {'B' if right else 'A'}")

    with JudgeEndpoint(reply) as endpoint:
        status, said = invoke(
            "eval", "--pack", "cs", "--model", MODEL, "--base-url", endpoint.url, "--out", "out", "--json", *options
        )
    assert status == 0, said


def classify(home: Home, *plays: Play, options: tuple[str, ...] = ()) -> tuple[int, Any, list[list[Asked]]]:
    servers = [JudgeEndpoint(play).__enter__() for play in plays]
    lines = ["budget_usd = 100"]
    for number, server in enumerate(servers):
        lines += ["[[judge]]", f'name = "j{number}"', f'base_url = "{server.url}"', 'model = "m"', "input_usd = 1"]
    config = home.data.parent / "config" / "judges.toml"
    config.parent.mkdir(exist_ok=True)
    config.write_text("\n".join(lines))
    try:
        status, said = invoke("judge", "error-types", "cs", "--json", *options)
    finally:
        for server in servers:
            server.__exit__(None, None, None)
    return status, said, [list(server.requests) for server in servers]


def names(*types: str) -> Play:
    return lambda asked: content(json.dumps({"reason": "The key is B.", "types": types}))


def events(home: Home) -> list[ErrorsClassified]:
    with StudyLog(log_file(home)) as log:
        assert all(verify(*log.stored(header.id)).ok for header in log.headers())
        return [
            one.event
            for header in log.headers()
            for one in log.events(header.id)
            if isinstance(one.event, ErrorsClassified)
        ]


def test_judges_see_the_steps_and_the_report_shows_what_most_of_them_name(home: Home) -> None:
    run_model("--think")
    status, said, asked = classify(
        home, names("single concept", "calculation"), names("calculation"), names("misreading", "calculation")
    )
    assert (status, said["classified"], said["types"]) == (0, 5, {"calculation": 5})
    assert [len(one) for one in asked] == [5, 5, 5]
    assert all(STEPS in one.user and "REFERENCE ANSWER:\nB" in one.user for one in asked[0])
    recorded = events(home)
    assert {one.rubric for one in recorded} == {instructions()[1]}
    assert recorded[0].judges["j0"] == ("single concept", "calculation")
    assert all("The key" not in one.model_dump_json() for one in recorded), "reasons stay with the judgements"
    status, again, asked = classify(home, names("other"))
    assert (status, again["classified"], again["classified_before"], asked) == (0, 0, 5, [[]])
    assert invoke("report", "--out", "report", "--no-events")[0] == 0
    section = json.loads(Path("report/report.json").read_text())["sections"]["error-types"]
    assert "5 wrong choices of 5" in section["says"][0]
    rows = list(csv.DictReader(Path("report/tables/error-types.csv").read_text().splitlines()))
    found = {(row["row"], row["column"]): float(row["value"]) for row in rows}
    assert found == {
        (f"{tag}, model: {MODEL} (en, zero-shot, steps)", column): 1.0
        for tag in ("knowledge", "reasoning")
        for column in ("any of reasoning", "calculation")
    }
    assert "Judges of errors, compared" in Path("report/report.html").read_text()


def test_replies_from_elsewhere_with_their_steps_are_classified(home: Home) -> None:
    lines = [{"id": f"en-{number}", "completion": f"{STEPS}\nAnswer: A"} for number in range(6)]
    Path("replies.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    given = ("grade", "cs", "--responses", "replies.jsonl", "--solver", "local-7b", "--json")
    assert invoke(*given, "--think")[1]["wrong"] == 6
    status, said, asked = classify(home, names("calculation"))
    assert (status, said["classified"], said["types"]) == (0, 6, {"calculation": 6})
    assert all(STEPS in one.user for one in asked[0])


def test_replies_without_steps_are_not_classified(home: Home) -> None:
    run_model()
    status, said, _ = classify(home, names("other"))
    assert (status, events(home)) == (2, [])
    assert "--think" in said


def test_what_could_not_be_read_is_asked_again_and_votes_that_were_given_are_not(home: Home) -> None:
    run_model("--think")
    status, said, asked = classify(home, names("calculation"), lambda asked: content("{}"))
    assert (status, said["classified"]) == (0, 5), "one judge is enough"
    assert [len(one) for one in asked] == [5, 5]
    assert all([*one.judges] == ["j0"] for one in events(home))


def test_nothing_usable_leaves_answers_for_the_next_run(home: Home) -> None:
    run_model("--think")
    status, said, _ = classify(home, lambda asked: content("nothing"))
    assert (status, said["classified"], said["missing"], events(home)) == (1, 0, 5, [])
    status, said, _ = classify(home, names("unfinished"), options=("--budget", "0"))
    assert (status, said["missing"]) == (1, 5)
    status, said, _ = classify(home, names("unfinished"))
    assert (status, said["classified"], said["types"]) == (0, 5, {"unfinished": 5})
