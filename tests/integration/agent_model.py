"""A model that solves the starter pack's counter with whatever tools an agent offers, by the conversation's state."""

from __future__ import annotations

from typing import Any

from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput, get_model
from inspect_ai.tool import ToolChoice, ToolInfo

FILE = "rtl/sat_counter.sv"
_WRITES = ("write", "write_file", "Write")
_SHELLS = ("exec_command", "shell", "bash", "Bash", "run_shell_command")
_FENCE = "sat_counter.sv\n```"
_END_OF_MINI = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"


def model_that_writes(text: str) -> Model:
    """The model.

    Args:
        text: Of the design's file.
    """

    def reply(
        messages: list[ChatMessage], tools: list[ToolInfo], choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        results = [one for one in messages if one.role == "tool"]
        names = {tool.name: tool for tool in tools}
        if not results and (made := _writing(names, text)):
            return ModelOutput.for_tool_call("mockllm/model", *made)
        if set(names) == {"bash"} and len(results) == 1:
            return ModelOutput.for_tool_call("mockllm/model", "bash", {"command": _END_OF_MINI})
        if "SEARCH/REPLACE" in messages[0].text:
            return ModelOutput.from_content("mockllm/model", _block(messages, text))
        return ModelOutput.from_content("mockllm/model", "The counter is written.")

    return get_model("mockllm/model", custom_outputs=reply, memoize=False)


def _writing(tools: dict[str, ToolInfo], text: str) -> tuple[str, dict[str, Any]] | None:
    for name in _WRITES:
        if name in tools:
            fields = tools[name].parameters.properties
            path = next(field for field in fields if "path" in field.lower())
            return name, {path: f"/code/{FILE}", "content": text}
    for name in _SHELLS:
        if name in tools:
            fields = tools[name].parameters.properties
            field = next(field for field in ("cmd", "command") if field in fields)
            script = f"cat > /code/{FILE} <<'END'\n{text}END"
            as_list = fields[field].type == "array"
            more = {"description": "Write the counter"} if "description" in fields else {}
            return name, {field: ["sh", "-c", script] if as_list else script, **more}
    return None


def _block(messages: list[ChatMessage], text: str) -> str:
    """aider's form of a change: what was there, and what is to be there."""
    shown = max((one.text for one in messages if _FENCE in one.text), key=len, default="")
    before = shown.partition(_FENCE)[2].partition("\n")[2].partition("\n```")[0]
    return f"{FILE}\n```systemverilog\n<<<<<<< SEARCH\n{before}\n=======\n{text}>>>>>>> REPLACE\n```\n"
