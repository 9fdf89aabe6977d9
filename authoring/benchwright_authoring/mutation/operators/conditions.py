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

from benchwright_authoring.mutation.kind import MutationKind
from benchwright_authoring.mutation.operators.opposite import negated_condition_text
from benchwright_authoring.mutation.source import ByteEdit, ReferenceSource


def _predicate_written_in_file(source: ReferenceSource, node: SyntaxNode) -> SyntaxNode | None:
    if isinstance(node, ConditionalStatementSyntax | ConditionalExpressionSyntax):
        return node.predicate if source.is_written_in_file(node.predicate) else None
    return None


def _make_condition_true(source: ReferenceSource, node: SyntaxNode) -> Iterator[ByteEdit]:
    if predicate := _predicate_written_in_file(source, node):
        yield from source.replacement_edits(predicate, "1'b1")


def _make_condition_false(source: ReferenceSource, node: SyntaxNode) -> Iterator[ByteEdit]:
    if predicate := _predicate_written_in_file(source, node):
        yield from source.replacement_edits(predicate, "1'b0")


def _negate_condition(source: ReferenceSource, node: SyntaxNode) -> Iterator[ByteEdit]:
    # Of ?: that is its arms in each other's place.
    if isinstance(node, ConditionalStatementSyntax) and source.is_written_in_file(node.predicate):
        yield from source.replacement_edits(node.predicate, negated_condition_text(source, node.predicate))


def _drop_else(source: ReferenceSource, node: SyntaxNode) -> Iterator[ByteEdit]:
    if isinstance(node, ConditionalStatementSyntax) and node.elseClause is not None:
        yield from source.replacement_edits(node.elseClause, "")


def _drop_case_item(source: ReferenceSource, node: SyntaxNode) -> Iterator[ByteEdit]:
    if isinstance(node, CaseStatementSyntax) and len(list(node.items)) > 1:
        for item in node.items:
            if isinstance(item, StandardCaseItemSyntax):
                yield from source.replacement_edits(item, "")


def _drop_case_default(source: ReferenceSource, node: SyntaxNode) -> Iterator[ByteEdit]:
    if isinstance(node, CaseStatementSyntax) and len(list(node.items)) > 1:
        for item in node.items:
            if isinstance(item, DefaultCaseItemSyntax):
                yield from source.replacement_edits(item, "")


def _exchange_case_bodies(source: ReferenceSource, node: SyntaxNode) -> Iterator[ByteEdit]:
    if isinstance(node, CaseStatementSyntax):
        case_items = [item for item in node.items if isinstance(item, StandardCaseItemSyntax | DefaultCaseItemSyntax)]
        for first_item, second_item in pairwise(case_items):
            yield from source.exchange_edits(first_item.clause, second_item.clause)


KINDS = (
    MutationKind("condition-opposite", "the opposite condition", _negate_condition),
    MutationKind("condition-always", "a condition that is always met", _make_condition_true),
    MutationKind("condition-never", "a condition that is never met", _make_condition_false),
    MutationKind("else-dropped", "an if without its else", _drop_else),
    MutationKind("case-item-dropped", "a case without one of its items", _drop_case_item),
    MutationKind("default-dropped", "a case without its default", _drop_case_default),
    MutationKind(
        "case-items-exchanged", "two neighbouring branches of a case in each other's place", _exchange_case_bodies
    ),
)
