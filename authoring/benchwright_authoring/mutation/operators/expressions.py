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

from benchwright_authoring.mutation.kind import Kind
from benchwright_authoring.mutation.source import Edit, Source

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


def _binary(replacements: Mapping[str, str]) -> Callable[[Source, SyntaxNode], Iterator[Edit]]:
    def edits(source: Source, node: SyntaxNode) -> Iterator[Edit]:
        if isinstance(node, BinaryExpressionSyntax) and not _assigns(node):
            yield from _other_operator(source, node, replacements)

    return edits


def _assigns(node: BinaryExpressionSyntax) -> bool:
    """True if it is an assignment, whose `<=` compares nothing; not one that calculates too, such as `+=`."""
    return node.kind in (SyntaxKind.AssignmentExpression, SyntaxKind.NonblockingAssignmentExpression)


def _other_operator(
    source: Source,
    node: BinaryExpressionSyntax | PrefixUnaryExpressionSyntax | PostfixUnaryExpressionSyntax,
    replacements: Mapping[str, str],
) -> Iterator[Edit]:
    if replacement := replacements.get(node.operatorToken.rawText):
        yield from source.replaced(node.operatorToken, replacement)


def _reductions(source: Source, node: SyntaxNode) -> Iterator[Edit]:
    if isinstance(node, PrefixUnaryExpressionSyntax):
        yield from _other_operator(source, node, _REDUCTION)


def _steps(source: Source, node: SyntaxNode) -> Iterator[Edit]:
    if isinstance(node, PrefixUnaryExpressionSyntax | PostfixUnaryExpressionSyntax):
        yield from _other_operator(source, node, _STEP)


def _without_negation(source: Source, node: SyntaxNode) -> Iterator[Edit]:
    if not isinstance(node, PrefixUnaryExpressionSyntax) or node.operatorToken.rawText not in ("!", "~", "-"):
        return
    if source.has_place(node.operand):
        yield from source.replaced(node, source.text(node.operand))


def _one_operand(source: Source, node: SyntaxNode) -> Iterator[Edit]:
    if isinstance(node, BinaryExpressionSyntax) and node.operatorToken.rawText in _WITH_TWO_SIDES:
        for side in (node.left, node.right):
            if source.has_place(side):
                yield from source.replaced(node, source.text(side))


KINDS = (
    Kind("arithmetic-operator", "another arithmetic operator: - for +", _binary(_ARITHMETIC)),
    Kind("bitwise-operator", "another bitwise operator: | for &", _binary(_BITWISE)),
    Kind("exclusive-or", "exclusive for inclusive: ^ for |", _binary(_EXCLUSIVE)),
    Kind("logical-operator", "another logical operator: || for &&", _binary(_LOGICAL)),
    Kind("boundary", "a comparison off by one: <= for <", _binary(_BOUNDARY)),
    Kind("comparison", "the opposite comparison: >= for <", _binary(_DIRECTION)),
    Kind("equality", "the opposite equality: != for ==", _binary(_EQUALITY)),
    Kind("shift-direction", "a shift in the other direction", _binary(_SHIFT)),
    Kind("shift-sign", "a logical for an arithmetic shift", _binary(_SIGN_OF_SHIFT)),
    Kind("reduction-operator", "another reduction: |x for &x", _reductions),
    Kind("step-direction", "-- for ++", _steps),
    Kind("negation-dropped", "x for !x, ~x or -x", _without_negation),
    Kind("operand-dropped", "one operand alone: a for a && b", _one_operand),
)
