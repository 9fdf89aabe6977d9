"""Agents that speak ACP: what they get of their client, and how they end when they break the protocol."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalLog
from inspect_ai.model import ModelOutput

from benchwright_attempts.attribution import EditOrigin, attributions_of_edits
from benchwright_attempts.clock.clock import AttemptState
from benchwright_attempts.events.events import Abandoned, Edit
from benchwright_attempts.events.evidence import ModelUsage, Violation
from benchwright_attempts.log.record import RecordedEvent
from benchwright_attempts.summary.replay import replay
from benchwright_foundation.home import Home
from benchwright_problems.storage.store import Store
from benchwright_subjects.agents.acp import turn
from benchwright_subjects.evaluation.evaluation import summary_of_run

from ..support.models.acp_agents import programs
from ..support.models.agent_model import FILE
from ..support.models.eval import COUNTER, Desk, desk, run, scripted_model

__all__ = ("desk", "programs")


def works(desk: Desk, programs: Path, mode: str, **options: Any) -> tuple[EvalLog, list[RecordedEvent], list[str]]:
    """Log and events of the double's work, and what it told its model."""
    prompts: list[str] = []

    def reply(messages: Any, config: Any) -> ModelOutput:
        prompts.append(messages[-1].text)
        return ModelOutput.from_content("mockllm/model", "done")

    options = {"problems": "saturating-counter", "acp": True, "limit_s": 60.0, **options}
    log = run(
        desk, scripted_model(reply), "agent", command=f"double {mode}", place=f"benchwright:{programs}", **options
    )
    attempt = desk.attempts()[-1]
    return log, desk.events(attempt.id), prompts


def facts(events: list[RecordedEvent]) -> dict[str, Any]:
    parameter_sets = [recorded.event.parameters for recorded in events if isinstance(recorded.event, ModelUsage)]
    (acp_facts,) = [dict(parameters) for parameters in parameter_sets if "acp_granted" in parameters]
    return acp_facts


def abandon_reason(events: list[RecordedEvent]) -> str:
    (abandoned,) = [recorded.event for recorded in events if isinstance(recorded.event, Abandoned)]
    return str(abandoned.reason)


def is_running(*words: str) -> bool:
    command_line = b"\0".join(word.encode() for word in words)
    return any(command_line in _read(file) for file in Path("/proc").glob("[0-9]*/cmdline"))


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:
        return b""


def test_an_agent_solves_a_problem_with_its_clients_files_terminals_and_permissions(desk: Desk, programs: Path) -> None:
    log, events, prompts = works(desk, programs, "good", refuse=["execute"])
    assert summary_of_run(log)["passed"] == 1, summary_of_run(log)["why"]
    (attempt,) = desk.attempts()
    assert desk.state(attempt.id) is AttemptState.SUBMITTED
    assert replay(events).files[FILE].text == COUNTER
    assert {attribution.origin for attribution in attributions_of_edits(events)} == {EditOrigin.AGENT}
    assert sum(isinstance(recorded.event, Edit) for recorded in events) == 2
    first, edit, execute, ran, missing, killed = json.loads(prompts[1])
    assert first == "// SPDX-License-Identifier: Apache-2.0"
    assert (edit, execute) == ("allow_once", "reject_once")
    assert ran["output"].splitlines()[1:] == ["/code", "solver"]
    assert (ran["ended"], ran["exitStatus"]["exitCode"], ran["truncated"]) == ({"exitCode": 0}, 0, False)
    assert (missing["ended"], killed) == ({"exitCode": 127}, {"signal": "9"})
    assert facts(events) == {
        "acp_granted": {"edit": 1},
        "acp_name": "double ",
        "acp_protocol_version": 1,
        "acp_refused": {"execute": 1},
        "acp_stop_reason": "end_turn",
        "acp_usage": {
            **{"used": 120, "size": 1000, "cost": "0.25 USD"},
            **{"inputTokens": 100, "outputTokens": 20, "totalTokens": 120},
        },
        "acp_version": "1.2",
    }
    assert desk.are_whole()


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("mode", "reason"),
    [
        ("permissions_forever", "flooded: it asked for permission more than 1000 times"),
        ("requests_unread", "flooded: it has more than 100 requests that wait for an answer"),
        ("notifications_forever", "flooded: it sends messages forever"),
        ("giant_line", "flooded: it sent a line of more than 8388608 bytes"),
        ("not_json", "malformed: it printed a line that is not JSON"),
        ("strange_answer", "malformed: its answer to session/prompt is not what the protocol says"),
        ("unasked", "unasked_answer: it answered a request that nobody had sent"),
        ("answers_early", "unasked_answer: it answered a request that nobody had sent"),
        ("unknown_id", "unasked_answer: it answered a request that nobody had sent"),
        ("other_version", "other_protocol: it speaks version 2 of ACP, not 1"),
        ("never_answers", "no_answer: it did not answer initialize within 2 seconds"),
        ("error", "error_answer: it answered session/prompt with error -32000: Authentication required [2J"),
        ("at_once", "its command ended with 5: "),
        ("leaves", "ended: it ended without an answer to session/prompt"),
        ("max_tokens", "max_tokens: it reached its own limit of tokens"),
        ("max_turn_requests", "max_turn_requests: it reached its own limit of requests to its model"),
        ("refusal", "refusal: it refused to go on"),
        ("cancelled", "cancelled: it cancelled its work"),
    ],
)
def test_each_way_to_fail_has_a_name_and_leaves_no_process(
    desk: Desk, programs: Path, monkeypatch: pytest.MonkeyPatch, mode: str, reason: str
) -> None:
    if mode == "never_answers":
        monkeypatch.setattr(turn, "START_S", 2.0)
    log, events, _ = works(desk, programs, mode)
    assert (summary_of_run(log)["failed"], summary_of_run(log)["error"]) == (1, 0), summary_of_run(log)["why"]
    assert abandon_reason(events) == reason
    assert not is_running("/agent/bin/double", mode)
    assert desk.are_whole()


@pytest.mark.parametrize("mode", ["stderr", "daemon", "strange_messages"])
def test_what_does_no_harm_is_borne(desk: Desk, programs: Path, mode: str) -> None:
    log, _, _ = works(desk, programs, mode)
    (attempt,) = desk.attempts()
    assert desk.state(attempt.id) is AttemptState.SUBMITTED, summary_of_run(log)["why"]
    assert not is_running("sleep", "986")


def test_what_it_prints_at_its_end_holds_nothing_of_this_machine(
    desk: Desk, programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CANARY_KEY", "CANARY-9c1d")
    _, events, _ = works(desk, programs, "exits")
    assert abandon_reason(events).startswith("its command ended with 3: ")
    assert "CANARY-9c1d" not in desk.exports()


def test_an_agent_that_never_answers_its_task_is_ended_by_the_limit(desk: Desk, programs: Path) -> None:
    log, events, _ = works(desk, programs, "sleeps", limit_s=3.0)
    (attempt,) = desk.attempts()
    assert desk.state(attempt.id) is AttemptState.TIMED_OUT, summary_of_run(log)["why"]
    assert facts(events)["acp_name"] == "double "
    assert not is_running("/agent/bin/double", "sleeps")


def test_it_reads_and_writes_its_folder_and_nothing_else(desk: Desk, programs: Path) -> None:
    home = Home.from_environment()
    home.data.mkdir(parents=True, exist_ok=True)
    (home.data / "secret").write_text("CANARY-77")
    Store(home).problem("starter/saturating-counter")
    outside = [
        *(f"{home.data}/secret", "/etc/passwd", "/code/../etc/passwd", "/code/rtl/../../etc/passwd", "rtl/x.sv"),
        *("/codex/x", "//code/rtl/x", "/", "/bench/launch.json", "~/.bashrc", "/proc/self/environ"),
    ]
    _, events, prompts = works(desk, programs, f"hostile_paths {shlex.join(outside)}")
    (prompt,) = prompts
    errors = json.loads(prompt)
    assert [error.get("code") for error in errors[:-1]] == [-32602] * (len(errors) - 1), errors
    assert "CANARY-77" not in prompt
    assert str(home.data.parent) not in "".join(error["message"] for error in errors[:-1])
    violations = [recorded.event for recorded in events if isinstance(recorded.event, Violation)]
    assert {violation.rule for violation in violations} == {"path_outside_folder"}
    assert [violation.detail for violation in violations][: len(outside)] == outside
    assert (home.data / "secret").read_text() == "CANARY-77"
    assert "MINE" not in Path("/etc/passwd").read_text()
