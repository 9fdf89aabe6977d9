"""The commands of `docs/how-to/evaluate-models.md`, word for word but for address, model and problem.

The endpoint on loopback streams its replies where it is asked to.
"""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import read_eval_log

from benchwright_attempts import log_file
from benchwright_attempts.attempts import Attempts
from benchwright_attempts.events.evidence import ModelUsage
from benchwright_foundation.home import Home
from benchwright_studies.conduct.study_log import StudyLog

from ..support.models.eval import COUNTER
from ..support.models.eval_inspect_command import installed
from ..support.models.eval_place import programs
from ..support.service.judge_endpoint import JudgeEndpoint, JudgeRequest, PlayedReply, content

__all__ = ("installed", "programs")

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "evaluate-models.md"


def documented(beginning: str, **replacements: str) -> str:
    """The command of the page that begins so, with some words replaced."""
    blocks = re.findall(r"```sh\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    lines: list[str] = [
        candidate for block in blocks for candidate in block.splitlines() if candidate.startswith(beginning)
    ]
    (line,) = lines
    for old_word, new_word in replacements.items():
        assert old_word in line, line
        line = line.replace(old_word, new_word)
    return line


class Desk:
    """A home of its own, a shell in it, and what its log holds."""

    def __init__(self, folder: Path, installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.env = os.environ | {
            "BENCHWRIGHT_HOME": str(folder / "home"),
            "PYTHONPATH": str(installed),
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "LOCAL_API_KEY": "none",
        }
        monkeypatch.setenv("BENCHWRIGHT_HOME", str(folder / "home"))

    def run(self, line: str) -> str:
        process = subprocess.run(
            ["/bin/sh", "-c", line], cwd=self.folder, env=self.env, capture_output=True, text=True, timeout=600
        )
        assert process.returncode == 0, process.stdout + process.stderr
        return process.stdout

    def outcomes(self) -> list[tuple[str, str, str]]:
        with StudyLog(log_file(Home.from_environment())) as log:
            summaries = [(header, Attempts(log).summary(header.id)) for header in log.headers()]
        return [
            (header.condition, header.problem, summary.verdict.reason)
            for header, summary in summaries
            if summary.verdict
        ]


@pytest.fixture
def desk(tmp_path: Path, installed: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    return Desk(tmp_path, installed, monkeypatch)


def streamed(text: str) -> PlayedReply:
    """A completion as server-sent events, in pieces of a few characters."""
    pieces = [text[start : start + 7] for start in range(0, len(text), 7)]
    common = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "scripted"}
    chunks: list[dict[str, Any]] = [
        {"choices": [{"index": 0, "delta": {"role": "assistant", "content": piece}, "finish_reason": None}]}
        for piece in pieces
    ]
    chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    chunks.append({"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}})
    lines = [f"data: {json.dumps(common | chunk)}\n\n" for chunk in chunks] + ["data: [DONE]\n\n"]
    return PlayedReply("".join(lines).encode(), headers={"Content-Type": "text/event-stream"})


def answers(text: str) -> Any:
    return lambda request: streamed(text) if request.body.get("stream") else content(text)


def test_a_model_behind_an_address_is_asked_as_the_page_says(desk: Desk) -> None:
    with JudgeEndpoint(answers("C")) as endpoint:
        line = documented("LOCAL_API_KEY=none benchwright eval", **{"http://127.0.0.1:8000/v1": endpoint.url})
        output = desk.run(f"{line} --problem amdahl")
    assert "1" in output and len(endpoint.requests) == 1
    ((condition, problem, _),) = desk.outcomes()
    assert (condition, problem) == ("model", "starter/amdahl")


def test_a_model_that_inspect_does_not_know_costs_what_the_file_says(desk: Desk) -> None:
    (prices,) = (block for block in re.findall(r"```yaml\n(.*?)```", PAGE.read_text(), re.DOTALL) if "input" in block)
    (desk.folder / "prices.yaml").write_text(prices)
    with JudgeEndpoint(answers("C")) as endpoint:
        line = documented("LOCAL_API_KEY=none benchwright eval", **{"http://127.0.0.1:8000/v1": endpoint.url})
        output = desk.run(f"{line} --problem amdahl --costs prices.yaml --json")
    # 100 tokens at 2.5 and 20 at 10 dollars a million.
    assert json.loads(output)["cost_usd"] == pytest.approx(100 * 2.5e-6 + 20 * 10e-6)
    with StudyLog(log_file(Home.from_environment())) as log:
        (header,) = log.headers()
        (usage,) = (recorded.event for recorded in log.events(header.id) if isinstance(recorded.event, ModelUsage))
    assert usage.cost_usd == pytest.approx(0.00045)


@pytest.mark.nightly
def test_inspects_own_commands_work_as_the_page_says_with_a_model_that_streams(desk: Desk) -> None:
    with JudgeEndpoint(answers("module sync_fifo; endmodule")) as endpoint:
        line = documented("inspect eval benchwright/answer", **{"openai/gpt-5": "openai-api/local/m"})
        desk.run(f"{line} --model-base-url {endpoint.url} -M stream=true --log-dir logs --display plain")
        assert [request.body.get("stream") for request in endpoint.requests] == [True] * 5
    (file,) = (desk.folder / "logs").glob("*.eval")
    log = read_eval_log(str(file))
    scores = [(sample.scores or {})["verdict"].value for sample in log.samples or ()]
    assert (log.status, scores) == ("success", [0.0] * 5)
    assert log.stats.model_usage["openai-api/local/m"].total_tokens == 600
    assert {problem for _, problem, _ in desk.outcomes()} == {"starter/sync-fifo"}
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    view = subprocess.Popen(
        [str(Path(sys.executable).with_name("inspect")), "view", "--log-dir", "logs", "--port", str(port)],
        cwd=desk.folder,
        env=desk.env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert file.name in _fetched(f"http://127.0.0.1:{port}/api/logs", view)
    finally:
        view.terminate()
        view.wait(30)


def test_an_agents_command_works_as_the_page_says(desk: Desk, programs: Path) -> None:
    (programs / "bin" / "agent").rename(programs / "bin" / "my-agent")
    write = f"mkdir -p rtl && cat > rtl/sat_counter.sv <<'END'\n{COUNTER}\nEND"

    def play(request: JudgeRequest) -> PlayedReply:
        is_first = not any(message["role"] == "assistant" for message in request.body["messages"])
        played_reply: PlayedReply = answers(write if is_first else "done")(request)
        return played_reply

    with JudgeEndpoint(play) as endpoint:
        line = documented(
            "benchwright eval --agent --agent-command",
            **{"/opt/agents/mine": str(programs), "openai/gpt-5": "openai-api/local/m"},
        )
        desk.run(f"{line} --base-url {endpoint.url} --problem saturating-counter --out runs")
    assert desk.outcomes() == [("agent", "starter/saturating-counter", "passed")]
    (reply_file,) = (desk.folder / "runs").glob("*.responses.jsonl")
    counts = json.loads(desk.run(f"benchwright grade starter --responses {reply_file} --json"))
    assert (counts["total"], counts["right"]) == (1, 1)


def _fetched(address: str, server: subprocess.Popen[bytes]) -> str:
    for _ in range(120):
        assert server.poll() is None, "inspect view has ended"
        try:
            with urllib.request.urlopen(address, timeout=5) as reply:
                return str(reply.read().decode())
        except OSError:
            time.sleep(0.5)
    raise AssertionError(f"{address} does not answer")
