"""Ranges to select around a place, from the word to the whole text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from benchwright_verilog.syntax.tokens import tokens_of
from benchwright_verilog.syntax.units import TopLevelItem

if TYPE_CHECKING:
    from tree_sitter import Node

_PAIRS = {b"(": b")", b"[": b"]", b"{": b"}"}


def byte_ranges_around(units: Sequence[TopLevelItem], byte: int) -> list[tuple[int, int]]:
    """The ranges around a place, each inside the next."""
    unit = next((unit for unit in units if byte < unit.end), units[-1])
    offset = byte - unit.start
    word = next(
        ((token.start, token.end) for token in tokens_of(unit.item_text) if token.start <= offset <= token.end),
        (offset, offset),
    )
    spans = [
        (offset, offset),
        word,
        *_node_and_bracket_ranges_around(unit.item_text.tree.root_node, *word),
        (0, len(unit.item_text.data)),
    ]
    ranges = [(start + unit.start, end + unit.start) for start, end in spans]
    ranges.append((0, units[-1].end))
    growing = [ranges[0]] if word == (offset, offset) else []
    for start, end in ranges[1:]:
        if not growing or (start <= growing[-1][0] and end >= growing[-1][1] and (start, end) != growing[-1]):
            growing.append((start, end))
    return growing


def _node_and_bracket_ranges_around(root: Node, start_byte: int, end_byte: int) -> Iterator[tuple[int, int]]:
    """The ranges of the nodes around an offset, and of what is between their brackets; the innermost first."""
    path: list[Node] = []
    current: Node | None = root
    while current is not None:
        path.append(current)
        current = next(
            (child for child in current.children if child.start_byte <= start_byte and end_byte <= child.end_byte), None
        )
    for node in reversed(path):
        children = node.children
        for opening in children:
            closing = next(
                (child for child in children if child.type.encode() == _PAIRS.get(opening.type.encode())), None
            )
            if closing is not None and opening.end_byte <= start_byte and end_byte <= closing.start_byte:
                yield opening.end_byte, closing.start_byte
        yield node.start_byte, node.end_byte
