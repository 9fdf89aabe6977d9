"""A set of CS-Bench's layout: imported by one command, asked, judged and reported; a hundredth of its size here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ..csbench_set import CODES, WHOLE, Student, number_in, write_layout
from ..judge_endpoint import Asked, JudgeEndpoint, Played, content, says

BENCHWRIGHT = str(Path(sys.executable).with_name("benchwright"))
POINTS = 8
WRONG_BLANK = json.dumps("\nR0\n")[1:-1]


@pytest.fixture(scope="module")
def of_each(nightly: bool) -> int:
    return WHOLE if nightly else WHOLE // 100


def run(folder: Path, environment: dict[str, str], *arguments: str, status: int = 0) -> str:
    ran = subprocess.run(
        [BENCHWRIGHT, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode == status, ran.stderr
    return ran.stdout


def test_a_whole_set_is_imported_asked_judged_and_reported(tmp_path: Path, of_each: int) -> None:
    student = Student(of_each)
    names = write_layout(tmp_path / "Dataset", of_each)

    def play(asked: Asked) -> Played:
        said = json.dumps(asked.body["messages"], ensure_ascii=False)
        if "REFERENCE ANSWER" not in said:
            return content(student.reply(number_in(said)))
        return says("0" if WRONG_BLANK in said else POINTS)

    with JudgeEndpoint(play) as endpoint:
        environment = {
            "BENCHWRIGHT_HOME": str(tmp_path / "home"),
            "PATH": os.environ["PATH"],
            "LOCAL_API_KEY": "none",
            "BENCHWRIGHT_JUDGE_URL": endpoint.url,
            "BENCHWRIGHT_JUDGE_MODEL": "judge",
        }
        imported = json.loads(
            run(tmp_path, environment, "problems", "import", "csbench", "Dataset/*/*.json", "--pack", "cs", "--json")
        )
        assert sorted(imported["problems"]) == sorted(names)
        model = ("--model", "openai-api/local/student", "--base-url", endpoint.url)
        asked = json.loads(
            run(
                tmp_path,
                environment,
                "eval",
                "--pack",
                "cs",
                *model,
                "--prompts",
                "cs-bench",
                "--out",
                "runs",
                "--json",
            )
        )
        assert (asked["samples"], asked["error"], asked["undecided"]) == (len(names), 0, 0)
        assert asked["passed"] == student.right + student.open_ended
        votes = len(endpoint.requests)
        (replies,) = (tmp_path / "runs").glob("*.responses.jsonl")
        answered = json.loads(
            run(tmp_path, environment, "answer", "cs", "--responses", str(replies), "--out", "graded", "--json")
        )
        # Votes on the same answer are there already.
        assert len(endpoint.requests) == votes
    assert (answered["total"], answered["judged"], answered["right"]) == (len(names), len(names), asked["passed"])
    assert set(answered["by_language"]) == set(CODES.values())
    assert len((tmp_path / "graded" / "verdicts.jsonl").read_text().splitlines()) == len(names)
    run(tmp_path, environment, "report", "--out", "report")
    report = json.loads((tmp_path / "report" / "report.json").read_text())
    assert report
