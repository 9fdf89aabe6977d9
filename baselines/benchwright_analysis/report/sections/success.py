"""How often problems were solved: by group, and by everything that problems are sorted by."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence

from benchwright_analysis.report import charts
from benchwright_analysis.report.group_statistics import STATISTICS
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.section import (
    Cell,
    Picture,
    Section,
    Table,
    count,
    number,
    with_interval,
)
from benchwright_analysis.report.sections.success_compared import compared_groups
from benchwright_analysis.statistics.success import Group, breakdown
from benchwright_judges.agreement.estimators import Estimate

_DIFFICULTIES = ("easy", "medium", "hard")
_NOTHING = "No attempt that counts has a verdict, so there is nothing to say about success."


def success(data: Dataset) -> Section:
    """Success by group and by category, difficulty, kind, format and language."""
    if not data.decided:
        return Section("success", "Who solved how much", without=_NOTHING)
    by_group = _by_group(data)
    values = {one.id: {group: one.of(found, data) for group, found in by_group.items()} for one in STATISTICS}
    numbers: dict[str, object] = {**values}
    overall = _overall(by_group, values)
    tables, pictures = [overall], []
    for name, title, label in _SORTINGS:
        found = _breakdown(data, label, scores=name == "format")
        if not any(found.values()):
            continue
        numbers[name] = found
        labelled = _named(data, name, found)
        table = _breakdown_table(title, labelled)
        if name == "category":
            pictures.append(_category_picture(labelled, table, list(by_group), data.groups))
        else:
            tables.append(dataclasses.replace(table, detail=True))
    compared, table = compared_groups(data, _by_group(data))
    if compared:
        numbers["comparisons"] = compared
        tables.append(table)
    return Section("success", "Who solved how much", _lead(data), pictures, tables, numbers)


def _overall(by_group: Mapping[str, Sequence[Observation]], values: Mapping[str, Mapping[str, Estimate]]) -> Table:
    return Table(
        "Solved, by group",
        ("group", "attempts", "solved", *(one.column for one in STATISTICS)),
        [
            (
                group,
                len(found),
                sum(one.passed for one in found),
                *(with_interval(values[one.id][group], share=one.is_share) for one in STATISTICS),
            )
            for group, found in by_group.items()
        ],
        " ".join(one.note for one in STATISTICS),
    )


def _best_and_worst(rows: Sequence[charts.Row], name: str) -> str:
    told_of = []
    for group in dict.fromkeys(str(row["group"]) for row in rows):
        mine = sorted((float(row["value"] or 0), str(row["label"])) for row in rows if row["group"] == group)
        (low, worst), (high, best) = mine[0], mine[-1]
        if len(mine) == 1:
            told_of.append(f"{group}: {number(high)} at {best}.")
        else:
            told_of.append(f"{group}: best at {best} ({number(high)}), worst at {worst} ({number(low)}).")
    return f"Share solved by {name}. " + " ".join(told_of)


_Label = Callable[[Observation], str]
_SORTINGS: Sequence[tuple[str, str, _Label]] = (
    ("category", "Solved, by category", lambda one: one.category),
    ("difficulty", "Solved, by difficulty", lambda one: one.difficulty),
    ("kind", "Solved, by kind of problem", lambda one: one.kind),
    ("format", "Score, by format of question", lambda one: one.format),
    ("language", "Solved, by language of question", lambda one: one.language),
)


def _by_group(data: Dataset) -> dict[str, list[Observation]]:
    found: dict[str, list[Observation]] = {group: [] for group in data.groups}
    for one in data.decided:
        found[one.group].append(one)
    return {group: rows for group, rows in found.items() if rows}


def _breakdown(data: Dataset, label: _Label, *, scores: bool = False) -> dict[str, tuple[Group, ...]]:
    found = {}
    for group, rows in _by_group(data).items():
        labelled = [one for one in rows if label(one)]
        if labelled:
            values = [(one.score or 0.0) if scores else float(one.passed) for one in labelled]
            found[group] = breakdown(values, [label(one) for one in labelled], Dataset.cells(labelled))
    return found


def _named(data: Dataset, name: str, found: Mapping[str, Sequence[Group]]) -> dict[str, list[tuple[str, Group]]]:
    names = {fact.category: f"{fact.category_label} ({fact.category})" for fact in data.facts.values()}
    order = _DIFFICULTIES if name == "difficulty" else ()
    return {
        group: sorted(
            ((names.get(one.label, one.label) if name == "category" else one.label, one) for one in rows),
            key=lambda row: order.index(row[0]) if row[0] in order else len(order),
        )
        for group, rows in found.items()
    }


def _breakdown_table(title: str, found: Mapping[str, Sequence[Group | tuple[str, Group]]]) -> Table:
    rows: list[Sequence[Cell]] = []
    for group, several in found.items():
        for entry in several:
            label, one = entry if isinstance(entry, tuple) else (entry.label, entry)
            solved = with_interval(one.passed.estimate, share=True) if one.passed is not None else "–"
            size = (one.attempts, one.score.participants or "–", one.score.problems)
            rows.append((label, group, *size, solved, with_interval(one.score.estimate)))
    columns = ("label", "group", "attempts", "people", "problems", "solved (95 % interval)", "mean (95 % interval)")
    return Table(title, columns, rows)


def _category_picture(
    found: Mapping[str, Sequence[tuple[str, Group]]], table: Table, groups: Sequence[str], among: Sequence[str]
) -> Picture:
    shown = list(groups)[: charts.MOST_GROUPS]
    rows = [
        {"label": label, "group": group, "value": one.passed.value, "low": one.passed.low, "high": one.passed.high}
        for group in shown
        for label, one in found.get(group, ())
        if one.passed is not None
    ]
    return Picture(
        "success-by-category",
        "Solved, by category",
        _best_and_worst(rows, "category") + charts.drawn(shown, groups),
        charts.intervals(rows, shown, among=among, x="solved", y=""),
        table,
    )


def _lead(data: Dataset) -> list[str]:
    undecided = sum(one.observation.censored_by == "not_decided" for one in data.analysed)
    lead = []
    if undecided:
        lead.append(
            f"{count(undecided, 'attempt')} are left out here, because the verdict on their last files is undecided: "
            "“How attempts ended” names the reasons."
        )
    return lead
