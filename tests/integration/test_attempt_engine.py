"""One engine for every solver: one script leaves the same log through the editor's adapter and through Inspect's."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from benchwright_attempts.attempts import Attempts
from benchwright_attempts.engine import SUBMITTING
from benchwright_attempts.errors import AttemptError
from benchwright_attempts.events.events import RunFinished, RunStarted
from benchwright_attempts.events.evidence import ClockHeld
from benchwright_attempts.log.record import AttemptHeader
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_problems.datasets.cvdp import import_cvdp
from benchwright_problems.storage.store import Store
from benchwright_server.attempts.session import EditorSession
from benchwright_server.attempts.sessions import EditorSessions
from benchwright_studies.conduct.studies import Studies

from ..support.machine.waiting import wait_until
from ..support.models.eval import design
from ..support.service.judge_endpoint import JudgeEndpoint, JudgeRequest, PlayedReply
from ..support.studies.eval_study import Lab, call, lab, printed_json, run

__all__ = ["lab"]

# A busy machine takes the seconds that these count.
pytestmark = pytest.mark.alone

RUN_S = 6
LIMIT_S = 11
"""Less than two runs together."""
DESIGN = "rtl/inv.sv"
# Each has files of its own, since a verdict that is known is not worked out again.
WRONG = "module inv; endmodule // of {}\n"
RIGHT = "module inv; endmodule // right, of {}\n"
HARNESS = f"import sys, time; time.sleep({RUN_S}); sys.exit('right' not in open('/code/{DESIGN}').read())"
STUDY = f"""\
study: same
title: The same for everybody
problems: [{{problem: mine/inverter, time_minutes: {LIMIT_S / 60}}}]
conditions:
  - {{name: alone, solver: human}}
  - {{name: worker, solver: agent, model: openai-api/local/worker}}
participants: 1
randomisation: {{unit: task, order: random, seed: 1}}
limits: {{runs: 2}}
feedback: verdict
clock_stops_for: [harness]
forecasts: []
self_estimates: []
consent: {{version: "1", text: A consent text that is long enough to be one.}}
"""
STEPS = {
    *("started", "paused", "resumed", "clock_held", "clock_released"),
    *("run_started", "run_finished", "run_cancelled", "submitted", "abandoned", "timed_out"),
}


def begin(lab: Lab, study: str, harness: str = HARNESS) -> Path:
    compose = json.dumps({"services": {"a": {"image": "i", "command": ["python3", "-c", harness]}}})
    file = lab.folder / "designs.jsonl"
    file.write_text(
        json.dumps(design(compose, output={"response": "", "context": {DESIGN: RIGHT.format("the reference")}})) + "\n"
    )
    Store(lab.home).add(import_cvdp([file], "mine"))
    path = lab.study(study)
    assert run("study", "run", path).exit_code == 0
    return path


@asynccontextmanager
async def at_work(lab: Lab) -> AsyncIterator[EditorSession]:
    sessions = EditorSessions(lab.home, BwrapSandbox())
    try:
        studies = Studies(sessions.log, Attempts(sessions.log))
        studies.enroll("same", "P01")
        studies.give_consent("same", "P01", "1")
        opened_problem = await sessions.open_task(*studies.next_task("same", "P01"))
        session = await sessions.find_or_open_session(Path(opened_problem.status.workspace.removeprefix("file://")))
        assert session is not None
        await session.start()
        yield session
    finally:
        await sessions.close()


async def person(lab: Lab) -> str:
    """Runs twice, tries to run once more, and submits; returns why the third run was refused."""
    refusal = ""
    async with at_work(lab) as session:
        for text in (WRONG, RIGHT):
            (session.workspace.folder / DESIGN).write_text(text.format("a person"))
            await session.run()
        try:
            await session.run()
        except AttemptError as error:
            refusal = str(error)
        # Past the limit this is refused as well.
        with contextlib.suppress(AttemptError):
            await session.submit()
    return refusal


def agent(lab: Lab, study: Path) -> None:
    played_replies = (
        call("write_file", path=DESIGN, content=WRONG.format("an agent")),
        call("run_hidden_tests"),
        call("write_file", path=DESIGN, content=RIGHT.format("an agent")),
        call("run_hidden_tests"),
        call("run_hidden_tests"),
        call("submit"),
    )

    def play(request: JudgeRequest) -> PlayedReply:
        return played_replies[sum(message["role"] == "tool" for message in request.body["messages"])]

    with JudgeEndpoint(play) as endpoint:
        printed_json(run("eval", "--study", study, "--base-url", endpoint.url, "--json"))


def steps(lab: Lab, header: AttemptHeader) -> list[str]:
    step_events = [event for event in lab.events(header.id) if event.type in STEPS]
    return [
        f"{event.type} {event.outcome.value}" if isinstance(event, RunFinished) else event.type for event in step_events
    ]


@pytest.mark.parametrize(
    ("stops", "refusal", "expected_steps"),
    [
        (
            "[harness]",
            "All 2 runs",
            [
                *("started", "clock_held", "run_started", "run_finished failed", "clock_released"),
                *("clock_held", "run_started", "run_finished passed", "clock_released", "submitted"),
            ],
        ),
        (
            "[]",
            "The time for this attempt is over",
            [
                *("started", "run_started", "run_finished failed"),
                *("run_started", "clock_held", "run_finished passed", "timed_out"),
            ],
        ),
    ],
    ids=["the clock stops for the harness", "the clock runs on"],
)
def test_a_person_and_an_agent_have_the_same_time_runs_and_end(
    lab: Lab, stops: str, refusal: str, expected_steps: list[str]
) -> None:
    study = begin(lab, STUDY.replace("clock_stops_for: [harness]", f"clock_stops_for: {stops}"))
    assert refusal in asyncio.run(person(lab))
    agent(lab, study)
    (lone_header,), (worker,) = lab.headers_of("alone"), lab.headers_of("worker")
    assert steps(lab, lone_header) == expected_steps
    assert steps(lab, worker) == expected_steps


def test_grading_what_is_submitted_takes_nobodys_time(lab: Lab) -> None:
    run_s = 2
    study = begin(
        lab,
        STUDY.replace("clock_stops_for: [harness]", "clock_stops_for: []"),
        HARNESS.replace(f"sleep({RUN_S})", f"sleep({run_s})"),
    )

    async def person_submits() -> None:
        async with at_work(lab) as session:
            (session.workspace.folder / DESIGN).write_text(RIGHT.format("a person"))
            await session.submit()

    asyncio.run(person_submits())
    played_replies = (call("write_file", path=DESIGN, content=RIGHT.format("an agent")), call("submit"))
    with JudgeEndpoint(
        lambda request: played_replies[sum(message["role"] == "tool" for message in request.body["messages"])]
    ) as endpoint:
        printed_json(run("eval", "--study", study, "--base-url", endpoint.url, "--json"))
    for (header,) in (lab.headers_of("alone"), lab.headers_of("worker")):
        assert steps(lab, header) == ["started", "clock_held", "run_started", "run_finished passed", "submitted"]
        held_event = next(event for event in lab.events(header.id) if isinstance(event, ClockHeld))
        assert held_event.reason == SUBMITTING


def test_what_is_saved_after_the_limit_does_not_count(lab: Lab) -> None:
    begin(lab, STUDY.replace(f"time_minutes: {LIMIT_S / 60}", f"time_minutes: {1 / 60}"))

    async def late() -> None:
        async with at_work(lab) as session:
            file = session.workspace.folder / DESIGN
            file.write_text(WRONG.format("a person"))
            await wait_until(lambda: any(isinstance(event, RunStarted) for event in lab.events(session.header.id)))
            file.write_text(RIGHT.format("a person"))
            with pytest.raises(AttemptError, match="The time for this attempt is over"):
                await session.attempt.start_run("newer_save")
            with pytest.raises(AttemptError, match="The time for this attempt is over"):
                await session.submit()
            await wait_until(lambda: session.ended)

    asyncio.run(late())
    (lone_header,) = lab.headers_of("alone")
    assert steps(lab, lone_header) == ["started", "clock_held", "run_started", "run_finished failed", "timed_out"]
