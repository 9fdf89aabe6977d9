"""Kinds of failure, by the messages that solvers saw."""

from __future__ import annotations

from benchwright_analysis.report.dataset import Dataset
from benchwright_analysis.report.section import Section, Table, percent
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_analysis.statistics.failures import failure_groups

_FEWEST = 12
_MOST = 2000
_SHOWN = 160


def failing(data: Dataset) -> Section:
    """Groups of failed attempts whose last verdicts read alike."""
    title = "How attempts failed"
    failed = [one for one in data.analysed if one.failure.strip()][:_MOST]
    few = f"Groups need {_FEWEST} failed attempts with a message, and there are {len(failed)}."
    if len(failed) < _FEWEST:
        return Section("failures", title, without=few)
    texts = [one.failure for one in failed]
    try:
        found = failure_groups(texts, seed=data.seed)
    except StatisticsError as error:
        return Section("failures", title, without=str(error))
    table = Table(
        "Kinds of failure",
        ("failed attempts", "share", "distinctive words", "typical message"),
        [
            (
                len(group.members),
                percent(len(group.members) / len(texts)),
                group.name or ", ".join(group.distinctive_words),
                texts[group.typical][:_SHOWN],
            )
            for group in found.groups
        ],
        found.note,
    )
    lead = ("Messages are those that the solver was shown, so they reveal no more than the problem does.",)
    numbers = {
        "comparison": found.comparison,
        "note": found.note,
        "groups": [
            {"attempts": len(group.members), "words": group.distinctive_words, "name": group.name}
            for group in found.groups
        ],
        "silhouettes": found.silhouettes,
    }
    return Section("failures", title, lead, (), (table,), numbers)
