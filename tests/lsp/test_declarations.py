"""The file whose declaration counts where several are as near: asked once, and remembered."""

from __future__ import annotations

import pytest
from lsprotocol import types

from .conftest import Editors
from .cursor import Scratch, scratch
from .session import Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")

TOP = "module top;\n  memory‸ u_memory ();\nendmodule\n"
MODELS = {"fpga_memory.sv": "module memory; endmodule\n", "sim_memory.sv": "module memory; endmodule\n"}


async def becomes(file: Scratch, file_name: str) -> None:
    while [span.file for span in await file.definition()] != [file_name]:
        pass


async def test_a_module_that_two_files_declare_is_asked_about_once_and_kept(editors: Editors) -> None:
    editor = await editors()
    editor.answer = "sim_memory.sv"
    async with scratch(editor, TOP, on_disk=MODELS) as file:
        await file.marked()
        await editor.wait_until(lambda: bool(editor.screen.questions), "a question")
        assert editor.screen.questions == [
            "memory is declared in fpga_memory.sv and sim_memory.sv. Which one does the design use?"
        ]
        await becomes(file, "sim_memory.sv")
        file.type(" wire w;", after_text="module top;")
        await file.marked()
        assert len(editor.screen.questions) == 1

        later_editor = await editors()
        workspace_folder = types.WorkspaceFolder(file.folder.as_uri(), file.folder.name)
        change = types.WorkspaceFoldersChangeEvent([workspace_folder], [])
        later_editor.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(change))
        await later_editor.open(file.folder / "a.sv").marked()
        (memory,) = (await later_editor.ask("declarations", uri=file.uri))["modules"]
        assert memory == {"name": "memory", "files": ["fpga_memory.sv", "sim_memory.sv"], "chosen": "sim_memory.sv"}
        assert later_editor.screen.questions == []


async def test_the_choice_can_be_changed(editor: Editor) -> None:
    async with scratch(editor, TOP, on_disk=MODELS) as file:
        await file.marked()
        for name in ("sim_memory.sv", "fpga_memory.sv"):
            await editor.ask("useDeclaration", uri=file.uri, module="memory", file=name)
            await becomes(file, name)
        editor.next_answers = ["sim_memory.sv"]
        await editor.command("chooseDeclaration", uri=file.uri)
        await becomes(file, "sim_memory.sv")
        _, message = await editor.refusal("useDeclaration", uri=file.uri, module="memory", file="a.sv")
        assert message == "a.sv does not declare memory; these do: fpga_memory.sv, sim_memory.sv."


async def test_the_nearer_file_counts_without_a_question(editor: Editor) -> None:
    other_files = {"memory.sv": MODELS["sim_memory.sv"], "old/memory.sv": MODELS["sim_memory.sv"]}
    async with scratch(editor, TOP, on_disk=other_files) as file:
        await file.marked()
        assert [span.file for span in await file.definition()] == ["memory.sv"]
        assert editor.screen.questions == []


async def test_nobody_is_asked_who_does_not_want_to_be(editors: Editors) -> None:
    editor = await editors(options={"features": {"projectLists": False}})
    async with scratch(editor, TOP, on_disk=MODELS) as file:
        await file.marked()
        assert [span.file for span in await file.definition()] == ["fpga_memory.sv"]
        assert editor.screen.questions == []


async def test_one_choice_does_for_modules_of_the_same_folder(editor: Editor) -> None:
    top_text = "module top;\n  cell_a u_a ();\n  cell_b‸ u_b ();\nendmodule\n"
    cells = {f"{vendor}/{name}.sv": f"module {name}; endmodule\n" for vendor in "xy" for name in ("cell_a", "cell_b")}
    editor.next_answers = ["y/cell_a.sv"]
    async with scratch(editor, top_text, on_disk=cells) as file:
        await file.marked()
        await editor.wait_until(lambda: bool(editor.screen.questions), "a question")
        await becomes(file, "y/cell_b.sv")
        file.type(" wire w;", after_text="module top;")
        await file.marked()
        assert len(editor.screen.questions) == 1
