"""The program behind an editor's grading view."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchwright_foundation.home import Home
from benchwright_judges.judgement import JudgementStatus
from benchwright_judges.models.configuration import read_settings, records_location
from benchwright_judges.records.recorded_judging import judge_and_record
from benchwright_judges.records.records import Records
from benchwright_problems.storage.store import Store

REF = "starter/store-buffering"


class Desk:
    """One grader's sitting."""

    def __init__(self, home: Path, grader: str) -> None:
        self.process = subprocess.Popen(
            [Path(sys.executable).with_name("benchwright"), "judge", "desk", "--grader", grader],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "BENCHWRIGHT_HOME": str(home)},
        )

    def hears(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        desk_message: dict[str, Any] = json.loads(self.process.stdout.readline())
        return desk_message

    def says(self, **line: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(line) + "\n")
        self.process.stdin.flush()


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """With two answers that nobody has judged."""
    folder = tmp_path / "home"
    environ = {"BENCHWRIGHT_HOME": str(folder)}

    async def leave_answers() -> None:
        grader_home = Home.from_environment(environ)
        records = await Records.open(records_location(read_settings(environ), grader_home))
        problem = Store(grader_home).unseal(REF)
        for answer in ("first answer", "second answer"):
            assert (
                await judge_and_record(problem, answer, None, records, problem_ref=REF)
            ).status is JudgementStatus.PENDING
        await records.close()

    asyncio.run(leave_answers())
    yield folder


def test_a_grader_sees_the_key_but_not_who_answered_and_every_grade_is_kept(home: Path) -> None:
    desk = Desk(home, "ann")
    first_answer = desk.hears()
    assert (first_answer["type"], first_answer["left"], first_answer["labels"]) == (
        "answer",
        2,
        ["incorrect", "partially correct", "correct"],
    )
    assert "store buffer" in first_answer["reference"] and "Up to 6 points" in first_answer["notes"]
    assert not {"attempt", "solver", "grades"} & first_answer.keys()

    desk.says(type="grade", id=first_answer["id"], label="superb", difficulty=1, comment="")
    assert "not on the scale" in desk.hears()["reason"]
    desk.says(nonsense=True)
    assert desk.hears()["type"] == "refused"
    desk.says(type="grade", id=first_answer["id"], label="correct", difficulty=1, comment="")
    second_answer = desk.hears()
    assert (second_answer["left"], second_answer["id"] != first_answer["id"]) == (1, True)
    desk.process.kill()
    desk.process.wait()

    second_desk = Desk(home, "ann")
    assert second_desk.hears()["id"] == second_answer["id"]
    second_desk.says(type="grade", id=second_answer["id"], label="incorrect", difficulty=5, comment="guessed")
    assert second_desk.hears() == {"type": "done", "graded": 1}
    assert second_desk.process.wait(timeout=120) == 0


def test_a_skipped_answer_comes_last(home: Path) -> None:
    desk = Desk(home, "ben")
    first_answer = desk.hears()
    desk.says(type="skip")
    second_answer = desk.hears()
    assert second_answer["id"] != first_answer["id"]
    desk.says(type="grade", id=second_answer["id"], label="correct", difficulty=3, comment="")
    assert desk.hears()["id"] == first_answer["id"]
    assert desk.process.stdin is not None
    desk.process.stdin.close()
    assert desk.process.wait(timeout=120) == 0
