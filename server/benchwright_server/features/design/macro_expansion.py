"""Expansions of macros, as virtual documents (LSP 3.18, `workspace/textDocumentContent`)."""

from __future__ import annotations

import asyncio
import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from benchwright_server.errors import ServerError
from benchwright_server.feature_registry import EXPANSION_SCHEME
from benchwright_server.features.requests import REQUEST_FAILED, register_operation
from benchwright_server.operations.operation import Operation
from benchwright_server.protocol.design import ExpandMacroParams, MacroExpansion
from benchwright_verilog.language.macro_text import (
    ExpandedText,
    expanded_file,
    expanded_use,
    macro_name_and_use_number_at,
)
from benchwright_verilog.syntax.uri import local_path_of

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer
    from benchwright_verilog.semantics.compilation.analysis import FileAnalysis
    from benchwright_verilog.syntax.documents import Document

SHOW_EXPANSION = "benchwright.showExpansion"
"""The command of the code action; clients that show expansions in their own way name it in
`experimental.commands.commands`."""
_QUERY = re.compile(r"use=(?P<name>[\w$]+)\.(?P<number>\d{1,9})(?P<one>&step=one)?$")
_KEPT = 20


class Expansions:
    """The virtual documents of one client.

    Args:
        server: The server of the client.
    """

    def __init__(self, server: EditorServer) -> None:
        self._server = server
        self._shown_versions: dict[str, frozenset[tuple[str, int]]] = {}
        """The documents that the client has, each with the versions of the open files that it was made of."""

    def ask_client_to_reload_outdated(self) -> None:
        """Typing has paused: the client has to ask again for what was made of other versions."""
        if self._shown_versions and self._server.client.supports("workspace.textDocumentContent"):
            versions = self._open_document_versions()
            for uri in [uri for uri, made_of in self._shown_versions.items() if made_of != versions]:
                self._shown_versions[uri] = versions
                self._server.workspace_text_document_content_refresh(types.TextDocumentContentRefreshParams(uri))

    async def document_content(self, params: types.TextDocumentContentParams) -> types.TextDocumentContentResult:
        """The text of a virtual document."""
        try:
            expansion = await self._expanded_text(params.uri)
        except ServerError as error:
            raise JsonRpcException(str(error), REQUEST_FAILED) from None
        self._shown_versions.pop(params.uri, None)
        self._shown_versions[params.uri] = self._open_document_versions()
        while len(self._shown_versions) > _KEPT:
            del self._shown_versions[next(iter(self._shown_versions))]
        return types.TextDocumentContentResult(expansion.text)

    async def expand_use_or_file(self, params: ExpandMacroParams) -> MacroExpansion:
        """The expansion at a place, with the address of its document."""
        document, analysis = await self._open_document_and_analysis(params.uri)
        macro_use = None
        if params.position is not None:
            position = types.Position(params.position.line, params.position.character)
            macro_use = macro_name_and_use_number_at(
                analysis, min(document.lines.byte_at(position), len(analysis.data))
            )
            if macro_use is None:
                raise ServerError("There is no use of a macro that this design defines.")
        uri = _expansion_uri(params.uri, *(macro_use or (None, 0)), is_full=params.full)
        expansion = await self._expanded_text(uri)
        return MacroExpansion(
            uri=uri, macro=macro_use[0] if macro_use else None, text=expansion.text, complete=expansion.is_complete
        )

    async def expand_and_show(self, params: ExpandMacroParams) -> MacroExpansion:
        """The same, shown by clients that can."""
        expansion = await self.expand_use_or_file(params)
        if can_show_virtual_documents(self._server):
            show_request = types.ShowDocumentParams(expansion.uri, external=False, take_focus=True)
            await self._server.window_show_document_async(show_request)
        return expansion

    async def _expanded_text(self, expansion_uri: str) -> ExpandedText:
        source, query = _source_uri_and_use(expansion_uri)
        _, analysis = await self._open_document_and_analysis(source)
        if query is None:
            return await asyncio.to_thread(expanded_file, analysis)
        project = self._server.projects.project_of_path(local_path_of(source))

        def text(path: Path) -> str | None:
            outline = project.outline(path)
            return outline.data.decode(errors="replace") if outline is not None else None

        name, number = query["name"], int(query["number"])
        return await asyncio.to_thread(
            expanded_use, analysis, name, number, text, expands_inner_macros=query["one"] is None
        )

    async def _open_document_and_analysis(self, file_uri: str) -> tuple[Document, FileAnalysis]:
        document = self._server.documents.get(file_uri)
        if document is None and file_uri.startswith("file:"):
            # Editors write the address of a virtual document in a way of their own.
            path = local_path_of(file_uri)
            file_documents = (
                open_document for open_document in self._server.documents if open_document.uri.startswith("file:")
            )
            document = next(
                (open_document for open_document in file_documents if local_path_of(open_document.uri) == path), None
            )
        if document is None or not document.is_verilog or not document.uri.startswith("file:"):
            raise ServerError("Macros are expanded in design files that are open in the editor: open the file first.")
        return document, await self._server.projects.analysis(document)

    def _open_document_versions(self) -> frozenset[tuple[str, int]]:
        return frozenset((document.uri, document.version) for document in self._server.documents)


def register(server: EditorServer) -> None:
    """Serve the documents, the request and its command."""
    expansions = server.expansions = Expansions(server)
    for operation in EXPANSION_OPERATIONS:
        register_operation(server, operation, lambda: expansions)
    server.feature(types.WORKSPACE_TEXT_DOCUMENT_CONTENT)(partial(expansions.document_content))


async def _expand_macro(expansions: Expansions, params: ExpandMacroParams) -> MacroExpansion:
    return await expansions.expand_use_or_file(params)


async def _expand_and_show_macro(expansions: Expansions, params: ExpandMacroParams) -> MacroExpansion:
    return await expansions.expand_and_show(params)


EXPANSION_OPERATIONS: tuple[Operation[Any, Any, Any], ...] = (
    Operation(
        "expandMacro",
        ExpandMacroParams,
        MacroExpansion,
        "Returns what the use of a macro, or every use in an open file, expands to.",
        _expand_macro,
    ),
    Operation(
        "showExpansion",
        ExpandMacroParams,
        MacroExpansion,
        "The same, and opens it in editors that can show virtual documents.",
        _expand_and_show_macro,
    ),
)
"""The operations on macros."""


def can_show_virtual_documents(server: EditorServer) -> bool:
    """True if the client shows a virtual document on request."""
    return server.client.supports("workspace.textDocumentContent") and server.client.supports(
        "window.showDocument.support"
    )


async def expansion_actions(server: EditorServer, document: Document, byte_offset: int) -> list[types.CodeAction]:
    """The code actions on the use of a macro, for clients that can show its expansion."""
    if not server.settings.features.macro_expansion:
        return []
    if not (
        can_show_virtual_documents(server)
        or SHOW_EXPANSION in server.client.capability_strings("experimental.commands.commands")
    ):
        return []
    analysis = await server.projects.analysis(document)
    if macro_name_and_use_number_at(analysis, byte_offset) is None:
        return []
    position = document.lines.position(document.lines.from_byte(byte_offset))
    arguments = {"uri": document.uri, "position": {"line": position.line, "character": position.character}}
    expansion_titles = (("Show the macro's expansion", True), ("Show one step of the macro's expansion", False))
    return [
        types.CodeAction(title, command=types.Command(title, SHOW_EXPANSION, arguments=[arguments | {"full": is_full}]))
        for title, is_full in expansion_titles
    ]


def _expansion_uri(source_uri: str, macro_name: str | None, use_number: int, *, is_full: bool) -> str:
    """`benchwright-macro:///folder/top.sv/ADD.sv?use=ADD.3`, the third use of `ADD` in top.sv."""
    document_uri = source_uri.replace("file:", f"{EXPANSION_SCHEME}:", 1)
    if macro_name is None:
        return f"{document_uri}/expanded%20{source_uri.rpartition('/')[2]}"
    return f"{document_uri}/{quote(macro_name)}.sv?use={quote(macro_name)}.{use_number}" + (
        "" if is_full else "&step=one"
    )


def _source_uri_and_use(expansion_uri: str) -> tuple[str, re.Match[str] | None]:
    """The file that a virtual document is made of, and which use; None for all."""
    address, _, query = expansion_uri.partition("?")
    scheme, _, path = address.partition(":")
    # Editors encode the query in ways of their own.
    use_match = _QUERY.match(unquote(query))
    file = path.rpartition("/")[0]
    if scheme != EXPANSION_SCHEME or not file.strip("/") or (query and use_match is None):
        raise ServerError(
            f"{expansion_uri} is not the address of an expansion. Ask for expansions with benchwright/expandMacro."
        )
    # VS Code leaves out an empty host.
    return ("file:" if path.startswith("//") else "file://") + file, use_match
