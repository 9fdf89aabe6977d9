"""Real agents from npm and PyPI, in the sandbox, on the starter pack; only their model is a scripted one."""

from __future__ import annotations

from typing import Any

import pytest

from benchwright_attempts.attribution import Origin, attribute
from benchwright_attempts.clock.clock import AttemptState
from benchwright_attempts.events.evidence import ModelUsage
from benchwright_attempts.summary.replay import replay
from benchwright_subjects.evaluation.evaluation import summary

from ..support.models.agent_model import FILE, model_that_writes
from ..support.models.eval import COUNTER, Desk, desk, run
from ..support.models.subjects import HEAVY, LIGHT, installed

__all__ = ("desk",)


@pytest.mark.parametrize("name", [*LIGHT, *(pytest.param(name, marks=pytest.mark.nightly) for name in HEAVY)])
def test_a_subject_solves_a_problem_offline(desk: Desk, name: str) -> None:
    known = installed(name)
    told: dict[str, Any] = {"problems": "saturating-counter", "subject": name, "limit_s": 240.0}
    log = run(desk, model_that_writes(COUNTER), "agent", **told)
    assert summary(log)["passed"] == 1, summary(log)["why"]
    (attempt,) = desk.attempts()
    assert desk.state(attempt.id) is AttemptState.SUBMITTED
    assert attempt.solver.startswith(f"{name} {known.version} [")
    events = desk.events(attempt.id)
    assert (replay(events).files[FILE].text or "").strip() == COUNTER.strip()
    assert {one.origin for one in attribute(events)} == {Origin.CHAT}
    used = [one.event for one in events if isinstance(one.event, ModelUsage)]
    assert sum(one.calls for one in used) >= 1
    assert used[0].parameters["subject_sha256"] == known.package_sha256
    assert desk.are_whole()
