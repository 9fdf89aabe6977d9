"""Events as the database has them: JSON strings, of which only the fields that are needed are read.

Reading every event as a model takes minutes for millions of them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from benchwright_attempts.events.event_body import EventBody
from benchwright_attempts.events.events import EVENT_TYPES
from benchwright_foundation.json_text import read_json

_VERSION = ',"version":'


def parse_event(value: dict[str, Any]) -> EventBody:
    """The event as a model.

    Raises:
        ValueError: The event does not fit its type.
        KeyError: Its type is unknown.
    """
    return EVENT_TYPES.classes[value["type"]].model_validate(value)


def about_edit(body: str) -> tuple[EventBody, str, int | None]:
    """An event that says something about one edit, with the edit's path and version.

    The version of the model is of no use: it is the same object for all events that differ in the version only.

    Raises:
        ValueError: The event does not fit its type.
    """
    # The version is the last key, and the editor says the same of most edits: each kind of event is read once.
    body_start, separator, version = body.rpartition(_VERSION)
    if separator and version[:-1].isdecimal():
        event, path = _body_and_version(body_start)
        return event, path, int(version[:-1])
    event = parse_event(read_json(body))
    return event, _path(event), None


@lru_cache(maxsize=4096)
def _body_and_version(body_start: str) -> tuple[EventBody, str]:
    event = parse_event(read_json(f"{body_start}{_VERSION}0}}"))
    return event, _path(event)


def _path(event: EventBody) -> str:
    return str(getattr(event, "path", ""))
