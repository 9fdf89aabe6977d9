"""Two servers on one workspace: one writes, the other is told and shows; and a disk that is full for a while."""

from __future__ import annotations

import asyncio
import resource
import shutil

import psutil
import pytest

from .conftest import Editors
from .session import Desk, reference

pytestmark = pytest.mark.asyncio(loop_scope="module")

PROBLEM = "starter/saturating-counter"


async def test_the_second_server_is_told_and_records_nothing_until_the_first_is_gone(editors: Editors) -> None:
    first, second = await editors(), await editors()
    mine = await first.open_problem(PROBLEM)
    await mine.start()
    file = mine.open()
    theirs = await second.open_problem(PROBLEM)

    assert theirs.attempt == mine.attempt
    assert theirs.opened.status.state == "running"
    assert f"process {first.process.pid} on " in (theirs.opened.status.read_only or "")
    assert ["read-only" in message for message in second.shown.messages] == [True]
    assert (await mine.ask("status")).read_only is None
    before = [event.type for event in mine.events()]
    for operation in ("pause", "run", "submit", "abandon"):
        _, refused = await second.refusal(operation, uri=theirs.uri)
        assert "read-only" in refused, operation
    same = theirs.open()
    same.type("// typed in the second window\n")
    same.save()
    await theirs.ask("status")
    assert [event.type for event in mine.events()] == before

    # What the other one wrote to the disk is seen by whoever records.
    file.type("// typed in the first\n")
    file.save()
    await mine.ask("status")
    assert mine.verified().ok
    await first.kill()

    status = await theirs.ask("status")
    assert (status.read_only, status.state) == (None, "running")
    same.replace(0, len(same.text), reference("saturating-counter"))
    same.save()
    await theirs.ask("status")
    assert theirs.replayed("rtl/sat_counter.sv") == same.path.read_bytes()
    assert (await theirs.ask("pause")).state == "paused"
    assert theirs.verified().ok


async def test_closing_the_first_window_lets_the_second_go_on_and_the_pause_stays(editors: Editors) -> None:
    first, second = await editors(), await editors()
    await (await first.open_problem(PROBLEM)).start()
    theirs = await second.open_problem(PROBLEM)
    await second.quit()
    assert [event.type for event in theirs.events()][-1] == "started"
    third = await editors()
    theirs = await third.open_problem(PROBLEM)
    await first.quit()
    status = await theirs.ask("resume")
    assert (status.state, status.read_only) == ("running", None)


async def test_one_attempt_runs_at_a_time_across_servers_and_the_other_is_paused_with_a_reason(
    editors: Editors,
) -> None:
    first, second = await editors(), await editors()
    mine = await first.open_problem(PROBLEM)
    await mine.start()
    other = await second.open_problem("starter/sync-fifo")
    await other.start()
    await first.until(lambda: bool(mine.told("paused")), "the pause")
    (pause,) = mine.told("paused")
    assert getattr(pause, "reason", None) == "starter/sync-fifo was started"
    await first.until(lambda: bool(first.shown.messages), "the notice")
    (said,) = first.shown.messages
    assert mine.opened.status.title in said
    assert other.opened.status.title in said
    assert not second.shown.messages

    # Back in the first window: now it is the second one's turn.
    await mine.ask("resume")
    await second.until(lambda: bool(other.told("paused")), "the pause")
    assert [(await desk.ask("status")).state for desk in (mine, other)] == ["running", "paused"]
    assert len(mine.told("paused")) == 1
    assert mine.verified().ok
    assert other.verified().ok


async def test_an_attempt_that_has_ended_or_that_nobody_knows_pauses_no_clock(editors: Editors) -> None:
    first, second = await editors(), await editors()
    mine = await first.open_problem(PROBLEM)
    await mine.start()
    other = await second.open_problem("starter/sync-fifo")
    await other.start()
    await first.until(lambda: bool(mine.told("paused")), "the pause")
    await other.ask("abandon")
    running = first.home / "data" / "attempts" / "running"
    await mine.ask("resume")
    for newest in (other.attempt, "0" * 32, "\0", ""):
        running.write_text(newest)
        await asyncio.sleep(1.2)
    assert (await mine.ask("status")).state == "running"


async def test_a_server_that_lost_its_claim_says_so_and_records_nothing_until_it_has_it_again(editors: Editors) -> None:
    first, second = await editors(), await editors()
    mine = await first.open_problem(PROBLEM)
    await mine.start()
    file = mine.open()
    shutil.rmtree(first.home / "data" / "attempts" / "working")
    theirs = await second.open_problem(PROBLEM)
    assert theirs.opened.status.read_only is None
    await first.until(lambda: any(status.read_only for status in first.shown.statuses), "the loss")
    assert any("broke off" in message for message in first.shown.messages)
    before = [event.type for event in theirs.events()]
    file.type("// not recorded\n")
    file.save()
    assert "another window or server" in ((await mine.ask("status")).read_only or "")
    assert [event.type for event in theirs.events()] == before

    await second.kill()
    assert (await mine.ask("status")).read_only is None
    file.save()
    assert (await mine.ask("status")).state == "running"
    assert mine.replayed("rtl/sat_counter.sv") == file.path.read_bytes()
    assert mine.verified().ok


async def test_a_full_disk_is_shown_until_it_is_over(editors: Editors) -> None:
    editor = await editors()
    desk: Desk = await editor.open_problem(PROBLEM)
    await desk.start()
    file = desk.open()
    server = psutil.Process(editor.process.pid)
    _, hard = server.rlimit(resource.RLIMIT_FSIZE)
    server.rlimit(resource.RLIMIT_FSIZE, (1000, hard))
    file.type("// lost\n")
    await editor.until(lambda: any(status.not_recorded for status in editor.shown.statuses), "the trouble")
    assert "free space" in ((await desk.ask("status")).not_recorded or "")
    assert "free space" in ((await desk.ask("status")).not_recorded or "")

    server.rlimit(resource.RLIMIT_FSIZE, (hard, hard))
    file.type("// there again\n")
    await editor.until(lambda: editor.shown.statuses[-1].not_recorded is None, "the end of the trouble")
    file.save()
    assert (await desk.ask("status")).not_recorded is None
    assert desk.replayed("rtl/sat_counter.sv") == file.path.read_bytes()
    assert desk.verified().ok
