"""Models and agents through Inspect: real harness, real judges' rules, real log; the model alone is a scripted one."""

from __future__ import annotations

import csv
import dataclasses
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelInfo, ModelOutput, get_model, set_model_info
from inspect_ai.model import ModelUsage as ModelUsageOfReply
from typer.testing import CliRunner, Result

from benchwright_analysis.report.report import ReportOptions, write_report
from benchwright_analysis.trace.attempt_steps import trace_of_attempt
from benchwright_analysis.trace.exchanges import exchanges_of_sample
from benchwright_analysis.trace.step import StepKind
from benchwright_attempts import log_file
from benchwright_attempts.attempts import Attempts
from benchwright_attempts.clock.clock import AttemptState
from benchwright_attempts.errors import EvaluationError
from benchwright_attempts.events.events import Answered, Edit, RunFinished, TextSet
from benchwright_attempts.events.evidence import ModelUsage, TimedOut
from benchwright_attempts.summary.replay import replay
from benchwright_problems.datasets.csbench import import_csbench
from benchwright_problems.storage.store import Store
from benchwright_server.cli.app import app_with_commands
from benchwright_server.cli.eval.run import pass_rates_by_k
from benchwright_studies.conduct.study_log import StudyLog
from benchwright_subjects.evaluation.evaluation import resume_run, summary_of_run, write_replies
from benchwright_subjects.evaluation.kept_evals import eval_logs_folder, keep_eval_log, kept_sample

from ..support.models.eval import CANARY, COUNTER, Desk, add_designs, design, desk, run, says, scripted_model
from ..support.service.judge_endpoint import JudgeEndpoint, JudgeRequest, PlayedReply, content, fails, in_turn

__all__ = ("desk",)

pytestmark = pytest.mark.long


def calls(*tool_calls: tuple[str, dict[str, Any]]) -> Model:
    model_outputs = [ModelOutput.for_tool_call("mockllm/model", name, arguments) for name, arguments in tool_calls]
    return get_model("mockllm/model", custom_outputs=model_outputs, memoize=False)


PASSES = "services: {a: {image: i, command: [sh, -c, exit 0]}}"


def test_each_sample_is_an_attempt_with_its_own_verdict(desk: Desk) -> None:
    seeds: list[int | None] = []

    def reply(messages: list[ChatMessage], config: GenerateConfig) -> ModelOutput:
        seeds.append(config.seed)
        text = COUNTER if config.seed == 5 else "module sat_counter; endmodule"
        return ModelOutput.from_content("mockllm/model", f"```systemverilog\n{text}```")

    log = run(desk, scripted_model(reply), problems="saturating-counter", samples=2, seed=5)
    counts = summary_of_run(log)
    assert (counts["samples"], counts["passed"], counts["failed"], counts["error"], counts["score"]) == (
        2,
        1,
        1,
        0,
        0.5,
    )
    assert sorted(map(str, seeds)) == ["5", "6"]
    attempts = desk.attempts()
    assert {(attempt.problem, attempt.solver, attempt.condition) for attempt in attempts} == {
        ("starter/saturating-counter", "mockllm/model", "model")
    }
    assert {attempt.id for attempt in attempts} == set(
        counts["attempts"] if isinstance(counts["attempts"], list) else []
    )
    passed_ids = []
    for attempt in attempts:
        events = desk.events(attempt.id)
        # On a busy machine the model may have waited for its connection, which is taken off its clock.
        event_types = [recorded.event.type for recorded in events if recorded.event.type != "time_excluded"]
        assert event_types == [
            *("opened", "started", "reply_read", "text", "save", "model_usage", "clock_held"),
            *("run_started", "run_finished", "submitted"),
        ]
        run_end = next(recorded.event for recorded in events if isinstance(recorded.event, RunFinished))
        assert all(len(digest) == 64 for digest in run_end.digests.values())
        if run_end.outcome == "passed":
            passed_ids.append(attempt.id)
            replayed_file = replay(events).files["rtl/sat_counter.sv"]
            assert replayed_file.text is not None
            assert replayed_file.text.strip() == COUNTER.strip()
    assert len(passed_ids) == 1
    assert desk.are_whole()
    with StudyLog(log_file(desk.home)) as events_log:
        assert Attempts(events_log).newest_unfinished_attempt_of_person(problem="starter/saturating-counter") is None
        assert Attempts(events_log).person_records_outside_studies() == {}


def test_of_a_draft_and_a_final_version_the_final_one_is_graded_and_the_trace_says_so(desk: Desk) -> None:
    draft = "module sat_counter; // not yet\nendmodule\n"
    bench = "module tb; sat_counter dut(); endmodule\n"
    reply = "\n".join(f"So:\n```systemverilog\n{code}```" for code in (draft, COUNTER, bench))
    assert summary_of_run(run(desk, says(reply), problems="saturating-counter"))["passed"] == 1
    (attempt,) = desk.attempts()
    attempt_trace = trace_of_attempt(attempt, desk.events(attempt.id))
    (turn,) = [step for step in attempt_trace.trace_parts[0].steps if step.kind is StepKind.TURN]
    read_facts = {name: turn.fact_texts[name] for name in ("files", "modules", "from", "ignored")}
    assert read_facts == {
        "files": "rtl/sat_counter.sv",
        "modules": "sat_counter",
        "from": "block 2",
        "ignored": "block 1: sat_counter, of which another version was taken, from block 2; "
        "block 3: tb, which nothing taken uses",
    }


def test_an_agent_works_with_tools_in_the_sandbox_and_sees_nothing_hidden(desk: Desk) -> None:
    look = "pwd; ls /code; find / -name 'test_*counter*' 2>/dev/null | wc -l; cat /proc/net/dev | grep -vc lo:"
    link = "ln -s /etc/hostname rtl/link.sv; echo built > rundir/gone; echo kept > verif/notes.txt"
    model = calls(
        ("list_files", {}),
        ("read_file", {"path": "../secret"}),
        ("write_file", {"path": "/etc/x", "content": ""}),
        ("write_file", {"path": "rtl/sat_counter.sv", "content": COUNTER.replace("endmodule", "oops")}),
        ("lint", {"path": "rtl/sat_counter.sv"}),
        ("replace_in_file", {"path": "rtl/sat_counter.sv", "old": "oops", "new": "endmodule"}),
        ("run_command", {"command": f"{look}; {link}"}),
        ("submit", {}),
    )
    log = run(desk, model, "agent", problems="saturating-counter")
    assert summary_of_run(log)["passed"] == 1
    assert log.samples is not None
    tool_replies = [message for message in log.samples[0].messages if message.role == "tool"]
    errors = [message.error.message if message.error else "" for message in tool_replies]
    texts = [message.text for message in tool_replies]
    assert "rtl/sat_counter.sv" in texts[0]
    assert "no file" in errors[1]
    assert "plain relative path" in errors[2]
    assert "%Error" in texts[4]
    assert texts[6].splitlines() == ["/code", "docs", "rtl", "rundir", "src", "verif", "0", "2", "[exit status 0]"]
    (attempt,) = desk.attempts()
    assert (attempt.condition, desk.state(attempt.id)) == ("agent", AttemptState.SUBMITTED)
    events = desk.events(attempt.id)
    assert set(replay(events).files) == {"rtl/sat_counter.sv", "verif/notes.txt"}
    assert sum(isinstance(recorded.event, ModelUsage) for recorded in events) == 8
    assert desk.are_whole()
    keep_eval_log(eval_logs_folder(desk.home), Path(log.location), [attempt.id])
    exchanges = exchanges_of_sample(kept_sample(eval_logs_folder(desk.home), attempt.id))
    (part,) = trace_of_attempt(attempt, events, exchanges).trace_parts
    turn_steps = [step for step in part.steps if step.kind is StepKind.TURN]
    assert (len(exchanges), len(turn_steps)) == (8, 8)
    cells = [["\n".join(line.text for line in excerpt.lines) for excerpt in turn.excerpts] for turn in turn_steps]
    assert "saturating" in cells[0][0].lower() and cells[0][1].endswith("list_files()")
    assert "rtl/sat_counter.sv" in cells[1][0], "the second request has what the tool answered"
    assert "write_file(path='rtl/sat_counter.sv'" in cells[3][1] and "oops" in cells[3][2]
    assert "submit()" in cells[7][1] and "passed" in cells[7][-1]
    assert kept_sample(eval_logs_folder(desk.home), "another") is None


def test_an_agent_may_run_the_hidden_tests_as_often_as_it_is_allowed(desk: Desk) -> None:
    model = calls(
        ("run_hidden_tests", {}),
        ("write_file", {"path": "rtl/sat_counter.sv", "content": COUNTER}),
        ("run_hidden_tests", {}),
        ("run_hidden_tests", {}),
        ("submit", {}),
    )
    log = run(desk, model, "agent", problems="saturating-counter", runs=2)
    assert summary_of_run(log)["passed"] == 1
    assert log.samples is not None
    tool_messages = [message for message in log.samples[0].messages if message.role == "tool"]
    assert tool_messages[0].text.startswith("failed.")
    assert tool_messages[2].text.startswith("passed. 14 of 14 tests passed.")
    assert tool_messages[2].text.endswith("[0 runs left]")
    assert tool_messages[3].error is not None
    (attempt,) = desk.attempts()
    run_ends = [recorded.event for recorded in desk.events(attempt.id) if isinstance(recorded.event, RunFinished)]
    # Submitting needs no third: the newest verdict is about the files as they are.
    assert [(event.number, event.outcome.value) for event in run_ends] == [(1, "failed"), (2, "passed")]
    assert desk.are_whole()


def test_an_agent_that_only_talks_is_urged_and_then_gives_up(desk: Desk) -> None:
    log = run(desk, says("I think I am done."), "agent", problems="vipt-synonyms")
    (attempt,) = desk.attempts()
    assert desk.state(attempt.id) is AttemptState.ABANDONED
    assert log.samples is not None
    assert [message.role for message in log.samples[0].messages].count("assistant") == 3


def test_a_limit_ends_the_attempt_as_timed_out_after_its_verdict(desk: Desk) -> None:
    run(desk, says("Let me think."), "agent", problems="vipt-synonyms", messages=4)
    (attempt,) = desk.attempts()
    assert desk.state(attempt.id) is AttemptState.TIMED_OUT
    events = [recorded.event for recorded in desk.events(attempt.id)]
    assert [event.reason for event in events if isinstance(event, TimedOut)] == ["message_limit"]
    assert any(isinstance(event, Answered) for event in events)


def test_a_question_that_waits_for_a_judge_is_not_scored(desk: Desk) -> None:
    counts = summary_of_run(run(desk, says("A store buffer reorders."), problems="store-buffering"))
    assert (counts["undecided"], counts["error"], counts["failed"], counts["score"]) == (1, 0, 0, None)
    (attempt,) = desk.attempts()
    (answer,) = [recorded.event for recorded in desk.events(attempt.id) if isinstance(recorded.event, Answered)]
    assert (answer.outcome, answer.reason) == ("error", "judge_unavailable")


def test_a_reply_that_names_no_choice_is_wrong_and_one_that_thinks_first_is_read(desk: Desk) -> None:
    assert summary_of_run(run(desk, says("It depends."), problems="amdahl"))["score"] == 0
    scores = [
        summary_of_run(run(desk, says(f"A or B? Hm.\n\nAnswer: {letter}"), problems="amdahl", think=True))["score"]
        for letter in "ABCD"
    ]
    assert sorted(score for score in scores if isinstance(score, float)) == [0, 0, 0, 1]


def scores(log: EvalLog) -> list[tuple[str, float | None]]:
    """Each sample's id and score, None where it is unscored."""
    samples = read_eval_log(log.location).samples or []
    named_scores = [(str(sample.id), (sample.scores or {})["verdict"].as_float()) for sample in samples]
    return sorted((name, None if value != value else value) for name, value in named_scores)


def test_what_the_machinery_kept_undecided_is_graded_again_and_nobody_is_asked_again(desk: Desk) -> None:
    reply_calls: list[int] = []

    def reply(messages: list[ChatMessage], config: GenerateConfig) -> ModelOutput:
        reply_calls.append(1)
        return ModelOutput.from_content("mockllm/model", "module inv; endmodule")

    add_designs(desk, design("services: 1"), design(PASSES, id="other"))
    log = run(desk, scripted_model(reply), pack="mine")
    counts = summary_of_run(log)
    assert (counts["passed"], counts["error"], counts["failed"], counts["score"]) == (1, 1, 0, 1.0)
    assert scores(log) == [("inverter", None), ("other", 1.0)], "every sample has a score"
    (undecided,) = [attempt for attempt in desk.attempts() if attempt.problem == "mine/inverter"]
    assert desk.state(undecided.id) is AttemptState.SUBMITTED
    add_designs(desk, design(PASSES), design(PASSES, id="other"), replace=True)
    second_log = resume_run(Path(log.location), "none")
    counts = summary_of_run(second_log)
    assert (counts["passed"], counts["error"]) == (2, 0)
    assert scores(second_log) == [("inverter", 1.0), ("other", 1.0)]
    assert (len(desk.attempts()), len(reply_calls)) == (2, 2)
    assert [recorded.event.type for recorded in desk.events(undecided.id)][-1] == "regraded"
    assert desk.are_whole()


def test_a_sample_whose_provider_fails_is_unscored_and_is_asked_again(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCAL_API_KEY", "none")
    with JudgeEndpoint(in_turn(fails(400, "no such model"), content("C"))) as endpoint:
        log = run(desk, "openai-api/local/m", problems="amdahl", base_url=endpoint.url)
        assert (summary_of_run(log)["error"], scores(log)) == (1, [("amdahl", None)])
        (attempt,) = desk.attempts()
        assert desk.state(attempt.id) is AttemptState.PAUSED
        second_log = resume_run(Path(log.location), "none")
    assert (summary_of_run(second_log)["error"], len(desk.attempts()), len(endpoint.requests)) == (0, 1, 2)
    assert desk.state(attempt.id) is AttemptState.SUBMITTED


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("  \n", "empty"),
        ("I\u2019m sorry, but I can\u2019t help with that.", "declined"),
        ('{"code": [{"notes.txt": "assign y = ~a;"}]}', "unreadable"),
    ],
)
def test_a_reply_without_files_fails_and_is_not_asked_again(desk: Desk, reply: str, reason: str) -> None:
    add_designs(desk, design(PASSES))
    log = run(desk, says(reply), pack="mine")
    counts = summary_of_run(log)
    assert (counts["failed"], counts["error"], counts["score"]) == (1, 0, 0)
    (attempt,) = desk.attempts()
    (run_end,) = [recorded.event for recorded in desk.events(attempt.id) if isinstance(recorded.event, RunFinished)]
    assert (run_end.outcome, run_end.reason) == ("failed", reason)
    assert desk.state(attempt.id) is AttemptState.SUBMITTED


@pytest.mark.parametrize("problem", ["saturating-counter", "amdahl"])
def test_a_reply_that_the_providers_filter_ended_counts_as_declined(desk: Desk, problem: str) -> None:
    reply_text = {"saturating-counter": COUNTER, "amdahl": "C"}[problem]

    def reply(messages: list[ChatMessage], config: GenerateConfig) -> ModelOutput:
        return ModelOutput.from_content("mockllm/model", reply_text, stop_reason="content_filter")

    counts = summary_of_run(run(desk, scripted_model(reply), problems=problem))
    assert (counts["failed"], counts["error"], counts["score"]) == (1, 0, 0)
    (attempt,) = desk.attempts()
    (verdict_event,) = [
        recorded.event for recorded in desk.events(attempt.id) if isinstance(recorded.event, RunFinished | Answered)
    ]
    assert (verdict_event.outcome, verdict_event.reason) == ("failed", "declined")
    assert desk.state(attempt.id) is AttemptState.SUBMITTED


def test_hidden_tests_take_no_time_from_a_model(desk: Desk) -> None:
    slow = "services: {a: {image: i, command: [sh, -c, sleep 3]}}"
    add_designs(desk, design(slow))
    # Inspect would end scoring after half of a time limit of its own.
    log = run(desk, says("module inv; endmodule"), pack="mine", time_s=2)
    assert (summary_of_run(log)["passed"], summary_of_run(log)["error"]) == (1, 0)
    (attempt,) = desk.attempts()
    assert desk.state(attempt.id) is AttemptState.SUBMITTED


def test_a_sample_that_is_tried_again_has_its_whole_time(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCAL_API_KEY", "none")
    failure = PlayedReply(b'{"error": {"message": "down"}}', 400, {"Content-Type": "application/json"}, delay_s=5)
    success = dataclasses.replace(content("C"), delay_s=5)
    with JudgeEndpoint(in_turn(failure, success)) as endpoint:
        log = run(desk, "openai-api/local/m", problems="amdahl", time_s=9, base_url=endpoint.url)
        assert summary_of_run(log)["error"] == 1
        second_log = resume_run(Path(log.location), "none")
    assert (summary_of_run(second_log)["error"], len(endpoint.requests)) == (0, 2)
    (attempt,) = desk.attempts()
    assert desk.state(attempt.id) is AttemptState.SUBMITTED, "two tries of 5 s are not over a limit of 9 s"


def test_nothing_hidden_is_in_prompts_logs_or_attempts(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    # Inspect then prints the local variables of every frame of a failure into its log.
    monkeypatch.setenv("INSPECT_TRACEBACK_LOCALS", "1")
    add_designs(
        desk,
        design(PASSES),
        design("services: 1", id="broken"),
        design(PASSES, id="damaged"),
        design(PASSES, id="asked", categories=["cid009", "easy"], output={"response": CANARY}, harness={}),
    )
    (sealed_file,) = (desk.home.data / "sealed").glob("mine@*/damaged.json")
    sealed_file.write_text(json.dumps({"harness": [CANARY], CANARY: CANARY}))
    questions = desk.out_folder.parent / "questions.json"
    record = {"Domain": "D", "SubDomain": "S", "Tag": "T", "Language": "English", "Question": "Which?"}
    blank = record | {"ID": 1, "Format": "Fill-in-the-blank", "Answer": CANARY, "Explanation": CANARY}
    questions.write_text(json.dumps([blank, blank | {"ID": 2, "Format": "Open-ended"}]))
    Store(desk.home).add(import_csbench([questions], "asked"))
    prompts: list[str] = []

    def reply(messages: list[ChatMessage], config: GenerateConfig) -> ModelOutput:
        prompts.extend(message.text for message in messages)
        return ModelOutput.from_content("mockllm/model", "module inv; endmodule")

    for pack in ("mine", "asked"):
        run(desk, scripted_model(reply), pack=pack)
        run(desk, scripted_model(reply), "agent", pack=pack, messages=6)
    assert len(prompts) > 10
    assert CANARY not in "".join(prompts)
    logs = list(desk.out_folder.glob("*.eval"))
    assert len(logs) == 4
    for file in logs:
        with zipfile.ZipFile(file) as parts:
            for name in parts.namelist():
                assert CANARY.encode() not in parts.read(name), f"{file.name}: {name}"
        samples = read_eval_log(str(file)).samples or []
        assert {str(sample.target) for sample in samples} == {""}
        # A question's digest of its key is as good as the key.
        names = {str(sample.metadata["problem"]) for sample in samples} - {"mine/damaged"}
        sealed = {Store(desk.home).unseal(name).harness_digest for name in names}
        for sample in samples:
            if sample.metadata["kind"] == "question":
                assert not any(digest in sample.model_dump_json() for digest in sealed)
    assert CANARY not in desk.exports()


def test_a_prompt_that_is_mapped_is_neither_judged_nor_an_attempt(desk: Desk) -> None:
    template = desk.out_folder.parent / "own.txt"
    template.write_text("Rate this: {{statement}}")
    prompts: list[str] = []

    def reply(messages: list[ChatMessage], config: GenerateConfig) -> ModelOutput:
        prompts.append(messages[0].text)
        return ModelOutput.from_content("mockllm/model", "7 of 10")

    log = run(desk, scripted_model(reply), "map_prompt", template=str(template), problems="amdahl")
    assert prompts[0].startswith("Rate this: ")
    assert (log.status, log.results and log.results.scores) == ("success", [])
    assert not log_file(desk.home).exists()


_CONNECTED: list[object] = []
_LISTENING = False


def _hear(audit_event: str, arguments: tuple[Any, ...]) -> None:
    if _LISTENING and audit_event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        _CONNECTED.append(arguments[0] if audit_event == "socket.getaddrinfo" else arguments[1])


@pytest.fixture
def connections() -> Iterator[list[object]]:
    """Every address that this process turns to."""
    global _LISTENING
    _CONNECTED.clear()
    sys.addaudithook(_hear)
    _LISTENING = True
    yield _CONNECTED
    _LISTENING = False


def test_an_endpoint_with_structured_output_gets_the_schema_of_the_answer(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCAL_API_KEY", "none")
    with JudgeEndpoint(lambda request: content('{"answer": "B"}', token_counts=(50, 1))) as endpoint:
        log = run(
            desk,
            "openai-api/local/scripted",
            base_url=endpoint.url,
            problems="amdahl",
            prompts="benchwright+json",
        )
    assert summary_of_run(log)["passed"] == 1
    (request,) = endpoint.requests
    assert '`{"answer": "X"}`' in request.user
    schema = request.body["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["answer"]["enum"] == ["A", "B", "C", "D"]


def test_a_run_turns_to_its_model_and_to_nobody_else(
    desk: Desk, connections: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCAL_API_KEY", "none")
    with JudgeEndpoint(lambda request: content("B", token_counts=(50, 1))) as endpoint:
        log = run(desk, "openai-api/local/scripted", base_url=endpoint.url, problems="gates-of-a-figure", seed=3)
    assert log.status == "success", log.error
    (request,) = endpoint.requests
    part_types = [part["type"] for part in request.body["messages"][1]["content"]]
    assert "image_url" in part_types or "<svg" in request.user
    assert request.body["seed"] == 3
    hosts = {address[0] if isinstance(address, tuple) else address for address in connections}
    assert hosts <= {"127.0.0.1", b"127.0.0.1", "localhost"} | {
        host for host in hosts if isinstance(host, str | bytes) and os.fsdecode(host).startswith("/")
    }
    (attempt,) = desk.attempts()
    (usage,) = [recorded.event for recorded in desk.events(attempt.id) if isinstance(recorded.event, ModelUsage)]
    assert (usage.input_tokens, usage.output_tokens, usage.counted_by) == (50, 1, "provider")
    assert "knowledge_cutoff" not in usage.parameters


@pytest.mark.parametrize(("cutoff", "recorded"), [("", "2024-03-31"), ("2024-05", "2024-05")])
def test_the_end_of_training_is_recorded_and_reported(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, cutoff: str, recorded: str
) -> None:
    monkeypatch.setenv("LOCAL_API_KEY", "none")
    set_model_info("openai-api/local/dated", ModelInfo(knowledge_cutoff_date=date(2024, 3, 31)))
    with JudgeEndpoint(lambda request: content("B", token_counts=(50, 1))) as endpoint:
        run(desk, "openai-api/local/dated", base_url=endpoint.url, problems="amdahl", knowledge_cutoff=cutoff)
    (attempt,) = desk.attempts()
    (usage,) = [recorded.event for recorded in desk.events(attempt.id) if isinstance(recorded.event, ModelUsage)]
    assert usage.parameters["knowledge_cutoff"] == recorded
    with StudyLog(log_file(desk.home)) as log:
        write_report(log, Store(desk.home), ReportOptions(desk.out_folder / "report"))
    page = (desk.out_folder / "report" / "report.html").read_text()
    assert "Whether models may have seen the problems" in page and "published after the cut-off" in page
    (row,) = csv.DictReader((desk.out_folder / "report" / "attempts.csv").read_text().splitlines())
    assert (row["published"], row["knowledge_cutoff"]) == ("2026-11-20", recorded)


def test_tokens_are_counted_where_the_endpoint_does_not_tell(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCAL_API_KEY", "none")
    with JudgeEndpoint(lambda request: content("B", token_counts=None)) as endpoint:
        run(desk, "openai-api/local/scripted", base_url=endpoint.url, problems="amdahl")
    (attempt,) = desk.attempts()
    (usage,) = [recorded.event for recorded in desk.events(attempt.id) if isinstance(recorded.event, ModelUsage)]
    assert usage.counted_by == "tiktoken o200k_base"
    assert (usage.output_tokens, usage.input_tokens > 50) == (1, True)


def states(desk: Desk) -> list[AttemptState]:
    return [desk.state(attempt.id) for attempt in desk.attempts()]


def start(desk: Desk, *arguments: str | Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [Path(sys.executable).with_name("benchwright"), *arguments],
        env=os.environ | {"BENCHWRIGHT_HOME": str(desk.home.data.parent), "LOCAL_API_KEY": "none", "COLUMNS": "200"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
        # Where the tests run in a shell's background, Ctrl+C is ignored by all that they start.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


@pytest.mark.nightly
def test_ctrl_c_leaves_a_run_that_can_be_gone_on_with_and_asks_nothing_twice(desk: Desk) -> None:
    prompts: list[str] = []

    def play(asking: JudgeRequest) -> PlayedReply:
        prompts.append(asking.user)
        # Two are answered, the others are on their way when the run is interrupted.
        delay_s = 0 if calm(asking) else 600
        return PlayedReply(content("B").body, headers={"Content-Type": "application/json"}, delay_s=delay_s)

    def calm(asking: JudgeRequest) -> bool:
        return is_patient or len(set(prompts)) <= 2

    is_patient = False
    eval_options = (
        "--pack",
        "starter",
        "--jobs",
        "2",
        "--model",
        "openai-api/local/scripted",
        "--out",
        desk.out_folder,
        "--json",
    )
    problem_names = ("amdahl", "vipt-synonyms", "cache-tag-bits", "load-use-stalls")
    with JudgeEndpoint(play) as endpoint:
        problem_options = [word for name in problem_names for word in ("--problem", name)]
        process = start(desk, "eval", *eval_options, "--base-url", endpoint.url, *problem_options)
        deadline = time.monotonic() + 600
        # Both that were answered are written down, and both places are taken by those that were not.
        while len(endpoint.requests) < 4 or states(desk).count(AttemptState.SUBMITTED) < 2:
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        stdout, err = process.communicate(timeout=600)
        assert process.returncode == 130, (stdout, err)
        assert "--resume" in err
        assert states(desk).count(AttemptState.SUBMITTED) == 2, states(desk)
        assert desk.are_whole()
        count_before = len(prompts)
        is_patient = True
        prices = desk.out_folder.parent / "prices.yaml"
        prices.write_text("openai/gpt-5: {input: 1, output: 1, input_cache_write: 0, input_cache_read: 0}\n")
        refusal = invoke("--resume", desk.out_folder, "--costs", prices)
        assert refusal.exit_code != 0 and "has no prices of openai-api/local/scripted" in refusal.output
        prices.write_text(prices.read_text().replace("openai/gpt-5", "openai-api/local/scripted"))
        second_process = start(desk, "eval", "--resume", desk.out_folder, "--costs", prices, "--json")
        stdout, err = second_process.communicate(timeout=600)
        assert second_process.returncode == 0, (stdout, err)
    counts = json.loads(stdout)
    assert (counts["status"], counts["samples"], counts["error"]) == ("success", 4, 0)
    # Those that were asked before had no price then; each is of 120 tokens.
    assert counts["cost_usd"] == pytest.approx(2 * 120e-6)
    assert len(prompts) - count_before == 2
    assert len(desk.attempts()) == 4
    assert {desk.state(attempt.id) for attempt in desk.attempts()} == {AttemptState.SUBMITTED}
    assert desk.are_whole()


def invoke(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app_with_commands(), ["eval", *map(str, arguments)], env={"COLUMNS": "200"})


def test_prompts_go_out_and_replies_come_back_as_samples(desk: Desk) -> None:
    prompts, replies_file = desk.out_folder.parent / "prompts.jsonl", desk.out_folder.parent / "replies.jsonl"
    went = invoke("export-prompts", prompts, "--pack", "starter", "--problem", "amdahl")
    assert went.exit_code == 0, went.output
    (line,) = (json.loads(text) for text in prompts.read_text().splitlines())
    replies_file.write_text("".join(json.dumps({"id": line["id"], "completion": text}) + "\n" for text in "ABCD"))
    counts = grade(
        replies_file, "--solver", "local-7b", "--prompts", "cs-bench", "--shots", "0", "--knowledge-cutoff", "2026-05"
    )
    assert (counts["total"], counts["right"], counts["wrong"], counts["accuracy"]) == (4, 1, 3, 0.25)
    assert {(attempt.solver, attempt.condition) for attempt in desk.attempts()} == {("local-7b", "model")}
    events = [recorded.event for attempt in desk.attempts() for recorded in desk.events(attempt.id)]
    assert {event.file.text for event in events if isinstance(event, TextSet) and event.file} == set("ABCD")
    usages = [event for event in events if isinstance(event, ModelUsage)]
    assert {(usage.parameters["prompts"], usage.parameters["knowledge_cutoff"]) for usage in usages} == {
        ("cs-bench", "2026-05")
    }
    assert desk.are_whole()


def grade(replies_file: Path, *options: str) -> dict[str, Any]:
    cli_run = CliRunner().invoke(
        app_with_commands(), ["grade", "starter", "--responses", str(replies_file), *options, "--json"]
    )
    assert cli_run.exit_code == 0, cli_run.output
    counts: dict[str, Any] = json.loads(cli_run.stdout)
    return counts


def test_grading_the_replies_of_a_run_again_finds_its_own_attempts(desk: Desk, tmp_path: Path) -> None:
    log = run(desk, says("Let me think about A.\nAnswer: B"), problems="amdahl", think=True)
    replies_file = tmp_path / "replies.jsonl"
    write_replies(log, replies_file)
    attempts_before = [(attempt.id, len(desk.events(attempt.id))) for attempt in desk.attempts()]
    counts = grade(replies_file)
    assert (counts["total"], counts["right"], counts["solver"]) == (1, 1, "mockllm/model")
    assert [(attempt.id, len(desk.events(attempt.id))) for attempt in desk.attempts()] == attempts_before
    (line,) = (json.loads(text) for text in replies_file.read_text().splitlines())
    replies_file.write_text(json.dumps(line | {"completion": "Answer: A"}) + "\n")
    assert grade(replies_file)["wrong"] == 1
    assert len(desk.attempts()) == 2, "another answer is not that attempt, whatever the line says"
    replies_file.write_text(json.dumps(line) + "\n")
    grade(replies_file, "--solver", "somebody")
    (other_attempt,) = (attempt for attempt in desk.attempts() if attempt.solver == "somebody")
    (usage,) = (recorded.event for recorded in desk.events(other_attempt.id) if isinstance(recorded.event, ModelUsage))
    assert (usage.parameters["shots"], usage.parameters["steps"]) == (0, True)


def test_examples_of_the_validation_split_come_before_the_question_and_are_not_asked(desk: Desk) -> None:
    file = desk.out_folder.parent / "questions.json"
    record = {"Domain": "D", "SubDomain": "S", "Tag": "T", "Language": "German", "Format": "Assertion"}
    splits = {1: "Valid", 2: "Test", 3: "Valid"}
    file.write_text(
        json.dumps(
            [
                record | {"ID": number, "Split": split, "Question": f"Frage {number}", "Answer": number == 1}
                for number, split in splits.items()
            ]
        )
    )
    Store(desk.home).add(import_csbench([file], "asked"))
    conversations: list[list[tuple[str, str]]] = []

    def reply(messages: list[ChatMessage], config: GenerateConfig) -> ModelOutput:
        conversations.append([(message.role, message.text.splitlines()[0]) for message in messages[1:]])
        return ModelOutput.from_content("mockllm/model", "Falsch")

    log = run(desk, scripted_model(reply), pack="asked", shots=2)
    assert summary_of_run(log)["passed"] == 1
    (chat_turns,) = conversations
    assert [role for role, _ in chat_turns] == ["user", "assistant", "user", "assistant", "user"]
    assert set(zip(chat_turns[0:4:2], chat_turns[1:4:2], strict=True)) == {
        (("user", "Frage 1"), ("assistant", "ANSWER: Wahr")),
        (("user", "Frage 3"), ("assistant", "ANSWER: Falsch")),
    }
    assert chat_turns[4] == ("user", "Frage 2")
    (attempt,) = desk.attempts()
    (usage,) = [recorded.event for recorded in desk.events(attempt.id) if isinstance(recorded.event, ModelUsage)]
    assert (usage.parameters["shots"], usage.parameters["steps"]) == (2, False)
    with StudyLog(log_file(desk.home)) as events:
        write_report(events, Store(desk.home), ReportOptions(desk.out_folder / "report", events=False))
    (row,) = csv.DictReader((desk.out_folder / "report" / "tables" / "domains-t.csv").read_text().splitlines()[:2])
    assert (row["row"], row["column"], row["value"]) == ("model: mockllm/model (de, 2-shot)", "all", "1.0")


def test_a_command_line_agent_answers_a_question(desk: Desk) -> None:
    program = (
        "import json, os, sys, urllib.request\n"
        "body = {'model': 'inspect', 'messages': [{'role': 'user', 'content': sys.stdin.read()}]}\n"
        "request = urllib.request.Request(os.environ['OPENAI_BASE_URL'] + '/chat/completions',\n"
        "    json.dumps(body).encode(), {'Content-Type': 'application/json'})\n"
        "reply = json.load(urllib.request.urlopen(request))\n"
        "open('answer.md', 'w').write(reply['choices'][0]['message']['content'])\n"
    )
    log = run(desk, says("B"), "agent", problems="amdahl", command=f"python3 -c {shlex.quote(program)}")
    assert log.status == "success", log.error
    (attempt,) = desk.attempts()
    events = [recorded.event for recorded in desk.events(attempt.id)]
    assert [change.text for event in events if isinstance(event, Edit) for change in event.changes] == ["B"]
    assert [event.calls for event in events if isinstance(event, ModelUsage)] == [0, 1]
    assert desk.state(attempt.id) is AttemptState.SUBMITTED


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--model", "mockllm/model"), "Give --pack"),
        (("--pack", "starter"), "Give --model"),
        (("--pack", "starter", "--model", "mockllm/model", "--map"), "--template"),
        (("--pack", "starter", "--model", "mockllm/model", "--agent", "--shots", "2"), "--shots"),
        (("--pack", "starter", "--model", "nonsense/x"), "nonsense"),
        (("--pack", "starter", "--model", "mockllm/model", "--problem", "nix"), "no problem 'nix'"),
        (("--pack", "starter", "--model", "mockllm/model", "--shots", "1"), "no validation split"),
        (("--pack", "nix", "--model", "mockllm/model"), "no pack 'nix'"),
        (("--pack", "starter", "--model", "mockllm/model", "--knowledge-cutoff", "May"), "not a date"),
        (("--study", "s", "--knowledge-cutoff", "2024-05"), "leave out --knowledge-cutoff"),
        (("--resume", "/nowhere"), "/nowhere"),
    ],
)
def test_a_mistake_is_one_sentence(arguments: tuple[str, ...], words: str, desk: Desk) -> None:
    invocation = invoke(*arguments, "--json")
    assert invocation.exit_code == 2, invocation.output
    assert words in invocation.stderr
    assert "Traceback" not in invocation.output


def test_the_other_commands_do_not_load_inspect() -> None:
    program = "import sys; import benchwright_server.cli.app; print([n for n in sys.modules if 'inspect_ai' in n])"
    process = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=True)
    assert process.stdout.strip() == "[]"


def price(dollars: float) -> None:
    set_model_info("mockllm/model", ModelInfo())
    Path("prices.yaml").write_text(
        "dated: 2026-11-20\n"
        f"mockllm/model: {{input: {dollars}, output: 0, input_cache_write: 0, input_cache_read: 0}}\n"
    )


def bills(text: str, tokens: int) -> Model:
    def reply(messages: list[ChatMessage], config: GenerateConfig) -> ModelOutput:
        output = ModelOutput.from_content("mockllm/model", text)
        output.usage = ModelUsageOfReply(input_tokens=tokens, output_tokens=0, total_tokens=tokens)
        return output

    return scripted_model(reply)


def test_no_request_follows_once_the_budget_is_spent_and_the_rest_can_be_resumed(desk: Desk) -> None:
    price(1_000_000)
    cost_options: dict[str, Any] = {"prices_file": Path("prices.yaml"), "most_samples_at_once": 1}
    log = run(desk, bills("C", 2), problems="amdahl", samples=4, budget_usd=3.0, **cost_options)
    counts = summary_of_run(log)
    # Two dollars a reply: the second one is the last.
    assert (counts["failed"], counts["error"], counts["cost_usd"]) == (2, 2, 4.0)
    assert "budget of 3 USD is spent (4.0000 USD)" in str(counts["why"])
    assert counts["prices"] == {"file": "prices.yaml", "dated": "2026-11-20"}
    assert counts["reasons"] == {"failed": {"wrong answer": 2}, "error": {"it broke off": 2}}
    with pytest.raises(EvaluationError, match=r"so --budget can't be kept\. Give its prices with --costs"):
        run(desk, bills("C", 2), problems="amdahl", budget_usd=3.0)


def test_an_agent_knows_its_limits_and_is_graded_at_the_one_of_its_cost(desk: Desk) -> None:
    price(1_000_000)
    instructions: list[str] = []

    def reply(messages: list[ChatMessage], config: GenerateConfig) -> ModelOutput:
        instructions.append(messages[0].text)
        output = ModelOutput.for_tool_call("mockllm/model", "list_files", {})
        output.usage = ModelUsageOfReply(input_tokens=1, output_tokens=0, total_tokens=1)
        return output

    log = run(
        desk,
        scripted_model(reply),
        "agent",
        problems="amdahl",
        time_s=900,
        tokens=5_000,
        cost_limit_usd=2.5,
        prices_file=Path("prices.yaml"),
    )
    assert len(instructions) == 3
    (line,) = re.findall(r"You have 900 seconds.*", instructions[0])
    assert re.search(r"until \d\d:\d\d:\d\d UTC at the earliest", line)
    assert "You may use 5,000 tokens and 200 messages and 2.5 US dollars for the model at most." in line
    (attempt,) = desk.attempts()
    (end,) = (recorded.event for recorded in desk.events(attempt.id) if isinstance(recorded.event, TimedOut))
    assert end.reason == "cost_limit"
    reasons: Any = summary_of_run(log)["reasons"]
    ((reason, count),) = reasons["failed"].items()
    assert reason.endswith(", at its cost limit") and count == 1


def test_pass_at_k_stands_beside_the_chance_that_all_pass(desk: Desk) -> None:
    rows: Any = pass_rates_by_k({"amdahl": {"decided": 4, "passed": 2}, "vipt-synonyms": {"decided": 3, "passed": 3}})
    assert [(row["k"], row["problems"]) for row in rows] == [(1, 2), (2, 2), (3, 2)]
    assert rows[0]["pass_at_k"] == rows[0]["pass_hat_k"] == pytest.approx(0.75)
    assert (rows[1]["pass_at_k"], rows[1]["pass_hat_k"]) == pytest.approx(((5 / 6 + 1) / 2, (1 / 6 + 1) / 2))
    assert rows[2]["pass_hat_k"] == pytest.approx(0.5)
    assert pass_rates_by_k({"amdahl": {"decided": 1, "passed": 1}}) == []
