"""Scores by domain, subfield and format, split into knowledge and reasoning (CS-Bench's tables 2, 14 and 15)."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence

from benchwright_analysis.report import charts
from benchwright_analysis.report.csbench.contestants import answered, by_contestant, has_place, score_of
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import ZERO_SHOT, Observation
from benchwright_analysis.report.section import Figure, Picture, Section, Table, count, percent
from benchwright_analysis.report.sections.matrix import accuracy, by_label, figure, matrix

ALL = "all"
_FORMATS = ("multiple-choice", "assertion", "fill-in-the-blank", "open-ended")
_NOTE = (
    "Every question counts alike: choices, assertions and blanks have 0 or 1, open-ended answers the judges' points "
    "over ten. So “all” is the mean of the parts weighted by their number of questions. The rows “chance” are what a "
    "guess earns: 25 % of choices among four, 50 % of assertions, nothing of blanks, and the lowest points, 10 %, of "
    "open-ended answers."
)
_BY_CHANCE = {"multiple-choice": 0.25, "assertion": 0.5, "fill-in-the-blank": 0.0, "open-ended": 0.1}
"""As CS-Bench's row “Random” (table 2): four choices; the lowest points for an open-ended answer."""


def domains(data: Dataset) -> Section | None:
    """Scores by domain, subfield and format; None if no question has a place there."""
    rows = answered(data)
    if not rows:
        return None
    tags = [ALL, *sorted({one.tag for one in rows})]
    of_tag = {tag: [one for one in rows if tag in (one.tag, ALL)] for tag in tags}
    by_domain = {tag: _figures(chosen, lambda one: one.domain) for tag, chosen in of_tag.items()}
    by_format = {tag: _figures(chosen, lambda one: one.format, _FORMATS) for tag, chosen in of_tag.items()}
    by_subfield = {
        domain: _figures([one for one in rows if one.domain == domain], lambda one: one.subdomain)
        for domain in sorted({one.domain for one in rows})
    }
    tables = [
        *(_table("domains", "Score by domain", tag, found) for tag, found in by_domain.items()),
        _table("formats", "Score by format", ALL, by_format[ALL]),
        *(_folded(_table("formats", "Score by format", tag, by_format[tag])) for tag in tags[1:]),
        *(_folded(_table("subfields", "Score by subfield", domain, found)) for domain, found in by_subfield.items()),
    ]
    shown = _shown(rows)
    pictures = [
        *_profile([*by_domain[ALL], *by_format[ALL]], shown),
        _dots({tag: by_domain[tag] for tag in tags[1:]}, shown),
    ]
    numbers = {"domain": by_domain, "format": by_format, "subfield": by_subfield}
    return Section("domains", "Knowledge and reasoning by domain", _lead(data, rows), pictures, tables, numbers)


def _lead(data: Dataset, rows: Sequence[Observation]) -> list[str]:
    questions = len({one.problem for one in rows})
    lead = [f"{count(questions, 'question')} with a domain, a subfield and a tag, as CS-Bench has them. {_NOTE}"]
    open_ = [
        one.observation
        for one in data.analysed
        if one.observation.censored_by == "not_decided" and has_place(one.observation)
    ]
    if open_:
        what = ", ".join(sorted({one.format for one in open_}))
        lead.append(
            f"Not decided, and left out here: {count(len(open_), 'answer')} ({what}). Means over these formats are not "
            "comparable with published ones. `benchwright judge pending --score` has the answers judged."
        )
    return lead


def _figures(
    rows: Sequence[Observation], label: Callable[[Observation], str], order: Sequence[str] = ()
) -> list[Figure]:
    """A row for each contestant and for chance, a column for each label and for all."""
    groups = {who.name: mine for who, mine in by_contestant(rows).items()}
    return [
        *(figure(name, ALL, accuracy(mine, score_of)) for name, mine in groups.items()),
        *by_label(groups, label, order, score_of),
        *_by_chance(rows, lambda one: (label(one), ALL)),
    ]


def _table(file: str, title: str, part: str, figures: Sequence[Figure]) -> Table:
    name = part.lower()
    return matrix(f"{file}-{name}", f"{title}: {name if file != 'subfields' else part}", figures)


def _folded(table: Table) -> Table:
    return dataclasses.replace(table, detail=True)


def _shown(rows: Sequence[Observation]) -> list[str]:
    """The rows that pictures have: those asked without examples and steps, if there are any."""
    everyone = list(by_contestant(rows))
    plain = [who.name for who in everyone if who.asked in ("", ZERO_SHOT)]
    return plain or [who.name for who in everyone]


def _profile(figures: Sequence[Figure], everyone: Sequence[str]) -> list[Picture]:
    """A radar with a spoke for each domain and format, of those who have all of them (CS-Bench's figure 2)."""
    profiles: dict[str, list[charts.Row]] = {name: [] for name in everyone[: charts.MOST_GROUPS]}
    spokes = [one for one in figures if one.row in profiles and one.column != ALL]
    for one in spokes:
        profiles[one.row].append({"label": one.column, "group": one.row, "value": one.value})
    labels = {one.column for one in spokes}
    shown = [name for name, rows in profiles.items() if len(rows) == len(labels)]
    if len(labels) < 3 or not shown:
        return []
    ends = {name: (max(profiles[name], key=_value), min(profiles[name], key=_value)) for name in shown}
    told = [f"{name}: best at {best['label']}, worst at {worst['label']}" for name, (best, worst) in ends.items()]
    svg = charts.radar([row for name in shown for row in profiles[name]], shown)
    alt = (
        "A radar with a spoke for each domain and each format, from 0 in the middle to 1 at the rim. "
        f"{'; '.join(told)}.{charts.drawn(shown, everyone)}"
    )
    table = matrix("", "Score by domain and by format", [one for one in spokes if one.row in shown])
    return [Picture("domain-radar", "Profile by domain and format", alt, svg, table)]


def _value(row: charts.Row) -> float:
    return float(row["value"] or 0)


def _dots(by_tag: Mapping[str, Sequence[Figure]], everyone: Sequence[str]) -> Picture:
    """Domains split by tag, with intervals."""
    shown = everyone[: charts.MOST_GROUPS]
    spokes = [
        dataclasses.replace(one, column=f"{one.column}, {tag.lower()}")
        for tag, figures in by_tag.items()
        for one in figures
        if one.row in shown and one.column != ALL
    ]
    rows: list[charts.Row] = [
        {"label": one.column, "group": one.row, "value": one.value, "low": one.low, "high": one.high} for one in spokes
    ]
    overall: dict[str, list[str]] = {}
    for tag, figures in by_tag.items():
        for one in figures:
            if one.row in shown and one.column == ALL:
                overall.setdefault(one.row, []).append(f"{tag.lower()} {percent(one.value)}")
    told = "; ".join(f"{name}: {', '.join(scores)}" for name, scores in overall.items())
    return Picture(
        "domain-dots",
        "Score by domain and tag, with intervals",
        f"Mean scores. {told}.{charts.drawn(shown, everyone)}",
        charts.intervals(rows, shown, x="mean score", y=""),
        matrix("", "Score by domain and tag", spokes),
    )


def _by_chance(rows: Sequence[Observation], columns: Callable[[Observation], Iterable[str]]) -> list[Figure]:
    """A row for each language: what answers drawn at random earn in each column, each question once.

    Args:
        rows: Attempts; several at one question count as one.
        columns: Those that an attempt's question counts in.
    """
    found: dict[tuple[str, str], dict[str, float]] = {}
    for one in rows:
        for column in columns(one) if one.format in _BY_CHANCE else ():
            found.setdefault((f"chance ({one.language})", column), {})[one.problem] = _BY_CHANCE[one.format]
    return [Figure(row, column, 0, len(each), sum(each.values()) / len(each)) for (row, column), each in found.items()]
