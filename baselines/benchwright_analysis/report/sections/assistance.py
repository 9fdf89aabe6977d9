"""Completions, of people with a copilot and of copilots alone: from request to text that stays, and how fast."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchwright_analysis.completion.latency import Latencies, summarise_latencies
from benchwright_analysis.completion.numbers import ratio_of_sums
from benchwright_analysis.completion.tables import estimate_or_dash, latency_table
from benchwright_analysis.report.fold import FoldedAttempt
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.section import Cell, Section, SortableTable
from benchwright_judges.agreement.estimators import Estimate


@dataclass(frozen=True)
class OfferFunnel:
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


def assistance_section(data: Dataset) -> Section | None:
    """Offers and latency by group; None if no completion was offered or taken."""
    attempts_by_group = {
        group: offered_attempts
        for group in data.groups
        if (
            offered_attempts := [attempt for attempt in data.counted_attempts_in(group) if _has_any_completion(attempt)]
        )
    }
    if not attempts_by_group:
        return None
    funnels_by_group = {group: _offer_funnel(rows) for group, rows in attempts_by_group.items()}
    rows: list[Sequence[Cell]] = [
        (
            group,
            group_offers.attempts,
            group_offers.asked,
            group_offers.shown,
            group_offers.accepted,
            group_offers.partly,
            estimate_or_dash(group_offers.shown_share, as_share=True),
            estimate_or_dash(group_offers.accepted_share, as_share=True),
            estimate_or_dash(group_offers.partly_share, as_share=True),
            estimate_or_dash(group_offers.retained, as_share=True),
        )
        for group, group_offers in funnels_by_group.items()
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
    funnel = SortableTable(
        "From request to text that stays", columns, [tuple(map(_dash_if_missing, row)) for row in rows], note
    )
    latencies_by_group = _latencies_by_group(data, attempts_by_group)
    tables = [funnel, latency_table(latencies_by_group)] if latencies_by_group else [funnel]
    lead = [] if latencies_by_group else ["No editor or server here reports how long a request took."]
    numbers = {"funnel": funnels_by_group, "latency": latencies_by_group}
    return Section("assistance", "Completions offered and taken", lead, (), tables, numbers)


def _dash_if_missing(cell: Cell) -> Cell:
    return "–" if cell is None else cell


def _has_any_completion(attempt: FoldedAttempt) -> bool:
    return bool(attempt.assistance.requests or attempt.assistance.accepted_offers or attempt.observation.shown)


def _offer_funnel(attempts: Sequence[FoldedAttempt]) -> OfferFunnel:
    problems = [attempt.observation.problem for attempt in attempts]
    people = [attempt.observation.participant if attempt.observation.is_person else None for attempt in attempts]
    request_counts = [attempt.assistance.requests for attempt in attempts]
    shown_counts = [attempt.observation.shown for attempt in attempts]
    accepted_counts = [attempt.assistance.accepted_offers for attempt in attempts]
    partly_counts = [attempt.assistance.partly_accepted_offers for attempt in attempts]
    followed = [(attempt.observation, person) for attempt, person in zip(attempts, people, strict=True)]
    surviving = [(row, person) for row, person in followed if row.survived_end is not None]
    reports_offers = sum(shown_counts) > 0 or sum(request_counts) > 0
    return OfferFunnel(
        attempts=len(attempts),
        asked=sum(request_counts) or None,
        shown=sum(shown_counts) if reports_offers else None,
        accepted=sum(accepted_counts),
        partly=sum(partly_counts),
        shown_share=ratio_of_sums(shown_counts, request_counts, problems, people) if all(request_counts) else None,
        accepted_share=ratio_of_sums(accepted_counts, shown_counts, problems, people) if reports_offers else None,
        partly_share=ratio_of_sums(partly_counts, accepted_counts, problems, people),
        retained=ratio_of_sums(
            [row.survived_end or 0 for row, _ in surviving],
            [row.accepted for row, _ in surviving],
            [row.problem for row, _ in surviving],
            [person for _, person in surviving],
        ),
    )


def _latencies_by_group(data: Dataset, attempts_by_group: dict[str, list[FoldedAttempt]]) -> dict[str, Latencies]:
    latencies_by_group = {}
    for group, rows in attempts_by_group.items():
        # The resampling must not depend on the order in which attempts were made.
        ordered_attempts = sorted(rows, key=lambda attempt: (attempt.observation.problem, attempt.observation.attempt))
        timed_problems = [
            (value, attempt.observation.problem)
            for attempt in ordered_attempts
            for value in attempt.assistance.latencies_ms
        ]
        group_latencies = summarise_latencies(
            [value for value, _ in timed_problems], [problem for _, problem in timed_problems], seed=data.seed
        )
        if group_latencies is not None:
            latencies_by_group[group] = group_latencies
    return latencies_by_group
