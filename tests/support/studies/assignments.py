"""Fixtures and helpers of the tests of assignments."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchwright_attempts.log.anchors import read_anchors
from benchwright_problems.reveal import Reveal

from ..service.bench_service import Course, Service, running_service


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with running_service(Service(tmp_path_factory.mktemp("service"))) as started:
        yield started


@pytest.fixture
def course(service: Service) -> Course:
    return service.set_up(title="Week 1", reveal=Reveal.NAMES)


def sign_in(home: Path, service: Service, course: Course, name: str = "Ada") -> str:
    """Signs in as a student would; returns the pack's name on the student's machine."""
    command = (Path(sys.executable).parent / "benchwright", "login", service.url)
    login_run = subprocess.run(
        (*command, "--code", course.invitation, "--name", name),
        env=os.environ | {"BENCHWRIGHT_HOME": str(home)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert login_run.returncode == 0, login_run.stderr
    (line,) = (line for line in login_run.stdout.splitlines() if "\t" in line)
    return line.partition("\t")[0]


def acknowledged_events(home: Path) -> dict[str, int]:
    """Of each attempt, how many events the service has signed for."""
    counts = {}
    for file in (home / "data" / "receipts").glob("*.jsonl"):
        if not (text := file.read_text()):
            continue
        anchors = read_anchors(text)
        assert all(anchor.is_signed for anchor in anchors)
        counts[file.stem] = anchors[-1].events
    return counts
