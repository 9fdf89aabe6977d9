"""Kinds of failure, by what models say about them and by the messages that solvers saw."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from benchwright_analysis.report.fold import Reflection
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.section import Section, SortableTable
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_analysis.statistics.failures import FailureAnalysis, cluster_failures
from benchwright_foundation.number_text import percent

_FEWEST = 12
_MOST = 2000
_SHOWN = 160
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
    reflections = [
        attempt.reflection
        for attempt in data.counted_attempts
        if attempt.reflection is not None and attempt.reflection.text
    ]
    messages = [attempt.failure for attempt in data.counted_attempts if attempt.failure.strip()]
    lead = (_reflections_sentence(reflections),) if reflections else ()
    tables: list[SortableTable] = []
    numbers: dict[str, object] = {}
    try:
        if len(reflections) >= _FEWEST:
            texts = [reflection.text for reflection in reflections][:_MOST]
            analysis = cluster_failures(texts, embed=data.embed, name_group=data.name_failures, seed=data.seed)
            tables.append(_failure_groups_table(analysis, texts, _REFLECTIONS))
            numbers["reflections"] = {**_failure_groups_numbers(analysis), "tokens": _token_sums(reflections)}
        if len(messages) >= _FEWEST:
            analysis = cluster_failures(
                messages[:_MOST], embed=data.embed, name_group=data.name_failures, seed=data.seed
            )
            tables.append(_failure_groups_table(analysis, messages[:_MOST], _MESSAGES))
            numbers |= _failure_groups_numbers(analysis)
    except StatisticsError as error:
        return Section("failures", title, empty_reason=str(error))
    if not tables:
        shortage = f"Groups need {_FEWEST} failed attempts with a message, and there are {len(messages)}."
        return Section("failures", title, empty_reason=" ".join([shortage, *lead]))
    return Section("failures", title, lead, (), tuple(tables), numbers)


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
                clustered_texts[group.typical][:_SHOWN],
            )
            for group in analysis.groups
        ],
        " ".join(filter(None, (note, analysis.note))),
    )


def _failure_groups_numbers(analysis: FailureAnalysis) -> dict[str, object]:
    return {
        "comparison": analysis.comparison,
        "note": analysis.note,
        "groups": [
            {"attempts": len(group.members), "words": group.distinctive_words, "name": group.name}
            for group in analysis.groups
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
    sent_counts, received_counts = zip(*(reflection.token_counts for reflection in reflections), strict=True)
    return {"sent": sum(sent_counts), "received": sum(received_counts)}
