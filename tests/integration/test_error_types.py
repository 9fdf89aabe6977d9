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
from benchwright_attempts.summary.replay import verify_attempt
from benchwright_foundation.home import Home
from benchwright_judges.agreement.error_labels import csbench_error_labels
from benchwright_server.cli.app import app_with_commands
from benchwright_studies.conduct.study_log import StudyLog

from ..support.service.judge_endpoint import JudgeEndpoint, JudgeRequest, Play, PlayedReply, content

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
    question_records = [
        RECORD | {"ID": number, "Tag": ("Knowledge", "Reasoning")[number % 2], "Question": f"Question {number}?"}
        for number in range(6)
    ]
    Path("set.json").write_text(json.dumps(question_records))
    assert invoke("problems", "import", "csbench", "set.json", "--pack", "cs")[0] == 0
    return Home.from_environment()


def invoke(*arguments: str) -> tuple[int, Any]:
    cli_run = CliRunner().invoke(app_with_commands(), [*arguments], catch_exceptions=False)
    return cli_run.exit_code, json.loads(cli_run.stdout) if "--json" in arguments and cli_run.stdout else cli_run.output


def run_model(*options: str) -> None:
    """Right at question 0, wrong at the others."""

    def reply(request: JudgeRequest) -> PlayedReply:
        is_right = "Question 0?" in json.dumps(request.body["messages"])
        return content(f"{STEPS}\nAnswer: {'B' if is_right else 'A'}")

    with JudgeEndpoint(reply) as endpoint:
        status, output = invoke(
            "eval", "--pack", "cs", "--model", MODEL, "--base-url", endpoint.url, "--out", "out", "--json", *options
        )
    assert status == 0, output


def classify(home: Home, *plays: Play, options: tuple[str, ...] = ()) -> tuple[int, Any, list[list[JudgeRequest]]]:
    servers = [JudgeEndpoint(play).__enter__() for play in plays]
    lines = ["budget_usd = 100"]
    for number, server in enumerate(servers):
        lines += ["[[judge]]", f'name = "j{number}"', f'base_url = "{server.url}"', 'model = "m"', "input_usd = 1"]
    config = home.data.parent / "config" / "judges.toml"
    config.parent.mkdir(exist_ok=True)
    config.write_text("\n".join(lines))
    try:
        status, output = invoke("judge", "error-types", "cs", "--json", *options)
    finally:
        for server in servers:
            server.__exit__(None, None, None)
    return status, output, [list(server.requests) for server in servers]


def names(*types: str) -> Play:
    return lambda request: content(json.dumps({"reason": "The key is B.", "types": types}))


def events(home: Home) -> list[ErrorsClassified]:
    with StudyLog(log_file(home)) as log:
        assert all(verify_attempt(*log.stored_attempt(header.id)).ok for header in log.headers())
        return [
            recorded.event
            for header in log.headers()
            for recorded in log.events(header.id)
            if isinstance(recorded.event, ErrorsClassified)
        ]


def test_judges_see_the_steps_and_the_report_shows_what_most_of_them_name(home: Home) -> None:
    run_model("--think")
    status, output, requests = classify(
        home, names("single concept", "calculation"), names("calculation"), names("misreading", "calculation")
    )
    assert (status, output["classified"], output["types"]) == (0, 5, {"calculation": 5})
    assert [len(server_requests) for server_requests in requests] == [5, 5, 5]
    assert all(STEPS in request.user and "REFERENCE ANSWER:\nB" in request.user for request in requests[0])
    recorded = events(home)
    assert {event.rubric for event in recorded} == {csbench_error_labels().reference}
    assert recorded[0].judges["j0"] == ("single concept", "calculation")
    assert all("The key" not in event.model_dump_json() for event in recorded), "reasons stay with the judgements"
    status, second_output, requests = classify(home, names("other"))
    assert (status, second_output["classified"], second_output["classified_before"], requests) == (0, 0, 5, [[]])
    assert invoke("report", "--out", "report", "--no-events")[0] == 0
    section = json.loads(Path("report/report.json").read_text())["sections"]["error-types"]
    assert "5 wrong choices of 5" in section["says"][0]
    rows = list(csv.DictReader(Path("report/tables/error-types.csv").read_text().splitlines()))
    report_cells = {(row["row"], row["column"]): float(row["value"]) for row in rows}
    assert report_cells == {
        (f"{tag}, model: {MODEL} (en, zero-shot, steps)", column): 1.0
        for tag in ("knowledge", "reasoning")
        for column in ("any of reasoning", "calculation")
    }
    assert "Judges of errors, compared" in Path("report/report.html").read_text()


def test_replies_from_elsewhere_with_their_steps_are_classified(home: Home) -> None:
    lines = [{"id": f"en-{number}", "completion": f"{STEPS}\nAnswer: A"} for number in range(6)]
    Path("replies.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    arguments = ("grade", "cs", "--responses", "replies.jsonl", "--solver", "local-7b", "--json")
    assert invoke(*arguments, "--think")[1]["wrong"] == 6
    status, output, requests = classify(home, names("calculation"))
    assert (status, output["classified"], output["types"]) == (0, 6, {"calculation": 6})
    assert all(STEPS in request.user for request in requests[0])


def test_replies_without_steps_are_not_classified(home: Home) -> None:
    run_model()
    status, output, _ = classify(home, names("other"))
    assert (status, events(home)) == (2, [])
    assert "--think" in output


def test_what_could_not_be_read_is_asked_again_and_votes_that_were_given_are_not(home: Home) -> None:
    run_model("--think")
    status, output, requests = classify(home, names("calculation"), lambda requests: content("{}"))
    assert (status, output["classified"]) == (0, 5), "one judge is enough"
    assert [len(server_requests) for server_requests in requests] == [5, 5]
    assert all([*event.judges] == ["j0"] for event in events(home))


def test_nothing_usable_leaves_answers_for_the_next_run(home: Home) -> None:
    run_model("--think")
    status, output, _ = classify(home, lambda request: content("nothing"))
    assert (status, output["classified"], output["missing"], events(home)) == (1, 0, 5, [])
    status, output, _ = classify(home, names("unfinished"), options=("--budget", "0"))
    assert (status, output["missing"]) == (1, 5)
    status, output, _ = classify(home, names("unfinished"))
    assert (status, output["classified"], output["types"]) == (0, 5, {"unfinished": 5})


def test_a_person_corrects_what_judges_named_and_the_report_counts_the_person(home: Home) -> None:
    run_model("--think")
    classify(home, names("calculation"))
    assert invoke("judge", "error-types", "cs", "--sheet", "errors.csv", "--json") == (
        0,
        {"corrected": 0, "written": 5},
    )
    rows = list(csv.DictReader(Path("errors.csv").read_text().splitlines()))
    assert {(row["types"], row["corrected"], row["reference"]) for row in rows} == {("calculation", "", "B")}
    assert all(STEPS in row["reply"] for row in rows) and Path("errors.csv").stat().st_mode & 0o777 == 0o600
    rows[0]["corrected"], rows[1]["corrected"] = "misreading; single concept", "calculation"
    with Path("errors.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    correct = ("judge", "error-types", "cs", "--corrections", "errors.csv", "--json")
    assert invoke(*correct)[0] == 2, "nobody says who corrected"
    assert invoke(*correct, "--as", "ada") == (0, {"corrected": 2, "written": 0})
    assert invoke(*correct, "--as", "ada") == (0, {"corrected": 0, "written": 0})
    corrected = [event for event in events(home) if event.people]
    assert {(event.types, event.people["ada"]) for event in corrected} == {
        (("single concept", "misreading"), ("single concept", "misreading")),
        (("calculation",), ("calculation",)),
    }
    assert classify(home, names("other"))[1]["classified_before"] == 5
    assert invoke("report", "--out", "report", "--no-events")[0] == 0
    numbers = json.loads(Path("report/report.json").read_text())["sections"]["error-types"]["numbers"]
    assert (numbers["classified"], numbers["corrected"]) == (5, 2)
    assert numbers["judges_against_people"] == {"j0": 0.5}
    rows[0]["attempt"] = "unknown"
    Path("errors.csv").write_text("attempt,corrected\nunknown,calculation\n")
    assert invoke(*correct, "--as", "ada")[0] == 2
