"""Bounds that are one too far.

In

    if (count == DEPTH) count <= 0;

`count` takes `DEPTH + 1` values.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pyslang.ast import (
    BinaryExpression,
    BinaryOperator,
    ForLoopStatement,
    IntegerLiteral,
    NamedValueExpression,
    ParameterSymbol,
    VisitAction,
)

from benchwright_verilog.causes.assignments import assignment_if_any, is_clocked
from benchwright_verilog.causes.cause import Cause, CauseKind, ExaminedInstance
from benchwright_verilog.semantics.behaviour.clock_graph import unwrap_conversions
from benchwright_verilog.semantics.behaviour.guarded_statements import StatementGuard, guarded_statements
from benchwright_verilog.semantics.behaviour.registers import processes_of
from benchwright_verilog.semantics.names.named_values import (
    assigned_parts,
    one_line_source,
    signal_symbol_of,
    signals_by_path,
)

if TYPE_CHECKING:
    from pyslang.ast import Expression

_REACHES = (BinaryOperator.Equality, BinaryOperator.GreaterThanEqual, BinaryOperator.GreaterThan)


def counters_wrapping_late(examined: ExaminedInstance) -> Iterator[Cause]:
    """Counters that begin again only after they have reached a number of elements."""
    for block in processes_of(examined.symbol.body):
        for guarded_statement in guarded_statements(block.body) if is_clocked(block) else ():
            assignment = assignment_if_any(guarded_statement)
            if assignment is None or signals_by_path(assignment.right):
                continue
            targets = {
                symbol.hierarchicalPath
                for left in assigned_parts(assignment.left)
                if (symbol := signal_symbol_of(left))
            }
            for guard in guarded_statement.guards:
                bound = _compared_count_and_operator(guard, targets)
                span = examined.design.file_span(guard.expression.sourceRange)
                if bound is None or span is None:
                    continue
                name, operator = bound
                surplus = "two more" if operator == BinaryOperator.GreaterThan else "one more"
                yield Cause(
                    CauseKind.OFF_BY_ONE,
                    f"The counter may run one too far: `{one_line_source(guard.expression.syntax)}`",
                    span,
                    f"Counted from 0, it takes {surplus} than {name} values before it begins again."
                    + (" What was seen differs by one." if examined.evidence.is_off_by_one else ""),
                    f"Compare with `{name} - 1` if there should be {name} values.",
                    3 + 5 * examined.evidence.is_off_by_one,
                )


def off_by_one_loops(examined: ExaminedInstance) -> Iterator[Cause]:
    """`for (int i = 0; i <= N; …)`."""
    stop_conditions: list[BinaryExpression] = []

    def visit(node: object) -> object:
        if isinstance(node, ForLoopStatement) and node.stopExpr is not None:
            stop = unwrap_conversions(node.stopExpr)
            if isinstance(stop, BinaryExpression) and stop.op == BinaryOperator.LessThanEqual:
                stop_conditions.append(stop)
        return VisitAction.Advance

    for block in processes_of(examined.symbol.body):
        block.body.visit(visit)
    for stop in stop_conditions:
        span = examined.design.file_span(stop.sourceRange)
        name = _element_count_text(stop.right)
        if span is not None and name is not None:
            yield Cause(
                CauseKind.OFF_BY_ONE,
                f"The loop may run once too often: `{one_line_source(stop.syntax)}`",
                span,
                f"With `<=` it runs for {name} as well; {name} elements from 0 end at {name} - 1.",
                f"Write `< {name}` if there are {name} elements.",
                3 + 4 * examined.evidence.is_off_by_one,
            )


def _compared_count_and_operator(guard: StatementGuard, counter_paths: set[str]) -> tuple[str, BinaryOperator] | None:
    """The number that a counter is compared with, as written, if it is one of elements rather than the last."""
    guard_comparison = unwrap_conversions(guard.expression)
    if (
        guard.label_values
        or not guard.holds
        or not isinstance(guard_comparison, BinaryExpression)
        or guard_comparison.op not in _REACHES
    ):
        return None
    symbol = signal_symbol_of(guard_comparison.left)
    name = _element_count_text(guard_comparison.right)
    if symbol is None or symbol.hierarchicalPath not in counter_paths or name is None:
        return None
    return name, guard_comparison.op


def _element_count_text(expression: Expression) -> str | None:
    """The text written for a number of elements: a parameter alone, or 8, 16, 100 …, but not 7 or `N - 1`."""
    expression = unwrap_conversions(expression)
    text = one_line_source(expression.syntax)
    if isinstance(expression, NamedValueExpression) and isinstance(expression.symbol, ParameterSymbol):
        upper_name = expression.symbol.name.upper()
        return None if upper_name.startswith(("MAX", "LAST")) or upper_name.endswith(("MAX", "LAST", "_M1")) else text
    if isinstance(expression, IntegerLiteral):
        value = 0 if expression.value.hasUnknown or expression.value.bitWidth > 64 else int(expression.value)
        is_round = value % 10 == 0 or value & (value - 1) == 0
        return text or str(value) if value > 1 and is_round else None
    return None
