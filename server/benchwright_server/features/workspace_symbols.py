"""`workspace/symbol`."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from lsprotocol import types

from benchwright_server.features.locations import Locations
from benchwright_verilog.semantics.occurrence import TargetKind
from benchwright_verilog.semantics.symbol_search import Found, search

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer

_KINDS = {
    TargetKind.CHECKER: types.SymbolKind.Module,
    TargetKind.CLASS: types.SymbolKind.Class,
    TargetKind.FUNCTION: types.SymbolKind.Function,
    TargetKind.INTERFACE: types.SymbolKind.Interface,
    TargetKind.MACRO: types.SymbolKind.Constant,
    TargetKind.MODULE: types.SymbolKind.Module,
    TargetKind.PACKAGE: types.SymbolKind.Package,
    TargetKind.PRIMITIVE: types.SymbolKind.Module,
    TargetKind.PROGRAM: types.SymbolKind.Module,
    TargetKind.TASK: types.SymbolKind.Function,
    TargetKind.TYPE: types.SymbolKind.Struct,
}


def register(server: EditorServer) -> None:
    """Serve it."""
    server.feature(types.WORKSPACE_SYMBOL)(partial(_symbols, server))


async def _symbols(server: EditorServer, params: types.WorkspaceSymbolParams) -> list[types.WorkspaceSymbol]:
    found = await asyncio.to_thread(search, server.projects.all(), params.query)
    locations = Locations(server)
    return [_symbol(locations, one) for one in found]


def _symbol(locations: Locations, found: Found) -> types.WorkspaceSymbol:
    declared = found.declared
    return types.WorkspaceSymbol(
        location=locations.location(found.path, declared.start, declared.end),
        name=declared.name,
        kind=_KINDS[declared.kind],
        container_name=found.container or None,
    )
