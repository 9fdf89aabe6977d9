"""Where text came from: hand, paste, completion, chat; and how much of what was accepted stayed."""

from __future__ import annotations

from collections.abc import Sequence

from benchwright_analysis.report import charts
from benchwright_analysis.report.fold import Folded
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.edits import BINS, SOURCES
from benchwright_analysis.report.section import Cell, Picture, Section, Table, count, percent, with_interval
from benchwright_analysis.statistics.provenance import AttemptProvenance, Provenance, provenance

_WORDS = {
    "typed": "typed",
    "paste": "pasted",
    "completion": "completion",
    "own_completion": "own completion",
    "chat": "chat",
    "tool": "tools of the editor",
    "other": "other",
}


def origins(data: Dataset) -> Section:
    """Shares of sources and survival of accepted text, by condition."""
    title = "Where the text came from"
    by_group = {
        group: found for group in data.groups if (found := [one for one in data.of(group) if one.observation.inserted])
    }
    if not by_group:
        return Section("origins", title, without="No edit was recorded, or none that put text in.")
    results = {group: provenance([_counts(one) for one in found]) for group, found in by_group.items()}
    table = Table(
        "Text put in, by source",
        ("condition", "source", "characters", "share of all (95 % interval)", "mean share per attempt (95 % interval)"),
        [
            (
                group,
                _WORDS[one.source],
                one.characters,
                with_interval(one.pooled, share=True),
                with_interval(one.per_attempt, share=True),
            )
            for group, result in results.items()
            for one in result.sources
            if one.characters
        ],
    )
    tables = _survival(results)
    guessed = sum(
        (one.observation.guessed_share or 0) * one.observation.inserted for each in by_group.values() for one in each
    )
    everything = sum(one.observation.inserted for each in by_group.values() for one in each)
    violations = sum(one.observation.violations for each in by_group.values() for one in each)
    lead = [
        f"The source of {percent(guessed / everything)} of the characters is a guess from the edit's shape; of the "
        "others the editor, our own completion or a command reported it."
    ]
    if violations:
        lead.append(f"{count(violations, 'violation')} of a condition was flagged: see the table of attempts.")
    tenths = {group: _tenths(found) for group, found in by_group.items()}
    numbers = {"by_condition": results, "by_tenth": tenths}
    return Section("origins", title, lead, [_picture(tenths, results, table)], tables, numbers)


def _tenths(found: Sequence[Folded]) -> dict[str, list[int]]:
    """Source → characters put in by tenth of the time, of sources that there are."""
    totals = {
        source: [sum(one.sources.get(source, (0,) * BINS)[part] for one in found) for part in range(BINS)]
        for source in SOURCES
    }
    return {source: each for source, each in totals.items() if any(each)}


def _counts(one: Folded) -> AttemptProvenance:
    row = one.observation
    who = row.participant if row.is_person else None
    inserted = {source: int(getattr(row, f"inserted_{source}")) for source in SOURCES}
    if row.survived_end is None:
        return AttemptProvenance(row.attempt, who, row.problem, inserted, row.accepted)
    return AttemptProvenance(
        row.attempt,
        who,
        row.problem,
        inserted,
        row.accepted,
        {"30 s": row.survived_30s or 0, "2 min": row.survived_120s or 0, "the end": row.survived_end},
        {"30 s": row.reached_30s or 0, "2 min": row.reached_120s or 0, "the end": row.accepted},
    )


def _survival(results: dict[str, Provenance]) -> list[Table]:
    rows: list[Sequence[Cell]] = [
        (group, one.moment, one.accepted, one.surviving, with_interval(one.pooled, share=True))
        for group, result in results.items()
        for one in result.survival
        if one.accepted
    ]
    if not rows:
        return []
    note = "Text of completions and chat edits that was taken. What was not followed for so long does not count there."
    columns = ("condition", "after", "characters accepted", "still there", "share (95 % interval)")
    return [Table("Survival of accepted text", columns, rows, note)]


def _picture(tenths: dict[str, dict[str, list[int]]], results: dict[str, Provenance], table: Table) -> Picture:
    rows: list[charts.Row] = []
    groups = list(tenths)[:6]
    for group in groups:
        for source, totals in tenths[group].items():
            rows += [
                {"x": (part + 1) * (100 // BINS), "value": total, "kind": _WORDS[source], "group": group}
                for part, total in enumerate(totals)
            ]
    kinds = [word for word in _WORDS.values() if any(row["kind"] == word for row in rows)]
    most = [
        f"{group}: {_WORDS[top.source]} {percent(top.pooled.value)}"
        for group, result in results.items()
        if (top := max(result.sources, key=lambda one: one.characters, default=None)) is not None
    ]
    return Picture(
        "origins",
        "Sources of the text over the course of attempts",
        f"Stacked bars, one for each tenth of the time on the clock. Most characters by: {'; '.join(most)}."
        f"{charts.drawn(groups, tenths)}",
        charts.stacked(rows, kinds, groups, x="part of the time (%)", y="characters"),
        table,
    )
