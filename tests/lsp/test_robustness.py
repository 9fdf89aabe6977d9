from __future__ import annotations

import asyncio
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import pytest
from lsprotocol import types

from benchwright_attempts.summary.replay import verify_attempt
from benchwright_foundation.home import Home
from benchwright_problems.storage.pack_folder import read_built_in
from benchwright_problems.storage.store import Store

from .conftest import Editors
from .session import Editor, File, endless, reference, still_alive

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_documents_that_are_nobodys_business_are_ignored(editor: Editor, tmp_path: Path) -> None:
    for uri in ("untitled:Untitled-1", "git:/a/b.sv?%7B%22ref%22%3A%22%22%7D", "vscode-notebook-cell:x.sv", "a.sv", ""):
        file = File(editor, uri, "module m; wire = 1;\n")
        file.type("// more\n")
        file.send_saved()
        assert await editor.lenses(file) == []
        file.close()
    await editor.ask("packs")
    assert (editor.screen.diagnostics, editor.screen.messages) == ([], [])
    await editor.quit()
    assert b"Traceback" not in editor.stderr


async def test_changes_of_a_document_that_was_never_opened_are_ignored(editor: Editor) -> None:
    desk = await editor.open_problem("starter/saturating-counter")
    file = desk.open()
    file.close()
    file.type("// closed\n")
    file.close()
    file.send_saved()
    reopened_file = desk.open()
    reopened_file.type("// open\n")
    reopened_file.save()
    await desk.ask("status")
    assert desk.replayed_content("rtl/sat_counter.sv") == reopened_file.path.read_bytes()
    assert editor.screen.messages == []


async def test_an_answer_is_about_the_text_of_its_request_whatever_was_typed_right_after(
    editor: Editor, tmp_path: Path
) -> None:
    path = tmp_path / "counter.sv"
    path.write_text("module earlier; endmodule\n")
    file = editor.open(path)
    protocol = editor.client.protocol
    pipe: Any = protocol.writer
    joined_messages = io.BytesIO()
    protocol.writer = cast(Any, joined_messages)
    params = types.DocumentSymbolParams(types.TextDocumentIdentifier(file.uri))
    answer = protocol.send_request(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, params)
    file.type("later", over_text="earlier")
    protocol.writer = pipe
    pipe.write(joined_messages.getvalue())
    assert [symbol.name for symbol in await asyncio.wrap_future(answer)] == ["earlier"]


async def test_saving_a_deleted_file_is_recorded_as_nothing(editor: Editor) -> None:
    desk = await editor.open_problem("starter/saturating-counter")
    await desk.start()
    file = desk.open()
    file.path.unlink()
    file.send_saved()
    verdict = await desk.verdict(1)
    assert verdict.outcome == "failed"
    assert desk.events_of_kind("save") == []
    file.save()
    assert (await desk.verdict(2)).number == 2
    assert desk.replayed_content("rtl/sat_counter.sv") == file.path.read_bytes()


async def test_a_link_or_a_folder_in_place_of_a_file_is_not_taken(editor: Editor) -> None:
    desk = await editor.open_problem("starter/saturating-counter")
    await desk.start()
    path = desk.open().path
    path.unlink()
    path.symlink_to("/etc/passwd")
    _, sentence = await editor.refusal("run", uri=desk.uri)
    assert "not a link" in sentence
    path.unlink()
    path.mkdir()
    _, sentence = await editor.refusal("submit", uri=desk.uri)
    assert "plain file" in sentence
    path.rmdir()
    path.write_text(reference("saturating-counter"))
    assert (await desk.submit()).first_pass_run == 1
    assert [event.number for event in desk.events_of_kind("run_started")] == [1]


async def test_lone_surrogates_are_kept_and_joined_like_an_editor_does(editor: Editor) -> None:
    desk = await editor.open_problem("starter/saturating-counter")
    await desk.start()
    file = desk.open(text="/* */\n" + reference("saturating-counter"))
    file.type("\ud834", after_text="/* ")
    file.type("\udd1e", after_text="\ud834")
    file.text = file.text.replace("\ud834\udd1e", "𝄞")
    file.type("\ud83d", before_text="𝄞")
    file.type(" é", after_text="𝄞")
    file.path.write_text(file.text.replace("\ud83d", "\ufffd"))
    file.send_saved()
    assert (await desk.verdict(1)).outcome == "passed"
    assert desk.replayed_content("rtl/sat_counter.sv") == file.path.read_bytes()
    assert {event.type for event in desk.events()} >= {"edit"}
    # Joined halves are one character: nothing had to be recorded anew after the opening.
    assert [event.cause for event in desk.events_of_kind("text")] == ["opened"]
    assert editor.screen.messages == []


async def test_a_file_of_five_megabytes_does_not_stop_the_others(editor: Editor) -> None:
    desk = await editor.open_problem("starter/saturating-counter")
    await desk.start()
    text = "// é " + "x" * 93 + "\n"
    file = desk.open(text=reference("saturating-counter") + text * 52_000)
    assert len(file.text) > 5_000_000
    for _ in range(3):
        file.type("// typed\n", before_text="endmodule")
    await desk.ask("status")
    await file.marked()
    file.save()
    assert (await desk.verdict(1)).outcome == "passed"
    assert desk.replayed_content("rtl/sat_counter.sv") == file.path.read_bytes()


async def test_a_pack_that_is_gone_is_told_once(editors: Editors, home: Path) -> None:
    store = Store(Home.from_environment({"BENCHWRIGHT_HOME": str(home)}))
    store.add(read_built_in("starter").model_copy(update={"name": "mine"}))
    editor = await editors()
    desk = await editor.open_problem("mine/saturating-counter")
    await editor.quit()
    (home / "data" / "packs" / "mine.json").unlink()
    editor = await editors()
    file = editor.open(desk.folder / "rtl" / "sat_counter.sv")
    for _ in range(5):
        file.type("// more\n")
    file.save()
    _, sentence = await editor.refusal("status", uri=desk.uri)
    assert "no pack 'mine'" in sentence
    assert editor.screen.messages == [sentence]


async def test_two_servers_on_one_attempt_keep_one_whole_log(editors: Editors) -> None:
    first_editor, second_editor = await editors(), await editors()
    desk = await first_editor.open_problem("starter/saturating-counter")
    await desk.start()
    second_desk = await second_editor.open_problem("starter/saturating-counter")
    assert (second_desk.attempt, second_desk.folder) == (desk.attempt, desk.folder)
    file, copy = desk.open(), second_desk.open()
    for number in range(10):
        file.type(f"// first {number}\n")
        copy.type(f"// second {number}\n")
        await asyncio.sleep(0.01)
    await asyncio.gather(desk.ask("status"), second_desk.ask("status"))
    # The first one has the attempt; the second one only shows it.
    file.paste(reference("saturating-counter"))
    file.save()
    assert (await desk.verdict(1)).outcome == "passed"
    status = await second_desk.ask("status")
    assert status.verdict is not None
    assert (status.verdict.outcome, status.runs) == ("passed", 1)
    with first_editor.log() as log:
        assert verify_attempt(*log.stored_attempt(desk.attempt)).chain.ok
        assert "// second" not in str(log.stored_attempt(desk.attempt))
    assert (await desk.submit()).status.state == "submitted"
    copy.type("// too late\n")
    copy.save()
    await second_editor.refusal("run", uri=second_desk.uri)
    assert len(first_editor.screen.messages) <= 1
    assert await first_editor.quit() == 0
    assert await second_editor.quit() == 0


async def test_a_message_that_is_not_json_does_not_end_the_session(editor: Editor) -> None:
    stdin = editor.process.stdin
    assert stdin is not None
    for garbage in (b"{nonsense}", b"[]", b'"text"', b'{"jsonrpc": "2.0"}', b'{"jsonrpc": "1.0", "method": "exit"}'):
        stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(garbage), garbage))
    stdin.write(b"Nonsense: 1\r\n")
    assert (await editor.ask("packs"))["packs"]


async def test_shutting_down_during_a_run_ends_it(editor: Editor) -> None:
    desk = await editor.open_problem("starter/saturating-counter")
    await desk.start()
    desk.open(text=endless("saturating-counter")).save()
    processes = await editor.simulating_processes()
    assert await editor.quit() == 0
    assert still_alive(processes) == []
    assert [event.reason for event in desk.events_of_kind("run_cancelled")] == ["closing"]
    # What lint has to say may come last of all.
    assert [event.type for event in desk.events() if event.type != "diagnostics"][-1] == "paused"
    assert b"Traceback" not in editor.stderr


async def test_shutting_down_during_a_submit_hands_nothing_in(editor: Editor) -> None:
    desk = await editor.open_problem("starter/saturating-counter")
    await desk.start()
    desk.open().path.write_text(endless("saturating-counter"))
    submitting = asyncio.create_task(editor.ask("submit", uri=desk.uri))
    processes = await editor.simulating_processes()
    assert await editor.quit() == 0
    with pytest.raises(Exception, match=r"submitted|cancel|exited"):
        await submitting
    assert still_alive(processes) == []
    assert desk.events()[-1].type == "paused"


async def test_a_vanished_editor_leaves_no_processes_behind(editor: Editor) -> None:
    desk = await editor.open_problem("starter/saturating-counter")
    await desk.start()
    file = desk.open()
    file.paste(endless("saturating-counter"))
    file.type("// last words\n")
    file.save()
    processes = await editor.simulating_processes()
    await editor.vanish()
    assert still_alive(processes) == []
    assert [event.reason for event in desk.events_of_kind("run_cancelled")] == ["closing"]
    assert desk.replayed_content("rtl/sat_counter.sv") == file.path.read_bytes()
    assert b"Traceback" not in editor.stderr


async def test_an_exit_without_shutdown_is_an_error(editor: Editor) -> None:
    editor.client.exit(None)
    assert await editor.gone() == 1


async def test_files_are_told_apart_from_those_beside_them(editor: Editor) -> None:
    desk = await editor.open_problem("starter/saturating-counter")
    await desk.start()
    odd = desk.uri + "/rtl/../rtl/./sat_counter.sv"
    file = File(editor, odd, (desk.folder / "rtl" / "sat_counter.sv").read_text())
    file.type("// more\n")
    (desk.folder / "rtl" / "sat_counter.sv").write_text(file.text)
    file.send_saved()
    assert (await desk.verdict(1)).outcome == "failed"
    assert {event.path for event in desk.events_of_kind("edit")} == {"rtl/sat_counter.sv"}
    assert isinstance((await editor.lenses(file))[0], types.CodeLens)


async def test_nothing_of_slang_is_reported_at_the_end(editors: Editors, tmp_path: Path) -> None:
    editor = await editors()
    path = tmp_path / "m.sv"
    path.write_text("module m(input logic a, output logic b);\n  assign b = a;\nendmodule\n")
    file = editor.open(path)
    assert await editor.client.text_document_hover_async(
        types.HoverParams(types.TextDocumentIdentifier(file.uri), types.Position(1, 9))
    )
    assert await editor.quit() == 0
    assert editor.stderr == b""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no named pipes in folders")
@pytest.mark.parametrize("text", ['`include "p.svh"\n', '`define P "p.svh"\n`include `P\n'])
async def test_a_pipe_in_an_include_folder_is_reported_and_not_read(editor: Editor, tmp_path: Path, text: str) -> None:
    folder = tmp_path / "project"
    (folder / "inc").mkdir(parents=True)
    os.mkfifo(folder / "inc" / "p.svh")
    (folder / "all.f").write_text("+incdir+inc\na.sv\n")
    (folder / "a.sv").write_text(f"{text}module m; wire [7:0] count; endmodule\n")
    event = types.WorkspaceFoldersChangeEvent([types.WorkspaceFolder(folder.as_uri(), folder.name)], [])
    editor.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event))
    file = editor.open(folder / "a.sv")
    await file.marked("p.svh is not a plain file, so it is not read.")
    hover = await editor.client.text_document_hover_async(
        types.HoverParams(types.TextDocumentIdentifier(file.uri), types.Position(text.count("\n"), 24))
    )
    assert hover is not None


async def test_a_document_that_was_never_saved_is_served_by_itself(editor: Editor) -> None:
    uri = "untitled:Untitled 1"
    text = "module m(input a, output b);\n  assign b = a;\nendmodule\n"
    text_item = types.TextDocumentItem(uri, "systemverilog", 1, text)
    editor.client.text_document_did_open(types.DidOpenTextDocumentParams(text_item))
    identifier, position = types.TextDocumentIdentifier(uri), types.Position(1, 13)
    hover = await editor.client.text_document_hover_async(types.HoverParams(identifier, position))
    assert hover is not None
    assert "input a" in str(hover.contents)
    completion = await editor.client.text_document_completion_async(types.CompletionParams(identifier, position))
    assert "a" in {item.label for item in completion.items}  # type: ignore[union-attr]
    locations = await editor.client.text_document_definition_async(types.DefinitionParams(identifier, position))
    assert isinstance(locations, Sequence)
    assert [location.uri for location in locations] == [uri]  # type: ignore[union-attr]
    edit = await editor.client.text_document_rename_async(types.RenameParams(identifier, position, "data"))
    assert edit is not None
    (document_edit,) = edit.document_changes or ()
    assert (document_edit.text_document.uri, len(document_edit.edits)) == (uri, 2)  # type: ignore[union-attr]
    tokens = await editor.client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(identifier))
    assert tokens is not None and tokens.data
    await editor.quit()
    assert b"Traceback" not in editor.stderr
