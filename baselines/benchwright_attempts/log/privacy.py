"""What a recording level keeps of an event. The log applies it to everything it writes."""

from __future__ import annotations

from typing import cast

from benchwright_attempts.events.events import Event
from benchwright_attempts.events.evidence import Activity, Recording


def reduce(event: Event, level: Recording) -> Event:
    """The event with no more in it than the level allows, or the one that stands in for it.

    No event is dropped at any level: times of activity stay known, and numbers have no gap.
    """
    if level is Recording.FULL:
        return event
    if level is Recording.TIMING and event.reveals_content:
        return Activity(of=event.type)
    return cast("Event", event.without_text())
