"""Kinds of failure, by what models say about them and by the messages that solvers saw."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from benchwright_analysis.report.fold import Reflection
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.section import Section, Table, percent
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_analysis.statistics.failures import FailureAnalysis, failure_groups

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


def failing(data: Dataset) -> Section:
    """Groups of failed attempts that read alike: by reflections where models gave them, and by last verdicts."""
    title = "How attempts failed"
    reflections = [one.reflection for one in data.analysed if one.reflection is not None and one.reflection.text]
    messages = [one.failure for one in data.analysed if one.failure.strip()]
    lead = (_asked(reflections),) if reflections else ()
    tables: list[Table] = []
    numbers: dict[str, object] = {}
    try:
        if len(reflections) >= _FEWEST:
            texts = [one.text for one in reflections][:_MOST]
            found = failure_groups(texts, embed=data.embed, name=data.name, seed=data.seed)
            tables.append(_table(found, texts, _REFLECTIONS))
            numbers["reflections"] = {**_numbers(found), "tokens": _tokens(reflections)}
        if len(messages) >= _FEWEST:
            found = failure_groups(messages[:_MOST], embed=data.embed, name=data.name, seed=data.seed)
            tables.append(_table(found, messages[:_MOST], _MESSAGES))
            numbers |= _numbers(found)
    except StatisticsError as error:
        return Section("failures", title, without=str(error))
    if not tables:
        few = f"Groups need {_FEWEST} failed attempts with a message, and there are {len(messages)}."
        return Section("failures", title, without=" ".join([few, *lead]))
    return Section("failures", title, lead, (), tuple(tables), numbers)


def _table(found: FailureAnalysis, texts: Sequence[str], words: tuple[str, str, str]) -> Table:
    title, typical, note = words
    return Table(
        title,
        ("failed attempts", "share", *(("name",) if found.named else ()), "distinctive words", typical),
        [
            (
                len(group.members),
                percent(len(group.members) / len(texts)),
                *((group.name or "–",) if found.named else ()),
                ", ".join(group.distinctive_words),
                texts[group.typical][:_SHOWN],
            )
            for group in found.groups
        ],
        " ".join(filter(None, (note, found.note))),
    )


def _numbers(found: FailureAnalysis) -> dict[str, object]:
    return {
        "comparison": found.comparison,
        "note": found.note,
        "groups": [
            {"attempts": len(group.members), "words": group.distinctive_words, "name": group.name}
            for group in found.groups
        ],
        "silhouettes": found.silhouettes,
    }


def _asked(reflections: Sequence[Reflection]) -> str:
    models = Counter(one.model for one in reflections)
    named = ", ".join(f"{model} ({count})" for model, count in models.most_common())
    used = _tokens(reflections)
    return (
        f"Models were asked why {len(reflections)} attempts failed: {named}. These replies took {used['sent']} tokens "
        f"sent and {used['received']} received, which no other table counts."
    )


def _tokens(reflections: Sequence[Reflection]) -> dict[str, int]:
    sent, received = zip(*(one.tokens for one in reflections), strict=True)
    return {"sent": sum(sent), "received": sum(received)}
