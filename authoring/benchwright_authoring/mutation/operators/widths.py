"""Widths, depths and signs of what is declared in a module's body."""

from __future__ import annotations

from collections.abc import Iterator

from pyslang.syntax import (
    DeclaratorSyntax,
    InvocationExpressionSyntax,
    RangeDimensionSpecifierSyntax,
    RangeSelectSyntax,
    SyntaxNode,
    VariableDimensionSyntax,
)

from benchwright_authoring.mutation.kind import MutationKind
from benchwright_authoring.mutation.operators.constants import incremented_expression
from benchwright_authoring.mutation.source import ByteEdit, MutatedSource


def _range(node: SyntaxNode) -> RangeSelectSyntax | None:
    if isinstance(node, VariableDimensionSyntax) and isinstance(node.specifier, RangeDimensionSpecifierSyntax):
        selector = node.specifier.selector
        return selector if isinstance(selector, RangeSelectSyntax) else None
    return None


def _narrower_vector(source: MutatedSource, node: SyntaxNode) -> Iterator[ByteEdit]:
    span = _range(node)
    if span is None or isinstance(node.parent, DeclaratorSyntax):
        return
    # [0:0] would become [-1:0], which is wider.
    if source.has_place(span) and source.text(span.left) != source.text(span.right):
        is_downward = source.text(span.left) != "0"
        end_bound = span.left if is_downward else span.right
        yield from source.replacement_edits(end_bound, incremented_expression(source, end_bound, -1))


def _shallower_array(source: MutatedSource, node: SyntaxNode) -> Iterator[ByteEdit]:
    span = _range(node)
    if span is None or not isinstance(node.parent, DeclaratorSyntax) or not source.has_place(span):
        return
    if source.text(span.left) != source.text(span.right):
        end_bound = span.right if source.text(span.left) == "0" else span.left
        yield from source.replacement_edits(end_bound, incremented_expression(source, end_bound, -1))


def _other_signedness(source: MutatedSource, node: SyntaxNode) -> Iterator[ByteEdit]:
    if isinstance(node, InvocationExpressionSyntax) and source.has_place(node.left):
        name = source.text(node.left)
        if name in ("$signed", "$unsigned"):
            yield from source.replacement_edits(node.left, "$unsigned" if name == "$signed" else "$signed")
    signing = getattr(node, "signing", None)
    if signing is not None and signing.rawText == "signed":
        yield from source.replacement_edits(signing, "")


KINDS = (
    MutationKind("width", "a vector one bit narrower", _narrower_vector),
    MutationKind("depth", "a memory one word shorter", _shallower_array),
    MutationKind("sign", "unsigned for signed", _other_signedness),
)
