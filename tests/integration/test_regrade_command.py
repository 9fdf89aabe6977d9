"""`benchwright attempts regrade`: what a missing machine left undecided, decided from the log alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchwright_attempts import log_file
from benchwright_attempts.attempts import Attempts
from benchwright_attempts.events.events import RunFinished, RunStarted, Started, Submitted
from benchwright_attempts.events.file_text import FileText, sha256
from benchwright_foundation.home import Home
from benchwright_problems.datasets.cvdp import import_cvdp
from benchwright_problems.storage.store import Store
from benchwright_problems.verdict import Outcome
from benchwright_server.cli.app import app_with_commands
from benchwright_studies.conduct.study_log import StudyLog

PATH, TEXT = "rtl/inv.sv", "module inv; endmodule\n"


def test_what_was_submitted_is_graded_again_where_the_log_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path / "home"))
    home, records_file = Home.from_environment(), tmp_path / "records.jsonl"
    record = {
        "id": "inverter",
        "categories": ["cid003", "easy"],
        "input": {"prompt": "Write an inverter.", "context": {}},
        "output": {"response": "", "context": {PATH: TEXT}},
        "harness": {"files": {"docker-compose.yml": "services: {a: {image: i, command: [sh, -c, exit 0]}}"}},
    }
    records_file.write_text(json.dumps(record) + "\n")
    Store(home).add(import_cvdp([records_file], "mine"))
    attempt_ids = []
    with StudyLog(log_file(home)) as log:
        for snapshot in (TEXT, "typed, and not recorded"):
            attempt = Attempts(log).create("mine/inverter", "d", tmp_path / "w", {PATH: FileText.of_text(TEXT)})
            attempt_ids.append(attempt.id)
            snapshot_digests = {PATH: sha256(snapshot.encode())}
            undecided = RunFinished(run="r", number=1, outcome=Outcome.ERROR, reason="tool_missing", wall_s=0)
            for event in (Started(), RunStarted(run="r", number=1, snapshot=snapshot_digests), undecided, Submitted()):
                log.append_blocking(attempt.id, event)

    cli_run = CliRunner().invoke(app_with_commands(), ["attempts", "regrade", "--json"])
    assert cli_run.exit_code == 1, cli_run.output
    verdicts_by_attempt = {row["attempt"]: (row["outcome"], row["reason"]) for row in json.loads(cli_run.stdout)}
    assert verdicts_by_attempt == {attempt_ids[0]: ("passed", "passed"), attempt_ids[1]: ("error", "tool_missing")}
    assert f"does not have the text of {PATH}" in cli_run.stderr
    second_run = CliRunner().invoke(app_with_commands(), ["attempts", "regrade", attempt_ids[0]])
    assert (second_run.exit_code, second_run.stdout) == (0, "Nothing is undecided.\n")
