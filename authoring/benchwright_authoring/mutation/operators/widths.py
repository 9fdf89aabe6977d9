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
from benchwright_authoring.mutation.operators.constants import incremented_expression_text
from benchwright_authoring.mutation.source import ByteEdit, ReferenceSource


def _dimension_range(node: SyntaxNode) -> RangeSelectSyntax | None:
    if isinstance(node, VariableDimensionSyntax) and isinstance(node.specifier, RangeDimensionSpecifierSyntax):
        selector = node.specifier.selector
        return selector if isinstance(selector, RangeSelectSyntax) else None
    return None


def _narrow_vector(source: ReferenceSource, node: SyntaxNode) -> Iterator[ByteEdit]:
    span = _dimension_range(node)
    if span is None or isinstance(node.parent, DeclaratorSyntax):
        return
    # [0:0] would become [-1:0], which is wider.
    if source.is_written_in_file(span) and source.source_text(span.left) != source.source_text(span.right):
        is_downward = source.source_text(span.left) != "0"
        end_bound = span.left if is_downward else span.right
        yield from source.replacement_edits(end_bound, incremented_expression_text(source, end_bound, -1))


def _shorten_array(source: ReferenceSource, node: SyntaxNode) -> Iterator[ByteEdit]:
    span = _dimension_range(node)
    if span is None or not isinstance(node.parent, DeclaratorSyntax) or not source.is_written_in_file(span):
        return
    if source.source_text(span.left) != source.source_text(span.right):
        end_bound = span.right if source.source_text(span.left) == "0" else span.left
        yield from source.replacement_edits(end_bound, incremented_expression_text(source, end_bound, -1))


def _exchange_signedness(source: ReferenceSource, node: SyntaxNode) -> Iterator[ByteEdit]:
    if isinstance(node, InvocationExpressionSyntax) and source.is_written_in_file(node.left):
        name = source.source_text(node.left)
        if name in ("$signed", "$unsigned"):
            yield from source.replacement_edits(node.left, "$unsigned" if name == "$signed" else "$signed")
    signing = getattr(node, "signing", None)
    if signing is not None and signing.rawText == "signed":
        yield from source.replacement_edits(signing, "")


KINDS = (
    MutationKind("width", "a vector one bit narrower", _narrow_vector),
    MutationKind("depth", "a memory one word shorter", _shorten_array),
    MutationKind("sign", "unsigned for signed", _exchange_signedness),
)
