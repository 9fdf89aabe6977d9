from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright_teaching.points import (
    AssignmentTimes,
    CostlyHint,
    CountedRunChoice,
    DecidedRun,
    GradingRules,
    days_late,
    extension_refusal,
    problem_worth,
    runs_with_hint_costs,
    student_times,
)

DUE = datetime(2026, 12, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def run(hours: float, *, has_passed: bool = False, share: float = 0.0) -> DecidedRun:
    return DecidedRun(f"r{hours}", DUE + hours * HOUR, has_passed, 1.0 if has_passed else share)


@pytest.mark.parametrize(("hours", "days"), [(-1, 0), (0, 0), (1 / 3600, 1), (24, 1), (24.1, 2), (240, 10)])
def test_a_day_late_counts_as_soon_as_it_has_begun(hours: float, days: int) -> None:
    assert days_late(DUE + hours * HOUR, DUE) == days


@pytest.mark.parametrize(
    ("decided_runs", "grading", "points", "days_late"),
    [
        ((), GradingRules(points=4), 0, 0),
        ((run(-2, share=0.5),), GradingRules(points=4), 0, 0),
        ((run(-2, share=0.5),), GradingRules(points=4, partial=True), 2, 0),
        ((run(-2, has_passed=True), run(-1, share=0.5)), GradingRules(points=4), 4, 0),
        ((run(-2, has_passed=True), run(-1, share=0.5)), GradingRules(points=4, counting=CountedRunChoice.LAST), 0, 0),
        ((run(-1, share=0.5), run(30, has_passed=True)), GradingRules(points=4, partial=True, late_percent=10), 3.2, 2),
        ((run(-1, share=0.9), run(30, has_passed=True)), GradingRules(points=4, partial=True, late_percent=10), 3.6, 0),
        ((run(24 * 20, has_passed=True),), GradingRules(points=4, late_percent=10), 0, 20),
        ((run(30, has_passed=True),), GradingRules(points=1, late_percent=100 / 3), 0.333, 2),
    ],
)
def test_points_follow_the_run_that_counts(
    decided_runs: tuple[DecidedRun, ...], grading: GradingRules, points: float, days_late: int
) -> None:
    worth = problem_worth(decided_runs, grading, AssignmentTimes(due=DUE))
    assert (worth.points, worth.days_late) == (points, days_late)


def test_nothing_counts_after_the_assignment_has_closed() -> None:
    worth = problem_worth(
        [run(-1, share=0.5), run(3, has_passed=True)], GradingRules(partial=True), AssignmentTimes(DUE, DUE + 2 * HOUR)
    )
    assert worth.points == 0.5
    assert worth.run is not None
    assert worth.run.at == DUE - HOUR


@pytest.mark.parametrize(
    ("extension", "due", "closes"),
    [
        (None, 0, 2),
        (AssignmentTimes(due=DUE + HOUR), 1, 2),
        (AssignmentTimes(due=DUE + 5 * HOUR), 5, 5),
        (AssignmentTimes(closes=DUE + 9 * HOUR), 0, 9),
        (AssignmentTimes(DUE + 5 * HOUR, DUE + 6 * HOUR), 5, 6),
    ],
)
def test_an_extension_never_closes_before_it_is_due(extension: AssignmentTimes | None, due: int, closes: int) -> None:
    assert student_times(AssignmentTimes(DUE, DUE + 2 * HOUR), extension) == AssignmentTimes(
        DUE + due * HOUR, DUE + closes * HOUR
    )


TIMES = st.none() | st.datetimes(timezones=st.just(UTC))


@given(usual_times=st.builds(AssignmentTimes, TIMES, TIMES), extension=st.builds(AssignmentTimes, TIMES, TIMES))
def test_late_days_only_give_time_and_an_assignment_stays_open_for_them(
    usual_times: AssignmentTimes, extension: AssignmentTimes
) -> None:
    never = datetime.max.replace(tzinfo=UTC)
    extended = student_times(usual_times, extension)
    with_late_days = student_times(usual_times, extension, 3)
    assert (with_late_days.closes is None) == (extended.closes is None)
    assert (with_late_days.closes or never) >= (extended.closes or never)
    if extended.due is None:
        assert with_late_days == extended
    else:
        assert with_late_days.due == min(never, extended.due + min(3 * 24 * HOUR, never - extended.due))
        assert (with_late_days.closes or never) >= with_late_days.due


@given(usual_times=st.builds(AssignmentTimes, TIMES, TIMES), extension=st.builds(AssignmentTimes, TIMES, TIMES))
def test_no_extension_takes_time_and_one_that_would_is_refused(
    usual_times: AssignmentTimes, extension: AssignmentTimes
) -> None:
    never = datetime.max.replace(tzinfo=UTC)
    own_times = student_times(usual_times, extension)
    assert (own_times.due or never) >= (usual_times.due or never)
    assert (own_times.closes or never) >= (usual_times.closes or never)
    is_due_earlier, closes_earlier = (
        (own_time or never) < (usual_time or never)
        for own_time, usual_time in ((extension.due, usual_times.due), (extension.closes, usual_times.closes))
    )
    ends_early = bool(extension.due and extension.closes and extension.closes < extension.due)
    assert bool(extension_refusal(usual_times, extension)) == (is_due_earlier or closes_earlier or ends_early)


def test_a_hint_costs_later_runs_once_whoever_of_a_group_took_it() -> None:
    early_decided, late_decided = run(-3, has_passed=True), run(-1, has_passed=True)
    costly_hints = [CostlyHint(2, DUE - 2 * HOUR, 0.25), CostlyHint(2, DUE - 1.5 * HOUR, 0.25), CostlyHint(1, DUE, 0.5)]
    early_run, late_run = runs_with_hint_costs([early_decided, late_decided], costly_hints)
    assert (early_run.hints_cost, late_run.hints_cost) == (0.0, 0.25)
    assert problem_worth([late_run], GradingRules(points=4), AssignmentTimes(DUE)).points == 3
    assert problem_worth([early_run, late_run], GradingRules(points=4), AssignmentTimes(DUE)).points == 4


def test_hints_never_take_more_than_a_run_is_worth() -> None:
    partly = run(-1, has_passed=False, share=0.2)
    (charged_run,) = runs_with_hint_costs([partly], [CostlyHint(1, DUE - 5 * HOUR, 0.5)])
    assert problem_worth([charged_run], GradingRules(partial=True), AssignmentTimes(DUE)).points == 0
