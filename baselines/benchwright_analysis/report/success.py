"""How often problems were solved: by group, and by everything that problems are sorted by."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence

from benchwright_analysis.report import charts
from benchwright_analysis.report.dataset import Dataset
from benchwright_analysis.report.group_statistics import STATISTICS
from benchwright_analysis.report.observation import Observation
from benchwright_analysis.report.section import (
    Cell,
    Picture,
    Section,
    Table,
    count,
    number,
    p_value,
    with_interval,
)
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_analysis.statistics.paired import Adjusted, McNemar, holm, mcnemar, paired_difference
from benchwright_analysis.statistics.success import Group, breakdown, success_rate
from benchwright_judges.estimators import Estimate, Share

_DIFFICULTIES = ("easy", "medium", "hard")
_NOTHING = "No attempt that counts has a verdict, so there is nothing to say about success."
_MOST_SPOKES = 12


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
    compared, table = _comparisons(data)
    if compared:
        numbers["comparisons"] = compared
        tables.append(table)
    rates = {group: success_rate([one.passed for one in found]) for group, found in by_group.items()}
    return Section("success", "Who solved how much", _lead(data, rates), pictures, tables, numbers)


def _overall(
    by_group: Mapping[str, Sequence[Observation]], values: Mapping[str, Mapping[str, Estimate | Share]]
) -> Table:
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


def profile(data: Dataset) -> Section:
    """Success by skill and by topic."""
    pictures, numbers = [], {}
    for name, label in (("skill", lambda one: one.skill), ("topic", lambda one: one.topic)):
        found = {group: rows for group, rows in _breakdown(data, label, scores=True).items() if rows}
        if not found:
            continue
        numbers[name] = found
        pictures += _profile_pictures(name, found, data.groups)
    if not pictures:
        without = "None of the problems has a skill or a topic; questions of QuArch and CS-Bench have."
        return Section("profile", "Skills and topics", without=without)
    lead = ("Mean score of questions by what they ask for. The dots show the same numbers with their intervals.",)
    return Section("profile", "Skills and topics", lead, pictures, (), numbers)


def _profile_pictures(name: str, found: Mapping[str, Sequence[Group]], among: Sequence[str]) -> list[Picture]:
    groups = list(found)[: charts.MOST_GROUPS]
    rows = [
        {"label": one.label, "group": group, "value": one.score.value, "low": one.score.low, "high": one.score.high}
        for group in groups
        for one in found[group]
    ]
    table = _breakdown_table(f"Score by {name}", found)
    labels = {str(row["label"]) for row in rows}
    dots = Picture(
        f"{name}-dots",
        f"Score by {name}, with intervals",
        _best_and_worst(rows, name) + charts.drawn(groups, found),
        charts.intervals(rows, groups, among=among, x="mean score", y=""),
        table,
    )
    complete = [group for group in groups if {one.label for one in found[group]} == labels]
    if not 3 <= len(labels) <= _MOST_SPOKES or not complete:
        return [dots]
    shown = [row for row in rows if row["group"] in complete]
    web = Picture(
        f"{name}-radar",
        f"Profile by {name}",
        f"A radar with one spoke for each {name}, from 0 in the middle to 1 at the rim. {dots.alt}",
        charts.radar(shown, complete, among=among),
        table,
    )
    return [web, dots]


def _best_and_worst(rows: Sequence[charts.Row], name: str) -> str:
    told_of = []
    for group in dict.fromkeys(str(row["group"]) for row in rows):
        mine = sorted((float(row["value"] or 0), str(row["label"])) for row in rows if row["group"] == group)
        (low, worst), (high, best) = mine[0], mine[-1]
        if len(mine) == 1:
            told_of.append(f"{group}: {number(high)} at {best}.")
        else:
            told_of.append(f"{group}: best at {best} ({number(high)}), worst at {worst} ({number(low)}).")
    return f"Mean score by {name}. " + " ".join(told_of)


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
            clusters = [Dataset.cluster(one) for one in labelled]
            labels = [label(one) for one in labelled]
            found[group] = breakdown(values, labels, clusters=clusters, seed=data.seed)
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
            solved = with_interval(one.passed, share=True) if one.passed is not None else "–"
            rows.append((label, group, one.attempts, one.clusters, solved, with_interval(one.score)))
    columns = ("label", "group", "attempts", "people or problems", "solved (95 % interval)", "mean (95 % interval)")
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
        _best_and_worst(rows, "category").replace("Mean score", "Share solved") + charts.drawn(shown, groups),
        charts.intervals(rows, shown, among=among, x="solved", y=""),
        table,
    )


def _lead(data: Dataset, rates: Mapping[str, object]) -> list[str]:
    undecided = sum(one.observation.censored_by == "not_decided" for one in data.analysed)
    lead = []
    if undecided:
        lead.append(
            f"{count(undecided, 'attempt')} are left out here, because the verdict on their last files is undecided: "
            "“How attempts ended” names the reasons."
        )
    return lead


def _comparisons(data: Dataset) -> tuple[dict[str, object], Table]:
    """Pairs of groups on the problems that both tried."""
    groups = list(_by_group(data))[: charts.MOST_GROUPS]
    by_problem = {group: _problem_rates(rows) for group, rows in _by_group(data).items()}
    found: dict[str, object] = {}
    rows: list[Sequence[Cell]] = []
    for place, first in enumerate(groups):
        for second in groups[place + 1 :]:
            both = sorted(set(by_problem[first]) & set(by_problem[second]))
            if len(both) < 2:
                continue
            one = [by_problem[first][problem] for problem in both]
            other = [by_problem[second][problem] for problem in both]
            families = [next(row.family for row in data.decided if row.problem == problem) for problem in both]
            try:
                difference = paired_difference(one, other, families, seed=data.seed)
            except StatisticsError:
                continue
            points = Estimate(**{end: None if at is None else 100 * at for end, at in difference})
            pairs = _single(one, other)
            by_category = _by_category(data, both, one, other)
            found[f"{second} against {first}"] = {"difference": difference, "mcnemar": pairs, "categories": by_category}
            rows.append(
                (
                    f"{second} against {first}",
                    len(both),
                    with_interval(points, digits=1),
                    p_value(pairs.p_value) if pairs is not None else "–",
                    ", ".join(name for name, test in by_category.items() if test.significant) or "none",
                )
            )
    note = (
        "Differences of the share solved, in percentage points, over the problems that both groups tried; the interval "
        "draws families of problems. McNemar's test compares whether more than half of a group's attempts at a problem "
        "passed. The last column names categories that differ after Holm's correction over categories."
    )
    columns = ("comparison", "problems", "difference (95 % interval)", "McNemar p", "categories that differ")
    note += charts.drawn(groups, _by_group(data), "Compared")
    return found, Table("Groups compared, problem by problem", columns, rows, note)


def _problem_rates(rows: Sequence[Observation]) -> dict[str, float]:
    found: dict[str, list[bool]] = {}
    for one in rows:
        found.setdefault(one.problem, []).append(one.passed)
    return {problem: sum(passed) / len(passed) for problem, passed in found.items()}


def _single(first: Sequence[float], second: Sequence[float]) -> McNemar | None:
    try:
        return mcnemar([rate > 0.5 for rate in first], [rate > 0.5 for rate in second])
    except StatisticsError:
        return None


def _by_category(
    data: Dataset, problems: Sequence[str], first: Sequence[float], second: Sequence[float]
) -> dict[str, Adjusted]:
    category = {one.problem: one.category or one.format for one in data.decided}
    tests: dict[str, float] = {}
    for name in sorted({category[problem] for problem in problems} - {""}):
        here = [place for place, problem in enumerate(problems) if category[problem] == name]
        test = _single([first[place] for place in here], [second[place] for place in here])
        if test is not None:
            tests[name] = test.p_value
    return holm(tests)
