"""`textDocument/prepareTypeHierarchy`, `typeHierarchy/supertypes` and `subtypes`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from lsprotocol import types

from benchwright_server.errors import ServerError
from benchwright_server.features.editor.locations import Locations, file_of, place_once_project_is_read
from benchwright_verilog.semantics.names.type_hierarchy import ClassNode, class_at, subtypes, supertypes
from benchwright_verilog.syntax.uri import document_uri

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer
    from benchwright_verilog.semantics.project.project import Project


def register(server: EditorServer) -> None:
    """Serve all three."""
    server.feature(types.TEXT_DOCUMENT_PREPARE_TYPE_HIERARCHY)(partial(_class_item_at, server))
    server.feature(types.TYPE_HIERARCHY_SUPERTYPES)(partial(_related_classes, server, supertypes))
    server.feature(types.TYPE_HIERARCHY_SUBTYPES)(partial(_related_classes, server, subtypes))


async def _class_item_at(
    server: EditorServer, params: types.TypeHierarchyPrepareParams
) -> list[types.TypeHierarchyItem]:
    location = await place_once_project_is_read(server, params)
    if location is None:
        return []
    document, analysis, byte = location
    class_node = await asyncio.to_thread(class_at, server.projects.project_of(document), analysis, byte)
    return [_type_hierarchy_item(Locations(server), class_node)] if class_node is not None else []


async def _related_classes(
    server: EditorServer,
    find_related_classes: Callable[[Project, ClassNode], list[ClassNode]],
    params: types.TypeHierarchySupertypesParams | types.TypeHierarchySubtypesParams,
) -> list[types.TypeHierarchyItem]:
    locations = Locations(server)
    class_nodes = await asyncio.to_thread(_related_class_nodes, server, locations, params.item, find_related_classes)
    return [_type_hierarchy_item(locations, node) for node in class_nodes]


def _related_class_nodes(
    server: EditorServer,
    locations: Locations,
    hierarchy_item: types.TypeHierarchyItem,
    find_related_classes: Callable[[Project, ClassNode], list[ClassNode]],
) -> list[ClassNode]:
    try:
        path = file_of(hierarchy_item.uri)
    except ServerError:
        return []
    project = server.projects.project_of_path(path)
    analysis = project.analysis_of(path)
    if analysis is None:
        return []
    # The file may have changed since then: its current content counts.
    byte = min(locations.lines_of_file(path).byte_at(hierarchy_item.selection_range.start), len(analysis.data))
    node = class_at(project, analysis, byte)
    return find_related_classes(project, node) if node is not None else []


def _type_hierarchy_item(locations: Locations, node: ClassNode) -> types.TypeHierarchyItem:
    return types.TypeHierarchyItem(
        name=node.name,
        kind=types.SymbolKind.Interface if node.is_interface else types.SymbolKind.Class,
        uri=document_uri(node.path),
        range=locations.range_of_bytes(node.path, node.start, node.end),
        selection_range=locations.range_of_bytes(node.path, node.name_start, node.name_end),
        detail=node.detail or None,
    )
