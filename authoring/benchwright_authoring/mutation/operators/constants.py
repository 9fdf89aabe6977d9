"""Constants: one more, one less, the other bit."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pyslang.syntax import (
    BitSelectSyntax,
    ElementSelectSyntax,
    IntegerVectorExpressionSyntax,
    LiteralExpressionSyntax,
    RangeSelectSyntax,
    SyntaxKind,
    SyntaxNode,
)

from benchwright_authoring.mutation.kind import MutationKind
from benchwright_authoring.mutation.source import ByteEdit, ReferenceSource

_BASES = {"b": 2, "o": 8, "d": 10, "h": 16}
_DIGITS = {"b": "b", "o": "o", "d": "d", "h": "X"}
_MOST_BITS = 4096


def literal_plus_step_or_none(literal_text: str, step: int) -> str | None:
    """A literal with another value in the same notation; None if there is none.

    Args:
        literal_text: As it is written: `8'hFF`, `12`, `'1`.
        step: Number to add; the sum wraps at the size.
    """
    literal_text = literal_text.replace("_", "")
    if literal_text.isdigit():
        return str(int(literal_text) + step) if int(literal_text) + step >= 0 else None
    if literal_text in ("'0", "'1"):
        return "'1" if literal_text == "'0" else "'0"
    sized = re.fullmatch(r"(\d*)\s*'\s*([sS]?)([bodhBODH])\s*([0-9a-fA-F]+)", literal_text)
    if not sized:
        return None
    size, sign, base_letter, digits = sized.groups()
    bits = int(size) if size and len(size) < 6 else 32
    if not 0 < bits <= _MOST_BITS:
        return None
    value = (int(digits, _BASES[base_letter.lower()]) + step) % (1 << bits)
    return f"{size}'{sign}{base_letter}{value:{_DIGITS[base_letter.lower()]}}"


def _add_to_literal(source: ReferenceSource, node: SyntaxNode, increment: int) -> Iterator[ByteEdit]:
    is_number = node.kind in (
        SyntaxKind.IntegerLiteralExpression,
        SyntaxKind.UnbasedUnsizedLiteralExpression,
        SyntaxKind.IntegerVectorExpression,
    )
    # What selects has kinds of its own.
    if not is_number or isinstance(node.parent, BitSelectSyntax | RangeSelectSyntax):
        return
    if isinstance(node, LiteralExpressionSyntax | IntegerVectorExpressionSyntax):
        text = source.source_text(node)
        shifted_text = literal_plus_step_or_none(text, increment)
        if shifted_text is not None and shifted_text != text:
            yield from source.replacement_edits(node, shifted_text)


def _increment_literal(source: ReferenceSource, node: SyntaxNode) -> Iterator[ByteEdit]:
    yield from _add_to_literal(source, node, 1)


def _decrement_literal(source: ReferenceSource, node: SyntaxNode) -> Iterator[ByteEdit]:
    yield from _add_to_literal(source, node, -1)


def incremented_expression_text(source: ReferenceSource, expression: SyntaxNode, increment: int) -> str:
    """The text of an expression plus or minus one."""
    text = source.source_text(expression)
    return literal_plus_step_or_none(text, increment) or f"({text}) {'+' if increment > 0 else '-'} 1"


def _move_bit_index(source: ReferenceSource, node: SyntaxNode) -> Iterator[ByteEdit]:
    if isinstance(node, BitSelectSyntax) and isinstance(node.parent, ElementSelectSyntax):
        for step in (1, -1):
            if source.is_written_in_file(node.expr) and source.source_text(node.expr) + f"{step:+}" != "0-1":
                yield from source.replacement_edits(node.expr, incremented_expression_text(source, node.expr, step))


def _move_part_select(source: ReferenceSource, node: SyntaxNode) -> Iterator[ByteEdit]:
    if not (isinstance(node, RangeSelectSyntax) and isinstance(node.parent, ElementSelectSyntax)):
        return
    if not (source.is_written_in_file(node.left) and source.is_written_in_file(node.right)):
        return
    if node.kind is not SyntaxKind.SimpleRangeSelect:
        for step in (1, -1):
            if source.source_text(node.left) + f"{step:+}" != "0-1":
                yield from source.replacement_edits(node.left, incremented_expression_text(source, node.left, step))
        return
    for step in (1, -1):
        if source.source_text(node.right) + f"{step:+}" != "0-1":
            left_bound, right_bound = (
                incremented_expression_text(source, node.left, step),
                incremented_expression_text(source, node.right, step),
            )
            yield from source.replacement_edits(node, f"{left_bound}:{right_bound}")


KINDS = (
    MutationKind("index", "an element's neighbour: x[i + 1] for x[i]", _move_bit_index),
    MutationKind("part-select", "a part select one further: x[8:1] for x[7:0]", _move_part_select),
    MutationKind("constant-plus-one", "a constant plus one", _increment_literal),
    MutationKind("constant-minus-one", "a constant minus one", _decrement_literal),
)
