"""The signals that a block assigns on every path through it, and those that it assigns on some."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyslang.ast import (
    AssignmentExpression,
    BlockStatement,
    CaseStatement,
    ConditionalStatement,
    ElementSelectExpression,
    EnumType,
    ExpressionStatement,
    ForLoopStatement,
    IntegerLiteral,
    MemberAccessExpression,
    NamedValueExpression,
    RangeSelectExpression,
    StatementList,
    TimedStatement,
)

from benchwright_verilog.semantics.behaviour.clock_graph import unwrap_conversions
from benchwright_verilog.semantics.behaviour.guarded_statements import guarded_statements
from benchwright_verilog.semantics.names.named_values import assigned_parts, signal_symbol_of

if TYPE_CHECKING:
    from pyslang.ast import Expression, Statement

_PARTS = (ElementSelectExpression, RangeSelectExpression, MemberAccessExpression)


def first_whole_assignment_by_signal_path(statement: Statement) -> dict[str, AssignmentExpression]:
    """The whole signals that are assigned anywhere, each with the first assignment, by their paths.

    Signals of which parts are assigned are left out: whether the parts make a whole depends on values.
    """
    assigned: dict[str, AssignmentExpression] = {}
    in_parts: set[str] = set()
    for guarded_statement in guarded_statements(statement):
        expression = (
            guarded_statement.statement.expr if isinstance(guarded_statement.statement, ExpressionStatement) else None
        )
        if not isinstance(expression, AssignmentExpression):
            continue
        for target_expression in assigned_parts(expression.left):
            symbol = signal_symbol_of(target_expression)
            if symbol is None:
                continue
            if isinstance(unwrap_conversions(target_expression), _PARTS):
                in_parts.add(symbol.hierarchicalPath)
            else:
                assigned.setdefault(symbol.hierarchicalPath, expression)
    return {path: expression_ for path, expression_ in assigned.items() if path not in in_parts}


def signal_paths_always_assigned(statement: Statement) -> frozenset[str]:
    """The paths of the signals that are assigned whichever way the conditions go."""
    match statement:
        case StatementList():
            return frozenset().union(*(signal_paths_always_assigned(inner) for inner in statement.list))
        case BlockStatement():
            return signal_paths_always_assigned(statement.body)
        case TimedStatement():
            return signal_paths_always_assigned(statement.stmt)
        case ConditionalStatement():
            if statement.ifFalse is None:
                return frozenset()
            return signal_paths_always_assigned(statement.ifTrue) & signal_paths_always_assigned(statement.ifFalse)
        case CaseStatement():
            return _signal_paths_assigned_in_every_branch(statement)
        case ForLoopStatement():
            # That a loop runs at least once is what its author relies on.
            return signal_paths_always_assigned(statement.body)
        case ExpressionStatement() if isinstance(statement.expr, AssignmentExpression):
            lefts = (left for left in assigned_parts(statement.expr.left))
            return frozenset(
                symbol.hierarchicalPath for left in lefts if (symbol := signal_symbol_of(left)) is not None
            )
        case _:
            return frozenset()


def _signal_paths_assigned_in_every_branch(statement: CaseStatement) -> frozenset[str]:
    branches = [signal_paths_always_assigned(item.stmt) for item in statement.items]
    if statement.defaultCase is not None:
        branches.append(signal_paths_always_assigned(statement.defaultCase))
    elif not _has_label_for_each_value(statement):
        return frozenset()
    return frozenset.intersection(*branches) if branches else frozenset()


def _has_label_for_each_value(statement: CaseStatement) -> bool:
    """True if there are as many different labels as the expression has values."""
    expression_type = statement.expr.type.canonicalType
    value_count = len(list(expression_type)) if isinstance(expression_type, EnumType) else 1 << expression_type.bitWidth
    labels = {_case_label_text(label_expression) for item in statement.items for label_expression in item.expressions}
    return None not in labels and len(labels) >= value_count


def _case_label_text(expression: Expression) -> str | None:
    expression = unwrap_conversions(expression)
    if isinstance(expression, IntegerLiteral):
        return str(expression.value)
    return expression.symbol.name if isinstance(expression, NamedValueExpression) else None
