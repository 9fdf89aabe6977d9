"""From a byte of a file to slang's syntax: the way down takes a few steps, whatever the size of the file."""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

from pyslang import SourceLocation
from pyslang.parsing import Token, TokenKind
from pyslang.syntax import SyntaxKind, SyntaxNode

from benchwright_verilog.semantics.names.names import own_name_tokens, visit_names
from benchwright_verilog.semantics.project.file_locations import FileLocations

Child: TypeAlias = SyntaxNode | Token | None


def name_at(root: SyntaxNode, locations: FileLocations, path: Path, byte: int) -> tuple[Token, SyntaxNode] | None:
    """The name at a byte or ending there, with the node that holds it."""
    return _covering_name(root, locations, path, byte, byte) or _covering_name(root, locations, path, byte - 1, byte)


def _covering_name(
    node: SyntaxNode, locations: FileLocations, path: Path, start_byte: int, end_byte: int
) -> tuple[Token, SyntaxNode] | None:
    """The name whose token covers a byte, or ends where `end_byte` says."""
    if start_byte < 0:
        return None
    while True:
        index = _last_child_index_before(node, locations, path, start_byte)
        if index is None:
            return None
        child = _child_at(node, index)
        if child is None:
            return None
        if locations.is_outside_macros(_start_location(child)):
            if not isinstance(child, Token):
                node = child
                continue
            is_it = child.location.offset <= start_byte and end_byte <= child.location.offset + len(
                child.rawText.encode()
            )
            return (child, node) if is_it and any(name == child for name in own_name_tokens(node)) else None
        # A macro's text comes from one place; what was written between its parentheses is somewhere in it.
        anchor = locations.byte_in_file(_start_location(child), path)
        while index >= 0 and (
            (child := _child_at(node, index)) is None or locations.byte_in_file(_start_location(child), path) == anchor
        ):
            named_node = _covering_name_in_child(child, node, locations, path, start_byte, end_byte)
            if named_node is not None:
                return named_node
            index -= 1
        return None


def _covering_name_in_child(
    child: Child, parent: SyntaxNode, locations: FileLocations, path: Path, start_byte: int, end_byte: int
) -> tuple[Token, SyntaxNode] | None:
    named_nodes: list[tuple[Token, SyntaxNode]] = []

    def visit(token: Token, node: SyntaxNode) -> None:
        location = locations.file_location_of(token.location)
        if location is None or location.is_generated or location.path != path:
            return
        if location.offset <= start_byte and end_byte <= location.offset + len(token.rawText.encode()):
            named_nodes.append((token, node))

    if isinstance(child, Token):
        for name in own_name_tokens(parent):
            if name == child:
                visit(name, parent)
    elif child is not None:
        visit_names(child, visit)
    return named_nodes[0] if named_nodes else None


def node_at(root: SyntaxNode, locations: FileLocations, path: Path, byte: int) -> SyntaxNode:
    """The innermost node around a byte."""
    node = root
    while True:
        index = _last_child_index_before(node, locations, path, byte)
        child = _child_at(node, index) if index is not None else None
        if not isinstance(child, SyntaxNode):
            return node
        end = locations.byte_in_file(child.sourceRange.end, path)
        if end is not None and end <= byte:
            return node
        node = child


def _last_child_index_before(node: SyntaxNode, locations: FileLocations, path: Path, byte: int) -> int | None:
    """The last child that begins at a byte or before it."""
    low, high = 0, len(node)
    while low < high:
        middle = (low + high) // 2
        # Children that are not there have no place; the next one to the right decides.
        probe, anchor = middle, None
        while probe < high and (anchor := _child_start(_child_at(node, probe), locations, path)) is None:
            probe += 1
        if anchor is None or anchor > byte:
            high = middle
        else:
            low = probe + 1
    index = low - 1
    while index >= 0 and _child_start(_child_at(node, index), locations, path) is None:
        index -= 1
    return index if index >= 0 else None


def _child_start(child: Child, locations: FileLocations, path: Path) -> int | None:
    if child is None or (isinstance(child, Token) and (child.isMissing or not child.rawText)):
        return None
    if isinstance(child, SyntaxNode) and not _first_written_token(child):
        return None
    return locations.byte_in_file(_start_location(child), path)


def _start_location(child: SyntaxNode | Token) -> SourceLocation:
    if isinstance(child, Token):
        return child.location
    # slang puts the absent type of a coverpoint behind it.
    token = _first_written_token(child) if child.kind == SyntaxKind.Coverpoint else None
    return token.location if token is not None else child.sourceRange.start


def _first_written_token(node: SyntaxNode) -> Token | None:
    """The first token of a node that is written in the text."""
    token = node.getFirstToken()
    if token.kind != TokenKind.Placeholder:
        return token if token else None
    for index in range(len(node)):
        child = _child_at(node, index)
        child_token = _first_written_token(child) if isinstance(child, SyntaxNode) else child
        if child_token and child_token.kind != TokenKind.Placeholder:
            return child_token
    return None


def _child_at(node: SyntaxNode, index: int) -> Child:
    child = node[index]
    return child if isinstance(child, (SyntaxNode, Token)) else None
