"""Failures of a model's provider over real HTTP: undecided, named, no time or tokens of the model, asked again."""

from __future__ import annotations

import dataclasses
import json
import random
import shlex
import time
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalLog

from benchwright_attempts.clock.clock import AttemptState, clock_after_events
from benchwright_attempts.events.events import Paused
from benchwright_attempts.events.evidence import ModelUsage, ReplyRead, TimeExcluded
from benchwright_subjects.evaluation.evaluation import resume_run, summary_of_run

from ..support.models.eval import Desk, add_designs, design, desk, run
from ..support.service.judge_endpoint import JudgeEndpoint, JudgeRequest, PlayedReply, content, fails

__all__ = ("desk",)

pytestmark = pytest.mark.long
MODEL = "openai-api/local/m"
PASSES = "services: {a: {image: i, command: ['true']}}"
INVERTER = "module inv(input a, output y); assign y = ~a; endmodule\n"
GOOD = content(INVERTER)


def reply(value: Any, content_type: str = "application/json") -> PlayedReply:
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    return PlayedReply(body, headers={"Content-Type": content_type})


def completion(**choice: Any) -> dict[str, Any]:
    choices = [{"index": 0, "finish_reason": "stop", **choice}] if choice else []
    return {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": choices}


FAILURES = {
    "status-401": (fails(401, "bad key"), "status 401 (Unauthorized): it does not accept the key"),
    "status-403": (fails(403), "status 403 (Forbidden): the key may not use this model"),
    "status-429": (fails(429), "status 429 (Too Many Requests): there were too many requests"),
    "status-500": (fails(500), "status 500 (Internal Server Error)"),
    "status-503": (fails(503), "status 503 (Service Unavailable)"),
    "dropped": (dataclasses.replace(GOOD, cut_at=-1), "closed the connection before it had replied"),
    "half-a-stream": (dataclasses.replace(GOOD, cut_at=60), "closed the connection before it had replied"),
    "page": (reply(b"<html>Bad gateway</html>", "text/html"), "sent what is no reply"),
    "broken-json": (reply(b'{"choices": [{"mess'), "sent what is no reply"),
    "empty-json": (reply({}), "sent what is no reply"),
    "no-choice": (reply(completion()), "sent what is no reply"),
    "no-content": (
        reply(completion(finish_reason=None, message={"role": "assistant", "content": None})),
        "an empty reply",
    ),
    "error-as-success": (reply({"error": {"message": "overloaded", "type": "x", "code": None}}), "sent what is no"),
}


def case_of(request: JudgeRequest) -> str:
    return request.user.partition("Case ")[2].partition(".")[0]


def cases(desk: Desk, names: list[str]) -> None:
    records = [design(PASSES, id=name, input={"prompt": f"Case {name}. Invert.", "context": {}}) for name in names]
    add_designs(desk, *records)


def evaluated(desk: Desk, endpoint: JudgeEndpoint, **generate: Any) -> EvalLog:
    return run(desk, MODEL, pack="mine", base_url=endpoint.url, generate=generate)


def errors(log: EvalLog) -> dict[str, str]:
    return {str(sample.id): sample.error.message for sample in log.samples or [] if sample.error is not None}


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCAL_API_KEY", "none")


def test_each_failure_is_undecided_named_and_asked_again(desk: Desk) -> None:
    cases(desk, [*FAILURES, "healthy"])
    is_down = True

    def play(request: JudgeRequest) -> PlayedReply:
        return FAILURES[case_of(request)][0] if is_down and case_of(request) in FAILURES else GOOD

    with JudgeEndpoint(play) as endpoint:
        log = evaluated(desk, endpoint, max_retries=0)
        run_summary = summary_of_run(log)
        is_down = False
        attempts = {attempt.problem.partition("/")[2]: attempt.id for attempt in desk.attempts()}
        paused = {name: [recorded.event for recorded in desk.events(attempt)] for name, attempt in attempts.items()}
        second_summary = summary_of_run(resume_run(Path(log.location), "none"))
    for name, (_, words) in FAILURES.items():
        assert words in errors(log)[name]
    assert (run_summary["passed"], run_summary["failed"], run_summary["error"], run_summary["score"]) == (
        1,
        0,
        len(FAILURES),
        1.0,
    )
    assert run_summary["output_tokens"] == 20
    for name, events in paused.items():
        is_failure = name in FAILURES
        assert any(isinstance(event, ModelUsage) for event in events) is not is_failure, name
        assert any(isinstance(event, ReplyRead) for event in events) is not is_failure, name
        reasons = [event.reason for event in events if isinstance(event, Paused)]
        assert len(reasons) == is_failure, name
        assert all(FAILURES[name][1] in str(reason) for reason in reasons), name
    assert (second_summary["passed"], second_summary["error"], second_summary["score"]) == (len(FAILURES) + 1, 0, 1.0)
    assert {desk.state(attempt) for attempt in attempts.values()} == {AttemptState.SUBMITTED}
    assert desk.are_whole()


def test_a_provider_that_fails_at_a_fifth_of_the_requests_gives_the_scores_of_a_healthy_one(desk: Desk) -> None:
    names = [f"n{number}" for number in range(20)]
    cases(desk, names)
    # The model solves two thirds of the problems.
    played_replies = {name: GOOD if index % 3 else content("  ") for index, name in enumerate(names)}
    dice = random.Random(5)
    failing_replies = [failure for failure, _ in FAILURES.values()]

    def healthy(request: JudgeRequest) -> PlayedReply:
        return played_replies[case_of(request)]

    def failing(request: JudgeRequest) -> PlayedReply:
        return dice.choice(failing_replies) if dice.random() < 0.2 else healthy(request)

    scores = []
    failed_requests = 0
    for number, play in enumerate((healthy, failing)):
        with JudgeEndpoint(play) as endpoint:
            log = run(
                dataclasses.replace(desk, out_folder=desk.out_folder / str(number)),
                f"openai-api/local/m{number}",
                pack="mine",
                base_url=endpoint.url,
                generate={"max_retries": 0},
            )
            failed_requests = len(errors(log))
            for _ in range(10):
                if not summary_of_run(log)["error"]:
                    break
                log = resume_run(Path(log.location), "none")
        run_summary = summary_of_run(log)
        scores.append(
            (
                run_summary["passed"],
                run_summary["failed"],
                run_summary["error"],
                run_summary["score"],
                run_summary["output_tokens"],
            )
        )
    assert failed_requests > 0
    assert scores[0] == scores[1]
    assert scores[0][:3] == (13, 7, 0)


def test_only_the_models_own_time_is_on_the_clock(desk: Desk) -> None:
    """The provider fails after a second, and its client and Inspect wait before they ask again."""
    cases(desk, ["clock"])
    replies = [dataclasses.replace(fails(500), delay_s=1.0)] * 4 + [dataclasses.replace(GOOD, delay_s=1.0)]
    with JudgeEndpoint(lambda request: replies.pop(0) if len(replies) > 1 else replies[0]) as endpoint:
        start_s = time.monotonic()
        log = evaluated(desk, endpoint, max_retries=3)
        wall_s = time.monotonic() - start_s
        assert summary_of_run(log)["passed"] == 1
        requests = len(endpoint.requests)
    (attempt,) = desk.attempts()
    events = desk.events(attempt.id)
    assert requests == 5
    assert wall_s > 4 + 3
    assert sum(recorded.event.excluded_s for recorded in events if isinstance(recorded.event, TimeExcluded)) > 4 + 3
    assert 1.0 <= clock_after_events(events).active_s < 1.0 + 2.5


def test_a_reply_that_comes_too_late_for_one_request_is_undecided(desk: Desk) -> None:
    cases(desk, ["slow"])
    slow = dataclasses.replace(GOOD, delay_s=600.0)
    with JudgeEndpoint(lambda request: slow) as endpoint:
        log = evaluated(desk, endpoint, max_retries=0, attempt_timeout=2)
    assert "did not answer in time" in errors(log)["slow"]
    assert (summary_of_run(log)["failed"], summary_of_run(log)["score"], summary_of_run(log)["output_tokens"]) == (
        0,
        None,
        0,
    )


def test_a_time_limit_that_passes_before_any_reply_says_nothing_of_the_model(desk: Desk) -> None:
    cases(desk, ["silent"])
    is_down = True
    silent = dataclasses.replace(GOOD, delay_s=600.0)
    with JudgeEndpoint(lambda request: silent if is_down else GOOD) as endpoint:
        log = run(desk, MODEL, pack="mine", base_url=endpoint.url, time_s=4)
        assert "provider gave no reply in 4 s of active time." in errors(log)["silent"]
        assert (summary_of_run(log)["failed"], summary_of_run(log)["score"]) == (0, None)
        is_down = False
        assert summary_of_run(resume_run(Path(log.location), "none"))["passed"] == 1
    (attempt,) = desk.attempts()
    usages = [recorded.event for recorded in desk.events(attempt.id) if isinstance(recorded.event, ModelUsage)]
    assert [usage.counted_by for usage in usages] == ["provider"]


@pytest.mark.nightly
def test_a_time_limit_does_not_pass_while_the_provider_fails(desk: Desk) -> None:
    cases(desk, ["late"])
    replies = [fails(503)] * 4 + [GOOD]
    with JudgeEndpoint(lambda request: replies.pop(0) if len(replies) > 1 else replies[0]) as endpoint:
        log = run(desk, MODEL, pack="mine", base_url=endpoint.url, time_s=4)
    assert summary_of_run(log)["passed"] == 1, errors(log)


AGENT = """
import json, os, sys, urllib.request
body = {"model": "inspect", "messages": [{"role": "user", "content": sys.stdin.read()}]}
request = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions",
    json.dumps(body).encode(), {"Content-Type": "application/json"})
try:
    reply = json.load(urllib.request.urlopen(request))["choices"][0]["message"]["content"]
except OSError as error:
    sys.exit(int(sys.argv[1]))
open("rtl/inv.sv", "w").write(reply)
"""


@pytest.mark.parametrize("exit_status", [0, 1])
def test_an_agent_whose_last_request_was_not_answered_is_undecided_however_it_ends(
    desk: Desk, exit_status: int
) -> None:
    cases(desk, ["agent"])
    is_down = True
    with JudgeEndpoint(lambda request: fails(503) if is_down else GOOD) as endpoint:
        command = shlex.join(["python3", "-c", AGENT, str(exit_status)])
        options: dict[str, Any] = {"pack": "mine", "base_url": endpoint.url, "generate": {"max_retries": 0}}
        log = run(desk, MODEL, "agent", command=command, **options)
        assert "status 503 (Service Unavailable)" in errors(log)["agent"]
        assert (summary_of_run(log)["failed"], summary_of_run(log)["score"], summary_of_run(log)["output_tokens"]) == (
            0,
            None,
            0,
        )
        is_down = False
        assert summary_of_run(resume_run(Path(log.location), "none"))["passed"] == 1


def test_our_own_agent_is_undecided_when_the_provider_fails_in_the_middle(desk: Desk) -> None:
    cases(desk, ["agent"])
    replies = [content("Let me think."), fails(401)]
    with JudgeEndpoint(lambda request: replies.pop(0) if len(replies) > 1 else replies[0]) as endpoint:
        log = run(desk, MODEL, "agent", pack="mine", base_url=endpoint.url, generate={"max_retries": 0})
    assert "status 401" in errors(log)["agent"]
    assert (summary_of_run(log)["failed"], summary_of_run(log)["score"]) == (0, None)
    (attempt,) = desk.attempts()
    usages = [recorded.event for recorded in desk.events(attempt.id) if isinstance(recorded.event, ModelUsage)]
    assert [usage.output_tokens for usage in usages] == [20]
