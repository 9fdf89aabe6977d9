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

from benchwright_authoring.mutation.kind import MutationKind
from benchwright_authoring.mutation.source import ByteEdit, ReferenceSource


def _exchange_concatenated(source: ReferenceSource, node: SyntaxNode) -> Iterator[ByteEdit]:
    if isinstance(node, ConcatenationExpressionSyntax):
        concatenated_nodes = [part for part in node.expressions if isinstance(part, SyntaxNode)]
        for first_operand, second_operand in pairwise(concatenated_nodes):
            yield from source.exchange_edits(first_operand, second_operand)


def _exchange_conditional_arms(source: ReferenceSource, node: SyntaxNode) -> Iterator[ByteEdit]:
    if isinstance(node, ConditionalExpressionSyntax):
        yield from source.exchange_edits(node.left, node.right)


def _exchange_port_connections(source: ReferenceSource, node: SyntaxNode) -> Iterator[ByteEdit]:
    if isinstance(node, HierarchicalInstanceSyntax):
        connected = [
            connection.expr
            for connection in node.connections
            if isinstance(connection, NamedPortConnectionSyntax | OrderedPortConnectionSyntax)
            and connection.expr is not None
        ]
        for first_connection, second_connection in pairwise(connected):
            yield from source.exchange_edits(first_connection, second_connection)


KINDS = (
    MutationKind(
        "concatenation-order", "two neighbours of a concatenation in each other's place", _exchange_concatenated
    ),
    MutationKind("arms-exchanged", "the arms of ?: in each other's place", _exchange_conditional_arms),
    MutationKind(
        "ports-exchanged", "the connections of two neighbouring ports in each other's place", _exchange_port_connections
    ),
)
