"""Formatting of a file, a part of it, and while typing: verible's result, as minimal edits."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from functools import partial
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from lsprotocol import types

from benchwright_server.linters.formatter import MOST_UNREAD_PARTS, PATIENCE_S, NotFormattedError, format_document
from benchwright_verilog.syntax.documents import Document
from benchwright_verilog.syntax.lines import Lines
from benchwright_verilog.syntax.spacing import has_same_words, spacing_changes

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer

_TRIES = 3
"""Number of times that formatting restarts because the document changed meanwhile."""

_CLOSING = re.compile(r"[ \t]*(?:end|else|end(?:module|case|function|task|interface|package|class|generate|property))")


def register(server: EditorServer) -> None:
    """Serve all of them."""
    server.feature(types.TEXT_DOCUMENT_FORMATTING)(partial(_document_formatting_edits, server))
    server.feature(types.TEXT_DOCUMENT_RANGE_FORMATTING)(partial(_range_formatting_edits, server))
    server.feature(types.TEXT_DOCUMENT_RANGES_FORMATTING)(partial(_edits_of_several_ranges, server))
    server.feature(types.TEXT_DOCUMENT_ON_TYPE_FORMATTING)(partial(_typing_formatting_edits, server))


async def _document_formatting_edits(
    server: EditorServer, params: types.DocumentFormattingParams
) -> list[types.TextEdit]:
    try:
        return await _formatting_edits(server, params.text_document.uri, params.options)
    except NotFormattedError as error:
        # An answer with an error would stop a client that formats on save from saving.
        server.report_failure(error)
        return []


async def _range_formatting_edits(
    server: EditorServer, params: types.DocumentRangeFormattingParams
) -> list[types.TextEdit]:
    return await _edits_within_ranges(server, params.text_document.uri, params.options, [params.range])


async def _edits_of_several_ranges(
    server: EditorServer, params: types.DocumentRangesFormattingParams
) -> list[types.TextEdit]:
    return await _edits_within_ranges(server, params.text_document.uri, params.options, params.ranges)


async def _edits_within_ranges(
    server: EditorServer, uri: str, formatting_options: types.FormattingOptions, ranges: Sequence[types.Range]
) -> list[types.TextEdit]:
    try:
        edits = await _formatting_edits(server, uri, formatting_options)
    except NotFormattedError as error:
        server.report_failure(error)
        return []
    line_edits = [edit for selected in ranges for edit in _edits_within_lines(edits, *_first_and_last_line(selected))]
    # Two ranges may be on one line.
    return [edit for index, edit in enumerate(line_edits) if edit not in line_edits[:index]]


def _first_and_last_line(selected: types.Range) -> tuple[int, int]:
    """The first and last line; a range that ends before the first character of a line does not mean that line."""
    first_position, last_position = sorted((selected.start, selected.end))
    is_behind_last_line = last_position.character == 0 and last_position.line > first_position.line
    return first_position.line, last_position.line - is_behind_last_line


async def _typing_formatting_edits(
    server: EditorServer, params: types.DocumentOnTypeFormattingParams
) -> list[types.TextEdit]:
    document = server.documents.get(params.text_document.uri)
    position = params.position
    line = position.line - 1 if params.ch == "\n" else position.line
    if document is None or not 0 <= line < len(document.lines) or not _triggers_formatting(document, params):
        return []
    try:
        edits = await _formatting_edits(server, document.uri, params.options, is_typing=True)
    except NotFormattedError:
        # Half-typed code needs no message.
        return []
    # The code at and after the cursor is still being typed.
    return [edit for edit in _edits_within_lines(edits, line, line) if edit.range.end < position]


def _edits_within_lines(edits: list[types.TextEdit], first_line: int, last_line: int) -> list[types.TextEdit]:
    """The edits that change these lines; of one that begins on an earlier line, only its indentation.

    verible can format selected lines, but leaves those half formatted that are aligned with other lines.
    """
    line_edits = []
    for edit in edits:
        line = edit.range.end.line
        if not first_line <= line <= last_line:
            continue
        if edit.range.start.line < first_line:
            if "\n" not in edit.new_text:
                continue
            indentation = types.Range(types.Position(line, 0), edit.range.end)
            edit = types.TextEdit(indentation, edit.new_text.rsplit("\n", 1)[1])
        line_edits.append(edit)
    return line_edits


def _triggers_formatting(document: Document, params: types.DocumentOnTypeFormattingParams) -> bool:
    """Letters trigger it too, but only those that complete a word such as `end`."""
    if not params.ch.isalpha():
        return True
    lines = document.lines
    start, _ = lines.line_bounds(params.position.line + 1)
    return _CLOSING.fullmatch(document.text[start : lines.code_point_at(params.position)]) is not None


def _unread_sentence(document: Document, unread_lines: Sequence[tuple[int, int]]) -> str:
    spans = ", ".join(f"{first}" if first == last else f"{first}–{last}" for first, last in unread_lines)
    name = PurePosixPath(document.uri).name
    return f"{name} was formatted but for lines that verible can't read: {spans}."


async def _formatting_edits(
    server: EditorServer, uri: str, formatting_options: types.FormattingOptions, *, is_typing: bool = False
) -> list[types.TextEdit]:
    """The edits for the latest version.

    Raises:
        NotFormattedError: verible can't parse the document.
    """
    end = time.monotonic() + PATIENCE_S
    for _ in range(_TRIES):
        document = server.documents.get(uri)
        if document is None or not document.is_verilog or not document.text.strip():
            return []
        # All tries together: else a file that takes long and is edited would have no answer for a minute.
        left_s, most_unread_parts = max(0.0, end - time.monotonic()), 0 if is_typing else MOST_UNREAD_PARTS
        result = await format_document(document, formatting_options, left_s, most_unread_parts)
        if server.documents.get(uri) is document:
            if result.unread_lines:
                server.window_show_message(
                    types.ShowMessageParams(types.MessageType.Info, _unread_sentence(document, result.unread_lines))
                )
            return _spacing_edits_if_same_words(document.lines, result.text)
    return []


def _spacing_edits_if_same_words(lines: Lines, formatted_text: str) -> list[types.TextEdit]:
    if not has_same_words(lines.text, formatted_text):
        return []
    return [
        types.TextEdit(lines.range(spacing.start, spacing.end), spacing.text)
        for spacing in spacing_changes(lines.text, formatted_text)
    ]
