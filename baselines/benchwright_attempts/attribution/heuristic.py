"""Origin by the shape of the edit: an inference, used if nothing else is known."""

from __future__ import annotations

from benchwright_attempts.attribution.method import EditFacts, EventsAboutEdit, OriginFinding, origin_finding
from benchwright_attempts.attribution.origin import EditOrigin
from benchwright_attempts.attribution_method import AttributionMethod

_TYPED_AT_ONCE = 3
"""Code points that a keyboard inserts at a time: a key, a pair of brackets, a composed character."""
_PASTE_FROM = 20
"""From this many code points on, text that was inserted at once is taken for a paste."""


def origin_by_edit_shape(edit: EditFacts, _known_events: EventsAboutEdit) -> OriginFinding:
    """Keyboards insert little at a time, and never two lines."""
    if len(edit.inserted) == 1 and (edit.inserted[0] >= _PASTE_FROM or edit.lines[0] > 1):
        return _PASTED
    if all(count <= _TYPED_AT_ONCE for count in edit.inserted):
        return _TYPED
    return _UNKNOWN


_PASTED, _TYPED, _UNKNOWN = (
    origin_finding(origin, AttributionMethod.HEURISTIC)
    for origin in (EditOrigin.PASTE, EditOrigin.TYPED, EditOrigin.UNKNOWN)
)
