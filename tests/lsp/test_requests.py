from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcMethodNotFound

from benchwright_server.features.requests import REQUEST_FAILED
from benchwright_server.operations.catalogue import OPERATIONS

from .conftest import Editors
from .session import Editor, reference

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture
def editor(shared_editor: Editor) -> Editor:
    return shared_editor.forget()


INVALID_PARAMS = -32602
VARYING = {"attempt": "ID", "elapsedS": 0, "activeS": 0, "wallS": 0, "firstPassS": 0, "bestTimeS": 0}


async def test_a_server_tells_what_it_can_do(editors: Editors) -> None:
    editor = await editors()
    assert editor.initialized is not None
    capabilities = editor.initialized.capabilities
    assert capabilities.execute_command_provider is not None
    expected_commands = [f"benchwright.{operation.name}" for operation in OPERATIONS if operation.is_request]
    # Behind the operations come the commands of language features.
    assert list(capabilities.execute_command_provider.commands)[: len(expected_commands)] == expected_commands
    sync = capabilities.text_document_sync
    assert isinstance(sync, types.TextDocumentSyncOptions)
    assert (sync.open_close, sync.change) == (True, types.TextDocumentSyncKind.Incremental)
    assert sync.save
    assert capabilities.code_lens_provider
    assert capabilities.position_encoding == types.PositionEncodingKind.Utf16
    assert editor.initialized.server_info is not None
    assert editor.initialized.server_info.name == "benchwright"
    assert await editor.quit() == 0
    assert editor.stderr == b""


async def test_commands_answer_what_requests_answer(editors: Editors, tmp_path: Path) -> None:
    request_answers = await _whole_session(await editors(tmp_path / "one"), "ask", tmp_path / "one")
    commanded = await _whole_session(await editors(tmp_path / "two"), "command", tmp_path / "two")
    assert request_answers == commanded
    attempt_states = [answer["state"] for answer in request_answers if "state" in answer]
    assert attempt_states == [
        "open",
        "running",
        "paused",
        "running",
        "running",
        "running",
        "submitted",
        "open",
        "abandoned",
    ]


async def _whole_session(editor: Editor, way: str, home: Path) -> list[dict[str, Any]]:
    do = getattr(editor, way)
    operation_answers = [await do("packs")]

    async def session(ref: str) -> dict[str, str]:
        operation_answers.append(await do("open", problem=ref))
        return {"uri": operation_answers[-1]["status"]["workspace"]}

    workspace = await session("starter/saturating-counter")
    file = editor.open(Path(workspace["uri"].removeprefix("file://")) / "rtl/sat_counter.sv")
    for operation in ("status", "start", "pause", "resume", "cancelRun"):
        reason = {"reason": "lunch"} if operation == "pause" else {}
        operation_answers.append(await do(operation, **workspace, **reason))
    file.path.write_text(reference("saturating-counter"))
    operation_answers += [
        await do("run", **workspace),
        await do("submit", **workspace),
        await do("status", **workspace),
    ]
    workspace = await session("starter/vipt-synonyms")
    operation_answers += [
        await do("question", **workspace),
        await do("status", **workspace),
        await do("abandon", **workspace),
    ]
    operation_answers += [await do("packs"), await do("doctor")]
    return [_steady(answer, home) for answer in operation_answers]


def _steady(value: Any, home: Path) -> Any:
    """Without what differs from session to session."""

    varying_texts = {"log", "finishedAt", "decidedAt"}

    def steady(fields: dict[str, Any]) -> dict[str, Any]:
        return {
            name: VARYING.get(name, "" if name in varying_texts else inner) if inner is not None else None
            for name, inner in fields.items()
        }

    return json.loads(json.dumps(value).replace(str(home), "HOME"), object_hook=steady)


async def test_the_list_follows_what_was_done(editors: Editors) -> None:
    editor = await editors()
    old_pack = next(pack for pack in (await editor.ask("packs"))["packs"] if pack["name"] == "starter")
    assert {problem["state"] for problem in old_pack["problems"]} == {"not begun"}
    assert len(old_pack["problems"]) >= 8
    desk = await editor.open_problem("starter/vipt-synonyms")
    await desk.start()
    assert (await _problem(editor, "vipt-synonyms"))["state"] == "open"
    (desk.folder / "answer.md").write_text("true\n")
    summary = await desk.submit()
    assert summary.status.verdict is not None
    assert summary.status.verdict.outcome == "passed"
    assert (summary.first_pass_run, summary.status.runs) == (1, 1)
    row = await _problem(editor, "vipt-synonyms")
    assert (row["state"], row["attempts"]) == ("passed", 1)
    assert row["bestTimeS"] == pytest.approx(summary.status.active_s, abs=0.01)
    # Nothing of the hidden part, not even under another name.
    assert set(row) == {
        *("ref", "id", "title", "kind", "category", "categoryName", "difficulty", "state", "sign", "run"),
        *("bestTimeS", "passedWithAgent", "attempts", "hasUnfinished"),
    }
    assert row["hasUnfinished"] is False


async def test_the_page_of_a_problem_has_its_statement_and_the_attempts_at_it_and_starts_nothing(
    editors: Editors,
) -> None:
    editor = await editors()
    desk = await editor.open_problem("starter/vipt-synonyms")
    await desk.start()
    assert (await _problem(editor, "vipt-synonyms"))["hasUnfinished"] is True
    (desk.folder / "answer.md").write_text("true\n")
    await desk.submit()
    again = await editor.open_problem("starter/vipt-synonyms", fresh=True)
    page = await editor.ask("problemPage", problem="starter/vipt-synonyms")
    assert page["expected"] == ["answer.md"] and page["statement"].strip()
    assert [(one["attempt"], one["view"]["standing"], one["ended"]) for one in page["attempts"]] == [
        (again.attempt, "open", False),
        (desk.attempt, "passed", True),
    ]
    last_files = (await editor.ask("replayAt", attempt=desk.attempt, seq=2**53 - 1))["files"]
    assert [file["text"] for file in last_files if file["path"] == "answer.md"] == ["true\n"]
    untouched = await editor.ask("problemPage", problem="starter/sync-fifo")
    assert untouched["attempts"] == [] and "fill level" in untouched["statement"]
    assert (await _problem(editor, "sync-fifo"))["attempts"] == 0
    assert "no problem" in (await editor.refusal("problemPage", problem="starter/absent"))[1]


async def _problem(editor: Editor, name: str) -> dict[str, Any]:
    packs = (await editor.ask("packs"))["packs"]
    return next(problem for pack in packs for problem in pack["problems"] if problem["id"] == name)


async def test_the_doctor_finds_the_main_job_working(editor: Editor) -> None:
    report = await editor.ask("doctor")
    assert report["ok"] is True
    doctor_items = {item["name"]: item for item in report["items"]}
    assert {"Python", "Toolchain", "Sandbox", "Packs", "Attempt log"} <= set(doctor_items)
    assert "icarus-13 13." in doctor_items["Toolchain"]["version"]
    assert all(item["hint"] for item in report["items"] if item["status"] != "ok")


async def test_what_cannot_be_done_is_refused_in_a_plain_sentence(editors: Editors, tmp_path: Path) -> None:
    editor = await editors()
    desk = await editor.open_problem("starter/saturating-counter")
    workspace = {"uri": desk.uri}

    async def refused(operation: str, pattern: str, **params: Any) -> None:
        code, sentence = await editor.refusal(operation, **params)
        assert (code, bool(re.search(pattern, sentence))) == (REQUEST_FAILED, True), (code, sentence)
        assert "Traceback" not in sentence

    for operation in ("run", "submit", "pause"):
        await refused(operation, "Press Start", **workspace)
    await refused("resume", "not been started", **workspace)
    await desk.start()
    await refused("start", "already running", **workspace)
    await refused("resume", "already running", **workspace)
    await desk.ask("pause")
    await refused("run", "Press Resume", **workspace)
    await refused("pause", "paused", **workspace)
    await desk.ask("abandon")
    for operation in ("run", "start", "pause", "resume", "submit", "abandon"):
        await refused(operation, "was abandoned", **workspace)
    await refused("question", "is not a question", **workspace)
    await refused("status", "does not belong to an open problem", uri=tmp_path.as_uri())
    await refused("status", "does not belong to an open problem", uri=(tmp_path / "no" / "such.sv").as_uri())
    for uri in ("", "untitled:Untitled-1", "git:/a.sv", "a.sv", "file:", "file:///a%00b", "file:///a\ud800b"):
        await refused("status", "does not name a file on this machine", uri=uri)
    await refused("open", "has no problem 'nothing'", problem="starter/nothing")
    await refused("open", "no pack 'nothing'", problem="nothing/fifo")
    await refused("open", "write PACK/PROBLEM", problem="\ud83d")
    for escape in ("../packs/starter", "/etc/passwd", "starter/../../x", "\0/\0"):
        await refused("open", "no pack|no problem", problem=escape)
    assert (await desk.ask("status")).state == "abandoned"
    assert editor.screen.messages == []
    await editor.quit()
    assert editor.stderr == b""


async def test_wrong_parameters_are_refused_by_name(editor: Editor) -> None:
    for operation, params, field in (
        ("open", {}, "problem"),
        ("open", {"problem": "starter/sync-fifo", "extra": 1}, "extra"),
        ("open", {"problem": 5}, "problem"),
        ("status", {}, "uri"),
        ("run", {"uri": None}, "uri"),
        ("pause", {"uri": "file:///x", "reason": {}}, "reason"),
        ("packs", {"all": True}, "all"),
    ):
        code, sentence = await editor.refusal(operation, **params)
        assert code == INVALID_PARAMS
        assert sentence.startswith(f"benchwright/{operation}: {field}: ")
    nothings: tuple[Any, ...] = (None, [], "text", 5)
    for wrong_params in nothings:
        with pytest.raises(JsonRpcException) as refused:
            await editor.send("benchwright/status", wrong_params)
        assert refused.value.code == INVALID_PARAMS
    assert (await editor.ask("packs"))["packs"]


async def test_unknown_operations_are_refused_and_the_server_goes_on(editor: Editor) -> None:
    with pytest.raises(JsonRpcMethodNotFound):
        await editor.ask("format")
    with pytest.raises(JsonRpcException) as refused:
        await editor.command("format")
    assert refused.value.code == INVALID_PARAMS
    editor.client.protocol.notify("benchwright/nothing", {"a": 1})
    editor.client.protocol.notify("$/nothing", None)
    assert (await editor.ask("packs"))["packs"]


async def test_the_focus_is_recorded_and_a_stray_one_ignored(editor: Editor, tmp_path: Path) -> None:
    desk = await editor.open_problem("starter/saturating-counter")
    await desk.start()
    notify = editor.client.protocol.notify
    notify("benchwright/focus", {"uri": desk.uri, "focused": False})
    notify("benchwright/focus", {"uri": tmp_path.as_uri(), "focused": True})
    notify("benchwright/focus", {"uri": "untitled:a", "focused": True})
    notify("benchwright/focus", {"focused": "?"})
    notify("benchwright/focus", {"uri": (desk.folder / "README.md").as_uri(), "focused": True})
    await editor.wait_until(lambda: len(desk.events_of_kind("focus")) == 2, "the focus")
    assert [event.focused for event in desk.events_of_kind("focus")] == [False, True]
    assert editor.screen.messages == []
    assert (await desk.ask("status")).state == "running"


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({}, "textDocument/hover: params.textDocument: required field missing."),
        (None, "textDocument/hover: params: "),
        ([1], "textDocument/hover: params.textDocument: "),
        ({"textDocument": {"uri": "file:///a.sv"}, "position": {"line": "a", "character": 0}}, "params.position.line"),
    ],
)
async def test_a_request_with_invalid_parameters_is_answered(editor: Editor, params: Any, message: str) -> None:
    future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    editor.client.protocol._request_futures["odd"] = future  # type: ignore[assignment]
    editor.client.protocol._send_data({"jsonrpc": "2.0", "id": "odd", "method": "textDocument/hover", "params": params})
    with pytest.raises(JsonRpcException) as refused:
        await asyncio.wait_for(future, 20)
    assert refused.value.code == INVALID_PARAMS
    assert message in refused.value.message
    assert (await editor.ask("packs"))["packs"]
