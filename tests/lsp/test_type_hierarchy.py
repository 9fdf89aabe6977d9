from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
import pytest_lsp
from lsprotocol import types

from .cursor import Scratch, scratch
from .session import Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")

UVM = Path(__file__).parents[3] / "shared" / "data" / "projects" / "uvm-core.json"

LIBRARY = {
    "base_pkg.sv": (
        "package base_pkg;\n  interface class shown; endclass\n  interface class told extends shown; endclass\n"
        "  virtual class base #(type T = int) implements shown, told;\n  endclass\n"
        "  typedef base #(byte) byte_base;\nendpackage\n"
    ),
    "user.sv": (
        "package user_pkg;\n  import base_pkg::*;\n  class «one» extends base #(int); endclass\n"
        "  class three extends base_pkg::base #(one); endclass\n"
        "  class four extends one; endclass\n  class other; one handle; endclass\nendpackage\n"
    ),
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_editor(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Editor]:
    capabilities = pytest_lsp.client_capabilities("visual-studio-code")
    assert capabilities.text_document is not None
    capabilities.text_document.type_hierarchy = types.TypeHierarchyClientCapabilities()
    editor = await Editor.start(tmp_path_factory.mktemp("shared") / "home", capabilities=capabilities)
    yield editor
    await editor.quit()


@pytest.fixture
def editor(shared_editor: Editor) -> Editor:
    return shared_editor.forget()


async def prepared(file: Scratch, word: str) -> types.TypeHierarchyItem:
    position = types.Position(*divmod_position(file.text, word))
    params = types.TypeHierarchyPrepareParams(types.TextDocumentIdentifier(file.uri), position)
    type_items = await file.editor.client.text_document_prepare_type_hierarchy_async(params)
    assert type_items is not None
    (type_item,) = type_items
    return type_item


def divmod_position(text: str, word: str) -> tuple[int, int]:
    text_before = text[: text.index(word)]
    return text_before.count("\n"), len(text_before) - text_before.rfind("\n") - 1


async def supertypes(editor: Editor, type_item: types.TypeHierarchyItem) -> list[str]:
    supertype_items = await editor.client.type_hierarchy_supertypes_async(
        types.TypeHierarchySupertypesParams(type_item)
    )
    return [supertype.name for supertype in supertype_items or ()]


async def subtypes(editor: Editor, type_item: types.TypeHierarchyItem) -> list[str]:
    subtype_items = await editor.client.type_hierarchy_subtypes_async(types.TypeHierarchySubtypesParams(type_item))
    return [subtype.name for subtype in subtype_items or ()]


async def test_a_class_is_shown_with_what_it_extends_and_implements(editor: Editor) -> None:
    async with scratch(editor, {"base_pkg.sv": LIBRARY["base_pkg.sv"]}) as file:
        type_item = await prepared(file, "base #(type")
        assert (type_item.name, type_item.kind) == ("base", types.SymbolKind.Class)
        assert type_item.detail == "#(type T = int) implements shown, told"
        assert await supertypes(editor, type_item) == ["shown", "told"]
        interface = await prepared(file, "told extends")
        assert interface.kind is types.SymbolKind.Interface
        assert await supertypes(editor, interface) == ["shown"]
        assert await subtypes(editor, await prepared(file, "shown;")) == ["base", "told"]


async def test_subtypes_are_found_in_files_that_are_not_open_also_behind_a_typedef(editor: Editor) -> None:
    other_files = {
        "user.sv": LIBRARY["user.sv"].replace("«", "").replace("»", ""),
        "other.sv": "package other_pkg;\n  import base_pkg::*;\n  class two extends byte_base; endclass\nendpackage\n",
    }
    async with scratch(editor, {"base_pkg.sv": LIBRARY["base_pkg.sv"]}, on_disk=other_files) as file:
        type_item = await prepared(file, "base #(type")
        assert await subtypes(editor, type_item) == ["one", "three", "two"]


async def test_a_handle_leads_to_its_class(editor: Editor) -> None:
    async with scratch(editor, {"user.sv": LIBRARY["user.sv"], "base_pkg.sv": LIBRARY["base_pkg.sv"]}) as file:
        type_item = await prepared(file, "handle")
        assert type_item.name == "one"
        assert file.spans([type_item.selection_range]) == file.expected_spans
        assert await supertypes(editor, type_item) == ["base"]
        assert await subtypes(editor, type_item) == ["four"]


async def test_what_is_no_class_has_no_type_hierarchy(editor: Editor) -> None:
    async with scratch(editor, "module m;\n  int x;\nendmodule\n") as file:
        params = types.TypeHierarchyPrepareParams(types.TextDocumentIdentifier(file.uri), types.Position(1, 6))
        assert not await editor.client.text_document_prepare_type_hierarchy_async(params)


async def test_uvm_components_are_all_found(editor: Editor) -> None:
    if not UVM.exists():
        pytest.skip(f"{UVM} is not there: it is third-party code that is not part of the repository")
    texts: dict[str, str] = json.loads(UVM.read_text())
    name = next(path for path in texts if path.endswith("/uvm_component.svh"))
    other_texts = {path: text for path, text in texts.items() if path != name}
    async with scratch(editor, {name: texts[name]}, on_disk=other_texts) as file:
        type_item = await prepared(file, "uvm_component extends")
        assert await supertypes(editor, type_item) == ["uvm_report_object"]
        components = await subtypes(editor, type_item)
        assert len(components) == 17
        assert {"uvm_agent", "uvm_driver", "uvm_env", "uvm_monitor", "uvm_root", "uvm_sequencer_base"} <= {*components}
