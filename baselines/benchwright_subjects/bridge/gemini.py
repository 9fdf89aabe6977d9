"""Gemini's generateContent: https://ai.google.dev/api/generate-content."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchwright_subjects.bridge.dialect import BridgeDialect, Json, server_sent_event
from benchwright_subjects.inspect_private import AgentBridge, inspect_google_api_request

_STATUS = {400: "INVALID_ARGUMENT", 404: "NOT_FOUND", 413: "INVALID_ARGUMENT", 429: "RESOURCE_EXHAUSTED"}


async def _ask_model(request: Json, model: str, bridge: AgentBridge) -> Json:
    for tool in request.get("tools") or ():
        for declared in tool.get("functionDeclarations") or ():
            if "parameters" in declared:
                declared["parameters"] = _with_lower_case_types(declared["parameters"])
    return await inspect_google_api_request(request, None, None, bridge, requested_model=model or None)


def _with_lower_case_types(schema: Any) -> Any:
    """A schema with the names of types as JSON Schema has them: Gemini's own are in upper case."""
    if isinstance(schema, list):
        return [_with_lower_case_types(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    lowered = {name: _with_lower_case_types(value) for name, value in schema.items()}
    if isinstance(lowered.get("type"), str):
        lowered["type"] = lowered["type"].lower()
    return lowered


def _stream_events_of_reply(request: Json, reply: Json) -> Iterator[bytes]:
    # Gemini streams replies that have the form of whole ones; one of them may be all.
    yield server_sent_event(reply)


def _refusal_json(status: int, message: str) -> Json:
    word = _STATUS.get(status, "INVALID_ARGUMENT" if status < 500 else "INTERNAL")
    return {"error": {"code": status, "message": message, "status": word}}


GEMINI = BridgeDialect("gemini", _ask_model, _stream_events_of_reply, _refusal_json)
