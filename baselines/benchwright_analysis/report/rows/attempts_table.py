"""The table of all attempts."""

from __future__ import annotations

from collections.abc import Sequence

from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.section import Cell, Section, SortableTable
from benchwright_attempts.standing import Standing

_LISTED = 1000


def attempts_section(data: Dataset) -> Section:
    """The attempts, up to a number that a browser can show."""
    rows: list[Sequence[Cell]] = [
        (
            observation.attempt[:8],
            observation.participant,
            observation.title,
            observation.group,
            None if observation.time_s is None else round(observation.time_s / 60, 2),
            observation.time_source,
            _standing_text(observation),
            observation.score,
            observation.runs,
            observation.forecast_minutes,
            observation.violation_rules.replace("_", " ") or "–",
            observation.excluded_by.replace("_", " ") or "–",
        )
        for observation in data.observations[:_LISTED]
    ]
    note = (
        f"The first {_LISTED:,} of {len(data.observations):,}; all are in attempts.csv."
        if len(data.observations) > _LISTED
        else ""
    )
    columns = ("attempt", "who", "problem", "group", "minutes", "time from", "state", "score", "runs", "forecast (min)")
    table = SortableTable("All attempts", (*columns, "violations", "left out for"), rows, note, detail=True)
    return Section("attempts", "Attempts", (), (), (table, *_hints_table_if_any(data)), is_in_json=False)


def _standing_text(observation: Observation) -> str:
    """The attempt's standing as every page has it; of a row from a table, how it ended."""
    if not observation.standing:
        return (observation.censored_by or "passed").replace("_", " ")
    standing = Standing(observation.standing)
    earlier_pass = ", had passed" if observation.passed and standing is not Standing.PASSED else ""
    return f"{standing.sign} {standing.value}{earlier_pass}"


def _hints_table_if_any(data: Dataset) -> Sequence[SortableTable]:
    """Hints by problem and condition, if any were taken."""
    hinted_attempts: dict[tuple[str, str], list[Observation]] = {}
    for observation in data.observations:
        if observation.hints:
            hinted_attempts.setdefault((observation.title, observation.group), []).append(observation)
    if not hinted_attempts:
        return ()
    rows: list[Sequence[Cell]] = [
        (
            title,
            group,
            len(observations),
            sum(observation.hints for observation in observations),
            round(sum(observation.hints_cost for observation in observations) / len(observations), 3),
        )
        for (title, group), observations in sorted(hinted_attempts.items())
    ]
    columns = ("problem", "group", "attempts with hints", "hints", "mean cost (share of the points)")
    note = "Only attempts in which hints were taken; no outcome or time in this report is changed by their cost."
    return (SortableTable("Hints taken", columns, rows, note),)
