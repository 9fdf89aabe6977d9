"""Kinds of failure, by what models say about them and by the messages that solvers saw."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from benchwright_analysis.report import charts
from benchwright_analysis.report.fold import FoldedAttempt, Reflection
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.section import Cell, Section, SectionPicture, SortableTable
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_analysis.statistics.failures import FailureAnalysis, cluster_failures
from benchwright_foundation.number_text import percent

_FEWEST = 12
_MOST = 2000
_SHOWN = 160
_WORDS_OF_A_NAME = 3
_REFLECTIONS = (
    "Kinds of failure, by what models say",
    "what the model says of a typical one",
    "A model's explanation of its own failure is an opinion: it saw its answer and what the problem reveals, not the "
    "hidden tests. `benchwright eval reflect` asks for it.",
)
_MESSAGES = (
    "Kinds of failure, by the messages that solvers saw",
    "typical message",
    "Messages are those that the solver was shown, so they reveal no more than the problem does.",
)


def failing_section(data: Dataset) -> Section:
    """Groups of failed attempts that read alike: by reflections where models gave them, and by last verdicts."""
    title = "How attempts failed"
    reflected = [
        (attempt, attempt.reflection)
        for attempt in data.counted_attempts
        if attempt.reflection is not None and attempt.reflection.text
    ]
    reflections = [reflection for _, reflection in reflected]
    failed = [attempt for attempt in data.counted_attempts if attempt.failure.strip()][:_MOST]
    messages = [attempt.failure for attempt in failed]
    lead = (_reflections_sentence(reflections),) if reflections else ()
    tables: list[SortableTable] = []
    pictures: list[SectionPicture] = []
    numbers: dict[str, object] = {}
    try:
        if len(reflections) >= _FEWEST:
            texts = [reflection.text for reflection in reflections][:_MOST]
            analysis = cluster_failures(texts, embed=data.embed, name_group=data.name_failures, seed=data.seed)
            groups_table = _failure_groups_table(analysis, texts, _REFLECTIONS)
            by_category = _counts_by_category([attempt for attempt, _ in reflected][:_MOST], analysis)
            tables += _category_tables(by_category, _REFLECTIONS[0])
            pictures.append(_positions_picture("reflections", analysis, groups_table))
            numbers["reflections"] = {
                **_failure_groups_numbers(analysis, by_category),
                "tokens": _token_sums(reflections),
            }
        if len(messages) >= _FEWEST:
            analysis = cluster_failures(messages, embed=data.embed, name_group=data.name_failures, seed=data.seed)
            groups_table = _failure_groups_table(analysis, messages, _MESSAGES)
            by_category = _counts_by_category(failed, analysis)
            tables += _category_tables(by_category, _MESSAGES[0])
            pictures.append(_positions_picture("messages", analysis, groups_table))
            numbers |= _failure_groups_numbers(analysis, by_category)
    except StatisticsError as error:
        return Section("failures", title, empty_reason=str(error))
    if not pictures:
        shortage = f"Groups need {_FEWEST} failed attempts with a message, and there are {len(messages)}."
        return Section("failures", title, empty_reason=" ".join([shortage, *lead]))
    return Section("failures", title, lead, tuple(pictures), tuple(tables), numbers)


_CategoryCounts = Mapping[tuple[str, str], Sequence[int]]
"""(category, group of attempts) → failures in each kind, in the order of the kinds."""


def _kind_names(analysis: FailureAnalysis) -> list[str]:
    """The kinds of failure as columns are headed: numbered, because two may have one name."""
    return [
        f"{number}. {group.name or ', '.join(group.distinctive_words[:_WORDS_OF_A_NAME]) or 'no words of its own'}"
        for number, group in enumerate(analysis.failure_groups, 1)
    ]


def _counts_by_category(attempts: Sequence[FoldedAttempt], analysis: FailureAnalysis) -> _CategoryCounts:
    counts: dict[tuple[str, str], list[int]] = {}
    for kind, failure_group in enumerate(analysis.failure_groups):
        for member in failure_group.members:
            observation = attempts[member].observation
            if observation.category:
                key = (observation.category, observation.group)
                counts.setdefault(key, [0] * len(analysis.failure_groups))[kind] += 1
    return dict(sorted(counts.items()))


def _category_tables(counts: _CategoryCounts, title: str) -> list[SortableTable]:
    if not counts:
        return []
    kinds = range(1, len(next(iter(counts.values()))) + 1)
    rows: list[Sequence[Cell]] = [
        (category, group, sum(amounts), *(f"{amount} ({percent(amount / sum(amounts))})" for amount in amounts))
        for (category, group), amounts in counts.items()
    ]
    heads = ("category", "group", "failed attempts", *(f"kind {kind}" for kind in kinds))
    note = "Kinds are numbered as in the table of kinds, the largest first."
    return [SortableTable(f"{title}: by category and group", heads, rows, note)]


def _positions_picture(text_kind: str, analysis: FailureAnalysis, table: SortableTable) -> SectionPicture:
    kinds = _kind_names(analysis)[: charts.MOST_GROUPS]
    rows: list[charts.Row] = [
        {"x": analysis.positions[member][0], "y": analysis.positions[member][1], "group": kind}
        for kind, failure_group in zip(kinds, analysis.failure_groups, strict=False)
        for member in failure_group.members
    ]
    svg = charts.line_chart(
        (), kinds, x_title="first component", y_title="second component", as_percent=False, mark_rows=rows
    )
    alt = (
        f"A mark for each of {len(rows)} failures, in the two directions in which they differ most; what is near reads "
        f"alike. Kinds: {'; '.join(kinds)}. The table has a typical failure of each."
    )
    return SectionPicture(f"failures-{text_kind}", table.title, alt, svg, table)


def _failure_groups_table(
    analysis: FailureAnalysis, clustered_texts: Sequence[str], title_column_note: tuple[str, str, str]
) -> SortableTable:
    title, typical, note = title_column_note
    return SortableTable(
        title,
        ("failed attempts", "share", *(("name",) if analysis.named else ()), "distinctive words", typical),
        [
            (
                len(group.members),
                percent(len(group.members) / len(clustered_texts)),
                *((group.name or "–",) if analysis.named else ()),
                ", ".join(group.distinctive_words),
                clustered_texts[group.typical_index][:_SHOWN],
            )
            for group in analysis.failure_groups
        ],
        " ".join(filter(None, (note, analysis.note))),
    )


def _failure_groups_numbers(analysis: FailureAnalysis, counts: _CategoryCounts) -> dict[str, object]:
    return {
        "comparison": analysis.comparison,
        "note": analysis.note,
        "groups": [
            {"attempts": len(group.members), "words": group.distinctive_words, "name": group.name}
            for group in analysis.failure_groups
        ],
        "by_category": [
            {"category": category, "group": group, "attempts": amounts} for (category, group), amounts in counts.items()
        ],
        "silhouettes": analysis.silhouettes,
    }


def _reflections_sentence(reflections: Sequence[Reflection]) -> str:
    models = Counter(reflection.model for reflection in reflections)
    model_counts = ", ".join(f"{model} ({count})" for model, count in models.most_common())
    token_counts = _token_sums(reflections)
    return (
        f"Models were asked why {len(reflections)} attempts failed: {model_counts}. These replies took "
        f"{token_counts['sent']} tokens "
        f"sent and {token_counts['received']} received, which no other table counts."
    )


def _token_sums(reflections: Sequence[Reflection]) -> dict[str, int]:
    sent_counts, received_counts = zip(
        *(reflection.sent_and_received_tokens for reflection in reflections), strict=True
    )
    return {"sent": sum(sent_counts), "received": sum(received_counts)}
