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
async def test_included_files_are_linked(editor: Editor, variant: Callable[[str], str]) -> None:
    text = '`include "«sub/a.svh»"\nmodule m;\n`include <«top.svh»>\nendmodule\n'
    files = {"sub/a.svh": "", "top.svh": ""}
    async with scratch(editor, {"a.sv": text}, variant, on_disk=files) as file:
        links = await file.links()
        assert file.spans(links) == file.expected_spans
        assert [link.target for link in links] == [(file.folder / name).as_uri() for name in files]


async def test_a_file_is_found_from_the_workspace_folder(editor: Editor) -> None:
    async with scratch(editor, {"rtl/a.sv": '`include "inc/b.svh"\n'}, on_disk={"inc/b.svh": ""}) as file:
        assert [link.target for link in await file.links()] == [(file.folder / "inc/b.svh").as_uri()]


async def test_what_is_not_there_or_not_an_include_is_no_link(editor: Editor) -> None:
    text = '`include "missing.svh"\n// `include "a.sv"\nstring s = "`include \\"a.sv\\"";\n'
    text += '`include `NAME\n`include\n`include "'
    async with scratch(editor, text) as file:
        assert await file.links() == []


async def test_a_statement_is_linked_to_the_files_that_it_names(editor: Editor) -> None:
    desk = await editor.open_problem("starter/saturating-counter")
    file = desk.open("README.md")
    file.type("\nSee `rtl/sat_counter.sv`, `nothing.sv`, `../../x`, [here](/etc/passwd) and `.benchwright.json`.\n")
    params = types.DocumentLinkParams(types.TextDocumentIdentifier(file.uri))
    links = await editor.client.text_document_document_link_async(params) or ()
    design = (desk.folder / "rtl" / "sat_counter.sv").as_uri()
    assert {link.target for link in links} == {design}
    assert max(link.range.start.line for link in links) == file.text.count("\n") - 1


async def test_markdown_outside_of_a_problem_is_left_alone(editor: Editor) -> None:
    async with scratch(editor, {"notes.md": "See `a.sv` and [it](a.sv).\n", "a.sv": ""}) as file:
        assert await file.links() == []
