"""Which errors lead to wrong choices, as judges say (CS-Bench's figure 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchwright_analysis.report import charts
from benchwright_analysis.report.csbench.contestants import answered, by_contestant
from benchwright_analysis.report.fold import NamedErrors
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.section import Cell, Figure, Picture, Section, Table, count, number, percent
from benchwright_analysis.report.sections.matrix import accuracy, figure, matrix
from benchwright_judges.agreement.error_types import ErrorType
from benchwright_judges.agreement.estimators import alpha


def error_types(data: Dataset) -> Section | None:
    """Shares of wrong choices by type of error; None if judges were not asked about any."""
    named = {one.observation.attempt: one.errors for one in data.analysed if one.errors is not None}
    choices = [one for one in answered(data) if one.format == "multiple-choice" and not one.passed and one.steps]
    rows = [one for one in choices if one.attempt in named]
    if not rows:
        return None
    agreed = [one for one in rows if named[one.attempt].types]
    figures = _figures(agreed, named)
    lead = [
        f"Judges named the errors in {count(len(rows), 'wrong choice')} of {len(choices)} after which steps were asked "
        "for. An answer can have several types, so a row can exceed 100 %. A type counts if more than half of the "
        f"judges name it; of {count(len(rows) - len(agreed), 'answer')} they agree on none, and these are in no share.",
    ]
    numbers = {
        "shares": figures,
        "classified": len(rows),
        "wrong": len(choices),
        "agreed_on_none": len(rows) - len(agreed),
    }
    pictures = [_picture(figures)] if figures else []
    tables = _judges(rows, named)
    return Section("error-types", "Errors that lead to wrong choices", lead, pictures, tables, numbers)


def _figures(rows: Sequence[Observation], named: Mapping[str, NamedErrors]) -> list[Figure]:
    """A row for each contestant, and tag if there are several; a column for each type that occurs, and their kinds."""
    occurring = {name for one in rows for name in named[one.attempt].types}
    types = [one for one in ErrorType if one.value in occurring]
    groups: dict[str, list[Observation]] = {}
    for who, mine in by_contestant(rows).items():
        for tag in sorted({one.tag for one in mine}):
            groups[f"{tag.lower()}, {who.name}"] = [one for one in mine if one.tag == tag]
    found = []
    for row, mine in groups.items():
        for kind in dict.fromkeys(one.kind for one in types if one is not ErrorType.OTHER):
            of_kind = {one.value for one in types if one.kind == kind}
            found.append(_share(row, f"any of {kind}", mine, named, of_kind))
        found += [_share(row, name.value, mine, named, {name.value}) for name in types]
    return found


def _share(
    row: str, column: str, mine: Sequence[Observation], named: Mapping[str, NamedErrors], types: set[str]
) -> Figure:
    """The share of wrong choices with an error of any of these types."""
    return figure(row, column, accuracy(mine, lambda one: bool(types & {*named[one.attempt].types})))


def _judges(rows: Sequence[Observation], named: Mapping[str, NamedErrors]) -> list[Table]:
    """How alike two judges name errors, where several were asked."""
    judges = sorted({judge for one in rows for judge in named[one.attempt].judges})
    pairs = [(first, second) for place, first in enumerate(judges) for second in judges[place + 1 :]]
    cells: list[Sequence[Cell]] = []
    for first, second in pairs:
        both = [named[one.attempt].judges for one in rows if {first, second} <= named[one.attempt].judges.keys()]
        if both:
            same = sum({*one[first]} == {*one[second]} for one in both)
            cells.append((first, second, len(both), percent(same / len(both)), _alpha(both, first, second)))
    columns = ("judge", "other judge", "answers", "same types", "Krippendorff's alpha")
    note = "Alpha is of whether a type is named, over all types and answers."
    return [Table("Judges of errors, compared", columns, cells, note)] if cells else []


def _alpha(both: Sequence[Mapping[str, tuple[str, ...]]], first: str, second: str) -> str:
    import numpy as np

    ratings = np.array(
        [[float(name.value in one[judge]) for one in both for name in ErrorType] for judge in (first, second)]
    )
    found = alpha(ratings, "nominal")
    return number(None if np.isnan(found) else found)


def _picture(figures: Sequence[Figure]) -> Picture:
    groups = list(dict.fromkeys(one.row for one in figures))
    shown = groups[: charts.MOST_GROUPS]
    rows: list[charts.Row] = [
        {"label": one.column, "group": one.row, "value": one.value, "low": one.low, "high": one.high}
        for one in figures
        if one.row in shown
    ]
    most = []
    for group in shown:
        own = [one for one in figures if one.row == group and not one.column.startswith("any of ")]
        top = max(own, key=lambda one: one.value or 0)
        most.append(f"{group}: most often {top.column} ({percent(top.value)})")
    svg = charts.intervals(rows, shown, x="share of wrong choices", y="")
    alt = f"Shares of wrong choices with an error of each type. {'; '.join(most)}.{charts.drawn(shown, groups)}"
    table = matrix("error-types", "Types of error, by tag", figures, rows_are="tag, group", unit="wrong choice")
    return Picture("error-types", "Types of error in wrong choices", alt, svg, table)
