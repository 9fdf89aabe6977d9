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
from ..support.models.eval import COUNTER, Desk, desk, run, scripted_model
from ..support.models.eval_place import programs
from ..support.models.subjects import HEAVY, LIGHT, installed_preset

__all__ = ("acp_programs", "desk", "programs")

_TIMES = {"wall_s", "mono_s", "cpu_s", "duration_s", "after_s", "run"}


MADE_UP = {
    "codex": r"Chunk ID: \w+|Wall time: [\d.]+|prompt_cache_key[^,}]*",
    "claude-code": r'(device|session)_id[\\":]*[\w-]+',
}
"""Values that an agent itself makes up anew for each run and puts into its requests; the others put nothing there."""


def attempt(desk: Desk, **settings: Any) -> list[str]:
    """The events of the newest attempt, without names and times."""
    replies = iter(
        (
            f"cat > rtl/sat_counter.sv <<'END'\n// first\n{COUNTER}END",
            f"cat > rtl/new.sv <<'END'\n{COUNTER}END\nmv rtl/new.sv rtl/sat_counter.sv",
            "done",
        )
    )

    def reply(messages: Any, config: Any) -> ModelOutput:
        return ModelOutput.from_content("mockllm/model", next(replies))

    events = played(desk, scripted_model(reply), limit_s=60.0, **settings)
    assert sum(isinstance(event, Edit) for event in events) == 2
    assert sum(event.calls for event in events if isinstance(event, ModelUsage)) in (2, 3)
    return timeless(events)


def played(desk: Desk, model: Model, **settings: Any) -> list[Event]:
    """The events of an attempt."""
    run(desk, model, "agent", problems="saturating-counter", seed=3, **settings)
    newest_attempt = max(desk.attempts(), key=lambda header: header.created)
    return [recorded_event.event for recorded_event in desk.events(newest_attempt.id)]


def timeless(events: Sequence[Event]) -> list[str]:
    """Events without names and times; a tick says that time has passed."""
    return [_timeless(event.model_dump(mode="json")) for event in events if not isinstance(event, Tick)]


def _timeless(value: Any) -> str:
    def strip_times(tree: Any) -> Any:
        if isinstance(tree, dict):
            return {name: strip_times(field) for name, field in tree.items() if name not in _TIMES}
        return [strip_times(part) for part in tree] if isinstance(tree, list) else tree

    return json.dumps(strip_times(value), sort_keys=True)


@pytest.mark.parametrize("command", ["agent {prompt}", "double good"])
def test_a_subject_makes_the_same_attempt_again(desk: Desk, programs: Path, acp_programs: Path, command: str) -> None:
    folder = acp_programs if command.startswith("double") else programs
    agent_settings = {"command": command, "place": f"benchwright:{folder}", "acp": folder == acp_programs}
    first_attempt, second_attempt = attempt(desk, **agent_settings), attempt(desk, **agent_settings)
    assert first_attempt == second_attempt


@pytest.mark.nightly
@pytest.mark.parametrize("name", [*LIGHT, *HEAVY])
def test_a_real_agent_makes_the_same_attempt_again(desk: Desk, name: str) -> None:
    installed_preset(name)
    events_by_attempt, prompts_by_attempt = [], []
    for _ in range(2):
        prompts: list[str] = []
        events = played(desk, model_that_writes(COUNTER, prompts), subject=name, limit_s=240.0)
        assert sum(isinstance(event, Edit) for event in events) >= 1
        events_by_attempt.append(timeless(events))
        made_up = MADE_UP.get(name.removesuffix("-acp"))
        prompts_by_attempt.append([re.sub(made_up, "", prompt) if made_up else prompt for prompt in prompts])
    assert events_by_attempt[0] == events_by_attempt[1]
    assert prompts_by_attempt[0] == prompts_by_attempt[1]
