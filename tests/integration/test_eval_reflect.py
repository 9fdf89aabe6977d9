"""`benchwright eval reflect`: real harness and log; the model alone is a scripted endpoint."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from benchwright_attempts import log_file
from benchwright_attempts.events.events import Reflected
from benchwright_attempts.summary.replay import verify_attempt
from benchwright_foundation.home import Home
from benchwright_server.cli.app import app_with_commands
from benchwright_studies.conduct.study_log import StudyLog

from ..support.models.eval_reflect import ANSWER, CANARY, MODEL, add, home
from ..support.service.judge_endpoint import JudgeEndpoint, JudgeRequest, Play, PlayedReply, content, fails

__all__ = ("home",)


def command(play: Play, *options: str) -> tuple[int, Any, list[JudgeRequest]]:
    with JudgeEndpoint(play) as endpoint:
        arguments = ["eval", *options, "--pack", "mine", "--model", MODEL, "--base-url", endpoint.url, "--json"]
        cli_run = CliRunner().invoke(app_with_commands(), [*arguments, "--out", "out"], catch_exceptions=False)
        return (
            cli_run.exit_code,
            json.loads(cli_run.stdout) if cli_run.stdout else cli_run.stderr,
            list(endpoint.requests),
        )


def reflections(home: Home) -> dict[str, list[Reflected]]:
    """By problem."""
    with StudyLog(log_file(home)) as log:
        assert all(verify_attempt(*log.stored_attempt(header.id)).ok for header in log.headers())
        return {
            header.problem: [
                recorded.event for recorded in log.events(header.id) if isinstance(recorded.event, Reflected)
            ]
            for header in log.headers()
        }


def answers(request: JudgeRequest) -> PlayedReply:
    return content(ANSWER)


def reflects(request: JudgeRequest) -> PlayedReply:
    return content("The output was never driven.")


def test_a_model_sees_its_own_answer_and_what_the_policy_shows_and_nothing_hidden(home: Home) -> None:
    add(home, "inverter")
    assert command(answers)[1]["failed"] == 1
    status, counts, (request,) = command(reflects, "reflect")
    assert (status, counts["reflections"], counts["error"]) == (0, 1, 0)
    roles = [message["role"] for message in request.body["messages"]]
    assert roles == ["system", "user", "assistant", "user"]
    texts = [str(message["content"]) for message in request.body["messages"]]
    assert "Write an inverter." in texts[1] and ANSWER in texts[2] and "failed." in texts[3]
    assert CANARY not in json.dumps(request.body)
    ((event,),) = reflections(home).values()
    assert (event.model, event.text, event.number) == (MODEL, "The output was never driven.", 1)
    with StudyLog(log_file(home)) as log:
        assert CANARY not in "".join(recorded.event.model_dump_json() for recorded in log.events(log.headers()[0].id))
    for file in Path("out").glob("*.eval"):
        with zipfile.ZipFile(file) as parts:
            assert not any(CANARY.encode() in parts.read(name) for name in parts.namelist())


def test_tokens_of_reflections_are_no_tokens_of_attempts(home: Home) -> None:
    add(home, "inverter")
    command(answers)
    with StudyLog(log_file(home)) as log:
        (header,) = log.headers()
        usages_before = [recorded.event for recorded in log.events(header.id) if recorded.event.type == "model_usage"]
    command(reflects, "reflect")
    with StudyLog(log_file(home)) as log:
        assert [
            recorded.event for recorded in log.events(header.id) if recorded.event.type == "model_usage"
        ] == usages_before
    ((event,),) = reflections(home).values()
    assert event.input_tokens > 0 and event.output_tokens > 0


def test_only_failures_without_a_reflection_are_asked_about(home: Home) -> None:
    add(home, "one", "two")
    command(answers)
    add(home, "one", "two", "right", compose="services: {a: {image: i, command: [sh, -c, exit 0]}}")
    command(answers, "--problem", "right")
    add(home, "one", "two", "right")

    def halting(request: JudgeRequest) -> PlayedReply:
        asked_before.append(1)
        return reflects(request) if len(asked_before) == 1 else fails(400, "down")

    asked_before: list[int] = []
    status, counts, _ = command(halting, "reflect", "--jobs", "1")
    assert (status, counts["reflections"], counts["error"]) == (1, 1, 1)
    status, counts, requests = command(reflects, "reflect")
    assert (status, counts["reflections"], len(requests)) == (0, 1, 1)
    problem_reflections = reflections(home)
    assert {name: len(events) for name, events in problem_reflections.items()} == {
        "mine/one": 1,
        "mine/two": 1,
        "mine/right": 0,
    }
    status, output, requests = command(reflects, "reflect")
    assert status == 2 and "has no failed attempt" in output and requests == []


def test_an_empty_reply_is_no_reflection(home: Home) -> None:
    add(home, "inverter")
    command(answers)
    status, counts, _ = command(lambda request: content("  "), "reflect")
    assert (status, counts["reflections"], counts["error"]) == (1, 0, 1) and "reply is empty" in counts["why"]
    assert reflections(home) == {"mine/inverter": []}


def test_an_attempt_at_an_earlier_version_of_a_problem_is_left_out(home: Home) -> None:
    add(home, "inverter")
    command(answers)
    add(home, "inverter", statement="Write two inverters.")
    status, _, requests = command(reflects, "reflect")
    assert status == 2 and requests == []
