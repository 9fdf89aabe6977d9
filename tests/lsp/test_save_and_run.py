from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from benchwright_server.features.requests import REQUEST_FAILED

from .conftest import Editors
from .session import Editor, File, endless, reference, still_alive, wrong

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture
def editor(shared_editor: Editor) -> Editor:
    return shared_editor.forget()


async def test_a_save_runs_the_hidden_tests_and_the_lens_tells_the_verdict(editor: Editor) -> None:
    desk = await editor.open_problem("starter/saturating-counter")
    file = desk.open()
    assert await file.first_lens_title() == "▶ Start the clock to run the hidden tests"
    await desk.start()
    assert await file.first_lens_title() == "▶ Run hidden tests"
    file.paste(endless("saturating-counter"))
    refreshes = editor.screen.lens_refreshes
    file.save()
    await desk.until_run_starts()
    assert await file.first_lens_title() == "■ Stop the hidden tests · run 1 running"
    file.paste(wrong("saturating-counter", "wraps"))
    file.save()
    verdict = await desk.verdict(1)
    assert verdict.outcome == "failed"
    assert verdict.tests is not None
    passed_count, total = verdict.tests.passed, verdict.tests.total
    assert 0 < passed_count < total
    assert (
        await file.first_lens_title()
        == f"▶ Run hidden tests · ✗ {passed_count}/{total} passed · {verdict.wall_s:.1f} s · run 1"
    )
    lens, *_ = await editor.lenses(file)
    assert lens.command is not None
    assert (lens.command.command, lens.command.arguments) == ("benchwright.run", ({"uri": desk.uri},))
    name_position = types.Position(*_position_of(file.text, "sat_counter"))
    assert lens.range == types.Range(name_position, name_position)
    file.paste(reference("saturating-counter"))
    file.save()
    assert (await desk.verdict(2)).outcome == "passed"
    assert re.fullmatch(
        rf"▶ Run hidden tests · ✓ {total}/{total} passed · \d+\.\d s · run 2", await file.first_lens_title()
    )
    assert editor.screen.lens_refreshes > refreshes
    await desk.ask("pause")
    assert (await file.first_lens_title()).startswith("▶ Resume the clock to run the hidden tests · ")
    assert (await desk.submit()).first_pass_run == 2
    assert (await file.first_lens_title()).startswith("Submitted · ")


def _position_of(text: str, word: str) -> tuple[int, int]:
    text_before = text[: text.index(f"module {word}") + len("module ")]
    return text_before.count("\n"), len(text_before) - text_before.rfind("\n") - 1


async def test_a_run_shows_its_progress_from_begin_to_end(editor: Editor) -> None:
    desk = await editor.open_problem("starter/saturating-counter")
    await desk.start()
    assert (await desk.run()).number == 1
    assert len({token for token, _ in editor.screen.progress}) == 1
    progress_kinds = [value["kind"] for _, value in editor.screen.progress]
    assert progress_kinds == ["begin", "report", "end"]
    begin_progress, report = editor.screen.progress[0][1], editor.screen.progress[1][1]
    assert (begin_progress["title"], begin_progress["cancellable"]) == ("Hidden tests", True)
    assert report["message"] == "step 1 of 1"


async def test_a_client_without_progress_gets_its_verdict_all_the_same(editors: Editors) -> None:
    editor = await editors(capabilities=types.ClientCapabilities())
    desk = await editor.open_problem("starter/saturating-counter")
    await desk.start()
    assert (await desk.run()).outcome == "failed"
    assert (editor.screen.progress, editor.screen.lens_refreshes) == ([], 0)


@pytest.mark.parametrize(
    ("name", "solution", "shows"),
    [
        ("skid-buffer-bug", "one-word", "verdict"),
        ("sync-fifo", "level-up-only", "names"),
        ("round-robin-arbiter", "fixed-priority", "messages"),
        ("saturating-counter", "wraps", "reference"),
    ],
)
async def test_each_reveal_policy_shows_what_it_may(editor: Editor, name: str, solution: str, shows: str) -> None:
    desk = await editor.open_problem(f"starter/{name}")
    await desk.start()
    desk.open().path.write_text(wrong(name, solution))
    verdict = await desk.run()
    assert (verdict.outcome, verdict.reason, verdict.reveal) == ("failed", "tests_failed", shows)
    assert verdict.tests is not None
    assert verdict.tests.passed < verdict.tests.total
    levels = ["verdict", "names", "messages", "full", "reference"]
    assert (verdict.lines is not None) == (levels.index(shows) >= 1)
    assert any(line.message for line in verdict.lines or ()) == (levels.index(shows) >= 2)
    assert bool(verdict.log) == (levels.index(shows) >= 3)
    if verdict.lines is not None:
        assert len(verdict.lines) == verdict.tests.total
    if verdict.log is not None:
        assert "cocotb" in verdict.log
    assert (await desk.ask("status")).verdict == verdict


async def test_a_design_that_does_not_compile_fails_in_words_that_say_so(editor: Editor) -> None:
    desk = await editor.open_problem("starter/sync-fifo")
    await desk.start()
    desk.open().path.write_text("module sync_fifo;\n")
    verdict = await desk.run()
    assert (verdict.outcome, verdict.reason, verdict.lines) == ("failed", "build_failed", None)
    assert "does not compile" in verdict.message


async def test_what_the_compiler_says_is_shown_at_its_line_until_the_next_run(editor: Editor) -> None:
    desk = await editor.open_problem("starter/saturating-counter")
    await desk.start()
    file = desk.open()
    good = reference("saturating-counter")
    # A language server's analyser takes what simulators do not.
    sequence = "  nettype logic [3:0] mynet;\n"
    bad = good.replace("endmodule", f"{sequence}endmodule")
    file.paste(bad)
    file.save()
    verdict = await desk.verdict(1)
    assert (verdict.reason, (await desk.ask("status")).view.short) == ("build_failed", "build failed")
    assert verdict.compiler is not None
    compiler_line, *_ = verdict.compiler
    messages = [message.text for message in verdict.compiler]
    assert (compiler_line.path, compiler_line.line) == (
        "rtl/sat_counter.sv",
        1 + bad[: bad.index(sequence)].count("\n"),
    )
    # Verilator's lint says of the same text what it can't read.
    await file.marked("Unsupported: nettype")

    # It stays at its line while other lines change, and goes with it.
    file.type("// another line\n", before_text="module sat_counter")
    marked, *_ = await file.marked(*messages)
    assert (marked.source, marked.range.start.line) == ("hidden tests", compiler_line.line)
    file.type("", over_text=sequence)
    await file.marked()

    # They are published for a file that is not open as well, until the next run.
    file.close()
    file.path.write_text(bad)
    await desk.run()

    def published() -> list[str]:
        return [
            diagnostic.message
            for diagnostic in [params for params in editor.screen.diagnostics if params.uri == file.uri][-1].diagnostics
        ]

    await editor.wait_until(lambda: published() == messages, "the compiler's message")
    file.path.write_text(good)
    assert (await desk.run()).outcome == "passed"
    await editor.wait_until(lambda: not published(), "an empty list")


async def test_a_missing_toolchain_is_an_error_with_the_next_step(editors: Editors, tmp_path: Path) -> None:
    editor = await editors(environment={"BENCHWRIGHT_CACHE": str(tmp_path / "empty")})
    desk = await editor.open_problem("starter/saturating-counter")
    await desk.start()
    file = desk.open()
    file.save()
    verdict = await desk.verdict(1)
    assert (verdict.outcome, verdict.reason, verdict.tests) == ("error", "tool_missing", None)
    assert "benchwright toolchain build" in verdict.message
    assert (await file.first_lens_title()).startswith("▶ Run hidden tests · ? tool missing · ")
    report = await editor.ask("doctor")
    assert report["ok"] is False


async def test_a_newer_save_cancels_the_older_run_and_its_processes(editor: Editor) -> None:
    desk = await editor.open_problem("starter/saturating-counter")
    await desk.start()
    file = desk.open(text=endless("saturating-counter"))
    file.save()
    older = await editor.simulating_processes()
    file.paste(reference("saturating-counter"))
    file.save()
    await editor.ask("status", uri=desk.uri)
    assert still_alive(older) == []
    assert (await desk.verdict(1)).outcome == "passed"
    assert [event.reason for event in desk.events_of_kind("run_cancelled")] == ["newer_save"]
    assert len(desk.events_of_kind("run_started")) == 2
    assert len(desk.events_of_kind("run_finished")) == 1


async def test_a_burst_of_saves_and_runs_ends_in_the_verdict_on_the_last(editor: Editor) -> None:
    desk = await editor.open_problem("starter/saturating-counter")
    await desk.start()
    file = desk.open()
    for number in range(5):
        file.paste(wrong("saturating-counter", "wraps") + f"// {number}\n")
        file.save()
    await editor.wait_until(lambda: bool(desk.events_of_kind("run_started")), "a run")
    file.paste(reference("saturating-counter"))
    file.save()
    # All of these want to take the place of the run that is going on.
    await asyncio.gather(*(editor.ask("run", uri=desk.uri) for _ in range(4)))
    status = await desk.ask("status")
    assert status.verdict is not None
    assert (status.verdict.outcome, status.running) == ("passed", False)
    await desk.until_run_stops()
    started_runs = [event.run for event in desk.events_of_kind("run_started")]
    finished_events = desk.events_of_kind("run_finished")
    assert sorted(started_runs) == sorted(
        event.run for event in (*desk.events_of_kind("run_cancelled"), *finished_events)
    )
    assert [event.number for event in finished_events] == list(range(1, status.runs + 1))
    assert desk.replayed_content("rtl/sat_counter.sv") == file.path.read_bytes()
    begun_tokens = [token for token, value in editor.screen.progress if value["kind"] == "begin"]
    assert sorted(begun_tokens) == sorted(token for token, value in editor.screen.progress if value["kind"] == "end")


async def test_the_cancel_button_of_the_progress_ends_the_run(editor: Editor) -> None:
    desk = await editor.open_problem("starter/saturating-counter")
    await desk.start()
    file = desk.open()
    file.paste(endless("saturating-counter"))
    file.save()
    processes = await editor.simulating_processes()
    await desk.until_run_starts()
    await editor.wait_until(lambda: bool(editor.screen.progress), "the progress")
    token = editor.screen.progress[0][0]
    editor.client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(token))
    await editor.wait_until(lambda: editor.screen.progress[-1][1]["kind"] == "end", "the end of the progress")
    assert still_alive(processes) == []
    await desk.until_run_stops()
    assert [event.reason for event in desk.events_of_kind("run_cancelled")] == ["solver"]
    assert await file.first_lens_title() == "▶ Run hidden tests"
    editor.client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(token))
    file.path.write_text(reference("saturating-counter"))
    assert (await desk.run()).number == 1


async def test_the_stop_command_ends_the_run(editor: Editor) -> None:
    desk = await editor.open_problem("starter/saturating-counter")
    await desk.start()
    desk.open(text=endless("saturating-counter")).save()
    processes = await editor.simulating_processes()
    status = await desk.ask("cancelRun")
    assert (status.running, status.runs, status.verdict) == (False, 0, None)
    assert still_alive(processes) == []


async def test_saving_before_the_start_and_in_a_pause_lints_only(editor: Editor) -> None:
    desk = await editor.open_problem("starter/saturating-counter")
    file = desk.open()
    await file.marked()

    async def save() -> None:
        linted = len(desk.events_of_kind("diagnostics"))
        file.save()
        await editor.wait_until(lambda: len(desk.events_of_kind("diagnostics")) > linted, "the lint")

    await save()
    await desk.start()
    await desk.ask("pause", reason="lunch")
    await save()
    assert desk.events_of_kind("run_started") == []
    assert len(desk.events_of_kind("save")) == 2
    assert [event.reason for event in desk.events_of_kind("paused")] == ["lunch"]


async def test_saving_a_file_that_is_not_judged_runs_nothing(editor: Editor) -> None:
    desk = await editor.open_problem("starter/skid-buffer-bug")
    await desk.start()
    bench = desk.open("verif/tb_skid_buffer.sv")
    bench.type("// mine\n", before_text="module tb")
    bench.save()
    commands = {lens.command.command for lens in await editor.lenses(bench) if lens.command}
    assert commands <= {"benchwright.runOwnTests"}
    await editor.wait_until(lambda: bool(desk.events_of_kind("save")), "the save")
    assert (await desk.ask("status")).running is False
    assert desk.events_of_kind("run_started") == []


async def test_a_stopped_submit_hands_nothing_in(editor: Editor) -> None:
    desk = await editor.open_problem("starter/saturating-counter")
    await desk.start()
    path = desk.open().path
    path.write_text(endless("saturating-counter"))
    submitting = asyncio.create_task(editor.ask("submit", uri=desk.uri))
    processes = await editor.simulating_processes()
    assert (await desk.ask("status")).running is True
    await desk.ask("cancelRun")
    with pytest.raises(JsonRpcException, match="nothing was submitted") as refused:
        await submitting
    assert refused.value.code == REQUEST_FAILED
    assert still_alive(processes) == []
    assert (await desk.ask("status")).state == "running"
    path.write_text(reference("saturating-counter"))
    assert (await desk.submit()).status.state == "submitted"


async def test_a_save_during_submit_hands_in_what_was_saved(editor: Editor) -> None:
    desk = await editor.open_problem("starter/saturating-counter")
    await desk.start()
    file = desk.open()
    file.path.write_text(endless("saturating-counter"))
    submitting = asyncio.create_task(desk.submit())
    await editor.simulating_processes()
    file.paste(reference("saturating-counter"))
    file.save()
    summary = await submitting
    assert summary.status.verdict is not None
    assert (summary.status.verdict.outcome, summary.status.runs) == ("passed", 1)


async def test_submit_does_not_run_again_what_was_just_judged(editor: Editor) -> None:
    desk = await editor.open_problem("starter/saturating-counter")
    await desk.start()
    file: File = desk.open()
    file.save()
    await editor.wait_until(lambda: bool(desk.events_of_kind("run_started")), "a run")
    summary = await desk.submit()
    assert (summary.status.state, summary.status.runs, summary.first_pass_s) == ("submitted", 1, None)
    assert len(desk.events_of_kind("run_started")) == 1


async def test_a_design_that_was_submitted_and_passed_is_measured_beside_the_reference(editor: Editor) -> None:
    desk = await editor.open_problem("starter/saturating-counter")
    await desk.start()
    file = desk.open()
    file.paste(reference("saturating-counter"))
    file.save()
    await desk.verdict(1)
    running_verdict = (await desk.ask("status")).verdict
    assert running_verdict is not None
    assert running_verdict.quality is None
    final_verdict = (await desk.submit()).status.verdict
    assert final_verdict is not None
    assert final_verdict.quality is not None
    measures = {line.measure: line for line in final_verdict.quality}
    assert list(measures) == ["gates", "flip_flops", "depth", "findings"]
    assert all(line.solution == line.reference for line in final_verdict.quality)
    assert measures["flip_flops"].solution == 8
