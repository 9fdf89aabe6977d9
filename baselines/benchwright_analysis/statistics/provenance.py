"""Sources of the text of attempts, and the share of accepted text that stayed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchwright_analysis.statistics.crossed import CrossedEstimate, crossed_mean, crossed_ratio
from benchwright_analysis.statistics.crossed_design import CrossedCells
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_judges.agreement.estimators import Estimate


@dataclass(frozen=True)
class AttemptProvenance:
    """Counts of one attempt, in characters."""

    attempt: str
    participant: str | None
    """None if no person worked."""
    problem: str
    inserted: Mapping[str, int]
    """Source (hand, completion, chat, paste …) → characters inserted."""
    accepted_characters: int = 0
    """Characters of completions that were accepted."""
    surviving_by_moment: Mapping[str, int] | None = None
    """Moment (30 s, 2 min, submit) → of these, characters still there. Accepted text that the moment never came for,
    such as at an attempt that ended before, belongs to neither: see `reached`."""
    reached_by_moment: Mapping[str, int] | None = None
    """Moment → accepted characters that the moment came for; all that were accepted, if not given."""


@dataclass(frozen=True)
class SourceShare:
    """One source."""

    source: str
    characters: int
    pooled: Estimate
    """Of all characters inserted in all attempts: long attempts count more."""
    per_attempt: Estimate
    """Mean over attempts of the share within each: all attempts count alike."""


@dataclass(frozen=True)
class SurvivalShare:
    """Share of accepted text that was still there at a moment."""

    moment: str
    accepted: int
    surviving: int
    pooled: Estimate


@dataclass(frozen=True)
class ConditionProvenance:
    """All attempts of a condition."""

    attempts: int
    without_text: int
    """Attempts in which nothing was inserted; they have no shares."""
    sources: tuple[SourceShare, ...]
    survival: tuple[SurvivalShare, ...]


def condition_provenance(attempt_provenances: Sequence[AttemptProvenance]) -> ConditionProvenance:
    """Shares of sources and survival of accepted text, with intervals over participants and problems.

    Args:
        attempt_provenances: Attempts of one condition.

    Raises:
        StatisticsError: A count is negative, or more survives than was accepted.
    """
    for attempt in attempt_provenances:
        _refuse_impossible_counts(attempt)
    written_attempts = [attempt for attempt in attempt_provenances if sum(attempt.inserted.values()) > 0]
    cells = _attempt_cells(written_attempts)
    totals = [sum(attempt.inserted.values()) for attempt in written_attempts]
    source_shares = []
    for source in sorted({source for attempt in written_attempts for source in attempt.inserted}):
        counts = [attempt.inserted.get(source, 0) for attempt in written_attempts]
        shares = [count / total for count, total in zip(counts, totals, strict=True)]
        source_shares.append(
            SourceShare(
                source=source,
                characters=sum(counts),
                pooled=_clipped_to_0_and_1(crossed_ratio(counts, totals, cells)),
                per_attempt=_clipped_to_0_and_1(crossed_mean(shares, cells)),
            )
        )
    moments = dict.fromkeys(moment for attempt in attempt_provenances for moment in attempt.surviving_by_moment or {})
    survival = [_survival_share(moment, attempt_provenances) for moment in moments]
    return ConditionProvenance(
        len(attempt_provenances),
        len(attempt_provenances) - len(written_attempts),
        tuple(source_shares),
        tuple(survival),
    )


def _survival_share(moment: str, attempt_provenances: Sequence[AttemptProvenance]) -> SurvivalShare:
    informative_attempts = [attempt for attempt in attempt_provenances if moment in (attempt.surviving_by_moment or {})]
    stayed = [(attempt.surviving_by_moment or {})[moment] for attempt in informative_attempts]
    reached_counts = [_reached_characters(attempt, moment) for attempt in informative_attempts]
    if not sum(reached_counts):
        return SurvivalShare(moment, 0, sum(stayed), Estimate(value=None))
    pooled = _clipped_to_0_and_1(crossed_ratio(stayed, reached_counts, _attempt_cells(informative_attempts)))
    return SurvivalShare(moment, sum(reached_counts), sum(stayed), pooled)


def _attempt_cells(attempt_provenances: Sequence[AttemptProvenance]) -> CrossedCells:
    return CrossedCells(
        [attempt.participant for attempt in attempt_provenances], [attempt.problem for attempt in attempt_provenances]
    )


def _clipped_to_0_and_1(estimate: CrossedEstimate) -> Estimate:
    low, high = (None if end is None else min(1.0, max(0.0, end)) for end in (estimate.low, estimate.high))
    return Estimate(value=estimate.value, low=low, high=high)


def _reached_characters(attempt_provenance: AttemptProvenance, moment: str) -> int:
    return (attempt_provenance.reached_by_moment or {}).get(moment, attempt_provenance.accepted_characters)


def _refuse_impossible_counts(attempt_provenance: AttemptProvenance) -> None:
    counts = [
        *attempt_provenance.inserted.values(),
        attempt_provenance.accepted_characters,
        *(attempt_provenance.surviving_by_moment or {}).values(),
    ]
    if any(count < 0 for count in counts):
        raise StatisticsError(f"Attempt {attempt_provenance.attempt} has a negative count of characters.")
    for moment, count in (attempt_provenance.surviving_by_moment or {}).items():
        if not count <= _reached_characters(attempt_provenance, moment) <= attempt_provenance.accepted_characters:
            raise StatisticsError(
                f"Attempt {attempt_provenance.attempt}: at {moment}, {count} characters survive of "
                f"{_reached_characters(attempt_provenance, moment)}, and {attempt_provenance.accepted_characters} were "
                "accepted."
            )
