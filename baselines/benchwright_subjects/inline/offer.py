"""What a server offers to write, checked and brought into one form."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from lsprotocol.types import Position
from pydantic import BaseModel, ConfigDict, Field, JsonValue

from benchwright_subjects.inline.failure import Failure, SubjectError
from benchwright_subjects.inline.text.document import Document

MAX_OFFERS = 100
MAX_CHARACTERS = 100_000
_ESCAPED = re.compile(r"\\([$}\\,|])")
_INNERMOST = re.compile(r"\$\{\w+:(?P<default>[^${}]*)\}|\$\{\w+\|(?P<choice>[^,|]*)[^|]*\|\}|\$\{\w+\}|\$\w+")
_SET_ASIDE = 0xF0000
"""Escaped characters wait here, in a private use area, until the placeholders are replaced."""


class Received(BaseModel):
    """Base of what is read of a server's message; what else it says is left alone."""

    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)


class ReceivedPosition(Received):
    """LSP's `Position`."""

    line: int = Field(ge=0, lt=1 << 31)
    character: int = Field(ge=0, lt=1 << 31)

    @property
    def lsp(self) -> Position:
        """The same as a type of LSP's."""
        return Position(self.line, self.character)


class ReceivedRange(Received):
    """LSP's `Range`."""

    start: ReceivedPosition
    end: ReceivedPosition


class ReceivedCommand(Received):
    """LSP's `Command`."""

    command: str
    arguments: list[JsonValue] | None = None


@dataclass(frozen=True)
class Offer:
    """What the server would put in place of a part of the document. Offsets are in code points."""

    start: int
    end: int
    text: str
    cursor: int
    """Where the cursor was."""
    before: str = ""
    """What is from `start` to the cursor."""
    after: str = ""
    """What is from the cursor to `end`."""
    command: ReceivedCommand | None = field(default=None, compare=False)
    item: JsonValue = field(default=None, compare=False)
    """As the server sent it: notifications name it so."""

    @property
    def insertion(self) -> str | None:
        """What appears at the cursor, as an editor draws it; None if the offer changes what was typed before."""
        if not self.text.startswith(self.before):
            return None
        inserted = self.text[len(self.before) :]
        return inserted.removesuffix(self.after) if self.after else inserted

    @property
    def taken_away(self) -> tuple[int, int]:
        """Code points left and right of the cursor that `insertion`, or else the text, stands for."""
        if self.insertion is None:
            return len(self.before), len(self.after)
        return 0, 0 if self.keeps_what_follows else len(self.after)

    @property
    def keeps_what_follows(self) -> bool:
        """Whether the text behind the cursor stays."""
        return self.text.endswith(self.after)


def offer(
    document: Document,
    text: str,
    place: ReceivedRange | None,
    *,
    command: ReceivedCommand | None = None,
    item: JsonValue = None,
) -> Offer:
    """An offer for a document.

    Args:
        document: The version that the server was asked about.
        text: The new text.
        place: What it replaces; nothing at the cursor if None.
        command: To be executed after it was accepted.
        item: As the server sent it.

    Raises:
        SubjectError: `OUT_OF_RANGE` or `BAD_OFFER`.
    """
    if len(text) > MAX_CHARACTERS:
        raise SubjectError(Failure.BAD_OFFER, f"The server offered {len(text)} characters; {MAX_CHARACTERS} is most.")
    # Half of a surrogate pair can't be in a file.
    clean = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    start, end = (document.cursor, document.cursor) if place is None else _offsets(document, place)
    before, after = document.text[start : document.cursor], document.text[document.cursor : end]
    return Offer(start, end, clean, document.cursor, before, after, command, item)


def _offsets(document: Document, place: ReceivedRange) -> tuple[int, int]:
    """Of a range, which is on the cursor's line and around the cursor (LSP 3.18, `InlineCompletionItem.range`)."""
    lines = document.lines
    line = lines.line_of(document.cursor)
    start, end = lines.offset(place.start.lsp), lines.offset(place.end.lsp)
    is_there = lines.position(start) == place.start.lsp and lines.position(end) == place.end.lsp
    is_here = place.start.line == place.end.line == line and start <= document.cursor <= end
    if not (is_there and is_here):
        raise SubjectError(Failure.OUT_OF_RANGE, "The server offered to replace text that is not at the cursor.")
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
    """What is proposed next."""

    count: int
    first: NextEdit | None = None
    """The one that an editor shows; None if it is not known, or in another document."""


def next_edit(document: Document, text: str, place: ReceivedRange, command: ReceivedCommand | None) -> NextEdit:
    """An edit for a document.

    Raises:
        SubjectError: `OUT_OF_RANGE` or `BAD_OFFER`.
    """
    if len(text) > MAX_CHARACTERS:
        raise SubjectError(Failure.BAD_OFFER, f"The server offered {len(text)} characters; {MAX_CHARACTERS} is most.")
    start, end = (document.lines.offset(one.lsp) for one in (place.start, place.end))
    is_there = all(
        document.lines.position(offset) == one.lsp for offset, one in ((start, place.start), (end, place.end))
    )
    if not (is_there and start <= end):
        raise SubjectError(Failure.OUT_OF_RANGE, "The server offered to replace text that is not in the document.")
    return NextEdit(start, end, text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace"), command)


def plain_snippet(value: str) -> str:
    """The text that a snippet inserts (LSP 3.18, *Snippet Syntax*): placeholders with their defaults, no tab stops."""
    text = _ESCAPED.sub(lambda found: chr(_SET_ASIDE + ord(found[1])), value)
    before = ""
    while text != before:
        before, text = text, _INNERMOST.sub(lambda found: found["default"] or found["choice"] or "", text)
    return re.sub(f"[{chr(_SET_ASIDE)}-{chr(_SET_ASIDE + 0x7F)}]", lambda found: chr(ord(found[0]) - _SET_ASIDE), text)
