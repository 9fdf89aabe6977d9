"""Completions, of people with a copilot and of copilots alone: from request to text that stays, and how fast."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchwright_analysis.completion.latency import Latencies, latencies
from benchwright_analysis.completion.numbers import ratio_of_sums
from benchwright_analysis.completion.tables import latency_table, told
from benchwright_analysis.report.fold import Folded
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.section import Cell, Section, Table
from benchwright_judges.agreement.estimators import Estimate


@dataclass(frozen=True)
class Offered:
    """From requests to accepted text that stays, in one group."""

    attempts: int
    asked: int | None
    """None if the editor reports no requests."""
    shown: int | None
    """None if it reports no offers."""
    accepted: int
    partly: int
    shown_share: Estimate | None
    """Of the requests."""
    accepted_share: Estimate | None
    """Of the shown, whole or in part."""
    partly_share: Estimate | None
    """Of the accepted."""
    retained: Estimate | None
    """Of the accepted characters, those still there at the end."""


def assistance(data: Dataset) -> Section | None:
    """Offers and latency by group; None if no completion was offered or taken."""
    found = {group: those for group in data.groups if (those := [one for one in data.of(group) if _has_any(one)])}
    if not found:
        return None
    offered = {group: _offered(rows) for group, rows in found.items()}
    rows: list[Sequence[Cell]] = [
        (
            group,
            one.attempts,
            one.asked,
            one.shown,
            one.accepted,
            one.partly,
            told(one.shown_share, share=True),
            told(one.accepted_share, share=True),
            told(one.partly_share, share=True),
            told(one.retained, share=True),
        )
        for group, one in offered.items()
    ]
    note = (
        "Partly: of the accepted, those of which only a part was taken. Retained: accepted characters that are still "
        "there at the end; chat edits count among them. A dash: the editor does not report requests, or offers. "
        "Intervals hold for other problems, and other people."
    )
    columns = (
        *("group", "attempts", "asked", "shown", "accepted", "partly"),
        *("shown / asked", "accepted / shown", "partly / accepted", "retained"),
    )
    funnel = Table("From request to text that stays", columns, [tuple(map(_dashed, row)) for row in rows], note)
    times = _latencies(data, found)
    tables = [funnel, latency_table(times)] if times else [funnel]
    lead = [] if times else ["No editor or server here reports how long a request took."]
    numbers = {"funnel": offered, "latency": times}
    return Section("assistance", "Completions offered and taken", lead, (), tables, numbers)


def _dashed(cell: Cell) -> Cell:
    return "–" if cell is None else cell


def _has_any(one: Folded) -> bool:
    return bool(one.assistance.asked or one.assistance.accepted or one.observation.shown)


def _offered(rows: Sequence[Folded]) -> Offered:
    problems = [one.observation.problem for one in rows]
    people = [one.observation.participant if one.observation.is_person else None for one in rows]
    asked = [one.assistance.asked for one in rows]
    shown = [one.observation.shown for one in rows]
    accepted = [one.assistance.accepted for one in rows]
    partly = [one.assistance.partly for one in rows]
    followed = [(one.observation, who) for one, who in zip(rows, people, strict=True)]
    kept = [(row, who) for row, who in followed if row.survived_end is not None]
    reports_offers = sum(shown) > 0 or sum(asked) > 0
    return Offered(
        attempts=len(rows),
        asked=sum(asked) or None,
        shown=sum(shown) if reports_offers else None,
        accepted=sum(accepted),
        partly=sum(partly),
        shown_share=ratio_of_sums(shown, asked, problems, people) if all(asked) else None,
        accepted_share=ratio_of_sums(accepted, shown, problems, people) if reports_offers else None,
        partly_share=ratio_of_sums(partly, accepted, problems, people),
        retained=ratio_of_sums(
            [row.survived_end or 0 for row, _ in kept],
            [row.accepted for row, _ in kept],
            [row.problem for row, _ in kept],
            [who for _, who in kept],
        ),
    )


def _latencies(data: Dataset, found: dict[str, list[Folded]]) -> dict[str, Latencies]:
    times = {}
    for group, rows in found.items():
        # The resampling must not depend on the order in which attempts were made.
        ordered = sorted(rows, key=lambda one: (one.observation.problem, one.observation.attempt))
        pairs = [(value, one.observation.problem) for one in ordered for value in one.assistance.latencies_ms]
        one = latencies([value for value, _ in pairs], [problem for _, problem in pairs], seed=data.seed)
        if one is not None:
            times[group] = one
    return times
