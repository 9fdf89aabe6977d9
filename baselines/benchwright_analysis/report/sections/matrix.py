"""Tables of means with intervals: a row for each group, a column for each kind of problem."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.section import Cell, SortableTable, TableNumber, counted, text_with_interval
from benchwright_analysis.statistics.crossed import CrossedEstimate, crossed_mean
from benchwright_analysis.statistics.success import mean_score_or_pass_share
from benchwright_judges.agreement.estimators import Estimate


def mean_over_problems(
    observations: Sequence[Observation],
    score_of: Callable[[Observation], float] = lambda observation: observation.passed,
) -> CrossedEstimate:
    """The mean over problems of the mean over attempts, so that each problem counts alike however often it was tried.

    Args:
        observations: At least one attempt.
        score_of: Score of an attempt, from 0 to 1.
    """
    values, cells = [float(score_of(observation)) for observation in observations], Dataset.crossed_cells(observations)
    attempt_counts = Counter(observation.problem for observation in observations)
    if len(set(attempt_counts.values())) == 1:
        return mean_score_or_pass_share(values, cells)
    return crossed_mean(values, cells, [1 / attempt_counts[observation.problem] for observation in observations])


def table_number_of_share(row_name: str, column_name: str, estimate: CrossedEstimate) -> TableNumber:
    """A number of a table, from the estimate of a mean of values from 0 to 1."""
    low, high = (None if end is None else min(1.0, max(0.0, end)) for end in (estimate.low, estimate.high))
    return TableNumber(row_name, column_name, estimate.attempts, estimate.problems, estimate.value, low, high)


def table_of_numbers(
    csv_name: str,
    title: str,
    table_numbers: Sequence[TableNumber],
    *,
    first_row_names: Sequence[str] = (),
    row_heading: str = "group",
    as_share: bool = True,
    note: str = "",
    unit: str = "question",
) -> SortableTable:
    """A table with a row and a column for each name that a figure has.

    Args:
        csv_name: Name of its CSV file.
        title: Title of the table.
        table_numbers: Its numbers; columns have the order in which they appear here.
        first_row_names: Rows that come first, in this order; the others follow as they appear.
        row_heading: Head of the first column.
        as_share: True if numbers are shares, shown in percent.
        note: Below the table.
        unit: Unit of the count in the head of a column whose figures all rest on equally many.
    """
    row_names = {figure.row for figure in table_numbers}
    rows = list(
        dict.fromkeys(
            [*(group for group in first_row_names if group in row_names), *(figure.row for figure in table_numbers)]
        )
    )
    columns = list(dict.fromkeys(figure.column for figure in table_numbers))
    figure_by_cell = {(figure.row, figure.column): figure for figure in table_numbers}
    cells: list[Sequence[Cell]] = [
        (row, *(_number_cell(figure_by_cell.get((row, name)), as_share=as_share) for name in columns)) for row in rows
    ]
    heads = [
        _column_heading(name, [figure for figure in table_numbers if figure.column == name], unit) for name in columns
    ]
    return SortableTable(title, (row_heading, *heads), cells, note, id=csv_name, figures=table_numbers)


def accuracy_by_label(
    observations_by_group: Mapping[str, Sequence[Observation]],
    label_of: Callable[[Observation], str],
    label_order: Sequence[str] = (),
    score_of: Callable[[Observation], float] = lambda observation: observation.passed,
) -> list[TableNumber]:
    """Accuracy of each group at each kind of problem.

    Args:
        observations_by_group: Group → attempts.
        label_of: The kind of an attempt's problem; attempts without one are left out.
        label_order: Kinds that come first; the others follow by name.
        score_of: Score of an attempt, from 0 to 1.
    """
    names = {label_of(observation) for rows in observations_by_group.values() for observation in rows} - {""}
    return [
        table_number_of_share(group, name, mean_over_problems(chosen, score_of))
        for name in [*(kind for kind in label_order if kind in names), *sorted(names - set(label_order))]
        for group, rows in observations_by_group.items()
        if (chosen := [observation for observation in rows if label_of(observation) == name])
    ]


def _number_cell(table_number_of_share: TableNumber | None, *, as_share: bool) -> Cell:
    return (
        None
        if table_number_of_share is None
        else text_with_interval(
            Estimate(value=table_number_of_share.value, low=table_number_of_share.low, high=table_number_of_share.high),
            as_share=as_share,
        )
    )


def _column_heading(column: str, column_numbers: Sequence[TableNumber], problem_noun: str) -> str:
    sizes = {figure.problems for figure in column_numbers}
    return f"{column}, {counted(sizes.pop(), problem_noun)}" if len(sizes) == 1 else column
