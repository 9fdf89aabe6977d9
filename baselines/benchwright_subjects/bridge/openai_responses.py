"""OpenAI's responses: https://platform.openai.com/docs/api-reference/responses-streaming."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

from benchwright_subjects.bridge.dialect import Dialect, Json, event
from benchwright_subjects.bridge.openai_chat import error
from benchwright_subjects.inspect_private import AgentBridge, inspect_responses_api_request

_NO_PARAMETERS = {"type": "object", "properties": {}}


async def _answer(request: Json, model: str, bridge: AgentBridge) -> Json:
    for tool in _functions(request.get("tools") or ()):
        tool.setdefault("description", tool["name"])
        tool.setdefault("parameters", _NO_PARAMETERS)
    request["tools"] = request.get("tools") or []
    response = await inspect_responses_api_request(request, None, None, None, bridge)
    whole = response.model_dump(mode="json", warnings=False)
    return whole | {"status": "incomplete" if whole.get("incomplete_details") else "completed"}


def _functions(tools: Iterable[Json]) -> Iterator[Json]:
    """The functions among tools, also those of a namespace: as such Codex sends the tools of an MCP server."""
    for tool in tools:
        if tool.get("type") == "function":
            yield tool
        elif tool.get("type") == "namespace":
            yield from _functions(tool.get("tools") or ())


def _events(request: Json, reply: Json) -> Iterator[bytes]:
    numbers = itertools.count()

    def stream_event(kind: str, **content: object) -> bytes:
        return event({"type": kind, "sequence_number": next(numbers), **content}, kind)

    begun = reply | {"status": "in_progress", "output": [], "usage": None, "incomplete_details": None}
    yield stream_event("response.created", response=begun)
    yield stream_event("response.in_progress", response=begun)
    for output_index, item in enumerate(reply["output"]):
        yield stream_event("response.output_item.added", output_index=output_index, item=_begun(item))
        for kind, content in _parts(item):
            yield stream_event(kind, item_id=item.get("id"), output_index=output_index, **content)
        yield stream_event("response.output_item.done", output_index=output_index, item=item)
    yield stream_event(f"response.{reply['status']}", response=reply)


def _begun(item: Json) -> Json:
    empty = {"content": [], "arguments": "", "input": "", "summary": []}
    begun = {name: empty.get(name, value) for name, value in item.items()}
    return begun | ({"status": "in_progress"} if "status" in item else {})


def _parts(item: Json) -> Iterator[tuple[str, Json]]:
    """Parts that are streamed of an item between its beginning and its end."""
    match item["type"]:
        case "message":
            for content_index, part in enumerate(item["content"]):
                yield from _text_parts(content_index, part)
        case "function_call":
            yield "response.function_call_arguments.delta", {"delta": item["arguments"]}
            yield "response.function_call_arguments.done", {"arguments": item["arguments"], "name": item["name"]}
        case "custom_tool_call":
            yield "response.custom_tool_call_input.delta", {"delta": item["input"]}
            yield "response.custom_tool_call_input.done", {"input": item["input"]}


def _text_parts(content_index: int, part: Json) -> Iterator[tuple[str, Json]]:
    location = {"content_index": content_index}
    if part["type"] != "output_text":
        yield "response.content_part.added", {**location, "part": part}
    else:
        yield "response.content_part.added", {**location, "part": part | {"text": "", "annotations": []}}
        yield "response.output_text.delta", {**location, "delta": part["text"], "logprobs": []}
        yield "response.output_text.done", {**location, "text": part["text"], "logprobs": []}
    yield "response.content_part.done", {**location, "part": part}


OPENAI_RESPONSES = Dialect("openai-responses", _answer, _events, error)
