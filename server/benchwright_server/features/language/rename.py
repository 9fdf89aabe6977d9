"""`textDocument/rename` and `prepareRename`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from benchwright_server.features.editor.locations import Locations, place_once_project_is_read
from benchwright_server.features.editor.searching import SearchRequest
from benchwright_server.features.requests import REQUEST_FAILED
from benchwright_verilog.semantics.names.branches import ProjectVariants
from benchwright_verilog.semantics.names.renaming import (
    RenameEdit,
    RenameRefusedError,
    renamable_occurrence,
    rename,
)
from benchwright_verilog.syntax.json_form import JsonText
from benchwright_verilog.syntax.uri import document_uri

_MOST_SHOWN = 20
_INACTIVE = "inactive"
"""The annotation of edits in code that the present defines leave out."""
_ANNOTATION_JSON = f',"annotationId":{json.dumps(_INACTIVE)}'

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
        other_projects = server.projects.other_projects(project)
        report = search.report_searched_or_stop
        edits, unresolved = rename(ProjectVariants(project), analysis, byte, params.new_name, report, other_projects)
        return workspace_edit_json(server, edits, versions), unresolved

    try:
        edit_json, unresolved = await search.run_in_thread(find)
    except RenameRefusedError as error:
        raise JsonRpcException(str(error), REQUEST_FAILED) from None
    if unresolved:
        locations = Locations(server)
        shown_places = [
            f"{path.name}:{locations.range_of_bytes(path, byte, byte).start.line + 1}" for path, byte in unresolved
        ]
        sentence = _sentence_on_unresolved(shown_places[:_MOST_SHOWN], len(shown_places), params.new_name)
        server.window_show_message(types.ShowMessageParams(types.MessageType.Warning, sentence))
        if len(shown_places) > _MOST_SHOWN:
            sentence = _sentence_on_unresolved(shown_places, len(shown_places), params.new_name)
            server.window_log_message(types.LogMessageParams(types.MessageType.Warning, sentence))
    return edit_json


def _sentence_on_unresolved(shown_places: list[str], place_count: int, new_name: str) -> str:
    more = f" and {place_count - len(shown_places)} more, which the log has" if len(shown_places) < place_count else ""
    return (
        "The name is also written where no defines that were tried give it a meaning: "
        f"{', '.join(shown_places)}{more}. Look whether {new_name} is meant there."
    )


def workspace_edit_json(
    server: EditorServer, edits: list[RenameEdit], open_version_by_uri: Mapping[str, int]
) -> JsonText:
    """The edits as JSON (LSP 3.18, `WorkspaceEdit`): there may be thousands."""
    locations = Locations(server)
    has_document_changes = server.client.supports("workspace.workspaceEdit.documentChanges")
    annotates = has_document_changes and server.client.supports("workspace.workspaceEdit.changeAnnotationSupport")
    edits_by_path: dict[Path, list[RenameEdit]] = {}
    for edit in edits:
        edits_by_path.setdefault(edit.path, []).append(edit)
    changes: list[str] = []
    for path, unsorted_edits in sorted(edits_by_path.items()):
        file_edits = sorted(unsorted_edits, key=lambda edit: edit.start)
        ranges = locations.ranges_json_of_spans(path, ((edit.start, edit.end) for edit in file_edits))
        edits_json = ",".join(
            f'{{"range":{range_json},"newText":{json.dumps(edit.text)}'
            f"{_ANNOTATION_JSON if edit.is_inactive and annotates else ''}}}"
            for edit, range_json in zip(file_edits, ranges, strict=True)
        )
        uri = document_uri(path)
        identifier_json = json.dumps({"uri": uri, "version": open_version_by_uri.get(uri)})
        changes.append(
            f'{{"textDocument":{identifier_json},"edits":[{edits_json}]}}'
            if has_document_changes
            else f"{json.dumps(uri)}:[{edits_json}]"
        )
    if not has_document_changes:
        return JsonText(f'{{"changes":{{{",".join(changes)}}}}}')
    annotations = ""
    if annotates and any(edit.is_inactive for edit in edits):
        annotation = {"label": "inactive under the present defines", "needsConfirmation": True}
        annotations = f',"changeAnnotations":{json.dumps({_INACTIVE: annotation})}'
    return JsonText(f'{{"documentChanges":[{",".join(changes)}]{annotations}}}')
