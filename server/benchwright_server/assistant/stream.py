"""A reply of OpenAI's chat API that comes in pieces, as server-sent events.

data: {"choices": [{"delta": {"content": "Look at "}}]}
data: {"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 20}}
data: [DONE]
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO

_DONE = b"[DONE]"


class StreamFailedError(Exception):
    """The endpoint said in the middle of a reply that it can't go on."""


@dataclass(frozen=True)
class Streamed:
    """The whole reply."""

    text: str
    usage: object
    """As the endpoint gives it; None if it does not."""


def read_stream(events: BinaryIO, limit: int, hear: Callable[[str], None]) -> Streamed:
    """Read a reply to its end.

    Args:
        events: The body of the response.
        limit: Bytes that are read of it at most.
        hear: Called with the text so far after each piece; may raise to end it.

    Raises:
        StreamFailedError: The endpoint reported an error.
        ValueError: An event is not JSON.
        TypeError: An event is not of this API, and so are KeyError, IndexError and AttributeError.
    """
    text, usage, left = "", None, limit
    while left > 0 and (line := events.readline(left)):
        left -= len(line)
        name, _, content = line.strip().partition(b":")
        if name != b"data" or not content.strip():
            continue
        if content.strip() == _DONE:
            break
        event = json.loads(content)
        if event.get("error"):
            raise StreamFailedError
        usage = event.get("usage") or usage
        for choice in event.get("choices", ())[:1]:
            piece = choice["delta"].get("content")
            if isinstance(piece, str) and piece:
                text += piece
                hear(text)
    return Streamed(text, usage)
