"""Fixtures and helpers of the tests of study subjects."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from benchwright_attempts import log_file
from benchwright_attempts.actor import Actor
from benchwright_attempts.attempts import Attempts
from benchwright_attempts.events.events import Edit, RunFinished, Started, Submitted
from benchwright_attempts.events.evidence import (
    EditReason,
    Forecast,
)
from benchwright_attempts.events.file_text import Change, FileText
from benchwright_foundation.home import Home
from benchwright_problems.storage.store import Store
from benchwright_problems.verdict import Outcome
from benchwright_studies.conduct.studies import Studies
from benchwright_studies.conduct.study_log import StudyLog

from ..models.eval import COUNTER
from ..models.inline_hearing import Hearing
from ..service.judge_endpoint import JudgeRequest, PlayedReply, content
from .eval_study import run

SUPPORT = Path(__file__).parents[1] / "models"


PROBLEM = "starter/saturating-counter"


BODY = COUNTER.split(");\n", 1)[1].rsplit("endmodule", 1)[0]


WRITES = "cat > rtl/sat_counter.sv <<'EOF'\n" + COUNTER + "EOF\n"


STUDY = """\
study: side
title: Side by side
problems: [starter/saturating-counter]
conditions:
  - {{name: alone, solver: human}}
  - name: helped
    solver: human+copilot
    assistants: [github.copilot]
    subject: {{name: github.copilot, version: 1.5.0}}
  - name: copilot
    solver: agent
    subject: {{name: double, version: 1.2.3, command: {server}, inline: {{policy: always, start: empty-body}}}}
  - name: floor
    solver: agent
    subject: {{name: double, command: {server}, inline: {{policy: never}}}}
  - name: worker
    solver: agent
    model: openai-api/local/worker
    subject: {{name: writer, command: {writer}}}
  - {{name: small, solver: model, model: openai-api/local/scripted, samples: 2}}
participants: 2
randomisation: {{unit: person, order: random, seed: 40}}
forecasts: [minutes]
self_estimates: []
consent: {{version: "1", text: A consent text that is long enough to be one.}}
analysis: {{primary: solved}}
"""


@dataclass(frozen=True)
class Lab:
    home: Home
    folder: Path
    server: str

    def study(self, **changes: str) -> Path:
        file = self.folder / "study.yaml"
        text = STUDY.format(server=json.dumps(self.server), writer=json.dumps(WRITES))
        for old_text, new_text in changes.items():
            text = text.replace(old_text, new_text)
        file.write_text(text)
        return file

    def events(self, condition: str) -> list[Any]:
        with StudyLog(log_file(self.home)) as log:
            return [
                recorded.event
                for header in log.headers()
                if header.condition == condition
                for recorded in log.events(header.id)
            ]


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lab]:
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LOCAL_API_KEY", "none")
    monkeypatch.chdir(tmp_path)
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"rules": [{"after": ");", "say": BODY.strip()}]}))
    with Hearing(tmp_path / "socket") as hearing:
        server = shlex.join([sys.executable, str(SUPPORT / "inline_double.py"), str(script), str(hearing.socket_path)])
        yield Lab(Home.from_environment(), tmp_path, server)


def people_work(lab: Lab, participants: Sequence[str] = ("P01", "P02")) -> None:
    """Lets people work: one alone fails after a minute, one with help passes after two, half the text the copilot's."""
    moment = [0]
    with StudyLog(log_file(lab.home), monotonic_ns=lambda: moment[0]) as log:
        studies = Studies(log, Attempts(log))
        for participant in participants:
            studies.enroll("side", participant)
            studies.give_consent("side", participant, "1")
            studies.record_next_forecast(
                "side", participant, PROBLEM, Forecast(minutes_without_ai=4, minutes_with_ai=2)
            )
            assigned, agreed, ref = studies.next_task("side", participant)
            problem = Store(lab.home).problem(ref)
            header = Attempts(log).create(
                ref,
                problem.public_digest,
                lab.folder / "w",
                {path: FileText.of_text(text) for path, text in problem.public.files.items()},
                solver=participant,
                condition=assigned.condition,
                study="side",
                recording=assigned.recording,
            )
            helped = assigned.condition == "helped"
            path = "rtl/sat_counter.sv"
            recorded_events: list[Any] = [assigned, agreed, Started(actor=Actor.PERSON)]
            for version, reason in ((2, "cursor"), (3, "inlineCompletionAccept" if helped else "cursor")):
                recorded_events += [
                    EditReason(path=path, version=version, reason=reason),
                    Edit(path=path, version=version, changes=(Change(start=0, end=0, text="x" * 10),)),
                ]
            for event in recorded_events:
                log.append_blocking(header.id, event)
            studies.record_task_begun(assigned, ref, header.id)
            moment[0] += (120 if helped else 60) * 1_000_000_000
            outcome, reason = (Outcome.PASSED, "passed") if helped else (Outcome.FAILED, "tests_failed")
            run_finished = RunFinished(run="r", number=1, outcome=outcome, reason=reason, wall_s=1, digests={})
            log.append_blocking(header.id, run_finished)
            log.append_blocking(header.id, Submitted())
            studies.record_finish_if_finished("side", participant)


def play(request: JudgeRequest) -> PlayedReply:
    design = COUNTER if request.seed == 41 else "module sat_counter; endmodule"
    return content(f"```systemverilog\n{design}```")


def written_report(lab: Lab) -> Any:
    assert run("report", "--study", "side", "--out", lab.folder / "report").exit_code == 0
    return json.loads((lab.folder / "report" / "report.json").read_text())
