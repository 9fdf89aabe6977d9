"""The signals that expressions of an elaborated design name, and how they are written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pyslang.ast import (
    ConcatenationExpression,
    ElementSelectExpression,
    Expression,
    HierarchicalValueExpression,
    MemberAccessExpression,
    ModportPortSymbol,
    NamedValueExpression,
    NetSymbol,
    RangeSelectExpression,
    VariableSymbol,
    VisitAction,
)

from benchwright_verilog.semantics.behaviour.clock_graph import unwrap_conversions

if TYPE_CHECKING:
    from pyslang.ast import Symbol
    from pyslang.syntax import SyntaxNode

_SELECT_EXPRESSIONS = (ElementSelectExpression, RangeSelectExpression, MemberAccessExpression)
_VALUES = (NamedValueExpression, HierarchicalValueExpression)
_MAX_TEXT = 100


def signals_by_path(node: object) -> dict[str, Symbol]:
    """The nets and variables that an expression or a statement names, by their paths from the top."""
    symbols: dict[str, Symbol] = {}

    def visit(visited_node: object) -> object:
        if isinstance(visited_node, _VALUES) and (symbol := _if_net_or_variable(visited_node.symbol)) is not None:
            symbols.setdefault(symbol.hierarchicalPath, symbol)
        return VisitAction.Advance

    node.visit(visit)  # type: ignore[attr-defined]
    return symbols


def assigned_parts(target_expression: Expression) -> Iterator[Expression]:
    """Yield what the left side of an assignment assigns: several signals if that is a concatenation."""
    target_expression = unwrap_conversions(target_expression)
    if isinstance(target_expression, ConcatenationExpression):
        for operand in target_expression.operands:
            yield from assigned_parts(operand)
    else:
        yield target_expression


def signal_symbol_of(expression: Expression) -> Symbol | None:
    """The net or variable that an expression is, or is a part of."""
    expression = unwrap_conversions(expression)
    while isinstance(expression, _SELECT_EXPRESSIONS):
        expression = unwrap_conversions(expression.value)
    return _if_net_or_variable(expression.symbol) if isinstance(expression, _VALUES) else None


def selector_expressions(expression: Expression) -> Iterator[Expression]:
    """The expressions that select the part of a signal that an expression is."""
    expression = unwrap_conversions(expression)
    while isinstance(expression, _SELECT_EXPRESSIONS):
        if isinstance(expression, ElementSelectExpression):
            yield expression.selector
        elif isinstance(expression, RangeSelectExpression):
            yield from (expression.left, expression.right)
        expression = unwrap_conversions(expression.value)


def one_line_source(syntax: SyntaxNode | None) -> str:
    """Source code on one line, without comments around it; what is too long is cut."""
    if syntax is None:
        return ""
    # A token of its own has the comment before it as trivia: the range has not.
    text = " ".join(part for line in str(syntax).strip().splitlines() if (part := line.partition("//")[0].strip()))
    return text if len(text) <= _MAX_TEXT else f"{text[: _MAX_TEXT - 1]}…"


def _if_net_or_variable(symbol: Symbol) -> Symbol | None:
    if isinstance(symbol, ModportPortSymbol):
        internal_symbol = symbol.internalSymbol
        return _if_net_or_variable(internal_symbol) if internal_symbol is not None else None
    return symbol if isinstance(symbol, NetSymbol | VariableSymbol) else None
