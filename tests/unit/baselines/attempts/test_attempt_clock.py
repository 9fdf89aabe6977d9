from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import time_machine
from hypothesis import given
from hypothesis import strategies as st

from benchwright_attempts.attempts import Attempts
from benchwright_attempts.clock.clock import AttemptState, advance_clock, clock_after_event, clock_after_events
from benchwright_attempts.events.events import (
    Abandoned,
    Edit,
    Event,
    Interrupted,
    Opened,
    Paused,
    Resumed,
    Started,
    Submitted,
    Tick,
)
from benchwright_attempts.events.evidence import TimeExcluded
from benchwright_attempts.log.record import Moment, RecordedEvent
from benchwright_studies.conduct.study_log import StudyLog

MORNING = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


def event_at(
    seconds: float, event: Event, *, process: str = "one", wall_s: float | None = None, boot_s: float = 0
) -> RecordedEvent:
    """An event `seconds` after nine o'clock; `wall_s` if the computer's clock said something else."""
    wall = MORNING + timedelta(seconds=seconds if wall_s is None else wall_s)
    moment = Moment(wall, round((seconds + boot_s) * 1e9), process)
    return RecordedEvent("a", 1, moment, event, "", "")


def opened_event(seconds: float = 0) -> RecordedEvent:
    return event_at(seconds, Opened(files={}))


def test_the_clock_stands_still_until_started() -> None:
    clock = clock_after_events([opened_event(), event_at(60, Edit(path="a", changes=()))])
    assert (clock.state, clock.active_s, clock.elapsed_s) == (AttemptState.OPEN, 0, 0)


def test_active_time_leaves_pauses_out_and_elapsed_time_does_not() -> None:
    clock = clock_after_events(
        [
            opened_event(),
            event_at(10, Started()),
            event_at(40, Paused()),
            event_at(100, Resumed()),
            event_at(105, Tick()),
            event_at(110, Submitted()),
        ]
    )
    assert (clock.state, clock.active_s, clock.elapsed_s) == (AttemptState.SUBMITTED, 40, 100)


def test_excluded_time_sets_the_clock_back_and_never_below_zero() -> None:
    events = [opened_event(), event_at(10, Started()), event_at(40, TimeExcluded(excluded_s=25.5, reason="provider"))]
    assert clock_after_events(events).active_s == 4.5
    assert clock_after_events([*events, event_at(50, Submitted())]).active_s == 14.5
    assert clock_after_events([*events, event_at(41, TimeExcluded(excluded_s=99, reason="provider"))]).active_s == 0


def test_a_live_display_goes_on_from_the_newest_event_and_stops_at_the_end() -> None:
    clock = clock_after_events([opened_event(), event_at(10, Started())])
    later_moment = Moment(MORNING + timedelta(seconds=25), 25_000_000_000, "one")
    assert advance_clock(clock, later_moment).active_s == 15
    ended_clock = clock_after_event(clock, event_at(20, Abandoned()))
    assert advance_clock(ended_clock, later_moment) == ended_clock


@pytest.mark.parametrize("jump_s", [-86400, -1, 86400])
def test_setting_the_computers_clock_does_not_change_active_time(jump_s: float) -> None:
    clock = clock_after_events(
        [
            opened_event(),
            event_at(10, Started()),
            event_at(20, Tick(), wall_s=20 + jump_s),
            event_at(30, Submitted(), wall_s=30 + jump_s),
        ]
    )
    assert clock.active_s == 20
    assert clock.elapsed_s >= clock.active_s


def test_a_monotonic_clock_that_goes_back_takes_no_time_away() -> None:
    clock = clock_after_events(
        [opened_event(), event_at(10, Started()), event_at(20, Tick()), event_at(15, Tick()), event_at(20, Submitted())]
    )
    assert clock.active_s == 15


def test_the_gap_after_a_crash_is_not_counted() -> None:
    clock = clock_after_events(
        [
            opened_event(),
            event_at(0, Started()),
            event_at(30, Tick()),
            event_at(5000, Interrupted(), process="two", boot_s=-4000),
            event_at(5010, Tick(), process="two", boot_s=-4000),
        ]
    )
    assert clock.state is AttemptState.RUNNING
    assert clock.active_s == 40
    assert clock.elapsed_s == 5010


def test_a_second_window_taking_over_from_a_living_one_loses_no_time() -> None:
    clock = clock_after_events(
        [
            opened_event(),
            event_at(0, Started()),
            event_at(30, Tick()),
            event_at(40, Interrupted(), process="two", boot_s=700),
            event_at(45, Tick()),
            event_at(50, Tick(), process="two", boot_s=700),
            event_at(60, Tick()),
            event_at(61, Submitted(), process="two", boot_s=700),
        ]
    )
    assert clock.active_s == pytest.approx(61, abs=1)


@given(
    st.lists(
        st.tuples(
            st.sampled_from([Tick(), Paused(), Resumed(), Interrupted()]),
            st.sampled_from(["one", "two", "three"]),
            st.floats(0, 100),
            st.floats(-1e6, 1e6),
        )
    )
)
def test_active_time_never_shrinks_and_never_exceeds_real_time(
    steps: list[tuple[Event, str, float, float]],
) -> None:
    clock = clock_after_events([opened_event(), event_at(0, Started())])
    real_s = 0.0
    boots = {"one": 0, "two": 700, "three": -50}
    for event, process, pass_s, wall_s in steps:
        real_s += pass_s
        previous_clock = clock
        legal = {"paused": AttemptState.RUNNING, "resumed": AttemptState.PAUSED, "interrupted": AttemptState.RUNNING}
        if legal.get(event.type, clock.state) is not clock.state:
            continue
        clock = clock_after_event(clock, event_at(real_s, event, process=process, wall_s=wall_s, boot_s=boots[process]))
        assert previous_clock.active_ns <= clock.active_ns <= real_s * 1e9 + 1000
        assert clock.elapsed_s >= clock.active_s


def test_a_recorded_attempt_reads_the_same_clock_as_the_wall(tmp_path: Path) -> None:
    """The log's own clocks, not injected ones."""
    with time_machine.travel(MORNING, tick=False) as wall, StudyLog(tmp_path / "own.sqlite") as own_log:
        attempts = Attempts(own_log)
        attempt = attempts.create("starter/counter", "d", tmp_path, {}).id
        own_log.append_blocking(attempt, Started())
        wall.shift(90)
        own_log.append_blocking(attempt, Submitted())
        summary = attempts.summary(attempt)
    assert summary.clock.start_wall == MORNING
    assert summary.clock.elapsed_s == pytest.approx(90)
