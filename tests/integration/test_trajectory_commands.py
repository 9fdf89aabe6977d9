"""Trajectories by command: an agent's attempt written, imported as somebody else's, traced and reported."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import ModelOutput, get_model
from typer.testing import CliRunner, Result

from benchwright_server.cli.app import app_with_commands
from benchwright_subjects.evaluation.evaluation import graded_attempt_ids
from benchwright_subjects.evaluation.kept_evals import eval_logs_folder, keep_eval_log

from ..support.models.eval import Desk, desk, run

__all__ = ("desk",)

SCHEMA = json.loads((Path(__file__).parents[1] / "unit/baselines/analysis/atif.schema.json").read_text())


LONG = "A thought. " * 400


def invoke(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app_with_commands(), ["attempts", *map(str, arguments)], env={"COLUMNS": "200"})


def agent_that_searches_and_answers(desk: Desk) -> str:
    scripted_calls: list[tuple[str, dict[str, Any]]] = [
        ("read_file", {"path": "../../../hidden"}),
        ("write_file", {"path": "notes.md", "content": LONG}),
        ("write_file", {"path": "answer.md", "content": "B"}),
        ("submit", {}),
    ]
    model_outputs = [ModelOutput.for_tool_call("mockllm/model", name, arguments) for name, arguments in scripted_calls]
    model = get_model("mockllm/model", custom_outputs=model_outputs, memoize=False)
    log = run(desk, model, "agent", problems="amdahl")
    (attempt,) = attempts = graded_attempt_ids(log)
    keep_eval_log(eval_logs_folder(desk.home), Path(log.location), attempts)
    return attempt


def test_an_agents_attempt_goes_out_and_comes_back_as_somebody_elses(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = read_eval_log
    attempt = agent_that_searches_and_answers(desk)
    file, eval_file, page = tmp_path / "t.json", tmp_path / "t.eval", tmp_path / "t.html"
    exported = invoke("export", attempt, "--format", "atif", "-o", file)
    assert exported.exit_code == 0, exported.output
    assert "Left out:" in exported.output
    trajectory = json.loads(file.read_text())
    jsonschema.validate(trajectory, SCHEMA)
    names = [call["function_name"] for step in trajectory["steps"] for call in step.get("tool_calls", ())]
    assert names == ["read_file", "write_file", "write_file", "submit"]
    # Inspect keeps long texts apart.
    assert LONG in file.read_text()
    assert file.stat().st_mode & 0o077 == 0

    assert invoke("export", attempt, "--format", "eval").exit_code == 2
    assert invoke("export", attempt, "--format", "eval", "-o", eval_file).exit_code == 0
    samples = read_eval_log(str(eval_file)).samples
    assert samples is not None
    (sample,) = samples
    assert sample.id == "amdahl" and sample.events and (sample.scores or {})["verdict"].value == 1.0

    findings_result = invoke("findings", attempt, "--json")
    assert findings_result.exit_code == 1
    (finding,) = json.loads(findings_result.stdout)
    assert finding["rule"] == "looks_for_hidden_files" and "../../../hidden" in finding["message"]
    step = trajectory["steps"][finding["step_id"] - 1]
    assert step["tool_calls"][0]["function_name"] == "read_file"
    reads: list[str] = []

    def read_noting(file: str, **options: Any) -> EvalLog:
        reads.append(file)
        return read(file, **options)

    with monkeypatch.context() as patched:
        patched.setattr("inspect_ai.log.read_eval_log", read_noting)
        assert invoke("trace", attempt, "--out", page).exit_code == 0
    # Turns and findings are of the same log, which may be large.
    assert len(reads) == 1
    assert "finding: looks for hidden files" in page.read_text()

    trajectory["agent"] = {"name": "elsewhere", "version": "3", "model_name": "lab/m"}
    trajectory["steps"][-1]["timestamp"] = "2036-01-01T00:00:00Z"
    file.write_text(json.dumps(trajectory))
    answers = tmp_path / "answers"
    answers.mkdir()
    (answers / "answer.md").write_text("A")
    imported = invoke("import", file, "--problem", "starter/amdahl", "--files", answers, "--json")
    # The verdict is on the files, whatever the trajectory says.
    assert imported.exit_code == 1, imported.output
    foreign = next(header for header in desk.attempts() if header.solver == "elsewhere with lab/m")
    assert foreign.condition == "agent"
    second_export = invoke("export", foreign.id, "--format", "atif")
    assert second_export.exit_code == 0
    theirs = [step for step in json.loads(second_export.stdout)["steps"] if "tool_calls" in step]
    assert [step["tool_calls"] for step in theirs] == [
        step["tool_calls"] for step in trajectory["steps"] if "tool_calls" in step
    ]
    assert invoke("trace", foreign.id, "--out", page).exit_code == 0
    assert "As a trajectory" in page.read_text()
    assert invoke("trace", file, "--out", page).exit_code == 0
    report_run = CliRunner().invoke(app_with_commands(), ["report", "--out", str(tmp_path / "report"), "--json"])
    assert report_run.exit_code == 0, report_run.output
    with (tmp_path / "report" / "attempts.csv").open(newline="") as table:
        rows = [*csv.DictReader(table)]
    assert {row["attempt"] for row in rows} >= {attempt, foreign.id}

    file.write_text(file.read_text().replace('"ATIF-v1.8"', '"ATIF-v99"'))
    refused = invoke("import", file, "--problem", "starter/amdahl", "--files", answers)
    assert refused.exit_code == 2
    assert "schema_version" in refused.output
