"""Real agents from npm and PyPI, in the sandbox, on the starter pack; only their model is a scripted one."""

from __future__ import annotations

from typing import Any

import pytest

from benchwright_attempts.attribution import EditOrigin, attributions_of_edits
from benchwright_attempts.clock.clock import AttemptState
from benchwright_attempts.events.evidence import ModelUsage
from benchwright_attempts.summary.replay import replay
from benchwright_subjects.evaluation.evaluation import summary_of_run

from ..support.models.agent_model import FILE, model_that_writes
from ..support.models.eval import COUNTER, Desk, desk, run
from ..support.models.subjects import HEAVY, LIGHT, installed_preset

__all__ = ("desk",)


@pytest.mark.parametrize("name", [*LIGHT, *(pytest.param(name, marks=pytest.mark.nightly) for name in HEAVY)])
def test_a_subject_solves_a_problem_offline(desk: Desk, name: str) -> None:
    subject = installed_preset(name)
    options: dict[str, Any] = {"problems": "saturating-counter", "subject": name, "limit_s": 240.0}
    log = run(desk, model_that_writes(COUNTER), "agent", **options)
    assert summary_of_run(log)["passed"] == 1, summary_of_run(log)["why"]
    (attempt,) = desk.attempts()
    assert desk.state(attempt.id) is AttemptState.SUBMITTED
    assert attempt.solver.startswith(f"{name} {subject.version} [")
    events = desk.events(attempt.id)
    assert (replay(events).files[FILE].text or "").strip() == COUNTER.strip()
    assert {attribution.origin for attribution in attributions_of_edits(events)} == {EditOrigin.AGENT}
    usages = [recorded_event.event for recorded_event in events if isinstance(recorded_event.event, ModelUsage)]
    assert sum(usage.calls for usage in usages) >= 1
    assert usages[0].parameters["subject_sha256"] == subject.package_sha256
    assert desk.are_whole()
