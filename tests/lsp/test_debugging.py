"""A cocotb test in the sandbox, stopped at a breakpoint by a client of the Debug Adapter Protocol."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from lsprotocol import types

from benchwright_harness.own_tests.debugging import copy_events_and_responses

from ..support.editor.debug_adapter import debug_client
from ..support.editor.own_tests import TESTS, folder_with, open_own_tests, results
from .conftest import Editors
from .session import still_alive

pytestmark = pytest.mark.asyncio(loop_scope="module")

TEST = "tests/test_counter.py::counts/cycles=3"
LAST_LINE = len(TESTS.splitlines())


async def test_a_test_stops_at_a_breakpoint_and_tells_its_variables(editors: Editors, tmp_path: Path) -> None:
    folder = folder_with(tmp_path)
    editor = await open_own_tests(editors, folder)
    run_task = asyncio.ensure_future(editor.ask("runOwnTests", uri=folder.as_uri(), ids=[TEST], debug=True))
    await editor.wait_until(lambda: bool(editor.screen.debuggers), "debugger")
    (debugger,) = editor.screen.debuggers
    assert Path(debugger.socket).parent.stat().st_mode & 0o077 == 0
    async with debug_client(debugger.socket) as debug:
        await debug.ask("initialize", adapterID="test", pathFormat="path")
        debug.send("attach", **debugger.arguments)
        await debug.event("initialized")
        source = {"path": str(folder / "tests/test_counter.py")}
        placed = await debug.ask("setBreakpoints", source=source, breakpoints=[{"line": LAST_LINE}])
        assert placed["breakpoints"][0]["verified"]
        await debug.ask("configurationDone")
        stopped = await debug.event("stopped")
        frames = await debug.ask("stackTrace", threadId=stopped["threadId"])
        top = frames["stackFrames"][0]
        assert (top["source"]["path"], top["line"]) == (source["path"], LAST_LINE)
        cycles = await debug.ask("evaluate", expression="(cycles, int(dut.q.value))", frameId=top["id"])
        assert cycles["result"] == "(3, 3)"
        await debug.ask("continue", threadId=stopped["threadId"])
        answer = await run_task
    assert answer["passed"], answer
    assert list(results(answer)) == [TEST]
    assert not Path(debugger.socket).exists()


async def test_cancelling_ends_a_test_that_is_stopped_at_a_breakpoint(editors: Editors, tmp_path: Path) -> None:
    folder = folder_with(tmp_path)
    editor = await open_own_tests(editors, folder)
    run_task = asyncio.ensure_future(editor.ask("runOwnTests", uri=folder.as_uri(), ids=[TEST], debug=True))
    await editor.wait_until(lambda: bool(editor.screen.debuggers), "debugger")
    simulating = await editor.simulating_processes()
    async with debug_client(editor.screen.debuggers[0].socket):
        token = next(token for token, value in editor.screen.progress if value.get("kind") == "begin")
        editor.client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(token))
        with pytest.raises(Exception, match=r"(?i)cancel"):
            await run_task
    assert not still_alive(simulating)


@pytest.mark.parametrize("ids", [["tb/tb.sv"], ["tb/tb.sv", "tests/test_counter.py"]], ids=["testbench", "two files"])
async def test_what_can_not_be_debugged_is_said(editors: Editors, tmp_path: Path, ids: list[str]) -> None:
    folder = folder_with(tmp_path)
    editor = await open_own_tests(editors, folder)
    with pytest.raises(Exception, match="Only the cocotb tests of one file"):
        await editor.ask("runOwnTests", uri=folder.as_uri(), ids=ids, debug=True)


async def test_a_test_can_not_ask_the_editor_to_start_programs() -> None:
    def message(text: str) -> bytes:
        return b"Content-Length: %d\r\n\r\n%s" % (len(text), text.encode())

    event_message, response_message = message('{"type": "event"}'), message('{"type": "response"}')
    source = asyncio.StreamReader()
    source.feed_data(event_message + message('{"type": "request", "command": "runInTerminal"}') + response_message)
    source.feed_data(b"Content-Length: 999999999999\r\n\r\n" + event_message)
    source.feed_eof()
    target_stream = asyncio.StreamReader()

    class Writer:
        write = staticmethod(target_stream.feed_data)

        async def drain(self) -> None: ...

    await copy_events_and_responses(source, Writer())  # type: ignore[arg-type]
    target_stream.feed_eof()
    assert await target_stream.read() == event_message + response_message
