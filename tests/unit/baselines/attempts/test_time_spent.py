"""Division of an attempt's active time into writing, waiting and reading."""

from __future__ import annotations

from collections.abc import Sequence

from benchwright_attempts.clock.time_spent import ActiveTime, ActiveTimeFold

ACTIVITY = ("edit", "edit_shape", "text", "focus", "save")


def spent(*timed_steps: tuple[float, str], end_s: float, threshold_s: float = 120) -> ActiveTime:
    time_counter = ActiveTimeFold(threshold_s)
    for time_s, step in timed_steps:
        time_counter.take_event(step, round(time_s * 1e9), is_activity=step in ACTIVITY)
    return time_counter.active_time_until(round(end_s * 1e9))


def test_what_is_just_before_an_edit_is_writing_and_the_rest_is_reading() -> None:
    assert spent((40, "edit"), (43, "edit"), end_s=50) == ActiveTime(13, 0, 37)


def test_a_run_is_waited_for_unless_something_is_written_meanwhile() -> None:
    assert spent((10, "save"), (10, "run_started"), (30, "run_finished"), end_s=35) == ActiveTime(0, 20, 15)
    typed: Sequence[tuple[float, str]] = [(10 + second, "edit") for second in range(1, 21)]
    assert spent((10, "save"), (10, "run_started"), *typed, (30, "run_finished"), end_s=30) == ActiveTime(20, 0, 10)


def test_a_run_that_goes_on_past_an_activity_is_divided_at_it() -> None:
    assert spent((0, "run_started"), (20, "focus"), (30, "run_cancelled"), end_s=40) == ActiveTime(0, 30, 10)


def test_of_a_long_gap_only_the_threshold_counts() -> None:
    assert spent((1000, "edit"), end_s=1000) == ActiveTime(10, 0, 110)
    assert spent((0, "run_started"), (1000, "run_finished"), end_s=1000) == ActiveTime(0, 120, 0)
