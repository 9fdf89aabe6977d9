"""Declarations of an event about itself: everything else in the program derives from them."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Annotated, ClassVar, Self

from pydantic import Field

from benchwright_attempts.actor import Actor, KnownActor
from benchwright_attempts.attribution_method import AttributionMethod
from benchwright_attempts.events.file_text import FilePath, FileText
from benchwright_attempts.state import Transitions
from benchwright_foundation.model import Model

Count = Annotated[int, Field(ge=0)]


class TextEffect(Enum):
    """Effect of an event on the files that a replay rebuilds."""

    NONE = "none"
    SETS = "sets"
    """It has the whole text of files: `contents`."""
    EDITS = "edits"
    """It is an `Edit`: `path`, and `changes` with their text."""
    CHECKS = "checks"
    """It is a `Save`: `path`, and `sha256` of the bytes on disk."""
    HIDES_FILE = "hides_file"
    """It is an `EditShape`: the text of the file at `path` is unknown from here on."""
    HIDES_ALL = "hides_all"
    """The text of every file is unknown from here on."""


class EditEvidence(Enum):
    """The edit that an event says something about; `attribution` uses it to find where the edit came from."""

    SAME_VERSION = "same_version"
    """The edit of the event's `path` and `version`, recorded before it or after it."""
    NEXT_EDIT = "next_edit"
    """The edit that follows: of the event's `path` if it has one, and made from its `version` if it has one."""


class EventPart(Model):
    """Base of events and of their parts: immutable, refuses unknown fields."""


class EventBody(EventPart):
    """Base of every type of event.

    A subclass has a docstring that says when it happens, a `type`, its fields with docstrings, and whichever of the
    declarations below differ for it.
    """

    transitions: ClassVar[Transitions | None] = None
    """States that allow it → state afterwards. `None`: any state before the end allows it, and it changes none."""
    holds_clock: ClassVar[bool] = False
    """True if the clock stops until an event that releases it."""
    releases_clock: ClassVar[bool] = False
    """True if nothing holds the clock any more afterwards."""
    is_activity: ClassVar[bool] = False
    """True if the solver causes it: time at work is counted between two such events."""
    text_effect: ClassVar[TextEffect] = TextEffect.NONE
    """Effect on the files of a replay."""
    evidence: ClassVar[EditEvidence | None] = None
    """The edit that it says something about, if any."""
    reveals_content: ClassVar[bool] = False
    """True if it shows what the solver did to which file. Recording level `timing` keeps only that it happened."""
    columns: ClassVar[Mapping[str, str]] = {}
    """Field → column of the report's table of events."""

    type: str
    """Name of the type in records."""

    def without_text(self) -> EventBody:
        """The part that the recording levels below `full` keep: the event without text of files or people."""
        return self

    def contents(self) -> Mapping[FilePath, FileText | None]:
        """Path → whole content of each file that the event sets; `None` if the file was deleted."""
        return {}


class Request(EventBody):
    """Base of what somebody asked for, or wrote as a whole: a start, a run, a hint, a submission."""

    actor: Actor | None = None
    """Who asked for it; None if that is not known, as in older logs, or if Benchwright did it by itself."""
    actor_known_by: AttributionMethod | None = None
    """How the actor is known."""

    def with_actor_if_missing(self, known_actor: KnownActor | None) -> Self:
        """The same with its actor, unless it has one already."""
        if known_actor is None or self.actor is not None:
            return self
        return self.model_copy(
            update={"actor": known_actor.actor, "actor_known_by": AttributionMethod(known_actor.method)}
        )
