"""Assignments: left out, stuck, or blocking where they should not be."""

from __future__ import annotations

from collections.abc import Iterator

from pyslang.syntax import (
    BinaryExpressionSyntax,
    ContinuousAssignSyntax,
    ExpressionStatementSyntax,
    IntegerVectorExpressionSyntax,
    LiteralExpressionSyntax,
    SyntaxKind,
    SyntaxNode,
)

from benchwright_authoring.mutation.kind import MutationKind
from benchwright_authoring.mutation.source import ByteEdit, ReferenceSource

_ASSIGNMENTS = (SyntaxKind.AssignmentExpression, SyntaxKind.NonblockingAssignmentExpression)


def _drop_assignment(source: ReferenceSource, node: SyntaxNode) -> Iterator[ByteEdit]:
    if isinstance(node, ExpressionStatementSyntax) and isinstance(node.expr, BinaryExpressionSyntax):
        yield from source.replacement_edits(node, ";")


def _stuck_at_constant(source: ReferenceSource, node: SyntaxNode) -> Iterator[ByteEdit]:
    if isinstance(node, BinaryExpressionSyntax) and node.kind in _ASSIGNMENTS:
        in_design = isinstance(node.parent, ExpressionStatementSyntax | ContinuousAssignSyntax)
        is_constant = isinstance(node.right, LiteralExpressionSyntax | IntegerVectorExpressionSyntax)
        if in_design and not is_constant and source.is_written_in_file(node.right):
            for value in ("'0", "'1"):
                yield from source.replacement_edits(node.right, value)


def _exchange_blocking(source: ReferenceSource, node: SyntaxNode) -> Iterator[ByteEdit]:
    if isinstance(node, ExpressionStatementSyntax) and isinstance(node.expr, BinaryExpressionSyntax):
        if node.expr.kind is SyntaxKind.AssignmentExpression:
            yield from source.replacement_edits(node.expr.operatorToken, "<=")
        elif node.expr.kind is SyntaxKind.NonblockingAssignmentExpression:
            yield from source.replacement_edits(node.expr.operatorToken, "=")


KINDS = (
    MutationKind("assignment-dropped", "an assignment left out", _drop_assignment),
    MutationKind("stuck", "all zeros or all ones instead of a value", _stuck_at_constant),
    MutationKind(
        "blocking", "a blocking assignment for a non-blocking one, or the other way round", _exchange_blocking, False
    ),
)
