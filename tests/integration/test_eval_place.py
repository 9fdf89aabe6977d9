"""Command-line agents in the sandbox that hidden tests run in: they reach their model, and nothing else."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalLog
from inspect_ai.model import Model, ModelOutput

from benchwright_attempts import log_file
from benchwright_attempts.clock.clock import AttemptState
from benchwright_attempts.events.events import Abandoned
from benchwright_attempts.events.evidence import ModelUsage, TimedOut
from benchwright_attempts.summary.replay import replay
from benchwright_foundation.home import Home
from benchwright_problems.storage.store import Store
from benchwright_subjects.evaluation.evaluation import summary_of_run

from ..support.models.eval import COUNTER, Desk, desk, run, says, scripted_model
from ..support.models.eval_place import programs

__all__ = ("desk", "programs")


def works(desk: Desk, programs: Path, *commands: str, **options: Any) -> tuple[Any, list[str]]:
    """Result of an agent whose model says these commands, and what each printed."""
    replies = iter((*commands, "done"))
    outputs: list[str] = []

    def reply(messages: Any, config: Any) -> ModelOutput:
        if messages[-1].role == "user":
            outputs.append(messages[-1].text)
        return ModelOutput.from_content("mockllm/model", next(replies))

    agent_place = f"benchwright:{programs}"
    log = run(desk, scripted_model(reply), "agent", command="agent {prompt}", place=agent_place, **options)
    return log, outputs[1:]


def test_a_command_line_agent_solves_a_problem_in_the_sandbox_of_hidden_tests(desk: Desk, programs: Path) -> None:
    log, outputs = works(
        desk,
        programs,
        "pwd; ls; id -un; which iverilog verilator yosys | wc -l",
        f"cat > rtl/sat_counter.sv <<'END'\n{COUNTER}END\niverilog -g2012 -o rundir/sim rtl/*.sv && echo built",
        problems="saturating-counter",
    )
    assert log.status == "success", summary_of_run(log)["why"]
    assert summary_of_run(log)["passed"] == 1, outputs
    assert outputs[0].splitlines() == ["/code", "docs", "rtl", "rundir", "src", "verif", "solver", "3", "[0]"]
    assert outputs[1] == "built\n[0]"
    (attempt,) = desk.attempts()
    assert (attempt.condition, desk.state(attempt.id)) == ("agent", AttemptState.SUBMITTED)
    events = desk.events(attempt.id)
    replayed_file = replay(events).files["rtl/sat_counter.sv"]
    assert (replayed_file.text or "").strip() == COUNTER.strip()
    assert sum(recorded.event.calls for recorded in events if isinstance(recorded.event, ModelUsage)) == 3
    assert desk.are_whole()


@pytest.fixture
def listening() -> Iterator[tuple[int, list[str]]]:
    """A service on this machine's loopback, and who came."""
    came: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)

        def serve() -> None:
            while not stop_event.is_set():
                try:
                    came.append(str(server.accept()[1]))
                except TimeoutError:
                    continue

        stop_event = threading.Event()
        thread = threading.Thread(target=serve)
        thread.start()
        yield server.getsockname()[1], came
        stop_event.set()
        thread.join()


def test_an_agent_reaches_neither_hidden_parts_nor_home_nor_network(
    desk: Desk, programs: Path, listening: tuple[int, list[str]]
) -> None:
    port, came = listening
    Store(Home.from_environment()).problem("starter/saturating-counter")
    home = Home.from_environment()
    (home.data / "secret").parent.mkdir(parents=True, exist_ok=True)
    (home.data / "secret").write_text("CANARY-77")
    connect = "python3 -c 'import socket; socket.create_connection((\"{}\", {}), 3)'"
    forbidden = (
        f"cat {home.data}/secret {log_file(home)}",
        f"ls {home.data.parent} {Path.home()} /home /work",
        "find / -name 'test_*counter*' -not -path '/proc/*' 2>/dev/null | grep .",
        "find / -name sealed -not -path '/proc/*' 2>/dev/null | grep .",
        "cat /etc/shadow",
        "cat /proc/1/environ",
        "cat /proc/1/mem",
        connect.format("127.0.0.1", port),
        connect.format("1.1.1.1", 53),
        "touch /agent/x",
        "touch /usr/x",
        "touch /x",
        "ls /code/rundir/.sandbox-service",
        "unshare -U true",
    )
    probe = (
        "import json, os, subprocess\n"
        f"ran = [subprocess.run(c, shell=True, capture_output=True, text=True) for c in {forbidden!r}]\n"
        "print(json.dumps([[one.returncode, one.stdout + one.stderr] for one in ran] + [[0, str(os.environ)]]))\n"
    )
    (programs / "probe.py").write_text(probe)
    (programs / "probe.py").chmod(0o644)
    log, outputs = works(desk, programs, "python3 /agent/probe.py", problems="saturating-counter")
    assert log.status == "success", log.error
    *tried, (_, environment) = json.loads(outputs[0].removesuffix("[0]"))
    assert [command for command, (code, _) in zip(forbidden, tried, strict=True) if code == 0] == []
    assert "CANARY-77" not in outputs[0]
    assert str(home.data.parent) not in environment
    assert came == []
    assert not (programs / "x").exists()
    assert summary_of_run(log)["failed"] == 1


def test_what_an_agent_has_done_by_its_limit_counts(desk: Desk, programs: Path) -> None:
    (programs / "bin" / "agent").rename(programs / "bin" / "ask")
    (programs / "bin" / "agent").write_text(
        f"#!/bin/sh\ncat > rtl/sat_counter.sv <<'END'\n{COUNTER}END\nexec ask \"$1\"\n"
    )
    (programs / "bin" / "agent").chmod(0o755)
    log, _ = works(desk, programs, "true", problems="saturating-counter", tokens=1)
    assert summary_of_run(log)["passed"] == 1
    (attempt,) = desk.attempts()
    timeouts = [recorded.event for recorded in desk.events(attempt.id) if isinstance(recorded.event, TimedOut)]
    assert [event.reason for event in timeouts] == ["token_limit"]


def agent_command(desk: Desk, programs: Path, model: Model, command: str = "agent") -> EvalLog:
    agent_place = f"benchwright:{programs}"
    return run(desk, model, "agent", problems="saturating-counter", command=command, place=agent_place)


def test_an_agent_that_fails_has_failed_with_what_it_left_and_leaves_no_process(desk: Desk, programs: Path) -> None:
    script = f"cat > rtl/sat_counter.sv <<'END'\n{COUNTER}END\nsleep 987 &\necho broken >&2\nexit 3\n"
    (programs / "bin" / "agent").write_text(f"#!/bin/sh\n{script}")
    log = agent_command(desk, programs, says("done"))
    assert (summary_of_run(log)["error"], summary_of_run(log)["passed"]) == (0, 1)
    (attempt,) = desk.attempts()
    (abandoned,) = [recorded.event for recorded in desk.events(attempt.id) if isinstance(recorded.event, Abandoned)]
    assert abandoned.reason == "its command ended with 3: broken"
    assert not any(b"sleep\x00987" in _read(file) for file in Path("/proc").glob("[0-9]*/cmdline"))


@pytest.mark.parametrize(
    ("command", "model", "words"),
    [
        ("no-such-agent", "done", "ended with 127"),
        ("agent x", "unreachable", "The model's provider could not be reached"),
    ],
)
def test_an_agent_is_asked_again_where_it_could_not_start_or_its_model_did_not_answer(
    desk: Desk, programs: Path, command: str, model: str, words: str
) -> None:
    def reply(messages: Any, config: Any) -> ModelOutput:
        if model == "unreachable":
            raise OSError("no route")
        return ModelOutput.from_content("mockllm/model", model)

    log = agent_command(desk, programs, scripted_model(reply), command)
    assert summary_of_run(log)["error"] == 1
    assert words in str(summary_of_run(log)["why"]).replace("\\", "")
    (attempt,) = desk.attempts()
    assert desk.state(attempt.id) is AttemptState.PAUSED


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:
        return b""


def test_a_folder_that_is_not_there_is_named(desk: Desk) -> None:
    log = run(
        desk, says("done"), "agent", problems="saturating-counter", command="agent", place="benchwright:/not/there"
    )
    summary_text = json.dumps(summary_of_run(log))
    assert "/not/there" in summary_text
