"""Searches through many files: progress, partial results, cancelling."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from .conftest import Editors
from .session import Editor, File

pytestmark = pytest.mark.asyncio(loop_scope="module")

USERS = 700
CANCELLED = -32800
"""LSP 3.18, `LSPErrorCodes.RequestCancelled`."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A module that is used in many files."""
    folder = tmp_path_factory.mktemp("many")
    (folder / "thing.sv").write_text("module thing(input logic data);\nendmodule\n")
    for number in range(USERS):
        text = f"module user_{number};\n  wire data;\n  thing u_thing (.data(data));\nendmodule\n"
        (folder / f"user_{number}.sv").write_text(text)
    return folder


@pytest_asyncio.fixture(loop_scope="module")
async def file(editors: Editors, folder: Path) -> File:
    editor = await editors()
    event = types.WorkspaceFoldersChangeEvent([types.WorkspaceFolder(folder.as_uri(), folder.name)], [])
    editor.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event))
    return editor.open(folder / "thing.sv")


def reference_params(file: File, character: int, **progress_tokens: Any) -> types.ReferenceParams:
    reference_context = types.ReferenceContext(include_declaration=True)
    position = types.Position(0, character)
    return types.ReferenceParams(reference_context, types.TextDocumentIdentifier(file.uri), position, **progress_tokens)


def progress_of(editor: Editor, token: str) -> list[dict[str, Any]]:
    return [value for shown_token, value in editor.screen.progress if shown_token == token]


MODULE, PORT = len("module th"), len("module thing(input logic da")


@pytest.mark.parametrize("character", [MODULE, PORT], ids=["module", "port"])
async def test_references_show_how_far_they_are(file: File, character: int) -> None:
    client = file.editor.client
    references = await client.text_document_references_async(reference_params(file, character, work_done_token="w"))
    assert references is not None and len(references) == USERS + 1
    progress_kinds = [progress["kind"] for progress in progress_of(file.editor, "w")]
    assert (progress_kinds[0], progress_kinds[-1]) == ("begin", "end")
    assert set(progress_kinds[1:-1]) <= {"report"}


async def test_references_arrive_in_parts(file: File) -> None:
    client = file.editor.client
    references = await client.text_document_references_async(reference_params(file, MODULE, partial_result_token="p"))
    assert not references
    partial_results = [part for token, part in file.editor.screen.partial_results if token == "p"]
    assert len(partial_results) > 1
    uris = [location["uri"] for part in partial_results for location in part]
    assert len(uris) == len(set(uris)) == USERS + 1


async def test_a_rename_shows_how_far_it_is(file: File) -> None:
    identifier, position = types.TextDocumentIdentifier(file.uri), types.Position(0, PORT)
    params = types.RenameParams(identifier, position, "renamed", work_done_token="r")
    workspace_edit = await file.editor.client.text_document_rename_async(params)
    assert (
        workspace_edit is not None
        and workspace_edit.document_changes is not None
        and len(workspace_edit.document_changes) == USERS + 1
    )
    assert [progress["kind"] for progress in progress_of(file.editor, "r")][-1] == "end"


async def test_symbols_show_how_far_they_are(file: File) -> None:
    params = types.WorkspaceSymbolParams("user_1", work_done_token="s")
    assert await file.editor.client.workspace_symbol_async(params)
    assert [progress["kind"] for progress in progress_of(file.editor, "s")][-1] == "end"


@pytest.mark.parametrize("way", ["request", "progress"])
async def test_a_cancelled_search_ends(file: File, way: str) -> None:
    client = file.editor.client
    await client.text_document_references_async(reference_params(file, MODULE))
    pending_answer = client.protocol.send_request_async(  # type: ignore[no-untyped-call]
        types.TEXT_DOCUMENT_REFERENCES, reference_params(file, PORT, work_done_token="c"), msg_id="search"
    )
    task = asyncio.ensure_future(pending_answer)
    await file.editor.wait_until(lambda: bool(progress_of(file.editor, "c")), "the begin of the search")
    if way == "request":
        client.cancel_request(types.CancelParams("search"))
    else:
        client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams("c"))
    with pytest.raises(JsonRpcException) as caught:
        await task
    assert caught.value.code == CANCELLED
    # The search that was cancelled is not in the way of the next.
    references = await client.text_document_references_async(reference_params(file, MODULE))
    assert references is not None and len(references) == USERS + 1
