"""Worth of a student's runs at a problem: which one counts, partial credit, and what being late costs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, tzinfo
from enum import StrEnum

from benchwright_teaching.local_times import zoned_time_text

_DAY = timedelta(days=1)
MOST_LATE_DAYS = 60
"""Late days of a student in a course, and of an assignment."""


class CountedRunChoice(StrEnum):
    """Choice of the run that counts."""

    BEST = "best"
    """The one that is worth most; of several, the first."""
    LAST = "last"
    """The newest that was decided."""


@dataclass(frozen=True)
class GradingRules:
    """Rules by which an assignment is graded."""

    points: float = 1.0
    """For each problem that is solved whole and in time."""
    counting: CountedRunChoice = CountedRunChoice.BEST
    partial: bool = False
    """True if a run that did not pass is worth its groups or share of hidden tests, or its answer's score."""
    late_percent: float = 0.0
    """Percentage of a run's points that each day after the due date, begun or whole, takes from them."""
    by_group: bool = False
    """True if what one of a group has done counts for all of them."""
    graders: int = 2
    """Number of people who grade an answer that waits for people: 1, or 2 and a third if they differ."""
    late_days: int = 0
    """The most of a student's late days that can be used; each moves the student's due date by 24 hours."""


@dataclass(frozen=True)
class AssignmentTimes:
    """Time at which an assignment is due, and after which nothing counts; extensions of a student are in them."""

    due: datetime | None = None
    closes: datetime | None = None


def student_times(
    assignment_times: AssignmentTimes, extension: AssignmentTimes | None, late_days: int = 0
) -> AssignmentTimes:
    """The times of a student. An extension only gives time, and nothing closes before it is due.

    Args:
        assignment_times: Times of the assignment.
        extension: The student's extension; None without one.
        late_days: Late days that the student has used: they follow the date of the extension.
    """
    extended = _extended_times(assignment_times, extension)
    if not late_days or extended.due is None:
        return extended
    # The last moment that there is has none after it.
    due = extended.due + min(late_days * _DAY, datetime.max.replace(tzinfo=UTC) - extended.due)
    return AssignmentTimes(due, max(extended.closes, due) if extended.closes is not None else None)


def _extended_times(assignment_times: AssignmentTimes, extension: AssignmentTimes | None) -> AssignmentTimes:
    if extension is None:
        return assignment_times
    due, closes = (
        _later_time(assignment_times.due, extension.due),
        _later_time(assignment_times.closes, extension.closes),
    )
    if extension.due is not None and due is not None and closes is not None:
        closes = max(closes, due)
    return AssignmentTimes(due, closes)


def extension_refusal(assignment_times: AssignmentTimes, extension: AssignmentTimes, zone: tzinfo = UTC) -> str:
    """The sentence that refuses an extension which is earlier than the assignment's own times; empty if none is.

    Args:
        assignment_times: Times of the assignment.
        extension: The student's other times.
        zone: Time zone of the times in the sentence.
    """
    for verb, usual_time, own_time in (
        ("is due", assignment_times.due, extension.due),
        ("closes", assignment_times.closes, extension.closes),
    ):
        if own_time is None:
            continue
        if usual_time is None:
            return f"the assignment never {verb}, so an extension has no time at which it {verb}"
        if own_time < usual_time:
            return f"the assignment {verb} at {zoned_time_text(usual_time, zone)}, and an extension is not earlier"
    if extension.due is not None and extension.closes is not None and extension.closes < extension.due:
        return "an extension does not close before it is due"
    return ""


def _later_time(usual_time: datetime | None, own_time: datetime | None) -> datetime | None:
    """The later of two times; an assignment without one has no such time for anybody."""
    return usual_time if usual_time is None or own_time is None else max(usual_time, own_time)


@dataclass(frozen=True)
class DecidedRun:
    """A run that passed or failed. What was undecided is worth nothing and costs nothing."""

    id: str
    at: datetime
    """Time at which it was asked for."""
    is_passed: bool
    share: float
    """Of the points of groups of hidden tests, or without groups of the hidden tests, that passed, from 0 to 1."""
    hints_cost: float = 0.0
    """Share of the problem's points that the hints cost which were taken before it."""
    number: int | None = None
    """Number of the run within its attempt. None if it is unknown."""


@dataclass(frozen=True)
class Worth:
    """Worth of a problem: what it brought."""

    points: float
    """Rounded to a thousandth."""
    run: DecidedRun | None
    """The one that counts; None without any."""
    days_late: int
    """Of that run."""


def problem_worth(decided_runs: Sequence[DecidedRun], grading: GradingRules, deadlines: AssignmentTimes) -> Worth:
    """The points of a student for a problem.

    Args:
        decided_runs: All decided runs.
        grading: Grading of the assignment.
        deadlines: Times of the student.
    """
    counted_runs = sorted(
        (run for run in decided_runs if deadlines.closes is None or run.at <= deadlines.closes), key=lambda run: run.at
    )
    if not counted_runs:
        return Worth(0.0, None, 0)
    if grading.counting is CountedRunChoice.LAST:
        return _worth_of_run(counted_runs[-1], grading, deadlines.due)
    return max((_worth_of_run(run, grading, deadlines.due) for run in counted_runs), key=lambda worth: worth.points)


def share_before_deductions(run: DecidedRun, grading: GradingRules) -> float:
    """Share of a problem's points that a run is worth if it is not late and no hint was taken, from 0 to 1."""
    return run.share if grading.partial else float(run.is_passed)


def days_late(moment: datetime, due: datetime | None) -> int:
    """Number of days after the due date, each one counted as soon as it has begun."""
    return max(0, math.ceil((moment - due) / _DAY)) if due is not None else 0


def _worth_of_run(run: DecidedRun, grading: GradingRules, due: datetime | None) -> Worth:
    days_overdue = days_late(run.at, due)
    kept_share = max(0.0, 1 - days_overdue * grading.late_percent / 100)
    earned = max(0.0, share_before_deductions(run, grading) - run.hints_cost)
    return Worth(round(grading.points * earned * kept_share, 3), run, days_overdue)


@dataclass(frozen=True)
class CostlyHint:
    """A hint that somebody took."""

    number: int
    """Its rank in the problem."""
    at: datetime
    cost: float
    """Share of the problem's points."""


def runs_with_hint_costs(
    decided_runs: Sequence[DecidedRun], costly_hints: Sequence[CostlyHint]
) -> Sequence[DecidedRun]:
    """The runs at a problem with what the hints cost that were taken before each; a hint costs once.

    Args:
        decided_runs: Runs of a student, or of a group.
        costly_hints: Hints that any of them took at the problem, in any attempt.
    """
    first_hints: dict[int, CostlyHint] = {}
    for hint in sorted(costly_hints, key=lambda taken_hint: taken_hint.at):
        first_hints.setdefault(hint.number, hint)
    return [
        replace(run, hints_cost=min(1.0, sum(hint.cost for hint in first_hints.values() if hint.at <= run.at)))
        for run in decided_runs
    ]
