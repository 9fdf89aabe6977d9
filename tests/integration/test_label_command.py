"""`benchwright problems label` against scripted models on loopback."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from benchwright_analysis.report.rows.problem_facts import facts_by_problem_ref
from benchwright_foundation.home import Home
from benchwright_problems.datasets.quarch import import_quarch
from benchwright_problems.storage.labels import LabelFile, LabelSource
from benchwright_problems.storage.store import Store
from benchwright_server.cli.app import app_with_commands

from ..support.packs.label_command import CHOICE, FREE, NETWORK, SOLUTION, good
from ..support.service.judge_endpoint import JudgeEndpoint, JudgeRequest, Play, PlayedReply, content

PROGRAM = [str(Path(sys.executable).with_name("benchwright"))]
LEVELS = {"q/mcq-1": "recall", "q/exam-2": "analyze", "q/exam-3": "design"}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.delenv("BENCHWRIGHT_JUDGE_URL", raising=False)
    new_home = Home.from_environment()
    add(new_home, [CHOICE], [FREE, NETWORK])
    return new_home


def add(home: Home, choice_records: Sequence[dict[str, Any]], free_records: Sequence[dict[str, Any]]) -> None:
    folder = home.data.parent / "sets"
    folder.mkdir(exist_ok=True)
    (folder / "choices.jsonl").write_text("".join(json.dumps(record) + "\n" for record in choice_records))
    (folder / "free.json").write_text(json.dumps(list(free_records)))
    Store(home).add(import_quarch([folder / "choices.jsonl", folder / "free.json"], "q"), replace=True)


def configure(home: Home, *urls: str) -> None:
    lines = []
    for number, url in enumerate(urls):
        lines += ["[[judge]]", f'name = "j{number}"', f'base_url = "{url}"', f'model = "m{number}"', "patience_s = 2"]
    config = home.data.parent / "config" / "judges.toml"
    config.parent.mkdir(exist_ok=True)
    config.write_text("\n".join(lines))


def run(*arguments: str) -> tuple[int, str, str]:
    cli_run = CliRunner().invoke(app_with_commands(), ["problems", *arguments], catch_exceptions=False)
    return cli_run.exit_code, cli_run.stdout, cli_run.stderr


def label(home: Home, play: Play, *options: str) -> tuple[int, Any, list[JudgeRequest]]:
    with JudgeEndpoint(play) as endpoint:
        configure(home, endpoint.url)
        status, stdout, error = run("label", "q", "--json", *options)
    return status, json.loads(stdout) if stdout else error, endpoint.requests


def settled(home: Home, kind: str) -> dict[str, tuple[str, str]]:
    _, stdout, _ = run("list", "q", "--json")
    return {
        row["problem"]: (row["labels"][kind]["value"], row["labels"][kind]["by"])
        for row in json.loads(stdout)
        if kind in row["labels"]
    }


def test_questions_get_the_labels_that_two_votes_agree_on_once(home: Home) -> None:
    status, summary, requests = label(home, good)
    assert status == 0, summary
    assert summary["labelled"] == {"skill": 3, "topic": 3, "difficulty": 3}
    assert len(requests) == 2 * 9
    skills = settled(home, "skill")
    assert {problem: value for problem, (value, _) in skills.items()} == LEVELS
    assert re.fullmatch(r"m0 with label-skill@[0-9a-f]{12}", skills["q/mcq-1"][1])
    label_lines = LabelFile(home, "q").all_labels()
    assert {line.source for line in label_lines} == {LabelSource.MODEL}
    topic = next(line for line in label_lines if line.kind == "topic" and line.problem == "exam-3")
    assert len(topic.shortlist) == 3
    assert (topic.shortlist_by, topic.votes[0].second) == ("tf-idf", topic.votes[1].second)
    assert LabelFile(home, "q").path.stat().st_mode & 0o777 == 0o600
    status, second_summary, requests = label(home, good)
    assert (status, requests) == (0, [])
    assert second_summary["known"] == {"skill": 3, "topic": 3, "difficulty": 3}


def test_no_request_and_no_label_has_anything_hidden(home: Home) -> None:
    def tells(request: JudgeRequest) -> PlayedReply:
        label_fields = json.loads(json.loads(good(request).body)["choices"][0]["message"]["content"])
        leak = "The answer is A" if "eviction" in request.user else f"It comes to {SOLUTION}."
        return content(json.dumps({name: leak if "reason" in name else value for name, value in label_fields.items()}))

    _, _, requests = label(home, tells)
    assert requests
    sent_text = json.dumps([request.body for request in requests])
    assert SOLUTION not in sent_text
    assert "REFERENCE" not in sent_text
    label_text = LabelFile(home, "q").path.read_text()
    assert "hence four" not in label_text
    assert "answer is A" not in label_text
    assert label_text.count("withheld") == 2 * 3 * (1 + 2 + 1)


def test_votes_that_differ_get_a_third_and_no_majority_is_named_and_tried_again(home: Home) -> None:
    skills = iter(["recall", "design", "design"])

    def apart(request: JudgeRequest) -> PlayedReply:
        return content(json.dumps({"reason": "So.", "skill": next(skills)}))

    add(home, [CHOICE], [FREE | {"skill": "analyze"}])
    status, summary, requests = label(home, apart, "--only", "skill")
    assert (status, len(requests)) == (0, 3)
    assert summary["known"] == {"skill": 1}
    assert settled(home, "skill")["q/mcq-1"][0] == "design"
    assert summary["agreement"][0]["votes"]["same"]["value"] == 0

    levels = iter(["easy", "medium", "hard"])

    def never(request: JudgeRequest) -> PlayedReply:
        return content(json.dumps({"reason": "So.", "difficulty": next(levels)}))

    add(home, [CHOICE | {"difficulty": "HARD"}], [FREE])
    status, summary, _ = label(home, never, "--only", "difficulty")
    assert status == 2
    (failure,) = summary["failures"]
    assert (failure["problem"], failure["kind"]) == ("q/exam-2", "difficulty")
    assert failure["why"].startswith("no majority: ")
    status, summary, requests = label(home, good, "--only", "difficulty")
    assert (status, summary["labelled"], len(requests)) == (0, {"difficulty": 1}, 2)


def test_topics_without_a_majority_are_settled_by_the_second_choices(home: Home) -> None:
    add(home, [], [NETWORK])
    choice_order = iter([(0, 1), (1, 2), (2, 1)])

    def votes(request: JudgeRequest) -> PlayedReply:
        listed_topics = [line[2:].partition(":")[0] for line in request.system.splitlines() if line.startswith("- ")]
        first_index, second_index = next(choice_order)
        vote = {
            "first": listed_topics[first_index],
            "first_reason": "",
            "second": listed_topics[second_index],
            "second_reason": "",
        }
        return content(json.dumps(vote))

    status, _, _ = label(home, votes, "--only", "topic")
    (label_line,) = LabelFile(home, "q").all_labels()
    # Two points for a first choice, one for a second: 2, 1 + 2 + 1 and 1 + 2.
    assert (status, label_line.value) == (0, label_line.shortlist[1])


def test_replies_that_are_no_label_are_replaced_twice_and_then_named(home: Home) -> None:
    bad = iter(["nonsense", '{"reason": "So.", "skill": "guess"}'])
    add(home, [CHOICE], [])

    def sometimes(request: JudgeRequest) -> PlayedReply:
        return content(text) if (text := next(bad, "")) else good(request)

    status, _, requests = label(home, sometimes, "--only", "skill")
    assert (status, len(requests)) == (0, 4)
    LabelFile(home, "q").path.unlink()
    status, summary, _ = label(home, lambda request: content("nonsense"), "--only", "skill")
    assert status == 2
    assert summary["failures"] == [
        {
            "problem": "q/mcq-1",
            "kind": "skill",
            "why": "too few usable replies: j0: the reply holds no JSON object",
        }
    ]


def test_labels_are_kept_when_the_process_is_killed_and_the_rest_is_asked_for_later(home: Home) -> None:
    def slow(request: JudgeRequest) -> PlayedReply:
        played_reply = good(request)
        return PlayedReply(played_reply.body, headers=played_reply.headers, delay_s=0.2)

    with JudgeEndpoint(slow) as endpoint:
        configure(home, endpoint.url)
        arguments = [*PROGRAM, "problems", "label", "q", "--jobs", "1"]
        process = subprocess.Popen(arguments, env=os.environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while len(LabelFile(home, "q").all_labels()) < 2 and time.monotonic() < deadline:
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.wait(30)
    kept_count = len(LabelFile(home, "q").all_labels())
    assert 2 <= kept_count < 9
    with LabelFile(home, "q").path.open("ab") as file:
        file.write(b'{"problem": "cut o')
    status, summary, requests = label(home, good)
    assert (status, sum(summary["known"].values()), len(requests)) == (0, kept_count, 2 * (9 - kept_count))
    assert len(LabelFile(home, "q").all_labels()) == 9


def test_an_interrupted_run_ends_in_good_order_and_says_how_to_go_on(home: Home) -> None:
    with JudgeEndpoint(lambda request: PlayedReply(good(request).body, delay_s=30)) as endpoint:
        configure(home, endpoint.url)
        process = subprocess.Popen(
            [*PROGRAM, "problems", "label", "q"], env=os.environ, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        deadline = time.monotonic() + 60
        while not endpoint.requests and time.monotonic() < deadline:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=30)
    assert process.returncode == 130
    assert b"What is labelled is kept. Go on: benchwright problems label q" in stderr
    assert b"Traceback" not in stderr


def test_people_correct_labels_beside_those_of_models_and_agreement_is_told(home: Home, tmp_path: Path) -> None:
    label(home, good)
    sheet = tmp_path / "labels.csv"
    assert run("label", "q", "--export", str(sheet))[0] == 0
    with sheet.open(newline="", encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 9
    for row in rows:
        if row["kind"] == "skill":
            row["corrected"] = "Implement" if row["problem"] == "exam-3" else row["label"]
            row["reason"] = "It has to be written down."
    write(sheet, rows)
    status, output, _ = run("label", "q", "--correct", str(sheet), "--by", "Ada")
    assert (status, output) == (0, "3 corrections by Ada kept; what models said is kept beside them.\n")
    assert settled(home, "skill")["q/exam-3"] == ("implement", "people")
    assert facts_by_problem_ref(Store(home), {"q/exam-3"})["q/exam-3"].skill == "implement"
    skill_lines = [
        skill_label
        for skill_label in LabelFile(home, "q").all_labels()
        if (skill_label.problem, skill_label.kind.value) == ("exam-3", "skill")
    ]
    assert [(line.value, line.by, line.reason) for line in skill_lines] == [
        ("design", "m0", ""),
        ("implement", "Ada", "It has to be written down."),
    ]
    _, output, requests = label(home, good)
    skill = output["agreement"][0]
    assert requests == []
    assert (skill["people"]["same"]["count"], skill["people"]["same"]["total"]) == (2, 3)
    assert "skill: implement (by people)" in run("show", "q/exam-3")[1]


def write(sheet: Path, rows: Sequence[dict[str, str]]) -> None:
    with sheet.open("w", newline="") as file:
        sheet_writer = csv.DictWriter(file, list(rows[0]))
        sheet_writer.writeheader()
        sheet_writer.writerows(rows)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"corrected": "guess"}, ":2: field corrected: is 'guess'; known are recall, analyze, design, implement"),
        ({"reason": ""}, ":2: field reason: is empty; say why"),
        ({"problem": "other"}, ":2: field problem: is 'other', and the pack has no such question"),
        ({"kind": "colour"}, ":2: field kind: is 'colour'; known are skill, topic, difficulty"),
    ],
)
def test_a_sheet_with_one_wrong_row_changes_nothing(
    home: Home, tmp_path: Path, change: dict[str, str], message: str
) -> None:
    row = {"problem": "mcq-1", "kind": "skill", "corrected": "design", "reason": "Because."}
    sheet = tmp_path / "labels.csv"
    write(sheet, [row | change, row])
    status, _, error = run("label", "q", "--correct", str(sheet), "--by", "Ada")
    assert status == 2
    assert message in error.replace("\n", "")
    assert LabelFile(home, "q").all_labels() == []


def test_offline_topics_are_the_likeliest_by_words_and_the_rest_is_named(home: Home) -> None:
    status, summary, requests = label(home, good, "--offline", "--only", "topic")
    assert (status, requests) == (0, [])
    assert "TF-IDF" in summary["shortlists"]
    assert settled(home, "topic") == {
        "q/mcq-1": ("Memory Systems", "tf-idf"),
        "q/exam-2": ("Memory Systems", "tf-idf"),
        "q/exam-3": ("Interconnection Networks", "tf-idf"),
    }
    status, summary, _ = label(home, good, "--offline", "--only", "skill")
    assert (status, len(summary["failures"])) == (2, 3)
    assert "--offline asks none" in summary["failures"][0]["why"]


def test_embeddings_make_the_shortlist_if_an_endpoint_is_set_up(home: Home, tmp_path: Path) -> None:
    topics = tmp_path / "topics.txt"
    topics.write_text("# ours\nAlpha: first\nBeta\nGamma\nDelta: last\n")
    axes = ("Alpha", "Beta", "Gamma", "Delta")

    def embed(request: JudgeRequest) -> PlayedReply:
        def vector(text: str) -> list[float]:
            axis = next((name for name in axes if text.startswith(name)), "")
            return [1.0 if name == axis else 0.0 for name in axes] if axis else [0.1, 0.9, 0.3, 0.2]

        embedding_records = [{"index": n, "embedding": vector(text)} for n, text in enumerate(request.body["input"])]
        return PlayedReply(
            json.dumps({"data": embedding_records}).encode(), headers={"Content-Type": "application/json"}
        )

    def votes(request: JudgeRequest) -> PlayedReply:
        if "input" in request.body:
            return embed(request)
        return content(json.dumps({"first": "beta", "first_reason": "", "second": "Gamma", "second_reason": ""}))

    with JudgeEndpoint(votes) as endpoint:
        extra_lines = ["[embeddings]", f'base_url = "{endpoint.url}"', 'model = "e"']
        configure(home, endpoint.url)
        config = home.data.parent / "config" / "judges.toml"
        config.write_text(config.read_text() + "\n" + "\n".join(extra_lines))
        status, stdout, _ = run("label", "q", "--json", "--only", "topic", "--topics", str(topics))
    assert status == 0
    assert "embeddings of e" in json.loads(stdout)["shortlists"]
    for topic_label in LabelFile(home, "q").all_labels():
        assert (topic_label.value, topic_label.shortlist, topic_label.shortlist_by) == (
            "Beta",
            ("Beta", "Gamma", "Delta"),
            "e",
        )


def test_what_the_data_set_says_counts_more_than_a_model_and_shows_how_far_it_agrees(home: Home) -> None:
    add(home, [CHOICE | {"topic": "Memory Systems"}], [FREE | {"skill": "design"}, NETWORK | {"skill": "design"}])
    _, summary, _ = label(home, good, "--all", "--only", "skill")
    assert settled(home, "skill")["q/exam-2"] == ("design", "data set")
    (skill,) = summary["agreement"]
    assert (skill["data_set"]["same"]["count"], skill["data_set"]["same"]["total"]) == (1, 2)


def test_a_label_counts_only_for_the_text_it_was_given_for(home: Home) -> None:
    label(home, good, "--only", "skill")
    add(home, [CHOICE], [FREE | {"question": "Another question."}, NETWORK])
    assert "q/exam-2" not in settled(home, "skill")
    assert "q/exam-3" in settled(home, "skill")


def test_a_damaged_file_of_labels_is_named_with_its_line(home: Home) -> None:
    label(home, good, "--only", "skill")
    path = LabelFile(home, "q").path
    path.write_text(path.read_text() + '{"problem": "mcq-1"}\n')
    status, _, error = run("list", "q")
    assert status == 2
    assert "q.jsonl:4: field " in error.replace("\n", "")


def test_without_a_model_the_next_step_is_told(home: Home) -> None:
    configure(home)
    status, _, error = run("label", "q")
    assert status == 2
    assert "docs/how-to/judges.md" in error
    assert "--offline" in error
