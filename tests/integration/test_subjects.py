"""Real agents from npm and PyPI, in the sandbox, on the starter pack; only their model is a scripted one."""

from __future__ import annotations

import re
from typing import Any

import pytest

from benchwright_attempts.attribution import Origin, attribute
from benchwright_attempts.clock.clock import AttemptState
from benchwright_attempts.errors import EvaluationError
from benchwright_attempts.events.evidence import ModelUsage
from benchwright_attempts.summary.replay import replay
from benchwright_foundation.home import Home
from benchwright_subjects.agents.installation import install, is_installed
from benchwright_subjects.agents.preset import Preset, preset
from benchwright_subjects.evaluation.evaluation import summary

from ..support.agent_model import FILE, model_that_writes
from .test_eval import COUNTER, Desk, desk, run

__all__ = ("desk",)

LIGHT = ("gemini", "gemini-acp")
HEAVY = ("aider", "claude-code", "cn", "codex", "codex-acp", "mini-swe-agent", "opencode", "opencode-acp")
_REFUSED = re.compile(r"E40\d|ENOTFOUND|ECONN|ETIMEDOUT|EAI_AGAIN|ETARGET|No matching distribution|[Cc]onnection")


def installed(name: str) -> Preset:
    """A subject, installed at the first time; the test is skipped where the registry refuses."""
    known, cache = preset(name), Home.find().cache
    if not is_installed(known, cache):
        try:
            install(known, cache, print)
        except EvaluationError as error:
            if _REFUSED.search(str(error)):
                pytest.skip(f"not installed: the registry refused {known.package} {known.version}")
            raise
    return known


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
