"""The opposite of a condition, written as the kinds of operators write it, so that a fault is not made twice."""

from __future__ import annotations

from pyslang.syntax import BinaryExpressionSyntax, ConditionalPredicateSyntax, PrefixUnaryExpressionSyntax

from benchwright_authoring.mutation.source import ReferenceSource

_OPPOSITES = {"==": "!=", "!=": "==", "===": "!==", "!==": "===", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}


def negated_condition_text(source: ReferenceSource, predicate: ConditionalPredicateSyntax) -> str:
    """The opposite of a condition of `source`: `a` of `!a`, `a != b` of `a == b`, else `!(a)`."""
    predicate_conditions = list(predicate.conditions)
    only = predicate_conditions[0].expr if len(predicate_conditions) == 1 else None
    if isinstance(only, PrefixUnaryExpressionSyntax) and only.operatorToken.rawText == "!":
        return source.source_text(only.operand)
    if isinstance(only, BinaryExpressionSyntax) and (opposite_operator := _OPPOSITES.get(only.operatorToken.rawText)):
        operator = only.operatorToken.range
        text_before = source.content[predicate.sourceRange.start.offset : operator.start.offset].decode()
        text_after = source.content[operator.end.offset : predicate.sourceRange.end.offset].decode()
        return f"{text_before}{opposite_operator}{text_after}"
    return f"!({source.source_text(predicate)})"
