"""Origin by an accepted proposal: a completion provider was notified of it."""

from __future__ import annotations

from benchwright_attempts.attribution.method import EditFacts, EventsAboutEdit, OriginFinding, origin_finding
from benchwright_attempts.attribution.origin import OWN_PROVIDER, EditOrigin
from benchwright_attempts.attribution_method import AttributionMethod
from benchwright_attempts.events.evidence import AssistAccepted


def origin_by_acceptance(_edit: EditFacts, known_events: EventsAboutEdit) -> OriginFinding | None:
    """The provider whose completion was accepted, and whether as a whole."""
    acceptance = known_events.get(AssistAccepted)
    if not isinstance(acceptance, AssistAccepted):
        return None
    if acceptance.provider == OWN_PROVIDER:
        origin = EditOrigin.OWN_COMPLETION
    else:
        origin = EditOrigin.COMPLETION_PART if acceptance.partial else EditOrigin.COMPLETION
    return origin_finding(origin, AttributionMethod.OWN_PROVIDER)
