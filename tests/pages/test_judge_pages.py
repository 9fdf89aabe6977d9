"""The pages about judging: models are scripted, behind real HTTP on loopback."""

from __future__ import annotations

import csv
import json
import re
import tomllib
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchwright_judges.models.configuration import JudgesSettings

from ..support.packs.label_command import CHOICE, FREE, NETWORK, good
from ..support.service.judge_endpoint import JudgeEndpoint, JudgeRequest, PlayedReply, says
from ..support.service.judge_pages import free_port, labels
from ..support.service.postgres import new_database
from .page import Block, blocks
from .walk import Reader, Walk

MARKS = {"too late": "9", "slow": "2"}
"""Points for the answers that have these words."""
QUESTION = "starter/load-use-stalls"


def _fill_in(sheet: Path, **cells: str) -> None:
    with sheet.open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert rows, f"{sheet} is empty"
    for row in rows:
        if "answer" in row:
            row["label"] = next(points for words, points in MARKS.items() if words in row["answer"])
        row.update(cells)
    with sheet.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def _says(request: JudgeRequest) -> PlayedReply:
    """A judge who knows the answer to the sample question, and can label questions."""
    if labels(request):
        return good(request)
    return says("incorrect" if "50 %." in request.user else "correct")


@pytest.fixture
def endpoint() -> Iterator[JudgeEndpoint]:
    with JudgeEndpoint(_says) as running:
        yield running


def _judge(page_reader: Reader, endpoint: JudgeEndpoint) -> None:
    judge = f'[[judge]]\nname = "mini"\nbase_url = "{endpoint.url}"\nmodel = "scripted"\n'
    page_reader.write(".config/benchwright/judges.toml", judge)


def _label(page_reader: Reader) -> None:
    page_reader.write("choices.jsonl", json.dumps(CHOICE) + "\n")
    page_reader.write("free.json", json.dumps([FREE, NETWORK]))
    page_reader.run("benchwright problems import quarch choices.jsonl free.json --pack quarch")


def _correct(page_reader: Reader) -> None:
    file = page_reader.folder / "labels.csv"
    with file.open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    rows[0] |= {"corrected": rows[0]["label"], "reason": "It is."}
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def _grade_by_hand(page_reader: Reader) -> None:
    page_reader.write("why.md", "Because the value comes too late.")
    page_reader.run("benchwright answer starter/store-buffering why.md")
    page_reader.run("benchwright judge sheet export grades.csv --as ana --graders 1 --all")
    _fill_in(page_reader.folder / "grades.csv", label="correct", difficulty="2")
    page_reader.run("benchwright judge sheet import grades.csv --as ana --graders 1 --all")


def _is_ready(script: str) -> bool:
    port = script.split("--port ")[1].strip()
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/health/ready", timeout=5) as reply:
            return bool(reply.status == 200)
    except OSError:
        return False


def _service(page_reader: Reader, database: str) -> None:
    port, other_port = free_port(), free_port()
    page_reader.words |= {
        "BENCHWRIGHT_JUDGE_DATABASE=postgresql://judge@db.example.org/judges benchwright judge serve": (
            f"BENCHWRIGHT_JUDGE_DATABASE={database} benchwright judge serve --port {other_port}"
        ),
        "createdb judges\n": "",
        "benchwright judge serve\n": f"benchwright judge serve --port {port}\n",
        "https://judge.example.org": f"http://127.0.0.1:{port}",
    }
    page_reader.servers["judge serve"] = _is_ready
    page_reader.write("answers.json", json.dumps({"items": [{"problem": QUESTION, "answer": "(C)"}]}))


def _known_token(page_reader: Reader) -> None:
    page_reader.run("benchwright judge token create old --scope submit")
    (token,) = json.loads(page_reader.run("benchwright judge token list --json"))
    page_reader.words["1446d21c7b84"] = token["id"]


def _take_token(page_reader: Reader) -> None:
    (token,) = re.findall(r"bwj_\S+", page_reader.run("benchwright judge token create editor --scope submit"))
    page_reader.environment["TOKEN"] = token
    page_reader.typed["judge-token"] = f"{token}\n"


def _make_batch(page_reader: Reader) -> None:
    (batch_block,) = [block for block in blocks("docs/how-to/judge-service.md") if "@answers.json" in block.text]
    request = page_reader.reworded(batch_block.script.partition("curl -sSN")[0])
    page_reader.words["/batches/ID/"] = f"/batches/{json.loads(page_reader.run(request))['id']}/"


def _is_scored(page_reader: Reader) -> None:
    assert json.loads(page_reader.last_output)["judgement"]["passed"] is True, page_reader.last_output


def _configured(page: str, *, is_whole: bool) -> list[JudgesSettings]:
    toml_blocks = [block for block in blocks(page) if block.language == "toml"]
    assert toml_blocks
    return [
        JudgesSettings.model_validate(tomllib.loads(block.text))
        for block in toml_blocks
        if is_whole == (not _has_gap(block))
    ]


def _has_gap(block: Block) -> bool:
    return "# …" in block.text


WALKS = {
    "docs/how-to/judges.md": Walk(steps_before={"judge agreement": _grade_by_hand}),
    "docs/how-to/judge-service.md": Walk(
        steps_before={"token create ann": _known_token, "install -D": _take_token, "@answers.json": _make_batch},
        steps_after={"/v1/submissions": _is_scored},
    ),
    "docs/how-to/label-questions.md": Walk(_label, steps_before={"--correct": _correct}),
    "docs/how-to/grade-a-class.md": Walk(
        steps_before={"sheet import": lambda page_reader: _fill_in(page_reader.folder / "marks.csv", difficulty="2")}
    ),
}


@pytest.mark.sampled
@pytest.mark.parametrize("page", ["docs/how-to/judges.md", "docs/how-to/label-questions.md"])
def test_page_with_a_model(page: str, reader: Reader, endpoint: JudgeEndpoint) -> None:
    _judge(reader, endpoint)
    WALKS[page].go(page, reader)


def test_the_judges_of_the_page_are_valid() -> None:
    first_settings, second_settings = _configured("docs/how-to/judges.md", is_whole=True)
    assert (first_settings.budget_usd, [judge.name for judge in (*first_settings.judge, *second_settings.judge)]) == (
        2.0,
        ["mini", "local"],
    )


def test_the_reader_of_the_page_is_one_of_its_judges() -> None:
    texts = [block.text for block in blocks("docs/how-to/judges.md") if block.language == "toml"]
    (reader_name,) = (tomllib.loads(text)["reader"] for text in texts if "reader" in text)
    judges_toml = "".join(f"{text}\n" for text in texts if "# …" not in text)
    assert (
        JudgesSettings.model_validate(tomllib.loads(f'reader = "{reader_name}"\n{judges_toml}')).reader == reader_name
    )


@pytest.mark.nightly
def test_a_class_is_graded(reader: Reader) -> None:
    page = "docs/how-to/grade-a-class.md"
    WALKS[page].go(page, reader)


@pytest.mark.nightly
def test_a_service_runs(reader: Reader, request: pytest.FixtureRequest) -> None:
    page = "docs/how-to/judge-service.md"
    _service(reader, new_database(request.getfixturevalue("postgres")))
    WALKS[page].go(page, reader)
