"""The same subject, seed and scripted model twice: the same attempts, but for names and times."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.model import ModelOutput

from benchwright_attempts.events import Edit, Tick
from benchwright_attempts.evidence import ModelUsage

from .test_acp_agents import programs as acp_programs
from .test_eval import COUNTER, Desk, desk, run, scripted
from .test_eval_place import programs

__all__ = ("acp_programs", "desk", "programs")

_TIMES = {"wall_s", "mono_s", "cpu_s", "duration_s", "after_s", "run"}


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

    run(desk, scripted(reply), "agent", problems="saturating-counter", seed=3, limit_s=60.0, **more)
    newest = max(desk.attempts(), key=lambda one: one.created)
    events = [one.event for one in desk.events(newest.id)]
    assert sum(isinstance(one, Edit) for one in events) == 2
    assert sum(one.calls for one in events if isinstance(one, ModelUsage)) in (2, 3)
    # A tick says that time has passed.
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
