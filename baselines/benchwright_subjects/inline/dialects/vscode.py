"""VS Code with an extension, behind a driver that speaks LSP's messages (`vscode/driver/main.mjs`)."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field, JsonValue

from benchwright_subjects.inline.dialects.lsp import AcceptOutcome, Latency, StandardDialect, Trigger, parse_item
from benchwright_subjects.inline.failure import ServerFailure, SubjectError
from benchwright_subjects.inline.offer import MAX_CHARACTERS, NextEdit, NextEdits, Offer, ReceivedMessage
from benchwright_subjects.inline.policies import AcceptedPart
from benchwright_subjects.inline.server.connection import RequestTimeoutError, ServerConnection, ServerResponse
from benchwright_subjects.inline.text.document import DocumentVersion

_MOST_JUMPS = 3
"""As often as the driver asks for one next edit."""
_CHANGED = "The extension changed the document by itself."


class _Timing(ReceivedMessage):
    answered: float | None
    drawn: float | None = None


class _SyncReply(ReceivedMessage):
    timing: _Timing
    is_changed: bool = Field(default=False, alias="isChanged")
    """True if the document is no longer as the driver has left it."""


class _State(ReceivedMessage):
    text: str
    cursor: int


class _EditReply(ReceivedMessage):
    text: str | None
    """Of the document, once the edit was made; None if nothing in it changed."""
    is_changed: bool = Field(default=False, alias="isChanged")


class VSCodeDialect(StandardDialect):
    """Offers are ghost text. They are taken by the editor's own commands, and counted by how the text differs."""

    name = "vscode"
    draws = True
    start_limit_s = 180.0
    request_overhead_s = 60.0

    def request_params(self, document: DocumentVersion, trigger: Trigger, timeout_s: float) -> dict[str, JsonValue]:
        """With the text, because only the request says where the cursor is."""
        return {
            **super().request_params(document, trigger, timeout_s),
            "text": document.text,
            "cursor": _utf16_length(document.text_before),
            "timeoutMs": timeout_s * 1000,
        }

    def latency(self, timed_answer: ServerResponse) -> Latency:
        """From the editor's command, which the driver times inside: its own work is left out.

        Raises:
            SubjectError: `BAD_OFFER`.
        """
        timing = parse_item(_SyncReply, timed_answer.result).timing
        return Latency(timing.answered, timing.drawn)

    def offers_in_result(self, result: JsonValue, document: DocumentVersion) -> Sequence[Offer]:
        """The ghost text.

        Raises:
            SubjectError: `BAD_OFFER` or `CHANGED_FILES`.
        """
        if parse_item(_SyncReply, result).is_changed:
            raise SubjectError(ServerFailure.CHANGED_FILES, _CHANGED)
        return super().offers_in_result(result, document)

    async def accept_offer(
        self, connection: ServerConnection, document: DocumentVersion, offer: Offer, accepted_part: AcceptedPart
    ) -> AcceptOutcome:
        """By command. VS Code takes lines and words of its own, so what is new may be longer than the part.

        Raises:
            SubjectError: The editor failed.
        """
        request: JsonValue = {"text": None if accepted_part.is_whole else accepted_part.text}
        try:
            result = (await connection.request("benchwright/take", request, self.request_overhead_s)).result
        except RequestTimeoutError:
            raise SubjectError(
                ServerFailure.NO_ANSWER,
                "The editor did not take its own offer.",
                limit=f"{self.request_overhead_s:g} s for taking an offer",
            ) from None
        editor_state = parse_item(_State, result)
        text = _text_as_in_file(editor_state.text, document)
        cursor = len(_utf16_bytes(editor_state.text)[: 2 * max(0, editor_state.cursor)].decode("utf-16-le", "replace"))
        start, end, inserted = _replaced_span_and_text(document.text, text, min(document.cursor, cursor))
        deleted = document.text[start:end]
        if start < document.text_before.rfind("\n") + 1 or "\n" in deleted:
            raise SubjectError(ServerFailure.OUT_OF_RANGE, "What was accepted changed text that is not at the cursor.")
        changed_document = DocumentVersion(document.uri, text, cursor, document.version + 1)
        return AcceptOutcome(changed_document, inserted, deleted)

    async def request_next_edits(
        self, connection: ServerConnection, document: DocumentVersion, timeout_s: float
    ) -> NextEdits | None:
        """The edit that the editor shows. It is known by making it; the next request undoes one that is not taken.

        Raises:
            SubjectError: `BAD_OFFER` or `CHANGED_FILES`.
        """
        request: JsonValue = {
            "text": document.text,
            "cursor": _utf16_length(document.text_before),
            "timeoutMs": timeout_s * 1000,
        }
        patience_s = _MOST_JUMPS * timeout_s + self.request_overhead_s
        try:
            result = (await connection.request("benchwright/nextEdit", request, patience_s)).result
        except RequestTimeoutError:
            return NextEdits(0)
        if result is None:
            return NextEdits(0)
        edited = parse_item(_EditReply, result)
        if edited.is_changed:
            raise SubjectError(ServerFailure.CHANGED_FILES, _CHANGED)
        if edited.text is None:
            return NextEdits(1)
        return NextEdits(
            1, NextEdit(*_replaced_span_and_text(document.text, _text_as_in_file(edited.text, document), None))
        )


def _text_as_in_file(editor_text: str, document: DocumentVersion) -> str:
    """The editor's text as a file can hold it.

    Raises:
        SubjectError: `BAD_OFFER`.
    """
    if len(editor_text) > len(document.text) + MAX_CHARACTERS:
        raise SubjectError(ServerFailure.BAD_OFFER, "The editor's text grew by more than an offer may have.")
    return _utf16_bytes(editor_text).decode("utf-16-le", "replace")


def _replaced_span_and_text(old_text: str, new_text: str, longest_shared_start: int | None) -> tuple[int, int, str]:
    """Difference between two texts: start and end of what is replaced, and what is there instead.

    Args:
        old_text: The text as it was.
        new_text: The text as it is.
        longest_shared_start: Longest beginning that both may share, in characters; None for any.
    """
    start = _shared_length(old_text, new_text, longest_shared_start)
    end = _shared_length(old_text[start:][::-1], new_text[start:][::-1], None)
    return start, len(old_text) - end, new_text[start : len(new_text) - end]


def _shared_length(first_text: str, second_text: str, longest: int | None) -> int:
    """Number of characters that both begin with, at most this many."""
    limit = min(len(first_text), len(second_text), len(first_text) if longest is None else longest)
    return next((index for index in range(limit) if first_text[index] != second_text[index]), limit)


def _utf16_bytes(text: str) -> bytes:
    return text.encode("utf-16-le", "surrogatepass")


def _utf16_length(text: str) -> int:
    return len(_utf16_bytes(text)) // 2
