"""Routes of requests to their protocols."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import parse_qs, unquote

from benchwright_subjects.bridge.anthropic_messages import ANTHROPIC_MESSAGES
from benchwright_subjects.bridge.dialect import BridgeDialect, Json
from benchwright_subjects.bridge.gemini import GEMINI
from benchwright_subjects.bridge.openai_chat import OPENAI_CHAT
from benchwright_subjects.bridge.openai_responses import OPENAI_RESPONSES

MODEL = "inspect"
"""The name of the one model that there is; others are taken for it."""
MODELS: Json = {
    "object": "list",
    "data": [{"id": MODEL, "object": "model", "type": "model", "created": 0, "owned_by": "benchwright"}],
    "models": [{"name": f"models/{MODEL}", "supportedGenerationMethods": ["generateContent"]}],
    "has_more": False,
}
"""The list of models, as every protocol reads it."""
_POSTS = (
    (re.compile(r"(?:/v1)?/chat/completions"), OPENAI_CHAT),
    (re.compile(r"(?:/v1)?/responses"), OPENAI_RESPONSES),
    (re.compile(r"/v1/messages"), ANTHROPIC_MESSAGES),
    (re.compile(r"/v1(?:alpha|beta)?/models/(?P<model>[^/]+):(?P<how>generateContent|streamGenerateContent)"), GEMINI),
)
_LISTS = re.compile(r"(?:/v1(?:alpha|beta)?)?/models")


@dataclass(frozen=True)
class Route:
    """Route of a request for an answer."""

    dialect: BridgeDialect
    model: str = ""
    """As the address names it; empty if the request does."""
    streams: bool | None = None
    """True if the reply is streamed; None if the request says so."""
    as_list: bool = False
    """True if a streamed reply is a JSON list, not server-sent events."""


def route_of_post(path: str, query: str) -> Route | None:
    """The protocol of a request for an answer; None if there is no such address."""
    for pattern, dialect in _POSTS:
        if match := pattern.fullmatch(path):
            path_parts = match.groupdict()
            if "how" not in path_parts:
                return Route(dialect)
            streams = path_parts["how"] == "streamGenerateContent"
            as_list = streams and parse_qs(query).get("alt") != ["sse"]
            return Route(dialect, unquote(path_parts["model"]), streams, as_list)
    return None


def is_model_list_path(path: str) -> bool:
    """True if a GET of this path asks which models there are."""
    return _LISTS.fullmatch(path) is not None


def refusal_dialect(path: str) -> BridgeDialect:
    """Dialect whose form a refusal has, also where there is no such address."""
    matched_route = route_of_post(path, "")
    if matched_route is not None:
        return matched_route.dialect
    return GEMINI if "beta" in path else ANTHROPIC_MESSAGES if path.startswith("/v1/messages") else OPENAI_CHAT
