from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from .conftest import Editors
from .cursor import scratch
from .session import Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture
def editor(shared_editor: Editor) -> Editor:
    return shared_editor.forget()


async def test_a_file_that_appears_is_known(editor: Editor) -> None:
    async with scratch(editor, "module a; b x(); endmodule\n") as file:
        await file.marked("unknown module")
        (file.folder / "b.sv").write_text("module b; endmodule\n")
        file_event = types.FileEvent((file.folder / "b.sv").as_uri(), types.FileChangeType.Created)
        editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([file_event]))
        await file.marked()


async def test_a_module_of_another_folder_is_found_and_renamed_unless_the_own_folder_has_it(editor: Editor) -> None:
    user = "module a; logic w; «‸b» x (.p(w)); c y (); endmodule\n"
    async with (
        scratch(editor, {"a.sv": user, "c.sv": "module c; endmodule\n"}) as file,
        scratch(
            editor, {"b.sv": "module b (input p);\nendmodule : b\n", "c.sv": "module c (input p); endmodule\n"}
        ) as two,
    ):
        await file.marked()
        params = types.DefinitionParams(file.identifier, file.position)
        (location,) = await editor.client.text_document_definition_async(params) or ()  # type: ignore[misc]
        assert location.uri == two.uri  # type: ignore[union-attr]
        two.go_to("b (")
        reference_params = types.ReferenceParams(types.ReferenceContext(True), two.identifier, two.position)
        references = await editor.client.text_document_references_async(reference_params) or ()
        assert [(place.uri, place.range.start.line) for place in references] == [
            (two.uri, 0),
            (two.uri, 1),
            (file.uri, 0),
        ]
        edit = await editor.client.text_document_rename_async(types.RenameParams(two.identifier, two.position, "bb"))
        assert edit is not None
        changes = {change.text_document.uri: len(change.edits) for change in edit.document_changes or ()}  # type: ignore[union-attr]
        assert changes == {two.uri: 2, file.uri: 1}


async def test_a_list_keeps_other_folders_out(editor: Editor) -> None:
    async with (
        scratch(editor, "module a; b‸ x (); endmodule\n", on_disk={"all.f": "a.sv\n"}) as file,
        scratch(editor, {"b.sv": "module b; endmodule\n"}),
    ):
        await file.marked("unknown module 'b'")
        assert await file.definition() == []


@pytest.mark.parametrize("opened_by_link", [False, True])
async def test_a_folder_and_its_files_may_be_opened_by_different_paths(
    editors: Editors, tmp_path: Path, opened_by_link: bool
) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.mkdir()
    link.symlink_to(real)
    (real / "a.sv").write_text("module a;\n  b x ();\nendmodule\n")
    (real / "b.sv").write_text("module b;\nendmodule\n")
    folder, file_folder = (link, real) if opened_by_link else (real, link)
    editor = await editors()
    added_folders = types.WorkspaceFoldersChangeEvent([types.WorkspaceFolder(folder.as_uri(), "a")], [])
    editor.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(added_folders))
    file = editor.open(file_folder / "a.sv")
    await file.marked()
    position = types.TextDocumentIdentifier(file.uri), types.Position(1, 2)
    params = types.ReferenceParams(types.ReferenceContext(True), *position)
    references = await editor.client.text_document_references_async(params) or ()
    assert sorted(place.uri for place in references) == [file.uri, (file_folder / "b.sv").as_uri()]
    edit = await editor.client.text_document_rename_async(types.RenameParams(*position, "c"))
    assert edit is not None
    assert len(edit.document_changes or ()) == 2
    symbols = await editor.client.workspace_symbol_async(types.WorkspaceSymbolParams("b"))
    assert [symbol.location.uri for symbol in symbols or ()] == [(file_folder / "b.sv").as_uri()]
    file.type(" wire w = nothing;", after_text="module a;")
    await file.marked("undeclared identifier 'nothing'")
    (real / "b.sv").write_text("module gone;\nendmodule\n")
    changed = types.FileEvent((folder / "b.sv").as_uri(), types.FileChangeType.Changed)
    editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([changed]))
    await file.marked("undeclared identifier 'nothing'", "unknown module 'b'")


async def test_a_list_says_which_files_there_are_and_is_told_of_its_faults(editor: Editor) -> None:
    files = {
        "a.sv": "module a; b‸ x(); endmodule\n",
        "b.sv": "module b; endmodule\n",
        "other/b.sv": "module b; endmodule\n",
    }
    async with scratch(editor, files, on_disk={"all.f": "a.sv\nother/b.sv\ngone.sv\n"}) as file:
        (span,) = await file.definition()
        assert span.file == "other/b.sv"
        uri = (file.folder / "all.f").as_uri()
        await editor.wait_until(
            lambda: any(params.uri == uri for params in editor.screen.diagnostics), "the list's problems"
        )
        (diagnostic,) = next(params for params in editor.screen.diagnostics if params.uri == uri).diagnostics
        assert "There is no file" in diagnostic.message
        assert (diagnostic.range.start, diagnostic.range.end) == (types.Position(2, 0), types.Position(2, 7))


async def test_several_lists_are_told_where_nobody_may_be_asked(editors: Editors) -> None:
    def list_messages() -> list[str]:
        return [
            message for message in silent_editor.screen.messages if "has several file lists (fpga.f, sim.f)" in message
        ]

    silent_editor = await editors(options={"features": {"projectLists": False}})
    lists = {"fpga.f": "a.sv\n", "sim.f": "a.sv\n"}
    async with scratch(silent_editor, "module a; endmodule\n", on_disk=lists) as file:
        await file.marked()
        await silent_editor.wait_until(lambda: bool(list_messages()), "a message")
        file.type(" wire w;", after_text="module a;")
        await file.marked()
        assert ["benchwright.project.fileLists" in message for message in list_messages()] == [True]
        assert silent_editor.screen.questions == []


async def test_settings_name_lists_folders_and_macros(editors: Editors, tmp_path: Path) -> None:
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "w.vh").write_text("`define W `WIDTH\n")
    path = tmp_path / "a.sv"
    path.write_text('`include "w.vh"\nmodule a; wire [`W:0] w; endmodule\n')
    project = {"includeDirs": [str(tmp_path / "inc")], "defines": ["WIDTH=3"], "fileLists": [str(tmp_path / "no.f")]}
    editor = await editors(options={"project": project})
    file = editor.open(path)
    await file.marked()
    await editor.wait_until(lambda: any("can't be read" in message for message in editor.screen.messages), "a message")
    await editor.quit()
