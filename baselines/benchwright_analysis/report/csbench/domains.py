"""Scores by domain, subfield and format, split into knowledge and reasoning (CS-Bench's tables 2, 14 and 15)."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence

from benchwright_analysis.report import charts
from benchwright_analysis.report.csbench.contestants import (
    decided_observations_with_domain_labels,
    has_domain_labels,
    observations_by_contestant,
    score_or_0,
)
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import ZERO_SHOT, Observation
from benchwright_analysis.report.section import Section, SectionPicture, SortableTable, TableNumber, counted
from benchwright_analysis.report.sections.matrix import (
    accuracy_by_label,
    mean_over_problems,
    table_number_of_share,
    table_of_numbers,
)
from benchwright_foundation.number_text import percent

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


def domains_section(data: Dataset) -> Section | None:
    """Scores by domain, subfield and format; None if no question has a place there."""
    rows = decided_observations_with_domain_labels(data)
    if not rows:
        return None
    tags = [ALL, *sorted({observation.tag for observation in rows})]
    of_tag = {tag: [observation for observation in rows if tag in (observation.tag, ALL)] for tag in tags}
    by_domain = {
        tag: _contestant_and_chance_numbers(observations, lambda observation: observation.domain)
        for tag, observations in of_tag.items()
    }
    by_format = {
        tag: _contestant_and_chance_numbers(observations, lambda observation: observation.format, _FORMATS)
        for tag, observations in of_tag.items()
    }
    by_subfield = {
        domain: _contestant_and_chance_numbers(
            [observation for observation in rows if observation.domain == domain],
            lambda observation: observation.subdomain,
        )
        for domain in sorted({observation.domain for observation in rows})
    }
    tables = [
        *(_subset_table("domains", "Score by domain", tag, figures) for tag, figures in by_domain.items()),
        _subset_table("formats", "Score by format", ALL, by_format[ALL]),
        *(_folded_table(_subset_table("formats", "Score by format", tag, by_format[tag])) for tag in tags[1:]),
        *(
            _folded_table(_subset_table("subfields", "Score by subfield", domain, figures))
            for domain, figures in by_subfield.items()
        ),
    ]
    shown_rows = _pictured_contestant_names(rows)
    pictures = [
        *_radar_if_complete([*by_domain[ALL], *by_format[ALL]], shown_rows),
        _interval_picture_by_tag({tag: by_domain[tag] for tag in tags[1:]}, shown_rows),
    ]
    score_figures = {"domain": by_domain, "format": by_format, "subfield": by_subfield}
    return Section(
        "domains", "Knowledge and reasoning by domain", _lead_sentences(data, rows), pictures, tables, score_figures
    )


def _lead_sentences(data: Dataset, observations: Sequence[Observation]) -> list[str]:
    questions = len({observation.problem for observation in observations})
    lead = [f"{counted(questions, 'question')} with a domain, a subfield and a tag, as CS-Bench has them. {_NOTE}"]
    open_ = [
        folded.observation
        for folded in data.counted_attempts
        if folded.observation.censored_by == "not_decided" and has_domain_labels(folded.observation)
    ]
    if open_:
        formats = ", ".join(sorted({observation.format for observation in open_}))
        lead.append(
            f"Not decided, and left out here: {counted(len(open_), 'answer')} ({formats}). Means over these formats "
            "are not "
            "comparable with published ones. `benchwright judge pending --score` has the answers judged."
        )
    return lead


def _contestant_and_chance_numbers(
    observations: Sequence[Observation], label_of: Callable[[Observation], str], label_order: Sequence[str] = ()
) -> list[TableNumber]:
    """A row for each contestant and for chance, a column for each label and for all."""
    groups = {
        contestant.name: contestant_rows
        for contestant, contestant_rows in observations_by_contestant(observations).items()
    }
    return [
        *(
            table_number_of_share(name, ALL, mean_over_problems(contestant_rows, score_or_0))
            for name, contestant_rows in groups.items()
        ),
        *accuracy_by_label(groups, label_of, label_order, score_or_0),
        *_chance_numbers(observations, lambda observation: (label_of(observation), ALL)),
    ]


def _subset_table(
    id_prefix: str, title_prefix: str, subset: str, table_numbers: Sequence[TableNumber]
) -> SortableTable:
    name = subset.lower()
    return table_of_numbers(
        f"{id_prefix}-{name}", f"{title_prefix}: {name if id_prefix != 'subfields' else subset}", table_numbers
    )


def _folded_table(table: SortableTable) -> SortableTable:
    return dataclasses.replace(table, detail=True)


def _pictured_contestant_names(observations: Sequence[Observation]) -> list[str]:
    """The rows that pictures have: those asked without examples and steps, if there are any."""
    everyone = list(observations_by_contestant(observations))
    plain_names = [contestant.name for contestant in everyone if contestant.asked in ("", ZERO_SHOT)]
    return plain_names or [contestant.name for contestant in everyone]


def _radar_if_complete(table_numbers: Sequence[TableNumber], contestant_names: Sequence[str]) -> list[SectionPicture]:
    """A radar with a spoke for each domain and format, of those who have all of them (CS-Bench's figure 2)."""
    profiles: dict[str, list[charts.Row]] = {name: [] for name in contestant_names[: charts.MOST_GROUPS]}
    spokes = [spoke for spoke in table_numbers if spoke.row in profiles and spoke.column != ALL]
    for spoke in spokes:
        profiles[spoke.row].append({"label": spoke.column, "group": spoke.row, "value": spoke.value})
    labels = {spoke.column for spoke in spokes}
    shown_names = [name for name, rows in profiles.items() if len(rows) == len(labels)]
    if len(labels) < 3 or not shown_names:
        return []
    extremes = {
        name: (max(profiles[name], key=_chart_value_or_0), min(profiles[name], key=_chart_value_or_0))
        for name in shown_names
    }
    summaries = [
        f"{name}: best at {best['label']}, worst at {worst['label']}" for name, (best, worst) in extremes.items()
    ]
    svg = charts.radar_chart([row for name in shown_names for row in profiles[name]], shown_names)
    alt = (
        "A radar with a spoke for each domain and each format, from 0 in the middle to 1 at the rim. "
        f"{'; '.join(summaries)}.{charts.note_if_omitted(shown_names, contestant_names)}"
    )
    table = table_of_numbers(
        "", "Score by domain and by format", [spoke for spoke in spokes if spoke.row in shown_names]
    )
    return [SectionPicture("domain-radar", "Profile by domain and format", alt, svg, table)]


def _chart_value_or_0(chart_row: charts.Row) -> float:
    return float(chart_row["value"] or 0)


def _interval_picture_by_tag(
    numbers_by_tag: Mapping[str, Sequence[TableNumber]], contestant_names: Sequence[str]
) -> SectionPicture:
    """Domains split by tag, with intervals."""
    shown_names = contestant_names[: charts.MOST_GROUPS]
    spokes = [
        dataclasses.replace(spoke, column=f"{spoke.column}, {tag.lower()}")
        for tag, figures in numbers_by_tag.items()
        for spoke in figures
        if spoke.row in shown_names and spoke.column != ALL
    ]
    rows: list[charts.Row] = [
        {"label": spoke.column, "group": spoke.row, "value": spoke.value, "low": spoke.low, "high": spoke.high}
        for spoke in spokes
    ]
    overall: dict[str, list[str]] = {}
    for tag, figures in numbers_by_tag.items():
        for spoke in figures:
            if spoke.row in shown_names and spoke.column == ALL:
                overall.setdefault(spoke.row, []).append(f"{tag.lower()} {percent(spoke.value)}")
    summary = "; ".join(f"{name}: {', '.join(scores)}" for name, scores in overall.items())
    return SectionPicture(
        "domain-dots",
        "Score by domain and tag, with intervals",
        f"Mean scores. {summary}.{charts.note_if_omitted(shown_names, contestant_names)}",
        charts.interval_chart(rows, shown_names, x_title="mean score", y_title=""),
        table_of_numbers("", "Score by domain and tag", spokes),
    )


def _chance_numbers(
    observations: Sequence[Observation], columns_of: Callable[[Observation], Iterable[str]]
) -> list[TableNumber]:
    """A row for each language: what answers drawn at random earn in each column, each question once.

    Args:
        observations: Attempts; several at one question count as one.
        columns_of: The columns that an attempt's question counts in.
    """
    chances: dict[tuple[str, str], dict[str, float]] = {}
    for observation in observations:
        for column in columns_of(observation) if observation.format in _BY_CHANCE else ():
            chances.setdefault((f"chance ({observation.language})", column), {})[observation.problem] = _BY_CHANCE[
                observation.format
            ]
    return [
        TableNumber(row, column, 0, len(question_chances), sum(question_chances.values()) / len(question_chances))
        for (row, column), question_chances in chances.items()
    ]
