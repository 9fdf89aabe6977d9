"""`textDocument/definition`, `declaration`, `typeDefinition` and `implementation`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING

from lsprotocol import types

from benchwright_server.features.editor.locations import (
    Locations,
    Place,
    place_in_design_file,
    place_once_project_is_read,
)
from benchwright_verilog.semantics.names import navigation
from benchwright_verilog.semantics.names.occurrence import Occurrence, Target

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer
    from benchwright_verilog.semantics.compilation.analysis import FileAnalysis
    from benchwright_verilog.semantics.project.project import Project

TargetLocations = list[types.Location]
FindTargets = Callable[["Project", "FileAnalysis", int], Iterable[Target | Occurrence]]


def register(server: EditorServer) -> None:
    """Serve those that the client supports."""
    methods_by_capability: dict[str, tuple[str, FindTargets]] = {
        "definition": (types.TEXT_DOCUMENT_DEFINITION, _definitions),
        "declaration": (types.TEXT_DOCUMENT_DECLARATION, navigation.declarations),
        "typeDefinition": (
            types.TEXT_DOCUMENT_TYPE_DEFINITION,
            lambda _, analysis, byte: navigation.type_definitions(analysis, byte),
        ),
        "implementation": (types.TEXT_DOCUMENT_IMPLEMENTATION, navigation.implementations),
    }
    for way, (method, find) in methods_by_capability.items():
        if server.client.supports(f"textDocument.{way}"):
            server.feature(method)(partial(_locations_of_targets, server, find))


async def _locations_of_targets(
    server: EditorServer, find_targets: FindTargets, params: types.TextDocumentPositionParams
) -> TargetLocations:
    location = await place_in_design_file(server, params)
    targets = await _targets_at_place(server, find_targets, location)
    if not targets and location is not None and not server.projects.project_of(location.document).is_wholly_read:
        targets = await _targets_at_place(server, find_targets, await place_once_project_is_read(server, params))
    locations = Locations(server)
    return [locations.location_of_bytes(target.path, target.start, target.end) for target in targets]


async def _targets_at_place(
    server: EditorServer, find_targets: FindTargets, place: Place | None
) -> list[Target | Occurrence]:
    if place is None:
        return []
    document, analysis, byte = place
    project = server.projects.project_of(document)
    if find_targets in (navigation.declarations, navigation.implementations):
        return await asyncio.to_thread(lambda: list(find_targets(project, analysis, byte)))
    targets: list[Target | Occurrence] = list(find_targets(project, analysis, byte))
    if not targets and find_targets is _definitions:
        targets += await asyncio.to_thread(navigation.macros_in_other_headers, project, analysis, byte)
    return targets


def _definitions(project: Project, analysis: FileAnalysis, byte_offset: int) -> list[Target]:
    return navigation.definitions(analysis, byte_offset)
