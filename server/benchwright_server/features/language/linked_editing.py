"""`textDocument/linkedEditingRange`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from lsprotocol import types

from benchwright_verilog.syntax.labels import label_pair_byte_ranges

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer

_WORD = r"\\\S+|[A-Za-z_][A-Za-z0-9_$]*"
"""The text that may be typed there, as a JavaScript expression."""


def register(server: EditorServer) -> None:
    """Serve it."""
    server.feature(types.TEXT_DOCUMENT_LINKED_EDITING_RANGE)(partial(_label_pair_ranges, server))


async def _label_pair_ranges(
    server: EditorServer, params: types.LinkedEditingRangeParams
) -> types.LinkedEditingRanges | None:
    document = server.documents.get(params.text_document.uri)
    if document is None or not document.is_verilog:
        return None
    label_spans = label_pair_byte_ranges(document.units, document.lines.byte_at(params.position))
    if label_spans is None:
        return None
    return types.LinkedEditingRanges([document.lines.byte_range(*label_span) for label_span in label_spans], _WORD)
