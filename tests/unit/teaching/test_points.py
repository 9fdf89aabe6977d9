from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from benchwright_teaching.points import (
    CostlyHint,
    Counting,
    DecidedRun,
    Grading,
    Times,
    charged,
    days_late,
    times_of,
    worth_of,
)

DUE = datetime(2026, 12, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def run(hours: float, *, passed: bool = False, share: float = 0.0) -> DecidedRun:
    return DecidedRun(f"r{hours}", DUE + hours * HOUR, passed, 1.0 if passed else share)


@pytest.mark.parametrize(("hours", "days"), [(-1, 0), (0, 0), (1 / 3600, 1), (24, 1), (24.1, 2), (240, 10)])
def test_a_day_late_counts_as_soon_as_it_has_begun(hours: float, days: int) -> None:
    assert days_late(DUE + hours * HOUR, DUE) == days


@pytest.mark.parametrize(
    ("runs", "grading", "points", "late"),
    [
        ((), Grading(points=4), 0, 0),
        ((run(-2, share=0.5),), Grading(points=4), 0, 0),
        ((run(-2, share=0.5),), Grading(points=4, partial=True), 2, 0),
        ((run(-2, passed=True), run(-1, share=0.5)), Grading(points=4), 4, 0),
        ((run(-2, passed=True), run(-1, share=0.5)), Grading(points=4, counting=Counting.LAST), 0, 0),
        ((run(-1, share=0.5), run(30, passed=True)), Grading(points=4, partial=True, late_percent=10), 3.2, 2),
        ((run(-1, share=0.9), run(30, passed=True)), Grading(points=4, partial=True, late_percent=10), 3.6, 0),
        ((run(24 * 20, passed=True),), Grading(points=4, late_percent=10), 0, 20),
        ((run(30, passed=True),), Grading(points=1, late_percent=100 / 3), 0.333, 2),
    ],
)
def test_points_follow_the_run_that_counts(
    runs: tuple[DecidedRun, ...], grading: Grading, points: float, late: int
) -> None:
    worth = worth_of(runs, grading, Times(due=DUE))
    assert (worth.points, worth.days_late) == (points, late)


def test_nothing_counts_after_the_assignment_has_closed() -> None:
    worth = worth_of([run(-1, share=0.5), run(3, passed=True)], Grading(partial=True), Times(DUE, DUE + 2 * HOUR))
    assert worth.points == 0.5
    assert worth.run is not None
    assert worth.run.at == DUE - HOUR


@pytest.mark.parametrize(
    ("extension", "due", "closes"),
    [
        (None, 0, 2),
        (Times(due=DUE + HOUR), 1, 2),
        (Times(due=DUE + 5 * HOUR), 5, 5),
        (Times(closes=DUE + 9 * HOUR), 0, 9),
        (Times(DUE + 5 * HOUR, DUE + 6 * HOUR), 5, 6),
    ],
)
def test_an_extension_never_closes_before_it_is_due(extension: Times | None, due: int, closes: int) -> None:
    assert times_of(Times(DUE, DUE + 2 * HOUR), extension) == Times(DUE + due * HOUR, DUE + closes * HOUR)


def test_a_hint_costs_later_runs_once_whoever_of_a_group_took_it() -> None:
    early, late = run(-3, passed=True), run(-1, passed=True)
    hints = [CostlyHint(2, DUE - 2 * HOUR, 0.25), CostlyHint(2, DUE - 1.5 * HOUR, 0.25), CostlyHint(1, DUE, 0.5)]
    early_run, late_run = charged([early, late], hints)
    assert (early_run.hints_cost, late_run.hints_cost) == (0.0, 0.25)
    assert worth_of([late_run], Grading(points=4), Times(DUE)).points == 3
    assert worth_of([early_run, late_run], Grading(points=4), Times(DUE)).points == 4


def test_hints_never_take_more_than_a_run_is_worth() -> None:
    partly = run(-1, passed=False, share=0.2)
    (charged_run,) = charged([partly], [CostlyHint(1, DUE - 5 * HOUR, 0.5)])
    assert worth_of([charged_run], Grading(partial=True), Times(DUE)).points == 0
