"""Anthropic's messages: https://docs.anthropic.com/en/docs/build-with-claude/streaming."""

from __future__ import annotations

import json
from collections.abc import Iterator

from benchwright_subjects.bridge.dialect import BridgeDialect, Json, server_sent_event, without_null_fields
from benchwright_subjects.inspect_private import AgentBridge, inspect_anthropic_api_request

_KINDS = {
    400: "invalid_request_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
}


async def _ask_model(request: Json, model: str, bridge: AgentBridge) -> Json:
    api_message = await inspect_anthropic_api_request(request, None, None, None, bridge)
    return api_message.model_dump(mode="json", warnings=False)


def _stream_events_of_reply(request: Json, reply: Json) -> Iterator[bytes]:
    def stream_event(kind: str, **event_fields: object) -> bytes:
        return server_sent_event({"type": kind, **event_fields}, kind)

    begun_reply = reply | {"content": [], "stop_reason": None, "usage": reply["usage"] | {"output_tokens": 0}}
    yield stream_event("message_start", message=begun_reply)
    for block_index, block in enumerate(reply["content"]):
        begun_block, deltas = _begun_block_and_deltas(without_null_fields(block))
        yield stream_event("content_block_start", index=block_index, content_block=begun_block)
        for delta in deltas:
            yield stream_event("content_block_delta", index=block_index, delta=delta)
        yield stream_event("content_block_stop", index=block_index)
    stop_fields = {"stop_reason": reply["stop_reason"], "stop_sequence": reply.get("stop_sequence")}
    yield stream_event("message_delta", delta=stop_fields, usage=reply["usage"])
    yield stream_event("message_stop")


def _begun_block_and_deltas(content_block: Json) -> tuple[Json, list[Json]]:
    """A block as it begins, and what follows."""
    match content_block["type"]:
        case "text":
            return content_block | {"text": ""}, [{"type": "text_delta", "text": content_block["text"]}]
        case "tool_use":
            return content_block | {"input": {}}, [
                {"type": "input_json_delta", "partial_json": json.dumps(content_block["input"])}
            ]
        case "thinking":
            thought = {"type": "thinking_delta", "thinking": content_block["thinking"]}
            signed = {"type": "signature_delta", "signature": content_block.get("signature", "")}
            return content_block | {"thinking": "", "signature": ""}, [thought, signed]
        case _:
            return content_block, []


def _refusal_json(status: int, message: str) -> Json:
    kind = _KINDS.get(status, "invalid_request_error" if status < 500 else "api_error")
    return {"type": "error", "error": {"type": kind, "message": message}}


ANTHROPIC_MESSAGES = BridgeDialect("anthropic-messages", _ask_model, _stream_events_of_reply, _refusal_json)
