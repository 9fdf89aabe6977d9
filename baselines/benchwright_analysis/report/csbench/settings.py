"""The same questions asked zero-shot, after solved ones, and with steps, side by side (CS-Bench's figure 6c)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchwright_analysis.report import charts
from benchwright_analysis.report.csbench.contestants import Contestant, answered, by_contestant, score_of
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.section import (
    Cell,
    Figure,
    Picture,
    Section,
    Table,
    count,
    interval,
    number,
    p_value,
    percent,
)
from benchwright_analysis.report.sections.matrix import accuracy, figure, matrix
from benchwright_analysis.statistics.crossed import Crossed, crossed_difference

_Ways = Mapping[str, Sequence[Observation]]


def settings(data: Dataset) -> Section | None:
    """Scores by way to ask; None if no model was asked in two known ways."""
    models: dict[str, dict[str, list[Observation]]] = {}
    rows = [one for one in answered(data) if one.shots is not None and one.steps is not None and not one.is_person]
    for who, mine in by_contestant(rows).items():
        models.setdefault(Contestant(who.group, who.language, "").name, {})[who.asked] = mine
    models = {name: ways for name, ways in models.items() if len(ways) > 1}
    if not models:
        return None
    figures: list[Figure] = []
    differences: dict[str, dict[str, Crossed]] = {}
    few = []
    for name, ways in models.items():
        alike = _alike(ways)
        if not alike:
            few.append(f"{name}: no question was asked in every way.")
            continue
        figures += [figure(name, way, accuracy(mine, score_of)) for way, mine in alike.items()]
        first, *others = alike
        differences[name] = {way: _difference(alike[first], alike[way]) for way in others}
    lead = [
        "Only questions that a model was asked in each of its ways, so that the columns differ in nothing else. "
        "Differences are from the first way in the table, question by question.",
        *few,
    ]
    if not figures:
        return Section("settings", "Ways to ask", without=" ".join(few))
    table = matrix("settings", "Score by way to ask", figures, rows_are="model")
    tables = [_compared(models, differences)]
    numbers = {"scores": figures, "differences": differences}
    return Section("settings", "Ways to ask: examples and steps", lead, [_picture(figures, table)], tables, numbers)


def _alike(ways: _Ways) -> dict[str, list[Observation]]:
    """The attempts at questions that were asked in every way."""
    common = set.intersection(*({one.problem for one in mine} for mine in ways.values()))
    return {way: [one for one in mine if one.problem in common] for way, mine in ways.items()} if common else {}


def _difference(first: Sequence[Observation], second: Sequence[Observation]) -> Crossed:
    rows = [*first, *second]
    after = [False] * len(first) + [True] * len(second)
    return crossed_difference([score_of(one) for one in rows], after, Dataset.cells(rows))


def _compared(models: Mapping[str, _Ways], differences: Mapping[str, Mapping[str, Crossed]]) -> Table:
    rows: list[Sequence[Cell]] = [
        (
            name,
            f"{way} – {next(iter(models[name]))}",
            found.problems,
            f"{number(100 * found.value, 1)} ({_points(found)})",
            p_value(found.p_value),
        )
        for name, several in differences.items()
        for way, found in several.items()
    ]
    columns = ("model", "ways", "questions", "difference in points (95 % interval)", "p")
    return Table("Differences between ways to ask", columns, rows, "p is not corrected for the number of comparisons.")


def _points(found: Crossed) -> str:
    low, high = (None if end is None else 100 * end for end in (found.low, found.high))
    return interval(low, high, digits=1)


def _picture(figures: Sequence[Figure], table: Table) -> Picture:
    ways = list(dict.fromkeys(one.column for one in figures))[: charts.MOST_GROUPS]
    rows: list[charts.Row] = [
        {"label": one.row, "group": one.column, "value": one.value, "low": one.low, "high": one.high}
        for one in figures
        if one.column in ways
    ]
    told = "; ".join(f"{one.row}, {one.column}: {percent(one.value)}" for one in figures[:12])
    models = len({one.row for one in figures})
    alt = f"Mean scores of {count(models, 'model')} with intervals. {told}."
    return Picture("settings", "Score by way to ask", alt, charts.intervals(rows, ways, x="mean score", y=""), table)
