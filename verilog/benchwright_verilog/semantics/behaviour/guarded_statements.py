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
class Guard:
    """One condition. What is under it happens if the expression is one of the values, or is none of them."""

    expression: Expression
    values: tuple[Expression, ...] = ()
    """Of a `case`: the labels. Empty for an `if`: there the expression itself is true or not."""
    holds: bool = True
    """True if the expression is one of the values; false for `else` and `default`."""


@dataclass(frozen=True)
class Guarded:
    """A statement without statements in it."""

    statement: Statement
    guards: tuple[Guard, ...]
    """The outermost first."""


def guarded(statement: Statement, guards: tuple[Guard, ...] = ()) -> Iterator[Guarded]:
    """The statements in another, in the order of the file."""
    match statement:
        case StatementList():
            for inner in statement.list:
                yield from guarded(inner, guards)
        case BlockStatement():
            yield from guarded(statement.body, guards)
        case TimedStatement():
            yield from guarded(statement.stmt, guards)
        case ConditionalStatement():
            conditions = tuple(Guard(condition.expr) for condition in statement.conditions)
            yield from guarded(statement.ifTrue, (*guards, *conditions))
            if statement.ifFalse is not None:
                otherwise = tuple(Guard(guard.expression, holds=False) for guard in conditions)
                yield from guarded(statement.ifFalse, (*guards, *otherwise))
        case CaseStatement():
            labels: tuple[Expression, ...] = ()
            for item in statement.items:
                labels += tuple(item.expressions)
                yield from guarded(item.stmt, (*guards, Guard(statement.expr, tuple(item.expressions))))
            if statement.defaultCase is not None:
                yield from guarded(statement.defaultCase, (*guards, Guard(statement.expr, labels, holds=False)))
        case PatternCaseStatement():
            for pattern in statement.items:
                yield from guarded(pattern.stmt, (*guards, Guard(statement.expr)))
            if statement.defaultCase is not None:
                yield from guarded(statement.defaultCase, (*guards, Guard(statement.expr, holds=False)))
        case ForLoopStatement():
            conditions = (Guard(statement.stopExpr),) if statement.stopExpr is not None else ()
            yield from guarded(statement.body, (*guards, *conditions))
        case WhileLoopStatement():
            yield from guarded(statement.body, (*guards, Guard(statement.cond)))
        case RepeatLoopStatement():
            yield from guarded(statement.body, (*guards, Guard(statement.count)))
        case ForeachLoopStatement():
            yield from guarded(statement.body, guards)
        case _:
            yield Guarded(statement, guards)


def events_of(statement: Statement) -> tuple[SignalEventControl, ...]:
    """The signals that a process waits for before each time that it runs."""
    if not isinstance(statement, TimedStatement):
        return ()
    timing: TimingControl = statement.timing
    events = timing.events if isinstance(timing, EventListControl) else [timing]
    return tuple(event for event in events if isinstance(event, SignalEventControl))
