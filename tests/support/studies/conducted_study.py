"""Fixtures and helpers of the tests of conducted study."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from ...lsp.session import SERVER, Editor
from ..service.bench_service import Service, running_service
from .study import ask, open_task

STUDY = """
study: small
title: A small study
problems: [starter/saturating-counter, starter/load-use-stalls]
practice: starter/amdahl
conditions:
  - {name: alone, solver: human}
  - {name: completion, solver: human+copilot, assistants: [benchwright]}
participants: [ada, bob]
randomisation: {seed: 4, order: latin-square}
feedback: names
self_estimates: []
consent: {version: "2", text: "You agree that everything you type here is sent to the lab."}
analysis: {primary: time}
data: {to: service}
"""


def benchwright(home: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    variables = os.environ | {"BENCHWRIGHT_HOME": str(home)} | environment
    return subprocess.run([SERVER[0], *words], env=variables, capture_output=True, text=True, timeout=120)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    with running_service(Service(tmp_path / "service")) as started:
        yield started


@pytest.fixture
def invitation(service: Service) -> str:
    return invite(service)


def invite(service: Service, text: str = STUDY) -> str:
    """Opens the study; returns what participants join it by."""
    file = service.home / "study.yaml"
    file.write_text(text)
    database = {"BENCHWRIGHT_SERVICE_DATABASE": service.database} if service.database else {}
    open_run = benchwright(service.home, "lab", "open", str(file), **database)
    assert open_run.returncode == 0, open_run.stderr
    return benchwright(service.home, "course", "invite", "small", "--uses", "9", **database).stdout.strip()


def enrol(home: Path, service: Service, invitation: str) -> str:
    """Signs in as a participant would; returns what is said."""
    login_run = benchwright(home, "login", service.url, "--code", invitation, "--name", "Somebody")
    assert login_run.returncode == 0, login_run.stderr
    return login_run.stdout


async def agree(editor: Editor) -> None:
    """Agrees, and gives the practice up."""
    for _ in range(20):
        # What a service does not answer within three seconds is there the next time.
        if listed := (await ask(editor, "studies")).studies:
            break
    (study,) = listed
    assert study.step == "consent"
    await ask(editor, "giveConsent", study="small", version="2")
    desk = await open_task(editor)
    await desk.start()
    await ask(editor, "abandon", uri=desk.uri)
