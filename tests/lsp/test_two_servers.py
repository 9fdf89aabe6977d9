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
    first_editor, second_editor = await editors(), await editors()
    first_desk = await first_editor.open_problem(PROBLEM)
    await first_desk.start()
    file = first_desk.open()
    second_desk = await second_editor.open_problem(PROBLEM)

    assert second_desk.attempt == first_desk.attempt
    assert second_desk.opened_problem.status.state == "running"
    assert f"process {first_editor.process.pid} on " in (second_desk.opened_problem.status.read_only or "")
    assert ["read-only" in message for message in second_editor.screen.messages] == [True]
    assert (await first_desk.ask("status")).read_only is None
    event_types = [event.type for event in first_desk.events()]
    for operation in ("pause", "run", "submit", "abandon"):
        _, refusal_message = await second_editor.refusal(operation, uri=second_desk.uri)
        assert "read-only" in refusal_message, operation
    same_file = second_desk.open()
    same_file.type("// typed in the second window\n")
    same_file.save()
    await second_desk.ask("status")
    assert [event.type for event in first_desk.events()] == event_types

    # What the other one wrote to the disk is seen by whoever records.
    file.type("// typed in the first\n")
    file.save()
    await first_desk.ask("status")
    assert first_desk.verify_log().ok
    await first_editor.kill()

    status = await second_desk.ask("status")
    assert (status.read_only, status.state) == (None, "running")
    same_file.replace(0, len(same_file.text), reference("saturating-counter"))
    same_file.save()
    await second_desk.ask("status")
    assert second_desk.replayed_content("rtl/sat_counter.sv") == same_file.path.read_bytes()
    assert (await second_desk.ask("pause")).state == "paused"
    assert second_desk.verify_log().ok


async def test_closing_the_first_window_lets_the_second_go_on_and_the_pause_stays(editors: Editors) -> None:
    first_editor, second_editor = await editors(), await editors()
    await (await first_editor.open_problem(PROBLEM)).start()
    second_desk = await second_editor.open_problem(PROBLEM)
    await second_editor.quit()
    assert [event.type for event in second_desk.events()][-1] == "started"
    third_editor = await editors()
    second_desk = await third_editor.open_problem(PROBLEM)
    await first_editor.quit()
    status = await second_desk.ask("resume")
    assert (status.state, status.read_only) == ("running", None)


async def test_one_attempt_runs_at_a_time_across_servers_and_the_other_is_paused_with_a_reason(
    editors: Editors,
) -> None:
    first_editor, second_editor = await editors(), await editors()
    first_desk = await first_editor.open_problem(PROBLEM)
    await first_desk.start()
    second_desk = await second_editor.open_problem("starter/sync-fifo")
    await second_desk.start()
    await first_editor.wait_until(lambda: bool(first_desk.events_of_kind("paused")), "the pause")
    (pause,) = first_desk.events_of_kind("paused")
    assert getattr(pause, "reason", None) == "starter/sync-fifo was started"
    await first_editor.wait_until(lambda: bool(first_editor.screen.messages), "the notice")
    (message,) = first_editor.screen.messages
    assert first_desk.opened_problem.status.title in message
    assert second_desk.opened_problem.status.title in message
    assert not second_editor.screen.messages

    # Back in the first window: now it is the second one's turn.
    await first_desk.ask("resume")
    await second_editor.wait_until(lambda: bool(second_desk.events_of_kind("paused")), "the pause")
    assert [(await desk.ask("status")).state for desk in (first_desk, second_desk)] == ["running", "paused"]
    assert len(first_desk.events_of_kind("paused")) == 1
    assert first_desk.verify_log().ok
    assert second_desk.verify_log().ok


async def test_an_attempt_that_has_ended_or_that_nobody_knows_pauses_no_clock(editors: Editors) -> None:
    first_editor, second_editor = await editors(), await editors()
    first_desk = await first_editor.open_problem(PROBLEM)
    await first_desk.start()
    second_desk = await second_editor.open_problem("starter/sync-fifo")
    await second_desk.start()
    await first_editor.wait_until(lambda: bool(first_desk.events_of_kind("paused")), "the pause")
    await second_desk.ask("abandon")
    running_file = first_editor.home / "data" / "attempts" / "running"
    await first_desk.ask("resume")
    for newest_id in (second_desk.attempt, "0" * 32, "\0", ""):
        running_file.write_text(newest_id)
        await asyncio.sleep(1.2)
    assert (await first_desk.ask("status")).state == "running"


async def test_a_server_that_lost_its_claim_says_so_and_records_nothing_until_it_has_it_again(editors: Editors) -> None:
    first_editor, second_editor = await editors(), await editors()
    first_desk = await first_editor.open_problem(PROBLEM)
    await first_desk.start()
    file = first_desk.open()
    shutil.rmtree(first_editor.home / "data" / "attempts" / "working")
    second_desk = await second_editor.open_problem(PROBLEM)
    assert second_desk.opened_problem.status.read_only is None
    await first_editor.wait_until(lambda: any(status.read_only for status in first_editor.screen.statuses), "the loss")
    assert any("broke off" in message for message in first_editor.screen.messages)
    event_types = [event.type for event in second_desk.events()]
    file.type("// not recorded\n")
    file.save()
    assert "another window or server" in ((await first_desk.ask("status")).read_only or "")
    assert [event.type for event in second_desk.events()] == event_types

    await second_editor.kill()
    assert (await first_desk.ask("status")).read_only is None
    file.save()
    assert (await first_desk.ask("status")).state == "running"
    assert first_desk.replayed_content("rtl/sat_counter.sv") == file.path.read_bytes()
    assert first_desk.verify_log().ok


async def test_a_full_disk_is_shown_until_it_is_over(editors: Editors) -> None:
    editor = await editors()
    desk: Desk = await editor.open_problem(PROBLEM)
    await desk.start()
    file = desk.open()
    server_process = psutil.Process(editor.process.pid)
    _, hard = server_process.rlimit(resource.RLIMIT_FSIZE)
    server_process.rlimit(resource.RLIMIT_FSIZE, (1000, hard))
    file.type("// lost\n")
    await editor.wait_until(lambda: any(status.not_recorded for status in editor.screen.statuses), "the trouble")
    assert "free space" in ((await desk.ask("status")).not_recorded or "")
    assert "free space" in ((await desk.ask("status")).not_recorded or "")

    server_process.rlimit(resource.RLIMIT_FSIZE, (hard, hard))
    file.type("// there again\n")
    await editor.wait_until(lambda: editor.screen.statuses[-1].not_recorded is None, "the end of the trouble")
    file.save()
    assert (await desk.ask("status")).not_recorded is None
    assert desk.replayed_content("rtl/sat_counter.sv") == file.path.read_bytes()
    assert desk.verify_log().ok
