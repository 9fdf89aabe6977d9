"""Share of problems that were solved: by group, and by everything that problems are sorted by."""

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
        return Section("success", "Who solved how much", empty_reason=_NOTHING)
    by_group = _by_group(data)
    values = {
        statistic.id: {group: statistic.estimate(observations, data) for group, observations in by_group.items()}
        for statistic in STATISTICS
    }
    numbers: dict[str, object] = {**values}
    overall = _overall(by_group, values)
    tables, pictures = [overall], []
    for name, title, label in _SORTINGS:
        breakdowns = _breakdown(data, label, scores=name == "format")
        if not any(breakdowns.values()):
            continue
        numbers[name] = breakdowns
        labelled = _labelled(data, name, breakdowns)
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
        ("group", "attempts", "solved", *(statistic.column for statistic in STATISTICS)),
        [
            (
                group,
                len(observations),
                sum(observation.passed for observation in observations),
                *(with_interval(values[statistic.id][group], share=statistic.is_share) for statistic in STATISTICS),
            )
            for group, observations in by_group.items()
        ],
        " ".join(statistic.note for statistic in STATISTICS),
    )


def _best_and_worst(rows: Sequence[charts.Row], name: str) -> str:
    told_of = []
    for group in dict.fromkeys(str(row["group"]) for row in rows):
        shares = sorted((float(row["value"] or 0), str(row["label"])) for row in rows if row["group"] == group)
        (low, worst), (high, best) = shares[0], shares[-1]
        if len(shares) == 1:
            told_of.append(f"{group}: {number(high)} at {best}.")
        else:
            told_of.append(f"{group}: best at {best} ({number(high)}), worst at {worst} ({number(low)}).")
    return f"Share solved by {name}. " + " ".join(told_of)


_Label = Callable[[Observation], str]
_SORTINGS: Sequence[tuple[str, str, _Label]] = (
    ("category", "Solved, by category", lambda observation: observation.category),
    ("difficulty", "Solved, by difficulty", lambda observation: observation.difficulty),
    ("kind", "Solved, by kind of problem", lambda observation: observation.kind),
    ("format", "Score, by format of question", lambda observation: observation.format),
    ("language", "Solved, by language of question", lambda observation: observation.language),
)


def _by_group(data: Dataset) -> dict[str, list[Observation]]:
    observations_by_group: dict[str, list[Observation]] = {group: [] for group in data.groups}
    for observation in data.decided:
        observations_by_group[observation.group].append(observation)
    return {group: rows for group, rows in observations_by_group.items() if rows}


def _breakdown(data: Dataset, label: _Label, *, scores: bool = False) -> dict[str, tuple[Group, ...]]:
    breakdowns = {}
    for group, rows in _by_group(data).items():
        labelled = [observation for observation in rows if label(observation)]
        if labelled:
            values = [(observation.score or 0.0) if scores else float(observation.passed) for observation in labelled]
            breakdowns[group] = breakdown(
                values, [label(observation) for observation in labelled], Dataset.cells(labelled)
            )
    return breakdowns


def _labelled(
    data: Dataset, name: str, breakdowns: Mapping[str, Sequence[Group]]
) -> dict[str, list[tuple[str, Group]]]:
    names = {fact.category: f"{fact.category_label} ({fact.category})" for fact in data.facts.values()}
    order = _DIFFICULTIES if name == "difficulty" else ()
    return {
        group: sorted(
            ((names.get(part.label, part.label) if name == "category" else part.label, part) for part in rows),
            key=lambda row: order.index(row[0]) if row[0] in order else len(order),
        )
        for group, rows in breakdowns.items()
    }


def _breakdown_table(title: str, breakdowns: Mapping[str, Sequence[Group | tuple[str, Group]]]) -> Table:
    rows: list[Sequence[Cell]] = []
    for group, parts in breakdowns.items():
        for entry in parts:
            label, part = entry if isinstance(entry, tuple) else (entry.label, entry)
            solved = with_interval(part.passed.estimate, share=True) if part.passed is not None else "–"
            size = (part.attempts, part.score.participants or "–", part.score.problems)
            rows.append((label, group, *size, solved, with_interval(part.score.estimate)))
    columns = ("label", "group", "attempts", "people", "problems", "solved (95 % interval)", "mean (95 % interval)")
    return Table(title, columns, rows)


def _category_picture(
    breakdowns: Mapping[str, Sequence[tuple[str, Group]]],
    table: Table,
    groups: Sequence[str],
    all_groups: Sequence[str],
) -> Picture:
    shown_groups = list(groups)[: charts.MOST_GROUPS]
    rows = [
        {"label": label, "group": group, "value": part.passed.value, "low": part.passed.low, "high": part.passed.high}
        for group in shown_groups
        for label, part in breakdowns.get(group, ())
        if part.passed is not None
    ]
    return Picture(
        "success-by-category",
        "Solved, by category",
        _best_and_worst(rows, "category") + charts.drawn(shown_groups, groups),
        charts.intervals(rows, shown_groups, report_groups=all_groups, x="solved", y=""),
        table,
    )


def _lead(data: Dataset) -> list[str]:
    undecided = sum(attempt.observation.censored_by == "not_decided" for attempt in data.analysed)
    lead = []
    if undecided:
        lead.append(
            f"{count(undecided, 'attempt')} are left out here, because the verdict on their last files is undecided: "
            "“How attempts ended” names the reasons."
        )
    return lead
