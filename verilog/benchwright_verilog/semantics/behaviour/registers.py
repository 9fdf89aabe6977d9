"""The registers of an instance: at which edge of which clock each is written, and how it is reset.

In

    always_ff @(posedge clk or negedge rst_n)
      if (!rst_n) q <= '0; else q <= d;

`clk` is the clock, because the block does not read it, and `rst_n` resets `q` asynchronously at 0. A synchronous reset
is a signal whose name says so, such as `rst`, `reset_n` or `clear`, in the outermost condition of an assignment.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyslang.ast import (
    AssignmentExpression,
    EdgeKind,
    ExpressionStatement,
    GenerateBlockArraySymbol,
    GenerateBlockSymbol,
    ProceduralBlockKind,
    ProceduralBlockSymbol,
    UnaryExpression,
    UnaryOperator,
)

from benchwright_verilog.semantics.behaviour.clock_graph import unwrap_conversions
from benchwright_verilog.semantics.behaviour.guarded_statements import (
    GuardedStatement,
    StatementGuard,
    awaited_signal_events,
    guarded_statements,
)
from benchwright_verilog.semantics.compilation.instances import FileSpan
from benchwright_verilog.semantics.compilation.slang import type_text
from benchwright_verilog.semantics.names.named_values import (
    assigned_parts,
    one_line_source,
    signal_symbol_of,
    signals_by_path,
)

if TYPE_CHECKING:
    from pyslang.ast import InstanceBodySymbol, Symbol

    from benchwright_verilog.semantics.compilation.instances import InstanceTree

_CLOCKED = (ProceduralBlockKind.Always, ProceduralBlockKind.AlwaysFF)
_EDGES = {EdgeKind.PosEdge: "posedge", EdgeKind.NegEdge: "negedge", EdgeKind.BothEdges: "edge"}
_NOT = (UnaryOperator.LogicalNot, UnaryOperator.BitwiseNot)
_RESET = re.compile(r"(?:^|_)(?:[as]?_?rst|a?s?reset|srst|arst|nrst|clear|clr)", re.IGNORECASE)
"""In the name of a reset."""
_MAX_REGISTERS = 10_000


@dataclass(frozen=True)
class RegisterClock:
    """The clock that writes a register."""

    name: str
    edge: str
    """`posedge`, `negedge` or `edge`."""


@dataclass(frozen=True)
class Reset:
    """The signal that resets a register."""

    name: str
    active_level: int
    """The level at which it does, 0 or 1."""
    is_asynchronous: bool
    value: str
    """The value that the register takes, as it is written."""


@dataclass(frozen=True)
class Register:
    """A signal that is written at an edge."""

    path: str
    """From the top."""
    name: str
    type: str
    clock: RegisterClock | None
    """None if the block waits for several edges, and it is not clear which of them is the clock."""
    reset: Reset | None
    declaration: FileSpan | None
    written_span: FileSpan | None
    """Its first assignment."""


def registers(design: InstanceTree, instance_path: str) -> list[Register] | None:
    """The registers of an instance in the order of the file, at most 10,000; None if there is no such instance."""
    with design.lock:
        symbol = design.instance_symbol_around(instance_path)
        if symbol is None or symbol.hierarchicalPath != instance_path:
            return None
        by_path: dict[str, Register] = {}
        for block in processes_of(symbol.body):
            for register in _registers_of_process(design, block) if block.procedureKind in _CLOCKED else ():
                if register.path not in by_path or (
                    by_path[register.path].reset is None and register.reset is not None
                ):
                    by_path[register.path] = register
                if len(by_path) >= _MAX_REGISTERS:
                    return list(by_path.values())
        return list(by_path.values())


def processes_of(
    scope: InstanceBodySymbol | GenerateBlockSymbol | GenerateBlockArraySymbol,
) -> Iterator[ProceduralBlockSymbol]:
    """The processes of an instance, also those in generate blocks."""
    for scope_member in scope:
        if isinstance(scope_member, ProceduralBlockSymbol):
            yield scope_member
        elif isinstance(scope_member, GenerateBlockArraySymbol) or (
            isinstance(scope_member, GenerateBlockSymbol) and not scope_member.isUninstantiated
        ):
            yield from processes_of(scope_member)


def is_reset_name(name: str) -> bool:
    """True if a signal of this name is taken for a reset, without being one that a process waits for."""
    return _RESET.search(name) is not None


def tested_signal_and_level(guard: StatementGuard) -> tuple[Symbol, int] | None:
    """The signal that a condition tests alone, and the level at which the condition holds."""
    expression, level = unwrap_conversions(guard.expression), 1 if guard.holds else 0
    if guard.label_values:
        return None
    while isinstance(expression, UnaryExpression) and expression.op in _NOT:
        expression, level = unwrap_conversions(expression.operand), 1 - level
    symbol = signal_symbol_of(expression)
    return (symbol, level) if symbol is not None else None


def clock_and_reset_levels(block: ProceduralBlockSymbol) -> tuple[RegisterClock | None, dict[str, int]] | None:
    """The clock of a process, and the levels of its asynchronous resets by their paths; None without an edge."""
    events = awaited_signal_events(block.body)
    edges = [
        (symbol, event.edge) for event in events if event.edge in _EDGES and (symbol := signal_symbol_of(event.expr))
    ]
    if not edges or len(edges) < len(events):
        return None
    read_paths = {
        path for guarded_statement in guarded_statements(block.body) for path in _read_signal_paths(guarded_statement)
    }
    clocks = [edge_event for edge_event in edges if len(edges) == 1 or edge_event[0].hierarchicalPath not in read_paths]
    clock = RegisterClock(clocks[0][0].name, _EDGES[clocks[0][1]]) if len(clocks) == 1 else None
    resets = {
        symbol.hierarchicalPath: 0 if edge == EdgeKind.NegEdge else 1
        for symbol, edge in edges
        if (symbol, edge) not in clocks
    }
    return clock, resets


def _registers_of_process(design: InstanceTree, block: ProceduralBlockSymbol) -> Iterator[Register]:
    timing = clock_and_reset_levels(block)
    if timing is None:
        return
    clock, resets = timing
    for guarded_statement in guarded_statements(block.body):
        expression = (
            guarded_statement.statement.expr if isinstance(guarded_statement.statement, ExpressionStatement) else None
        )
        if not isinstance(expression, AssignmentExpression):
            continue
        reset = _reset_of_assignment(guarded_statement.guards, resets, expression)
        for target_expression in assigned_parts(expression.left):
            symbol = signal_symbol_of(target_expression)
            # A variable of the block is no register.
            if symbol is not None and not _is_declared_in_process(symbol, block):
                yield Register(
                    path=symbol.hierarchicalPath,
                    name=symbol.name,
                    type=type_text(symbol.type),  # type: ignore[attr-defined]
                    clock=clock,
                    reset=reset,
                    declaration=design.declaration_span(symbol),
                    written_span=design.file_span(expression.sourceRange),
                )


def _reset_of_assignment(
    guards: Iterable[StatementGuard], reset_levels_by_path: dict[str, int], assignment: AssignmentExpression
) -> Reset | None:
    outermost = next(iter(guards), None)
    tested = tested_signal_and_level(outermost) if outermost is not None else None
    if tested is None:
        return None
    symbol, level = tested
    # What the expression was converted from is written only in the syntax of the assignment.
    value = one_line_source(getattr(assignment.syntax, "right", None))
    if symbol.hierarchicalPath in reset_levels_by_path:
        is_it = level == reset_levels_by_path[symbol.hierarchicalPath]
        return Reset(symbol.name, level, True, value) if is_it else None
    is_named_so = is_reset_name(symbol.name) and outermost is not None and outermost.holds
    return Reset(symbol.name, level, False, value) if is_named_so else None


def _read_signal_paths(guarded_statement: GuardedStatement) -> Iterator[str]:
    for guard in guarded_statement.guards:
        for expression in (guard.expression, *guard.label_values):
            yield from signals_by_path(expression)
    statement = guarded_statement.statement
    is_assignment = isinstance(statement, ExpressionStatement) and isinstance(statement.expr, AssignmentExpression)
    yield from signals_by_path(statement.expr.right if is_assignment else statement)  # type: ignore[attr-defined]


def _is_declared_in_process(symbol: Symbol, block: ProceduralBlockSymbol) -> bool:
    return any(symbol.parentScope == inner_block for inner_block in block.blocks)
