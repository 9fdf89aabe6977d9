"""OpenAI's responses: https://platform.openai.com/docs/api-reference/responses-streaming."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

from benchwright_subjects.bridge.dialect import BridgeDialect, Json, server_sent_event
from benchwright_subjects.bridge.openai_chat import refusal_json
from benchwright_subjects.inspect_private import AgentBridge, inspect_responses_api_request

_NO_PARAMETERS = {"type": "object", "properties": {}}


async def _ask_model(request: Json, model: str, bridge: AgentBridge) -> Json:
    for tool in _function_tools(request.get("tools") or ()):
        tool.setdefault("description", tool["name"])
        tool.setdefault("parameters", _NO_PARAMETERS)
    request["tools"] = request.get("tools") or []
    response = await inspect_responses_api_request(request, None, None, None, bridge)
    response_fields = response.model_dump(mode="json", warnings=False)
    return response_fields | {"status": "incomplete" if response_fields.get("incomplete_details") else "completed"}


def _function_tools(tool_specs: Iterable[Json]) -> Iterator[Json]:
    """The functions among tools, also those of a namespace: as such Codex sends the tools of an MCP server."""
    for tool in tool_specs:
        if tool.get("type") == "function":
            yield tool
        elif tool.get("type") == "namespace":
            yield from _function_tools(tool.get("tools") or ())


def _stream_events_of_reply(request: Json, reply: Json) -> Iterator[bytes]:
    numbers = itertools.count()

    def stream_event(kind: str, **event_fields: object) -> bytes:
        return server_sent_event({"type": kind, "sequence_number": next(numbers), **event_fields}, kind)

    begun_reply = reply | {"status": "in_progress", "output": [], "usage": None, "incomplete_details": None}
    yield stream_event("response.created", response=begun_reply)
    yield stream_event("response.in_progress", response=begun_reply)
    for output_index, item in enumerate(reply["output"]):
        yield stream_event("response.output_item.added", output_index=output_index, item=_begun_item(item))
        for kind, content in _streamed_item_parts(item):
            yield stream_event(kind, item_id=item.get("id"), output_index=output_index, **content)
        yield stream_event("response.output_item.done", output_index=output_index, item=item)
    yield stream_event(f"response.{reply['status']}", response=reply)


def _begun_item(output_item: Json) -> Json:
    empty = {"content": [], "arguments": "", "input": "", "summary": []}
    begun_item = {name: empty.get(name, value) for name, value in output_item.items()}
    return begun_item | ({"status": "in_progress"} if "status" in output_item else {})


def _streamed_item_parts(output_item: Json) -> Iterator[tuple[str, Json]]:
    """Parts that are streamed of an item between its beginning and its end."""
    match output_item["type"]:
        case "message":
            for content_index, part in enumerate(output_item["content"]):
                yield from _streamed_content_parts(content_index, part)
        case "function_call":
            yield "response.function_call_arguments.delta", {"delta": output_item["arguments"]}
            yield (
                "response.function_call_arguments.done",
                {"arguments": output_item["arguments"], "name": output_item["name"]},
            )
        case "custom_tool_call":
            yield "response.custom_tool_call_input.delta", {"delta": output_item["input"]}
            yield "response.custom_tool_call_input.done", {"input": output_item["input"]}


def _streamed_content_parts(content_index: int, content_part: Json) -> Iterator[tuple[str, Json]]:
    index_fields = {"content_index": content_index}
    if content_part["type"] != "output_text":
        yield "response.content_part.added", {**index_fields, "part": content_part}
    else:
        yield "response.content_part.added", {**index_fields, "part": content_part | {"text": "", "annotations": []}}
        yield "response.output_text.delta", {**index_fields, "delta": content_part["text"], "logprobs": []}
        yield "response.output_text.done", {**index_fields, "text": content_part["text"], "logprobs": []}
    yield "response.content_part.done", {**index_fields, "part": content_part}


OPENAI_RESPONSES = BridgeDialect("openai-responses", _ask_model, _stream_events_of_reply, refusal_json)
