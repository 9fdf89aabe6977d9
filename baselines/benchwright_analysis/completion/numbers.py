"""The metrics of a part of a run, each with an interval over problems."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchwright_analysis.completion.played_runs import Part
from benchwright_analysis.statistics.crossed import Crossed, crossed_mean, crossed_ratio, crossed_share
from benchwright_analysis.statistics.crossed_design import Cells
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_judges.agreement.estimators import Estimate
from benchwright_subjects.inline.record import SHOWN, Decision, SiteRecord
from benchwright_subjects.inline.run_folder import SnapshotVerdict

_Count = Callable[[SiteRecord], int]
_ACCEPTED = frozenset({Decision.ACCEPTED, Decision.PARTLY_ACCEPTED})


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
class Characters:
    """How much typing it saved."""

    expected: int
    saved: Estimate | None
    """Share of the expected."""
    retained: Estimate | None
    """Share of the accepted."""
    golf: Estimate | None


@dataclass(frozen=True)
class Alike:
    """First offers beside what was expected, over the sites where something was offered."""

    sites: int
    exact: Estimate | None
    edit_similarity: Estimate | None
    identifier_f1: Estimate | None
    parses: Estimate | None
    lines_kept: Estimate | None
    """Of replays: share of the offered lines that the author wrote too."""


@dataclass(frozen=True)
class Passed:
    """The hidden tests."""

    graded: int
    undecided: int
    after: dict[str, Estimate | None]
    """Accepts → share of the sites whose file passed after this many, or at the end if there were fewer."""
    at_end: Estimate | None


def funnel(part: Part) -> Funnel:
    """Requests and their outcome."""

    def steps(wanted: frozenset[Decision]) -> _Count:
        return lambda one: sum(step.decision in wanted for step in one.steps)

    shown = steps(SHOWN)
    return Funnel(
        requests=sum(len(one.steps) for one in part.records),
        shown=_ratio(part, shown, lambda one: len(one.steps)),
        accepted=_ratio(part, steps(_ACCEPTED), shown),
        partly=_ratio(part, steps(frozenset({Decision.PARTLY_ACCEPTED})), shown),
        repeats_suffix=_ratio(part, lambda one: sum(step.repeats_suffix for step in one.steps), shown),
        next_edits=sum(step.next_edits or 0 for one in part.records for step in one.steps),
        next_edits_taken=sum(step.next_edits_taken for one in part.records for step in one.steps),
        cancelled=sum(one.cancelled for one in part.records),
        failed_sites=sum(one.failure is not None for one in part.records),
    )


def characters(part: Part) -> Characters:
    """Characters saved and kept, and the golf score."""
    played = [(one.golf, one.problem) for one in part.records if one.golf is not None]
    return Characters(
        expected=sum(one.efforts.expected for one in part.records),
        saved=_ratio(part, lambda one: one.efforts.saved, lambda one: one.efforts.expected),
        retained=_ratio(part, lambda one: one.efforts.kept, lambda one: one.efforts.accepted),
        golf=_mean([golf for golf, _ in played], [problem for _, problem in played]),
    )


def alike(part: Part) -> Alike:
    """First offers and what was expected."""
    found = [(one.likeness, one.problem) for one in part.records if one.likeness is not None]
    problems = [problem for _, problem in found]
    named = [(one.identifier_f1, problem) for one, problem in found if one.identifier_f1 is not None]
    replayed = [(one.lines_kept or 0, one.lines, problem) for one, problem in found if one.lines]
    return Alike(
        len(found),
        exact=_share([one.exact for one, _ in found], problems),
        edit_similarity=_mean([one.edit_similarity for one, _ in found], problems),
        identifier_f1=_mean([f1 for f1, _ in named], [problem for _, problem in named]),
        parses=_share([one.parses for one, _ in found], problems),
        lines_kept=ratio_of_sums(
            [one for one, _, _ in replayed], [one for _, one, _ in replayed], [p for *_, p in replayed]
        ),
    )


def passed(part: Part) -> Passed | None:
    """What the hidden tests say; None if nothing was graded."""
    graded = [
        (part.run.verdicts[one.site, one.policy], one.problem)
        for one in part.records
        if (one.site, one.policy) in part.run.verdicts
    ]
    if not graded:
        return None
    most = max(verdict.accepts for verdicts, _ in graded for verdict in verdicts)
    steps = [1 << power for power in range(max(1, most).bit_length())]
    return Passed(
        len(graded),
        undecided=sum(verdicts[-1].outcome == "error" for verdicts, _ in graded),
        after={str(accepts): _passed([(_after(v, accepts), problem) for v, problem in graded]) for accepts in steps},
        at_end=_passed([(verdicts[-1], problem) for verdicts, problem in graded]),
    )


def _after(verdicts: Sequence[SnapshotVerdict], accepts: int) -> SnapshotVerdict:
    """The last verdict after at most this many accepts; at the end if there were fewer.

    Args:
        verdicts: In the order of accepts, that at the end last.
        accepts: How many.
    """
    if verdicts[-1].accepts < accepts:
        return verdicts[-1]
    return next((one for one in reversed(verdicts[:-1]) if one.accepts <= accepts), verdicts[-1])


def _passed(verdicts: Sequence[tuple[SnapshotVerdict, str]]) -> Estimate | None:
    decided = [(one.outcome == "passed", problem) for one, problem in verdicts if one.outcome != "error"]
    return _share([one for one, _ in decided], [problem for _, problem in decided])


def _ratio(part: Part, above: _Count, below: _Count) -> Estimate | None:
    return ratio_of_sums([above(one) for one in part.records], [below(one) for one in part.records], part.problems)


def ratio_of_sums(
    above: Sequence[int], below: Sequence[int], problems: Sequence[str], people: Sequence[str | None] | None = None
) -> Estimate | None:
    """A share of counts, with an interval that holds for other problems, and other people.

    Args:
        above: Of each site or attempt.
        below: The same, what they are a share of.
        problems: Of each.
        people: Of each, who worked; None if nobody did.

    Returns:
        None if there is nothing to divide by.
    """
    cells = _cells(problems) if people is None else Cells(people, problems)
    try:
        found = crossed_ratio(above, below, cells)
    except StatisticsError:
        return None
    # No ratio here is above 1; only characters saved can be below 0.
    low = found.low if found.low is None or min(above) < 0 else max(0.0, found.low)
    return Estimate(value=found.value, low=low, high=None if found.high is None else min(1.0, found.high))


def _mean(values: Sequence[float], problems: Sequence[str]) -> Estimate | None:
    found = crossed_mean(values, _cells(problems)) if values else None
    return None if found is None else _bounded(found)


def _share(values: Sequence[bool], problems: Sequence[str]) -> Estimate | None:
    return _bounded(crossed_share(values, _cells(problems))) if values else None


def _bounded(found: Crossed) -> Estimate:
    low, high = (None if end is None else min(1.0, max(0.0, end)) for end in (found.low, found.high))
    return Estimate(value=found.value, low=low, high=high)


def _cells(problems: Sequence[str]) -> Cells:
    return Cells([None] * len(problems), problems)
