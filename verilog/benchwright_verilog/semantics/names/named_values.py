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

from benchwright_verilog.semantics.behaviour.clock_graph import unwrapped

if TYPE_CHECKING:
    from pyslang.ast import Symbol
    from pyslang.syntax import SyntaxNode

_SELECTS = (ElementSelectExpression, RangeSelectExpression, MemberAccessExpression)
_VALUES = (NamedValueExpression, HierarchicalValueExpression)
_MAX_TEXT = 100


def symbols_in(node: object) -> dict[str, Symbol]:
    """The nets and variables that an expression or a statement names, by their paths from the top."""
    symbols: dict[str, Symbol] = {}

    def visit(inner: object) -> object:
        if isinstance(inner, _VALUES) and (symbol := _declared(inner.symbol)) is not None:
            symbols.setdefault(symbol.hierarchicalPath, symbol)
        return VisitAction.Advance

    node.visit(visit)  # type: ignore[attr-defined]
    return symbols


def targets_of(left: Expression) -> Iterator[Expression]:
    """Yield what the left side of an assignment assigns: several signals if that is a concatenation."""
    left = unwrapped(left)
    if isinstance(left, ConcatenationExpression):
        for operand in left.operands:
            yield from targets_of(operand)
    else:
        yield left


def symbol_of(expression: Expression) -> Symbol | None:
    """The net or variable that an expression is, or is a part of."""
    expression = unwrapped(expression)
    while isinstance(expression, _SELECTS):
        expression = unwrapped(expression.value)
    return _declared(expression.symbol) if isinstance(expression, _VALUES) else None


def indices_of(expression: Expression) -> Iterator[Expression]:
    """The expressions that select the part of a signal that an expression is."""
    expression = unwrapped(expression)
    while isinstance(expression, _SELECTS):
        if isinstance(expression, ElementSelectExpression):
            yield expression.selector
        elif isinstance(expression, RangeSelectExpression):
            yield from (expression.left, expression.right)
        expression = unwrapped(expression.value)


def text_of(syntax: SyntaxNode | None) -> str:
    """Source code on one line, without comments around it; what is too long is cut."""
    if syntax is None:
        return ""
    # A token of its own has the comment before it as trivia: the range has not.
    text = " ".join(part for line in str(syntax).strip().splitlines() if (part := line.partition("//")[0].strip()))
    return text if len(text) <= _MAX_TEXT else f"{text[: _MAX_TEXT - 1]}…"


def _declared(symbol: Symbol) -> Symbol | None:
    if isinstance(symbol, ModportPortSymbol):
        inner = symbol.internalSymbol
        return _declared(inner) if inner is not None else None
    return symbol if isinstance(symbol, NetSymbol | VariableSymbol) else None
