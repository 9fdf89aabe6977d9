"""Offers of a server for what to write, checked and brought into one form."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from lsprotocol.types import Position
from pydantic import BaseModel, ConfigDict, Field, JsonValue

from benchwright_subjects.inline.failure import ServerFailure, SubjectError
from benchwright_subjects.inline.text.document import DocumentVersion

MAX_OFFERS = 100
MAX_CHARACTERS = 100_000
_ESCAPED = re.compile(r"\\([$}\\,|])")
_INNERMOST = re.compile(r"\$\{\w+:(?P<default>[^${}]*)\}|\$\{\w+\|(?P<choice>[^,|]*)[^|]*\|\}|\$\{\w+\}|\$\w+")
_SET_ASIDE = 0xF0000
"""Escaped characters wait here, in a private use area, until the placeholders are replaced."""


class ReceivedMessage(BaseModel):
    """Base of what is read of a server's message; what else it says is left alone."""

    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)


class ReceivedPosition(ReceivedMessage):
    """LSP's `Position`."""

    line: int = Field(ge=0, lt=1 << 31)
    character: int = Field(ge=0, lt=1 << 31)

    @property
    def lsp(self) -> Position:
        """The same as a type of LSP's."""
        return Position(self.line, self.character)


class ReceivedRange(ReceivedMessage):
    """LSP's `Range`."""

    start: ReceivedPosition
    end: ReceivedPosition


class ReceivedCommand(ReceivedMessage):
    """LSP's `Command`."""

    command: str
    arguments: list[JsonValue] | None = None


@dataclass(frozen=True)
class Offer:
    """Text that the server would put in place of a part of the document. Offsets are in code points."""

    start: int
    end: int
    text: str
    cursor: int
    """Position of the cursor."""
    text_before: str = ""
    """Text from `start` to the cursor."""
    text_after: str = ""
    """Text from the cursor to `end`."""
    command: ReceivedCommand | None = field(default=None, compare=False)
    server_item: JsonValue = field(default=None, compare=False)
    """As the server sent it: notifications name it so."""

    @property
    def insertion(self) -> str | None:
        """Text that appears at the cursor, as an editor draws it; None if the offer changes what was typed before."""
        if not self.text.startswith(self.text_before):
            return None
        inserted = self.text[len(self.text_before) :]
        return inserted.removesuffix(self.text_after) if self.text_after else inserted

    @property
    def replaced_lengths(self) -> tuple[int, int]:
        """Code points left and right of the cursor that `insertion`, or else the text, stands for."""
        if self.insertion is None:
            return len(self.text_before), len(self.text_after)
        return 0, 0 if self.keeps_text_after else len(self.text_after)

    @property
    def keeps_text_after(self) -> bool:
        """True if the text behind the cursor stays."""
        return self.text.endswith(self.text_after)


def checked_offer(
    document: DocumentVersion,
    offered_text: str,
    replaced_range: ReceivedRange | None,
    *,
    command: ReceivedCommand | None = None,
    server_item: JsonValue = None,
) -> Offer:
    """An offer for a document.

    Args:
        document: The version that the server was asked about.
        offered_text: The new text.
        replaced_range: Range that it replaces; nothing at the cursor if None.
        command: Command to be executed after it was accepted.
        server_item: As the server sent it.

    Raises:
        SubjectError: `OUT_OF_RANGE` or `BAD_OFFER`.
    """
    if len(offered_text) > MAX_CHARACTERS:
        raise SubjectError(
            ServerFailure.BAD_OFFER, f"The server offered {len(offered_text)} characters; {MAX_CHARACTERS} is most."
        )
    # Half of a surrogate pair can't be in a file.
    clean = offered_text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    start, end = (
        (document.cursor, document.cursor) if replaced_range is None else _offsets_at_cursor(document, replaced_range)
    )
    text_before, text_after = document.text[start : document.cursor], document.text[document.cursor : end]
    return Offer(start, end, clean, document.cursor, text_before, text_after, command, server_item)


def _offsets_at_cursor(document: DocumentVersion, replaced_range: ReceivedRange) -> tuple[int, int]:
    """Of a range, which is on the cursor's line and around the cursor (LSP 3.18, `InlineCompletionItem.range`)."""
    lines = document.lines
    line = lines.line_index(document.cursor)
    start, end = lines.code_point_at(replaced_range.start.lsp), lines.code_point_at(replaced_range.end.lsp)
    is_there = lines.position(start) == replaced_range.start.lsp and lines.position(end) == replaced_range.end.lsp
    is_here = replaced_range.start.line == replaced_range.end.line == line and start <= document.cursor <= end
    if not (is_there and is_here):
        raise SubjectError(ServerFailure.OUT_OF_RANGE, "The server offered to replace text that is not at the cursor.")
    return start, end


@dataclass(frozen=True)
class NextEdit:
    """A change that is proposed anywhere in the document after another was made. Offsets are in code points."""

    start: int
    end: int
    text: str
    command: ReceivedCommand | None = field(default=None, compare=False)
    """To be executed after it was accepted."""


@dataclass(frozen=True)
class NextEdits:
    """Edits that are proposed next."""

    count: int
    first_edit: NextEdit | None = None
    """The one that an editor shows; None if it is not known, or in another document."""


def checked_next_edit(
    document: DocumentVersion, replacement: str, replaced_range: ReceivedRange, command: ReceivedCommand | None
) -> NextEdit:
    """An edit for a document.

    Raises:
        SubjectError: `OUT_OF_RANGE` or `BAD_OFFER`.
    """
    if len(replacement) > MAX_CHARACTERS:
        raise SubjectError(
            ServerFailure.BAD_OFFER, f"The server offered {len(replacement)} characters; {MAX_CHARACTERS} is most."
        )
    start, end = (
        document.lines.code_point_at(end_position.lsp) for end_position in (replaced_range.start, replaced_range.end)
    )
    is_there = all(
        document.lines.position(offset) == end_position.lsp
        for offset, end_position in ((start, replaced_range.start), (end, replaced_range.end))
    )
    if not (is_there and start <= end):
        raise SubjectError(
            ServerFailure.OUT_OF_RANGE, "The server offered to replace text that is not in the document."
        )
    return NextEdit(
        start, end, replacement.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace"), command
    )


def plain_text_of_snippet(snippet: str) -> str:
    """The text that a snippet inserts (LSP 3.18, *Snippet Syntax*): placeholders with their defaults, no tab stops."""
    text = _ESCAPED.sub(lambda match: chr(_SET_ASIDE + ord(match[1])), snippet)
    previous_text = ""
    while text != previous_text:
        previous_text, text = text, _INNERMOST.sub(lambda match: match["default"] or match["choice"] or "", text)
    return re.sub(f"[{chr(_SET_ASIDE)}-{chr(_SET_ASIDE + 0x7F)}]", lambda match: chr(ord(match[0]) - _SET_ASIDE), text)
