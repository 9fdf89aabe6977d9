"""One code action, and the edits that it makes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from benchwright_verilog.findings.finding import Finding

if TYPE_CHECKING:
    from tree_sitter import Node

    from benchwright_verilog.syntax.documents import Document


class ActionKind(StrEnum):
    """LSP 3.18, `CodeActionKind`."""

    QUICK_FIX = "quickfix"
    REWRITE = "refactor.rewrite"
    FIX_ALL = "source.fixAll"


@dataclass(frozen=True)
class TextChange:
    """Code points `start` to `end` become `text`."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Action:
    """One code action."""

    title: str
    changes: tuple[TextChange, ...]
    """In the file for which the action was requested."""
    kind: ActionKind = ActionKind.QUICK_FIX
    finding: Finding | None = None
    """The finding that it fixes."""
    is_preferred: bool = False
    """True if it is what most people want."""
    changes_elsewhere: Mapping[Path, tuple[TextChange, ...]] = field(default_factory=dict)
    """In other files, by offsets of their present contents."""
    new_files: Mapping[Path, str] = field(default_factory=dict)
    """Contents of the files that it creates."""


@dataclass(frozen=True)
class CodeSelection:
    """The place that actions are requested for: a selection in one version of a document."""

    document: Document
    start: int
    """Code points, as all offsets here."""
    end: int

    @property
    def document_text(self) -> str:
        """The whole text."""
        return self.document.text

    @cached_property
    def node(self) -> Node:
        """The smallest piece of structure around the selection."""
        return smallest_node_around(self.document, self.start, self.end)

    def enclosing_node(self, *node_kinds: str) -> Node | None:
        """The smallest piece of one of these kinds around the selection."""
        return self_or_ancestor_of_kind(self.node, *node_kinds)


def smallest_node_around(document: Document, start_code_point: int, end_code_point: int) -> Node:
    """The smallest piece of structure that holds a range of code points."""
    root = document.tree.root_node
    lines = document.lines
    first_byte = lines.to_byte(start_code_point)
    return root.descendant_for_byte_range(first_byte, max(first_byte, lines.to_byte(end_code_point))) or root


def self_or_ancestor_of_kind(node: Node | None, *node_kinds: str) -> Node | None:
    """The smallest piece of one of these kinds that a piece belongs to."""
    while node is not None and node.type not in node_kinds:
        node = node.parent
    return node


def first_child_of_kind(node: Node | None, *node_kinds: str) -> Node | None:
    """The first direct child of one of these kinds."""
    return next((inner for inner in node.children if inner.type in node_kinds), None) if node is not None else None


def text_of(node: Node) -> str:
    """The text of a piece."""
    return (node.text or b"").decode("utf-8", "replace")


def code_point_range(document: Document, node: Node) -> tuple[int, int]:
    """Start and end of a piece, in code points."""
    return document.lines.from_byte(node.start_byte), document.lines.from_byte(node.end_byte)


def line_indentation(document: Document, code_point: int) -> str:
    """The white space that the line of a code point begins with."""
    start, end = document.lines.line_bounds(document.lines.line_index(code_point) + 1)
    line = document.text[start:end]
    return line[: len(line) - len(line.lstrip(" \t"))]


def newline(document: Document) -> str:
    """The line ending of a document."""
    return "\r\n" if "\r\n" in document.text else "\n"
