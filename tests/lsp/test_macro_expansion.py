from __future__ import annotations

import ast
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
import pytest_lsp
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from .cursor import Scratch, scratch
from .session import Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")

_REFUSED = r"open the file first|is not the address"
HEADER = "`define ADD(a, b = 1) \\\n  (a + b)\n`define TWICE(x) `ADD(x, `ADD(x, 2))\n"
DESIGN = {
    "top.sv": (
        '`include "ops.svh"\n`define NONE\n`define JOIN(a) a``_q\n'
        "module top (input [7:0] d, output [7:0] y, z);\n"
        "  assign y = `TWI‸CE(d);\n  `NONE\n  wire [7:0] `JOIN(k) = `ADD(d);\n"
        "  `ifdef NEVER\n  assign z = `ADD(y, d);\n  `endif\nendmodule\n"
    ),
    "ops.svh": HEADER,
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_editor(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Editor]:
    capabilities = pytest_lsp.client_capabilities("visual-studio-code")
    assert capabilities.workspace is not None
    capabilities.workspace.text_document_content = types.TextDocumentContentClientCapabilities()
    capabilities.window = types.WindowClientCapabilities(
        show_document=types.ShowDocumentClientCapabilities(support=True)
    )
    editor = await Editor.start(tmp_path_factory.mktemp("shared") / "home", capabilities=capabilities)
    yield editor
    await editor.quit()


@pytest.fixture
def editor(shared_editor: Editor) -> Editor:
    return shared_editor.forget()


async def expanded(file: Scratch, *, full: bool = True, is_whole_file: bool = False) -> dict[str, Any]:
    cursor = file.position
    position = None if is_whole_file else {"line": cursor.line, "character": cursor.character}
    expansion: dict[str, Any] = await file.editor.ask("expandMacro", uri=file.uri, position=position, full=full)
    return expansion


def body(expansion: dict[str, Any]) -> str:
    """The expansion without the line that says what it is of."""
    return " ".join(expansion["text"].split("\n\n", 1)[1].split())


async def content(file: Scratch, uri: str) -> str:
    params = types.TextDocumentContentParams(uri)
    return (await file.editor.client.workspace_text_document_content_async(params)).text


async def actions(file: Scratch) -> list[types.Command]:
    cursor_range = types.Range(file.position, file.position)
    params = types.CodeActionParams(file.identifier, cursor_range, types.CodeActionContext([]))
    code_actions = await file.editor.client.text_document_code_action_async(params) or []
    # lsprotocol takes an action with a command for a command, with the real one as its text.
    commands = [ast.literal_eval(command.command) for command in code_actions if isinstance(command, types.Command)]
    return [types.Command(**fields) for fields in commands]


async def test_a_use_is_expanded_fully_or_by_one_step(editor: Editor) -> None:
    async with scratch(editor, DESIGN) as file:
        expansion = await expanded(file)
        assert body(expansion) == "(d + (d + 2))"
        assert "`TWICE in line 5 of top.sv" in expansion["text"]
        assert (expansion["macro"], expansion["complete"]) == ("TWICE", True)
        assert body(await expanded(file, full=False)) == "`ADD(d, `ADD(d, 2))"
        assert body(await expanded(file.go_to("JOIN(k)"))) == "k_q"
        assert body(await expanded(file.go_to("NONE\n  wire"))) == ""


async def test_a_use_that_a_condition_leaves_out_is_expanded_from_its_definition(editor: Editor) -> None:
    async with scratch(editor, DESIGN) as file:
        assert body(await expanded(file.go_to("ADD(y, d)"))) == "(y + d)"


async def test_a_file_is_shown_with_all_macros_expanded(editor: Editor) -> None:
    async with scratch(editor, DESIGN) as file:
        text = (await expanded(file, is_whole_file=True))["text"]
        assert "wire [7:0] k_q = " in text
        assert "`TWICE(d)" not in text
        assert "assign z = `ADD(y, d);" in text
        assert text.split("\n\n", 1)[1].startswith('`include "ops.svh"\n`define NONE\n')


async def test_the_document_of_a_use_follows_the_use_while_the_file_is_edited(editor: Editor) -> None:
    async with scratch(editor, DESIGN) as file:
        uri = (await expanded(file.go_to("ADD(d)")))["uri"]
        assert uri.startswith("benchwright-macro:///")
        assert "(d + 1)" in await content(file, uri)
        file.go_to("module top").enter("wire before = `ADDED;\n")
        file.go_to("ADD(d)").replace(file.cursor_offset, file.cursor_offset + len("ADD(d)"), "ADD(d, 7)")
        assert "(d + 7)" in await content(file, uri)
        # Editors encode addresses in ways of their own.
        assert "(d + 7)" in await content(file, uri.replace("=", "%3D"))
        file.replace(0, len(file.text), "module top; endmodule\n")
        assert "does not use `ADD here" in await content(file, uri)


async def test_a_macro_that_uses_itself_and_one_that_grows_without_bounds_end(editor: Editor) -> None:
    name = "a" * 600
    doubling = "".join(f"`define M{i} `M{i - 1} `M{i - 1}\n" for i in range(1, 12))
    text = f"`define M0 assign {name} = 1;\n{doubling}`define LOOP(x) `LOOP(x)+`LOOP(x)\n"
    text += f"module m;\n  wire {name};\n  `M11\n  int b = `L‸OOP(1);\nendmodule\n"
    async with scratch(editor, {"m.sv": text}) as file:
        await expanded(file)
        await file.hover()
        expansion = await expanded(file.go_to("M11\n  int"))
        assert not expansion["complete"]
        assert len(expansion["text"]) < 1_100_000
        assert expansion["text"].endswith("too long to show.\n")
        assert not (await expanded(file, is_whole_file=True))["complete"]


async def test_the_code_actions_show_the_document(editor: Editor) -> None:
    async with scratch(editor, DESIGN) as file:
        commands = await actions(file)
        assert [command.title for command in commands] == [
            "Show the macro's expansion",
            "Show one step of the macro's expansion",
        ]
        for command in commands:
            params = types.ExecuteCommandParams(command.command, list(command.arguments or ()))
            await editor.client.workspace_execute_command_async(params)
        assert [await content(file, document.uri) for document in editor.client.shown_documents] == [
            (await expanded(file))["text"],
            (await expanded(file, full=False))["text"],
        ]
        assert await actions(file.go_to("module top")) == []
        assert await actions(file.go_to("JOIN(a)")) == []


async def test_only_open_designs_are_expanded(editor: Editor, tmp_path: Path) -> None:
    secret = tmp_path / "secret.sv"
    secret.write_text("`define KEY 42\nmodule m; int a = `KEY; endmodule\n")
    async with scratch(editor, DESIGN) as file:
        for uri in (secret.as_uri(), "file:///dev/zero", "untitled:1"):
            with pytest.raises(JsonRpcException, match="open the file first"):
                await editor.ask("expandMacro", uri=uri)
            address = uri.replace("file:", "benchwright-macro:") + "/KEY.sv?use=KEY.1"
            with pytest.raises(JsonRpcException, match=_REFUSED):
                await content(file, address)
        for address in ("", "benchwright-macro:", file.uri, "benchwright-macro:///a/b.sv?use=../x.1"):
            with pytest.raises(JsonRpcException, match=_REFUSED):
                await content(file, address)
        with pytest.raises(JsonRpcException, match="no use of a macro"):
            await expanded(file.go_to("module top"))


@pytest.mark.parametrize("is_whole_file", [False, True])
async def test_an_address_is_understood_as_vs_code_writes_it(editor: Editor, is_whole_file: bool) -> None:
    async with scratch(editor, DESIGN) as file:
        expansion = await expanded(file, is_whole_file=is_whole_file)
        address = expansion["uri"].replace("benchwright-macro:///", "benchwright-macro:/").replace("=", "%3D")
        assert address != expansion["uri"]
        assert await content(file, address) == expansion["text"]
