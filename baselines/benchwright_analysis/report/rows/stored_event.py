"""Events as the database has them: JSON strings, of which only the fields that are needed are read.

Reading every event as a model takes minutes for millions of them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from benchwright_attempts.events.event_body import EventBody
from benchwright_attempts.events.events import EVENT_TYPES
from benchwright_foundation.json_text import parse_untrusted_json

_VERSION = ',"version":'


def parse_event(event_fields: dict[str, Any]) -> EventBody:
    """The event as a model.

    Raises:
        ValueError: The event does not fit its type.
        KeyError: Its type is unknown.
    """
    return EVENT_TYPES.classes[event_fields["type"]].model_validate(event_fields)


def edit_evidence_with_version(event_json: str) -> tuple[EventBody, str, int | None]:
    """An event that says something about one edit, with the edit's path and version.

    The version of the model is of no use: it is the same object for all events that differ in the version only.

    Raises:
        ValueError: The event does not fit its type.
    """
    # The version is the last key, and the editor says the same of most edits: each kind of event is read once.
    body_start, separator, version = event_json.rpartition(_VERSION)
    if separator and version[:-1].isdecimal():
        event, path = _event_and_path(body_start)
        return event, path, int(version[:-1])
    event = parse_event(parse_untrusted_json(event_json))
    return event, _path_or_empty(event), None


@lru_cache(maxsize=4096)
def _event_and_path(json_before_version: str) -> tuple[EventBody, str]:
    event = parse_event(parse_untrusted_json(f"{json_before_version}{_VERSION}0}}"))
    return event, _path_or_empty(event)


def _path_or_empty(event: EventBody) -> str:
    return str(getattr(event, "path", ""))
