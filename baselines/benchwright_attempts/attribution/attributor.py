"""Collects what the events of an attempt say about its edits, and labels each edit with an origin."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from benchwright_attempts.attribution.change_reason import origin_by_change_reason
from benchwright_attempts.attribution.edit_columns import EditColumns
from benchwright_attempts.attribution.heuristic import origin_by_edit_shape
from benchwright_attempts.attribution.method import EditFacts, OriginFinding, OriginMethod
from benchwright_attempts.attribution.origin import COMPLETIONS, EditOrigin
from benchwright_attempts.attribution.own_provider import origin_by_acceptance
from benchwright_attempts.attribution.wrapped_command import origin_by_preceding_command
from benchwright_attempts.events.event_body import EditEvidence, EventBody
from benchwright_attempts.events.events import Edit
from benchwright_attempts.events.evidence import AssistAccepted, EditShape
from benchwright_attempts.log.record import RecordedEvent, format_wall

CLASSIFIER = "2"
"""Version of the rules; every label has it. Increment it whenever a label could change."""

METHODS: list[OriginMethod] = [
    origin_by_change_reason,
    origin_by_acceptance,
    origin_by_preceding_command,
    origin_by_edit_shape,
]
"""Registered methods, the most reliable first: the first one that finds an origin decides. The last always does."""

_ANNOUNCED_FOR_S = 2.0
"""Seconds that an announcement waits for its edit, if no version connects the two."""


@dataclass(frozen=True, slots=True)
class Attribution:
    """The label of one edit."""

    seq: int
    """Number of the edit's event."""
    path: str
    version: int | None
    origin: EditOrigin
    method: str
    """Name of the method that found it."""
    inserted: int
    """Code points inserted."""
    deleted: int | None
    """Code points deleted; `None` if the whole text was replaced and its length is not in the event."""
    assist: str | None = None
    """Id of the proposal that was accepted."""
    classifier_version: str = CLASSIFIER


class Attributor:
    """Takes the edits of an attempt and the events that say something about them, in order."""

    def __init__(self) -> None:
        self.edits = EditColumns()
        self._events_by_type: dict[type[EventBody], dict[str, dict[int, EventBody]]] = {}
        self._announcement: tuple[EventBody, str] | None = None

    def add_evidence_of_edit(self, path: str, version: int, event: EventBody) -> None:
        """An event says something about the edit of this path and version."""
        by_path = self._events_by_type.get(type(event))
        if by_path is None:
            by_path = self._events_by_type[type(event)] = {}
        versions = by_path.get(path)
        if versions is None:
            versions = by_path[path] = {}
        versions[version] = event

    def add_evidence_of_next_edit(self, event: EventBody, announced_wall_time: str) -> None:
        """An event says something about the edit that follows.

        Args:
            event: `path` and `version`, if it has them, are those of the document before the edit.
            announced_wall_time: Time when it was recorded, as records write it.
        """
        self._announcement = (event, announced_wall_time)

    def add_edit(self, edit: EditFacts, wall_time: str) -> None:
        """One edit."""
        if self._announcement is not None and self._is_announced_by(*self._announcement, edit, wall_time):
            edit.announced_by, self._announcement = self._announcement[0], None
        self.edits.append(edit)

    def _is_announced_by(
        self, announcing_event: EventBody, announced_wall_time: str, edit: EditFacts, edit_wall_time: str
    ) -> bool:
        if getattr(announcing_event, "path", None) not in (None, edit.path):
            return False
        version = getattr(announcing_event, "version", None)
        if version is not None and edit.version is not None:
            return bool(edit.version == version + 1)
        delay_s = (datetime.fromisoformat(edit_wall_time) - datetime.fromisoformat(announced_wall_time)).total_seconds()
        return 0 <= delay_s <= _ANNOUNCED_FOR_S

    def findings(self) -> Iterator[OriginFinding]:
        """Origin of each edit, by all that is known now."""
        events_by_path: dict[str, list[tuple[type[EventBody], dict[int, EventBody]]]] = {}
        for kind, by_path in self._events_by_type.items():
            for path, versions in by_path.items():
                events_by_path.setdefault(path, []).append((kind, versions))
        for edit in self.edits:
            edit_version = -1 if edit.version is None else edit.version
            known_events = {
                kind: versions[edit_version]
                for kind, versions in events_by_path.get(edit.path, ())
                if edit_version in versions
            }
            if edit.announced_by is not None:
                known_events[type(edit.announced_by)] = edit.announced_by
            for method in METHODS:
                decision = method(edit, known_events)
                if decision is not None:
                    yield decision
                    break

    def acceptance_event_of(self, edit: EditFacts) -> AssistAccepted | None:
        """The acceptance that belongs to an edit."""
        version = -1 if edit.version is None else edit.version
        event = self._events_by_type.get(AssistAccepted, {}).get(edit.path, {}).get(version)
        return event if isinstance(event, AssistAccepted) else None


def attributions_of_edits(events: Iterable[RecordedEvent]) -> list[Attribution]:
    """Labels every edit of an attempt.

    Args:
        events: All events of one attempt in order. The editor's report on an edit may come before or after it.
    """
    attributor = Attributor()
    for recorded in events:
        add_edit_or_evidence(attributor, recorded)
    attributions: list[Attribution] = []
    for edit, edit_finding in zip(attributor.edits, attributor.findings(), strict=True):
        acceptance = attributor.acceptance_event_of(edit) if edit_finding.origin in COMPLETIONS else None
        assist = acceptance.assist if acceptance is not None else None
        attributions.append(
            Attribution(
                edit.seq,
                edit.path,
                edit.version,
                edit_finding.origin,
                edit_finding.method,
                edit.total,
                edit.deleted,
                assist,
            )
        )
    return attributions


def add_edit_or_evidence(attributor: Attributor, recorded_event: RecordedEvent) -> None:
    """Lets one event of an attempt's be taken: an edit, or what is said about one."""
    event = recorded_event.event
    if isinstance(event, Edit | EditShape):
        attributor.add_edit(_edit_facts(recorded_event.seq, event), format_wall(recorded_event.moment.wall))
    elif event.evidence is EditEvidence.NEXT_EDIT:
        attributor.add_evidence_of_next_edit(event, format_wall(recorded_event.moment.wall))
    elif event.evidence is EditEvidence.SAME_VERSION:
        path, version = getattr(event, "path", None), getattr(event, "version", None)
        if isinstance(path, str) and isinstance(version, int):
            attributor.add_evidence_of_edit(path, version, event)


def _edit_facts(seq: int, event: Edit | EditShape) -> EditFacts:
    shapes = [change.shape for change in event.changes] if isinstance(event, Edit) else event.changes
    spans = [None if shape.start is None or shape.end is None else shape.end - shape.start for shape in shapes]
    deleted = None if None in spans else sum(span for span in spans if span is not None)
    inserted = [shape.length for shape in shapes]
    return EditFacts(
        seq, event.path, event.version, inserted, [shape.lines for shape in shapes], sum(inserted), deleted
    )
