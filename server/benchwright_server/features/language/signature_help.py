"""`textDocument/signatureHelp`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from benchwright_server.features.editor.markup import supported_markup
from benchwright_verilog.language.completion.calls import CallKind, OpenCall
from benchwright_verilog.language.completion.cursor import call_at
from benchwright_verilog.language.completion.library import Library
from benchwright_verilog.language.explanation.known_macros import KnownMacros
from benchwright_verilog.syntax.documents import Document
from benchwright_verilog.syntax.text_shift import TextShift

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer
    from benchwright_verilog.language.completion.signatures import Signature
    from benchwright_verilog.language.explanation.headers import Header
    from benchwright_verilog.semantics.compilation.analysis import FileAnalysis


def register(server: EditorServer) -> None:
    """Serve it."""
    server.feature(types.TEXT_DOCUMENT_SIGNATURE_HELP)(partial(_signature_help_at, server, Library()))


async def _signature_help_at(
    server: EditorServer, library: Library, params: types.SignatureHelpParams
) -> types.SignatureHelp | None:
    document = server.documents.get(params.text_document.uri)
    if document is None or not document.is_verilog:
        return None
    open_call = call_at(document.text, document.lines.code_point_at(params.position))
    if open_call is None or open_call.call_kind is CallKind.HEAD:
        return None
    from benchwright_verilog.language.completion.signatures import (
        call_signature,  # Imported late: slang is not needed to start.
    )

    header = await _header_of_call(server, library, document, open_call)
    signature = call_signature(header, open_call) if header is not None else None
    if signature is None:
        return None
    return types.SignatureHelp(
        [_signature_information(server, signature)],
        active_signature=0,
        active_parameter=signature.active_formal_index,
    )


async def _header_of_call(
    server: EditorServer, library: Library, document: Document, open_call: OpenCall
) -> Header | None:
    analysis = await server.projects.recent_analysis(document)
    header = _header_in_analysis(analysis, server, library, document, open_call)
    if header is None and analysis.data != document.lines.data:
        # The call may have been typed since the last analysis.
        header = _header_in_analysis(await server.projects.analysis(document), server, library, document, open_call)
    return header


def _header_in_analysis(
    analysis: FileAnalysis, server: EditorServer, library: Library, document: Document, open_call: OpenCall
) -> Header | None:
    from benchwright_verilog.language.completion.instance_proposals import called_header_at
    from benchwright_verilog.language.explanation.headers import header_of_macro

    project = server.projects.project_of(document)
    if open_call.callee_path and open_call.callee_path[0].startswith("`"):

        def text(path: Path) -> str | None:
            outline = project.outline(path)
            return outline.data.decode(errors="replace") if outline is not None else None

        macro = KnownMacros(analysis, text).get(open_call.callee_path[0][1:])
        return header_of_macro(macro.name, macro.parameters or (), macro.body) if macro is not None else None
    byte = TextShift(analysis.data, document.lines.data).to_old(document.lines.to_byte(open_call.opening_offset))
    return called_header_at(analysis, byte, project, library, open_call)


def _signature_information(server: EditorServer, signature: Signature) -> types.SignatureInformation:
    capability = "textDocument.signatureHelp.signatureInformation"
    has_offsets = server.client.supports(f"{capability}.parameterInformation.labelOffsetSupport")
    parameter_information = []
    for start, end, formal in signature.formals_with_label_ranges:
        label = (
            (_utf16_length(signature.label[:start]), _utf16_length(signature.label[:end]))
            if has_offsets
            else formal.declaration_text
        )
        formal_documentation = (
            supported_markup(server, f"{capability}.documentationFormat", formal.documentation)
            if formal.documentation
            else None
        )
        parameter_information.append(types.ParameterInformation(label, formal_documentation))
    documentation = (
        supported_markup(server, f"{capability}.documentationFormat", signature.documentation)
        if signature.documentation
        else None
    )
    return types.SignatureInformation(
        signature.label, documentation, parameter_information, active_parameter=signature.active_formal_index
    )


def _utf16_length(text: str) -> int:
    # LSP 3.18, `ParameterInformation`: whatever the position encoding, these offsets count UTF-16 code units.
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
