"""A document that a server has open, with the cursor of its user."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from pydantic import JsonValue

from benchwright_verilog.syntax.lines import Lines


@dataclass(frozen=True)
class DocumentVersion:
    """One version of it."""

    uri: str
    text: str
    cursor: int
    """Code points before it."""
    version: int = 1

    def replace_and_move_cursor(self, start: int, end: int, text: str) -> DocumentVersion:
        """The next version, with the cursor behind the new text.

        Args:
            start: First code point replaced.
            end: Code point after the last one replaced.
            text: Text that takes its place.
        """
        whole_text = self.text[:start] + text + self.text[end:]
        return replace(self, text=whole_text, cursor=start + len(text), version=self.version + 1)

    def edit_keeping_cursor(self, start: int, end: int, text: str) -> DocumentVersion:
        """The next version, with the cursor where it was in the text, or behind the new text that took its place."""
        changed_document = self.replace_and_move_cursor(start, end, text)
        if start >= self.cursor:
            return replace(changed_document, cursor=self.cursor)
        if end <= self.cursor:
            return replace(changed_document, cursor=self.cursor + len(text) - (end - start))
        return changed_document

    def type_text(self, text: str) -> DocumentVersion:
        """The next version, with something typed at the cursor."""
        return self.replace_and_move_cursor(self.cursor, self.cursor, text) if text else self

    @cached_property
    def lines(self) -> Lines:
        """Its lines."""
        return Lines(self.text)

    @property
    def text_before(self) -> str:
        """Text left of the cursor."""
        return self.text[: self.cursor]

    @property
    def text_after(self) -> str:
        """Text right of the cursor."""
        return self.text[self.cursor :]

    @property
    def identifier(self) -> dict[str, JsonValue]:
        """As a request names it."""
        return {"uri": self.uri}

    @property
    def position(self) -> dict[str, JsonValue]:
        """Position of the cursor."""
        line, character = self.lines.line_and_column(self.cursor)
        return {"line": line, "character": character}
