"""The same questions asked zero-shot, after solved ones, and with steps, side by side (CS-Bench's figure 6c)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchwright_analysis.report import charts
from benchwright_analysis.report.csbench.contestants import (
    Contestant,
    decided_observations_with_domain_labels,
    observations_by_contestant,
    score_or_0,
)
from benchwright_analysis.report.csbench.model_pairs import DIFFERENCE_COLUMNS, difference_cells
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.section import (
    Cell,
    Section,
    SectionPicture,
    SortableTable,
    TableNumber,
    counted,
)
from benchwright_analysis.report.sections.matrix import mean_over_problems, table_number_of_share, table_of_numbers
from benchwright_analysis.statistics.crossed import CrossedEstimate, crossed_difference
from benchwright_foundation.number_text import percent

_Ways = Mapping[str, Sequence[Observation]]


def asking_ways_section(data: Dataset) -> Section | None:
    """Scores by way to ask; None if no model was asked in two known ways."""
    ways_by_model: dict[str, dict[str, list[Observation]]] = {}
    rows = [
        observation
        for observation in decided_observations_with_domain_labels(data)
        if observation.shots is not None and observation.steps is not None and not observation.is_person
    ]
    for contestant, contestant_rows in observations_by_contestant(rows).items():
        ways_by_model.setdefault(Contestant(contestant.group, contestant.language, "").name, {})[contestant.asked] = (
            contestant_rows
        )
    ways_by_model = {
        name: way_observations for name, way_observations in ways_by_model.items() if len(way_observations) > 1
    }
    if not ways_by_model:
        return None
    figures: list[TableNumber] = []
    differences_by_model: dict[str, dict[str, CrossedEstimate]] = {}
    notices = []
    for name, way_observations in ways_by_model.items():
        shared_observations = _at_shared_questions(way_observations)
        if not shared_observations:
            notices.append(f"{name}: no question was asked in every way.")
            continue
        figures += [
            table_number_of_share(name, way, mean_over_problems(way_rows, score_or_0))
            for way, way_rows in shared_observations.items()
        ]
        first_way, *other_ways = shared_observations
        differences_by_model[name] = {
            way: _score_difference(shared_observations[first_way], shared_observations[way]) for way in other_ways
        }
    lead = [
        "Only questions that a model was asked in each of its ways, so that the columns differ in nothing else. "
        "Differences are from the first way in the table, question by question.",
        *notices,
    ]
    if not figures:
        return Section("settings", "Ways to ask", empty_reason=" ".join(notices))
    table = table_of_numbers("settings", "Score by way to ask", figures, row_heading="model")
    tables = [_differences_table(ways_by_model, differences_by_model)]
    numbers = {"scores": figures, "differences": differences_by_model}
    return Section(
        "settings", "Ways to ask: examples and steps", lead, [_scores_by_way_picture(figures, table)], tables, numbers
    )


def _at_shared_questions(observations_by_way: _Ways) -> dict[str, list[Observation]]:
    """The attempts at questions that were asked in every way."""
    common = set.intersection(
        *({observation.problem for observation in way_rows} for way_rows in observations_by_way.values())
    )
    return (
        {
            way: [observation for observation in way_rows if observation.problem in common]
            for way, way_rows in observations_by_way.items()
        }
        if common
        else {}
    )


def _score_difference(
    baseline_observations: Sequence[Observation], compared_observations: Sequence[Observation]
) -> CrossedEstimate:
    rows = [*baseline_observations, *compared_observations]
    is_from_second = [False] * len(baseline_observations) + [True] * len(compared_observations)
    return crossed_difference(
        [score_or_0(observation) for observation in rows], is_from_second, Dataset.crossed_cells(rows)
    )


def _differences_table(
    ways_by_model: Mapping[str, _Ways], differences_by_model: Mapping[str, Mapping[str, CrossedEstimate]]
) -> SortableTable:
    rows: list[Sequence[Cell]] = [
        (
            name,
            f"{way} – {next(iter(ways_by_model[name]))}",
            *difference_cells(difference),
        )
        for name, way_differences in differences_by_model.items()
        for way, difference in way_differences.items()
    ]
    columns = ("model", "ways", *DIFFERENCE_COLUMNS)
    return SortableTable(
        "Differences between ways to ask", columns, rows, "p is not corrected for the number of comparisons."
    )


def _scores_by_way_picture(table_numbers: Sequence[TableNumber], table: SortableTable) -> SectionPicture:
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
        charts.interval_chart(rows, shown_ways, x_title="mean score", y_title=""),
        table,
    )
