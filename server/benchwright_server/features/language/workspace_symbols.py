"""`workspace/symbol`."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING

from lsprotocol import types

from benchwright_server.features.editor.locations import Locations
from benchwright_server.features.editor.searching import SearchRequest
from benchwright_verilog.semantics.names.occurrence import TargetKind
from benchwright_verilog.semantics.names.symbol_search import SymbolMatch, search_symbols
from benchwright_verilog.syntax.json_form import JsonText

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer

_KINDS = {
    TargetKind.CHECKER: types.SymbolKind.Module,
    TargetKind.CONFIG: types.SymbolKind.Module,
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
    server.feature(types.WORKSPACE_SYMBOL)(partial(_matching_symbols, server))


async def _matching_symbols(server: EditorServer, params: types.WorkspaceSymbolParams) -> JsonText:
    projects = server.projects.all_projects()
    symbol_search = SearchRequest(server, params, "Symbols")

    def find() -> JsonText:
        locations = Locations(server)
        symbol_search.add_results(
            _workspace_symbol_json(locations, match)
            for match in search_symbols(projects, params.query, symbol_search.report_searched_or_stop)
        )
        return symbol_search.send_rest_and_make_response()

    return await symbol_search.run_in_thread(find)


def _workspace_symbol_json(locations: Locations, match: SymbolMatch) -> str:
    """LSP 3.18, `WorkspaceSymbol`, as JSON."""
    declared_unit = match.declared_name
    (location_json,) = locations.locations_json_of_spans(match.path, [(declared_unit.start, declared_unit.end)])
    return (
        f'{{"location":{location_json},"name":{json.dumps(declared_unit.name)},'
        f'"kind":{_KINDS[declared_unit.target_kind].value},"containerName":{json.dumps(match.container_name)}}}'
    )
