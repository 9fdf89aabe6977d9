"""`benchwright problems audit` against a scripted judge."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from benchwright_foundation.home import Home
from benchwright_problems.datasets.cvdp import import_cvdp
from benchwright_problems.storage.store import Store
from benchwright_server.cli.app import app_with_commands

from ..support.service.judge_endpoint import JudgeEndpoint, JudgeRequest, Play, PlayedReply, content

ASPECTS = ("ambiguity", "consistency", "category", "behaviour")


def rates(**points: int) -> PlayedReply:
    all_points = dict.fromkeys(ASPECTS, 9) | points
    return content(
        json.dumps({name: {"finding": f"{name} is fine", "points": value} for name, value in all_points.items()})
    )


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.delenv("BENCHWRIGHT_JUDGE_URL", raising=False)
    return Home.from_environment()


def audit(
    home: Home, *plays: Play, options: tuple[str, ...] = (), pack: str = "starter"
) -> tuple[int, Any, list[list[JudgeRequest]]]:
    servers = [JudgeEndpoint(play).__enter__() for play in plays]
    lines = ["budget_usd = 100"]
    for number, server in enumerate(servers):
        lines += ["[[judge]]", f'name = "j{number}"', f'base_url = "{server.url}"', 'model = "m"', "input_usd = 1"]
    config = home.data.parent / "config" / "judges.toml"
    config.parent.mkdir(exist_ok=True)
    config.write_text("\n".join(lines))
    try:
        cli_run = CliRunner().invoke(
            app_with_commands(), ["problems", "audit", pack, "--json", *options], catch_exceptions=False
        )
    finally:
        for server in servers:
            server.__exit__(None, None, None)
    output = json.loads(cli_run.stdout) if cli_run.stdout else cli_run.stderr
    return cli_run.exit_code, output, [server.requests for server in servers]


def test_a_pack_is_reviewed_once_per_judge_and_the_reviews_are_sealed(home: Home) -> None:
    status, rows, (first_requests, second_requests) = audit(
        home, lambda request: rates(), lambda request: rates(category=7)
    )
    problems = Store(home).public_pack("starter").problems
    assert status == 0 and len(rows) == len(problems) == len(first_requests) == len(second_requests)
    assert rows[0]["points"] == {"ambiguity": 9, "consistency": 9, "category": 8, "behaviour": 9}
    assert rows[0]["passed"] and "findings" not in rows[0]["reviews"][0]
    review_file = home.data / "sealed" / "@audits" / "starter" / f"{problems[0].id}.json"
    assert review_file.stat().st_mode & 0o777 == 0o600
    assert "category is fine" in review_file.read_text()
    status, second_rows, (third_requests,) = audit(home, lambda request: rates())
    assert status == 0 and second_rows == rows and third_requests == [], "nothing has changed, so nothing is paid for"
    assert len(audit(home, lambda request: rates(), options=("--again",))[2][0]) == len(problems)


def test_the_reviewer_sees_both_sides_as_data(home: Home) -> None:
    _, _, (requests,) = audit(home, lambda requests: rates())
    fifo = next(request.user for request in requests if "sync_fifo" in request.user and "HARNESS" in request.user)
    hidden_part = Store(home).unseal("starter/sync-fifo").hidden
    assert next(iter(hidden_part.reference.values())).strip()[:60] in fifo
    code = fifo.split(".")[0].removeprefix("The code is ")
    assert fifo.count(f"BEGIN PROBLEM {code}") == fifo.count(f"END PROBLEM {code}") == 1
    assert fifo.rstrip().endswith(f"END PROBLEM {code}")


def test_one_aspect_below_the_threshold_fails_a_problem(home: Home) -> None:
    status, rows, _ = audit(home, lambda request: rates(ambiguity=7) if "FIFO" in request.user else rates())
    assert status == 1
    assert {row["problem"] for row in rows if not row["passed"]} >= {"starter/sync-fifo"}


@pytest.mark.parametrize("text", ["{}", "nice", '{"ambiguity": 9, "consistency": 9, "category": 9, "behaviour": 9}'])
def test_a_review_that_cant_be_read_is_no_low_score(home: Home, text: str) -> None:
    status, rows, _ = audit(home, lambda request: content(text))
    assert status == 2
    assert all(row["passed"] is None and row["points"] == {} for row in rows)
    assert all(row["reviews"][0]["error"] for row in rows)
    assert not (home.data / "sealed" / "@audits").exists()


def test_a_budget_holds(home: Home) -> None:
    # Less than the largest problems may cost alone, whichever are asked about at the same time.
    status, rows, (requests,) = audit(home, lambda requests: rates(), options=("--budget", "0.014"))
    assert 0 < len(requests) < len(Store(home).public_pack("starter").problems)
    assert len(rows) == len(requests) and status == 0


def test_without_a_judge_the_next_step_is_told(home: Home) -> None:
    status, complaint, _ = audit(home)
    assert status == 2 and "docs/how-to/judges.md" in complaint


def imported(home: Home) -> list[dict[str, Any]]:
    """A pack of CVDP with two problems, and its records."""
    records: list[dict[str, Any]] = [
        {
            "id": name,
            "categories": ["cid003", "easy"],
            "input": {"prompt": f"Write {name}.", "context": {}},
            "output": {"response": "", "context": {"rtl/a.sv": f"module {name}; endmodule\n"}},
            "harness": {"files": {"docker-compose.yml": "services: {a: {image: i, command: [sh, -c, exit 0]}}"}},
        }
        for name in ("clear", "vague")
    ]
    file = home.data.parent / "set.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    Store(home).add(import_cvdp([file], "mine"))
    return records


def filtered(file: Path, *options: str, pack: str = "mine") -> tuple[int, str]:
    cli_run = CliRunner().invoke(
        app_with_commands(), ["problems", "filter", pack, str(file), *options], catch_exceptions=False
    )
    return cli_run.exit_code, cli_run.stdout + cli_run.stderr


def test_what_passed_its_audit_is_written_as_a_data_set_that_imports_again(home: Home, tmp_path: Path) -> None:
    records = imported(home)
    audit(home, lambda request: rates(ambiguity=7) if "vague" in request.user else rates(), pack="mine")
    file = tmp_path / "good.jsonl"
    status, output = filtered(file)
    assert status == 0 and "1 of 2 problems written" in output
    assert [json.loads(line) for line in file.read_text().splitlines()] == records[:1]
    assert [problem.id for problem in import_cvdp([file], "again").problems] == ["clear"]
    table = tmp_path / "good-audit.csv"
    kept_row, dropped = csv.DictReader(table.open())
    assert (kept_row["problem"], kept_row["kept"], kept_row["reason"]) == ("mine/clear", "yes", "")
    assert (dropped["problem"], dropped["kept"], dropped["ambiguity"]) == ("mine/vague", "no", "7.00")
    assert dropped["reason"] == "ambiguity 7.00 is below 8.0: j0: ambiguity is fine"
    assert [path.stat().st_mode & 0o777 for path in (file, table)] == [0o600, 0o600]


def test_the_rule_of_the_aggregate_keeps_what_is_weak_in_one_aspect_only(home: Home, tmp_path: Path) -> None:
    imported(home)
    # (5 + 9 + 9 + 9) / 4 is exactly 8.0; (4 + 9 + 9 + 9) / 4 is 7.75.
    audit(home, lambda request: rates(ambiguity=5 if "clear" in request.user else 4), pack="mine")
    assert filtered(tmp_path / "strict.jsonl")[1].startswith("category")
    strict = list(csv.DictReader((tmp_path / "strict-audit.csv").open()))
    assert [(row["kept"], row["rule"]) for row in strict] == [("no", "every-aspect")] * 2
    status, output = filtered(tmp_path / "good.jsonl", "--rule", "aggregate", "--json")
    values = json.loads(output)
    assert (status, values["rule"], values["kept"], values["dropped"]) == (
        0,
        "aggregate",
        ["mine/clear"],
        ["mine/vague"],
    )
    assert values["by_category"] == {"cid003": {"problems": 2, "dropped": 1}}
    kept_row, dropped = csv.DictReader((tmp_path / "good-audit.csv").open())
    assert (kept_row["aggregate"], kept_row["category"], kept_row["reason"]) == ("8.00", "cid003", "")
    assert dropped["reason"].startswith("the mean of all aspects, 7.75, is below 8.0; ambiguity 4.00 is below 8.0")
    status, rows, _ = audit(home, lambda request: rates(), options=("--rule", "aggregate"), pack="mine")
    assert (status, [row["passed"] for row in rows]) == (1, [True, False])
    assert [row["aggregate"] for row in rows] == [8.0, 7.75]


def test_a_problem_without_a_review_of_its_present_version_is_not_dropped_silently(home: Home, tmp_path: Path) -> None:
    imported(home)
    status, output = filtered(tmp_path / "good.jsonl")
    assert status == 2 and "2 of 2 problems have no review" in output and "problems audit mine" in output
    assert not (tmp_path / "good.jsonl").exists()


def test_a_pack_that_was_not_imported_cant_be_filtered(home: Home, tmp_path: Path) -> None:
    audit(home, lambda request: rates())
    status, output = filtered(tmp_path / "good.jsonl", pack="starter")
    assert status == 2 and "only packs imported from a data set" in output
    assert list(tmp_path.glob("good*")) == []


def test_the_report_does_not_overwrite_the_data_set(home: Home, tmp_path: Path) -> None:
    imported(home)
    audit(home, lambda request: rates(), pack="mine")
    file = tmp_path / "good.jsonl"
    status, output = filtered(file, "--report", str(file))
    assert status == 2 and "give the report another name" in output
