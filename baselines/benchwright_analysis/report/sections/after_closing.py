"""Attempts that are no part of the closed study on which the report is: beside it, outside its digest."""

from __future__ import annotations

from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.exclusions import AFTER_CLOSING
from benchwright_analysis.report.section import Section, SortableTable
from benchwright_analysis.report.sections.outcomes import outcome_counts

_PARTS = ("attempts", "passed_ever", "passed_at_end", "undecided")


def after_closing_section(data: Dataset) -> Section | None:
    """Outcomes of these attempts, by group; None if there are none."""
    rows = [observation for observation in data.observations if AFTER_CLOSING in observation.excluded_by.split("; ")]
    if not rows:
        return None
    groups = {
        group: outcome_counts([observation for observation in rows if observation.group == group])
        for group in sorted({r.group for r in rows})
    }
    table = SortableTable(
        "How they ended",
        ("group", *(part.replace("_", " ") for part in _PARTS)),
        [(group, *(counts[part] for part in _PARTS)) for group, counts in groups.items()],
    )
    lead = (
        "These attempts are not part of the study as it was closed. Its digest does not cover them, and they are in no "
        "number of another section but the count of attempts left out."
    )
    return Section("after-closing", "After the study was closed", [lead], (), [table], {"groups": groups})
