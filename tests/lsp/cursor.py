"""Tests that read like editing: put a cursor into a text, ask there, compare with the ranges marked in the text.

`‸` (U+2038, which no Verilog holds, unlike `|`) is the cursor, `«` and `»` enclose ranges that an answer should name:

    async with scratch(editor, {"a.sv": "wire «w»; assign x = w‸;"}) as file:
        assert await file.definition() == file.expected_spans

All markers are taken out before the file is written and opened. Several files make one workspace folder, which the
server is told of; the one with the cursor is the one asked, the first if none has a cursor. What is only on disk and
not open in the editor is given as `on_disk`.
"""

from __future__ import annotations

import asyncio
import itertools
import re
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types
from pygls.uris import to_fs_path

from benchwright_verilog.syntax.lines import Lines

from .session import PATIENCE_S, Editor, File

CURSOR = "‸"
_MARKER = re.compile("[‸«»]")
_numbers = itertools.count()

Files = Mapping[str, str]
T = TypeVar("T")


@dataclass(frozen=True, order=True)
class Span:
    """A place in a scratch file, by code points of the text without markers."""

    file: str
    start: int
    end: int


@dataclass(frozen=True)
class MarkedText:
    """A text without its markers."""

    text: str
    cursor: int | None
    ranges: tuple[tuple[int, int], ...]


def parse(text: str) -> MarkedText:
    """Take the markers out of a text. Ranges may be nested."""
    plain_text, cursor, range_starts, ranges = "", None, [], []
    last_end = 0
    for marker in _MARKER.finditer(text):
        plain_text += text[last_end : marker.start()]
        last_end = marker.end()
        match marker[0]:
            case "«":
                range_starts.append(len(plain_text))
            case "»":
                ranges.append((range_starts.pop(), len(plain_text)))
            case _:
                assert cursor is None, "more than one cursor"
                cursor = len(plain_text)
    assert not range_starts, "a range without an end"
    return MarkedText(plain_text + text[last_end:], cursor, tuple(sorted(ranges)))


def plain(text: str) -> str:
    """The text as it is written."""
    return text


def crlf(text: str) -> str:
    """The text with Windows line ends."""
    return text.replace("\n", "\r\n")


def multibyte(text: str) -> str:
    """The text with characters of two and four bytes, and a form feed, before everything marked."""
    return re.sub(
        r"(?m)^([ \t]*)(?=.*[‸«»])", "\\1/* é\f𝄞 */ ", text
    )  # A comment, so only where the line is no part of a string or a comment.


VARIANTS: tuple[Callable[[str], str], ...] = (plain, crlf, multibyte)
"""For `pytest.mark.parametrize("variant", VARIANTS)`: `scratch(editor, files, variant)`."""


class Scratch(File):
    """One open scratch file, with its cursor and all marked ranges of its folder."""

    def __init__(self, editor: Editor, folder: Path, name: str, parsed: Mapping[str, MarkedText]) -> None:
        super().__init__(editor, (folder / name).as_uri(), parsed[name].text)
        self.folder = folder
        self.name = name
        self.cursor_offset = parsed[name].cursor or 0
        self.open_files: dict[str, Scratch] = {name: self}
        """All open files of the folder by name, this one included."""
        self._parsed = parsed
        self.expected_spans = sorted(Span(file, *ends) for file, text in parsed.items() for ends in text.ranges)
        """The marked ranges of all files."""

    # Places

    @property
    def identifier(self) -> types.TextDocumentIdentifier:
        """The file."""
        return types.TextDocumentIdentifier(self.uri)

    @property
    def position(self) -> types.Position:
        """The cursor."""
        return Lines(self.text).position(self.cursor_offset)

    def go_to(self, text: str, *, occurrence: int = 0, is_after: bool = False) -> Scratch:
        """Put the cursor before (or after) a text."""
        offset = -1
        for _ in range(occurrence + 1):
            offset = self.text.index(text, offset + 1)
        self.cursor_offset = offset + (len(text) if is_after else 0)
        return self

    def enter(self, text: str) -> None:
        """Type at the cursor."""
        self.replace(self.cursor_offset, self.cursor_offset, text)
        self.cursor_offset += len(text)

    def text_of(self, name: str) -> str:
        """The present text of a file of the folder."""
        return self.open_files[name].text if name in self.open_files else self._parsed[name].text

    def span(self, uri: str, marked_range: types.Range) -> Span:
        """A range of an answer."""
        path = to_fs_path(uri)
        assert path is not None
        name = Path(path).relative_to(self.folder).as_posix()
        lines = Lines(self.text_of(name))
        assert lines.position(lines.code_point_at(marked_range.start)) == marked_range.start, (
            f"{marked_range.start} is not in the text"
        )
        return Span(name, lines.code_point_at(marked_range.start), lines.code_point_at(marked_range.end))

    def spans(self, lsp_answer: object) -> list[Span]:
        """The places of an answer of locations, links, ranges or things with a range in this file; sorted."""
        located_items: Sequence[Any] = (
            () if lsp_answer is None else lsp_answer if isinstance(lsp_answer, list | tuple) else (lsp_answer,)
        )
        spans = []
        for item in located_items:
            if isinstance(item, types.LocationLink):
                spans.append(self.span(item.target_uri, item.target_selection_range))
            elif isinstance(item, types.Location):
                spans.append(self.span(item.uri, item.range))
            else:
                spans.append(self.span(self.uri, item if isinstance(item, types.Range) else item.range))
        return sorted(spans)

    def words(self, lsp_answer: object) -> list[str]:
        """The texts at the places of an answer."""
        return [self.text_of(span.file)[span.start : span.end] for span in self.spans(lsp_answer)]

    # Requests

    async def hover(self) -> str | None:
        """The text of the hover, none where there is none."""
        hover = await self.hover_answer()
        if hover is None:
            return None
        assert isinstance(hover.contents, types.MarkupContent)
        return hover.contents.value

    async def hover_answer(self) -> types.Hover | None:
        """The whole hover."""
        params = types.HoverParams(self.identifier, self.position)
        return await _soon(self.editor.client.text_document_hover_async(params))

    async def completion(self, trigger: str | None = None) -> list[types.CompletionItem]:
        """Completions in the order that a client shows them."""
        completion_context = types.CompletionContext(
            types.CompletionTriggerKind.TriggerCharacter if trigger else types.CompletionTriggerKind.Invoked, trigger
        )
        params = types.CompletionParams(self.identifier, self.position, completion_context)
        completion_answer = await _soon(self.editor.client.text_document_completion_async(params))
        completion_items = (
            completion_answer.items if isinstance(completion_answer, types.CompletionList) else completion_answer or ()
        )
        return sorted(completion_items, key=lambda completion_item: completion_item.sort_text or completion_item.label)

    async def resolve(self, completion_item: types.CompletionItem) -> types.CompletionItem:
        """One completion with everything that is shown beside it."""
        return await _soon(self.editor.client.completion_item_resolve_async(completion_item))

    async def signature_help(self) -> types.SignatureHelp | None:
        """Signature help at the cursor."""
        params = types.SignatureHelpParams(self.identifier, self.position)
        return await _soon(self.editor.client.text_document_signature_help_async(params))

    async def inlay_hints(self, hint_range: types.Range | None = None) -> list[types.InlayHint]:
        """Inlay hints of a range, of the whole file by default."""
        params = types.InlayHintParams(self.identifier, hint_range or Lines(self.text).range(0, len(self.text)))
        return await _wait_for_all(self.editor.client.text_document_inlay_hint_async(params))

    async def definition(self) -> list[Span]:
        """Places at which the thing at the cursor is defined."""
        params = types.DefinitionParams(self.identifier, self.position)
        return self.spans(await _soon(self.editor.client.text_document_definition_async(params)))

    async def declaration(self) -> list[Span]:
        """Places at which it is declared."""
        params = types.DeclarationParams(self.identifier, self.position)
        return self.spans(await _soon(self.editor.client.text_document_declaration_async(params)))

    async def type_definition(self) -> list[Span]:
        """Places of its type."""
        params = types.TypeDefinitionParams(self.identifier, self.position)
        return self.spans(await _soon(self.editor.client.text_document_type_definition_async(params)))

    async def implementation(self) -> list[Span]:
        """Places at which it is implemented."""
        params = types.ImplementationParams(self.identifier, self.position)
        return self.spans(await _soon(self.editor.client.text_document_implementation_async(params)))

    async def references(self, *, declaration: bool = True) -> list[Span]:
        """All its uses."""
        params = types.ReferenceParams(types.ReferenceContext(declaration), self.identifier, self.position)
        return self.spans(await _soon(self.editor.client.text_document_references_async(params)))

    async def highlights(self) -> list[types.DocumentHighlight]:
        """All its uses in this file, with their kinds; `spans` gives the places."""
        params = types.DocumentHighlightParams(self.identifier, self.position)
        return await _wait_for_all(self.editor.client.text_document_document_highlight_async(params))

    async def prepare_rename(self) -> Any:
        """Range that a rename would rename."""
        params = types.PrepareRenameParams(self.identifier, self.position)
        return await _soon(self.editor.client.text_document_prepare_rename_async(params))

    async def rename(self, name: str) -> types.WorkspaceEdit | None:
        """The edits of a rename; `edited` applies them."""
        params = types.RenameParams(self.identifier, self.position, name)
        return await _soon(self.editor.client.text_document_rename_async(params))

    async def document_symbols(self) -> list[types.DocumentSymbol]:
        """The outline."""
        params = types.DocumentSymbolParams(self.identifier)
        symbol_answer = await _soon(self.editor.client.text_document_document_symbol_async(params))
        return [symbol for symbol in symbol_answer or () if isinstance(symbol, types.DocumentSymbol)]

    async def workspace_symbols(self, query: str) -> list[Any]:
        """Symbols of all files; `spans` gives the places of their `location`s."""
        return await _wait_for_all(self.editor.client.workspace_symbol_async(types.WorkspaceSymbolParams(query)))

    async def folding_ranges(self) -> list[types.FoldingRange]:
        """Ranges that can be folded."""
        params = types.FoldingRangeParams(self.identifier)
        return await _wait_for_all(self.editor.client.text_document_folding_range_async(params))

    async def linked_spans(self) -> list[Span]:
        """The places that change together with the one at the cursor."""
        params = types.LinkedEditingRangeParams(self.identifier, self.position)
        linked_ranges = await _soon(self.editor.client.text_document_linked_editing_range_async(params))
        return [self.span(self.uri, linked_range) for linked_range in linked_ranges.ranges] if linked_ranges else []

    async def selections(self) -> list[Span]:
        """The selection ranges at the cursor, the innermost first."""
        params = types.SelectionRangeParams(self.identifier, [self.position])
        selection_answer = await _soon(self.editor.client.text_document_selection_range_async(params))
        spans: list[Span] = []
        selection = selection_answer[0] if selection_answer else None
        while selection is not None:
            spans.append(self.span(self.uri, selection.range))
            selection = selection.parent
        return spans

    async def links(self) -> list[types.DocumentLink]:
        """The links."""
        params = types.DocumentLinkParams(self.identifier)
        return await _wait_for_all(self.editor.client.text_document_document_link_async(params))

    async def call_hierarchy(self) -> list[types.CallHierarchyItem]:
        """The thing at the cursor, to ask `callers` and `callees` of."""
        params = types.CallHierarchyPrepareParams(self.identifier, self.position)
        return await _wait_for_all(self.editor.client.text_document_prepare_call_hierarchy_async(params))

    async def callers(self, call_item: types.CallHierarchyItem) -> list[types.CallHierarchyIncomingCall]:
        """Calls of it, by caller."""
        params = types.CallHierarchyIncomingCallsParams(call_item)
        return await _wait_for_all(self.editor.client.call_hierarchy_incoming_calls_async(params))

    async def callees(self, call_item: types.CallHierarchyItem) -> list[types.CallHierarchyOutgoingCall]:
        """Calls that it makes."""
        params = types.CallHierarchyOutgoingCallsParams(call_item)
        return await _wait_for_all(self.editor.client.call_hierarchy_outgoing_calls_async(params))

    async def semantic_tokens(self) -> types.SemanticTokens | None:
        """The tokens of the whole file, as they are sent."""
        params = types.SemanticTokensParams(self.identifier)
        return await _soon(self.editor.client.text_document_semantic_tokens_full_async(params))

    async def code_actions(
        self, diagnostics: Sequence[types.Diagnostic] = (), only: Sequence[types.CodeActionKind | str] | None = None
    ) -> list[types.CodeAction]:
        """The code actions at the cursor, or at the first marked range of this file."""
        own_spans = [span for span in self.expected_spans if span.file == self.name]
        start, end = (own_spans[0].start, own_spans[0].end) if own_spans else (self.cursor_offset, self.cursor_offset)
        action_context = types.CodeActionContext(list(diagnostics), list(only) if only else None)
        params = types.CodeActionParams(self.identifier, Lines(self.text).range(start, end), action_context)
        action_answer = await _soon(self.editor.client.text_document_code_action_async(params))
        return [action for action in action_answer or () if isinstance(action, types.CodeAction)]

    async def formatting_edits(self) -> list[types.TextEdit]:
        """The edits that format the file; `edited` applies them."""
        params = types.DocumentFormattingParams(self.identifier, types.FormattingOptions(2, True))
        return await _wait_for_all(self.editor.client.text_document_formatting_async(params))

    # Edits

    def edited_text(self, text_edits: Iterable[Any], name: str | None = None) -> str:
        """The text of this file (or another of the folder) after text edits of one answer."""
        text = self.text_of(name or self.name)
        lines = Lines(text)
        placed = [
            (lines.code_point_at(edit.range.start), lines.code_point_at(edit.range.end), edit.new_text)
            for edit in text_edits
        ]
        # Edits of one answer all speak of the text before; those at one place stay in their order.
        for start, end, new in sorted(placed, key=lambda placed_edit: placed_edit[:2], reverse=True):
            text = text[:start] + new + text[end:]
        return text

    def edited_files(self, workspace_edit: types.WorkspaceEdit | None) -> dict[str, str]:
        """The texts, by name, of all files that a workspace edit changes."""
        assert workspace_edit is not None
        edits_by_uri: dict[str, list[Any]] = {}
        for uri, edits in (workspace_edit.changes or {}).items():
            edits_by_uri.setdefault(uri, []).extend(edits)
        for document_change in workspace_edit.document_changes or ():
            if isinstance(document_change, types.TextDocumentEdit):
                edits_by_uri.setdefault(document_change.text_document.uri, []).extend(document_change.edits)
        texts = {}
        for uri, edits in edits_by_uri.items():
            path = to_fs_path(uri)
            assert path is not None
            name = Path(path).relative_to(self.folder).as_posix()
            texts[name] = self.edited_text(edits, name)
        return texts


async def _soon(awaited_answer: Awaitable[T]) -> T:
    return await asyncio.wait_for(awaited_answer, PATIENCE_S)


async def _wait_for_all(awaited_answer: Awaitable[Sequence[T] | None]) -> list[T]:
    lsp_answers = await asyncio.wait_for(awaited_answer, PATIENCE_S)
    return list(lsp_answers or ())


@asynccontextmanager
async def scratch(
    editor: Editor,
    marked_texts: Files | str,
    variant: Callable[[str], str] = plain,
    *,
    on_disk: Files | None = None,
) -> AsyncIterator[Scratch]:
    """Write files into a workspace folder of their own and open them; the folder goes away at the end.

    Args:
        editor: Editor whose server is used, usually shared by a test module.
        marked_texts: Texts with markers by name; a lone text is `a.sv`.
        variant: One of `VARIANTS`.
        on_disk: Files that the editor does not open.
    """
    open_texts = {"a.sv": marked_texts} if isinstance(marked_texts, str) else dict(marked_texts)
    parsed = {name: parse(variant(text)) for name, text in (open_texts | dict(on_disk or {})).items()}
    folder = editor.home.parent / f"scratch-{next(_numbers)}"
    for name, marked_text in parsed.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(marked_text.text.encode("utf-8", "surrogatepass"))
    workspace_folder = types.WorkspaceFolder(folder.as_uri(), folder.name)
    _change_folders(editor, types.WorkspaceFoldersChangeEvent([workspace_folder], []))
    opened_files = {name: Scratch(editor, folder, name, parsed) for name in open_texts}
    for file in opened_files.values():
        file.open_files = opened_files
    try:
        yield next(
            (file for name, file in opened_files.items() if parsed[name].cursor is not None),
            opened_files[next(iter(open_texts))],
        )
    finally:
        # Where the server is gone, why it went is the news.
        if not editor.client.stopped:
            for file in opened_files.values():
                file.close()
            _change_folders(editor, types.WorkspaceFoldersChangeEvent([], [workspace_folder]))
        shutil.rmtree(folder, ignore_errors=True)


def _change_folders(editor: Editor, event: types.WorkspaceFoldersChangeEvent) -> None:
    editor.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event))


class Golden:
    """Long answers, compared with files of `tests/lsp/golden/`; `--update` writes those.

    Args:
        folder: Folder of a test module's files.
        update: True to write the files.
    """

    def __init__(self, folder: Path, *, update: bool) -> None:
        self._folder = folder
        self._update = update

    def check(self, name: str, text: str | None) -> None:
        """Compare a text with the golden file `name`."""
        assert text is not None
        file = self._folder / name
        golden_text = text if text.endswith("\n") else text + "\n"
        if self._update:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(golden_text, encoding="utf-8")
        assert file.exists(), f"{file} is not there; run the test with --update and look at what it writes"
        assert golden_text == file.read_text(encoding="utf-8"), f"differs from {file}; --update takes it over"
