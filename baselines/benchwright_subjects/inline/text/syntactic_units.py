"""Pieces of a file that a person writes in one go, by its syntax tree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

Region = tuple[int, int]
"""First code point, and the one after the last."""


class SyntacticUnit(StrEnum):
    """Kind of syntactic unit."""

    PORT_LIST = "port-list"
    ASSIGNMENT = "assignment"
    ALWAYS = "always"
    CASE_ARM = "case-arm"
    ASSERTION = "assertion"


_NODES: Mapping[SyntacticUnit, frozenset[str]] = {
    SyntacticUnit.PORT_LIST: frozenset({"list_of_port_declarations", "list_of_ports"}),
    SyntacticUnit.ASSIGNMENT: frozenset({"continuous_assign", "blocking_assignment", "nonblocking_assignment"}),
    SyntacticUnit.ALWAYS: frozenset({"always_construct"}),
    SyntacticUnit.CASE_ARM: frozenset({"case_item"}),
    SyntacticUnit.ASSERTION: frozenset(
        {"concurrent_assertion_item", "simple_immediate_assert_statement", "deferred_immediate_assert_statement"}
    ),
}
_HEADERS = ("module_ansi_header", "module_nonansi_header")


def unit_regions(text: str, unit: SyntacticUnit) -> list[Region]:
    """The pieces of one kind, in order; of nested ones the outer."""
    # LSP's types, which it brings, take a quarter of a second to import: the kinds are named without them.
    from benchwright_verilog.syntax.lines import Lines
    from benchwright_verilog.syntax.tree import parse

    lines = Lines(text)
    regions = []
    for node in _outermost_nodes(parse(lines.data).root_node, _NODES[unit]):
        start, end = lines.from_byte(node.start_byte), lines.from_byte(node.end_byte)
        if unit is SyntacticUnit.PORT_LIST:
            # The parentheses stay, as an editor has them.
            start, end = start + 1, end - 1
        regions.append(trim_region(text, start, end))
    return [(start, end) for start, end in regions if start < end]


def body_regions(text: str) -> list[Region]:
    """The text between the header and the end of each module, in order; nothing of empty ones."""
    from benchwright_verilog.syntax.lines import Lines
    from benchwright_verilog.syntax.tree import parse

    lines = Lines(text)
    regions = []
    for module in _outermost_nodes(parse(lines.data).root_node, frozenset({"module_declaration"})):
        header_ends = [child.end_byte for child in module.children if child.type in _HEADERS]
        body_ends = [child.start_byte for child in module.children if child.type == "endmodule"]
        if header_ends and body_ends:
            regions.append(trim_region(text, lines.from_byte(header_ends[0]), lines.from_byte(body_ends[-1])))
    return [(start, end) for start, end in regions if start < end]


def trim_region(text: str, start: int, end: int) -> Region:
    """A region without the white space at its ends."""
    region_text = text[start:end]
    return start + len(region_text) - len(region_text.lstrip()), max(
        start, end - (len(region_text) - len(region_text.rstrip()))
    )


def _outermost_nodes(node: Node, node_types: frozenset[str]) -> Iterator[Node]:
    # A tree may be deeper than Python's stack.
    pending_nodes = [node]
    while pending_nodes:
        inner_node = pending_nodes.pop()
        if inner_node.type in node_types:
            yield inner_node
        else:
            pending_nodes += reversed(inner_node.children)
