"""`textDocument/selectionRange`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from lsprotocol import types

from benchwright_verilog.syntax.documents import Document
from benchwright_verilog.syntax.selection import byte_ranges_around

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer


def register(server: EditorServer) -> None:
    """Serve it."""
    server.feature(types.TEXT_DOCUMENT_SELECTION_RANGE)(partial(_selection_ranges, server))


async def _selection_ranges(server: EditorServer, params: types.SelectionRangeParams) -> list[types.SelectionRange]:
    document = server.documents.get(params.text_document.uri)
    if document is None:
        # LSP 3.18: one answer for each position.
        return [types.SelectionRange(types.Range(position, position)) for position in params.positions]
    return [_nested_selections_at(document, position) for position in params.positions]


def _nested_selections_at(document: Document, position: types.Position) -> types.SelectionRange:
    lines = document.lines
    byte = lines.byte_at(position)
    selection: types.SelectionRange | None = None
    for start, end in reversed(
        byte_ranges_around(document.units, byte) if document.is_verilog else [(0, len(lines.data))]
    ):
        selection = types.SelectionRange(lines.byte_range(start, end), selection)
    cursor = lines.position(lines.from_byte(byte))
    return selection or types.SelectionRange(types.Range(cursor, cursor))
