"""The table of all attempts."""

from __future__ import annotations

from collections.abc import Sequence

from benchwright_analysis.report.dataset import Dataset
from benchwright_analysis.report.section import Cell, Section, Table

_LISTED = 1000


def attempts_table(data: Dataset) -> Section:
    """The attempts, up to a number that a browser can show."""
    rows: list[Sequence[Cell]] = [
        (
            one.attempt[:8],
            one.participant,
            one.title,
            one.group,
            round(one.time_s / 60, 2),
            (one.censored_by or "solved").replace("_", " "),
            one.score,
            one.runs,
            one.forecast_minutes,
            one.violation_rules.replace("_", " ") or "–",
            one.excluded_by.replace("_", " ") or "–",
        )
        for one in data.observations[:_LISTED]
    ]
    note = (
        f"The first {_LISTED:,} of {len(data.observations):,}; all are in attempts.csv."
        if len(data.observations) > _LISTED
        else ""
    )
    columns = ("attempt", "who", "problem", "group", "minutes", "end", "score", "runs", "forecast (min)")
    table = Table("All attempts", (*columns, "violations", "left out for"), rows, note, detail=True)
    return Section("attempts", "Attempts", (), (), (table,), in_json=False)
