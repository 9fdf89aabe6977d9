"""Conditions and branches: always, never, the opposite, one left out."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from pyslang.syntax import (
    CaseStatementSyntax,
    ConditionalExpressionSyntax,
    ConditionalStatementSyntax,
    DefaultCaseItemSyntax,
    StandardCaseItemSyntax,
    SyntaxNode,
)

from benchwright_authoring.mutation.kind import Kind
from benchwright_authoring.mutation.operators.opposite import opposite
from benchwright_authoring.mutation.source import Edit, Source


def _predicate(source: Source, node: SyntaxNode) -> SyntaxNode | None:
    if isinstance(node, ConditionalStatementSyntax | ConditionalExpressionSyntax):
        return node.predicate if source.has_place(node.predicate) else None
    return None


def _always(source: Source, node: SyntaxNode) -> Iterator[Edit]:
    if predicate := _predicate(source, node):
        yield from source.replaced(predicate, "1'b1")


def _never(source: Source, node: SyntaxNode) -> Iterator[Edit]:
    if predicate := _predicate(source, node):
        yield from source.replaced(predicate, "1'b0")


def _opposite(source: Source, node: SyntaxNode) -> Iterator[Edit]:
    # Of ?: that is its arms in each other's place.
    if isinstance(node, ConditionalStatementSyntax) and source.has_place(node.predicate):
        yield from source.replaced(node.predicate, opposite(source, node.predicate))


def _without_else(source: Source, node: SyntaxNode) -> Iterator[Edit]:
    if isinstance(node, ConditionalStatementSyntax) and node.elseClause is not None:
        yield from source.replaced(node.elseClause, "")


def _without_item(source: Source, node: SyntaxNode) -> Iterator[Edit]:
    if isinstance(node, CaseStatementSyntax) and len(list(node.items)) > 1:
        for item in node.items:
            if isinstance(item, StandardCaseItemSyntax):
                yield from source.replaced(item, "")


def _without_default(source: Source, node: SyntaxNode) -> Iterator[Edit]:
    if isinstance(node, CaseStatementSyntax) and len(list(node.items)) > 1:
        for item in node.items:
            if isinstance(item, DefaultCaseItemSyntax):
                yield from source.replaced(item, "")


def _exchanged_items(source: Source, node: SyntaxNode) -> Iterator[Edit]:
    if isinstance(node, CaseStatementSyntax):
        items = [item for item in node.items if isinstance(item, StandardCaseItemSyntax | DefaultCaseItemSyntax)]
        for first, second in pairwise(items):
            yield from source.exchanged(first.clause, second.clause)


KINDS = (
    Kind("condition-opposite", "the opposite condition", _opposite),
    Kind("condition-always", "a condition that is always met", _always),
    Kind("condition-never", "a condition that is never met", _never),
    Kind("else-dropped", "an if without its else", _without_else),
    Kind("case-item-dropped", "a case without one of its items", _without_item),
    Kind("default-dropped", "a case without its default", _without_default),
    Kind("case-items-exchanged", "two neighbouring branches of a case in each other's place", _exchanged_items),
)
