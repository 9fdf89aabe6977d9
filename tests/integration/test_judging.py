"""From an answer in a workspace to its judgement in the attempt's log: by model, later, or by people."""

from __future__ import annotations

import asyncio
import csv
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from benchwright_attempts import log_file
from benchwright_attempts.attempts import Attempts
from benchwright_attempts.clock.clock import AttemptState
from benchwright_attempts.events.events import Answered, Judged
from benchwright_attempts.log.export import read_export, write_export
from benchwright_attempts.summary.replay import verify_attempt
from benchwright_foundation.home import Home
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_judges.rubric import load_rubric
from benchwright_problems.storage.store import Store
from benchwright_problems.verdict import Outcome
from benchwright_server.attempts.sessions import EditorSessions
from benchwright_server.cli.app import app_with_commands
from benchwright_studies.conduct.study_log import StudyLog

from ..support.service.judge_endpoint import JudgeEndpoint, JudgeRequest, Play, PlayedReply, fails, in_turn, says

FREE = "starter/store-buffering"
ANSWER = "(a) All but (0, 0). (b) (0, 0) too, by the store buffers. (c) A full fence on both cores."
RUBRIC = load_rubric("free-response").reference


@pytest.fixture
def environ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "200")
    for name in ("URL", "MODEL", "KEY_ENV", "DATABASE"):
        monkeypatch.delenv(f"BENCHWRIGHT_JUDGE_{name}", raising=False)
    return tmp_path / "home"


@pytest.fixture
def home(environ: Path) -> Home:
    return Home.from_environment()


def set_up(home: Path, url: str, **judge_settings: object) -> None:
    lines = [f"{name} = {json.dumps(value)}" for name, value in judge_settings.items()]
    lines += ["[[judge]]", 'name = "ada"', f'base_url = "{url}"', 'model = "m"', "input_usd = 1", "output_usd = 2"]
    (home / "config").mkdir(parents=True, exist_ok=True)
    (home / "config" / "judges.toml").write_text("\n".join(lines))


def call(*arguments: str, stdin: str | None = None, status: int | None = 0) -> str:
    cli_run = CliRunner().invoke(app_with_commands(), ["judge", *arguments], input=stdin, catch_exceptions=False)
    assert status is None or cli_run.exit_code == status, cli_run.output
    return cli_run.stdout


async def answering(home: Home, *, text: str = ANSWER) -> tuple[str, str | None]:
    """A submitted attempt; its id and the reason of its verdict."""
    sessions = EditorSessions(home, BwrapSandbox())
    try:
        opened_problem = await sessions.open(FREE, True)
        session = await sessions.find_or_open_session(Path(opened_problem.status.workspace.removeprefix("file://")))
        assert session is not None
        await session.start()
        (session.workspace.folder / "answer.md").write_text(text)
        status = (await session.submit()).status
        return session.header.id, status.verdict.reason if status.verdict else None
    finally:
        await sessions.close()


def give_answer(home: Home, text: str = ANSWER) -> tuple[str, str | None]:
    return asyncio.run(answering(home, text=text))


def events(home: Home, attempt: str, kind: type) -> list[Any]:
    with StudyLog(log_file(home)) as log:
        assert verify_attempt(*log.stored_attempt(attempt)).ok
        return [recorded.event for recorded in log.events(attempt) if isinstance(recorded.event, kind)]


def test_an_answer_is_judged_when_it_is_submitted(environ: Path, home: Home) -> None:
    with JudgeEndpoint(in_turn(says("correct"))) as server:
        set_up(environ, server.url)
        attempt, reason = give_answer(home)
    assert reason == "passed"
    (event,) = events(home, attempt, Answered)
    assert event.outcome is Outcome.PASSED
    judgement = event.judged_by
    assert (judgement.method, judgement.label, judgement.rubric, judgement.score, judgement.tie_break) == (
        "model",
        "correct",
        RUBRIC,
        1.0,
        False,
    )
    assert [(vote.judge, vote.label) for vote in judgement.votes] == [("ada", "correct")] * 2
    assert judgement.cost_usd == pytest.approx(2 * (100 * 1 + 20 * 2) / 1e6)
    assert len(server.requests) == 2


def test_the_judge_sees_key_and_answer_and_nothing_of_the_solver(environ: Path, home: Home) -> None:
    with JudgeEndpoint(in_turn(says("correct"))) as server:
        set_up(environ, server.url)
        attempt, _ = give_answer(home)
    request = server.requests[0]
    text = request.system + request.user
    key = Store(home).unseal(FREE).hidden.answer
    assert key is not None and key.value.strip()[:40] in text and key.rubric.strip()[:40] in text
    assert ANSWER in text
    assert attempt not in text and "human" not in text and str(environ) not in json.dumps(request.body)


def test_without_a_judge_an_answer_waits_and_its_attempt_learns_the_score_later(
    environ: Path, home: Home, tmp_path: Path
) -> None:
    attempt, reason = give_answer(home)
    assert reason == "judge_unavailable"
    (event,) = events(home, attempt, Answered)
    assert (event.outcome, event.judged_by.status, event.judged_by.score) == (Outcome.ERROR, "pending", None)
    (waiting,) = json.loads(call("pending", "--json", status=1))
    assert (waiting["problem"], waiting["attempt"], waiting["number"]) == (FREE, attempt, 1)

    with JudgeEndpoint(in_turn(says("correct"), says("incorrect"), says("correct"))) as server:
        set_up(environ, server.url)
        (scored,) = json.loads(call("pending", "--score", "--json"))
    assert (scored["status"], scored["label"], scored["score"], scored["votes"]) == ("scored", "correct", 1.0, 3)
    assert call("pending") == "No answer waits.\n"

    (judged,) = events(home, attempt, Judged)
    assert (judged.number, judged.outcome, judged.judged_by.rubric) == (1, Outcome.PASSED, RUBRIC)
    assert judged.judged_by.tie_break and len(judged.judged_by.votes) == 3
    with StudyLog(log_file(home)) as log:
        summary = Attempts(log).summary(attempt)
        write_export(tmp_path / "attempt.jsonl", *log.stored_attempt(attempt))
    assert (summary.state, summary.has_passed, summary.verdict_count) == (AttemptState.SUBMITTED, True, 1)
    assert summary.first_pass is not None and summary.first_pass.number == 1
    assert verify_attempt(*read_export(tmp_path / "attempt.jsonl")).ok
    key = Store(home).unseal(FREE).hidden.answer
    assert key is not None and key.value.strip()[:40] not in (tmp_path / "attempt.jsonl").read_text()

    async def saved_outcome() -> str | None:
        sessions = EditorSessions(home, BwrapSandbox())
        status = await (await sessions.require_session(home.workspaces / FREE)).status()
        await sessions.close()
        return status.verdict.outcome if status.verdict else None

    assert asyncio.run(saved_outcome()) == "passed"


def test_a_judge_that_is_down_leaves_the_answer_waiting(environ: Path, home: Home) -> None:
    with JudgeEndpoint(in_turn(fails(401))) as server:
        set_up(environ, server.url)
        attempt, reason = give_answer(home)
    assert reason == "judge_error"
    (event,) = events(home, attempt, Answered)
    assert event.outcome is Outcome.ERROR and event.judged_by.score is None
    assert len(json.loads(call("pending", "--json", status=1))) == 1


def test_a_broken_configuration_is_told_and_costs_no_answer(environ: Path, home: Home) -> None:
    set_up(environ, "https://user:secret@example.org/v1")
    attempt, reason = give_answer(home)
    assert reason == "judge_unavailable"
    (event,) = events(home, attempt, Answered)
    assert "api_key_env" in event.message and "secret" not in event.message
    (environ / "config" / "judges.toml").unlink()
    assert len(json.loads(call("pending", "--json", status=1))) == 1


def test_two_people_grade_and_a_third_decides(environ: Path, home: Home) -> None:
    attempt, _ = give_answer(home)
    assert (
        "1 graded"
        in CliRunner().invoke(app_with_commands(), ["judge", "grade", "--as", "ana"], input="3\n2\n\n").output
    )
    first_page = call("grade", "--as", "bob", stdin="1\n4\nno fence on core 1\n")
    assert (
        ANSWER in first_page and "store buffer" in first_page and attempt not in first_page and "ana" not in first_page
    )
    assert len(json.loads(call("pending", "--json", status=1))) == 1
    assert "Nothing is left" in call("grade", "--as", "ana")
    call("grade", "--as", "cleo", "--disputed", stdin="1\n3\n\n")
    assert json.loads(call("pending", "--json")) == []
    (judged,) = events(home, attempt, Judged)
    judgement = judged.judged_by
    assert (judged.outcome, judgement.method, judgement.label, judgement.tie_break) == (
        Outcome.FAILED,
        "person",
        "incorrect",
        True,
    )
    assert [(vote.judge, vote.label) for vote in judgement.votes] == [
        ("ana", "correct"),
        ("bob", "incorrect"),
        ("cleo", "incorrect"),
    ]


def test_grading_can_be_skipped_stopped_and_taken_up_again(environ: Path, home: Home) -> None:
    for text in ("one", "two", "three"):
        give_answer(home, text=f"{ANSWER} {text}")
    first_page = call("grade", "--as", "ana", stdin="s\n3\n1\n\nq\n")
    second_page = call("grade", "--as", "ana", stdin="q\n")
    assert "1 of 3" in first_page and "1 of 2" in second_page


def test_a_sheet_goes_out_and_comes_back(environ: Path, home: Home, tmp_path: Path) -> None:
    give_answer(home, text="=HYPERLINK(1) is my answer")
    sheet = tmp_path / "sheet.csv"
    call("sheet", "export", str(sheet), "--as", "ana", "--graders", "1")
    assert sheet.stat().st_mode & 0o777 == 0o600
    rows = list(csv.DictReader(sheet.open(newline="")))
    assert rows[0]["answer"].startswith("'=HYPERLINK")
    rows[0] |= {"label": "correct", "difficulty": "6"}
    write(sheet, rows)
    refusal = CliRunner().invoke(
        app_with_commands(), ["judge", "sheet", "import", str(sheet), "--as", "ana", "--graders", "1"]
    )
    assert refusal.exit_code == 2 and "row 1: field difficulty" in refusal.stderr.replace("\n", " ")
    rows[0]["difficulty"] = "2"
    write(sheet, rows)
    summary = json.loads(call("sheet", "import", str(sheet), "--as", "ana", "--graders", "1", "--json"))
    assert summary == {"grades": 1, "decided": 1}


def write(sheet: Path, rows: list[dict[str, str]]) -> None:
    with sheet.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)


def right_or_wrong() -> Play:
    return lambda request: says("correct" if "Nine out of ten" in request.user else "incorrect")


def test_what_is_set_up_is_shown_and_tried(environ: Path) -> None:
    assert "No judge is set up" in call("config")
    with JudgeEndpoint(right_or_wrong()) as server:
        set_up(environ, server.url, budget_usd=1.5)
        configuration = json.loads(call("config", "--json"))
        tried = json.loads(call("test", "--json"))
    assert (configuration["judges"][0]["model"], configuration["judges"][0]["key"], configuration["budget_usd"]) == (
        "m",
        "none needed",
        1.5,
    )
    assert [(row["verdict"], row["ok"]) for row in tried] == [("correct", True), ("incorrect", True)]
    assert all(row["cost_usd"] > 0 and row["seconds"] > 0 for row in tried)


def test_a_judge_that_says_the_same_of_everything_fails_the_test(environ: Path) -> None:
    with JudgeEndpoint(in_turn(says("correct"))) as server:
        set_up(environ, server.url)
        assert "✗" in call("test", status=1)


def test_votes_go_out_and_replay_offline(environ: Path, home: Home, tmp_path: Path) -> None:
    with JudgeEndpoint(in_turn(says("correct"))) as server:
        set_up(environ, server.url)
        give_answer(home)
        call("cache", "export", str(tmp_path / "votes.jsonl"))
        url = server.url
    (home.data / "sealed" / "@judges" / "judges.sqlite").rename(tmp_path / "old.sqlite")
    for suffix in ("-wal", "-shm"):
        (home.data / "sealed" / "@judges" / f"judges.sqlite{suffix}").unlink(missing_ok=True)
    set_up(environ, url, offline=True)
    call("cache", "import", str(tmp_path / "votes.jsonl"))
    assert (give_answer(home))[1] == "passed"
    assert (give_answer(home, text="another answer"))[1] == "judge_error"


def test_agreement_of_judges_and_people_is_measured_from_the_database(environ: Path, home: Home) -> None:
    with JudgeEndpoint(in_turn(says("correct"))) as server:
        set_up(environ, server.url)
        for text in ("one", "two", "three"):
            give_answer(home, text=text)
    for grader, grader_labels in (("ana", "331"), ("bob", "333")):
        call("grade", "--as", grader, "--all", stdin="".join(f"{label}\n1\n\n" for label in grader_labels))
    (agreement,) = json.loads(call("agreement", "--json"))
    assert agreement["format"] == "free-response" and agreement["items"] == 3
    (ada,) = agreement["judges"]
    assert ada["agreement"]["count"] == ada["items"]
    assert "free-response" in call("agreement", "--disagreements")
    assert json.loads(call("pending", "--json")) == [], "grades for comparison make nothing wait"


def test_judges_are_probed_with_the_answers_of_the_database(environ: Path, home: Home) -> None:
    def prefers_its_family(request: JudgeRequest) -> PlayedReply:
        return says("correct" if "by a model of ada" in request.user else "incorrect")

    with JudgeEndpoint(prefers_its_family) as server:
        set_up(environ, server.url)
        assert "No answer can be probed" in call("probe", status=1)
        give_answer(home)
        results = json.loads(call("probe", "--json"))
        table = call("probe")
        asked = len(server.requests)
        call("probe")
    assert [(result["probe"], result["answers"], result["shift"]["value"]) for result in results] == [
        ("length", 1, 0.0),
        ("position", 1, 0.0),
        ("family", 1, 1.0),
    ]
    assert "family" in table and "signed by the judge's family" in table
    assert len(server.requests) == asked, "votes are kept"
