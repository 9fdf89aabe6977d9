"""Input and result of a method of attribution."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from benchwright_attempts.attribution.origin import EditOrigin
from benchwright_attempts.events.event_body import EventBody


@dataclass(slots=True)
class EditFacts:
    """One edit, with or without its text."""

    seq: int
    """Number of the edit's event."""
    path: str
    version: int | None
    """Version of the document after the edit."""
    inserted: Sequence[int]
    """Code points that each change inserted."""
    lines: Sequence[int]
    """Line ends that each change inserted."""
    total: int
    """Code points inserted by all changes."""
    deleted: int | None
    """Code points deleted; `None` if the whole text was replaced and its length is not in the event."""
    announced_by: EventBody | None = None
    """The event before it that announced the edit, such as a command."""


@dataclass(frozen=True, slots=True, eq=False)
class OriginFinding:
    """Finding of a method. There is one object for each combination: `finding` makes it."""

    origin: EditOrigin
    method: str
    """Name of the method."""


@lru_cache(maxsize=256)
def origin_finding(origin: EditOrigin, method: str) -> OriginFinding:
    """The one object for an origin and a method."""
    return OriginFinding(origin, str(method))


EventsAboutEdit = Mapping[type[EventBody], EventBody]
"""Other events that say something about an edit: class of an event → the event."""

OriginMethod = Callable[[EditFacts, EventsAboutEdit], OriginFinding | None]
"""Finds where an edit came from; `None` if this method can't tell."""
