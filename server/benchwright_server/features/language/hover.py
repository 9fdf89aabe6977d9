"""`textDocument/hover`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from benchwright_server.features.editor.markup import supported_markup
from benchwright_verilog.syntax.text_shift import TextShift

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer


def register(server: EditorServer) -> None:
    """Serve it."""
    server.feature(types.TEXT_DOCUMENT_HOVER)(partial(_hover_at, server))


async def _hover_at(server: EditorServer, params: types.HoverParams) -> types.Hover | None:
    # Imported late: slang is not needed to start.
    from benchwright_verilog.language.explanation.explanations import explain_name, explain_without_analysis

    document = server.documents.get(params.text_document.uri)
    if document is None:
        return None
    if not document.is_verilog:
        return server.pack_files.field_hover(document, params.position)
    offset = document.lines.offset(params.position)
    explanation = explain_without_analysis(document, offset)
    if explanation is None:
        analysis = await server.projects.recent_analysis(document)
        if TextShift(analysis.data, document.lines.data).is_in_or_beside_inserted_text(document.lines.to_byte(offset)):
            analysis = await server.projects.analysis(document)
        project = server.projects.project_of(document)

        def text(path: Path) -> str | None:
            outline = project.outline(path)
            return outline.data.decode(errors="replace") if outline is not None else None

        explanation = explain_name(document, offset, analysis, text)
    if explanation is None:
        return None
    hover_range = document.lines.range(explanation.start, explanation.end)
    return types.Hover(supported_markup(server, "textDocument.hover.contentFormat", explanation.markdown), hover_range)
