"""`textDocument/references`."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from lsprotocol import types

from benchwright_server.features.locations import Locations, place_among_all
from benchwright_verilog.semantics.navigation import references
from benchwright_verilog.semantics.occurrence import Occurrence, Role

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer
    from benchwright_verilog.semantics.analysis import Analysis
    from benchwright_verilog.semantics.project import Project


def register(server: EditorServer) -> None:
    """Serve it."""
    server.feature(types.TEXT_DOCUMENT_REFERENCES)(partial(_references, server))


async def _references(server: EditorServer, params: types.ReferenceParams) -> list[types.Location]:
    place = await place_among_all(server, params)
    if place is None:
        return []
    document, analysis, byte = place
    project = server.projects.of(document)
    found = await asyncio.to_thread(_everywhere, project, analysis, byte)
    wanted = {
        (one.path, one.start, one.end)
        for one in found
        if params.context.include_declaration or one.role is not Role.DECLARATION
    }
    locations = Locations(server)
    return [locations.location(*one) for one in sorted(wanted)]


def _everywhere(project: Project, analysis: Analysis, byte: int) -> list[Occurrence]:
    targets = {occurrence.target for occurrence in analysis.occurrences_at(byte)}
    return [occurrence for target in targets for occurrence in references(project, target)]
