"""Origin by an accepted proposal: a completion provider was notified of it."""

from __future__ import annotations

from benchwright_attempts.attribution.method import EditFacts, Finding, KnownOfEdit, finding
from benchwright_attempts.attribution.origin import OWN_PROVIDER, Origin
from benchwright_attempts.attribution_method import AttributionMethod
from benchwright_attempts.events.evidence import AssistAccepted


def by_acceptance(_edit: EditFacts, known_events: KnownOfEdit) -> Finding | None:
    """The provider whose completion was accepted, and whether as a whole."""
    accepted = known_events.get(AssistAccepted)
    if not isinstance(accepted, AssistAccepted):
        return None
    if accepted.provider == OWN_PROVIDER:
        origin = Origin.OWN_COMPLETION
    else:
        origin = Origin.COMPLETION_PART if accepted.partial else Origin.COMPLETION
    return finding(origin, AttributionMethod.OWN_PROVIDER)
