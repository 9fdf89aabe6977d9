"""`benchwright problems audit` against a scripted judge."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from benchwright_problems.home import Home
from benchwright_problems.store import Store
from benchwright_server.cli.app import command_line

from ..judge_endpoint import Asked, JudgeEndpoint, Play, Played, content

ASPECTS = ("ambiguity", "consistency", "category", "behaviour")


def rates(**points: int) -> Played:
    given = dict.fromkeys(ASPECTS, 9) | points
    return content(json.dumps({name: {"finding": f"{name} is fine", "points": value} for name, value in given.items()}))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.delenv("BENCHWRIGHT_JUDGE_URL", raising=False)
    return Home.find()


def audit(home: Home, *plays: Play, options: tuple[str, ...] = ()) -> tuple[int, Any, list[list[Asked]]]:
    servers = [JudgeEndpoint(play).__enter__() for play in plays]
    lines = ["budget_usd = 100"]
    for number, server in enumerate(servers):
        lines += ["[[judge]]", f'name = "j{number}"', f'base_url = "{server.url}"', 'model = "m"', "input_usd = 1"]
    config = home.data.parent / "config" / "judges.toml"
    config.parent.mkdir(exist_ok=True)
    config.write_text("\n".join(lines))
    try:
        ran = CliRunner().invoke(
            command_line(), ["problems", "audit", "starter", "--json", *options], catch_exceptions=False
        )
    finally:
        for server in servers:
            server.__exit__(None, None, None)
    said = json.loads(ran.stdout) if ran.stdout else ran.stderr
    return ran.exit_code, said, [server.requests for server in servers]


def test_a_pack_is_reviewed_once_per_judge_and_the_reviews_are_sealed(home: Home) -> None:
    status, said, (first, second) = audit(home, lambda asked: rates(), lambda asked: rates(category=7))
    problems = Store(home).public("starter").problems
    assert status == 0 and len(said) == len(problems) == len(first) == len(second)
    assert said[0]["points"] == {"ambiguity": 9, "consistency": 9, "category": 8, "behaviour": 9}
    assert said[0]["passed"] and "findings" not in said[0]["reviews"][0]
    kept = home.data / "sealed" / "@audits" / "starter" / f"{problems[0].id}.json"
    assert kept.stat().st_mode & 0o777 == 0o600
    assert "category is fine" in kept.read_text()
    status, again, (third,) = audit(home, lambda asked: rates())
    assert status == 0 and again == said and third == [], "nothing has changed, so nothing is paid for"
    assert len(audit(home, lambda asked: rates(), options=("--again",))[2][0]) == len(problems)


def test_the_reviewer_sees_both_sides_as_data(home: Home) -> None:
    _, _, (asked,) = audit(home, lambda asked: rates())
    fifo = next(one.user for one in asked if "sync_fifo" in one.user and "HARNESS" in one.user)
    hidden = Store(home).unseal("starter/sync-fifo").hidden
    assert next(iter(hidden.reference.values())).strip()[:60] in fifo
    code = fifo.split(".")[0].removeprefix("The code is ")
    assert fifo.count(f"BEGIN PROBLEM {code}") == fifo.count(f"END PROBLEM {code}") == 1
    assert fifo.rstrip().endswith(f"END PROBLEM {code}")


def test_one_aspect_below_the_threshold_fails_a_problem(home: Home) -> None:
    status, said, _ = audit(home, lambda asked: rates(ambiguity=7) if "FIFO" in asked.user else rates())
    assert status == 1
    assert {one["problem"] for one in said if not one["passed"]} >= {"starter/sync-fifo"}


@pytest.mark.parametrize("text", ["{}", "nice", '{"ambiguity": 9, "consistency": 9, "category": 9, "behaviour": 9}'])
def test_a_review_that_cant_be_read_is_no_low_score(home: Home, text: str) -> None:
    status, said, _ = audit(home, lambda asked: content(text))
    assert status == 2
    assert all(one["passed"] is None and one["points"] == {} for one in said)
    assert all(one["reviews"][0]["error"] for one in said)
    assert not (home.data / "sealed" / "@audits").exists()


def test_a_budget_holds(home: Home) -> None:
    # Less than the largest problems may cost alone, whichever are asked about at the same time.
    status, said, (asked,) = audit(home, lambda asked: rates(), options=("--budget", "0.014"))
    assert 0 < len(asked) < len(Store(home).public("starter").problems)
    assert len(said) == len(asked) and status == 0


def test_without_a_judge_the_next_step_is_told(home: Home) -> None:
    status, said, _ = audit(home)
    assert status == 2 and "docs/how-to/judges.md" in said
