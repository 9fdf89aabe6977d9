"""`textDocument/hover`."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from benchwright_server.features.editor.markup import supported_markup
from benchwright_verilog.syntax.text_shift import TextShift

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer
    from benchwright_verilog.language.explanation.explanations import Explanation
    from benchwright_verilog.language.explanation.known_macros import ReadText
    from benchwright_verilog.semantics.compilation.analysis import FileAnalysis
    from benchwright_verilog.semantics.project.project import Project
    from benchwright_verilog.syntax.documents import Document


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
    offset = document.lines.code_point_at(params.position)
    explanation = explain_without_analysis(document, offset)
    if explanation is None:
        analysis = await server.projects.recent_analysis(document)
        if TextShift(analysis.data, document.lines.data).is_in_or_beside_inserted_text(document.lines.to_byte(offset)):
            analysis = await server.projects.analysis(document)
        project = server.projects.project_of(document)

        def text(path: Path) -> str | None:
            outline = project.outline(path)
            return outline.data.decode(errors="replace") if outline is not None else None

        explanation = explain_name(document, offset, analysis, text) or await _explain_inactive_name(
            server, document, offset, analysis, text
        )
        if explanation is None:
            explanation = await asyncio.to_thread(
                _explain_macro_of_other_header, project, document, offset, analysis, text
            )
    if explanation is None:
        return None
    hover_range = document.lines.range(explanation.start, explanation.end)
    return types.Hover(supported_markup(server, "textDocument.hover.contentFormat", explanation.markdown), hover_range)


async def _explain_inactive_name(
    server: EditorServer, document: Document, offset: int, analysis: FileAnalysis, texts: ReadText
) -> Explanation | None:
    """The explanation of a name that the present defines leave out."""
    from benchwright_verilog.language.explanation.explanations import explain_name
    from benchwright_verilog.semantics.names.branches import analysis_of_inactive_place, macro_choice_in_words

    if b"`if" not in analysis.data or analysis.data != document.lines.data:
        return None
    project, byte = server.projects.project_of(document), document.lines.to_byte(offset)
    inactive = await asyncio.to_thread(analysis_of_inactive_place, project, document, analysis, byte)
    if inactive is None:
        return None
    explanation = explain_name(document, offset, inactive[0], texts)
    if explanation is None:
        return None
    note = f"inactive under the present defines; here with {macro_choice_in_words(inactive[1])}"
    return replace(explanation, markdown=f"{explanation.markdown}\n\n{note}")


def _explain_macro_of_other_header(
    project: Project, document: Document, offset: int, analysis: FileAnalysis, texts: ReadText
) -> Explanation | None:
    """The explanation of a macro that only headers define which the file does not include."""
    from benchwright_verilog.language.explanation.explanations import explain_macro_of_header
    from benchwright_verilog.semantics.names.navigation import macros_in_other_headers

    byte = document.lines.to_byte(offset)
    if analysis.data != document.lines.data:
        return None
    for target in macros_in_other_headers(project, analysis, byte):
        explanation = explain_macro_of_header(document, offset, analysis, target, texts)
        if explanation is not None:
            note = f"defined in {target.path.name}, which this file does not include"
            return replace(explanation, markdown=f"{explanation.markdown}\n\n{note}")
    return None
