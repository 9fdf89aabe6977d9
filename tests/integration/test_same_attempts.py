"""The same subject, seed and scripted model twice: the same attempts, but for names and times."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.model import Model, ModelOutput

from benchwright_attempts.events.events import Edit, Event, Tick
from benchwright_attempts.events.evidence import ModelUsage

from ..support.models.acp_agents import programs as acp_programs
from ..support.models.agent_model import model_that_writes
from ..support.models.eval import COUNTER, Desk, desk, run, scripted
from ..support.models.eval_place import programs
from ..support.models.subjects import HEAVY, LIGHT, installed

__all__ = ("acp_programs", "desk", "programs")

_TIMES = {"wall_s", "mono_s", "cpu_s", "duration_s", "after_s", "run"}


MADE_UP = {
    "codex": r"Chunk ID: \w+|Wall time: [\d.]+|prompt_cache_key[^,}]*",
    "claude-code": r'(device|session)_id[\\":]*[\w-]+',
}
"""What an agent itself makes up anew for each run and puts into its requests; the others put nothing there."""


def attempt(desk: Desk, **more: Any) -> list[str]:
    """The events of the newest attempt, without names and times."""
    said = iter(
        (
            f"cat > rtl/sat_counter.sv <<'END'\n// first\n{COUNTER}END",
            f"cat > rtl/new.sv <<'END'\n{COUNTER}END\nmv rtl/new.sv rtl/sat_counter.sv",
            "done",
        )
    )

    def reply(messages: Any, config: Any) -> ModelOutput:
        return ModelOutput.from_content("mockllm/model", next(said))

    events = played(desk, scripted(reply), limit_s=60.0, **more)
    assert sum(isinstance(one, Edit) for one in events) == 2
    assert sum(one.calls for one in events if isinstance(one, ModelUsage)) in (2, 3)
    return timeless(events)


def played(desk: Desk, model: Model, **more: Any) -> list[Event]:
    """The events of an attempt."""
    run(desk, model, "agent", problems="saturating-counter", seed=3, **more)
    newest = max(desk.attempts(), key=lambda one: one.created)
    return [one.event for one in desk.events(newest.id)]


def timeless(events: Sequence[Event]) -> list[str]:
    """Events without names and times; a tick says that time has passed."""
    return [_timeless(one.model_dump(mode="json")) for one in events if not isinstance(one, Tick)]


def _timeless(value: Any) -> str:
    def without(one: Any) -> Any:
        if isinstance(one, dict):
            return {name: without(field) for name, field in one.items() if name not in _TIMES}
        return [without(part) for part in one] if isinstance(one, list) else one

    return json.dumps(without(value), sort_keys=True)


@pytest.mark.parametrize("command", ["agent {prompt}", "double good"])
def test_a_subject_makes_the_same_attempt_again(desk: Desk, programs: Path, acp_programs: Path, command: str) -> None:
    place = acp_programs if command.startswith("double") else programs
    told = {"command": command, "place": f"benchwright:{place}", "acp": place == acp_programs}
    first, second = attempt(desk, **told), attempt(desk, **told)
    assert first == second


@pytest.mark.nightly
@pytest.mark.parametrize("name", [*LIGHT, *HEAVY])
def test_a_real_agent_makes_the_same_attempt_again(desk: Desk, name: str) -> None:
    installed(name)
    attempts, requests = [], []
    for _ in range(2):
        asked: list[str] = []
        events = played(desk, model_that_writes(COUNTER, asked), subject=name, limit_s=240.0)
        assert sum(isinstance(one, Edit) for one in events) >= 1
        attempts.append(timeless(events))
        made_up = MADE_UP.get(name.removesuffix("-acp"))
        requests.append([re.sub(made_up, "", one) if made_up else one for one in asked])
    assert attempts[0] == attempts[1]
    assert requests[0] == requests[1]
