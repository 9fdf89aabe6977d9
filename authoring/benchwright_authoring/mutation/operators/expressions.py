"""Operators of expressions: another of the same sort, or one operand alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from pyslang.syntax import (
    BinaryExpressionSyntax,
    PostfixUnaryExpressionSyntax,
    PrefixUnaryExpressionSyntax,
    SyntaxKind,
    SyntaxNode,
)

from benchwright_authoring.mutation.kind import MutationKind
from benchwright_authoring.mutation.source import ByteEdit, ReferenceSource

_ARITHMETIC = {"+": "-", "-": "+", "*": "+", "/": "*", "%": "/", "**": "*", "+=": "-=", "-=": "+=", "*=": "+="}
_BITWISE = {"&": "|", "|": "&", "^": "~^", "~^": "^", "^~": "^", "&=": "|=", "|=": "&=", "^=": "|="}
_EXCLUSIVE = {"^": "|", "|": "^", "&": "^"}
_LOGICAL = {"&&": "||", "||": "&&"}
_BOUNDARY = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
_DIRECTION = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_EQUALITY = {"==": "!=", "!=": "==", "===": "!==", "!==": "===", "==?": "!=?", "!=?": "==?"}
_SHIFT = {"<<": ">>", ">>": "<<", "<<<": ">>>", ">>>": "<<<"}
_SIGN_OF_SHIFT = {">>>": ">>"}
_REDUCTION = {"&": "|", "|": "&", "^": "|", "~&": "~|", "~|": "~&", "~^": "^", "^~": "^"}
_STEP = {"++": "--", "--": "++"}
_WITH_TWO_SIDES = {*_ARITHMETIC, *_BITWISE, *_LOGICAL} - {"+=", "-=", "*=", "&=", "|=", "^="}


def _binary_operator_edits(
    replacement_by_operator: Mapping[str, str],
) -> Callable[[ReferenceSource, SyntaxNode], Iterator[ByteEdit]]:
    def edits(source: ReferenceSource, node: SyntaxNode) -> Iterator[ByteEdit]:
        if isinstance(node, BinaryExpressionSyntax) and not _is_plain_assignment(node):
            yield from _replace_operator(source, node, replacement_by_operator)

    return edits


def _is_plain_assignment(node: BinaryExpressionSyntax) -> bool:
    """True if it is an assignment, whose `<=` compares nothing; not one that calculates too, such as `+=`."""
    return node.kind in (SyntaxKind.AssignmentExpression, SyntaxKind.NonblockingAssignmentExpression)


def _replace_operator(
    source: ReferenceSource,
    node: BinaryExpressionSyntax | PrefixUnaryExpressionSyntax | PostfixUnaryExpressionSyntax,
    replacement_by_operator: Mapping[str, str],
) -> Iterator[ByteEdit]:
    if replacement := replacement_by_operator.get(node.operatorToken.rawText):
        yield from source.replacement_edits(node.operatorToken, replacement)


def _replace_reduction(source: ReferenceSource, node: SyntaxNode) -> Iterator[ByteEdit]:
    if isinstance(node, PrefixUnaryExpressionSyntax):
        yield from _replace_operator(source, node, _REDUCTION)


def _exchange_increment_and_decrement(source: ReferenceSource, node: SyntaxNode) -> Iterator[ByteEdit]:
    if isinstance(node, PrefixUnaryExpressionSyntax | PostfixUnaryExpressionSyntax):
        yield from _replace_operator(source, node, _STEP)


def _drop_negation(source: ReferenceSource, node: SyntaxNode) -> Iterator[ByteEdit]:
    if not isinstance(node, PrefixUnaryExpressionSyntax) or node.operatorToken.rawText not in ("!", "~", "-"):
        return
    if source.is_written_in_file(node.operand):
        yield from source.replacement_edits(node, source.source_text(node.operand))


def _replace_by_either_operand(source: ReferenceSource, node: SyntaxNode) -> Iterator[ByteEdit]:
    if isinstance(node, BinaryExpressionSyntax) and node.operatorToken.rawText in _WITH_TWO_SIDES:
        for operand in (node.left, node.right):
            if source.is_written_in_file(operand):
                yield from source.replacement_edits(node, source.source_text(operand))


KINDS = (
    MutationKind("arithmetic-operator", "another arithmetic operator: - for +", _binary_operator_edits(_ARITHMETIC)),
    MutationKind("bitwise-operator", "another bitwise operator: | for &", _binary_operator_edits(_BITWISE)),
    MutationKind("exclusive-or", "exclusive for inclusive: ^ for |", _binary_operator_edits(_EXCLUSIVE)),
    MutationKind("logical-operator", "another logical operator: || for &&", _binary_operator_edits(_LOGICAL)),
    MutationKind("boundary", "a comparison off by one: <= for <", _binary_operator_edits(_BOUNDARY)),
    MutationKind("comparison", "the opposite comparison: >= for <", _binary_operator_edits(_DIRECTION)),
    MutationKind("equality", "the opposite equality: != for ==", _binary_operator_edits(_EQUALITY)),
    MutationKind("shift-direction", "a shift in the other direction", _binary_operator_edits(_SHIFT)),
    MutationKind("shift-sign", "a logical for an arithmetic shift", _binary_operator_edits(_SIGN_OF_SHIFT)),
    MutationKind("reduction-operator", "another reduction: |x for &x", _replace_reduction),
    MutationKind("step-direction", "-- for ++", _exchange_increment_and_decrement),
    MutationKind("negation-dropped", "x for !x, ~x or -x", _drop_negation),
    MutationKind("operand-dropped", "one operand alone: a for a && b", _replace_by_either_operand),
)
