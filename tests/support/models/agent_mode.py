"""Fixtures and helpers of the tests of agent mode."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput, ModelUsage, get_model
from inspect_ai.tool import ToolChoice, ToolInfo

from benchwright_attempts.errors import EvaluationError
from benchwright_foundation.home import Home
from benchwright_subjects.agent_mode.launch import CodeServerEditor, agent_mode_launch
from benchwright_subjects.agents.launch import AgentLaunch

from .agent_model import Call

PARTICIPANT = Path(__file__).with_name("chat_participant")

Answer = Callable[[Sequence[str], str], Call | str]
"""The results of tools so far, and the last message → a call, or a text."""


def require_editor() -> None:
    """Skip the test without an editor."""
    try:
        CodeServerEditor.find(Home.from_environment().cache)
    except EvaluationError as error:
        pytest.skip(str(error))


def editor_launch() -> AgentLaunch:
    """The start of the editor of this machine."""
    cache = Home.from_environment().cache
    return agent_mode_launch(CodeServerEditor.find(cache), cache)


def answering_model(answer: Answer, requests: list[str]) -> Model:
    """A model that answers by the conversation's state, not by a count: editors also ask it for titles.

    Args:
        answer: Its answer.
        requests: Gets all text that it is sent.
    """

    def reply(
        messages: list[ChatMessage], tools: list[ToolInfo], choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        requests.append("\n".join(message.text for message in messages))
        results = [message.text for message in messages if message.role == "tool"]
        output = _output(answer(results, messages[-1].text), len(results))
        output.usage = ModelUsage(input_tokens=100, output_tokens=20, total_tokens=120)
        return output

    return get_model("mockllm/model", custom_outputs=reply, memoize=False)


def _output(answered: Call | str, number: int) -> ModelOutput:
    if isinstance(answered, str):
        return ModelOutput.from_content("mockllm/model", answered)
    return ModelOutput.for_tool_call(
        "mockllm/model", answered.tool, {**answered.arguments}, tool_call_id=f"call_{number + 1}"
    )


def in_terminal(command: str) -> Call:
    """A command in the editor's terminal."""
    arguments: dict[str, Any] = {"command": command, "explanation": "Work", "goal": "Work"}
    return Call("run_in_terminal", arguments | {"isBackground": False, "mode": "sync", "timeout": 60_000})
