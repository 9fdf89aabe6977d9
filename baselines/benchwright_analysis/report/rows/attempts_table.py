"""The table of all attempts."""

from __future__ import annotations

from collections.abc import Sequence

from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
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
    return Section("attempts", "Attempts", (), (), (table, *_hints(data)), in_json=False)


def _hints(data: Dataset) -> Sequence[Table]:
    """Hints by problem and condition, if any were taken."""
    taken: dict[tuple[str, str], list[Observation]] = {}
    for one in data.observations:
        if one.hints:
            taken.setdefault((one.title, one.group), []).append(one)
    if not taken:
        return ()
    rows: list[Sequence[Cell]] = [
        (
            title,
            group,
            len(found),
            sum(one.hints for one in found),
            round(sum(one.hints_cost for one in found) / len(found), 3),
        )
        for (title, group), found in sorted(taken.items())
    ]
    columns = ("problem", "group", "attempts with hints", "hints", "mean cost (share of the points)")
    note = "Only attempts in which hints were taken; no outcome or time in this report is changed by their cost."
    return (Table("Hints taken", columns, rows, note),)
