"""Origins of text: hand, paste, completion, chat; and how much of what was accepted stayed."""

from __future__ import annotations

from collections.abc import Sequence

from benchwright_analysis.report import charts
from benchwright_analysis.report.fold import FoldedAttempt
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.edits import BINS, SOURCES
from benchwright_analysis.report.section import (
    Cell,
    Section,
    SectionPicture,
    SortableTable,
    counted,
    text_with_interval,
)
from benchwright_analysis.statistics.provenance import AttemptProvenance, ConditionProvenance, condition_provenance
from benchwright_foundation.number_text import percent

_WORDS = {
    "typed": "typed",
    "paste": "pasted",
    "completion": "completion",
    "own_completion": "own completion",
    "chat": "chat",
    "tool": "tools of the editor",
    "other": "other",
}


def text_origins_section(data: Dataset) -> Section:
    """Shares of sources and survival of accepted text, by condition."""
    title = "Where the text came from"
    by_group = {
        group: attempts
        for group in data.groups
        if (attempts := [attempt for attempt in data.counted_attempts_in(group) if attempt.observation.inserted])
    }
    if not by_group:
        return Section("origins", title, empty_reason="No edit was recorded, or none that put text in.")
    provenance_by_group = {
        group: condition_provenance([_attempt_provenance(attempt) for attempt in attempts])
        for group, attempts in by_group.items()
    }
    table = SortableTable(
        "Text put in, by source",
        ("condition", "source", "characters", "share of all (95 % interval)", "mean share per attempt (95 % interval)"),
        [
            (
                group,
                _WORDS[source_share.source],
                source_share.characters,
                text_with_interval(source_share.pooled, as_share=True),
                text_with_interval(source_share.per_attempt, as_share=True),
            )
            for group, group_provenance in provenance_by_group.items()
            for source_share in group_provenance.sources
            if source_share.characters
        ],
    )
    tables = _survival_tables(provenance_by_group)
    guessed = sum(
        (attempt.observation.guessed_share or 0) * attempt.observation.inserted
        for attempts in by_group.values()
        for attempt in attempts
    )
    total_characters = sum(attempt.observation.inserted for attempts in by_group.values() for attempt in attempts)
    violations = sum(attempt.observation.violations for attempts in by_group.values() for attempt in attempts)
    lead = [
        f"The source of {percent(guessed / total_characters)} of the characters is a guess from the edit's shape; "
        "of the "
        "others the editor, our own completion or a command reported it."
    ]
    if violations:
        lead.append(f"{counted(violations, 'violation')} of a condition was flagged: see the table of attempts.")
    tenths = {group: _insertions_by_tenth(attempts) for group, attempts in by_group.items()}
    numbers = {"by_condition": provenance_by_group, "by_tenth": tenths}
    return Section("origins", title, lead, [_origins_picture(tenths, provenance_by_group, table)], tables, numbers)


def _insertions_by_tenth(attempts: Sequence[FoldedAttempt]) -> dict[str, list[int]]:
    """Source → characters put in by tenth of the time, of sources that there are."""
    totals = {
        source: [
            sum(attempt.inserted_per_tenth_by_source.get(source, (0,) * BINS)[part] for attempt in attempts)
            for part in range(BINS)
        ]
        for source in SOURCES
    }
    return {source: tenth_counts for source, tenth_counts in totals.items() if any(tenth_counts)}


def _attempt_provenance(attempt: FoldedAttempt) -> AttemptProvenance:
    row = attempt.observation
    participant = row.participant if row.is_person else None
    inserted = {source: int(getattr(row, f"inserted_{source}")) for source in SOURCES}
    if row.survived_end is None:
        return AttemptProvenance(row.attempt, participant, row.problem, inserted, row.accepted)
    return AttemptProvenance(
        row.attempt,
        participant,
        row.problem,
        inserted,
        row.accepted,
        {"30 s": row.survived_30s or 0, "2 min": row.survived_120s or 0, "the end": row.survived_end},
        {"30 s": row.reached_30s or 0, "2 min": row.reached_120s or 0, "the end": row.accepted},
    )


def _survival_tables(provenance_by_group: dict[str, ConditionProvenance]) -> list[SortableTable]:
    rows: list[Sequence[Cell]] = [
        (
            group,
            survival_share.moment,
            survival_share.accepted,
            survival_share.surviving,
            text_with_interval(survival_share.pooled, as_share=True),
        )
        for group, group_provenance in provenance_by_group.items()
        for survival_share in group_provenance.survival
        if survival_share.accepted
    ]
    if not rows:
        return []
    note = "Text of completions and chat edits that was taken. What was not followed for so long does not count there."
    columns = ("condition", "after", "characters accepted", "still there", "share (95 % interval)")
    return [SortableTable("Survival of accepted text", columns, rows, note)]


def _origins_picture(
    tenths_by_group: dict[str, dict[str, list[int]]],
    provenance_by_group: dict[str, ConditionProvenance],
    table: SortableTable,
) -> SectionPicture:
    rows: list[charts.Row] = []
    groups = list(tenths_by_group)[:6]
    for group in groups:
        for source, totals in tenths_by_group[group].items():
            rows += [
                {"x": (tenth + 1) * (100 // BINS), "value": total, "kind": _WORDS[source], "group": group}
                for tenth, total in enumerate(totals)
            ]
    shown_words = [word for word in _WORDS.values() if any(row["kind"] == word for row in rows)]
    summaries = [
        f"{group}: {_WORDS[top.source]} {percent(top.pooled.value)}"
        for group, group_provenance in provenance_by_group.items()
        if (top := max(group_provenance.sources, key=lambda source_share: source_share.characters, default=None))
        is not None
    ]
    return SectionPicture(
        "origins",
        "Sources of the text over the course of attempts",
        f"Stacked bars, one for each tenth of the time on the clock. Most characters by: {'; '.join(summaries)}."
        f"{charts.note_if_omitted(groups, tenths_by_group)}",
        charts.stacked_share_bars(rows, shown_words, groups, x_title="part of the time (%)", y_title="characters"),
        table,
    )
