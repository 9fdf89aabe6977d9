"""`benchwright eval refine` and `--refined`: real harness and log; the model alone is a scripted endpoint."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from benchwright_analysis.report.report import ReportOptions, write_report
from benchwright_attempts import log_file
from benchwright_attempts.events.evidence import ModelUsage
from benchwright_attempts.summary.replay import verify
from benchwright_foundation.home import Home
from benchwright_problems.storage.store import Store
from benchwright_server.cli.app import command_line
from benchwright_studies.conduct.study_log import StudyLog
from benchwright_subjects.prompts.refinement import PROMPT_SHA256

from ..support.models.eval_reflect import ANSWER, CANARY, MODEL, add, home
from ..support.service.judge_endpoint import Asked, JudgeEndpoint, Play, Played, content, fails

__all__ = ["home"]
PASSES_WITH_MARK = "services: {a: {image: i, command: [sh, -c, 'grep -q better /code/rtl/inv.sv']}}"


def command(play: Play, *options: str) -> tuple[int, Any, list[Asked]]:
    with JudgeEndpoint(play) as endpoint:
        given = ["eval", *options, "--pack", "mine", "--model", MODEL, "--base-url", endpoint.url, "--json"]
        ran = CliRunner().invoke(command_line(), [*given, "--out", "out"], catch_exceptions=False)
        return ran.exit_code, json.loads(ran.stdout) if ran.stdout else ran.stderr, list(endpoint.requests)


def refines(asked: Asked) -> Played:
    return content("Write an inverter in rtl/inv.sv. REFINED.")


def solves_refined(asked: Asked) -> Played:
    """Solves what is stated well."""
    return content(f"{ANSWER}, better" if "REFINED" in asked.user else ANSWER)


def lines(file: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in Path(file).read_text().splitlines()]


def test_a_model_refines_what_is_public_and_no_problem_changes(home: Home) -> None:
    add(home, "inverter")
    before = Store(home).problem("mine/inverter")
    status, told, (asked,) = command(refines, "refine", "refined.jsonl")
    assert (status, told["refined"], told["missing"]) == (0, 1, [])
    assert "Write an inverter." in asked.user and CANARY not in json.dumps(asked.body)
    assert lines("refined.jsonl") == [
        {
            "id": "inverter",
            "problem_sha256": before.public_digest,
            "model": MODEL,
            "prompt_sha256": PROMPT_SHA256,
            "statement": "Write an inverter in rtl/inv.sv. REFINED.",
        }
    ]
    assert Store(home).problem("mine/inverter") == before
    assert not log_file(home).exists(), "nobody attempted anything"


def test_what_is_missing_is_asked_for_again_and_the_rest_is_kept(home: Home) -> None:
    add(home, "one", "two")
    seen: list[int] = []

    def halting(asked: Asked) -> Played:
        seen.append(1)
        return refines(asked) if len(seen) == 1 else fails(400, "down")

    status, told, _ = command(halting, "refine", "refined.jsonl", "--jobs", "1")
    assert (status, told["refined"], len(told["missing"])) == (1, 1, 1)
    status, told, asked = command(lambda asked: content("Other words."), "refine", "refined.jsonl")
    assert (status, told["missing"], len(asked)) == (0, [], 1)
    assert sorted(line["statement"].split()[0] for line in lines("refined.jsonl")) == ["Other", "Write"]
    assert command(refines, "refine", "refined.jsonl")[2] == []


def test_both_variants_are_attempts_with_verdicts_of_their_own(home: Home) -> None:
    add(home, "inverter", compose=PASSES_WITH_MARK)
    command(refines, "refine", "refined.jsonl")
    status, told, asked = command(solves_refined, "--refined", "refined.jsonl")
    assert (status, told["passed"], told["failed"]) == (0, 0, 1)
    assert (told["refined"]["passed"], told["refined"]["failed"], len(asked)) == (1, 0, 2)
    with StudyLog(log_file(home)) as log:
        headers = log.headers()
        assert all(verify(*log.stored(header.id)).ok for header in headers)
        sent = {
            header.id: [one.event.parameters for one in log.events(header.id) if isinstance(one.event, ModelUsage)]
            for header in headers
        }
        assert {header.problem_digest for header in headers} == {Store(home).problem("mine/inverter").public_digest}
    marked = [dict(one) for parameters in sent.values() for one in parameters if "statement" in one]
    digest = sha256(lines("refined.jsonl")[0]["statement"].encode()).hexdigest()
    assert marked == [{"statement": "refined", "statement_sha256": digest, "refined_by": MODEL}]
    replies = sorted(Path("out").glob("*.responses.jsonl"))
    assert [line["id"] for file in replies for line in lines(str(file))] == ["inverter", "inverter"]
    assert [".refined." in file.name for file in replies].count(True) == 1


def test_the_report_shows_both_variants(home: Home, tmp_path: Path) -> None:
    add(home, "inverter", compose=PASSES_WITH_MARK)
    command(refines, "refine", "refined.jsonl")
    command(solves_refined, "--refined", "refined.jsonl")
    with StudyLog(log_file(home)) as log:
        write_report(log, Store(home), ReportOptions(tmp_path / "report"))
    page = (tmp_path / "report" / "report.html").read_text()
    assert f"model: {MODEL}, statements refined by {MODEL}" in page


def test_a_refinement_of_an_earlier_version_is_refused(home: Home) -> None:
    add(home, "inverter")
    command(refines, "refine", "refined.jsonl")
    add(home, "inverter", statement="Write two inverters.")
    status, said, asked = command(solves_refined, "--refined", "refined.jsonl")
    assert status != 0 and "refined.jsonl:1: field problem_sha256" in str(said) and asked == []
    assert len(command(refines, "refine", "refined.jsonl")[2]) == 1
    assert [line["id"] for line in lines("refined.jsonl")] == ["inverter"]
    assert command(solves_refined, "--refined", "refined.jsonl")[0] == 0


def test_refining_some_problems_keeps_the_statements_of_others(home: Home) -> None:
    add(home, "one", "two")
    command(refines, "refine", "refined.jsonl", "--problem", "one")
    command(refines, "refine", "refined.jsonl", "--problem", "two")
    assert [line["id"] for line in lines("refined.jsonl")] == ["one", "two"]


@pytest.mark.parametrize("options", [("--refined", "r.jsonl", "--agent"), ("--refined", "r.jsonl", "--map")])
def test_what_refined_statements_are_not_for_is_refused(home: Home, options: tuple[str, ...]) -> None:
    add(home, "inverter")
    status, said, asked = command(refines, *options)
    assert status == 2 and "--refined" in said and asked == []


def test_a_problem_without_a_refined_statement_is_named(home: Home) -> None:
    add(home, "inverter")
    command(refines, "refine", "refined.jsonl")
    add(home, "inverter", "other")
    status, said, asked = command(solves_refined, "--refined", "refined.jsonl")
    assert status != 0 and "such as other" in str(said) and asked == []
