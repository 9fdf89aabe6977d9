"""State machines: another next state, a branch of another state."""

from __future__ import annotations

from collections.abc import Iterator

from pyslang.syntax import BinaryExpressionSyntax, IdentifierNameSyntax, StandardCaseItemSyntax, SyntaxKind, SyntaxNode

from benchwright_authoring.mutation.kind import MutationKind
from benchwright_authoring.mutation.source import ByteEdit, ReferenceSource

_ASSIGNMENTS = (SyntaxKind.AssignmentExpression, SyntaxKind.NonblockingAssignmentExpression)


def _replace_by_next_state(source: ReferenceSource, node: SyntaxNode) -> Iterator[ByteEdit]:
    """The state that is declared after the one that is named."""
    if isinstance(node, IdentifierNameSyntax):
        name = node.identifier.valueText
        for group in source.state_name_groups:
            if name in group:
                yield from source.replacement_edits(node, group[(group.index(name) + 1) % len(group)])
                return


def _replace_assigned_state(source: ReferenceSource, node: SyntaxNode) -> Iterator[ByteEdit]:
    parent = node.parent
    while parent is not None and parent.kind in (
        SyntaxKind.ConditionalExpression,
        SyntaxKind.ParenthesizedExpression,
    ):
        parent = parent.parent
    if isinstance(parent, BinaryExpressionSyntax) and parent.kind in _ASSIGNMENTS:
        yield from _replace_by_next_state(source, node)


def _replace_case_label(source: ReferenceSource, node: SyntaxNode) -> Iterator[ByteEdit]:
    if isinstance(node.parent, StandardCaseItemSyntax):
        yield from _replace_by_next_state(source, node)


KINDS = (
    MutationKind("transition", "another next state", _replace_assigned_state),
    MutationKind("state-of-branch", "a branch of a case for another state", _replace_case_label),
)
