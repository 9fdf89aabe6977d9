"""Scores by domain, subfield and format, split into knowledge and reasoning (CS-Bench's tables 2, 14 and 15)."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence

from benchwright_analysis.report import charts
from benchwright_analysis.report.csbench.chance import by_chance
from benchwright_analysis.report.csbench.contestants import answered, by_contestant, score_of
from benchwright_analysis.report.dataset import Dataset
from benchwright_analysis.report.matrix import accuracy, by_label, figure, matrix
from benchwright_analysis.report.observation import Observation
from benchwright_analysis.report.section import Figure, Picture, Section, Table, count, percent

ALL = "all"
_FORMATS = ("multiple-choice", "assertion", "fill-in-the-blank", "open-ended")
_NOTE = (
    "Every question counts alike: choices, assertions and blanks have 0 or 1, open-ended answers the judges' points "
    "over ten. So “all” is the mean of the parts weighted by their number of questions. The rows “chance” are what a "
    "guess earns: 25 % of choices among four, 50 % of assertions, nothing of blanks, and the lowest points, 10 %, of "
    "open-ended answers."
)


def domains(data: Dataset) -> Section | None:
    """Scores by domain, subfield and format; None if no question has a domain and a tag."""
    rows = answered(data)
    if not rows:
        return None
    tags = [*sorted({one.tag for one in rows}), ALL]
    of_tag = {tag: [one for one in rows if tag in (one.tag, ALL)] for tag in tags}
    by_domain = {tag: _figures(chosen, lambda one: one.domain) for tag, chosen in of_tag.items()}
    by_format = {tag: _figures(chosen, lambda one: one.format, _FORMATS) for tag, chosen in of_tag.items()}
    by_subfield = {
        domain: _figures([one for one in rows if one.domain == domain], lambda one: one.subdomain)
        for domain in sorted({one.domain for one in rows})
    }
    tables = [
        *(_table("domains", "Score by domain", tag, found) for tag, found in by_domain.items()),
        *(_table("formats", "Score by format", tag, found) for tag, found in by_format.items()),
        *(_folded(_table("subfields", "Score by subfield", domain, found)) for domain, found in by_subfield.items()),
    ]
    pictures = _pictures({tag: found for tag, found in by_domain.items() if tag != ALL})
    numbers = {"domain": by_domain, "format": by_format, "subfield": by_subfield}
    return Section("domains", "Knowledge and reasoning by domain", _lead(data, rows), pictures, tables, numbers)


def _lead(data: Dataset, rows: Sequence[Observation]) -> list[str]:
    questions = len({one.problem for one in rows})
    lead = [f"{count(questions, 'question')} with a domain and a tag, as CS-Bench has them. {_NOTE}"]
    open_ = [
        one.observation
        for one in data.analysed
        if one.observation.censored_by == "not_decided" and one.observation.domain and one.observation.tag
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
        *by_label(groups, label, order, score_of),
        *(figure(name, ALL, accuracy(mine, score_of)) for name, mine in groups.items()),
        *by_chance(rows, lambda one: (label(one), ALL)),
    ]


def _table(file: str, title: str, part: str, figures: Sequence[Figure]) -> Table:
    name = part.lower()
    return matrix(f"{file}-{name}", f"{title}: {name if file != 'subfields' else part}", figures)


def _folded(table: Table) -> Table:
    return dataclasses.replace(table, detail=True)


def _pictures(by_tag: Mapping[str, Sequence[Figure]]) -> list[Picture]:
    """A profile with a spoke for each domain and tag, and the same as dots with intervals."""
    profiles: dict[str, list[charts.Row]] = {}
    overall: dict[str, list[str]] = {}
    for tag, figures in by_tag.items():
        for one in figures:
            if not one.attempts:
                continue
            if one.column == ALL:
                overall.setdefault(one.row, []).append(f"{tag.lower()} {percent(one.value)}")
                continue
            label = f"{one.column}, {tag.lower()}"
            spoke: charts.Row = {
                "label": label,
                "group": one.row,
                "value": one.value,
                "low": one.low,
                "high": one.high,
            }
            profiles.setdefault(one.row, []).append(spoke)
    spokes = [
        dataclasses.replace(one, column=f"{one.column}, {tag.lower()}")
        for tag, figures in by_tag.items()
        for one in figures
        if one.column != ALL
    ]
    table = matrix("", "Score by domain and tag", spokes)
    shown = list(profiles)[: charts.MOST_GROUPS]
    rows = [row for name in shown for row in profiles[name]]
    told = "; ".join(f"{name}: {', '.join(overall[name])}" for name in shown)
    alt = f"Mean scores. {told}.{charts.drawn(shown, profiles)}"
    dots = charts.intervals(rows, shown, x="mean score", y="")
    pictures = [Picture("domain-dots", "Score by domain and tag, with intervals", alt, dots, table)]
    labels = {row["label"] for row in rows}
    whole = [name for name in shown if {row["label"] for row in profiles[name]} == labels]
    if len(labels) >= 3 and whole:
        web = charts.radar([row for row in rows if row["group"] in whole], whole)
        pictures.insert(0, Picture("domain-radar", "Profile by domain and tag", f"A radar. {alt}", web, table))
    return pictures
