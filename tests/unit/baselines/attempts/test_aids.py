"""Aids: a condition or an assignment decides, the engine refuses, the log has what was used."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from benchwright_attempts.adapter import SolverAdapter
from benchwright_attempts.engine import Attempt
from benchwright_attempts.errors import AidRefusedError
from benchwright_attempts.events.events import AidUsed
from benchwright_attempts.events.evidence import Assigned, Recording
from benchwright_attempts.log.log import EventLog
from benchwright_attempts.services import Services
from benchwright_attempts.terms import Solver, Terms
from benchwright_foundation.home import Home
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_problems.aids import Aid
from benchwright_problems.assistance import AllowedHelp, Assistance
from benchwright_problems.problem import Problem
from benchwright_problems.storage.pack_folder import read_built_in

ASKED = AidUsed(aid=Aid.DESIGN_VIEWS, feature="schematic", detail="counter")


class Files(SolverAdapter):
    def current_judged_files(self) -> Mapping[str, bytes]:
        return {}


@pytest.fixture
def problem() -> Problem:
    return read_built_in("starter").problems[0]


def assigned_terms(solver: Solver = Solver.HUMAN, **fields: object) -> Assigned:
    return Assigned.model_validate(
        {
            "study": "s",
            "study_sha256": "0" * 64,
            "participant": "P01",
            "condition": "c",
            "solver": solver.value,
            "position": 1,
            "recording": Recording.FULL,
        }
        | fields
    )


def begun_attempt(tmp_path: Path, log: EventLog, attempt: str, problem: Problem, terms: Terms) -> Attempt:
    services = Services(Home(tmp_path, tmp_path, tmp_path, tmp_path), lambda _: log, BwrapSandbox)
    return Attempt(services, log.header(attempt), problem, terms, Files())


OWN_WORK = {Aid.EXPLANATIONS, Aid.OWN_TESTS, Aid.WAVEFORMS, Aid.DESIGN_VIEWS}


@pytest.mark.parametrize(
    ("terms", "allowed"),
    [
        (Terms(Solver.HUMAN), OWN_WORK | {Aid.HINTS, Aid.AGENT_TOOLS}),
        (Terms(Solver.HUMAN_COPILOT), set(Aid)),
        (Terms(Solver.HUMAN, aids=frozenset({Aid.HINTS})), {Aid.HINTS}),
        (Terms(Solver.HUMAN, aids=frozenset()), set()),
        (Terms(Solver.HUMAN_COPILOT, assistance=Assistance(allowed=AllowedHelp.NONE)), OWN_WORK | {Aid.HINTS}),
        (Terms("c", assigned_terms()), OWN_WORK),
        (Terms("c", assigned_terms(aids=["hints"])), {Aid.HINTS}),
        (Terms("c", assigned_terms(aids=[])), set()),
        (Terms("c", assigned_terms(Solver.HUMAN_COPILOT, assistants=["github.copilot"], aids=["generated"])), set()),
        (
            Terms("c", assigned_terms(Solver.HUMAN_COPILOT, assistants=["benchwright"], aids=["generated"])),
            {Aid.GENERATED},
        ),
    ],
)
def test_the_terms_say_which_aids_are_allowed(terms: Terms, allowed: set[Aid]) -> None:
    assert set(terms.allowed_aids) == allowed


async def test_an_aid_that_is_used_is_in_the_log(tmp_path: Path, log: EventLog, attempt: str, problem: Problem) -> None:
    engine = begun_attempt(tmp_path, log, attempt, problem, Terms(Solver.HUMAN))
    await engine.start()
    await engine.record_aid_use(ASKED)
    assert ASKED in [recorded.event for recorded in log.events(attempt)]


async def test_a_forbidden_aid_is_refused_and_not_recorded(
    tmp_path: Path, log: EventLog, attempt: str, problem: Problem
) -> None:
    engine = begun_attempt(tmp_path, log, attempt, problem, Terms("c", assigned_terms(aids=[])))
    await engine.start()
    with pytest.raises(AidRefusedError, match=r"study.*does not allow views of the design"):
        await engine.record_aid_use(ASKED)
    assert not any(isinstance(recorded.event, AidUsed) for recorded in log.events(attempt))


async def test_an_aid_waits_for_the_clock(tmp_path: Path, log: EventLog, attempt: str, problem: Problem) -> None:
    engine = begun_attempt(tmp_path, log, attempt, problem, Terms(Solver.HUMAN))
    with pytest.raises(AidRefusedError, match="Press Start"):
        await engine.record_aid_use(ASKED)
    await engine.start()
    await engine.pause(None)
    with pytest.raises(AidRefusedError, match="Press Resume"):
        await engine.record_aid_use(ASKED)


async def test_after_the_end_an_aid_is_free_outside_studies_and_refused_in_them(
    tmp_path: Path, log: EventLog, attempt: str, problem: Problem
) -> None:
    engine = begun_attempt(tmp_path, log, attempt, problem, Terms(Solver.HUMAN))
    await engine.start()
    await engine.abandon()
    await engine.record_aid_use(ASKED)
    assert not any(isinstance(recorded.event, AidUsed) for recorded in log.events(attempt))
    with pytest.raises(AidRefusedError, match="has ended"):
        await begun_attempt(tmp_path, log, attempt, problem, Terms("c", assigned_terms())).record_aid_use(ASKED)
