"""Samples of agents whose process is killed: those that can go on do so from their last checkpoint."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from benchwright_attempts import log_file
from benchwright_attempts.attempts import Attempts
from benchwright_attempts.clock.clock import AttemptState, clock_after_events
from benchwright_attempts.events.events import Edit, RunFinished, Save, TextSet
from benchwright_attempts.events.evidence import Continued, ModelUsage, TimedOut, ToolCalled
from benchwright_attempts.grading.run_records import RunRecords
from benchwright_attempts.log.record import RecordedEvent
from benchwright_attempts.summary.replay import replay
from benchwright_studies.conduct.study_log import StudyLog
from benchwright_subjects.evaluation.evaluation import resume_run, summary_of_run

from ..support.models.acp_agents import programs
from ..support.models.agent_model import FILE, endpoint_that_writes, writing_call_of
from ..support.models.eval import COUNTER, Desk, desk, run
from ..support.models.subjects import installed_preset
from ..support.service.judge_endpoint import JudgeEndpoint, JudgeRequest, PlayedReply, content, fails, in_turn

__all__ = ("desk", "programs")

BENCHWRIGHT = Path(sys.executable).with_name("benchwright")
LONGEST_S = 120.0
NO_REPLY_S = 600.0


def start(desk: Desk, *arguments: str | Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [BENCHWRIGHT, "eval", *arguments, "--json"],
        env=os.environ | {"BENCHWRIGHT_HOME": str(desk.home.data.parent), "LOCAL_API_KEY": "none"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
    )


def kill_once(process: subprocess.Popen[str], is_due: Callable[[], bool]) -> None:
    deadline = time.monotonic() + LONGEST_S
    while not is_due():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.communicate()


def resumed(desk: Desk, exit_code: int = 0) -> dict[str, Any]:
    """The summary of the run that was killed, once it is continued."""
    process = start(desk, "--resume", desk.out_folder)
    stdout, stderr = process.communicate(timeout=LONGEST_S)
    assert process.returncode == exit_code, (stdout, stderr)
    counts: dict[str, Any] = json.loads(stdout)
    return counts


def events(desk: Desk) -> list[RecordedEvent]:
    if not log_file(desk.home).exists():
        return []
    return [recorded for header in desk.attempts() for recorded in desk.events(header.id)]


def of_type(recorded_events: Sequence[RecordedEvent], kind: type[Any]) -> list[Any]:
    return [recorded.event for recorded in recorded_events if isinstance(recorded.event, kind)]


def text(desk: Desk) -> str | None:
    replayed_file = replay(events(desk)).files.get(FILE)
    return replayed_file.text if replayed_file is not None else None


def options(desk: Desk, endpoint: JudgeEndpoint, *more_options: str | Path) -> tuple[str | Path, ...]:
    return (
        *("--agent", "--pack", "starter", "--problem", "saturating-counter", "--model", "openai-api/local/scripted"),
        *("--base-url", endpoint.url, "--out", desk.out_folder, *more_options),
    )


def require_one_whole_attempt(desk: Desk) -> list[RecordedEvent]:
    """The events of the only attempt, which is submitted and has left no checkpoint."""
    (attempt,) = desk.attempts()
    with StudyLog(log_file(desk.home)) as log:
        attempt_summary = Attempts(log).summary(attempt.id)
    assert (attempt_summary.state, attempt_summary.has_passed) == (AttemptState.SUBMITTED, True)
    assert desk.are_whole()
    assert not RunRecords(desk.home, attempt.id).checkpoint_file.exists()
    return desk.events(attempt.id)


def require_continuation(recorded_events: Sequence[RecordedEvent]) -> None:
    """Require that an attempt went on from its checkpoint, and that no time counts that was spent after it."""
    (continued,) = of_type(recorded_events, Continued)
    at_checkpoint = [recorded for recorded in recorded_events if recorded.seq <= continued.checkpoint]
    until_continued = recorded_events[: [recorded.event for recorded in recorded_events].index(continued)]
    active_s = clock_after_events(at_checkpoint).active_s
    assert clock_after_events(until_continued).active_s == pytest.approx(active_s, abs=0.5)


def in_process(
    desk: Desk, endpoint: JudgeEndpoint, before_it_is_continued: Callable[[], None] = lambda: None, **more_options: Any
) -> list[RecordedEvent]:
    """The events of a sample that its provider fails, and that is continued."""
    log = run(
        desk,
        "openai-api/local/scripted",
        "agent",
        problems="saturating-counter",
        base_url=endpoint.url,
        **more_options,
    )
    assert summary_of_run(log)["error"] == 1, summary_of_run(log)
    before_it_is_continued()
    second_log = resume_run(Path(log.location), "none")
    assert summary_of_run(second_log)["passed"] == 1, summary_of_run(second_log)["why"]
    recorded_events = require_one_whole_attempt(desk)
    require_continuation(recorded_events)
    return recorded_events


def test_a_sample_whose_provider_fails_is_continued_without_asking_anything_twice(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCAL_API_KEY", "none")
    scripted_replies = in_turn(
        call("write_file", path=FILE, content=COUNTER), call("run_hidden_tests"), fails(400, "down"), call("submit")
    )
    with JudgeEndpoint(scripted_replies) as endpoint:
        recorded_events = in_process(desk, endpoint, runs=1, tokens=450)
        conversations = [request.body["messages"] for request in endpoint.requests]
    assert conversations[3] == conversations[2]
    assert len(of_type(recorded_events, RunFinished)) == 1
    assert sum(usage.total_tokens for usage in of_type(recorded_events, ModelUsage)) == 3 * 120


def test_limits_count_what_a_sample_had_used_before_it_was_continued(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCAL_API_KEY", "none")
    read_call = call("read_file", path=FILE)
    with JudgeEndpoint(in_turn(read_call, read_call, fails(400, "down"), read_call, read_call)) as endpoint:
        options: dict[str, Any] = {"problems": "saturating-counter", "base_url": endpoint.url, "tokens": 300}
        log = run(desk, "openai-api/local/scripted", "agent", **options)
        resume_run(Path(log.location), "none")
        assert len(endpoint.requests) == 4
    (attempt,) = desk.attempts()
    (timed_out,) = of_type(desk.events(attempt.id), TimedOut)
    assert timed_out.reason == "token_limit"


def test_an_agent_by_acp_whose_provider_fails_loads_its_session(
    desk: Desk, programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCAL_API_KEY", "none")
    with JudgeEndpoint(in_turn(content("Go on."), fails(400, "down"), content("Go on."))) as endpoint:
        agent_options: dict[str, Any] = {"acp": True, "command": "double goes_on", "place": f"benchwright:{programs}"}
        recorded_events = in_process(desk, endpoint, **agent_options)
        prompts = [request.body["messages"][-1]["content"] for request in endpoint.requests]
    assert json.loads(prompts[2]) == ["first", "second", "second", "// second\n"]
    assert len(of_type(recorded_events, ToolCalled)) == 1


def call(tool: str, **arguments: Any) -> PlayedReply:
    function = {"name": tool, "arguments": json.dumps(arguments)}
    return content(
        None, tool_calls=[{"id": tool, "type": "function", "function": function}], finish_reason="tool_calls"
    )


@pytest.mark.nightly
def test_our_own_agent_that_is_killed_goes_on_from_its_last_checkpoint(desk: Desk) -> None:
    def reply(request: JudgeRequest) -> PlayedReply:
        match sum(message["role"] == "tool" for message in request.body["messages"]):
            case 0:
                return call("write_file", path=FILE, content=COUNTER)
            case 1:
                return call("write_file", path="notes/left.txt", content="To be kept.")
            case 2:
                return call("run_hidden_tests")
        return call("submit") if is_patient else PlayedReply(call("submit").body, delay_s=NO_REPLY_S)

    is_patient = False
    with JudgeEndpoint(reply) as endpoint:
        process = start(desk, *options(desk, endpoint, "--runs", "1", "--token-limit", "1000"))
        kill_once(process, lambda: len(endpoint.requests) == 4)
        is_patient = True
        counts = resumed(desk)
        # Nothing that was answered is asked again, and the conversation is the same.
        assert len(endpoint.requests) == 5
        assert endpoint.requests[4].body["messages"] == endpoint.requests[3].body["messages"]
    recorded_events = require_one_whole_attempt(desk)
    require_continuation(recorded_events)
    assert len(of_type(recorded_events, RunFinished)) == 1
    assert [changed.path for changed in of_type(recorded_events, TextSet)] == [FILE, "notes/left.txt"]
    tokens = sum(usage.total_tokens for usage in of_type(recorded_events, ModelUsage))
    assert tokens == counts["input_tokens"] + counts["output_tokens"] == 4 * 120


@pytest.mark.nightly
def test_an_agent_by_acp_that_is_killed_loads_its_session_and_finds_its_files_as_at_the_checkpoint(
    desk: Desk, programs: Path
) -> None:
    with JudgeEndpoint(lambda request: content("Go on.")) as endpoint:
        agent_options = ("--acp", "--agent-command", "double goes_on", "--agent-place", f"benchwright:{programs}")
        process = start(desk, *options(desk, endpoint, *agent_options))
        kill_once(process, lambda: text(desk) == "// lost\n")
        resumed(desk)
        prompts = [request.body["messages"][-1]["content"] for request in endpoint.requests]
    assert prompts[:2] == ["first", "second"]
    assert json.loads(prompts[2]) == ["first", "second", "second", "// second\n"]
    recorded_events = require_one_whole_attempt(desk)
    require_continuation(recorded_events)
    assert not [changed for changed in of_type(recorded_events, TextSet) if changed.path == "notes.txt"]
    # What the agent tells of its past when it loads its session is in the log once.
    assert len(of_type(recorded_events, ToolCalled)) == 1
    assert sum(usage.calls for usage in of_type(recorded_events, ModelUsage)) == 3
    assert len(of_type(recorded_events, Edit)) == 4


@pytest.mark.nightly
def test_an_agent_that_can_not_load_its_session_begins_again_at_the_next_continuation(
    desk: Desk, programs: Path
) -> None:
    with JudgeEndpoint(lambda request: content("Go on.")) as endpoint:
        agent_options = ("--acp", "--agent-command", "double loses_session", "--agent-place", f"benchwright:{programs}")
        process = start(desk, *options(desk, endpoint, *agent_options))
        kill_once(process, lambda: text(desk) == "// lost\n")
        counts = resumed(desk, exit_code=1)
        assert "can't continue from its checkpoint" in counts["why"], counts
        assert "No such session" in counts["why"]
        process = start(desk, "--resume", desk.out_folder)
        kill_once(process, lambda: len(endpoint.requests) == 4)
    assert [continued.checkpoint is None for continued in of_type(events(desk), Continued)] == [False, True]


@pytest.mark.nightly
def test_an_agent_without_a_session_begins_again_as_the_log_says(desk: Desk) -> None:
    program = f"open('{FILE}', 'w').write('// half'); import time; time.sleep(99)"
    with JudgeEndpoint(lambda request: content("Go on.")) as endpoint:
        process = start(desk, *options(desk, endpoint, "--agent-command", f'python3 -c "{program}"'))
        kill_once(process, lambda: text(desk) == "// half")
        process = start(desk, "--resume", desk.out_folder)
        kill_once(process, lambda: bool(of_type(events(desk), Continued)) and text(desk) == "// half")
    (continued,) = of_type(events(desk), Continued)
    assert continued.checkpoint is None


CONTINUING = ("codex", "codex-acp", "gemini", "gemini-acp", "opencode", "opencode-acp")
HALF = COUNTER.replace("endmodule", "// half\nendmodule")


def wait_for_the_next_minute() -> None:
    time.sleep(61 - time.time() % 60)


@pytest.mark.nightly
@pytest.mark.parametrize("name", CONTINUING)
def test_a_real_agent_goes_on_with_its_session(desk: Desk, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCAL_API_KEY", "none")
    installed_preset(name)

    def reply(request: JudgeRequest) -> PlayedReply:
        conversation = json.dumps(request.body["messages"])
        if not request.body.get("tools") or "// half" not in conversation:
            return endpoint_that_writes(request, HALF)
        if "You were interrupted" not in conversation:
            return fails(400, "down")
        if request.body["messages"][-1]["role"] != "tool":
            return writing_call_of(request, COUNTER)
        return content("It is written.")

    with JudgeEndpoint(reply) as endpoint:
        # Its file has the minute in its name, and loading one of the same minute empties it.
        pause = wait_for_the_next_minute if name == "gemini-acp" else lambda: None
        recorded_events = in_process(desk, endpoint, pause, subject=name)
    assert [saved.path for saved in of_type(recorded_events, Save)] == [FILE, FILE]
