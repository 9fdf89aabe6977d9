"""`textDocument/rename` and `prepareRename`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from benchwright_server.features.editor.locations import Locations, place_once_project_is_read
from benchwright_server.features.editor.searching import SearchRequest
from benchwright_server.features.requests import REQUEST_FAILED
from benchwright_verilog.semantics.names.branches import Branches, unresolved_places
from benchwright_verilog.semantics.names.renaming import (
    RenameEdit,
    RenameRefusedError,
    renamable_occurrence,
    rename_edits,
)
from benchwright_verilog.syntax.json_form import JsonText
from benchwright_verilog.syntax.uri import document_uri

_MOST_SHOWN = 20
_INACTIVE = "inactive"
"""The annotation of edits in code that the present defines leave out."""

if TYPE_CHECKING:
    from pathlib import Path

    from benchwright_server.editor_server import EditorServer


def register(server: EditorServer) -> None:
    """Serve both; `prepareRename` only if the client supports it."""
    server.feature(types.TEXT_DOCUMENT_RENAME)(partial(_rename_edits_json, server))
    if server.client.supports("textDocument.rename.prepareSupport"):
        server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)(partial(_renamable_range_and_name, server))


async def _renamable_range_and_name(
    server: EditorServer, params: types.PrepareRenameParams
) -> types.PrepareRenamePlaceholder | None:
    location = await place_once_project_is_read(server, params)
    if location is None:
        return None
    document, analysis, byte = location
    try:
        occurrence = renamable_occurrence(server.projects.project_of(document), analysis, byte)
    except RenameRefusedError as error:
        raise JsonRpcException(str(error), REQUEST_FAILED) from None
    return types.PrepareRenamePlaceholder(
        document.lines.byte_range(occurrence.start, occurrence.end), occurrence.target.name
    )


async def _rename_edits_json(server: EditorServer, params: types.RenameParams) -> JsonText | None:
    location = await place_once_project_is_read(server, params)
    if location is None:
        return None
    document, analysis, byte = location
    project = server.projects.project_of(document)
    search = SearchRequest(server, params, "Rename")
    versions = {document.uri: document.version for document in server.documents}

    def find() -> tuple[JsonText, list[tuple[Path, int]]]:
        branches = Branches(project)
        other_projects = server.projects.other_projects(project)
        report = search.report_searched_or_stop
        edits = rename_edits(branches, analysis, byte, params.new_name, report, other_projects)
        target = renamable_occurrence(project, analysis, byte).target
        unresolved = unresolved_places(branches, target, {(edit.path, edit.start) for edit in edits})
        return JsonText(json.dumps(workspace_edit_json(server, edits, versions))), unresolved

    try:
        edit_json, unresolved = await search.run_in_thread(find)
    except RenameRefusedError as error:
        raise JsonRpcException(str(error), REQUEST_FAILED) from None
    if unresolved:
        sentence = _sentence_on_unresolved(Locations(server), unresolved, params.new_name)
        server.window_show_message(types.ShowMessageParams(types.MessageType.Warning, sentence))
    return edit_json


def _sentence_on_unresolved(locations: Locations, places: list[tuple[Path, int]], new_name: str) -> str:
    lines_of_places = (
        (path, locations.range_of_bytes(path, byte, byte).start.line + 1) for path, byte in places[:_MOST_SHOWN]
    )
    shown_places = ", ".join(f"{path.name}:{line}" for path, line in lines_of_places)
    more = f" and {len(places) - _MOST_SHOWN} more" if len(places) > _MOST_SHOWN else ""
    return (
        f"The name is also written where no defines that were tried give it a meaning: {shown_places}{more}. "
        f"Look whether {new_name} is meant there."
    )


def workspace_edit_json(
    server: EditorServer, edits: list[RenameEdit], open_version_by_uri: Mapping[str, int]
) -> dict[str, Any]:
    """The edits as plain JSON (LSP 3.18, `WorkspaceEdit`): there may be thousands."""
    locations = Locations(server)
    annotates = server.client.supports("workspace.workspaceEdit.documentChanges") and server.client.supports(
        "workspace.workspaceEdit.changeAnnotationSupport"
    )
    edits_by_uri: dict[str, list[dict[str, Any]]] = {}
    for edit in sorted(edits, key=lambda unsorted_edit: (unsorted_edit.path, unsorted_edit.start)):
        edit_range = locations.range_json_of_bytes(edit.path, edit.start, edit.end)
        edit_json: dict[str, Any] = {"range": edit_range, "newText": edit.text}
        if edit.is_inactive and annotates:
            edit_json["annotationId"] = _INACTIVE
        edits_by_uri.setdefault(document_uri(edit.path), []).append(edit_json)
    if not server.client.supports("workspace.workspaceEdit.documentChanges"):
        return {"changes": edits_by_uri}
    document_changes = [
        {"textDocument": {"uri": uri, "version": open_version_by_uri.get(uri)}, "edits": document_edits}
        for uri, document_edits in edits_by_uri.items()
    ]
    workspace_edit: dict[str, Any] = {"documentChanges": document_changes}
    if annotates and any(edit.is_inactive for edit in edits):
        annotation = {"label": "inactive under the present defines", "needsConfirmation": True}
        workspace_edit["changeAnnotations"] = {_INACTIVE: annotation}
    return workspace_edit
