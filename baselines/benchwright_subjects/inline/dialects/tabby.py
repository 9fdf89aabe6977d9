"""Tabby's agent (npm `tabby-agent`), which offers inline completions as items of `textDocument/completion`."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field, JsonValue

from benchwright_subjects.inline.dialects.lsp import StandardDialect, Trigger, items_in_answer, parse_item
from benchwright_subjects.inline.offer import Offer, ReceivedCommand, ReceivedMessage, ReceivedRange, checked_offer
from benchwright_subjects.inline.text.document import DocumentVersion


class _TextEdit(ReceivedMessage):
    text: str = Field(alias="newText")
    range: ReceivedRange


class _Item(ReceivedMessage):
    label: str
    edit: _TextEdit | None = Field(default=None, alias="textEdit")
    inserted: str | None = Field(default=None, alias="insertText")
    command: ReceivedCommand | None = None


class TabbyDialect(StandardDialect):
    """Completion items with an edit."""

    name = "tabby"
    method = "textDocument/completion"

    @property
    def capabilities(self) -> dict[str, JsonValue]:
        """The client's, for text documents."""
        return {"completion": {"dynamicRegistration": True}, "synchronization": {"didSave": False}}

    def request_params(self, document: DocumentVersion, trigger: Trigger, timeout_s: float) -> dict[str, JsonValue]:
        """`triggerKind` means something else here: 1 is *typed or asked for* (LSP 3.18, `CompletionTriggerKind`)."""
        return {
            "textDocument": document.identifier,
            "position": document.position,
            "context": {"triggerKind": 1},
        }

    def offers_in_result(self, result: JsonValue, document: DocumentVersion) -> Sequence[Offer]:
        """The edits of the items."""
        item_offers = []
        for answer_item in items_in_answer(result):
            inline_item = parse_item(_Item, answer_item)
            text, span = (
                (inline_item.edit.text, inline_item.edit.range)
                if inline_item.edit
                else (inline_item.inserted or inline_item.label, None)
            )
            item_offers.append(
                checked_offer(document, text, span, command=inline_item.command, server_item=answer_item)
            )
        return item_offers
