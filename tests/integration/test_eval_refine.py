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
from benchwright_attempts.summary.replay import verify_attempt
from benchwright_foundation.home import Home
from benchwright_problems.storage.store import Store
from benchwright_server.cli.app import app_with_commands
from benchwright_studies.conduct.study_log import StudyLog
from benchwright_subjects.prompts.refinement import PROMPT_SHA256

from ..support.models.eval_reflect import ANSWER, CANARY, MODEL, add, home
from ..support.service.judge_endpoint import JudgeEndpoint, JudgeRequest, Play, PlayedReply, content, fails

__all__ = ["home"]
PASSES_WITH_MARK = "services: {a: {image: i, command: [sh, -c, 'grep -q better /code/rtl/inv.sv']}}"


def command(play: Play, *options: str) -> tuple[int, Any, list[JudgeRequest]]:
    with JudgeEndpoint(play) as endpoint:
        arguments = ["eval", *options, "--pack", "mine", "--model", MODEL, "--base-url", endpoint.url, "--json"]
        cli_run = CliRunner().invoke(app_with_commands(), [*arguments, "--out", "out"], catch_exceptions=False)
        return (
            cli_run.exit_code,
            json.loads(cli_run.stdout) if cli_run.stdout else cli_run.stderr,
            list(endpoint.requests),
        )


def refines(request: JudgeRequest) -> PlayedReply:
    return content("Write an inverter in rtl/inv.sv. REFINED.")


def solves_refined(request: JudgeRequest) -> PlayedReply:
    """Solves what is stated well."""
    return content(f"{ANSWER}, better" if "REFINED" in request.user else ANSWER)


def lines(file: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in Path(file).read_text().splitlines()]


def test_a_model_refines_what_is_public_and_no_problem_changes(home: Home) -> None:
    add(home, "inverter")
    problem_before = Store(home).problem("mine/inverter")
    status, counts, (request,) = command(refines, "refine", "refined.jsonl")
    assert (status, counts["refined"], counts["missing"]) == (0, 1, [])
    assert "Write an inverter." in request.user and CANARY not in json.dumps(request.body)
    assert lines("refined.jsonl") == [
        {
            "id": "inverter",
            "problem_sha256": problem_before.public_digest,
            "model": MODEL,
            "prompt_sha256": PROMPT_SHA256,
            "statement": "Write an inverter in rtl/inv.sv. REFINED.",
        }
    ]
    assert Store(home).problem("mine/inverter") == problem_before
    assert not log_file(home).exists(), "nobody attempted anything"


def test_what_is_missing_is_asked_for_again_and_the_rest_is_kept(home: Home) -> None:
    add(home, "one", "two")
    halting_calls: list[int] = []

    def halting(request: JudgeRequest) -> PlayedReply:
        halting_calls.append(1)
        return refines(request) if len(halting_calls) == 1 else fails(400, "down")

    status, counts, _ = command(halting, "refine", "refined.jsonl", "--jobs", "1")
    assert (status, counts["refined"], len(counts["missing"])) == (1, 1, 1)
    status, counts, requests = command(lambda requests: content("Other words."), "refine", "refined.jsonl")
    assert (status, counts["missing"], len(requests)) == (0, [], 1)
    assert sorted(line["statement"].split()[0] for line in lines("refined.jsonl")) == ["Other", "Write"]
    assert command(refines, "refine", "refined.jsonl")[2] == []


def test_both_variants_are_attempts_with_verdicts_of_their_own(home: Home) -> None:
    add(home, "inverter", compose=PASSES_WITH_MARK)
    command(refines, "refine", "refined.jsonl")
    status, counts, requests = command(solves_refined, "--refined", "refined.jsonl")
    assert (status, counts["passed"], counts["failed"]) == (0, 0, 1)
    assert (counts["refined"]["passed"], counts["refined"]["failed"], len(requests)) == (1, 0, 2)
    with StudyLog(log_file(home)) as log:
        headers = log.headers()
        assert all(verify_attempt(*log.stored_attempt(header.id)).ok for header in headers)
        sent_parameters = {
            header.id: [
                recorded.event.parameters
                for recorded in log.events(header.id)
                if isinstance(recorded.event, ModelUsage)
            ]
            for header in headers
        }
        assert {header.problem_digest for header in headers} == {Store(home).problem("mine/inverter").public_digest}
    marked = [
        dict(usage_parameters)
        for parameters in sent_parameters.values()
        for usage_parameters in parameters
        if "statement" in usage_parameters
    ]
    digest = sha256(lines("refined.jsonl")[0]["statement"].encode()).hexdigest()
    assert marked == [{"statement": "refined", "statement_sha256": digest, "refined_by": MODEL}]
    reply_files = sorted(Path("out").glob("*.responses.jsonl"))
    assert [line["id"] for file in reply_files for line in lines(str(file))] == ["inverter", "inverter"]
    assert [".refined." in file.name for file in reply_files].count(True) == 1


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
    status, output, requests = command(solves_refined, "--refined", "refined.jsonl")
    assert status != 0 and "refined.jsonl:1: field problem_sha256" in str(output) and requests == []
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
    status, output, requests = command(refines, *options)
    assert status == 2 and "--refined" in output and requests == []


def test_a_problem_without_a_refined_statement_is_named(home: Home) -> None:
    add(home, "inverter")
    command(refines, "refine", "refined.jsonl")
    add(home, "inverter", "other")
    status, output, requests = command(solves_refined, "--refined", "refined.jsonl")
    assert status != 0 and "such as other" in str(output) and requests == []
