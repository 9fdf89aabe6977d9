"""Files of answers, designs and questions alike: waiting for judges, sudden death, repetition, and wrong lines."""

from __future__ import annotations

import csv
import difflib
import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from benchwright_foundation.home import Home
from benchwright_problems.problem import Problem
from benchwright_problems.storage.store import Store

from ..support.service.judge_endpoint import JudgeEndpoint, JudgeRequest, PlayedReply, content, fails, says
from ..support.service.judge_service import CANARY, CHOOSES, EXPLAINS, filled_store

BENCHWRIGHT = str(Path(sys.executable).with_name("benchwright"))
PATIENCE_S = 120.0
CHOICE, WHY = CHOOSES.partition("/")[2], EXPLAINS.partition("/")[2]


@dataclass
class Desk:
    """A user's folders with the pack `leaky`."""

    folder: Path
    endpoint: str = ""

    @property
    def environment(self) -> dict[str, str]:
        environment = {"BENCHWRIGHT_HOME": str(self.folder / "home"), "PATH": os.environ["PATH"]}
        judge = {"BENCHWRIGHT_JUDGE_URL": self.endpoint, "BENCHWRIGHT_JUDGE_MODEL": "scripted"}
        return environment | (judge if self.endpoint else {})

    def start(self, *arguments: str | Path) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [BENCHWRIGHT, *map(str, arguments)],
            env=self.environment,
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments: str | Path, status: int = 0) -> str:
        process = self.start(*arguments)
        stdout, complained = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == status, complained
        return stdout if status == 0 else complained

    def graded(self, answers: Path, *options: str | Path, command: str = "answer") -> dict[str, Any]:
        summary: dict[str, Any] = json.loads(self.run(command, "leaky", "--responses", answers, *options, "--json"))
        return summary

    def waiting(self) -> list[dict[str, Any]]:
        process = self.start("judge", "pending", "--json")
        rows: list[dict[str, Any]] = json.loads(process.communicate(timeout=PATIENCE_S)[0])
        return rows

    def attempts(self) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = json.loads(self.run("attempts", "list", "--json"))
        return sorted(rows, key=lambda row: str(row["problem"]))

    def write(self, *rows: dict[str, Any] | str, name: str = "answers.jsonl") -> Path:
        file = self.folder / name
        file.write_text("".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows))
        return file


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    new_desk = Desk(tmp_path)
    filled_store(Home.from_environment(new_desk.environment))
    return new_desk


def counts(summary: dict[str, Any], *names: str) -> tuple[Any, ...]:
    return tuple(summary[name] for name in names)


@pytest.mark.sampled
@pytest.mark.parametrize("command", ["answer", "grade"])
def test_answers_that_no_rule_decides_wait_until_a_judge_is_set_up(desk: Desk, command: str) -> None:
    answers = desk.write(
        {"id": CHOICE, "response": "B"},
        {"id": CHOICE, "response": "A"},
        {"id": WHY, "response": "Because of the bus."},
        {"id": WHY, "response": "Because of the cache."},
    )
    first_summary = desk.graded(answers, command=command)
    assert counts(first_summary, "total", "judged", "right", "wrong", "pending") == (4, 2, 1, 1, 2)
    assert first_summary["accuracy"] == 0.5
    assert sorted(row["problem"] for row in desk.waiting()) == [EXPLAINS, EXPLAINS]
    second_summary = desk.graded(answers, command=command)
    assert {**second_summary, "wall_s": 0} == {**first_summary, "wall_s": 0}
    assert len(desk.waiting()) == 2
    with JudgeEndpoint(lambda request: says("correct")) as endpoint:
        desk.endpoint = endpoint.url
        desk.run("judge", "pending", "--score")
        assert len(endpoint.requests) == 4
        judged_summary = desk.graded(answers, "--out", desk.folder / "out", command=command)
        assert len(endpoint.requests) == 4, "what is judged is not asked about again"
    assert counts(judged_summary, "judged", "right", "pending", "accuracy") == (4, 3, 0, 0.75)
    assert desk.waiting() == []
    lines = (desk.folder / "out" / "verdicts.jsonl").read_text()
    verdict_rows = [json.loads(line) for line in lines.splitlines()]
    assert [(row["problem"], row["sample"], row["verdict"], row["method"]) for row in verdict_rows] == [
        (CHOICE, 1, "passed", "deterministic"),
        (CHOICE, 2, "failed", "deterministic"),
        (WHY, 1, "passed", "model"),
        (WHY, 2, "passed", "model"),
    ]
    assert CANARY not in lines


@pytest.mark.sampled
@pytest.mark.parametrize("command", ["answer", "grade"])
def test_answers_are_attempts_of_the_log_which_late_judgements_decide(desk: Desk, command: str) -> None:
    answers = desk.write({"id": CHOICE, "response": "B"}, {"id": WHY, "response": "Because."})
    desk.graded(answers, "--solver", "ana", "--condition", "human", command=command)
    first_attempts = desk.attempts()
    assert [
        (attempt["problem"], attempt["solver"], attempt["condition"], attempt["state"], attempt["verdict"])
        for attempt in first_attempts
    ] == [
        (CHOOSES, "ana", "human", "submitted", "passed"),
        (EXPLAINS, "ana", "human", "submitted", "waiting for a judge"),
    ]
    assert [row["attempt"] for row in desk.waiting()] == [first_attempts[1]["id"]]
    with JudgeEndpoint(lambda request: says("correct")) as endpoint:
        desk.endpoint = endpoint.url
        desk.run("judge", "pending", "--score")
    assert [attempt["verdict"] for attempt in desk.attempts()] == ["passed", "passed"]
    desk.graded(answers, "--solver", "ana", "--condition", "human", command=command)
    assert [attempt["id"] for attempt in desk.attempts()] == [attempt["id"] for attempt in first_attempts]
    desk.run("attempts", "verify")


def test_the_same_command_decides_the_attempts_that_waited(desk: Desk) -> None:
    answers = desk.write({"id": WHY, "response": "Because."})
    desk.graded(answers)
    assert [(attempt["solver"], attempt["verdict"]) for attempt in desk.attempts()] == [
        ("answers", "waiting for a judge")
    ]
    with JudgeEndpoint(lambda request: says("incorrect")) as endpoint:
        desk.endpoint = endpoint.url
        desk.graded(answers)
    assert [attempt["verdict"] for attempt in desk.attempts()] == ["failed"]


@pytest.mark.nightly
def test_killed_in_the_middle_it_judges_only_the_rest(desk: Desk) -> None:
    count, early_count = 40, 10
    answers = desk.write(*({"id": WHY, "response": f"Because {number}."} for number in range(count)))
    is_stuck = True

    def play(request: JudgeRequest) -> PlayedReply:
        is_late = is_stuck and len(endpoint.requests) > 2 * early_count
        return PlayedReply(
            says("correct").body, headers={"Content-Type": "application/json"}, delay_s=600 if is_late else 0
        )

    with JudgeEndpoint(play) as endpoint:
        desk.endpoint = endpoint.url
        process = desk.start("answer", "leaky", "--responses", answers)
        deadline = time.monotonic() + PATIENCE_S
        while len(endpoint.requests) <= 2 * early_count:
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        is_stuck = False
        killed_at = len(endpoint.requests)
        assert {attempt["state"] for attempt in desk.attempts()} == {"running"}
        summary = desk.graded(answers)
        assert counts(summary, "total", "judged", "right", "pending") == (count, count, count, 0)
        requested_answers = {
            phrase for request in endpoint.requests for phrase in re.findall(r"Because \d+\.", request.user)
        }
        # Two votes each; what was on its way at the moment of the kill is asked for again.
        assert len(requested_answers) == count
        assert len(endpoint.requests) <= 2 * count + (killed_at - 2 * early_count) + 2 * 16
        assert [(attempt["state"], attempt["verdict"]) for attempt in desk.attempts()] == [
            ("submitted", "passed")
        ] * count
        total = len(endpoint.requests)
        assert desk.graded(answers) == summary
        assert len(endpoint.requests) == total


@pytest.mark.nightly
def test_the_same_command_with_a_reader_reads_what_rules_left_unreadable(desk: Desk) -> None:
    response_text = "Mine would be whatever keeps dirty blocks."
    answers = desk.write({"id": CHOICE, "response": "B"}, {"id": CHOICE, "response": response_text})
    assert counts(desk.graded(answers), "right", "unreadable") == (1, 1)
    reading = {"quote": "whatever keeps dirty blocks", "outcome": "stated", "value": "B"}
    with JudgeEndpoint(lambda request: content(json.dumps(reading))) as endpoint:
        desk.endpoint = endpoint.url
        assert counts(desk.graded(answers), "right", "unreadable") == (1, 1)
        assert endpoint.requests == []
        reading_summary = desk.graded(answers, "--reader", "scripted", "--out", desk.folder / "out")
        assert counts(reading_summary, "right", "unreadable") == (2, 0)
        assert len(endpoint.requests) == 2
        second_summary = desk.graded(answers, "--reader", "scripted")
        assert counts(second_summary, "right", "unreadable") == (2, 0)
        assert len(endpoint.requests) == 2
    desk.run("report", "--out", desk.folder / "report")
    page = next((desk.folder / "report").glob("*.html")).read_text()
    assert "a model read (reading@" in page
    assert "is none of the model judges" in desk.run(
        "answer", "leaky", "--responses", answers, "--reader", "other", status=2
    )


def test_a_judge_that_fails_is_named_and_costs_no_answer(desk: Desk) -> None:
    answers = desk.write({"id": WHY, "response": "Because."}, {"id": CHOICE, "response": "B"})
    with JudgeEndpoint(lambda request: fails(401)) as endpoint:
        desk.endpoint = endpoint.url
        summary = desk.graded(answers)
    assert counts(summary, "judged", "right", "pending", "accuracy") == (1, 1, 1, 1.0)
    (row,) = desk.waiting()
    assert "the endpoint answered 401: the key is not accepted" in row["message"]
    with JudgeEndpoint(lambda request: says("incorrect")) as endpoint:
        desk.endpoint = endpoint.url
        summary = desk.graded(answers)
    assert counts(summary, "judged", "right", "wrong", "pending") == (2, 1, 1, 0)


@pytest.mark.nightly
def test_a_changed_key_is_another_question(desk: Desk) -> None:
    answers = desk.write({"id": WHY, "response": "Because."})
    with JudgeEndpoint(lambda request: says("correct")) as endpoint:
        desk.endpoint = endpoint.url
        assert desk.graded(answers)["right"] == 1
        _replace_key(desk, WHY, "another reference")
        assert desk.graded(answers)["right"] == 1
        assert len(endpoint.requests) == 4
        assert desk.graded(answers)["right"] == 1
        assert len(endpoint.requests) == 4


@pytest.mark.nightly
def test_a_person_who_judges_by_a_new_key_decides_again(desk: Desk) -> None:
    answers = desk.write({"id": WHY, "response": "Because."})
    desk.graded(answers)
    _grade_by_hand(desk, "incorrect")
    assert [attempt["verdict"] for attempt in desk.attempts()] == ["failed"]
    _replace_key(desk, WHY, "another reference")
    assert desk.graded(answers)["pending"] == 1
    assert [attempt["verdict"] for attempt in desk.attempts()] == ["failed"], "what is not decided anew stays"
    _grade_by_hand(desk, "correct")
    assert desk.graded(answers)["right"] == 1
    assert [attempt["verdict"] for attempt in desk.attempts()] == ["passed"]
    desk.run("attempts", "verify")


@pytest.mark.nightly
def test_a_person_reads_what_rules_can_not_and_the_attempt_says_so(desk: Desk) -> None:
    answers = desk.write(
        {"id": CHOICE, "response": "I'd go for the second one."}, {"id": CHOICE, "response": "No idea."}
    )
    assert counts(desk.graded(answers), "right", "unreadable") == (0, 2)
    assert desk.waiting() == []
    _grade_by_hand(desk, "1")
    assert sorted(attempt["verdict"] for attempt in desk.attempts()) == ["failed", "passed"]
    assert counts(desk.graded(answers), "right", "unreadable") == (1, 1)
    desk.run("attempts", "verify")


def _grade_by_hand(desk: Desk, label: str) -> None:
    sheet = desk.folder / "marks.csv"
    sheet.unlink(missing_ok=True)
    desk.run("judge", "sheet", "export", sheet, "--as", "teacher", "--graders", "1")
    rows = list(csv.DictReader(sheet.read_text().splitlines()))
    with sheet.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows({**row, "label": label, "difficulty": "2"} for row in rows)
    desk.run("judge", "sheet", "import", sheet, "--as", "teacher", "--graders", "1")


@pytest.mark.nightly
def test_a_key_that_was_wrong_counts_no_more_once_it_is_mended(desk: Desk) -> None:
    answers = desk.write({"id": CHOICE, "response": "B"}, {"id": CHOICE, "response": "A"})
    assert counts(desk.graded(answers), "right", "wrong") == (1, 1)
    _replace_key(desk, CHOICE, "A")
    assert counts(desk.graded(answers), "right", "wrong") == (1, 1)
    attempts_by_id = {attempt["id"]: attempt for attempt in desk.attempts()}
    assert sorted(attempt["verdict"] for attempt in attempts_by_id.values()) == ["failed", "passed"]
    lengths = [json.loads(desk.run("attempts", "show", name, "--json"))["events"] for name in attempts_by_id]
    assert [event_counts["judged"] for event_counts in lengths] == [1, 1]
    desk.graded(answers)
    later_lengths = [json.loads(desk.run("attempts", "show", name, "--json"))["events"] for name in attempts_by_id]
    assert later_lengths == lengths, "what is as it was is not recorded again"
    desk.run("attempts", "verify")
    desk.run("report", "--out", desk.folder / "report", "--no-events")
    rows = list(csv.DictReader((desk.folder / "report" / "attempts.csv").read_text().splitlines()))
    assert sorted(row["final"] for row in rows) == ["failed", "passed"]


def _replace_key(desk: Desk, name: str, value: str) -> None:
    store = Store(Home.from_environment(desk.environment))
    pack = store.public_pack("leaky")

    def changed(problem: Problem) -> Problem:
        unsealed_problem = store.unseal(f"leaky/{problem.id}")
        answer = unsealed_problem.hidden.answer
        assert answer is not None
        if problem.id != name:
            return unsealed_problem
        hidden_part = unsealed_problem.hidden.model_copy(update={"answer": answer.model_copy(update={"value": value})})
        return unsealed_problem.model_copy(update={"hidden": hidden_part})

    store.add(pack.model_copy(update={"problems": tuple(map(changed, pack.problems))}), replace=True)


def test_no_money_is_spent_beyond_the_budget(desk: Desk) -> None:
    answers = desk.write({"id": WHY, "response": "Because."})
    with JudgeEndpoint(lambda request: says("correct")) as endpoint:
        desk.endpoint = endpoint.url
        config = desk.folder / "home" / "config"
        config.mkdir(parents=True)
        (config / "judges.toml").write_text(
            f'[[judge]]\nname = "a"\nbase_url = "{endpoint.url}"\nmodel = "m"\ninput_usd = 1\noutput_usd = 1\n'
        )
        desk.endpoint = ""
        assert desk.graded(answers, "--budget", "0")["pending"] == 1
        assert endpoint.requests == []


LINES: tuple[dict[str, Any] | str, ...] = (
    {"id": CHOICE, "response": "B"},
    {"id": "nobody", "response": "B"},
    "{",
    {"id": CHOICE, "response": 3},
    {"id": CHOICE, "response": "A"},
)


@pytest.mark.sampled
@pytest.mark.parametrize("command", ["answer", "grade"])
def test_a_line_that_cant_be_read_refuses_the_file_and_says_how_many_are_fine(desk: Desk, command: str) -> None:
    complaint = desk.run(command, "leaky", "--responses", desk.write(*LINES), status=2)
    assert "answers.jsonl:2: field id: the pack has no problem 'nobody'" in complaint
    assert "2 others can't be read either. 2 other records are fine: --skip-invalid takes only those" in " ".join(
        complaint.replace("Of the others, 2", "2 others").split()
    )


def test_lines_that_cant_be_read_are_left_out_on_demand_and_reported(desk: Desk) -> None:
    out_folder = desk.folder / "out"
    summary = desk.graded(desk.write(*LINES), "--skip-invalid", "--out", out_folder)
    assert counts(summary, "total", "right", "wrong", "left_out") == (2, 1, 1, 3)
    head, *rows = (out_folder / "answers-left-out.csv").read_text().splitlines()
    assert head == "file,line,field,reason"
    assert [row.split(",")[1:3] for row in rows] == [["2", "id"], ["3", ""], ["4", "response"]]
    verdict_rows = [json.loads(line) for line in (out_folder / "verdicts.jsonl").read_text().splitlines()]
    assert [row["sample"] for row in verdict_rows] == [1, 3], "numbers are those of the file"


def test_the_table_says_over_what_the_accuracy_is_and_what_to_do_about_the_rest(desk: Desk) -> None:
    answers = desk.write({"id": WHY, "response": "Because."}, {"id": CHOICE, "response": "B"})
    table = desk.run("answer", "leaky", "--responses", answers)
    assert "right answers among the 1 that are judged" in table
    assert "Answers that wait for a judge: 1. `benchwright judge pending` lists them" in table


def test_the_command_itself_says_why_answers_wait(desk: Desk) -> None:
    answers = desk.write({"id": WHY, "response": "Because."}, {"id": WHY, "response": "It must."})
    with JudgeEndpoint(lambda request: fails(401, "no")) as endpoint:
        desk.endpoint = endpoint.url
        table = desk.run("answer", "leaky", "--responses", answers)
    assert re.search(r"\n  2: \d of \d votes failed: the endpoint answered 401", table)


def test_settings_of_judges_that_are_wrong_are_named_where_answers_wait_for_them(desk: Desk) -> None:
    answers = desk.write({"id": WHY, "response": "Because."})
    desk.endpoint = "nowhere"
    assert "\n  1: This answer is kept and pending: " in desk.run("answer", "leaky", "--responses", answers)


def test_designs_and_questions_of_one_file_are_graded_together(desk: Desk) -> None:
    pack = Path(__file__).parents[2] / "problems/benchwright_problems/packs/starter/saturating-counter/hidden/reference"
    files = {path.relative_to(pack).as_posix(): path.read_text() for path in pack.rglob("*.sv")}
    answers = desk.write(
        {"id": "saturating-counter", "files": files},
        {"id": "store-buffering", "response": "(0, 0) too."},
        {"id": "saturating-counter", "files": {}},
        {"id": "saturating-counter", "completion": "I can't do that."},
    )
    out_folder = desk.folder / "out"
    stdout = desk.run("answer", "starter", "--responses", answers, "--out", out_folder, "--json")
    summary = json.loads(stdout)
    assert counts(summary, "total", "judged", "right", "wrong", "unreadable", "pending") == (4, 3, 1, 1, 1, 1)
    assert set(summary["by_format"]) == {"design", "free-response"}
    verdict_rows = [json.loads(line) for line in (out_folder / "verdicts.jsonl").read_text().splitlines()]
    assert [row["reason"] for row in verdict_rows] == ["passed", "judge_unavailable", "tests_failed", "declined"]


def test_an_answer_given_as_a_unified_difference_replays_to_the_patched_file(desk: Desk) -> None:
    problem = Path(__file__).parents[2] / "problems/benchwright_problems/packs/starter/saturating-counter"
    (reference_file,) = (problem / "hidden" / "reference").rglob("*.sv")
    path = reference_file.relative_to(problem / "hidden" / "reference").as_posix()
    starting_file = problem / "public" / path
    starting_lines = starting_file.read_text().splitlines(keepends=True) if starting_file.exists() else []
    patch = "".join(
        difflib.unified_diff(starting_lines, reference_file.read_text().splitlines(keepends=True), path, path)
    )
    assert patch.startswith(f"--- {path}\n+++ {path}\n@@ -")
    answers = desk.write({"id": "saturating-counter", "patch": {path: patch}})
    summary = json.loads(desk.run("grade", "starter", "--responses", answers, "--json"))
    assert counts(summary, "total", "right") == (1, 1)
    (attempt,) = desk.attempts()
    replayed = json.loads(desk.run("attempts", "replay", attempt["id"], "--to", "again", "--json"))
    assert (replayed["files"], replayed["ok"]) == ([path], True)
    assert (desk.folder / "again" / path).read_bytes() == reference_file.read_bytes()
    desk.run("attempts", "verify", attempt["id"])


def reported(desk: Desk, name: str) -> tuple[dict[str, Any], list[dict[str, str]]]:
    """Sections of a report about all attempts, and the rows of its table of attempts."""
    desk.run("report", "--out", desk.folder / name)
    sections = json.loads((desk.folder / name / "report.json").read_text())["sections"]
    with (desk.folder / name / "attempts.csv").open(newline="") as lines:
        return sections, list(csv.DictReader(lines))


def test_reading_a_file_takes_no_person_any_time(desk: Desk) -> None:
    answers = desk.write(
        {"id": CHOICE, "response": "B"}, {"id": CHOICE, "response": "A"}, {"id": WHY, "response": "So."}
    )
    desk.graded(answers, "--solver", "ada", "--condition", "human")
    desk.graded(answers, "--solver", "lab/m")
    sections, rows = reported(desk, "report")
    assert {row["time_source"] for row in rows} == {"none"}
    assert {row[name] for row in rows for name in ("clock_s", "active_s", "time_s", "first_pass_s")} == {""}
    assert sections["answer"]["numbers"]["conditions"][0]["minutes"] is None
    page = (desk.folder / "report" / "report.html").read_text()
    assert "2 attempts, since nothing measured their time, and no file states it." in page
    assert not sections["horizon"]["numbers"]
    assert {(row["time_source"], row["active_s"], row["elapsed_s"]) for row in desk.attempts()} == {
        ("none", None, None)
    }


def test_times_that_a_file_states_are_reported(desk: Desk) -> None:
    answers = desk.write(
        {"id": CHOICE, "response": "B", "minutes": 12},
        {"id": CHOICE, "response": "A", "minutes": 30},
        name="timed.jsonl",
    )
    desk.graded(answers, "--solver", "ada", "--condition", "human")
    sections, rows = reported(desk, "report")
    assert sorted((row["time_source"], row["time_s"], row["clock_s"]) for row in rows) == [
        ("reported", "1800", ""),
        ("reported", "720", ""),
    ]
    assert sections["time"]["numbers"]["time_source"] == "reported"
    assert "Times are as a file reports them" in sections["time"]["says"][0]


def test_times_that_a_file_states_later_are_added_to_the_same_attempts(desk: Desk) -> None:
    answer = {"id": CHOICE, "response": "B", "solver": "ada", "condition": "human"}
    desk.graded(desk.write(answer))
    (before,) = desk.attempts()
    desk.graded(desk.write({**answer, "seconds": 90}))
    desk.graded(desk.write({**answer, "seconds": 90}))
    (after,) = desk.attempts()
    assert (before["time_source"], after["time_source"]) == ("none", "reported")
    assert (after["id"], after["reported_s"]) == (before["id"], 90)
    shown = json.loads(desk.run("attempts", "show", after["id"], "--json"))
    assert shown["events"]["given"] == 2
