"""`textDocument/documentHighlight`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from lsprotocol import types

from benchwright_server.features.editor.locations import place_in_design_file
from benchwright_verilog.semantics.names.navigation import occurrences_to_highlight
from benchwright_verilog.semantics.names.occurrence import NameRole

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer

_KINDS = {
    NameRole.READ: types.DocumentHighlightKind.Read,
    NameRole.CALL: types.DocumentHighlightKind.Read,
    NameRole.DECLARATION: types.DocumentHighlightKind.Write,
    NameRole.WRITE: types.DocumentHighlightKind.Write,
}


def register(server: EditorServer) -> None:
    """Serve it."""
    server.feature(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)(partial(_highlights_at, server))


async def _highlights_at(server: EditorServer, params: types.DocumentHighlightParams) -> list[types.DocumentHighlight]:
    location = await place_in_design_file(server, params)
    if location is None:
        return []
    document, analysis, byte = location
    return [
        types.DocumentHighlight(
            document.lines.byte_range(occurrence.start, occurrence.end),
            _KINDS.get(occurrence.role, types.DocumentHighlightKind.Text),
        )
        for occurrence in occurrences_to_highlight(analysis, byte)
    ]
