"""Anthropic's messages: https://docs.anthropic.com/en/docs/build-with-claude/streaming."""

from __future__ import annotations

import json
from collections.abc import Iterator

from benchwright_subjects.bridge.dialect import Dialect, Json, event, present_fields
from benchwright_subjects.inspect_private import AgentBridge, inspect_anthropic_api_request

_KINDS = {
    400: "invalid_request_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
}


async def _answer(request: Json, model: str, bridge: AgentBridge) -> Json:
    message = await inspect_anthropic_api_request(request, None, None, None, bridge)
    return message.model_dump(mode="json", warnings=False)


def _events(request: Json, reply: Json) -> Iterator[bytes]:
    def stream_event(kind: str, **content: object) -> bytes:
        return event({"type": kind, **content}, kind)

    begun = reply | {"content": [], "stop_reason": None, "usage": reply["usage"] | {"output_tokens": 0}}
    yield stream_event("message_start", message=begun)
    for block_index, block in enumerate(reply["content"]):
        start, deltas = _streamed(present_fields(block))
        yield stream_event("content_block_start", index=block_index, content_block=start)
        for delta in deltas:
            yield stream_event("content_block_delta", index=block_index, delta=delta)
        yield stream_event("content_block_stop", index=block_index)
    ended = {"stop_reason": reply["stop_reason"], "stop_sequence": reply.get("stop_sequence")}
    yield stream_event("message_delta", delta=ended, usage=reply["usage"])
    yield stream_event("message_stop")


def _streamed(block: Json) -> tuple[Json, list[Json]]:
    """A block as it begins, and what follows."""
    match block["type"]:
        case "text":
            return block | {"text": ""}, [{"type": "text_delta", "text": block["text"]}]
        case "tool_use":
            return block | {"input": {}}, [{"type": "input_json_delta", "partial_json": json.dumps(block["input"])}]
        case "thinking":
            thought = {"type": "thinking_delta", "thinking": block["thinking"]}
            signed = {"type": "signature_delta", "signature": block.get("signature", "")}
            return block | {"thinking": "", "signature": ""}, [thought, signed]
        case _:
            return block, []


def _error(status: int, message: str) -> Json:
    kind = _KINDS.get(status, "invalid_request_error" if status < 500 else "api_error")
    return {"type": "error", "error": {"type": kind, "message": message}}


ANTHROPIC_MESSAGES = Dialect("anthropic-messages", _answer, _events, _error)
