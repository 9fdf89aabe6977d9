"""What of an event may be kept at a study's recording level. The log applies it to everything it writes."""

from __future__ import annotations

from benchwright_attempts.events import Edit, Event, Paused, Save, TextSet
from benchwright_attempts.evidence import (
    Activity,
    AssistAccepted,
    AssistRejected,
    AssistShown,
    CommandUsed,
    EditReason,
    EditShape,
    Recording,
    SelfEstimate,
    ShapeOfChange,
)

_METADATA_KEPT = ("kind", "name", "source", "providerId", "extensionId", "extensionVersion", "type", "mode")
"""Of what an editor says about an edit's reason: names of features; the rest may quote text."""


def reduce(event: Event, level: Recording) -> Event:
    """The event with no more in it than the level allows, or one that stands in its place.

    No event goes missing at any level, so that times of activity stay known and numbers have no gap.
    """
    if level is Recording.FULL:
        return event
    if level is Recording.TIMING and event.type in _CONTENT:
        return Activity(of=event.type)
    match event:
        case Edit():
            return EditShape(path=event.path, version=event.version, changes=_shapes(event))
        case TextSet(file=file) if file is not None:
            return event.model_copy(update={"file": file.model_copy(update={"text": None})})
        case AssistShown():
            return event.model_copy(update={"text": None})
        case EditReason():
            kept = {name: value for name, value in event.metadata.items() if name in _METADATA_KEPT}
            return event.model_copy(update={"metadata": kept})
        case Paused() if event.reason is not None and event.reason not in _OWN_REASONS:
            return event.model_copy(update={"reason": "(not recorded)"})
        case SelfEstimate():
            return event.model_copy(update={"help_note": ""})
        case _:
            return event


_CONTENT = frozenset(
    model.model_fields["type"].default
    for model in (Edit, TextSet, Save, AssistShown, AssistAccepted, AssistRejected, EditReason, CommandUsed)
) | {"diagnostics", "edit_shape"}
"""Kinds that tell what a person did to which file."""

_OWN_REASONS = frozenset({"the editor was closed"})


def _shapes(event: Edit) -> tuple[ShapeOfChange, ...]:
    return tuple(
        ShapeOfChange(start=change.start, end=change.end, length=len(change.text), lines=change.text.count("\n"))
        for change in event.changes
    )
