"""`textDocument/prepareCallHierarchy`, `callHierarchy/incomingCalls` and `outgoingCalls`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from lsprotocol import types

from benchwright_server.errors import ServerError
from benchwright_server.features.locations import Locations, file_of, place_of
from benchwright_verilog.semantics.call_graph import Edge, Node, NodeKind, incoming, nodes_at, outgoing

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer
    from benchwright_verilog.semantics.project import Project

_KINDS = {
    NodeKind.PROCESS: types.SymbolKind.Event,
    NodeKind.ROUTINE: types.SymbolKind.Function,
    NodeKind.SIGNAL: types.SymbolKind.Variable,
    NodeKind.UNIT: types.SymbolKind.Module,
}


def register(server: EditorServer) -> None:
    """Serve all three."""
    server.feature(types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY)(partial(_prepare, server))
    server.feature(types.CALL_HIERARCHY_INCOMING_CALLS)(partial(_incoming, server))
    server.feature(types.CALL_HIERARCHY_OUTGOING_CALLS)(partial(_outgoing, server))


async def _prepare(server: EditorServer, params: types.CallHierarchyPrepareParams) -> list[types.CallHierarchyItem]:
    place = await place_of(server, params)
    if place is None:
        return []
    document, analysis, byte = place
    nodes = await asyncio.to_thread(nodes_at, server.projects.of(document), analysis, byte)
    locations = Locations(server)
    return [_item(locations, node) for node in nodes]


async def _incoming(
    server: EditorServer, params: types.CallHierarchyIncomingCallsParams
) -> list[types.CallHierarchyIncomingCall]:
    locations = Locations(server)
    edges = await asyncio.to_thread(_edges, server, locations, params.item, incoming)
    return [
        types.CallHierarchyIncomingCall(_item(locations, edge.node), _ranges(locations, edge, edge.node))
        for edge in edges
    ]


async def _outgoing(
    server: EditorServer, params: types.CallHierarchyOutgoingCallsParams
) -> list[types.CallHierarchyOutgoingCall]:
    locations = Locations(server)
    edges = await asyncio.to_thread(_edges, server, locations, params.item, outgoing)
    path = file_of(params.item.uri) if edges else None
    return [
        # LSP 3.18: these ranges are in the file of the item that was asked about.
        types.CallHierarchyOutgoingCall(
            _item(locations, edge.node),
            [locations.range(one.path, one.start, one.end) for one in edge.occurrences if one.path == path],
        )
        for edge in edges
    ]


def _edges(
    server: EditorServer,
    locations: Locations,
    item: types.CallHierarchyItem,
    way: Callable[[Project, Node], list[Edge]],
) -> list[Edge]:
    try:
        path = file_of(item.uri)
    except ServerError:
        return []
    project = server.projects.of_path(path)
    analysis = project.analysis_of(path)
    if analysis is None:
        return []
    # The file may have changed since then: its current content counts.
    byte = min(locations.lines(path).byte_at(item.selection_range.start), len(analysis.data))
    nodes = nodes_at(project, analysis, byte)
    return way(project, nodes[0]) if nodes else []


def _ranges(locations: Locations, edge: Edge, node: Node) -> list[types.Range]:
    places = [one for one in edge.occurrences if one.path == node.path]
    return [locations.range(one.path, one.start, one.end) for one in places]


def _item(locations: Locations, node: Node) -> types.CallHierarchyItem:
    return types.CallHierarchyItem(
        name=node.name,
        kind=_KINDS[node.kind],
        uri=node.path.as_uri(),
        range=locations.range(node.path, node.start, node.end),
        selection_range=locations.range(node.path, node.name_start, node.name_end),
        detail=node.detail,
    )
