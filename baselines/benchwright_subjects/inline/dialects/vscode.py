"""VS Code with an extension, behind a driver that speaks LSP's messages (`vscode/driver/main.mjs`)."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field, JsonValue

from benchwright_subjects.inline.connection import Answer, Connection, RequestTimeoutError
from benchwright_subjects.inline.dialects.lsp import Dialect, Latency, Taken, Trigger, item_read
from benchwright_subjects.inline.document import Document
from benchwright_subjects.inline.failure import Failure, SubjectError
from benchwright_subjects.inline.offer import MAX_CHARACTERS, NextEdits, Offer, Received
from benchwright_subjects.inline.policies import Accepted


class _Timing(Received):
    answered: float | None
    drawn: float | None = None


class _Answered(Received):
    timing: _Timing
    is_changed: bool = Field(default=False, alias="isChanged")
    """Whether the document is no longer as the driver has left it."""


class _State(Received):
    text: str
    cursor: int


class VSCodeDialect(Dialect):
    """Offers are ghost text. They are taken by the editor's own commands, and counted by how the text differs."""

    name = "vscode"
    draws = True
    start_s = 180.0
    own_s = 60.0

    def question(self, document: Document, trigger: Trigger, timeout_s: float) -> dict[str, JsonValue]:
        """With the text, because only the request says where the cursor is."""
        return {
            **super().question(document, trigger, timeout_s),
            "text": document.text,
            "cursor": _utf16(document.before),
            "timeoutMs": timeout_s * 1000,
        }

    def latency(self, answer: Answer) -> Latency:
        """From the editor's command, which the driver times inside: its own work is left out.

        Raises:
            SubjectError: `BAD_OFFER`.
        """
        timing = item_read(_Answered, answer.result).timing
        return Latency(timing.answered, timing.drawn)

    def offers(self, result: JsonValue, document: Document) -> Sequence[Offer]:
        """The ghost text.

        Raises:
            SubjectError: `BAD_OFFER` or `CHANGED_FILES`.
        """
        if item_read(_Answered, result).is_changed:
            raise SubjectError(Failure.CHANGED_FILES, "The extension changed the document by itself.")
        return super().offers(result, document)

    async def take(self, connection: Connection, document: Document, one: Offer, part: Accepted) -> Taken:
        """By command. VS Code takes lines and words of its own, so what is new may be longer than the part.

        Raises:
            SubjectError: The editor failed.
        """
        wanted: JsonValue = {"text": None if part.is_whole else part.text}
        try:
            result = (await connection.request("benchwright/take", wanted, self.own_s)).result
        except RequestTimeoutError:
            raise SubjectError(Failure.NO_ANSWER, "The editor did not take its own offer.") from None
        state = item_read(_State, result)
        if len(state.text) > len(document.text) + MAX_CHARACTERS:
            raise SubjectError(Failure.BAD_OFFER, "The editor's text grew by more than an offer may have.")
        units = state.text.encode("utf-16-le", "surrogatepass")
        cursor = len(units[: 2 * max(0, state.cursor)].decode("utf-16-le", "replace"))
        text = units.decode("utf-16-le", "replace")
        start = _same(document.text, text, min(document.cursor, cursor))
        end = _same(document.text[start:][::-1], text[start:][::-1], None)
        deleted, inserted = document.text[start : len(document.text) - end], text[start : len(text) - end]
        if start < document.before.rfind("\n") + 1 or "\n" in deleted:
            raise SubjectError(Failure.OUT_OF_RANGE, "What was accepted changed text that is not at the cursor.")
        changed = Document(document.uri, text, cursor, document.version + 1)
        return Taken(changed, inserted, deleted)

    async def next_edits(self, connection: Connection, document: Document, timeout_s: float) -> NextEdits | None:
        """Whether the editor shows an edit elsewhere. Its text is not known before it is taken, so none is taken."""
        asked: JsonValue = {"text": document.text, "cursor": _utf16(document.before), "timeoutMs": timeout_s * 1000}
        try:
            result = (await connection.request("benchwright/nextEdit", asked, timeout_s + self.own_s)).result
        except RequestTimeoutError:
            return NextEdits(0)
        return NextEdits(1 if result is True else 0)


def _same(one: str, other: str, most: int | None) -> int:
    """How many characters both begin with, at most this many."""
    limit = min(len(one), len(other), len(one) if most is None else most)
    return next((place for place in range(limit) if one[place] != other[place]), limit)


def _utf16(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
