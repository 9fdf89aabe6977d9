"""The open documents, exactly as the client has them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from lsprotocol.types import (
    PositionEncodingKind,
    TextDocumentContentChangeEvent,
    TextDocumentContentChangePartial,
)

from benchwright_baselines.file_text import join_surrogates
from benchwright_server.syntax.lines import Lines


@dataclass(frozen=True)
class Document:
    """One version of an open document."""

    uri: str
    version: int
    lines: Lines

    @property
    def text(self) -> str:
        """The whole text."""
        return self.lines.text


@dataclass(frozen=True)
class Replacement:
    """One applied change: code points `start` to `end` of the text before it became `text`."""

    start: int
    end: int
    text: str


class Documents:
    """All open documents of one client."""

    def __init__(self) -> None:
        self.encoding = PositionEncodingKind.Utf16
        self._open: dict[str, Document] = {}

    def __iter__(self) -> Iterator[Document]:
        return iter(list(self._open.values()))

    def get(self, uri: str) -> Document | None:
        """The document, if it is open."""
        return self._open.get(uri)

    def open(self, uri: str, version: int, text: str) -> Document:
        """A client opened a document."""
        self._open[uri] = document = Document(uri, version, Lines(text, self.encoding))
        return document

    def close(self, uri: str) -> Document | None:
        """A client closed a document; returns what it held."""
        return self._open.pop(uri, None)

    def change(
        self, uri: str, version: int, changes: Sequence[TextDocumentContentChangeEvent]
    ) -> tuple[Document, list[Replacement]]:
        """Apply a client's changes, each to the result of the one before.

        Raises:
            KeyError: The document is not open.
        """
        # A message without changes is a new version too.
        document = replace(self._open[uri], version=version)
        applied = []
        for change in changes:
            lines = document.lines
            if isinstance(change, TextDocumentContentChangePartial):
                start, end = sorted((lines.offset(change.range.start), lines.offset(change.range.end)))
            else:
                start, end = 0, len(lines.text)
            applied.append(Replacement(start, end, change.text))
            # Two halves of a pair that meet are one character for the log, so they are one here.
            text = join_surrogates(lines.text[:start] + change.text + lines.text[end:])
            document = Document(uri, version, Lines(text, self.encoding))
        self._open[uri] = document
        return document, applied
