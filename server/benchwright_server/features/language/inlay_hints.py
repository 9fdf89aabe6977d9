"""`textDocument/inlayHint`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from lsprotocol import types

from benchwright_verilog.syntax.lines import Lines

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer
    from benchwright_verilog.language.hints import InlayHint


def register(server: EditorServer) -> None:
    """Serve it."""
    server.feature(types.TEXT_DOCUMENT_INLAY_HINT)(partial(_inlay_hints_in_range, server))


async def _inlay_hints_in_range(server: EditorServer, params: types.InlayHintParams) -> list[types.InlayHint]:
    from benchwright_verilog.language.hints import hints_between  # Imported late: slang is not needed to start.

    document = server.documents.get(params.text_document.uri)
    if document is None or not document.is_verilog:
        return []
    analysis = await server.projects.analysis(document)
    lines = document.lines
    start, end = lines.byte_at(params.range.start), lines.byte_at(params.range.end)
    found_hints = hints_between(analysis, start, end, server.settings.inlay_hints)
    inner_hints = sorted((hint for hint in set(found_hints) if start <= hint.byte <= end), key=lambda hint: hint.byte)
    inlay_hints = [_inlay_hint(hint, lines) for hint in inner_hints]
    if server.waveforms is None or not server.settings.inlay_hints.waveform_values:
        return inlay_hints
    return [*inlay_hints, *await server.waveforms.cursor.value_hints_if_allowed(document, analysis, start, end)]


def _inlay_hint(hint: InlayHint, lines: Lines) -> types.InlayHint:
    return types.InlayHint(
        lines.position(lines.from_byte(hint.byte)),
        hint.label,
        types.InlayHintKind.Parameter if hint.is_name else types.InlayHintKind.Type,
        tooltip=hint.tooltip or None,
        padding_left=not hint.is_name,
        padding_right=hint.is_name,
    )
