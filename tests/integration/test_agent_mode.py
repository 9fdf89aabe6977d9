"""The agent mode and the chat of a real VS Code on the bench; only its model is a scripted one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalLog

from benchwright_analysis.trace.attempt_steps import trace_of_attempt
from benchwright_attempts.attribution import EditOrigin, attributions_of_edits
from benchwright_attempts.clock.clock import AttemptState
from benchwright_attempts.events.events import Abandoned, RunCancelled, RunFinished, RunStarted
from benchwright_attempts.events.evidence import ModelUsage, TimedOut, ToolCalled, ToolFinished
from benchwright_attempts.log.record import RecordedEvent
from benchwright_attempts.summary.replay import replay
from benchwright_subjects.evaluation.evaluation import summary_of_run
from benchwright_subjects.inline.vscode.vsix import vsix_of_folder

from ..support.models.agent_mode import PARTICIPANT, Answer, answering_model, in_terminal, require_editor
from ..support.models.agent_model import FILE, Call
from ..support.models.eval import CANARY, COUNTER, Desk, desk, run

__all__ = ("desk",)

pytestmark = pytest.mark.long

HOSTILE_S = 90.0
"""Time that a hostile extension gets, with which the editor starts."""


def work(desk: Desk, next_answer: Answer, **options: Any) -> tuple[EvalLog, list[RecordedEvent], list[str]]:
    """Log, events and the model's requests of one attempt."""
    require_editor()
    requests: list[str] = []
    options = {"problems": "saturating-counter", "limit_s": 900.0, **options}
    log = run(desk, answering_model(next_answer, requests), "agent", subject="vscode-agent", **options)
    return log, desk.events(desk.attempts()[-1].id), requests


def of_type(events: Sequence[RecordedEvent], kind: type[Any] | tuple[type[Any], ...]) -> list[Any]:
    return [recorded.event for recorded in events if isinstance(recorded.event, kind)]


@pytest.mark.nightly
def test_agent_mode_edits_runs_commands_and_is_recorded_graded_and_replayed_like_a_person(desk: Desk) -> None:
    def answer(results: Sequence[str], last: str) -> Call | str:
        match len(results):
            case 0:
                return in_terminal("id -un; pwd; rm rtl/sat_counter.sv")
            case 1:
                return Call("create_file", {"filePath": f"/code/{FILE}", "content": COUNTER})
        return "The counter is written."

    log, events, requests = work(desk, answer)
    assert summary_of_run(log)["passed"] == 1, summary_of_run(log)["why"]
    (attempt,) = desk.attempts()
    assert desk.state(attempt.id) is AttemptState.SUBMITTED
    assert replay(events).files[FILE].text == COUNTER
    assert {attribution.origin for attribution in attributions_of_edits(events)} <= {EditOrigin.AGENT}
    assert [(called.tool, called.kind) for called in of_type(events, ToolCalled)] == [
        ("run_in_terminal", "execute"),
        ("create_file", "edit"),
    ]
    terminal, edit = of_type(events, ToolFinished)
    assert (terminal.outcome, terminal.approval, edit.outcome) == ("completed", "granted", "completed")
    assert "solver\n/code" in terminal.result
    assert COUNTER.splitlines()[0] in of_type(events, ToolCalled)[1].arguments
    # Each save is graded while it works: a run of what was there when it was saved.
    first_run = of_type(events, RunStarted)[0]
    assert (first_run.actor, first_run.snapshot) == (None, {})
    assert [finished.reason for finished in of_type(events, RunFinished)][-1] == "passed"
    assert len(of_type(events, RunStarted)) == len(of_type(events, RunFinished)) + len(of_type(events, RunCancelled))
    identity = of_type(events, ModelUsage)[0].parameters
    assert (identity["subject"], identity["subject_kind"]) == ("vscode-agent", "editor")
    assert identity["chat_extension"].startswith("GitHub.copilot-chat ")
    assert attempt.solver.startswith("vscode-agent ")
    steps = trace_of_attempt(attempt, events).trace_parts[0].steps
    used = "; ".join(step.fact_texts.get("used", "") for step in steps)
    assert "The agent calls run_in_terminal; run_in_terminal: completed" in used
    assert not any(CANARY in request for request in requests)
    assert desk.are_whole()


@pytest.mark.nightly
def test_a_kind_of_tool_that_the_run_refuses_is_not_called(desk: Desk) -> None:
    def answer(results: Sequence[str], last: str) -> Call | str:
        return "No terminal." if results else in_terminal(f"printf changed > {FILE}")

    _, events, requests = work(desk, answer, refuse=["execute"])
    (finished,) = of_type(events, ToolFinished)
    assert (finished.outcome, finished.approval) == ("refused", "refused")
    assert replay(events).files[FILE].text != "changed"
    assert "denied" in requests[-1].lower()


@pytest.mark.nightly
def test_a_hostile_turn_finds_nothing_hidden_and_ends_by_the_limit_that_it_breaks(desk: Desk, tmp_path: Path) -> None:
    hidden = desk.home.data / "hidden.txt"
    hidden.parent.mkdir(parents=True, exist_ok=True)
    hidden.write_text(CANARY)
    outside = tmp_path / "left"

    def answer(results: Sequence[str], last: str) -> Call | str:
        match len(results):
            case 0:
                return in_terminal(
                    f"cat {hidden} /proc/1/environ; grep -rs {CANARY[:6]}- /home /root /work /etc | head"
                )
            case 1:
                return Call("read_file", {"filePath": str(hidden), "startLine": 1, "endLine": 10})
            case 2:
                return Call("create_file", {"filePath": str(outside), "content": "was here"})
        return in_terminal("head -c 1500000000 /dev/zero | split -b 100000000 - /code/flood; sleep 100")

    log, events, requests = work(desk, answer)
    (abandoned,) = of_type(events, Abandoned)
    assert abandoned.reason == "it wrote more than its folder may hold"
    assert len(requests) >= 4
    assert not outside.exists()
    assert not any(CANARY in request for request in requests)
    assert CANARY not in desk.exports()
    assert summary_of_run(log)["failed"] == 1


@pytest.mark.nightly
def test_a_turn_that_never_ends_is_ended_by_a_limit_with_its_name(desk: Desk) -> None:
    _, events, _ = work(desk, lambda results, last: in_terminal("date"), tokens=600)
    (timed_out,) = of_type(events, TimedOut)
    assert timed_out.reason == "token_limit"
    assert {finished.outcome for finished in of_type(events, ToolFinished)} == {"completed"}


@pytest.mark.nightly
def test_an_extensions_chat_participant_works_in_place_of_agent_mode(desk: Desk, tmp_path: Path) -> None:
    vsix = tmp_path / "participant.vsix"
    vsix.write_bytes(vsix_of_folder(PARTICIPANT))
    hidden = desk.home.data / "hidden.txt"
    hidden.parent.mkdir(parents=True, exist_ok=True)
    hidden.write_text(CANARY)
    said: list[str] = []

    def answer(results: Sequence[str], last: str) -> str:
        said.append(last)
        if "ENOENT" in last:
            return json.dumps({"done": "The counter is written."})
        return json.dumps({"looks": [str(hidden)], "writes": {"/usr/left": "x", f"/code/{FILE}": COUNTER}})

    log, events, requests = work(desk, answer, extension=[str(vsix)], participant="scripted")
    assert summary_of_run(log)["passed"] == 1, summary_of_run(log)["why"]
    assert json.loads(said[-1]) == ["ENOENT", "EROFS", "written"]
    identity = of_type(events, ModelUsage)[0].parameters
    assert (identity["extensions"], identity["participant"]) == ("tests.participant 0.3.0", "scripted")
    assert not any(CANARY in request for request in requests)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("harm", "end"),
    [
        ({"hangs": True}, "time_limit"),
        ({"floods": "chat"}, "time_limit"),
        ({"floods": "output"}, "time_limit"),
        ({"floods": "folder"}, "it wrote more than its folder may hold"),
    ],
    ids=json.dumps,
)
def test_a_hostile_extension_finds_nothing_hidden_and_ends_as_a_failure_with_a_name(
    desk: Desk, tmp_path: Path, harm: dict[str, Any], end: str
) -> None:
    vsix = tmp_path / "participant.vsix"
    vsix.write_bytes(vsix_of_folder(PARTICIPANT))
    hidden = desk.home.data / "hidden.txt"
    hidden.parent.mkdir(parents=True, exist_ok=True)
    hidden.write_text(CANARY)
    outside = tmp_path / "left"
    looks = [str(hidden), "/proc/1/environ", str(desk.home.data), "/bench/launch.json", "/root/.bashrc"]

    def answer(results: Sequence[str], last: str) -> str:
        if "written" in last:
            return json.dumps(harm)
        return json.dumps({"looks": looks, "writes": {str(outside): "x", f"/code/{FILE}": COUNTER}})

    log, events, requests = work(desk, answer, extension=[str(vsix)], participant="scripted", limit_s=HOSTILE_S)
    reasons = [event.reason for event in of_type(events, (Abandoned, TimedOut))]
    assert reasons == [end], summary_of_run(log)
    assert requests and not any(CANARY in request for request in requests)
    assert CANARY not in desk.exports()
    assert not outside.exists() and hidden.read_text() == CANARY
    assert desk.are_whole()


@pytest.mark.nightly
def test_a_participant_that_no_extension_has_is_named(desk: Desk) -> None:
    _, events, requests = work(desk, lambda results, last: "Never asked.", participant="nobody")
    (abandoned,) = of_type(events, Abandoned)
    assert abandoned.reason.startswith("error_answer: it answered session/new with error -32603: ")
    assert "no extension has the chat participant nobody" in abandoned.reason
    assert not requests
