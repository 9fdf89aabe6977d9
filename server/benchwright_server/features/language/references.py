"""`textDocument/references`."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from benchwright_server.features.editor.locations import Locations, place_in_whole_project
from benchwright_server.features.editor.searching import SearchRequest
from benchwright_verilog.semantics.names.navigation import references_by_file
from benchwright_verilog.semantics.names.occurrence import NameRole
from benchwright_verilog.syntax.json_form import JsonText

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer
    from benchwright_verilog.semantics.compilation.analysis import FileAnalysis
    from benchwright_verilog.semantics.project.project import Project


def register(server: EditorServer) -> None:
    """Serve it."""
    server.feature(types.TEXT_DOCUMENT_REFERENCES)(partial(_references, server))


async def _references(server: EditorServer, params: types.ReferenceParams) -> JsonText:
    location = await place_in_whole_project(server, params)
    if location is None:
        return JsonText("[]")
    document, analysis, byte = location
    project = server.projects.project_of(document)
    search = SearchRequest(server, params, "References")
    has_declaration = params.context.include_declaration

    def find() -> JsonText:
        _search(search, Locations(server), project, analysis, byte, has_declaration=has_declaration)
        return JsonText(json.dumps(search.remaining_results()))

    return await search.run_in_thread(find)


def _search(
    search: SearchRequest,
    locations: Locations,
    project: Project,
    analysis: FileAnalysis,
    byte: int,
    *,
    has_declaration: bool,
) -> None:
    seen_spans: set[tuple[Path, int, int]] = set()
    for target in {occurrence.target for occurrence in analysis.occurrences_at(byte)}:
        for file_references in references_by_file(project, target, search.note_searched):
            file_spans = {
                (occurrence.path, occurrence.start, occurrence.end)
                for occurrence in file_references.occurrences
                if has_declaration or occurrence.role is not NameRole.DECLARATION
            }
            search.add_results(locations.location_json(*span) for span in sorted(file_spans - seen_spans))
            seen_spans |= file_spans
