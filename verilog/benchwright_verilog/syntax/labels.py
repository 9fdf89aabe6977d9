"""Names that are written twice: at the beginning of a block or declaration, and as the label of its end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

    from benchwright_verilog.syntax.units import TopLevelItem

_NAMES = frozenset({"simple_identifier", "escaped_identifier"})
_BEGINS = frozenset({"begin", "fork"})


def label_pair_byte_ranges(units: Sequence[TopLevelItem], byte: int) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """The two places of the name at an offset, if it is one that is written twice, spelled the same."""
    unit = next((unit for unit in units if byte <= unit.end), None)
    if unit is None:
        return None
    offset = byte - unit.start
    for node in reversed(_nodes_from_root_to_byte(unit.item_text.tree.root_node, offset)):
        name_pair = _name_and_equal_end_label(node)
        if name_pair is not None and any(name.start_byte <= offset <= name.end_byte for name in name_pair):
            first_span, last_span = ((name.start_byte + unit.start, name.end_byte + unit.start) for name in name_pair)
            return first_span, last_span
    return None


def _nodes_from_root_to_byte(root: Node, byte: int) -> list[Node]:
    path: list[Node] = []
    node: Node | None = root
    while node is not None:
        path.append(node)
        node = next((child for child in node.children if child.start_byte <= byte <= child.end_byte), None)
    return path


def _name_and_equal_end_label(node: Node) -> tuple[Node, Node] | None:
    children = node.children
    if len(children) < 4 or children[-1].type not in _NAMES or children[-2].type != ":":
        return None
    end_label = children[-1]
    if children[0].type in _BEGINS:
        opening = children[2] if children[1].type == ":" else None
    else:
        opening = next(
            (
                name
                for name in _possible_name_nodes(node)
                if name.text == end_label.text and name.end_byte < end_label.start_byte
            ),
            None,
        )
    if opening is None or opening.type not in _NAMES or opening.text != end_label.text:
        return None
    return opening, end_label


def _possible_name_nodes(node: Node) -> list[Node]:
    """The names that a declaration may have: its own children, or those of its header."""
    name_nodes = []
    for child in node.children[:-2]:
        if child.type in _NAMES:
            name_nodes.append(child)
        elif child.type.endswith("_header"):
            name_nodes.extend(name for name in child.children if name.type in _NAMES)
    return name_nodes
