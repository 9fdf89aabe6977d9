"""`textDocument/prepareCallHierarchy`, `callHierarchy/incomingCalls` and `outgoingCalls`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from lsprotocol import types

from benchwright_attempts.errors import AttemptError
from benchwright_attempts.events.events import AidUsed
from benchwright_problems.aids import Aid
from benchwright_server.errors import ServerError
from benchwright_server.features.attempt.aids import files_ever_allowing_aid, record_use_if_in_attempt
from benchwright_server.features.editor.locations import Locations, file_of, place_in_design_file
from benchwright_verilog.semantics.behaviour.call_graph import (
    CallEdge,
    CallNode,
    NodeKind,
    call_nodes_at,
    callee_or_load_edges,
    caller_or_driver_edges,
)
from benchwright_verilog.syntax.uri import document_uri

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer
    from benchwright_verilog.semantics.project.project import Project

_KINDS = {
    NodeKind.PROCESS: types.SymbolKind.Event,
    NodeKind.ROUTINE: types.SymbolKind.Function,
    NodeKind.SIGNAL: types.SymbolKind.Variable,
    NodeKind.UNIT: types.SymbolKind.Module,
}


def register(server: EditorServer) -> None:
    """Serve all three."""
    server.feature(types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY)(partial(_call_hierarchy_items_at, server))
    server.feature(types.CALL_HIERARCHY_INCOMING_CALLS)(partial(_incoming_calls_of_item, server))
    server.feature(types.CALL_HIERARCHY_OUTGOING_CALLS)(partial(_outgoing_calls_of_item, server))


async def _call_hierarchy_items_at(
    server: EditorServer, params: types.CallHierarchyPrepareParams
) -> list[types.CallHierarchyItem]:
    location = await place_in_design_file(server, params)
    if location is None:
        return []
    document, analysis, byte = location
    nodes = await asyncio.to_thread(call_nodes_at, server.projects.project_of(document), analysis, byte)
    allowed = await files_ever_allowing_aid(server, (node.path for node in nodes), Aid.DESIGN_VIEWS)
    locations = Locations(server)
    return [
        _call_hierarchy_item(locations, node)
        for node in nodes
        if node.node_kind is NodeKind.ROUTINE or node.path in allowed
    ]


async def _incoming_calls_of_item(
    server: EditorServer, params: types.CallHierarchyIncomingCallsParams
) -> list[types.CallHierarchyIncomingCall]:
    locations = Locations(server)
    return [
        types.CallHierarchyIncomingCall(
            _call_hierarchy_item(locations, edge.node), _ranges_in_file_of_node(locations, edge, edge.node)
        )
        for edge in await _allowed_edges(server, locations, params.item, caller_or_driver_edges)
    ]


async def _outgoing_calls_of_item(
    server: EditorServer, params: types.CallHierarchyOutgoingCallsParams
) -> list[types.CallHierarchyOutgoingCall]:
    locations = Locations(server)
    edges = await _allowed_edges(server, locations, params.item, callee_or_load_edges)
    path = file_of(params.item.uri) if edges else None
    return [
        # LSP 3.18: these ranges are in the file of the item that was asked about.
        types.CallHierarchyOutgoingCall(
            _call_hierarchy_item(locations, edge.node),
            [
                locations.range_of_bytes(occurrence.path, occurrence.start, occurrence.end)
                for occurrence in edge.occurrences
                if occurrence.path == path
            ],
        )
        for edge in edges
    ]


_EdgeFunction = Callable[["Project", CallNode], list[CallEdge]]


async def _allowed_edges(
    server: EditorServer, locations: Locations, hierarchy_item: types.CallHierarchyItem, find_edges: _EdgeFunction
) -> list[CallEdge]:
    """The edges to an item or from it; no edge if that is a view of the design and an attempt forbids these."""
    node, edges = await asyncio.to_thread(_node_at_item_and_edges, server, locations, hierarchy_item, find_edges)
    if node is None or node.node_kind is NodeKind.ROUTINE:
        return edges
    allowed = await files_ever_allowing_aid(server, (node.path, *(edge.node.path for edge in edges)), Aid.DESIGN_VIEWS)
    if node.path not in allowed:
        return []
    if node.node_kind is NodeKind.SIGNAL:
        feature = "drivers" if find_edges is caller_or_driver_edges else "loads"
        try:
            await record_use_if_in_attempt(
                server, hierarchy_item.uri, AidUsed(aid=Aid.DESIGN_VIEWS.value, feature=feature, detail=node.name)
            )
        except AttemptError:
            # Its clock does not run.
            return []
    return [edge for edge in edges if edge.node.path in allowed]


def _node_at_item_and_edges(
    server: EditorServer, locations: Locations, hierarchy_item: types.CallHierarchyItem, find_edges: _EdgeFunction
) -> tuple[CallNode | None, list[CallEdge]]:
    try:
        path = file_of(hierarchy_item.uri)
    except ServerError:
        return None, []
    project = server.projects.project_of_path(path)
    analysis = project.analysis_of(path)
    if analysis is None:
        return None, []
    # The file may have changed since then: its current content counts.
    byte = min(locations.lines_of_file(path).byte_at(hierarchy_item.selection_range.start), len(analysis.data))
    nodes = call_nodes_at(project, analysis, byte)
    return (nodes[0], find_edges(project, nodes[0])) if nodes else (None, [])


def _ranges_in_file_of_node(locations: Locations, edge: CallEdge, node: CallNode) -> list[types.Range]:
    node_occurrences = [occurrence for occurrence in edge.occurrences if occurrence.path == node.path]
    return [
        locations.range_of_bytes(occurrence.path, occurrence.start, occurrence.end) for occurrence in node_occurrences
    ]


def _call_hierarchy_item(locations: Locations, node: CallNode) -> types.CallHierarchyItem:
    return types.CallHierarchyItem(
        name=node.name,
        kind=_KINDS[node.node_kind],
        uri=document_uri(node.path),
        range=locations.range_of_bytes(node.path, node.start, node.end),
        selection_range=locations.range_of_bytes(node.path, node.name_start, node.name_end),
        detail=node.detail,
    )
