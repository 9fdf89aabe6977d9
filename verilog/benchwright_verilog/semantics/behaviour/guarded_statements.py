"""The statements of a process, each with the conditions that it is under and the events that its process waits for.

In

    always_ff @(posedge clk)
      if (load) q <= d;

`q <= d` is under `load`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyslang.ast import (
    BlockStatement,
    CaseStatement,
    ConditionalStatement,
    EventListControl,
    ForeachLoopStatement,
    ForLoopStatement,
    PatternCaseStatement,
    RepeatLoopStatement,
    SignalEventControl,
    StatementList,
    TimedStatement,
    WhileLoopStatement,
)

if TYPE_CHECKING:
    from pyslang.ast import Expression, Statement, TimingControl


@dataclass(frozen=True)
class StatementGuard:
    """One condition. What is under it happens if the expression is one of the values, or is none of them."""

    expression: Expression
    label_values: tuple[Expression, ...] = ()
    """Of a `case`: the labels. Empty for an `if`: there the expression itself is true or not."""
    holds: bool = True
    """True if the expression is one of the values; false for `else` and `default`."""


@dataclass(frozen=True)
class GuardedStatement:
    """A statement without statements in it."""

    statement: Statement
    guards: tuple[StatementGuard, ...]
    """The outermost first."""


def guarded_statements(
    statement: Statement, outer_guards: tuple[StatementGuard, ...] = ()
) -> Iterator[GuardedStatement]:
    """The statements in another, in the order of the file."""
    match statement:
        case StatementList():
            for inner in statement.list:
                yield from guarded_statements(inner, outer_guards)
        case BlockStatement():
            yield from guarded_statements(statement.body, outer_guards)
        case TimedStatement():
            yield from guarded_statements(statement.stmt, outer_guards)
        case ConditionalStatement():
            condition_guards = tuple(StatementGuard(condition.expr) for condition in statement.conditions)
            yield from guarded_statements(statement.ifTrue, (*outer_guards, *condition_guards))
            if statement.ifFalse is not None:
                otherwise = tuple(StatementGuard(guard.expression, holds=False) for guard in condition_guards)
                yield from guarded_statements(statement.ifFalse, (*outer_guards, *otherwise))
        case CaseStatement():
            label_expressions: tuple[Expression, ...] = ()
            for item in statement.items:
                label_expressions += tuple(item.expressions)
                yield from guarded_statements(
                    item.stmt, (*outer_guards, StatementGuard(statement.expr, tuple(item.expressions)))
                )
            if statement.defaultCase is not None:
                yield from guarded_statements(
                    statement.defaultCase,
                    (*outer_guards, StatementGuard(statement.expr, label_expressions, holds=False)),
                )
        case PatternCaseStatement():
            for pattern in statement.items:
                yield from guarded_statements(pattern.stmt, (*outer_guards, StatementGuard(statement.expr)))
            if statement.defaultCase is not None:
                yield from guarded_statements(
                    statement.defaultCase, (*outer_guards, StatementGuard(statement.expr, holds=False))
                )
        case ForLoopStatement():
            condition_guards = (StatementGuard(statement.stopExpr),) if statement.stopExpr is not None else ()
            yield from guarded_statements(statement.body, (*outer_guards, *condition_guards))
        case WhileLoopStatement():
            yield from guarded_statements(statement.body, (*outer_guards, StatementGuard(statement.cond)))
        case RepeatLoopStatement():
            yield from guarded_statements(statement.body, (*outer_guards, StatementGuard(statement.count)))
        case ForeachLoopStatement():
            yield from guarded_statements(statement.body, outer_guards)
        case _:
            yield GuardedStatement(statement, outer_guards)


def awaited_signal_events(statement: Statement) -> tuple[SignalEventControl, ...]:
    """The signals that a process waits for before each time that it runs."""
    if not isinstance(statement, TimedStatement):
        return ()
    timing: TimingControl = statement.timing
    events = timing.events if isinstance(timing, EventListControl) else [timing]
    return tuple(event for event in events if isinstance(event, SignalEventControl))
