"""`textDocument/references`."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from benchwright_server.features.editor.locations import Locations, place_once_project_is_read
from benchwright_server.features.editor.searching import SearchRequest
from benchwright_verilog.semantics.names.branches import ProjectVariants, references_in_all_branches
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
    location = await place_once_project_is_read(server, params)
    if location is None:
        return JsonText("[]")
    document, analysis, byte = location
    project = server.projects.project_of(document)
    search = SearchRequest(server, params, "References")
    has_declaration = params.context.include_declaration

    def find() -> JsonText:
        projects = (project, *server.projects.other_projects(project))
        _add_references_at(search, Locations(server), projects, analysis, byte, includes_declaration=has_declaration)
        return search.send_rest_and_make_response()

    return await search.run_in_thread(find)


def _add_references_at(
    search_request: SearchRequest,
    locations: Locations,
    projects: Sequence[Project],
    analysis: FileAnalysis,
    byte_offset: int,
    *,
    includes_declaration: bool,
) -> None:
    seen_spans: dict[Path, set[tuple[int, int]]] = {}
    targets = {occurrence.target for occurrence in analysis.occurrences_at(byte_offset)}
    report = search_request.report_searched_or_stop
    for project, target in itertools.product(projects, targets):
        for file_references in references_in_all_branches(ProjectVariants(project), target, report):
            file_spans = {
                (occurrence.start, occurrence.end)
                for occurrence in file_references.occurrences
                if includes_declaration or occurrence.role is not NameRole.DECLARATION
            }
            seen_in_file = seen_spans.setdefault(file_references.path, set())
            new_spans = sorted(file_spans - seen_in_file)
            search_request.add_results(locations.locations_json_of_spans(file_references.path, new_spans))
            seen_in_file |= file_spans
