"""Mutation of the way parts are put together: concatenations, the arms of `?:`, the ports of instances."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from pyslang.syntax import (
    ConcatenationExpressionSyntax,
    ConditionalExpressionSyntax,
    HierarchicalInstanceSyntax,
    NamedPortConnectionSyntax,
    OrderedPortConnectionSyntax,
    SyntaxNode,
)

from benchwright_authoring.mutation.kind import Kind
from benchwright_authoring.mutation.source import Edit, Source


def _order(source: Source, node: SyntaxNode) -> Iterator[Edit]:
    if isinstance(node, ConcatenationExpressionSyntax):
        parts = [part for part in node.expressions if isinstance(part, SyntaxNode)]
        for first, second in pairwise(parts):
            yield from source.exchanged(first, second)


def _arms(source: Source, node: SyntaxNode) -> Iterator[Edit]:
    if isinstance(node, ConditionalExpressionSyntax):
        yield from source.exchanged(node.left, node.right)


def _ports(source: Source, node: SyntaxNode) -> Iterator[Edit]:
    if isinstance(node, HierarchicalInstanceSyntax):
        connected = [
            connection.expr
            for connection in node.connections
            if isinstance(connection, NamedPortConnectionSyntax | OrderedPortConnectionSyntax)
            and connection.expr is not None
        ]
        for first, second in pairwise(connected):
            yield from source.exchanged(first, second)


KINDS = (
    Kind("concatenation-order", "two neighbours of a concatenation in each other's place", _order),
    Kind("arms-exchanged", "the arms of ?: in each other's place", _arms),
    Kind("ports-exchanged", "the connections of two neighbouring ports in each other's place", _ports),
)
