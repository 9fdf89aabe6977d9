"""The same questions asked zero-shot, after solved ones, and with steps, side by side (CS-Bench's figure 6c)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchwright_analysis.report import charts
from benchwright_analysis.report.csbench.contestants import Contestant, answered_observations, by_contestant, score_of
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.section import (
    Cell,
    Section,
    SectionPicture,
    SortableTable,
    TableNumber,
    counted,
    interval_text,
    p_value,
)
from benchwright_analysis.report.sections.matrix import accuracy, table_number, table_of_numbers
from benchwright_analysis.statistics.crossed import CrossedEstimate, crossed_difference
from benchwright_foundation.number_text import number, percent

_Ways = Mapping[str, Sequence[Observation]]


def settings(data: Dataset) -> Section | None:
    """Scores by way to ask; None if no model was asked in two known ways."""
    ways_by_model: dict[str, dict[str, list[Observation]]] = {}
    rows = [
        observation
        for observation in answered_observations(data)
        if observation.shots is not None and observation.steps is not None and not observation.is_person
    ]
    for contestant, contestant_rows in by_contestant(rows).items():
        ways_by_model.setdefault(Contestant(contestant.group, contestant.language, "").name, {})[contestant.asked] = (
            contestant_rows
        )
    ways_by_model = {
        name: way_observations for name, way_observations in ways_by_model.items() if len(way_observations) > 1
    }
    if not ways_by_model:
        return None
    figures: list[TableNumber] = []
    differences: dict[str, dict[str, CrossedEstimate]] = {}
    notices = []
    for name, way_observations in ways_by_model.items():
        shared_observations = _shared_observations(way_observations)
        if not shared_observations:
            notices.append(f"{name}: no question was asked in every way.")
            continue
        figures += [
            table_number(name, way, accuracy(way_rows, score_of)) for way, way_rows in shared_observations.items()
        ]
        first_way, *other_ways = shared_observations
        differences[name] = {
            way: _difference(shared_observations[first_way], shared_observations[way]) for way in other_ways
        }
    lead = [
        "Only questions that a model was asked in each of its ways, so that the columns differ in nothing else. "
        "Differences are from the first way in the table, question by question.",
        *notices,
    ]
    if not figures:
        return Section("settings", "Ways to ask", empty_reason=" ".join(notices))
    table = table_of_numbers("settings", "Score by way to ask", figures, row_heading="model")
    tables = [_differences_table(ways_by_model, differences)]
    numbers = {"scores": figures, "differences": differences}
    return Section("settings", "Ways to ask: examples and steps", lead, [_picture(figures, table)], tables, numbers)


def _shared_observations(way_observations: _Ways) -> dict[str, list[Observation]]:
    """The attempts at questions that were asked in every way."""
    common = set.intersection(
        *({observation.problem for observation in way_rows} for way_rows in way_observations.values())
    )
    return (
        {
            way: [observation for observation in way_rows if observation.problem in common]
            for way, way_rows in way_observations.items()
        }
        if common
        else {}
    )


def _difference(
    first_observations: Sequence[Observation], second_observations: Sequence[Observation]
) -> CrossedEstimate:
    rows = [*first_observations, *second_observations]
    is_from_second = [False] * len(first_observations) + [True] * len(second_observations)
    return crossed_difference([score_of(observation) for observation in rows], is_from_second, Dataset.cells(rows))


def _differences_table(
    ways_by_model: Mapping[str, _Ways], differences: Mapping[str, Mapping[str, CrossedEstimate]]
) -> SortableTable:
    rows: list[Sequence[Cell]] = [
        (
            name,
            f"{way} – {next(iter(ways_by_model[name]))}",
            difference.problems,
            f"{number(100 * difference.value, 1)} ({_points_text(difference)})",
            p_value(difference.p_value),
        )
        for name, way_differences in differences.items()
        for way, difference in way_differences.items()
    ]
    columns = ("model", "ways", "questions", "difference in points (95 % interval)", "p")
    return SortableTable(
        "Differences between ways to ask", columns, rows, "p is not corrected for the number of comparisons."
    )


def _points_text(difference: CrossedEstimate) -> str:
    low, high = (None if end is None else 100 * end for end in (difference.low, difference.high))
    return interval_text(low, high, digits=1)


def _picture(table_numbers: Sequence[TableNumber], table: SortableTable) -> SectionPicture:
    shown_ways = list(dict.fromkeys(cell.column for cell in table_numbers))[: charts.MOST_GROUPS]
    rows: list[charts.Row] = [
        {"label": cell.row, "group": cell.column, "value": cell.value, "low": cell.low, "high": cell.high}
        for cell in table_numbers
        if cell.column in shown_ways
    ]
    summary = "; ".join(f"{cell.row}, {cell.column}: {percent(cell.value)}" for cell in table_numbers[:12])
    models = len({cell.row for cell in table_numbers})
    alt = f"Mean scores of {counted(models, 'model')} with intervals. {summary}."
    return SectionPicture(
        "settings",
        "Score by way to ask",
        alt,
        charts.intervals(rows, shown_ways, x_title="mean score", y_title=""),
        table,
    )
