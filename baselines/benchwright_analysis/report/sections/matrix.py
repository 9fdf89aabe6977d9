"""Tables of means with intervals: a row for each group, a column for each kind of problem."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.section import Cell, SortableTable, TableFigure, counted, text_with_interval
from benchwright_analysis.statistics.crossed import CrossedEstimate, crossed_mean
from benchwright_analysis.statistics.success import mean_score_with_interval
from benchwright_judges.agreement.estimators import Estimate


def accuracy(
    rows: Sequence[Observation], score_of: Callable[[Observation], float] = lambda observation: observation.passed
) -> CrossedEstimate:
    """The mean over problems of the mean over attempts, so that each problem counts alike however often it was tried.

    Args:
        rows: At least one attempt.
        score_of: Score of an attempt, from 0 to 1.
    """
    values, cells = [float(score_of(observation)) for observation in rows], Dataset.cells(rows)
    attempt_counts = Counter(observation.problem for observation in rows)
    if len(set(attempt_counts.values())) == 1:
        return mean_score_with_interval(values, cells)
    return crossed_mean(values, cells, [1 / attempt_counts[observation.problem] for observation in rows])


def table_figure(row: str, column: str, estimate: CrossedEstimate) -> TableFigure:
    """A number of a table, from the estimate of a mean of values from 0 to 1."""
    low, high = (None if end is None else min(1.0, max(0.0, end)) for end in (estimate.low, estimate.high))
    return TableFigure(row, column, estimate.attempts, estimate.problems, estimate.value, low, high)


def figure_table(
    id: str,
    title: str,
    figures: Sequence[TableFigure],
    *,
    groups: Sequence[str] = (),
    rows_are: str = "group",
    as_share: bool = True,
    note: str = "",
    unit: str = "question",
) -> SortableTable:
    """A table with a row and a column for each name that a figure has.

    Args:
        id: Name of its CSV file.
        title: Title of the table.
        figures: Its numbers; columns have the order in which they appear here.
        groups: Rows that come first, in this order; the others follow as they appear.
        rows_are: Head of the first column.
        as_share: True if numbers are shares, shown in percent.
        note: Below the table.
        unit: Unit of the count in the head of a column whose figures all rest on equally many.
    """
    row_names = {figure.row for figure in figures}
    rows = list(
        dict.fromkeys([*(group for group in groups if group in row_names), *(figure.row for figure in figures)])
    )
    columns = list(dict.fromkeys(figure.column for figure in figures))
    figure_by_cell = {(figure.row, figure.column): figure for figure in figures}
    cells: list[Sequence[Cell]] = [
        (row, *(_cell(figure_by_cell.get((row, name)), as_share=as_share) for name in columns)) for row in rows
    ]
    heads = [_head(name, [figure for figure in figures if figure.column == name], unit) for name in columns]
    return SortableTable(title, (rows_are, *heads), cells, note, id=id, figures=figures)


def accuracy_by_label(
    groups: Mapping[str, Sequence[Observation]],
    label: Callable[[Observation], str],
    order: Sequence[str] = (),
    score_of: Callable[[Observation], float] = lambda observation: observation.passed,
) -> list[TableFigure]:
    """Accuracy of each group at each kind of problem.

    Args:
        groups: Group → attempts.
        label: The kind of an attempt's problem; attempts without one are left out.
        order: Kinds that come first; the others follow by name.
        score_of: Score of an attempt, from 0 to 1.
    """
    names = {label(observation) for rows in groups.values() for observation in rows} - {""}
    return [
        table_figure(group, name, accuracy(chosen, score_of))
        for name in [*(kind for kind in order if kind in names), *sorted(names - set(order))]
        for group, rows in groups.items()
        if (chosen := [observation for observation in rows if label(observation) == name])
    ]


def _cell(figure: TableFigure | None, *, as_share: bool) -> Cell:
    return (
        None
        if figure is None
        else text_with_interval(Estimate(value=figure.value, low=figure.low, high=figure.high), as_share=as_share)
    )


def _head(name: str, figures: Sequence[TableFigure], unit: str) -> str:
    sizes = {figure.problems for figure in figures}
    return f"{name}, {counted(sizes.pop(), unit)}" if len(sizes) == 1 else name
