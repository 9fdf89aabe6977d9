"""A study of people and a model at a bench service: the model is asked on the service's machine, into its log."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchwright_problems.verdict import Outcome
from benchwright_remote.messages import Role

from ..support.models.eval import COUNTER
from ..support.service.bench_service import DATABASES, Service, running_service
from ..support.service.bench_service_pages import signed_in
from ..support.service.judge_endpoint import JudgeEndpoint, JudgeRequest, PlayedReply, content
from ..support.service.postgres import new_database
from ..support.studies.hosted_study import Participant, opened
from ..support.studies.study_pages import page, page_once_closed, post

pytestmark = pytest.mark.long

STUDY = """
study: {name}
title: People and a model
problems: [starter/amdahl, starter/saturating-counter]
conditions:
  - {{name: zqalone, solver: human}}
  - {{name: zqsmall, solver: model, model: openai-api/local/scripted}}
participants: 1
randomisation: {{seed: 4}}
forecasts: []
self_estimates: []
consent: {{version: "1", text: "You agree to what is written here."}}
analysis: {{primary: time}}
data: {{to: service}}
"""


# Both kinds of databases: that they take events and close studies is tried by test_event_log_databases.py and
# test_study_pages.py.
@pytest.fixture(params=DATABASES)
def service(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Service]:
    database = new_database(request.getfixturevalue("postgres")) if request.param == "postgresql" else None
    with running_service(Service(tmp_path / "service", database, workers=0)) as started:
        yield started


def benchwright(service: Service, *words: str, **environment: str) -> str:
    """Output of a command on the service's machine."""
    variables = os.environ | {"BENCHWRIGHT_HOME": str(service.home), "LOCAL_API_KEY": "none"} | environment
    if service.database:
        variables["BENCHWRIGHT_SERVICE_DATABASE"] = service.database
    command = [str(Path(sys.executable).parent / "benchwright"), *words]
    process = subprocess.run(command, env=variables, cwd=service.home, capture_output=True, text=True, timeout=300)
    assert process.returncode == 0, process.stderr
    return process.stdout


def scripted(request: JudgeRequest) -> PlayedReply:
    """Solves the design, and takes the question for another."""
    return content(f"```systemverilog\n{COUNTER}```" if "sat_counter" in request.user else "A")


def test_its_attempts_are_watched_closed_and_reported_with_those_of_people(service: Service, tmp_path: Path) -> None:
    codes = opened(service, "mixed", STUDY)
    person = Participant.joining(service, "mixed", codes[Role.PARTICIPANT], tmp_path / "person")
    going = person.begin()
    log = benchwright(service, "lab", "log").strip()
    with JudgeEndpoint(scripted) as endpoint:
        options = ("eval", "--study", "mixed", "--base-url", endpoint.url, "--jobs", "1", "--json")
        small = json.loads(benchwright(service, *options, BENCHWRIGHT_LOG=log))["conditions"]["zqsmall"]
    assert (small["done"], small["passed"], small["failed"]) == (2, 1, 1)

    owner_client, monitor = (signed_in(service, codes[role], role.value) for role in (Role.OWNER, Role.MONITOR))
    for client in (owner_client, monitor):
        page_text = page(client, "mixed")
        assert f"{person.pseudonym}</th><td>working</td>" in page_text
        assert not [word for word in ("zqsmall", "zqalone", "scripted", "passed") if word in page_text]
    person.end(going, Outcome.PASSED)
    person.end(person.begin(), Outcome.FAILED)
    person.log.close()
    assert post(owner_client, "/studies/mixed/closing", name="mixed").status_code == 303
    assert "Read the report" in page_once_closed(owner_client, "mixed")
    report = json.loads((service.folders.data / "service" / "reports" / "mixed" / "report.json").read_text())
    assert report["groups"] == ["zqalone", "zqsmall"]
    solved = report["sections"]["outcomes"]["numbers"]["groups"]
    assert {name: (group["attempts"], group["passed_ever"]) for name, group in solved.items()} == {
        "zqalone": (2, 1),
        "zqsmall": (2, 1),
    }
