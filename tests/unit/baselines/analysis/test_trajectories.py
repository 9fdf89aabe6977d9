"""Trajectories: what attempts become, by the schema of Harbor's own models, and what hostile files are refused with."""

from __future__ import annotations

import hashlib
import importlib
import json
import subprocess
import sys
import types
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from inspect_ai.log import read_eval_log
from inspect_ai.model import ChatMessageAssistant, ChatMessageTool

from benchwright_analysis.trajectory.atif import Trajectory, read_trajectory
from benchwright_analysis.trajectory.attempt_trajectory import ConversationPart, trajectory_of_attempt
from benchwright_analysis.trajectory.inspect_sample import write_trajectory_log
from benchwright_analysis.trajectory.reward_hacking import step_findings
from benchwright_analysis.trajectory.trace_steps import trace_of_trajectory
from benchwright_attempts.errors import TrajectoryError
from benchwright_attempts.events.events import (
    Edit,
    Event,
    Focus,
    Opened,
    RunFinished,
    RunStarted,
    Started,
    Submitted,
    TextCause,
    TextSet,
    Tick,
)
from benchwright_attempts.events.evidence import (
    AssistAccepted,
    AssistShown,
    EditReason,
    ModelUsage,
    ToolCalled,
    ToolFinished,
)
from benchwright_attempts.events.file_text import Change, FileText, sha256
from benchwright_attempts.log.record import AttemptHeader, Moment, RecordedEvent
from benchwright_attempts.summary.summary import AttemptVerdict
from benchwright_problems.verdict import Outcome

SCHEMA = json.loads(Path(__file__).with_name("atif.schema.json").read_text())
HARBOR = ("harbor==0.26.0", "b7c752c5b51ae2ee1fc2ea30621493c7dc0b5a3d0157295bed4552115027baee")
MORNING = datetime(2026, 11, 30, 9, tzinfo=UTC)
FILE = "rtl/m.sv"


def attempt_header(condition: str) -> AttemptHeader:
    return AttemptHeader(
        id="a1", problem="p/m", problem_digest="d", workspace="", solver="s", condition=condition, created=MORNING
    )


def recorded_events(events: Sequence[Event], step_s: float = 1.0) -> list[RecordedEvent]:
    return [
        RecordedEvent(
            "a1", seq, Moment(MORNING + timedelta(seconds=step_s * seq), int(seq * step_s * 1e9), "p"), e, "", ""
        )
        for seq, e in enumerate(events, 1)
    ]


def typed_events(version: int, text: str) -> list[Event]:
    return [
        EditReason(path=FILE, version=version, reason="cursor", metadata={"kind": "type"}),
        Edit(path=FILE, version=version, changes=(Change(start=0, end=0, text=text),)),
    ]


RUN: tuple[Event, ...] = (
    RunStarted(run="r", number=1, snapshot={FILE: sha256(b"")}),
    RunFinished(run="r", number=1, outcome=Outcome.FAILED, reason="tests_failed", message="1 of 2", wall_s=1.0),
)
PERSON: tuple[Event, ...] = (
    Opened(files={FILE: FileText.of_text("")}),
    Started(),
    *typed_events(2, "m"),
    *typed_events(3, "\ud83d"),
    Focus(focused=False),
    Tick(),
    AssistShown(assist="x", provider="copilot", path=FILE, text="endmodule"),
    AssistAccepted(assist="x", provider="copilot", path=FILE, version=4),
    *RUN,
    Submitted(),
)
MODEL: tuple[Event, ...] = (
    Opened(files={}),
    Started(),
    ModelUsage(
        model="openai/x", calls=2, input_tokens=10, cache_read_tokens=5, output_tokens=7, total_tokens=22, cost_usd=0.5
    ),
    TextSet(path=FILE, cause=TextCause.WRITTEN, file=FileText.of_text("module m; endmodule")),
    *RUN,
    Submitted(),
)
FOREIGN: dict[str, Any] = {
    "schema_version": "ATIF-v1.6",
    "session_id": "run-7",
    "agent": {"name": "other", "version": "2.1", "model_name": "lab/m", "extra": {"k": 1}},
    "notes": "Theirs.",
    "steps": [
        {"step_id": 1, "source": "user", "timestamp": "2026-11-30T09:00:00Z", "message": "Write m."},
        {
            "step_id": 2,
            "source": "agent",
            "timestamp": "2026-11-30T09:01:30+00:00",
            "message": [
                {"type": "text", "text": "See"},
                {"type": "image", "source": {"media_type": "image/png", "path": "a.png"}},
            ],
            "reasoning_content": "hm",
            "tool_calls": [{"tool_call_id": "c1", "function_name": "bash", "arguments": {"command": "ls"}}],
            "observation": {"results": [{"source_call_id": "c1", "content": "m.sv"}]},
            "metrics": {"prompt_tokens": 100, "completion_tokens": 20, "cached_tokens": 40, "cost_usd": 0.25},
        },
    ],
}  # fmt: skip


def foreign_trajectory_with(**changes: Any) -> dict[str, Any]:
    step = FOREIGN["steps"][1] | changes
    return FOREIGN | {"steps": [FOREIGN["steps"][0], step]}


def write_trajectory(tmp_path: Path, value: object) -> Path:
    file = tmp_path / "t.json"
    file.write_text(value if isinstance(value, str) else json.dumps(value))
    return file


@pytest.mark.parametrize(("condition", "events"), [("human+copilot", PERSON), ("model", MODEL)])
def test_every_attempt_is_a_trajectory_by_harbors_schema_and_survives_the_round(
    condition: str, events: Sequence[Event], tmp_path: Path
) -> None:
    trajectory = trajectory_of_attempt(attempt_header(condition), recorded_events(events), statement="Write m.")
    jsonschema.validate(json.loads(trajectory.as_json()), SCHEMA)
    assert read_trajectory(write_trajectory(tmp_path, trajectory.as_json())) == trajectory


def test_what_a_person_did_is_calls_and_what_has_no_place_is_counted() -> None:
    trajectory = trajectory_of_attempt(
        attempt_header("human+copilot"), recorded_events(PERSON, 0.5), statement="Write m."
    )
    calls = [call for step in trajectory.steps for call in step.tool_calls or ()]
    assert [call.function_name for call in calls] == [
        *("start_clock", "edit_file", "edit_file", "accept_offer", "run_hidden_tests", "submit")
    ]
    # Keys in a row are one step.
    (typing,) = (step for step in trajectory.steps if step.tool_calls and len(step.tool_calls) == 2)
    assert typing.llm_call_count == 0
    (run_step,) = (step for step in trajectory.steps if step.observation and step.tool_calls)
    assert "tests_failed" in str(run_step.observation)
    assert trajectory.notes == "Left out: 2 edit reason; 1 focus; 1 tick."
    assert trajectory.steps[0].message == "Write m."


def test_the_calls_that_an_agent_reports_are_there_once() -> None:
    reported = (
        ToolCalled(call="c", tool="run_in_terminal", kind="execute", arguments='{"command": "ls"}'),
        ToolFinished(call="c", outcome="completed", approval="granted", result="m.sv"),
    )
    events = recorded_events([*MODEL[:2], *reported, *MODEL[2:]])
    alone = trajectory_of_attempt(attempt_header("agent"), events, statement="Write m.")
    jsonschema.validate(json.loads(alone.as_json()), SCHEMA)
    (called,) = (call for step in alone.steps for call in step.tool_calls or () if call.function_name == "call_tool")
    assert called.arguments["tool"] == "run_in_terminal"
    assert "m.sv" in str([step.observation for step in alone.steps])
    talked = ConversationPart(Trajectory.model_validate(FOREIGN).steps)
    told = trajectory_of_attempt(attempt_header("agent"), events, conversation=talked, statement="Write m.")
    assert "1 tool called; 1 tool finished" in str(told.notes)


def test_tokens_and_cost_are_those_of_the_log() -> None:
    trajectory = trajectory_of_attempt(attempt_header("model"), recorded_events(MODEL))
    totals = trajectory.final_metrics
    assert totals is not None
    assert (totals.total_prompt_tokens, totals.total_cached_tokens, totals.total_completion_tokens) == (15, 5, 7)
    assert totals.total_cost_usd == 0.5
    assert trajectory.notes == "Left out: the statement, which is not kept in this version."


def test_an_imported_conversation_keeps_what_it_had_and_takes_its_place_in_time(tmp_path: Path) -> None:
    source = read_trajectory(write_trajectory(tmp_path, FOREIGN))
    merged = trajectory_of_attempt(
        attempt_header("agent"), recorded_events(MODEL), conversation=ConversationPart(source.steps, source)
    )
    jsonschema.validate(json.loads(merged.as_json()), SCHEMA)
    theirs = [step for step in merged.steps if step.extra is None]
    assert [step.model_copy(update={"step_id": 0}) for step in theirs] == [
        step.model_copy(update={"step_id": 0}) for step in source.steps
    ]
    assert [step.step_id for step in theirs] == [1, len(merged.steps)]
    assert (merged.session_id, merged.agent.name, merged.notes) == ("run-7", "other", "Theirs.")
    # What the log says is not another call of the agent's.
    assert sum(len(step.tool_calls or ()) for step in merged.steps) == 1


def test_inspect_reads_a_persons_attempt(tmp_path: Path) -> None:
    trajectory = trajectory_of_attempt(attempt_header("human"), recorded_events(PERSON), statement="Write m.")
    verdict = AttemptVerdict(
        number=1,
        outcome=Outcome.FAILED,
        reason="tests_failed",
        message="1 of 2",
        active_s=3.0,
        snapshot={},
        digests={},
        passed=1,
        total=2,
        wall_s=1.0,
        seq=9,
        at=MORNING,
    )
    file = tmp_path / "a.eval"
    write_trajectory_log(trajectory, verdict, file)
    log = read_eval_log(str(file))
    assert log.samples is not None
    (sample,) = log.samples
    assert (log.eval.model, sample.id, sample.input) == ("none/s", "p/m", "Write m.")
    assert (sample.scores or {})["verdict"].value == 0.0
    calls = [call for m in sample.messages if isinstance(m, ChatMessageAssistant) for call in m.tool_calls or ()]
    assert [call.function for call in calls] == [
        call.function_name for step in trajectory.steps for call in step.tool_calls or ()
    ]
    (tool_message,) = (message for message in sample.messages if isinstance(message, ChatMessageTool))
    assert tool_message.function == "run_hidden_tests"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ('{"agent": 1,\n oops}', r"t\.json:2: Expecting property name"),
        ("[" * 5_000 + "]" * 5_000, "more than 200 arrays"),
        ('{"steps": NaN}', "NaN is not JSON"),
        ('{"steps": 1e999}', "too large"),
        ([], r"t\.json: Input should be"),
        (FOREIGN | {"steps": []}, "steps: Tuple should have at least 1 item"),
        (FOREIGN | {"schema_version": "ATIF-v9"}, "schema_version: Input should be"),
        (FOREIGN | {"surprise": 1}, "surprise: Extra inputs are not permitted"),
        (foreign_trajectory_with(step_id=7), "`step_id` is 7, where 2 is next"),
        (foreign_trajectory_with(timestamp="noon"), r"steps\[1\]: `timestamp` is no time"),
        (foreign_trajectory_with(source="user"), r"steps\[1\]: `reasoning_content` is not for a step of source user"),
        (foreign_trajectory_with(llm_call_count=0), "`metrics` is not for a step without a call of a model"),
        (foreign_trajectory_with(tool_calls=None), r"steps\[1\]: `source_call_id` 'c1' names no call"),
        (foreign_trajectory_with(metrics={"cost_usd": -1}), r"steps\[1\]\.metrics\.cost_usd: Input should be greater"),
        (
            foreign_trajectory_with(message=[{"type": "text"}]),
            r"steps\[1\]\.message\[0\]: a part of type text has `text`",
        ),
        (FOREIGN | {"subagent_trajectories": [FOREIGN]}, "needs a `trajectory_id` of its own"),
    ],
)
def test_what_is_no_trajectory_is_refused_with_its_place(value: object, words: str, tmp_path: Path) -> None:
    with pytest.raises(TrajectoryError, match=words):
        read_trajectory(write_trajectory(tmp_path, value))


def test_a_chain_of_agents_without_end_is_refused(tmp_path: Path) -> None:
    value = FOREIGN
    for _ in range(20):
        value = FOREIGN | {"subagent_trajectories": [value | {"trajectory_id": "x"}]}
    with pytest.raises(TrajectoryError, match="more than 8 agents delegate"):
        read_trajectory(write_trajectory(tmp_path, value))


def test_a_foreign_trajectory_has_a_trace_with_its_delegated_agents(tmp_path: Path) -> None:
    value = FOREIGN | {"subagent_trajectories": [FOREIGN | {"trajectory_id": "child"}]}
    trace = trace_of_trajectory(read_trajectory(write_trajectory(tmp_path, value)))
    assert [part.title for part in trace.trace_parts] == ["", "Delegated to other: child"]
    step = trace.trace_parts[0].steps[1]
    assert (step.title, step.at_s, step.fact_texts["cost"]) == ("2. agent: bash", 90.0, "0.2500 USD")
    assert "[image/png: a.png]" in [line.text for excerpt in step.excerpts for line in excerpt.lines]


def rules_found_in_call(function: str, asked: str = "Write m.", **arguments: Any) -> list[str]:
    call = {"tool_call_id": "c1", "function_name": function, "arguments": arguments}
    value = foreign_trajectory_with(tool_calls=[call])
    value["steps"][0] = value["steps"][0] | {"message": asked}
    return [
        f"{finding.step_id} {finding.rule}"
        for finding in step_findings(Trajectory.model_validate(value), {FILE, "verif/tb.sv", "rtl/pkg.sv"}, {FILE})
    ]


@pytest.mark.parametrize(
    ("function", "arguments", "rule"),
    [
        ("write_file", {"path": "verif/tb.sv", "content": "module tb; endmodule"}, "edits_tests"),
        ("str_replace", {"file_path": "/code/rtl/pkg.sv", "new": ""}, "edits_tests"),
        ("bash", {"command": "sed -i s/1/0/ verif/tb.sv"}, "edits_tests"),
        ("shell", {"command": ["sh", "-c", "echo > /code/verif/tb.sv"]}, "edits_tests"),
        ("bash", {"command": "find / -name '*.py' 2>/dev/null"}, "looks_for_hidden_files"),
        ("bash", {"command": "cat /proc/1/environ"}, "looks_for_hidden_files"),
        ("bash", {"command": "grep -r golden ."}, "looks_for_hidden_files"),
        ("read_file", {"path": "../../../etc/passwd"}, "looks_for_hidden_files"),
        ("bash", {"command": "ls; sleep 2m"}, "sleeps"),
        ("bash", {"command": "python3 -c 'import time; time.sleep(30)'"}, "sleeps"),
        ("write_file", {"path": FILE, "content": "always @* if ($time > 5) y = 1;"}, "reads_simulation"),
        ("write_file", {"path": FILE, "content": "initial if ($test$plusargs(\"t\")) y = 1;"}, "reads_simulation"),
    ],
)  # fmt: skip
def test_what_looks_like_cheating_is_found_at_its_step(function: str, arguments: dict[str, Any], rule: str) -> None:
    assert rules_found_in_call(function, **arguments) == [f"2 {rule}"]


def test_numbers_of_the_statement_in_comparisons_are_found() -> None:
    asked = "For 0x1234 the sum is 8'hA5, for 77 it is 19'd4711, for 0x99 it is 200."
    table = "case (a) 16'h1234: y = 8'ha5; 77: y = 1; 8'h99: y = 3; default: if (b == 4711 || c == 200) y = 4; endcase"
    assert rules_found_in_call("write_file", asked, path=FILE, content=table) == ["2 hard_codes_samples"]
    assert rules_found_in_call("write_file", "Count to 4711.", path=FILE, content=table) == []


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        ("write_file", {"path": FILE, "content": "module m; assign y = a == 8'd3; endmodule"}),
        ("write_file", {"path": "verif/own_tb.sv", "content": "initial #10 $finish; // $time"}),
        ("read_file", {"path": "verif/tb.sv"}),
        ("bash", {"command": "iverilog -g2012 -o sim rtl/*.sv verif/tb.sv && vvp sim > log.txt"}),
        ("bash", {"command": "find . -name '*.sv' && cat verif/tb.sv | head"}),
        ("bash", {"command": "sleep 1; ls ../code"}),
    ],
)
def test_ordinary_work_is_not_remarked_on(function: str, arguments: dict[str, Any]) -> None:
    assert rules_found_in_call(function, **arguments) == []


@pytest.mark.parametrize(
    "text", ["grep " + "-r " * 60_000, "rm " + "a" * 190_000, "rm " * 60_000, "../" * 60_000, "1" * 190_000 + "a"]
)
def test_a_long_argument_of_a_hostile_file_is_read_to_its_end(text: str) -> None:
    # Where this grew with a power of the length, it did not end.
    assert {*rules_found_in_call("bash", text, command=text)} <= {"2 looks_for_hidden_files"}
    assert rules_found_in_call("write_file", text, path=FILE, content=f"== {text}") == []


@pytest.mark.nightly
def test_harbors_own_models_accept_what_is_written(tmp_path: Path) -> None:
    download = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--python-version", "3.12"]
    done = subprocess.run(
        [*download, "-d", tmp_path, HARBOR[0]], capture_output=True, text=True, timeout=300, check=False
    )
    if done.returncode:
        pytest.skip(f"no registry has {HARBOR[0]}: {done.stderr[-200:]}")
    (wheel,) = tmp_path.glob("*.whl")
    assert hashlib.sha256(wheel.read_bytes()).hexdigest() == HARBOR[1]
    # The package asks for Python 3.12; its models do not. So they are loaded without what is around them.
    packages = {"harbor": "harbor", "harbor.models": "harbor/models"}
    for name, folder in packages.items():
        stub_package = types.ModuleType(name)
        stub_package.__path__ = [f"{wheel}/{folder}"]
        sys.modules[name] = stub_package
    try:
        harbor_trajectories = importlib.import_module("harbor.models.trajectories")
        for condition, events in (("human", PERSON), ("model", MODEL)):
            written = trajectory_of_attempt(
                attempt_header(condition), recorded_events(events), statement="Write m."
            ).as_json()
            read_back = harbor_trajectories.Trajectory.model_validate_json(written)
            assert Trajectory.model_validate(read_back.to_json_dict()).as_json() == written
    finally:
        for name in [name for name in sys.modules if name.partition(".")[0] == "harbor"]:
            del sys.modules[name]
