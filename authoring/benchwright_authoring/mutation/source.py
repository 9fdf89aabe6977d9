"""A file of a reference as slang parses it, and the pieces of it that may be changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import pyslang
from pyslang.parsing import Token
from pyslang.syntax import (
    CaseStatementSyntax,
    DeclaratorSyntax,
    EnumTypeSyntax,
    IdentifierNameSyntax,
    ModuleHeaderSyntax,
    StandardCaseItemSyntax,
    SyntaxKind,
    SyntaxNode,
    SyntaxTree,
    VariableDimensionSyntax,
)

from benchwright_verilog.semantics.compilation.trees import Preprocessing, parse_options_bag
from benchwright_verilog.syntax.surrogates import encode_text

# Interfaces stay as they are, and what only simulation or a checker reads says nothing about the design.
_LEFT_OUT = frozenset(
    {
        SyntaxKind.AssertPropertyStatement,
        SyntaxKind.AssumePropertyStatement,
        SyntaxKind.AttributeInstance,
        SyntaxKind.CoverPropertyStatement,
        SyntaxKind.CovergroupDeclaration,
        SyntaxKind.DelayControl,
        SyntaxKind.EnumType,
        SyntaxKind.FinalBlock,
        SyntaxKind.FunctionPrototype,
        SyntaxKind.ImmediateAssertStatement,
        SyntaxKind.PropertyDeclaration,
        SyntaxKind.SequenceDeclaration,
        SyntaxKind.TimingControlExpression,
    }
)


@dataclass(frozen=True, slots=True)
class ByteEdit:
    """A replacement of bytes `start` to `end` (exclusive) of a file."""

    start: int
    end: int
    text: str


def children(node: SyntaxNode) -> list[SyntaxNode]:
    """The nodes directly below one, in the order of the text."""
    return [child for child in node if isinstance(child, SyntaxNode)]


def node_and_descendants(node: SyntaxNode) -> Iterator[SyntaxNode]:
    """A node and all below it, in the order of the text, outer ones first; as deep as slang takes it."""
    open_nodes = [node]
    while open_nodes:
        outer_node = open_nodes.pop()
        yield outer_node
        open_nodes.extend(reversed(children(outer_node)))


class ReferenceSource:
    """One file. What comes out of a macro or an included file is left alone: it has no place of its own in the file.

    Args:
        path: Its path in the workspace.
        text: Its content. Nothing that it includes is opened.
    """

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.content = encode_text(text)
        # A source manager takes a path once.
        self._sources = pyslang.SourceManager()
        self.tree = SyntaxTree.fromFileInMemory(
            self.content.decode(), self._sources, path, path, parse_options_bag(Preprocessing(), 0)
        )

    def changeable_nodes(self) -> Iterator[SyntaxNode]:
        """Every piece that may be changed, in the order of the text, outer ones first."""
        open_nodes = [self.tree.root]
        while open_nodes:
            node = open_nodes.pop()
            if node.kind in _LEFT_OUT or isinstance(node, ModuleHeaderSyntax):
                continue
            if self.is_written_in_file(node):
                yield node
            # What is in a dimension is the business of the kinds that change the dimension as a whole.
            if not isinstance(node, VariableDimensionSyntax):
                open_nodes.extend(reversed(children(node)))

    def is_written_in_file(self, node_or_token: SyntaxNode | Token) -> bool:
        """True if a piece is written in the file itself, from its first to its last character."""
        span = node_or_token.range if isinstance(node_or_token, Token) else node_or_token.sourceRange
        is_here = all(
            self._sources.isFileLoc(span_end) and self._sources.getRawFileName(span_end.buffer) == self.path
            for span_end in (span.start, span.end)
        )
        return is_here and span.start.offset < span.end.offset

    def source_text(self, node: SyntaxNode) -> str:
        """A piece as it is written; only for one that `is_written_in_file`."""
        return self.content[node.sourceRange.start.offset : node.sourceRange.end.offset].decode()

    def replacement_edits(self, node_or_token: SyntaxNode | Token, replacement_text: str) -> Iterator[ByteEdit]:
        """A replacement of a piece, if that has a place in the file."""
        if self.is_written_in_file(node_or_token):
            span = node_or_token.range if isinstance(node_or_token, Token) else node_or_token.sourceRange
            yield ByteEdit(span.start.offset, span.end.offset, replacement_text)

    def exchange_edits(self, first_node: SyntaxNode, second_node: SyntaxNode) -> Iterator[ByteEdit]:
        """Two pieces in each other's place, the first of which stands before the second."""
        if (
            self.is_written_in_file(first_node)
            and self.is_written_in_file(second_node)
            and self.source_text(first_node) != self.source_text(second_node)
        ):
            start, end = first_node.sourceRange.start.offset, second_node.sourceRange.end.offset
            text_between = self.content[
                first_node.sourceRange.end.offset : second_node.sourceRange.start.offset
            ].decode()
            yield ByteEdit(start, end, self.source_text(second_node) + text_between + self.source_text(first_node))

    @cached_property
    def state_name_groups(self) -> tuple[tuple[str, ...], ...]:
        """Groups of names that stand for states: the members of each `enum`, the names that label one `case`."""
        state_groups: dict[tuple[str, ...], None] = {}
        for node in node_and_descendants(self.tree.root):
            names: list[str] = []
            if isinstance(node, EnumTypeSyntax):
                names = [member.name.valueText for member in node.members if isinstance(member, DeclaratorSyntax)]
            elif isinstance(node, CaseStatementSyntax):
                case_items = [item for item in node.items if isinstance(item, StandardCaseItemSyntax)]
                labels = [label for item in case_items for label in item.expressions]
                names = [label.identifier.valueText for label in labels if isinstance(label, IdentifierNameSyntax)]
            if len(set(names)) > 1:
                state_groups[tuple(dict.fromkeys(names))] = None
        return tuple(state_groups)
