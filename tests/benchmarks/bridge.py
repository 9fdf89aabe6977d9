"""Time that the bridge adds to each request of an agent to its model.

Run as `.venv/bin/python -m tests.benchmarks.bridge`; prints a Markdown table. The model answers at once, so all of a
request's time is the bridge's and the client's: HTTP over its Unix socket, translation both ways, Inspect's log, and
the event of what was used. A conversation grows as an agent's does, by a call of a tool and its result of two kilobytes
with each request. Inspect runs with the options of `benchwright eval`. Processor time is that of the one thread that
does it all, so it depends less on what else the machine does.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import httpx2
from inspect_ai import Task
from inspect_ai import eval as run_inspect
from inspect_ai.agent import AgentState
from inspect_ai.dataset import Sample
from inspect_ai.model import Model, ModelOutput, ModelUsage, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver

from benchwright_attempts import log_file
from benchwright_attempts.events.events import Opened
from benchwright_attempts.log.record import AttemptHeader
from benchwright_foundation.home import Home
from benchwright_studies.conduct.study_log import StudyLog
from benchwright_subjects.bridge import ModelBridge
from benchwright_subjects.bridge.http_server import serve_bridge
from benchwright_subjects.evaluation import usage
from benchwright_subjects.evaluation.evaluation import LEAN

REQUESTS = 60
ROUNDS = 5
RESULT = "module x; endmodule // what a tool printed\n" * 48
TOOL = {"type": "function", "function": {"name": "write", "parameters": {"type": "object", "properties": {}}}}


def conversation(length: int) -> list[dict[str, Any]]:
    """The messages of the request of this rank."""
    chat_messages: list[dict[str, Any]] = [{"role": "user", "content": "Solve it."}]
    for number in range(length):
        call = {"id": f"c{number}", "type": "function", "function": {"name": "write", "arguments": "{}"}}
        chat_messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
        chat_messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": RESULT})
    return chat_messages


class Took(NamedTuple):
    """Of one request, in milliseconds."""

    wall: float
    processor: float


def measured(name: str, stream: bool, log: StudyLog, log_folder: Path) -> list[Took]:
    """Each request of one conversation, but for the first, which loads modules."""
    took: list[Took] = []
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

    def reply(*arguments: Any) -> ModelOutput:
        output = ModelOutput.from_content("mockllm/model", "Go on.")
        output.usage = ModelUsage(input_tokens=10, output_tokens=5, total_tokens=15)
        return output

    @solver
    def asking() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            async def record_usage(model: Model, output: ModelOutput) -> None:
                model_usage = usage.reply_usage(str(model), output)
                assert model_usage is not None
                await log.append(name, model_usage)

            bridge = ModelBridge(AgentState(messages=state.messages), record_usage, 1)
            with tempfile.TemporaryDirectory() as folder:
                address = Path(folder) / "bridge"
                async with serve_bridge(bridge, address, None):
                    transport = httpx2.AsyncHTTPTransport(uds=str(address))
                    async with httpx2.AsyncClient(transport=transport, base_url="http://bridge", timeout=60) as client:
                        for number in range(REQUESTS):
                            body = {"model": "m", "messages": conversation(number), "tools": [TOOL], "stream": stream}
                            start, busy = time.perf_counter(), time.thread_time()
                            answered_by = await client.post("/v1/chat/completions", json=body)
                            end_time, processor_time = time.perf_counter(), time.thread_time()
                            took.append(Took((end_time - start) * 1000, (processor_time - busy) * 1000))
                            answered_by.raise_for_status()
                            await asyncio.sleep(0.01)
            return state

        return solve

    model = get_model("mockllm/model", custom_outputs=reply, memoize=False)
    (eval_log,) = run_inspect(
        Task(dataset=[Sample(input="Solve it.")], solver=asking()),
        model=model,
        log_dir=str(log_folder),
        display="none",
        **LEAN,
    )
    assert eval_log.status == "success", eval_log.error
    return took[1:]


def summary_cells(values: Sequence[float]) -> str:
    """Median, 95th percentile and most, as cells of a table."""
    p50, p95 = statistics.median(values), statistics.quantiles(values, n=20)[-1]
    return f"{p50:.1f} | {p95:.1f} | {max(values):.1f}"


def main() -> None:
    print("| reply | requests | wall p50 (ms) | p95 | most | processor p50 (ms) | p95 | most |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["BENCHWRIGHT_HOME"] = folder
        with StudyLog(log_file(Home.from_environment())) as log:
            for stream in (False, True):
                kind = "streamed" if stream else "whole"
                took: list[Took] = []
                for number in range(ROUNDS):
                    took += measured(f"bridge-{kind}-{number}", stream, log, Path(folder) / "out")
                wall, processor = zip(*took, strict=True)
                print(f"| {kind} | {len(took)} | {summary_cells(wall)} | {summary_cells(processor)} |", flush=True)


if __name__ == "__main__":
    main()
