"""Fixtures and helpers of the tests of eval study."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from benchwright_attempts import log_file
from benchwright_attempts.log.record import AttemptHeader
from benchwright_foundation.home import Home
from benchwright_server.cli.app import app_with_commands
from benchwright_studies.conduct.study_log import StudyLog

from ..service.judge_endpoint import PlayedReply, content

STUDY = """\
study: both
title: People and models
problems:
  - {problem: starter/amdahl, time_minutes: 5}
  - problem: starter/saturating-counter
    time_minutes: 10
conditions:
  - {name: alone, solver: human}
  - name: small
    solver: model
    model: openai-api/local/scripted
    samples: 2
    prompts: benchwright+confidence
  - name: worker
    solver: agent
    model: openai-api/local/worker
    knowledge_cutoff: 2024-09
participants: 1
randomisation: {unit: task, order: random, seed: 40}
limits: {runs: 2}
feedback: verdict
clock_stops_for: []
forecasts: [minutes]
self_estimates: []
consent: {version: "1", text: A consent text that is long enough to be one.}
"""


@dataclass(frozen=True)
class Lab:
    home: Home
    folder: Path

    def study(self, text: str = STUDY) -> Path:
        file = self.folder / "study.yaml"
        file.write_text(text)
        return file

    def headers_of(self, condition: str) -> list[AttemptHeader]:
        with StudyLog(log_file(self.home)) as log:
            return [header for header in log.headers() if header.condition == condition]

    def events(self, attempt: str) -> list[Any]:
        with StudyLog(log_file(self.home)) as log:
            return [recorded.event for recorded in log.events(attempt)]


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lab:
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LOCAL_API_KEY", "none")
    monkeypatch.chdir(tmp_path)
    return Lab(Home.from_environment(), tmp_path)


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app_with_commands(), [*map(str, arguments)], env={"COLUMNS": "200"})


def printed_json(cli_result: Result) -> Any:
    assert cli_result.exit_code == 0, cli_result.output
    return json.loads(cli_result.stdout)


def call(name: str, **arguments: str) -> PlayedReply:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return content(None, tool_calls=[{"id": "1", "type": "function", "function": function}], finish_reason="tool_calls")
