"""`textDocument/completion` and `completionItem/resolve`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from benchwright_server.features.editor.markup import supported_markup
from benchwright_verilog.language.completion.calls import CallKind
from benchwright_verilog.language.completion.cursor import Cursor, ExpectedCode, cursor_at
from benchwright_verilog.language.completion.library import Library
from benchwright_verilog.language.completion.proposal import CompletionRequest, Proposal, ProposalKind, Rank
from benchwright_verilog.syntax.documents import Document
from benchwright_verilog.syntax.json_form import JsonText
from benchwright_verilog.syntax.suffixes import DESIGN_SUFFIXES
from benchwright_verilog.syntax.text_shift import TextShift
from benchwright_verilog.syntax.uri import document_path

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer
    from benchwright_verilog.semantics.compilation.analysis import FileAnalysis
    from benchwright_verilog.semantics.project.plain_files import ReadableFiles

_MOST_ITEMS = 200
"""Nobody reads more; the rest is sent as soon as another letter is typed."""
_LONGEST_DETAIL = 200
_ITEM = "textDocument.completion.completionItem"
_KINDS = {
    ProposalKind.KEYWORD: types.CompletionItemKind.Keyword,
    ProposalKind.MODULE: types.CompletionItemKind.Module,
    ProposalKind.INTERFACE: types.CompletionItemKind.Interface,
    ProposalKind.PACKAGE: types.CompletionItemKind.Module,
    ProposalKind.INSTANCE: types.CompletionItemKind.Reference,
    ProposalKind.SIGNAL: types.CompletionItemKind.Variable,
    ProposalKind.PORT: types.CompletionItemKind.Field,
    ProposalKind.CONSTANT: types.CompletionItemKind.Constant,
    ProposalKind.TYPE: types.CompletionItemKind.Struct,
    ProposalKind.ENUM_VALUE: types.CompletionItemKind.EnumMember,
    ProposalKind.FUNCTION: types.CompletionItemKind.Function,
    ProposalKind.METHOD: types.CompletionItemKind.Method,
    ProposalKind.FIELD: types.CompletionItemKind.Field,
    ProposalKind.MACRO: types.CompletionItemKind.Constant,
    ProposalKind.SNIPPET: types.CompletionItemKind.Snippet,
    ProposalKind.FILE: types.CompletionItemKind.File,
    ProposalKind.FOLDER: types.CompletionItemKind.Folder,
    ProposalKind.CLASS: types.CompletionItemKind.Class,
    ProposalKind.BLOCK: types.CompletionItemKind.Reference,
}
# What must precede a trigger character for it to start completion; elsewhere it has another meaning.
_TRIGGERED = {
    ":": {ExpectedCode.SCOPED},
    "(": {ExpectedCode.CONNECTION},
    '"': {ExpectedCode.INCLUDE},
    "/": {ExpectedCode.INCLUDE},
    "$": {ExpectedCode.SYSTEM},
    "`": {ExpectedCode.MACRO},
    ".": {ExpectedCode.CONNECTED_NAME, ExpectedCode.MEMBER},
}


def register(server: EditorServer) -> None:
    """Serve both."""
    completion = CompletionLists(server)
    server.feature(types.TEXT_DOCUMENT_COMPLETION)(partial(completion.completion_list))
    server.feature(types.COMPLETION_ITEM_RESOLVE)(partial(completion.with_documentation))


class CompletionLists:
    """Answers with lists, and remembers the last one, whose documentation a client may ask for.

    Args:
        server: The server of the client.
    """

    def __init__(self, server: EditorServer) -> None:
        self._server = server
        self._library = Library()
        self._number = 0
        self._documentation: list[Callable[[], str]] = []

    async def completion_list(self, params: types.CompletionParams) -> JsonText | types.CompletionList | None:
        """The completions at a position."""
        document = self._server.documents.get(params.text_document.uri)
        if document is None:
            return None
        if not document.is_verilog:
            return self._server.pack_files.field_proposals(document, params.position)
        cursor = cursor_at(document.text, document.lines.code_point_at(params.position))
        trigger = params.context.trigger_character if params.context is not None else None
        begins_connection = trigger == "(" and cursor.call is not None and cursor.call.call_kind is CallKind.PORTS
        if cursor.expected_code is ExpectedCode.NOTHING or (
            trigger and not begins_connection and cursor.expected_code not in _TRIGGERED.get(trigger, set())
        ):
            return None
        if cursor.expected_code is ExpectedCode.INCLUDE:
            proposals = list(self._proposals_for_include_path(document, cursor))
        else:
            proposals = await self._proposals_at_cursor(document, cursor)
        return self._completion_list_json(document, cursor, proposals)

    async def _proposals_at_cursor(self, document: Document, cursor: Cursor) -> list[Proposal]:
        analysis = await self._server.projects.recent_analysis(document)
        proposals = self._proposals_from_analysis(analysis, document, cursor)
        if not proposals and analysis.data != document.lines.data:
            # The code at the position may have been typed since the last analysis.
            proposals = self._proposals_from_analysis(await self._server.projects.analysis(document), document, cursor)
        return proposals

    def _proposals_from_analysis(self, analysis: FileAnalysis, document: Document, cursor: Cursor) -> list[Proposal]:
        from benchwright_verilog.language.completion.proposals import (
            proposals,  # Imported late: slang is not needed to start.
        )

        project = self._server.projects.project_of(document)

        def text(path: Path) -> str | None:
            outline = project.outline(path)
            return outline.data.decode(errors="replace") if outline is not None else None

        byte = TextShift(analysis.data, document.lines.data).to_old(document.lines.to_byte(cursor.word_start))
        can_snippets = self._server.client.supports(f"{_ITEM}.snippetSupport")
        request = CompletionRequest(cursor, document.text, byte, analysis, project, self._library, text, can_snippets)
        made_proposals = list(proposals(request))
        # A word that is whole already, and nothing else: taking it would only cost the person a line end.
        written_texts = [proposal.snippet or proposal.plain_text or proposal.label for proposal in made_proposals]
        return [] if written_texts == [cursor.word] else made_proposals

    def _proposals_for_include_path(self, document: Document, cursor: Cursor) -> Iterator[Proposal]:
        """The folders and design files that an `include` could name next."""
        inner_folder = cursor.path[0] if cursor.path else ""
        folder_of_file = document_path(document.uri).parent
        settings = self._server.settings.project
        project = self._server.projects.project_of(document)
        root = project.folder or folder_of_file
        for folder in dict.fromkeys([folder_of_file, root, *(root / name for name in settings.include_dirs)]):
            yield from _includable_proposals_in(
                project.files, folder / inner_folder, cursor.word, document_path(document.uri)
            )

    def _completion_list_json(self, document: Document, cursor: Cursor, proposals: list[Proposal]) -> JsonText:
        ordered_proposals = sorted(proposals, key=partial(_sort_key, cursor.word))
        shown_proposals = ordered_proposals[:_MOST_ITEMS]
        self._number += 1
        self._documentation = [proposal.make_documentation for proposal in shown_proposals]
        lines = document.lines
        insert, replace = lines.range(cursor.word_start, cursor.offset), lines.range(cursor.word_start, cursor.word_end)
        has_both = self._server.client.supports(f"{_ITEM}.insertReplaceSupport")
        edit_ranges = (
            {"insert": _range_json(insert), "replace": _range_json(replace)}
            if has_both
            else {"range": _range_json(insert)}
        )
        completion_items = [
            self._completion_item_json(proposal, index, edit_ranges, cursor.word)
            for index, proposal in enumerate(shown_proposals)
        ]
        return JsonText(json.dumps({"isIncomplete": len(ordered_proposals) >= _MOST_ITEMS, "items": completion_items}))

    def _completion_item_json(
        self, proposal: Proposal, list_index: int, text_edit_ranges: dict[str, Any], typed_word: str
    ) -> dict[str, Any]:
        is_snippet = bool(proposal.snippet) and self._server.client.supports(f"{_ITEM}.snippetSupport")
        text = proposal.snippet if is_snippet else proposal.plain_text or proposal.label
        completion_item: dict[str, Any] = {
            "label": proposal.label,
            "kind": _KINDS[proposal.kind].value,
            "sortText": f"{list_index:04}",
            "textEdit": {"newText": text, **text_edit_ranges},
            "data": [self._number, list_index],
        }
        if proposal.detail:
            completion_item["detail"] = proposal.detail[:_LONGEST_DETAIL]
        if (compared := _filter_text_unless_label(proposal, typed_word)) is not None:
            completion_item["filterText"] = compared
        if is_snippet:
            completion_item["insertTextFormat"] = types.InsertTextFormat.Snippet.value
        if "\n" in text and (mode := self._insert_text_mode_if_supported(is_snippet=is_snippet)) is not None:
            completion_item["insertTextMode"] = mode.value
        return completion_item

    def _insert_text_mode_if_supported(self, *, is_snippet: bool) -> types.InsertTextMode | None:
        # Every client indents snippets; of other insertions, only the first line is in the right column.
        if not self._server.client.supports(f"{_ITEM}.insertTextModeSupport"):
            return None
        return types.InsertTextMode.AdjustIndentation if is_snippet else types.InsertTextMode.AsIs

    async def with_documentation(self, completion_item: types.CompletionItem) -> types.CompletionItem:
        """The documentation of an item of the last list."""
        data: Any = completion_item.data
        if not isinstance(data, list | tuple) or len(data) != 2 or data[0] != self._number:
            return completion_item
        if (
            isinstance(data[1], int)
            and 0 <= data[1] < len(self._documentation)
            and (documentation := self._documentation[data[1]]())
        ):
            completion_item.documentation = supported_markup(
                self._server, f"{_ITEM}.documentationFormat", documentation
            )
        return completion_item


def _sort_key(typed_word: str, proposal: Proposal) -> tuple[bool, int, int, bool, str]:
    # Items that start with the typed letters come before those that only contain them.
    starts_with_word = proposal.label.lstrip(".`$").lower().startswith(typed_word.lstrip(".`$").lower())
    label = proposal.label
    return not starts_with_word, proposal.rank, proposal.position, label.startswith("_"), label.lower()


def _range_json(lsp_range: types.Range) -> dict[str, Any]:
    start_position, end_position = lsp_range.start, lsp_range.end
    return {
        "start": {"line": start_position.line, "character": start_position.character},
        "end": {"line": end_position.line, "character": end_position.character},
    }


def _filter_text_unless_label(proposal: Proposal, typed_word: str) -> str | None:
    """The text that the client compares with the typed text, if the label would never match it."""
    if proposal.kind is ProposalKind.SNIPPET and " " in proposal.label:
        name = proposal.label.partition(" ")[0]
        return name if proposal.label.endswith("…") else typed_word or name
    if proposal.label.startswith(".") and typed_word:
        return proposal.label[1:]
    return None


def _includable_proposals_in(
    files: ReadableFiles, folder: Path, typed_prefix: str, including_file: Path
) -> Iterable[Proposal]:
    for path, is_folder in files.readable_entries(folder):
        if path.name.startswith(".") or not path.name.lower().startswith(typed_prefix.lower()):
            continue
        if is_folder:
            yield Proposal(f"{path.name}/", ProposalKind.FOLDER, Rank.NAMED)
        elif path.suffix in DESIGN_SUFFIXES and path != including_file:
            yield Proposal(path.name, ProposalKind.FILE, Rank.MEMBER if path.suffix in (".vh", ".svh") else Rank.FIT)
