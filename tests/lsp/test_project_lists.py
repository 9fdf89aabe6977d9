"""Choice of a folder's file list: asked where it has several, chosen at any time, and remembered."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from lsprotocol import types

from .conftest import Editors
from .cursor import Scratch, scratch
from .session import Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")

DESIGN = {
    "a.sv": "module a;\n  b‸ x();\nendmodule\n",
    "fpga/b.sv": "module b; endmodule\n",
    "sim/b.sv": "module b; endmodule\n",
}
LISTS = {"fpga.f": "a.sv\nfpga/b.sv\n", "sim.f": "a.sv\nsim/b.sv\n"}
BENDER = """package: {name: lists}
sources:
  - a.sv
  - {target: fpga, files: [fpga/b.sv]}
  - {target: sim, files: [sim/b.sv]}
"""


@asynccontextmanager
async def opened(editor: Editor, lists: dict[str, str]) -> AsyncIterator[Scratch]:
    closed = {name: text for name, text in DESIGN.items() if name != "a.sv"}
    async with scratch(editor, DESIGN["a.sv"], on_disk={**closed, **lists}) as file:
        await file.definition()
        yield file


async def used_files(file: Scratch) -> list[str]:
    return [span.file for span in await file.definition()]


async def becomes(file: Scratch, expected_files: list[str]) -> None:
    files = await used_files(file)
    while files != expected_files:
        files = await used_files(file)


async def test_one_of_several_lists_is_asked_for_once_and_kept(editors: Editors) -> None:
    editor = await editors()
    editor.answer = "sim.f"
    async with opened(editor, LISTS) as file:
        await editor.wait_until(lambda: bool(editor.screen.questions), "a question")
        assert "several file lists" in editor.screen.questions[0]
        await becomes(file, ["sim/b.sv"])
        assert len(editor.screen.questions) == 1
        later_editor = await editors()
        workspace_folder = types.WorkspaceFolder(file.folder.as_uri(), file.folder.name)
        change = types.WorkspaceFoldersChangeEvent([workspace_folder], [])
        later_editor.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(change))
        await later_editor.open(file.folder / "a.sv").marked()
        answer = await later_editor.ask("projectLists", uri=file.uri)
        assert [(file_list["name"], file_list["used"]) for file_list in answer["lists"]] == [
            ("fpga.f", False),
            ("sim.f", True),
        ]
        assert (answer["chosen"], answer["bySettings"]) == ("sim.f", False)
        assert later_editor.screen.questions == []


async def test_none_of_several_lists_can_be_used(editors: Editors) -> None:
    editor = await editors()
    editor.answer = "None of them"
    async with opened(editor, LISTS) as file:
        await editor.wait_until(lambda: bool(editor.screen.questions), "a question")
        file.type(" wire w;", after_text="module a;")
        await file.definition()
        assert (await editor.ask("projectLists", uri=file.uri))["chosen"] == ""
        assert sum("several file lists" in question for question in editor.screen.questions) == 1


async def test_another_list_is_used_from_the_next_answer_on(editor: Editor) -> None:
    async with opened(editor, LISTS) as file:
        for name, expected_file in (("fpga.f", "fpga/b.sv"), ("sim.f", "sim/b.sv")):
            answer = await editor.ask("useList", uri=file.uri, name=name)
            assert [file_list["name"] for file_list in answer["lists"] if file_list["used"]] == [name]
            assert await used_files(file) == [expected_file]


async def test_targets_of_a_manifest_are_offered_and_chosen(editor: Editor) -> None:
    async with opened(editor, {"Bender.yml": BENDER}) as file:
        (manifest,) = (await editor.ask("projectLists", uri=file.uri))["lists"]
        assert (manifest["name"], manifest["several"]) == ("Bender.yml", True)
        assert {"fpga", "sim"} <= set(manifest["targets"])
        await editor.ask("useList", uri=file.uri, target="fpga")
        assert await used_files(file) == ["fpga/b.sv"]
        editor.next_answers = ["Bender.yml", "sim"]
        await editor.command("chooseList", uri=file.uri)
        assert await used_files(file) == ["sim/b.sv"]


@pytest.mark.parametrize(
    ("params", "sentence"),
    [
        ({"name": "other.f"}, "has no file list other.f; it has: fpga.f, sim.f."),
        ({"name": "sim.f", "target": "x"}, "There is no target x; there are: none."),
    ],
)
async def test_what_a_folder_does_not_have_is_refused(editor: Editor, params: dict[str, str], sentence: str) -> None:
    async with opened(editor, LISTS) as file:
        _, message = await editor.refusal("useList", uri=file.uri, **params)
        assert sentence in message


async def test_settings_come_before_what_is_chosen(editors: Editors) -> None:
    editor = await editors(options={"project": {"fileLists": ["fpga.f"]}})
    async with opened(editor, LISTS) as file:
        assert (await editor.ask("projectLists", uri=file.uri))["bySettings"]
        _, message = await editor.refusal("useList", uri=file.uri, name="sim.f")
        assert "benchwright.project.fileLists" in message
        assert await used_files(file) == ["fpga/b.sv"]
