"""`textDocument/rename` and `prepareRename`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from benchwright_server.features.editor.locations import Locations, place_in_whole_project, plain_range
from benchwright_server.features.editor.searching import SearchRequest
from benchwright_server.features.requests import REQUEST_FAILED
from benchwright_verilog.semantics.names.renaming import RenameEdit, RenameRefusedError, renamable_name, rename
from benchwright_verilog.syntax.json_form import JsonText

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer


def register(server: EditorServer) -> None:
    """Serve both; `prepareRename` only if the client supports it."""
    server.feature(types.TEXT_DOCUMENT_RENAME)(partial(_rename, server))
    if server.client.supports("textDocument.rename.prepareSupport"):
        server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)(partial(_prepare, server))


async def _prepare(server: EditorServer, params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder | None:
    location = await place_in_whole_project(server, params)
    if location is None:
        return None
    document, analysis, byte = location
    try:
        occurrence = renamable_name(server.projects.project_of(document), analysis, byte)
    except RenameRefusedError as error:
        raise JsonRpcException(str(error), REQUEST_FAILED) from None
    return types.PrepareRenamePlaceholder(
        document.lines.byte_range(occurrence.start, occurrence.end), occurrence.target.name
    )


async def _rename(server: EditorServer, params: types.RenameParams) -> JsonText | None:
    location = await place_in_whole_project(server, params)
    if location is None:
        return None
    document, analysis, byte = location
    project = server.projects.project_of(document)
    search = SearchRequest(server, params, "Rename")
    versions = {document.uri: document.version for document in server.documents}

    def find() -> JsonText:
        edits = rename(project, analysis, byte, params.new_name, search.note_searched)
        return JsonText(json.dumps(_workspace_edit(server, edits, versions)))

    try:
        return await search.run_in_thread(find)
    except RenameRefusedError as error:
        raise JsonRpcException(str(error), REQUEST_FAILED) from None


def _workspace_edit(server: EditorServer, edits: list[RenameEdit], version_by_uri: Mapping[str, int]) -> dict[str, Any]:
    """The edits as plain JSON (LSP 3.18, `WorkspaceEdit`): there may be thousands."""
    locations = Locations(server)
    edits_by_uri: dict[str, list[dict[str, Any]]] = {}
    for edit in sorted(edits, key=lambda unsorted_edit: (unsorted_edit.path, unsorted_edit.start)):
        edit_range = plain_range(locations.range(edit.path, edit.start, edit.end))
        edits_by_uri.setdefault(edit.path.as_uri(), []).append({"range": edit_range, "newText": edit.text})
    if not server.client.supports("workspace.workspaceEdit.documentChanges"):
        return {"changes": edits_by_uri}
    document_changes = [
        {"textDocument": {"uri": uri, "version": version_by_uri.get(uri)}, "edits": document_edits}
        for uri, document_edits in edits_by_uri.items()
    ]
    return {"documentChanges": document_changes}
