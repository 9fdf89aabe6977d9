"""Preregistration of a study: primary, secondary and exploratory results, and every deviation."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.section import Cell, Section, SortableTable
from benchwright_studies.plan.vocabulary import Population

_MEASURES: Mapping[str, tuple[str, ...]] = {
    "success": ("solved", "score"),
    "outcomes": ("solved",),
    "time": ("time",),
    "score-over-time": ("score",),
}
"""Section → the outcomes that its results describe."""
_OF_NO_RESULT = ("answer", "support", "populations", "preregistration", "attempts")
_TITLE = "Preregistration"
_PLANNED_BADGES = {
    "primary": "Primary outcome, preregistered; all else here is exploratory",
    "secondary": "Secondary outcome, preregistered; all else here is exploratory",
}
_PER_PROTOCOL_BADGES = {
    "primary": "Primary outcome, here per protocol: not the preregistered analysis",
    "secondary": "Secondary outcome, here per protocol",
}
_EXPLORATORY = "Exploratory: not preregistered"
_PER_PROTOCOL = (
    "These numbers are per protocol. Those by intention to treat, which the primary analysis is planned for, are in "
    "“The answer” and “Who counts”."
)


def preregistration_section(data: Dataset) -> Section:
    """The registration of a study."""
    study, registered = data.study, data.registration
    if study is None:
        return Section("preregistration", _TITLE, empty_reason="Attempts outside studies are exploratory.")
    if registered is None:
        notice = "The study was not preregistered, so every result of this report is exploratory."
        return Section("preregistration", _TITLE, empty_reason=notice)
    planned = registered.document.get("analysis")
    plan = planned if isinstance(planned, dict) else {}
    secondary = plan.get("secondary")
    rows: list[Sequence[Cell]] = [
        ("primary outcome", str(plan.get("primary"))),
        ("secondary outcomes", ", ".join(map(str, secondary)) if isinstance(secondary, list) and secondary else "none"),
        ("population of the primary analysis", str(plan.get("population"))),
        ("compared with", str(plan.get("baseline"))),
        ("hypothesis", str(plan.get("hypothesis") or "none")),
        ("all else", "exploratory"),
    ]
    lead = [
        f"Registered {registered.date[:16].replace('T', ' ')} UTC, before the first attempt. Digest of the document: "
        f"{registered.digest}.",
        "Deviations from the registration: " + (" ".join(registered.deviations) or "none."),
    ]
    numbers: dict[str, object] = {
        "digest": registered.digest,
        "document": dict(registered.document),
        "deviations": list(registered.deviations),
        "roles": {name: section_role(name, data) for name in _MEASURES},
    }
    table = SortableTable("What was registered", ("what", "registered"), rows)
    return Section("preregistration", _TITLE, lead, (), [table], numbers)


def section_role(section_id: str, data: Dataset) -> str:
    """Role of a section's results: `primary`, `secondary` or `exploratory`; empty for sections without results."""
    if section_id in _OF_NO_RESULT or data.study is None:
        return ""
    planned = data.study.analysis
    if data.registration is None or planned is None:
        return "exploratory"
    measures = _MEASURES.get(section_id, ())
    if planned.primary.value in measures:
        return "primary"
    return "secondary" if any(measure.value in measures for measure in planned.secondary) else "exploratory"


def with_role_and_population_note(section: Section, data: Dataset) -> Section:
    """The section with its role."""
    role = section_role(section.id, data)
    is_other = data.population is Population.INTENTION_TO_TREAT and any(
        observation.intended and not observation.is_analysed for observation in data.observations
    )
    if role not in _PLANNED_BADGES or section.is_empty:
        return dataclasses.replace(section, role=role, badge=_EXPLORATORY if role else "")
    if is_other:
        lead = (_PER_PROTOCOL, *section.lead)
        return dataclasses.replace(section, role=role, badge=_PER_PROTOCOL_BADGES[role], lead=lead)
    return dataclasses.replace(section, role=role, badge=_PLANNED_BADGES[role])
