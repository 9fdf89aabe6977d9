"""A sample of Inspect's whose bridge is asked by the test itself, through its Unix socket."""

from __future__ import annotations

import tempfile
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
from inspect_ai import Task
from inspect_ai import eval as run_inspect
from inspect_ai.agent import AgentState
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput, ModelUsage, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolChoice, ToolInfo

from benchwright_subjects.bridge import ModelBridge
from benchwright_subjects.bridge.http_server import serve_bridge


@dataclass
class SeenRequests:
    """Requests that the model was asked."""

    messages: list[list[ChatMessage]] = field(default_factory=list)
    offered_tools: list[list[ToolInfo]] = field(default_factory=list)
    configs: list[GenerateConfig] = field(default_factory=list)
    counted_outputs: list[ModelOutput] = field(default_factory=list)


Ask = Callable[[httpx2.AsyncClient, ModelBridge], Awaitable[None]]


def scripted_model(*outputs: ModelOutput | Exception, requests: SeenRequests | None = None) -> Model:
    """A model that answers in this order."""
    remaining_outputs = iter(outputs)

    def reply(
        messages: list[ChatMessage], tools: list[ToolInfo], choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        if requests is not None:
            requests.messages.append(messages)
            requests.offered_tools.append(tools)
            requests.configs.append(config)
        output = next(remaining_outputs)
        if isinstance(output, Exception):
            raise output
        # Without it the mock model would count with a table that it downloads.
        output.usage = ModelUsage(input_tokens=10, output_tokens=5, total_tokens=15)
        return output

    return get_model("mockllm/model", custom_outputs=reply, memoize=False)


def text_output(content: str) -> ModelOutput:
    return ModelOutput.from_content("mockllm/model", content)


def call_output(name: str, arguments: dict[str, Any], content: str = "") -> ModelOutput:
    return ModelOutput.for_tool_call("mockllm/model", name, arguments, content=content)


def evaluate_with_bridge(
    model: Model,
    asks: Ask,
    log_folder: Path,
    *,
    requests: SeenRequests | None = None,
    seed: int | None = None,
    forwards: bool = False,
    **eval_limits: Any,
) -> EvalLog:
    """Runs a sample in which `asks` talks to the bridge."""

    @solver
    def asking() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            async def note_usage(model: Model, output: ModelOutput) -> None:
                if requests is not None:
                    requests.counted_outputs.append(output)

            bridge = ModelBridge(AgentState(messages=state.messages), note_usage, seed, forwards_parameters=forwards)
            with tempfile.TemporaryDirectory() as folder:
                address = Path(folder) / "bridge"
                async with serve_bridge(bridge, address, None):
                    transport = httpx2.AsyncHTTPTransport(uds=str(address))
                    async with httpx2.AsyncClient(transport=transport, base_url="http://bridge", timeout=60) as client:
                        await asks(client, bridge)
            if bridge.failure.done():
                raise bridge.failure.result()
            state.messages = bridge.state.messages
            return state

        return solve

    eval_task = Task(dataset=[Sample(input="Solve it.")], solver=asking())
    (log,) = run_inspect(eval_task, model=model, log_dir=str(log_folder), display="none", **eval_limits)
    return log


def event_names(body: str) -> Sequence[str]:
    """The data of server-sent events."""
    return [line.removeprefix("data: ") for line in body.splitlines() if line.startswith("data: ")]
