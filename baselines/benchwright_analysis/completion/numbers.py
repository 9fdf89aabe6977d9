"""The metrics of a part of a run, each with an interval over problems."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import takewhile

from benchwright_analysis.completion.played_runs import SiteGroup
from benchwright_analysis.statistics.crossed import CrossedEstimate, crossed_mean, crossed_ratio, crossed_share
from benchwright_analysis.statistics.crossed_design import CrossedCells
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_judges.agreement.estimators import Estimate
from benchwright_subjects.inline.record import SHOWN, OfferOutcome, SiteRecord
from benchwright_subjects.inline.run_folder import SnapshotVerdict

_Count = Callable[[SiteRecord], int]
_ACCEPTED = frozenset({OfferOutcome.ACCEPTED, OfferOutcome.PARTLY_ACCEPTED})


@dataclass(frozen=True)
class Funnel:
    """From requests to accepted offers."""

    requests: int
    shown: Estimate | None
    """Share of the requests."""
    accepted: Estimate | None
    """Share of the shown, whole or in part."""
    partly: Estimate | None
    """Share of the shown."""
    repeats_suffix: Estimate | None
    """Share of the shown."""
    next_edits: int
    """Proposed after accepted offers."""
    next_edits_taken: int
    cancelled: int
    failed_sites: int


@dataclass(frozen=True)
class TypingSaved:
    """Amount of typing that it saved, in characters."""

    expected: int
    saved: Estimate | None
    """Share of the expected."""
    typed_as_offered: Estimate | None
    """Share of the expected that was typed by hand although the offer that was just refused had it."""
    retained: Estimate | None
    """Share of the accepted."""
    golf: Estimate | None


@dataclass(frozen=True)
class OfferLikeness:
    """First offers beside what was expected, over the sites where something was offered."""

    sites: int
    exact: Estimate | None
    edit_similarity: Estimate | None
    identifier_f1: Estimate | None
    parses: Estimate | None
    lines_kept: Estimate | None
    """Of replays: share of the offered lines that the author wrote too."""


@dataclass(frozen=True)
class PassShares:
    """The hidden tests."""

    graded: int
    undecided: int
    after: dict[str, Estimate | None]
    """Accepts → share of the sites whose file passed after this many, or at the end if there were fewer."""
    at_end: Estimate | None


def funnel(site_group: SiteGroup) -> Funnel:
    """Requests and their outcome."""

    def steps(decisions: frozenset[OfferOutcome]) -> _Count:
        return lambda record: sum(step.decision in decisions for step in record.steps)

    shown_count = steps(SHOWN)
    return Funnel(
        requests=sum(len(record.steps) for record in site_group.records),
        shown=_ratio_over_sites(site_group, shown_count, lambda record: len(record.steps)),
        accepted=_ratio_over_sites(site_group, steps(_ACCEPTED), shown_count),
        partly=_ratio_over_sites(site_group, steps(frozenset({OfferOutcome.PARTLY_ACCEPTED})), shown_count),
        repeats_suffix=_ratio_over_sites(
            site_group, lambda record: sum(step.repeats_suffix for step in record.steps), shown_count
        ),
        next_edits=sum(step.next_edits or 0 for record in site_group.records for step in record.steps),
        next_edits_taken=sum(step.next_edits_taken for record in site_group.records for step in record.steps),
        cancelled=sum(record.cancelled for record in site_group.records),
        failed_sites=sum(record.failure is not None for record in site_group.records),
    )


def typing_saved(site_group: SiteGroup) -> TypingSaved:
    """Characters saved and kept, and the golf score."""
    golf_scores = [(record.golf, record.problem) for record in site_group.records if record.golf is not None]
    return TypingSaved(
        expected=sum(record.efforts.expected for record in site_group.records),
        saved=_ratio_over_sites(
            site_group, lambda record: record.efforts.saved_characters, lambda record: record.efforts.expected
        ),
        typed_as_offered=_ratio_over_sites(
            site_group, _characters_typed_as_offered, lambda record: record.efforts.expected
        ),
        retained=_ratio_over_sites(
            site_group, lambda record: record.efforts.kept, lambda record: record.efforts.accepted
        ),
        golf=_clipped_mean([golf for golf, _ in golf_scores], [problem for _, problem in golf_scores]),
    )


def _characters_typed_as_offered(record: SiteRecord) -> int:
    """Characters, without white space, with which the offer begins that was refused before they were typed."""
    count = 0
    for step in record.steps:
        if step.decision is OfferOutcome.REFUSED:
            pairs = zip("".join(step.offer.split()), "".join(step.typed.split()), strict=False)
            count += sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    return count


def offer_likeness(site_group: SiteGroup) -> OfferLikeness:
    """First offers and what was expected."""
    likenesses = [(record.likeness, record.problem) for record in site_group.records if record.likeness is not None]
    problems = [problem for _, problem in likenesses]
    identifier_scores = [
        (likeness.identifier_f1, problem) for likeness, problem in likenesses if likeness.identifier_f1 is not None
    ]
    replayed = [
        (likeness.lines_kept or 0, likeness.lines, problem) for likeness, problem in likenesses if likeness.lines
    ]
    return OfferLikeness(
        len(likenesses),
        exact=_flag_share([likeness.exact for likeness, _ in likenesses], problems),
        edit_similarity=_clipped_mean([likeness.edit_similarity for likeness, _ in likenesses], problems),
        identifier_f1=_clipped_mean([f1 for f1, _ in identifier_scores], [problem for _, problem in identifier_scores]),
        parses=_flag_share([likeness.parses for likeness, _ in likenesses], problems),
        lines_kept=ratio_of_sums(
            [line_count for line_count, _, _ in replayed],
            [line_count for _, line_count, _ in replayed],
            [p for *_, p in replayed],
        ),
    )


def pass_shares_if_graded(site_group: SiteGroup) -> PassShares | None:
    """Results of the hidden tests; None if nothing was graded."""
    graded_verdicts = [
        (site_group.run.verdicts[record.site, record.policy], record.problem)
        for record in site_group.records
        if (record.site, record.policy) in site_group.run.verdicts
    ]
    if not graded_verdicts:
        return None
    most_accepts = max(verdict.accepts for verdicts, _ in graded_verdicts for verdict in verdicts)
    steps = [1 << power for power in range(max(1, most_accepts).bit_length())]
    return PassShares(
        len(graded_verdicts),
        undecided=sum(verdicts[-1].outcome == "error" for verdicts, _ in graded_verdicts),
        after={
            str(accepts): _decided_pass_share([(_verdict_after(v, accepts), problem) for v, problem in graded_verdicts])
            for accepts in steps
        },
        at_end=_decided_pass_share([(verdicts[-1], problem) for verdicts, problem in graded_verdicts]),
    )


def _verdict_after(verdicts: Sequence[SnapshotVerdict], most_accepts: int) -> SnapshotVerdict:
    """The last verdict after at most this many accepts; at the end if there were fewer.

    Args:
        verdicts: Verdicts in the order of accepts, that at the end last.
        most_accepts: Number of accepts.
    """
    if verdicts[-1].accepts < most_accepts:
        return verdicts[-1]
    return next((verdict for verdict in reversed(verdicts[:-1]) if verdict.accepts <= most_accepts), verdicts[-1])


def _decided_pass_share(verdicts_with_problem: Sequence[tuple[SnapshotVerdict, str]]) -> Estimate | None:
    decided_verdicts = [
        (verdict.outcome == "passed", problem)
        for verdict, problem in verdicts_with_problem
        if verdict.outcome != "error"
    ]
    return _flag_share([is_passed for is_passed, _ in decided_verdicts], [problem for _, problem in decided_verdicts])


def _ratio_over_sites(site_group: SiteGroup, numerator_of: _Count, denominator_of: _Count) -> Estimate | None:
    return ratio_of_sums(
        [numerator_of(record) for record in site_group.records],
        [denominator_of(record) for record in site_group.records],
        site_group.record_problems,
    )


def ratio_of_sums(
    numerators: Sequence[int],
    denominators: Sequence[int],
    problems: Sequence[str],
    people: Sequence[str | None] | None = None,
) -> Estimate | None:
    """A share of counts, with an interval that holds for other problems, and other people.

    Args:
        numerators: Count of each site or attempt.
        denominators: The same, what they are a share of.
        problems: Problem of each.
        people: Person who worked, of each; None if nobody did.

    Returns:
        None if there is nothing to divide by.
    """
    cells = _crossed_cells_of_problems(problems) if people is None else CrossedCells(people, problems)
    try:
        ratio = crossed_ratio(numerators, denominators, cells)
    except StatisticsError:
        return None
    # No ratio here is above 1; only characters saved can be below 0.
    low = ratio.low if ratio.low is None or min(numerators) < 0 else max(0.0, ratio.low)
    return Estimate(value=ratio.value, low=low, high=None if ratio.high is None else min(1.0, ratio.high))


def _clipped_mean(values: Sequence[float], problems: Sequence[str]) -> Estimate | None:
    mean = crossed_mean(values, _crossed_cells_of_problems(problems)) if values else None
    return None if mean is None else _clipped_to_unit_interval(mean)


def _flag_share(truth_values: Sequence[bool], problems: Sequence[str]) -> Estimate | None:
    return (
        _clipped_to_unit_interval(crossed_share(truth_values, _crossed_cells_of_problems(problems)))
        if truth_values
        else None
    )


def _clipped_to_unit_interval(crossed: CrossedEstimate) -> Estimate:
    low, high = (None if end is None else min(1.0, max(0.0, end)) for end in (crossed.low, crossed.high))
    return Estimate(value=crossed.value, low=low, high=high)


def _crossed_cells_of_problems(problems: Sequence[str]) -> CrossedCells:
    return CrossedCells([None] * len(problems), problems)
