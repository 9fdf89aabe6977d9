from __future__ import annotations

import asyncio
import json
import random
import subprocess
import time
from pathlib import Path

import psutil
import pytest
from lsprotocol import types

from benchwright_attempts.clock.clock import AttemptState, clock_after_events

from .conftest import Editors
from .session import SERVER, Desk, Editor, endless, reference, starting_text, still_alive

pytestmark = pytest.mark.asyncio(loop_scope="module")

PIECES = ("x", "é", "𝄞", "漢字", "\r\n", "\n", "\r", "\f", "\u2028", "\ufeff", "\0", "e\u0301", "wire a;\n", "")


def edit_at_random(file_text: str, dice: random.Random) -> tuple[int, int, str]:
    start = dice.randrange(len(file_text) + 1)
    end = min(len(file_text), start + dice.choice((0, 0, 0, 1, 2, 40)))
    # Between CR and LF there is no position an editor could name.
    start -= file_text[start - 1 : start + 1] == "\r\n"
    end += file_text[end - 1 : end + 1] == "\r\n"
    return start, end, "".join(dice.choices(PIECES, k=dice.randrange(4)))


@pytest.mark.parametrize("seed", [1, 2])
async def test_a_replay_rebuilds_every_save_after_random_edits(
    editor: Editor, home: Path, tmp_path: Path, seed: int
) -> None:
    dice = random.Random(seed)
    desk = await editor.open_problem("starter/saturating-counter")
    file = desk.open()
    for _ in range(4):
        for _ in range(60):
            file.replace(*edit_at_random(file.text, dice))
        file.save()
    await editor.quit()
    command = [SERVER[0], "attempts", "replay", desk.attempt[:8], "--to", str(tmp_path / "replayed"), "--json"]
    environment = {"BENCHWRIGHT_HOME": str(home)}
    replayed = await asyncio.to_thread(subprocess.run, command, env=environment, capture_output=True, check=False)
    report = json.loads(replayed.stdout)
    assert (report["ok"], report["saves"], report["flaws"]) == (True, 4, [])
    assert (tmp_path / "replayed" / "rtl" / "sat_counter.sv").read_bytes() == file.path.read_bytes()
    edit_events = desk.events_of_kind("edit")
    assert 200 < len(edit_events) <= 240
    assert edit_events[-1].version == file.version


async def test_an_edit_that_follows_a_save_at_once_is_not_counted_twice(editor: Editor) -> None:
    # The second save is on disk before the server reads what the first one wrote.
    desk = await editor.open_problem("starter/saturating-counter")
    file = desk.open()
    for number in range(20):
        file.type(f"// {number}\n")
        file.path.write_text(file.text + f"// {number}, again\n")
        file.send_saved()
        file.type(f"// {number}, again\n")
        file.save()
    await desk.ask("status")
    assert desk.replayed_content("rtl/sat_counter.sv") == file.path.read_bytes()


async def test_whole_document_changes_and_many_changes_at_once_are_recorded(editor: Editor) -> None:
    desk = await editor.open_problem("starter/saturating-counter")
    file = desk.open()
    file.change(types.TextDocumentContentChangeWholeDocument("one 𝄞 two\r\nthree"))
    change_start = types.Position(0, 7)
    file.change(
        types.TextDocumentContentChangePartial(text="2", range=types.Range(change_start, types.Position(0, 10))),
        types.TextDocumentContentChangePartial(
            text="", range=types.Range(types.Position(1, 0), types.Position(99, 99))
        ),
        types.TextDocumentContentChangePartial(
            text="!", range=types.Range(types.Position(0, 99), types.Position(0, 99))
        ),
    )
    file.text = "one 𝄞 2!\r\n"
    file.save()
    await desk.ask("status")
    assert desk.replayed_content("rtl/sat_counter.sv") == file.text.encode()
    # Lint reports when it is done.
    event_types = [event.type for event in desk.events() if event.type != "diagnostics"]
    assert event_types == ["opened", "edit", "edit", "save"]


async def test_a_change_by_another_program_is_recorded_when_it_counts(editor: Editor) -> None:
    desk = await editor.open_problem("starter/saturating-counter")
    await desk.start()
    path = desk.folder / "rtl" / "sat_counter.sv"
    path.write_text(reference("saturating-counter"))
    assert (await desk.run()).outcome == "passed"
    assert desk.replayed_content("rtl/sat_counter.sv") == path.read_bytes()
    assert [event.cause for event in desk.events_of_kind("text")] == ["outside"]
    path.unlink()
    assert (await desk.run()).outcome == "failed"
    assert [event.cause for event in desk.events_of_kind("text")] == ["outside", "deleted"]
    path.write_bytes(b"\xff\xfe binary")
    assert (await desk.run()).outcome == "failed"
    (text,) = desk.events_of_kind("text")[2:]
    assert (text.cause, text.file.text) == ("outside", None)
    assert desk.verify_log().ok


async def test_a_byte_order_mark_that_comes_and_goes_is_recorded(editor: Editor) -> None:
    desk = await editor.open_problem("starter/saturating-counter")
    file = desk.open()
    for mark in (b"\xef\xbb\xbf", b"", b"\xef\xbb\xbf"):
        file.type("// more\n")
        file.path.write_bytes(mark + file.text.encode())
        file.send_saved()
        await desk.ask("status")
        assert desk.replayed_content("rtl/sat_counter.sv") == mark + file.text.encode()
    file.close()
    reopened_file = desk.open(text=file.text + "// kept by the editor over its restart\n")
    reopened_file.path.write_bytes(b"\xef\xbb\xbf" + reopened_file.text.encode())
    reopened_file.send_saved()
    await desk.ask("status")
    assert desk.replayed_content("rtl/sat_counter.sv") == reopened_file.path.read_bytes()


async def test_what_is_closed_without_saving_is_recorded_as_dropped(editor: Editor) -> None:
    desk = await editor.open_problem("starter/saturating-counter")
    file = desk.open()
    file.type("// never saved\n")
    file.close()
    await desk.ask("status")
    assert desk.replayed_content("rtl/sat_counter.sv") == starting_text("saturating-counter").encode()
    assert [event.cause for event in desk.events_of_kind("text")] == ["discarded"]
    reopened_file = desk.open()
    reopened_file.type("// kept\n")
    reopened_file.save()
    await desk.ask("status")
    assert desk.replayed_content("rtl/sat_counter.sv") == reopened_file.path.read_bytes()


async def test_a_killed_server_loses_nothing_acknowledged_and_the_attempt_goes_on(editors: Editors) -> None:
    editor = await editors()
    desk = await editor.open_problem("starter/saturating-counter")
    await desk.start()
    file = desk.open()
    file.paste(endless("saturating-counter"))
    file.save()
    # The answer says that the save, and so everything before it, is on disk.
    await desk.ask("status")
    sandboxed = await editor.simulating_processes()
    await editor.kill()
    acknowledged = desk.events()
    step_types = [event.type for event in acknowledged if event.type != "diagnostics"]
    assert step_types == ["opened", "started", "edit", "save", "run_started"]
    # The sandbox dies with the server.
    assert still_alive(sandboxed) == []
    counted_s = _active_s(desk)
    await asyncio.sleep(1.5)
    second_editor = await editors()
    began = time.monotonic()
    reopened_desk = await second_editor.open_problem("starter/saturating-counter")
    took_s = time.monotonic() - began
    status = reopened_desk.opened_problem.status
    assert (status.attempt, status.state, status.running) == (desk.attempt, AttemptState.RUNNING, False)
    # Until the server's last word, and again from when the attempt was taken over.
    assert status.active_s is not None and status.elapsed_s is not None
    assert counted_s <= status.active_s + 0.01 < counted_s + took_s + 0.02
    assert status.elapsed_s > counted_s + 1.5
    assert reopened_desk.events()[: len(acknowledged)] == acknowledged
    assert "interrupted" in [event.type for event in reopened_desk.events()]
    file = reopened_desk.open()
    file.paste(reference("saturating-counter"))
    file.save()
    assert (await reopened_desk.verdict(1)).outcome == "passed"
    assert reopened_desk.replayed_content("rtl/sat_counter.sv") == file.path.read_bytes()


async def test_a_normal_end_keeps_what_was_typed_last_and_pauses_the_clock(editors: Editors) -> None:
    editor = await editors()
    desk = await editor.open_problem("starter/saturating-counter")
    await desk.start()
    file = desk.open()
    for number in range(50):
        file.type(f"// {number}\n")
    assert await editor.quit() == 0
    assert len(desk.events_of_kind("edit")) == 50
    assert [event.reason for event in desk.events_of_kind("paused")] == ["the editor was closed"]
    paused_at = _active_s(desk)
    second_editor = await editors()
    reopened_desk = await second_editor.open_problem("starter/saturating-counter")
    assert reopened_desk.opened_problem.status.state == "paused"
    assert reopened_desk.opened_problem.status.active_s == pytest.approx(paused_at, abs=0.01)
    assert (await reopened_desk.ask("resume")).state == "running"


def _active_s(desk: Desk) -> float:
    with desk.editor.log() as log:
        return clock_after_events(log.events(desk.attempt)).active_s


async def test_a_log_that_cannot_be_written_is_told_once_and_the_session_goes_on(editor: Editor) -> None:
    desk = await editor.open_problem("starter/saturating-counter")
    file = desk.open()
    file.type("// recorded\n")
    await desk.start()
    server_process = psutil.Process(editor.process.pid)
    file_size_limits = server_process.rlimit(psutil.RLIMIT_FSIZE)
    server_process.rlimit(psutil.RLIMIT_FSIZE, (1024, file_size_limits[1]))
    for letter in "lost":
        file.type(f"// {letter}\n")
        await desk.ask("status")
    await editor.wait_until(lambda: bool(editor.screen.messages), "a message")
    assert (await editor.refusal("pause", uri=desk.uri))[1].startswith("Attempt log ")
    assert len(editor.screen.messages) == 1
    assert "Attempt log" in editor.screen.messages[0]
    assert "free space" in editor.screen.messages[0] or "disk is full" in editor.screen.messages[0]
    file.type("wire = 1;\n", before_text="endmodule")
    await file.marked("expected")
    server_process.rlimit(psutil.RLIMIT_FSIZE, file_size_limits)
    file.paste(reference("saturating-counter"))
    file.save()
    assert (await desk.verdict(1)).outcome == "passed"
    assert desk.replayed_content("rtl/sat_counter.sv") == file.path.read_bytes()
