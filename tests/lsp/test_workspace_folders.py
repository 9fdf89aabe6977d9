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


async def test_folders_do_not_see_each_other(editor: Editor) -> None:
    async with (
        scratch(editor, "module a; b‸ x(); endmodule\n") as first_file,
        scratch(editor, {"b.sv": "module b; endmodule\n"}) as two,
    ):
        assert first_file.folder != two.folder
        assert await first_file.definition() == []
        assert [symbol.name for symbol in await first_file.workspace_symbols("b")] == ["b"]


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
