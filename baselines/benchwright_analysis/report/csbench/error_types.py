"""Errors that lead to wrong choices, as judges name them (CS-Bench's figure 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchwright_analysis.report import charts
from benchwright_analysis.report.csbench.contestants import decided_labelled_observations, observations_by_contestant
from benchwright_analysis.report.fold import NamedErrors
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.section import Cell, Section, SectionPicture, SortableTable, TableNumber, counted
from benchwright_analysis.report.sections.matrix import mean_over_problems, table_number, table_of_numbers
from benchwright_foundation.number_text import number, percent
from benchwright_judges.agreement.error_types import ErrorType
from benchwright_judges.agreement.estimators import krippendorff_alpha


def error_types(data: Dataset) -> Section | None:
    """Shares of wrong choices by type of error; None if judges were not asked about any."""
    errors_by_attempt = {
        folded.observation.attempt: folded.errors for folded in data.counted_attempts if folded.errors is not None
    }
    choices = [
        observation
        for observation in decided_labelled_observations(data)
        if observation.format == "multiple-choice" and not observation.passed and observation.steps
    ]
    rows = [observation for observation in choices if observation.attempt in errors_by_attempt]
    if not rows:
        return None
    agreed = [observation for observation in rows if errors_by_attempt[observation.attempt].types]
    figures = _error_shares(agreed, errors_by_attempt)
    lead = [
        f"Judges named the errors in {counted(len(rows), 'wrong choice')} of {len(choices)} after which steps were "
        "asked for. An answer can have several types, so a row can exceed 100 %. A type counts if more than half of "
        f"the judges name it; of {counted(len(rows) - len(agreed), 'answer')} they agree on none, and these are in no "
        "share.",
    ]
    numbers = {
        "shares": figures,
        "classified": len(rows),
        "wrong": len(choices),
        "agreed_on_none": len(rows) - len(agreed),
    }
    pictures = [_error_shares_picture(figures)] if figures else []
    tables = _judge_agreement_tables(rows, errors_by_attempt)
    return Section("error-types", "Errors that lead to wrong choices", lead, pictures, tables, numbers)


def _error_shares(
    observations: Sequence[Observation], errors_by_attempt: Mapping[str, NamedErrors]
) -> list[TableNumber]:
    """A row for each contestant, and tag if there are several; a column for each type that occurs, and their kinds."""
    occurring = {name for observation in observations for name in errors_by_attempt[observation.attempt].types}
    types = [error_type for error_type in ErrorType if error_type.value in occurring]
    groups: dict[str, list[Observation]] = {}
    for contestant, contestant_rows in observations_by_contestant(observations).items():
        for tag in sorted({observation.tag for observation in contestant_rows}):
            groups[f"{tag.lower()}, {contestant.name}"] = [
                observation for observation in contestant_rows if observation.tag == tag
            ]
    figures = []
    for row, contestant_rows in groups.items():
        for kind in dict.fromkeys(error_type.kind for error_type in types if error_type is not ErrorType.OTHER):
            of_kind = {error_type.value for error_type in types if error_type.kind == kind}
            figures.append(_error_share(row, f"any of {kind}", contestant_rows, errors_by_attempt, of_kind))
        figures += [_error_share(row, name.value, contestant_rows, errors_by_attempt, {name.value}) for name in types]
    return figures


def _error_share(
    row_name: str,
    column_name: str,
    contestant_rows: Sequence[Observation],
    errors_by_attempt: Mapping[str, NamedErrors],
    error_types: set[str],
) -> TableNumber:
    """The share of wrong choices with an error of any of these types."""
    return table_number(
        row_name,
        column_name,
        mean_over_problems(
            contestant_rows, lambda observation: bool(error_types & {*errors_by_attempt[observation.attempt].types})
        ),
    )


def _judge_agreement_tables(
    observations: Sequence[Observation], errors_by_attempt: Mapping[str, NamedErrors]
) -> list[SortableTable]:
    """Agreement of two judges in naming errors, where several were asked."""
    judges = sorted({judge for observation in observations for judge in errors_by_attempt[observation.attempt].judges})
    judge_pairs = [
        (first_judge, second_judge) for index, first_judge in enumerate(judges) for second_judge in judges[index + 1 :]
    ]
    cells: list[Sequence[Cell]] = []
    for first_judge, second_judge in judge_pairs:
        shared_answers = [
            errors_by_attempt[observation.attempt].judges
            for observation in observations
            if {first_judge, second_judge} <= errors_by_attempt[observation.attempt].judges.keys()
        ]
        if shared_answers:
            same_count = sum({*answer[first_judge]} == {*answer[second_judge]} for answer in shared_answers)
            cells.append(
                (
                    first_judge,
                    second_judge,
                    len(shared_answers),
                    percent(same_count / len(shared_answers)),
                    _krippendorff_alpha_text(shared_answers, first_judge, second_judge),
                )
            )
    columns = ("judge", "other judge", "answers", "same types", "Krippendorff's alpha")
    note = "Alpha is of whether a type is named, over all types and answers."
    return [SortableTable("Judges of errors, compared", columns, cells, note)] if cells else []


def _krippendorff_alpha_text(
    types_by_judge_of_answers: Sequence[Mapping[str, tuple[str, ...]]], first_judge: str, second_judge: str
) -> str:
    import numpy as np

    ratings = np.array(
        [
            [float(name.value in answer[judge]) for answer in types_by_judge_of_answers for name in ErrorType]
            for judge in (first_judge, second_judge)
        ]
    )
    coefficient = krippendorff_alpha(ratings, "nominal")
    return number(None if np.isnan(coefficient) else coefficient)


def _error_shares_picture(table_numbers: Sequence[TableNumber]) -> SectionPicture:
    groups = list(dict.fromkeys(cell.row for cell in table_numbers))
    shown_groups = groups[: charts.MOST_GROUPS]
    rows: list[charts.Row] = [
        {"label": cell.column, "group": cell.row, "value": cell.value, "low": cell.low, "high": cell.high}
        for cell in table_numbers
        if cell.row in shown_groups
    ]
    summaries = []
    for group in shown_groups:
        group_cells = [cell for cell in table_numbers if cell.row == group and not cell.column.startswith("any of ")]
        top_figure = max(group_cells, key=lambda cell: cell.value or 0)
        summaries.append(f"{group}: most often {top_figure.column} ({percent(top_figure.value)})")
    svg = charts.interval_chart(rows, shown_groups, x_title="share of wrong choices", y_title="")
    left_out = charts.note_if_omitted(shown_groups, groups)
    alt = f"Shares of wrong choices with an error of each type. {'; '.join(summaries)}.{left_out}"
    table = table_of_numbers(
        "error-types", "Types of error, by tag", table_numbers, row_heading="tag, group", unit="wrong choice"
    )
    return SectionPicture("error-types", "Types of error in wrong choices", alt, svg, table)
