"""`textDocument/semanticTokens`: of a whole file, what changed in it, and of a range."""

from __future__ import annotations

import asyncio
from functools import partial
from itertools import count
from typing import TYPE_CHECKING

from lsprotocol import types

from benchwright_verilog.syntax.documents import Document

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer

_MAX_KEPT = 32
"""For this many files, the last answer is kept."""
_LONG = 64 * 1024
"""From this size, in bytes, a file is analysed in a thread."""


def register(server: EditorServer) -> None:
    """Serve all three."""
    tokens = SemanticTokens(server)
    server.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL)(partial(tokens.tokens_of_file))
    server.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA)(partial(tokens.changes_or_all_tokens))
    server.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE)(partial(tokens.tokens_in_range))


class SemanticTokens:
    """The semantic tokens of one client's documents.

    Args:
        server: The server of the client.
    """

    def __init__(self, server: EditorServer) -> None:
        self._server = server
        self._ids = count(1)
        self._sent_tokens: dict[str, types.SemanticTokens] = {}

    async def tokens_of_file(self, params: types.SemanticTokensParams) -> types.SemanticTokens:
        """Those of the whole file."""
        return await self._make_and_keep_tokens(params.text_document.uri)

    async def changes_or_all_tokens(
        self, params: types.SemanticTokensDeltaParams
    ) -> types.SemanticTokens | types.SemanticTokensDelta:
        """Changes since they were last sent; all tokens if the client refers to another answer."""
        from benchwright_verilog.semantics.names.colours import difference_start_removed_count_added

        previous_tokens = self._sent_tokens.get(params.text_document.uri)
        new_tokens = await self._make_and_keep_tokens(params.text_document.uri)
        if previous_tokens is None or previous_tokens.result_id != params.previous_result_id:
            return new_tokens
        start, removed, added_numbers = difference_start_removed_count_added(previous_tokens.data, new_tokens.data)
        token_edits = [types.SemanticTokensEdit(start, removed, added_numbers)] if removed or added_numbers else []
        return types.SemanticTokensDelta(token_edits, new_tokens.result_id)

    async def tokens_in_range(self, params: types.SemanticTokensRangeParams) -> types.SemanticTokens:
        """Those of a range."""
        document = self._server.documents.get(params.text_document.uri)
        if document is None or not document.is_verilog:
            return types.SemanticTokens([])
        start, end = sorted(map(document.lines.byte_at, (params.range.start, params.range.end)))
        return types.SemanticTokens(await self._encoded_tokens(document, start, end))

    async def _make_and_keep_tokens(self, uri: str) -> types.SemanticTokens:
        document = self._server.documents.get(uri)
        if document is None or not document.is_verilog:
            return types.SemanticTokens([])
        token_numbers = await self._encoded_tokens(document, 0, len(document.lines.data))
        tokens = types.SemanticTokens(token_numbers, str(next(self._ids)))
        self._sent_tokens.pop(uri, None)
        self._sent_tokens[uri] = tokens
        if len(self._sent_tokens) > _MAX_KEPT:
            del self._sent_tokens[next(iter(self._sent_tokens))]
        return tokens

    async def _encoded_tokens(self, document: Document, start_byte: int, end_byte: int) -> list[int]:
        from benchwright_verilog.semantics.names.colours import coloured_words, lsp_token_numbers

        analysis = await self._server.projects.analysis(document)
        units = document.units
        other_versions = tuple(
            (open_document.uri, open_document.version)
            for open_document in self._server.documents
            if open_document.uri != document.uri
        )
        projects = self._server.projects
        surroundings = (projects.disk_changes, projects.view_changes, other_versions)

        def make() -> list[int]:
            return lsp_token_numbers(
                coloured_words(units, analysis, start_byte, end_byte, surroundings), document.lines
            )

        return make() if end_byte - start_byte < _LONG else await asyncio.to_thread(make)
