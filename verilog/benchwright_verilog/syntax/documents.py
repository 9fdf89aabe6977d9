"""The open documents, exactly as the client has them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from lsprotocol.types import (
    PositionEncodingKind,
    TextDocumentContentChangeEvent,
    TextDocumentContentChangePartial,
)

from benchwright_verilog.syntax.json_form import JsonText
from benchwright_verilog.syntax.lines import Lines
from benchwright_verilog.syntax.suffixes import DESIGN_SUFFIXES
from benchwright_verilog.syntax.surrogates import join_surrogates
from benchwright_verilog.syntax.tree import ParsedText
from benchwright_verilog.syntax.units import TopLevelItem, UnitCache

if TYPE_CHECKING:
    from tree_sitter import Tree

_DESIGN_LANGUAGES = frozenset({"verilog", "systemverilog"})


@dataclass(frozen=True)
class Document:
    """One version of an open document."""

    uri: str
    version: int
    lines: Lines
    language: str = ""
    """Language that the client takes it for."""
    parsed: ParsedText = field(default_factory=ParsedText, repr=False, compare=False)
    """The newest tree, shared by all versions of the document."""
    known_units: UnitCache = field(default_factory=UnitCache, repr=False, compare=False)
    """The newest units, shared likewise."""
    kept_symbols_json: list[JsonText] = field(init=False, default_factory=list, repr=False, compare=False)
    """The answer of its symbols, once it was given."""

    @cached_property
    def tree(self) -> Tree:
        """tree-sitter's tree of exactly this text, made when it is first asked for."""
        return self.parsed.tree(self.lines.data)

    @cached_property
    def units(self) -> tuple[TopLevelItem, ...]:
        """The top-level items of exactly this text."""
        return self.known_units.units_of(self.lines.data, self.lines.encoding)

    @property
    def is_verilog(self) -> bool:
        """True if it is Verilog or SystemVerilog."""
        suffix = PurePosixPath(self.uri).suffix
        return suffix in DESIGN_SUFFIXES if suffix else self.language in _DESIGN_LANGUAGES

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

    def open(self, uri: str, version: int, text: str, language: str = "") -> Document:
        """A client opened a document."""
        self._open[uri] = document = Document(uri, version, Lines(text, self.encoding), language)
        return document

    def close(self, uri: str) -> Document | None:
        """A client closed a document; returns what it held."""
        return self._open.pop(uri, None)

    def change(
        self, uri: str, version: int, content_changes: Sequence[TextDocumentContentChangeEvent]
    ) -> tuple[Document, list[Replacement]]:
        """Apply a client's changes, each to the result of the one before.

        Raises:
            KeyError: The document is not open.
        """
        # A message without changes is a new version too.
        document = replace(self._open[uri], version=version)
        applied = []
        for content_change in content_changes:
            lines = document.lines
            if isinstance(content_change, TextDocumentContentChangePartial):
                start, end = sorted(
                    (lines.code_point_at(content_change.range.start), lines.code_point_at(content_change.range.end))
                )
                lines = lines.with_range_replaced(start, end, content_change.text)
            else:
                start, end = 0, len(lines.text)
                # Two halves of a pair that meet are one character for the log, so they are one here.
                lines = Lines(join_surrogates(content_change.text), self.encoding)
            applied.append(Replacement(start, end, content_change.text))
            document = replace(document, lines=lines)
        self._open[uri] = document
        return document, applied
