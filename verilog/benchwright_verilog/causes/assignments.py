"""Assignments of the wrong kind, and latches that are no `always_comb`'s.

In

    always_ff @(posedge clk) q = d;

another block that reads `q` at the same edge may see either value.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pyslang.ast import (
    AssignmentExpression,
    ExpressionStatement,
    ImplicitEventControl,
    ProceduralBlockKind,
    TimedStatement,
)

from benchwright_verilog.causes.cause import Cause, CauseKind, ExaminedInstance
from benchwright_verilog.causes.paths import first_whole_assignment_by_signal_path, signal_paths_always_assigned
from benchwright_verilog.semantics.behaviour.guarded_statements import (
    GuardedStatement,
    awaited_signal_events,
    guarded_statements,
)
from benchwright_verilog.semantics.behaviour.registers import clock_and_reset_levels, processes_of
from benchwright_verilog.semantics.names.named_values import assigned_parts, signal_symbol_of

if TYPE_CHECKING:
    from pyslang.ast import ProceduralBlockSymbol, Symbol


def blocking_in_clocked_blocks(examined: ExaminedInstance) -> Iterator[Cause]:
    """`=` to a signal of the module in a clocked block."""
    for block in processes_of(examined.symbol.body):
        if not is_clocked(block):
            continue
        for assignment, symbol in assignments_to_module_signals(block):
            span = examined.design.file_span(assignment.sourceRange)
            if not assignment.isNonBlocking and span is not None:
                yield Cause(
                    CauseKind.BLOCKING,
                    f"`{symbol.name}` is assigned by `=` in a clocked block",
                    span,
                    "Other blocks that read it at the same edge see the old or the new value, depending on the order"
                    " in which the simulator runs them.",
                    f"Write `{symbol.name} <= …`.",
                    4,
                )


def non_blocking_in_combinational_blocks(examined: ExaminedInstance) -> Iterator[Cause]:
    """`<=` in combinational logic."""
    for block in processes_of(examined.symbol.body):
        if not is_combinational(block):
            continue
        for assignment, symbol in assignments_to_module_signals(block):
            span = examined.design.file_span(assignment.sourceRange)
            if assignment.isNonBlocking and span is not None:
                yield Cause(
                    CauseKind.NON_BLOCKING,
                    f"`{symbol.name}` is assigned by `<=` in combinational logic",
                    span,
                    "It changes only after the statements below have read its old value.",
                    f"Write `{symbol.name} = …`.",
                    4,
                )


def latches_outside_always_comb(examined: ExaminedInstance) -> Iterator[Cause]:
    """Signals that an `always @*` leaves unassigned on some path; of `always_comb` slang reports them."""
    for block in processes_of(examined.symbol.body):
        if block.procedureKind != ProceduralBlockKind.Always or not is_combinational(block):
            continue
        always = signal_paths_always_assigned(block.body)
        for path, assignment in first_whole_assignment_by_signal_path(block.body).items():
            symbol = signal_symbol_of(next(iter(assigned_parts(assignment.left))))
            span = examined.design.file_span(assignment.sourceRange)
            if path not in always and symbol is not None and span is not None and is_declared_at_module_level(symbol):
                yield Cause(
                    CauseKind.LATCH,
                    f"`{symbol.name}` is a latch",
                    span,
                    "On some path through the block it is not assigned, so it keeps its old value.",
                    f"Assign a default to `{symbol.name}` at the top, or complete every `if` and `case`.",
                    5,
                )


def is_clocked(block: ProceduralBlockSymbol) -> bool:
    """True if a process waits for an edge."""
    procedure_kind = block.procedureKind
    return procedure_kind == ProceduralBlockKind.AlwaysFF or (
        procedure_kind == ProceduralBlockKind.Always and clock_and_reset_levels(block) is not None
    )


def is_combinational(block: ProceduralBlockSymbol) -> bool:
    """True if a process is evaluated whenever what it reads changes."""
    if block.procedureKind == ProceduralBlockKind.AlwaysComb:
        return True
    if block.procedureKind != ProceduralBlockKind.Always or not isinstance(block.body, TimedStatement):
        return False
    if isinstance(block.body.timing, ImplicitEventControl):
        return True
    events = awaited_signal_events(block.body)
    return bool(events) and all(event.edge.name == "None_" for event in events)


def assignments_to_module_signals(block: ProceduralBlockSymbol) -> Iterator[tuple[AssignmentExpression, Symbol]]:
    """The assignments of a process to signals of its module."""
    for guarded_statement in guarded_statements(block.body):
        assignment = assignment_if_any(guarded_statement)
        for target_expression in assigned_parts(assignment.left) if assignment is not None else ():
            symbol = signal_symbol_of(target_expression)
            if assignment is not None and symbol is not None and is_declared_at_module_level(symbol):
                yield assignment, symbol


def assignment_if_any(guarded_statement: GuardedStatement) -> AssignmentExpression | None:
    """The assignment that a statement is."""
    expression = (
        guarded_statement.statement.expr if isinstance(guarded_statement.statement, ExpressionStatement) else None
    )
    return expression if isinstance(expression, AssignmentExpression) else None


def is_declared_at_module_level(symbol: Symbol) -> bool:
    """True if a signal belongs to the module, not to a block in it."""
    scope = symbol.parentScope
    return scope is not None and not scope.isProceduralContext
