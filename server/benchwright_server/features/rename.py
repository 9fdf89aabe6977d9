"""`textDocument/rename` and `prepareRename`."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from benchwright_server.features.locations import Locations, place_among_all
from benchwright_server.features.requests import REQUEST_FAILED
from benchwright_verilog.semantics.renaming import Edit, RenameRefusedError, renamable, rename

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer


def register(server: EditorServer) -> None:
    """Serve both; `prepareRename` only if the client supports it."""
    server.feature(types.TEXT_DOCUMENT_RENAME)(partial(_rename, server))
    if server.client.can("textDocument.rename.prepareSupport"):
        server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)(partial(_prepare, server))


async def _prepare(server: EditorServer, params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder | None:
    place = await place_among_all(server, params)
    if place is None:
        return None
    document, analysis, byte = place
    try:
        found = renamable(server.projects.of(document), analysis, byte)
    except RenameRefusedError as error:
        raise JsonRpcException(str(error), REQUEST_FAILED) from None
    return types.PrepareRenamePlaceholder(document.lines.byte_range(found.start, found.end), found.target.name)


async def _rename(server: EditorServer, params: types.RenameParams) -> types.WorkspaceEdit | None:
    place = await place_among_all(server, params)
    if place is None:
        return None
    document, analysis, byte = place
    try:
        edits = await asyncio.to_thread(rename, server.projects.of(document), analysis, byte, params.new_name)
    except RenameRefusedError as error:
        raise JsonRpcException(str(error), REQUEST_FAILED) from None
    return _workspace_edit(server, edits)


def _workspace_edit(server: EditorServer, edits: list[Edit]) -> types.WorkspaceEdit:
    locations = Locations(server)
    changes: dict[str, list[types.TextEdit]] = {}
    for edit in sorted(edits, key=lambda one: (one.path, one.start)):
        place = locations.range(edit.path, edit.start, edit.end)
        changes.setdefault(edit.path.as_uri(), []).append(types.TextEdit(place, edit.text))
    if not server.client.can("workspace.workspaceEdit.documentChanges"):
        return types.WorkspaceEdit(changes=changes)
    versions = {document.uri: document.version for document in server.documents}
    return types.WorkspaceEdit(
        document_changes=[
            types.TextDocumentEdit(types.OptionalVersionedTextDocumentIdentifier(uri, versions.get(uri)), made)
            for uri, made in changes.items()
        ]
    )
