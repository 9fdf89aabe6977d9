"""Errors that lead to wrong answers, as judges and people name them (CS-Bench's figure 7, and other sets of labels)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from benchwright_analysis.report import charts
from benchwright_analysis.report.csbench.contestants import (
    decided_observations_with_domain_labels,
    observations_by_contestant,
)
from benchwright_analysis.report.fold import NamedErrors
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.section import Cell, Section, SectionPicture, SortableTable, TableNumber, counted
from benchwright_analysis.report.sections.matrix import mean_over_problems, table_number_of_share, table_of_numbers
from benchwright_foundation.number_text import number, percent
from benchwright_judges.agreement.error_labels import csbench_error_labels
from benchwright_judges.agreement.estimators import krippendorff_alpha


def error_types_section(data: Dataset) -> Section | None:
    """Shares of wrong answers by type of error, for each set of labels; None if nobody was asked about any."""
    label_sets = sorted({name for folded in data.counted_attempts for name in folded.errors})
    shares_by_set = {name: shares for name in label_sets if (shares := _parts_of_label_set(data, name)) is not None}
    if not shares_by_set:
        return None
    csbench_shares = shares_by_set.pop(csbench_error_labels().name, None)
    parts = [part for part in (csbench_shares, *shares_by_set.values()) if part is not None]
    numbers = dict(csbench_shares.numbers) if csbench_shares is not None else {}
    if shares_by_set:
        numbers["sets"] = {name: shares.numbers for name, shares in shares_by_set.items()}
    return Section(
        "error-types",
        "Errors that lead to wrong answers",
        [sentence for part in parts for sentence in part.lead],
        [picture for part in parts for picture in part.pictures],
        [table for part in parts for table in part.tables],
        numbers,
    )


@dataclass(frozen=True)
class _LabelSetParts:
    """What the section has of one set of labels."""

    lead: Sequence[str]
    pictures: Sequence[SectionPicture]
    tables: Sequence[SortableTable]
    numbers: Mapping[str, object]


def _parts_of_label_set(data: Dataset, label_set: str) -> _LabelSetParts | None:
    """Shares by one set of labels; None if no wrong answer that counts has any."""
    errors_by_attempt = {
        folded.observation.attempt: folded.errors[label_set]
        for folded in data.counted_attempts
        if label_set in folded.errors
    }
    is_csbench = label_set == csbench_error_labels().name
    observations = decided_observations_with_domain_labels(data) if is_csbench else data.decided_observations
    wrong_observations = [
        observation
        for observation in observations
        if not observation.passed
        and (
            observation.format == "multiple-choice" and observation.steps
            if is_csbench
            else observation.attempt in errors_by_attempt
        )
    ]
    rows = [observation for observation in wrong_observations if observation.attempt in errors_by_attempt]
    if not rows:
        return None
    agreed = [observation for observation in rows if errors_by_attempt[observation.attempt].types]
    figures = _error_share_numbers(agreed, errors_by_attempt)
    corrected = [observation for observation in rows if errors_by_attempt[observation.attempt].types_by_person]
    wrong_answers = counted(len(rows), "wrong choice" if is_csbench else "wrong answer")
    of_wrong = (
        f" of {len(wrong_observations)} after which steps were asked for"
        if is_csbench
        else f" by the labels “{label_set}”"
    )
    lead = [
        f"Judges named the errors in {wrong_answers}{of_wrong}. An answer can have several types, so a row can exceed "
        "100 %. A type counts if more than half of the judges name it, or a person who corrects them does; of "
        f"{counted(len(rows) - len(agreed), 'answer')} they agree on none, and these are in no share. People corrected "
        f"or confirmed {len(corrected)}.",
    ]
    numbers = {
        "shares": figures,
        "classified": len(rows),
        "wrong": len(wrong_observations),
        "agreed_on_none": len(rows) - len(agreed),
        "corrected": len(corrected),
        "judges_against_people": _people_agreement_by_judge(corrected, errors_by_attempt),
    }
    name = "error-types" if is_csbench else f"error-types-{label_set}"
    pictures = [_error_shares_picture(name, figures)] if figures else []
    return _LabelSetParts(lead, pictures, _judge_agreement_tables(rows, errors_by_attempt), numbers)


def _people_agreement_by_judge(
    corrected_observations: Sequence[Observation], errors_by_attempt: Mapping[str, NamedErrors]
) -> Mapping[str, float]:
    """Judge → share of the answers that a person labelled on which it names the same."""
    hits: dict[str, list[bool]] = {}
    for observation in corrected_observations:
        named_errors = errors_by_attempt[observation.attempt]
        for judge, types in named_errors.judges.items():
            hits.setdefault(judge, []).append({*types} == {*named_errors.types})
    return {judge: fmean(agreements) for judge, agreements in sorted(hits.items())}


def _error_share_numbers(
    observations: Sequence[Observation], errors_by_attempt: Mapping[str, NamedErrors]
) -> list[TableNumber]:
    """A row for each contestant, and tag if there are several; a column for each type that occurs, and their kinds."""
    occurring = {name for observation in observations for name in errors_by_attempt[observation.attempt].types}
    csbench_labels = csbench_error_labels()
    types = [name for name in csbench_labels.names if name in occurring] + sorted(occurring - {*csbench_labels.names})
    kinds = {label.name: label.kind for label in csbench_labels.labels if label.kind}
    groups: dict[str, list[Observation]] = {}
    for contestant, contestant_rows in observations_by_contestant(observations).items():
        for tag in sorted({observation.tag for observation in contestant_rows}):
            groups[f"{tag.lower()}, {contestant.name}" if tag else contestant.name] = [
                observation for observation in contestant_rows if observation.tag == tag
            ]
    figures = []
    for row, contestant_rows in groups.items():
        for kind in dict.fromkeys(kinds[name] for name in types if name in kinds):
            of_kind = {name for name in types if kinds.get(name) == kind}
            figures.append(_error_share_number(row, f"any of {kind}", contestant_rows, errors_by_attempt, of_kind))
        figures += [_error_share_number(row, name, contestant_rows, errors_by_attempt, {name}) for name in types]
    return figures


def _error_share_number(
    row_name: str,
    column_name: str,
    contestant_rows: Sequence[Observation],
    errors_by_attempt: Mapping[str, NamedErrors],
    error_types: set[str],
) -> TableNumber:
    """The share of wrong choices with an error of any of these types."""
    return table_number_of_share(
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

    label_names = csbench_error_labels().names
    named = {name for answer in types_by_judge_of_answers for judge in answer for name in answer[judge]}
    names = label_names if named <= {*label_names} else sorted(named)
    ratings = np.array(
        [
            [float(name in answer[judge]) for answer in types_by_judge_of_answers for name in names]
            for judge in (first_judge, second_judge)
        ]
    )
    coefficient = krippendorff_alpha(ratings, "nominal")
    return number(None if np.isnan(coefficient) else coefficient)


def _error_shares_picture(picture_id: str, table_numbers: Sequence[TableNumber]) -> SectionPicture:
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
    svg = charts.interval_chart(rows, shown_groups, x_title="share of wrong answers", y_title="")
    left_out = charts.note_if_omitted(shown_groups, groups)
    alt = f"Shares of wrong answers with an error of each type. {'; '.join(summaries)}.{left_out}"
    table = table_of_numbers(
        picture_id, "Types of error, by tag", table_numbers, row_heading="tag, group", unit="wrong answer"
    )
    return SectionPicture(picture_id, "Types of error in wrong answers", alt, svg, table)
