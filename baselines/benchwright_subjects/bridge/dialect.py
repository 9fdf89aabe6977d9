"""A protocol in which programs ask a model over HTTP."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from benchwright_subjects.inspect_private import AgentBridge

Json = dict[str, Any]
"""A request or a reply as its protocol has it; Inspect's translation reads and checks it."""


@dataclass(frozen=True)
class BridgeDialect:
    """One protocol. Inspect translates requests and whole replies; what is ours is how a reply is streamed."""

    name: str
    ask_model: Callable[[Json, str, AgentBridge], Awaitable[Json]]
    """Has the model answer: the request, the model's name in the address or empty, the bridge."""
    stream_events: Callable[[Json, Json], Iterator[bytes]]
    """A reply as server-sent events: the request, the reply."""
    error: Callable[[int, str], Json]
    """Form of a refusal: HTTP status, message."""


def server_sent_event(content: Mapping[str, Any], name: str = "") -> bytes:
    """One server-sent event."""
    data_json = json.dumps(content, separators=(",", ":"))
    return (f"event: {name}\n" if name else "").encode() + f"data: {data_json}\n\n".encode()


def without_null_fields(content: Mapping[str, Any]) -> Json:
    """The fields that have a value."""
    return {name: value for name, value in content.items() if value is not None}
