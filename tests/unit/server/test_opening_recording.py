"""Problems of a course that asks how much is recorded, as the editor's server opens them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchwright_attempts.events.evidence import Recording
from benchwright_attempts.services import Services
from benchwright_attempts.state import AttemptState
from benchwright_foundation.home import Home
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_problems.assignment import Assignment
from benchwright_server.attempts.opening import ProblemOpener
from benchwright_studies.conduct.study_log import StudyLog

PROBLEM = "week-1/sync-fifo"


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services[StudyLog]]:
    home = Home.from_environment({"BENCHWRIGHT_HOME": str(tmp_path)})
    log = StudyLog(tmp_path / "attempts.sqlite")
    yield Services(home, lambda _: log, BwrapSandbox)
    log.close()


def assign(services: Services[StudyLog], *, records_less: bool) -> None:
    pack = services.store.public_pack("starter").model_copy(update={"name": "week-1"})
    assignment = Assignment(
        service="https://bench.example.org",
        id="1",
        course="arch",
        title="Week 1",
        pack="starter",
        records_less=records_less,
    )
    services.store.add_assigned(pack, assignment)


def opened_attempt(services: Services[StudyLog]) -> tuple[str, Recording]:
    attempt, _ = ProblemOpener(services).reuse_or_make_attempt(PROBLEM, always_new=False)
    return attempt, services.log.header(attempt).recording


@pytest.mark.parametrize(("records_less", "recording"), [(True, Recording.TIMING), (False, Recording.FULL)])
def test_an_attempt_begins_at_the_level_that_its_course_takes(
    services: Services[StudyLog], records_less: bool, recording: Recording
) -> None:
    assign(services, records_less=records_less)
    attempt, level = opened_attempt(services)
    assert level is recording
    assert opened_attempt(services) == (attempt, level)


def test_an_attempt_that_records_more_than_its_solver_agrees_to_ends_and_its_folder_stays(
    services: Services[StudyLog],
) -> None:
    assign(services, records_less=False)
    attempt, _ = opened_attempt(services)
    assign(services, records_less=True)
    other_attempt, level = opened_attempt(services)
    assert (other_attempt != attempt, level) == (True, Recording.TIMING)
    assert services.log.summary(attempt).state is AttemptState.ABANDONED
    assert Path(services.log.header(attempt).workspace).is_dir()
    # Who agrees later goes on where they are.
    assign(services, records_less=False)
    assert opened_attempt(services)[0] == other_attempt
