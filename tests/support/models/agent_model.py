"""A model that solves the starter pack's counter with whatever tools an agent offers, by the conversation's state."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput, ModelUsage, get_model
from inspect_ai.tool import ToolChoice, ToolInfo

from ..service.judge_endpoint import JudgeRequest, PlayedReply, content

FILE = "rtl/sat_counter.sv"
_WRITES = ("write", "write_file", "Write")
_SHELLS = ("exec_command", "shell", "bash", "Bash", "run_shell_command", "run_in_terminal")
_DESCRIPTION = {"description": "Run a script"}
_IN_TERMINAL = {"explanation": "Run", "goal": "Run", "mode": "sync", "isBackground": False, "timeout": 60_000}
"""What VS Code's terminal asks for besides."""
_FENCE = "sat_counter.sv\n```"
_END_OF_MINI = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
_DONE = "The counter is written."

Tools = Mapping[str, Mapping[str, str]]
"""Name → field → JSON type."""


@dataclass(frozen=True)
class Call:
    """A call of a tool."""

    tool: str
    arguments: Mapping[str, Any]


def model_that_writes(text: str, request_log: list[str] | None = None) -> Model:
    """The model, without a wire. It makes up nothing: the same request has the same answer.

    Args:
        text: Text of the design's file.
        request_log: Gets each request as JSON.
    """

    def reply(
        messages: list[ChatMessage], tools: list[ToolInfo], choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        if request_log is not None:
            message_records = [message.model_dump(mode="json", exclude={"id"}) for message in messages]
            offers = [tool.model_dump(mode="json") for tool in tools]
            request_log.append(json.dumps([message_records, offers, config.model_dump(mode="json", exclude_none=True)]))
        scripted_reply = _reply([(message.role, message.text) for message in messages], offered_by(tools), text)
        output = (
            ModelOutput.from_content("mockllm/model", scripted_reply)
            if isinstance(scripted_reply, str)
            else output_of(scripted_reply, messages)
        )
        output.usage = ModelUsage(input_tokens=100, output_tokens=20, total_tokens=120)
        return output

    return get_model("mockllm/model", custom_outputs=reply, memoize=False)


def offered_by(tools: Sequence[ToolInfo]) -> Tools:
    """The tools of a request."""
    return {tool.name: {name: str(field.type) for name, field in tool.parameters.properties.items()} for tool in tools}


def output_of(scripted_call: Call, messages: Sequence[ChatMessage]) -> ModelOutput:
    """A call as an answer, with the next number."""
    number = 1 + sum(message.role == "tool" for message in messages)
    return ModelOutput.for_tool_call(
        "mockllm/model", scripted_call.tool, {**scripted_call.arguments}, tool_call_id=f"call_{number}"
    )


def endpoint_that_writes(request: JudgeRequest, text: str) -> PlayedReply:
    """The same model's answer behind OpenAI's chat API."""
    role_texts = [(message["role"], _text(message.get("content"))) for message in request.body["messages"]]
    scripted_reply = _reply(role_texts, _offered_by_request(request), text)
    return content(scripted_reply) if isinstance(scripted_reply, str) else _played_call(scripted_reply, "1")


def writing_call_of(request: JudgeRequest, text: str) -> PlayedReply:
    """A call that writes the design's file, whatever was done before."""
    scripted_call = writing_call(_offered_by_request(request), f"/code/{FILE}", text)
    assert scripted_call is not None, request.body["tools"]
    return _played_call(scripted_call, "2")


def _offered_by_request(request: JudgeRequest) -> Tools:
    functions = [tool["function"] for tool in request.body.get("tools") or ()]
    return {
        tool_function["name"]: {
            name: str(field.get("type")) for name, field in tool_function["parameters"]["properties"].items()
        }
        for tool_function in functions
    }


def _played_call(scripted_call: Call, call_id: str) -> PlayedReply:
    function = {"name": scripted_call.tool, "arguments": json.dumps(scripted_call.arguments)}
    tool_call = {"id": call_id, "type": "function", "function": function}
    return content(None, tool_calls=[tool_call], finish_reason="tool_calls")


def _text(raw_content: str | Sequence[Mapping[str, str]] | None) -> str:
    return (
        raw_content if isinstance(raw_content, str) else "\n".join(part.get("text", "") for part in raw_content or ())
    )


def _reply(role_texts: Sequence[tuple[str, str]], tools: Tools, text: str) -> str | Call:
    """Return its reply to a conversation of roles and texts."""
    tool_results = [message_text for role, message_text in role_texts if role == "tool"]
    if not tool_results and (scripted_call := writing_call(tools, f"/code/{FILE}", text)):
        return scripted_call
    if set(tools) == {"bash"} and len(tool_results) == 1:
        return Call("bash", {"command": _END_OF_MINI})
    if "SEARCH/REPLACE" in role_texts[0][1]:
        return _block([message_text for _, message_text in role_texts], text)
    return _DONE


def writing_call(tools: Tools, path: str, text: str) -> Call | None:
    """A call that writes a file, by the agent's own tool for it or its shell.

    Args:
        tools: Tools that the agent offers.
        path: Path of the file.
        text: Its new content.
    """
    for name in _WRITES:
        if name in tools:
            field = next(field for field in tools[name] if "path" in field.lower())
            return Call(name, {field: path, "content": text})
    return shell_call(tools, f"cat > {path} <<'END'\n{text}END")


def shell_call(tools: Tools, script: str) -> Call | None:
    """A call that has the agent's shell run a script, if it has one.

    Args:
        tools: Tools that the agent offers.
        script: Script for the shell.
    """
    for name in _SHELLS:
        if name in tools:
            field = next(field for field in ("cmd", "command") if field in tools[name])
            command = ["sh", "-c", script] if tools[name][field] == "array" else script
            details = _IN_TERMINAL if name == "run_in_terminal" else _DESCRIPTION
            return Call(name, {field: command} | {key: details[key] for key in details if key in tools[name]})
    return None


def _block(message_texts: Sequence[str], text: str) -> str:
    """aider's form of a change: what was there, and what is to be there."""
    shown_file = max((message_text for message_text in message_texts if _FENCE in message_text), key=len, default="")
    old_text = shown_file.partition(_FENCE)[2].partition("\n")[2].partition("\n```")[0]
    return f"{FILE}\n```systemverilog\n<<<<<<< SEARCH\n{old_text}\n=======\n{text}>>>>>>> REPLACE\n```\n"
