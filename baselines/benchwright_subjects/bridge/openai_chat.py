"""OpenAI's chat completions: https://platform.openai.com/docs/api-reference/chat."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchwright_subjects.bridge.dialect import BridgeDialect, Json, server_sent_event, without_null_fields
from benchwright_subjects.inspect_private import AgentBridge, inspect_completions_api_request

_NO_PARAMETERS = {"type": "object", "properties": {}}


async def _ask_model(request: Json, model: str, bridge: AgentBridge) -> Json:
    # Both fields may be left out of a tool, and Inspect expects them.
    for tool in request.get("tools") or ():
        function = tool["function"]
        function.setdefault("description", function["name"])
        function.setdefault("parameters", _NO_PARAMETERS)
    request["tools"] = request.get("tools") or []
    completion = await inspect_completions_api_request(request, None, bridge)
    return completion.model_dump(mode="json", warnings=False)


def _stream_events_of_reply(request: Json, reply: Json) -> Iterator[bytes]:
    chunk_fields = {name: reply[name] for name in ("id", "created", "model")} | {"object": "chat.completion.chunk"}

    def chunk(index: int, delta: Json, finish: str | None = None) -> bytes:
        return server_sent_event(
            {**chunk_fields, "choices": [{"index": index, "delta": delta, "finish_reason": finish}]}
        )

    for choice in reply["choices"]:
        choice_index, message = choice["index"], without_null_fields(choice["message"])
        calls, text = message.pop("tool_calls", []), message.pop("content", "")
        yield chunk(choice_index, {**message, "content": ""})
        if text:
            yield chunk(choice_index, {"content": text})
        for number, call in enumerate(calls):
            yield from (chunk(choice_index, {"tool_calls": [part]}) for part in _streamed_call_parts(number, call))
        yield chunk(choice_index, {}, choice["finish_reason"])
    if (request.get("stream_options") or {}).get("include_usage"):
        yield server_sent_event({**chunk_fields, "choices": [], "usage": reply.get("usage")})
    yield b"data: [DONE]\n\n"


def _streamed_call_parts(number: int, tool_call: dict[str, Any]) -> Iterator[Json]:
    """A call of a tool as it is streamed: the name, then the arguments."""
    function = tool_call["function"]
    function_fields = {"name": function["name"], "arguments": ""}
    yield {"index": number, "id": tool_call["id"], "type": "function", "function": function_fields}
    yield {"index": number, "function": {"arguments": function["arguments"]}}


def refusal_json(status: int, message: str) -> Json:
    """A refusal in OpenAI's form, which both of its protocols share."""
    kind = "invalid_request_error" if status < 500 else "server_error"
    return {"error": {"message": message, "type": kind, "param": None, "code": None}}


OPENAI_CHAT = BridgeDialect("openai-chat", _ask_model, _stream_events_of_reply, refusal_json)
