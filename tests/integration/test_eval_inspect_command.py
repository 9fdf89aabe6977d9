"""Inspect's own command finds our tasks by the name of the distribution, from any folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log

from benchwright_attempts import log_file
from benchwright_foundation.home import Home
from benchwright_studies.conduct.study_log import StudyLog

from ..support.models.eval_inspect_command import installed

__all__ = ("installed",)


def test_inspect_eval_runs_our_tasks_by_name(installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, logs, template = tmp_path / "home", tmp_path / "logs", tmp_path / "own.txt"
    template.write_text("Rate this: {{statement}}")
    names = [f"benchwright/{name}" for name in ("answer", "agent", "map_prompt")]
    options = [
        *("-T", "pack=starter", "-T", "problems=amdahl", "-T", f"template={template}"),
        *("--message-limit", "4", "--model", "mockllm/model", "--log-dir", str(logs)),
    ]
    process = subprocess.run(
        [str(Path(sys.executable).with_name("inspect")), "eval", *names, *options, "--display", "plain"],
        cwd=tmp_path,
        env=os.environ | {"BENCHWRIGHT_HOME": str(home), "PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        timeout=1200,
    )
    assert process.returncode == 0, process.stdout + process.stderr
    eval_logs = [read_eval_log(str(file)) for file in logs.glob("*.eval")]
    assert {log.eval.task: log.status for log in eval_logs} == dict.fromkeys(names, "success"), [
        log.error for log in eval_logs
    ]
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(home))
    with StudyLog(log_file(Home.from_environment())) as log:
        assert {header.condition for header in log.headers()} == {"model", "agent"}
