"""Gaps, a sleeping computer and another window: from the server's clocks over the event log to the report."""

from __future__ import annotations

import asyncio
import csv
import os
import subprocess
import time
from pathlib import Path

import pytest

from benchwright_attempts.events.evidence import Suspended

from .clocks import Clocks
from .conftest import Editors
from .session import SERVER, Desk

pytestmark = pytest.mark.asyncio(loop_scope="module")

HOUR = 3600


async def reported(home: Path, desk: Desk) -> dict[str, str]:
    """The attempt's row in a report's table."""
    report_folder = home.parent / "report"
    command = [SERVER[0], "report", "--attempts", desk.attempt, "--out", str(report_folder)]
    environment = {**os.environ, "BENCHWRIGHT_HOME": str(home)}
    await asyncio.to_thread(subprocess.run, command, env=environment, check=True, capture_output=True)
    with (report_folder / "attempts.csv").open(newline="") as table:
        (row,) = csv.DictReader(table)
    return row


async def test_gaps_sleep_and_other_windows_become_facts_and_active_time_is_derived_from_them(
    editors: Editors, home: Path, clocks: Clocks
) -> None:
    """The clock runs for 760 s, in gaps between what the solver does; of each gap no more than the threshold counts.

    | until              | gap | 1 min | 2 min | 5 min |
    | an edit            |  30 |    30 |    30 |    30 |
    | another edit       |  90 |    60 |    90 |    90 |
    | the window is left |   0 |     0 |     0 |     0 |
    | and is back        |  40 |    40 |    40 |    40 |
    | an edit, after it had been still | 200 | 60 | 120 | 200 |
    | an edit, after the computer slept for an hour | 0 | 0 | 0 | 0 |
    | giving up          | 400 |    60 |   120 |   300 |
    """
    editor = await editors(environment=clocks.environment)
    desk = await editor.open_problem("starter/saturating-counter")
    file = desk.open()

    async def edit(number: int) -> None:
        file.type("// x\n")
        await editor.wait_until(lambda: len(desk.events_of_kind("edit")) == number, "the edit")

    def tell(notice: str, **notice_facts: object) -> None:
        editor.client.protocol.notify(f"benchwright/{notice}", {"uri": desk.uri, **notice_facts})

    began = time.monotonic()
    await desk.start()
    clocks.pass_time(30)
    await edit(1)
    clocks.pass_time(90)
    await edit(2)
    tell("focus", focused=False)
    await editor.wait_until(lambda: len(desk.events_of_kind("focus")) == 1, "the focus")
    clocks.pass_time(40)
    tell("focus", focused=True)
    await editor.wait_until(lambda: len(desk.events_of_kind("focus")) == 2, "the focus")
    clocks.pass_time(60)
    tell("idle", idle=True, afterS=60)
    await editor.wait_until(lambda: len(desk.events_of_kind("idle")) == 1, "the stillness")
    clocks.pass_time(140)
    tell("idle", idle=False, afterS=200)
    await edit(3)
    clocks.sleep(HOUR)
    await edit(4)
    clocks.pass_time(400)
    status = await desk.ask("abandon", reason="enough")
    took = time.monotonic() - began

    assert [(event.idle, event.after_s) for event in desk.events_of_kind("idle")] == [(True, 60), (False, 200)]
    (slept,) = desk.events_of_kind("suspended")
    assert slept.wall_s - slept.mono_s == pytest.approx(HOUR, abs=1)
    assert desk.verify_log().ok
    assert status.active_s is not None
    assert 760 <= status.active_s <= 760 + took
    row = await reported(home, desk)
    by_hand = {
        **{"clock_s": 760, "active_60_s": 250, "active_120_s": 400, "active_300_s": 660},
        **{"active_s": 400, "time_s": 400, "unfocused_s": 40, "elapsed_s": 760 + HOUR},
    }
    for name, seconds in by_hand.items():
        # What the test itself took comes on top.
        assert seconds - 0.01 <= float(row[name]) <= seconds + took + 0.01, name
    assert (row["suspensions"], row["pauses"], row["state"]) == ("1", "0", "abandoned")


async def test_one_attempt_runs_at_a_time_and_the_other_is_paused_with_a_reason(editors: Editors) -> None:
    editor = await editors()
    first_desk = await editor.open_problem("starter/saturating-counter")
    second_desk = await editor.open_problem("starter/sync-fifo")
    await first_desk.start()
    await second_desk.start()
    assert [(await desk.ask("status")).state for desk in (first_desk, second_desk)] == ["paused", "running"]
    (pause,) = first_desk.events_of_kind("paused")
    assert pause.reason == "starter/sync-fifo was started"
    (message,) = editor.screen.messages
    assert first_desk.opened_problem.status.title in message and message.startswith("Paused ")
    assert (await first_desk.ask("resume")).state == "running"
    assert (await second_desk.ask("status")).state == "paused"
    assert (len(first_desk.events_of_kind("paused")), len(second_desk.events_of_kind("paused"))) == (1, 1)


async def test_a_start_that_is_refused_pauses_nothing(editors: Editors) -> None:
    editor = await editors()
    first_desk = await editor.open_problem("starter/saturating-counter")
    second_desk = await editor.open_problem("starter/sync-fifo")
    await first_desk.start()
    await editor.refusal("resume", uri=second_desk.uri)
    assert (await first_desk.ask("status")).state == "running"
    assert editor.screen.messages == []


@pytest.mark.parametrize("ending_operation", ["pause", "abandon"])
async def test_a_sleep_is_noticed_although_the_clock_stops_before_the_next_heartbeat(
    editors: Editors, clocks: Clocks, ending_operation: str
) -> None:
    editor = await editors(environment=clocks.environment)
    desk = await editor.open_problem("starter/saturating-counter")
    await desk.start()
    clocks.sleep(HOUR)
    await desk.ask(ending_operation, reason="awake again")
    event_types = [event.type for event in desk.events()]
    assert event_types[-2:] == ["suspended", "paused" if ending_operation == "pause" else "abandoned"]
    if ending_operation == "pause":
        # What is slept through in a pause is nothing to the clock.
        clocks.sleep(HOUR)
        await desk.ask("resume")
        assert len(desk.events_of_kind("suspended")) == 1


async def test_a_heartbeat_notices_a_sleep_once(editors: Editors, clocks: Clocks) -> None:
    editor = await editors(environment=clocks.environment)
    desk = await editor.open_problem("starter/saturating-counter")
    await desk.start()
    clocks.sleep(HOUR)
    for _ in range(2):
        beats = len(desk.events_of_kind("tick"))
        clocks.pass_time(31)
        await desk.ask("status")
        await editor.wait_until(lambda beats=beats: len(desk.events_of_kind("tick")) > beats, "a heartbeat")  # type: ignore[misc]
    (slept,) = desk.events_of_kind("suspended")
    assert isinstance(slept, Suspended)
    assert slept.wall_s - slept.mono_s == pytest.approx(HOUR, abs=1)
