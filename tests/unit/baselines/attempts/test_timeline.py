from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from benchwright_attempts.clock.clock import AttemptState, clock_after_events
from benchwright_attempts.clock.timeline import time_line
from benchwright_attempts.errors import IllegalTransitionError
from benchwright_attempts.events.events import (
    Abandoned,
    Answered,
    Event,
    Focus,
    Interrupted,
    Judged,
    JudgedBy,
    Opened,
    Paused,
    Resumed,
    RunCancelled,
    RunFinished,
    RunStarted,
    Save,
    Started,
    Submitted,
    Tick,
)
from benchwright_attempts.events.evidence import Activity, ClockHeld, ClockReleased, ModelUsage, SelfEstimate, TimedOut
from benchwright_attempts.log.record import Moment, RecordedEvent
from benchwright_problems.verdict import Outcome

from ....support.studies.active_time import active_time

MORNING = datetime(2026, 3, 1, 9, tzinfo=UTC)
SAVE = Save(path="a", sha256="0" * 64, size=1)
RUN = RunStarted(run="r", number=1, snapshot={})


def run_finished(outcome: str = "passed") -> RunFinished:
    return RunFinished(run="r", number=1, outcome=Outcome(outcome), reason=outcome, wall_s=1)


def recorded_events(*timed: tuple[float, Any]) -> list[RecordedEvent]:
    return [
        RecordedEvent(
            "a", seq, Moment(MORNING + timedelta(seconds=offset_s), round(offset_s * 1e9), "p"), event, "", ""
        )
        for seq, (offset_s, event) in enumerate(((0.0, Opened(files={})), *timed), start=1)
    ]


def test_the_clock_stands_while_it_is_held_and_the_attempt_goes_on() -> None:
    events = recorded_events(
        (10, Started()),
        (20, ClockHeld(reason="harness")),
        (50, SAVE),
        (60, ClockReleased(reason="harness")),
        (65, Tick()),
    )
    clock = clock_after_events(events)
    assert (clock.state, clock.held, clock.active_s, clock.elapsed_s) == (AttemptState.RUNNING, False, 15, 55)


@pytest.mark.parametrize("interruptions", [[Interrupted()], [Paused(), Resumed()]])
def test_whatever_breaks_into_a_hold_lets_the_clock_go(interruptions: list[Event]) -> None:
    timed_interruptions = [(20 + index, event) for index, event in enumerate(interruptions)]
    clock = clock_after_events(
        recorded_events(
            (10, Started()),
            (15, ClockHeld(reason="judge")),
            *timed_interruptions,
            (20 + len(timed_interruptions), Tick()),
            (40, Tick()),
        )
    )
    assert not clock.held
    assert clock.active_s == 5 + 40 - 20 - (len(timed_interruptions) - 1)


def test_a_limit_ends_an_attempt_and_what_is_asked_afterwards_is_still_kept() -> None:
    last_event: Event = TimedOut(reason="time_limit", limit=30)
    events = recorded_events(
        (0, Started()), (30, last_event), (99, SelfEstimate(difficulty=3)), (120, ModelUsage(model="m", calls=1))
    )
    clock = clock_after_events(events)
    assert (clock.state, clock.active_s, clock.elapsed_s) == (AttemptState.TIMED_OUT, 30, 30)
    assert clock.state.ended
    for refused_event in (SAVE, Resumed(), TimedOut(reason="again"), ClockReleased(reason="harness")):
        with pytest.raises(IllegalTransitionError, match="is over"):
            clock_after_events([*events, *recorded_events((130, refused_event))[1:]])
    with pytest.raises(IllegalTransitionError, match="Press Start"):
        clock_after_events(recorded_events((1, TimedOut(reason="time_limit"))))


def test_pauses_and_runs_are_stretches_of_the_time_line() -> None:
    answer = Answered(number=2, outcome=Outcome.FAILED, reason="wrong", snapshot={}, wall_s=2)
    attempt_line = time_line(
        recorded_events(
            *[(5, Started()), (10, Paused(reason="tea")), (40, Resumed()), (50, RUN), (53, run_finished())],
            *[(54, RUN), (56, RunCancelled(run="r", number=2, reason="newer_save")), (60, answer)],
            *[(61, RUN), (70, Paused()), (80, Abandoned())],
        )
    )
    assert [(pause.from_s, pause.to_s, pause.what) for pause in attempt_line.pauses] == [(10, 40, "tea"), (70, 80, "")]
    assert [(run.from_s, run.to_s, run.what) for run in attempt_line.runs] == [
        (50, 53, "passed"),
        (54, 56, "cancelled"),
        (58, 60, "failed"),
        (61, 80, "cancelled"),
    ]
    assert (attempt_line.duration_s, attempt_line.at_s[2]) == (80, 5)


def test_active_time_counts_gaps_up_to_the_threshold_and_no_pause() -> None:
    events = recorded_events(
        *[(100, Started()), (130, SAVE), (220, Activity(of="edit")), (250, Tick()), (260, Paused())],
        *[(2000, Resumed()), (2600, SAVE), (2601, Submitted())],
    )
    active_times = active_time(events)
    assert active_times.running_s == 160 + 601
    # Gaps 30, 90, 40, 600, 1.
    assert active_times.active_s == {
        60.0: 30 + 60 + 40 + 60 + 1,
        120.0: 30 + 90 + 40 + 120 + 1,
        300.0: 30 + 90 + 40 + 300 + 1,
    }
    assert active_time(events, (10_000.0,)).active_s == {10_000.0: active_times.running_s}


def test_a_heartbeat_a_verdict_and_a_late_judgement_are_no_activity() -> None:
    judged_event = Judged(
        number=1,
        sha256="0" * 64,
        outcome=Outcome.PASSED,
        reason="r",
        judged_by=JudgedBy(method="person", status="scored"),
    )
    events = recorded_events(
        (0, Started()), (200, Tick()), (390, run_finished()), (400, Submitted()), (9000, judged_event)
    )
    assert active_time(events).active_s[60.0] == 60


def test_time_without_the_keyboard_is_a_fact_of_its_own() -> None:
    events = recorded_events(
        (0, Started()),
        (10, Focus(focused=False)),
        (40, Focus(focused=True)),
        (50, Focus(focused=False)),
        (70, Submitted()),
    )
    assert active_time(events).unfocused_s == 50
