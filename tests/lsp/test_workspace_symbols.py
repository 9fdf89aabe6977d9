from __future__ import annotations

from collections.abc import Callable

import pytest
from lsprotocol import types

from .cursor import VARIANTS, scratch
from .session import Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture
def editor(shared_editor: Editor) -> Editor:
    return shared_editor.forget()


@pytest.mark.parametrize("variant", VARIANTS)
async def test_names_of_open_and_closed_files_are_found(editor: Editor, variant: Callable[[str], str]) -> None:
    files = {"a.sv": "module «uart_tx»;\nendmodule\n", "b.sv": "// uart_no\nmodule other;\nendmodule\n"}
    closed = {"c.svh": "function int «uart_parity»(int x);\nreturn x;\nendfunction\n`define «UART_WIDTH» 8\n"}
    async with scratch(editor, files, variant, on_disk=closed) as file:
        symbols = await file.workspace_symbols("uart")
        assert file.spans([symbol.location for symbol in symbols]) == file.expected_spans
        assert {symbol.name: symbol.kind for symbol in symbols} == {
            "uart_tx": types.SymbolKind.Module,
            "uart_parity": types.SymbolKind.Function,
            "UART_WIDTH": types.SymbolKind.Constant,
        }


async def test_what_is_typed_is_found_at_once(editor: Editor) -> None:
    async with scratch(editor, "module first;\nendmodule\n") as file:
        file.type("second", over_text="first")
        assert file.words([symbol.location for symbol in await file.workspace_symbols("second")]) == ["second"]
        assert await file.workspace_symbols("first") == []


async def test_broken_files_have_names_too(editor: Editor) -> None:
    async with scratch(editor, "module broken(;\nwire = ;\nmodule next_one;\n") as file:
        assert [symbol.name for symbol in await file.workspace_symbols("next")] == ["next_one"]


async def test_what_is_nowhere_is_not_found(editor: Editor) -> None:
    async with scratch(editor, "module m;\nendmodule\n") as file:
        assert await file.workspace_symbols("zzz") == []
