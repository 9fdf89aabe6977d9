"""What the bridge adds to each request of an agent to its model.

Run as `.venv/bin/python -m tests.benchmarks.bridge`; prints a Markdown table. The model answers at once, so all of a
request's time is the bridge's: HTTP over its Unix socket, translation both ways, Inspect's log, and the event of what
was used. A conversation grows as an agent's does, by a call of a tool and its result
of two kilobytes with each request.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx2
from inspect_ai import Task
from inspect_ai import eval as run_inspect
from inspect_ai.agent import AgentState
from inspect_ai.dataset import Sample
from inspect_ai.model import Model, ModelOutput, ModelUsage, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver

from benchwright_attempts import log_file
from benchwright_attempts.events import Opened
from benchwright_attempts.record import AttemptHeader
from benchwright_problems.home import Home
from benchwright_studies.study_log import StudyLog
from benchwright_subjects import usage
from benchwright_subjects.bridge import ModelBridge
from benchwright_subjects.bridge.http_server import serving

REQUESTS = 60
RESULT = "module x; endmodule // what a tool printed\n" * 48
TOOL = {"type": "function", "function": {"name": "write", "parameters": {"type": "object", "properties": {}}}}


def conversation(length: int) -> list[dict[str, Any]]:
    """The messages of the request of this rank."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Solve it."}]
    for number in range(length):
        call = {"id": f"c{number}", "type": "function", "function": {"name": "write", "arguments": "{}"}}
        messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": RESULT})
    return messages


def measured(stream: bool, log: StudyLog, out: Path) -> list[float]:
    """Milliseconds of each request of one conversation."""
    took: list[float] = []
    name = f"bridge-{stream}"
    header = AttemptHeader(
        id=name,
        problem="p/x",
        problem_digest="0" * 64,
        workspace="",
        solver="m",
        condition="agent",
        created=log.moment().wall,
    )
    log.create(header, Opened(files={}))

    def reply(*asked: Any) -> ModelOutput:
        output = ModelOutput.from_content("mockllm/model", "Go on.")
        output.usage = ModelUsage(input_tokens=10, output_tokens=5, total_tokens=15)
        return output

    @solver
    def asking() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            async def answered(model: Model, output: ModelOutput) -> None:
                used = usage.of_output(str(model), output)
                assert used is not None
                await log.append(name, used)

            bridge = ModelBridge(AgentState(messages=state.messages), answered, 1)
            with tempfile.TemporaryDirectory() as folder:
                address = Path(folder) / "bridge"
                async with serving(bridge, address, None):
                    transport = httpx2.AsyncHTTPTransport(uds=str(address))
                    async with httpx2.AsyncClient(transport=transport, base_url="http://bridge", timeout=60) as client:
                        for number in range(REQUESTS):
                            body = {"model": "m", "messages": conversation(number), "tools": [TOOL], "stream": stream}
                            start = time.perf_counter()
                            told = await client.post("/v1/chat/completions", json=body)
                            took.append((time.perf_counter() - start) * 1000)
                            told.raise_for_status()
                            await asyncio.sleep(0.01)
            return state

        return solve

    model = get_model("mockllm/model", custom_outputs=reply, memoize=False)
    (ran,) = run_inspect(
        Task(dataset=[Sample(input="Solve it.")], solver=asking()), model=model, log_dir=str(out), display="none"
    )
    assert ran.status == "success", ran.error
    return took[1:]


def main() -> None:
    print("| reply | requests | p50 (ms) | p95 (ms) | most (ms) |")
    print("| --- | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as place:
        os.environ["BENCHWRIGHT_HOME"] = place
        with StudyLog(log_file(Home.find())) as log:
            for stream in (False, True):
                took = measured(stream, log, Path(place) / "out")
                p50, p95 = statistics.median(took), statistics.quantiles(took, n=20)[-1]
                kind = "streamed" if stream else "whole"
                print(f"| {kind} | {len(took)} | {p50:.1f} | {p95:.1f} | {max(took):.1f} |")


if __name__ == "__main__":
    main()
