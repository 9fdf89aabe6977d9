"""The drivers of signals in an elaborated design, and their clocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pyslang.ast import (
    AssignmentExpression,
    BinaryExpression,
    BinaryOperator,
    CallExpression,
    CaseStatement,
    ConcatenationExpression,
    ConditionalExpression,
    ConditionalStatement,
    ContinuousAssignSymbol,
    ConversionExpression,
    EdgeKind,
    ElementSelectExpression,
    EventListControl,
    Expression,
    GenerateBlockSymbol,
    HierarchicalValueExpression,
    InstanceSymbol,
    MemberAccessExpression,
    NamedValueExpression,
    NetSymbol,
    PortSymbol,
    ProceduralBlockKind,
    ProceduralBlockSymbol,
    RangeSelectExpression,
    SignalEventControl,
    TimedStatement,
    UninstantiatedDefSymbol,
    VariableSymbol,
    VisitAction,
)

if TYPE_CHECKING:
    from pyslang import SourceRange
    from pyslang.ast import Compilation, Statement, Symbol

_SELECTS = (ElementSelectExpression, RangeSelectExpression, MemberAccessExpression)
_VALUES = (NamedValueExpression, HierarchicalValueExpression)
_BY_CLOCK = (ProceduralBlockKind.Always, ProceduralBlockKind.AlwaysFF)
_EDGES = (EdgeKind.PosEdge, EdgeKind.NegEdge, EdgeKind.BothEdges)
_BY_VALUE = (ProceduralBlockKind.Always, ProceduralBlockKind.AlwaysComb, ProceduralBlockKind.AlwaysLatch)


@dataclass(frozen=True)
class ClockedRead:
    """One signal that is read at a clock."""

    signal: str
    """Its path from the top, as everywhere here."""
    clock: str
    source_range: SourceRange
    destination_register: str | None
    """The register that takes it as it is, without logic; None for any other use."""
    is_shifted: bool
    """True if that register shifts it through several bits."""
    guards: frozenset[str] = frozenset()
    """The signals of the conditions under which it is read."""


@dataclass
class SignalGraph:
    """The signals of a design by their paths."""

    drivers: dict[str, list[tuple[str, bool]]] = field(default_factory=dict)
    """The drivers of each signal without a clock, and whether that is all there is: an assignment or a port."""
    loads: dict[str, list[tuple[str, bool]]] = field(default_factory=dict)
    """The same from the other end."""
    clocks_by_register: dict[str, set[str]] = field(default_factory=dict)
    """The clocks at which each register is written."""
    clocked_reads: list[ClockedRead] = field(default_factory=list)
    assigned_expressions: dict[str, list[Expression]] = field(default_factory=dict)
    """The expressions that are assigned to each signal."""
    symbol_by_path: dict[str, Symbol] = field(default_factory=dict)
    unknown_signals: set[str] = field(default_factory=set)
    """The signals that are connected to modules that no file declares."""

    def add_driver(self, driven_signal: str, driving_signal: str, *, is_without_logic: bool) -> None:
        """Note that a signal drives another."""
        self.drivers.setdefault(driven_signal, []).append((driving_signal, is_without_logic))
        self.loads.setdefault(driving_signal, []).append((driven_signal, is_without_logic))


def signal_graph_of(compilation: Compilation) -> SignalGraph:
    """The signals below the tops of a compilation, which has to be elaborated for this alone."""
    graph = SignalGraph()

    def visit(symbol: object) -> object:
        match symbol:
            case GenerateBlockSymbol() if symbol.isUninstantiated:
                return VisitAction.Skip
            case InstanceSymbol():
                _add_port_drivers(graph, symbol)
            case UninstantiatedDefSymbol():
                symbol.visit(
                    lambda inner: graph.unknown_signals.update(
                        _signal_path_after_adding_symbol(graph, named_value)
                        for named_value in _signal_reference_if_any(inner)
                    )
                )
                return VisitAction.Skip
            case ContinuousAssignSymbol():
                if isinstance(symbol.assignment, AssignmentExpression):
                    _add_assignment_drivers(graph, symbol.assignment)
            case NetSymbol() if symbol.initializer is not None:
                _add_drivers(graph, [symbol.hierarchicalPath], symbol.initializer)
            case ProceduralBlockSymbol():
                _add_process(graph, symbol)
                return VisitAction.Skip
        return None

    # Modules that nothing instantiates have no path of their own.
    for top in compilation.getRoot().topInstances:
        top.visit(visit)
    return graph


def paths_and_ranges_of_signals(graph: SignalGraph, expression: object) -> Iterator[tuple[str, SourceRange]]:
    """The signals that an expression or a statement names."""
    named_values: list[NamedValueExpression | HierarchicalValueExpression] = []

    def visit(node: object) -> None:
        named_values.extend(_signal_reference_if_any(node))

    expression.visit(visit)  # type: ignore[attr-defined]
    for named_value in named_values:
        yield _signal_path_after_adding_symbol(graph, named_value), named_value.sourceRange


def unwrap_conversions(expression: Expression) -> Expression:
    """An expression without the conversions that widths and types need."""
    while isinstance(expression, ConversionExpression):
        expression = expression.operand
    return expression


def signal_path_of(graph: SignalGraph, expression: Expression) -> str | None:
    """The signal that an expression is, or is a part of."""
    expression = unwrap_conversions(expression)
    while isinstance(expression, _SELECTS):
        expression = unwrap_conversions(expression.value)
    return next(
        (_signal_path_after_adding_symbol(graph, named_value) for named_value in _signal_reference_if_any(expression)),
        None,
    )


def is_gray_code_expression(graph: SignalGraph, expression: Expression) -> bool:
    """True if an expression is `x ^ (x >> 1)`, or a call of a function that has `gray` in its name."""
    expression = unwrap_conversions(expression)
    if isinstance(expression, CallExpression):
        return "gray" in expression.subroutineName.lower()
    if not isinstance(expression, BinaryExpression) or expression.op != BinaryOperator.BinaryXor:
        return False
    operands = [unwrap_conversions(expression.left), unwrap_conversions(expression.right)]
    shifted = [
        operand
        for operand in operands
        if isinstance(operand, BinaryExpression) and operand.op == BinaryOperator.LogicalShiftRight
    ]
    names = {
        signal_path_of(graph, operand.left if operand in shifted and isinstance(operand, BinaryExpression) else operand)
        for operand in operands
    }
    return len(shifted) == 1 and len(names) == 1 and None not in names


def _signal_reference_if_any(node: object) -> Iterator[NamedValueExpression | HierarchicalValueExpression]:
    if isinstance(node, _VALUES) and isinstance(node.symbol, NetSymbol | VariableSymbol):
        yield node


def _signal_path_after_adding_symbol(
    graph: SignalGraph, value_expression: NamedValueExpression | HierarchicalValueExpression
) -> str:
    path = value_expression.symbol.hierarchicalPath
    graph.symbol_by_path.setdefault(path, value_expression.symbol)
    return path


def _add_port_drivers(graph: SignalGraph, instance: InstanceSymbol) -> None:
    for connection in instance.portConnections:
        port, outer = connection.port, connection.expression
        if not isinstance(port, PortSymbol) or port.internalSymbol is None or outer is None:
            continue
        inner_path = port.internalSymbol.hierarchicalPath
        graph.symbol_by_path.setdefault(inner_path, port.internalSymbol)
        if isinstance(outer, AssignmentExpression):
            for target in _assigned_signal_paths(graph, outer.left):
                graph.add_driver(target, inner_path, is_without_logic=True)
        else:
            _add_drivers(graph, [inner_path], outer)


def _add_drivers(graph: SignalGraph, target_paths: list[str], driving_expression: Expression) -> None:
    is_plain = signal_path_of(graph, driving_expression) is not None
    for target in target_paths:
        graph.assigned_expressions.setdefault(target, []).append(driving_expression)
        for source, _ in paths_and_ranges_of_signals(graph, driving_expression):
            graph.add_driver(target, source, is_without_logic=is_plain)


def _add_assignment_drivers(graph: SignalGraph, assignment: AssignmentExpression) -> None:
    _add_drivers(graph, _assigned_signal_paths(graph, assignment.left), assignment.right)


def _assigned_signal_paths(graph: SignalGraph, target_expression: Expression) -> list[str]:
    target_expression = unwrap_conversions(target_expression)
    if isinstance(target_expression, ConcatenationExpression):
        return [name for operand in target_expression.operands for name in _assigned_signal_paths(graph, operand)]
    signal = signal_path_of(graph, target_expression)
    return [signal] if signal is not None else []


def _add_process(graph: SignalGraph, block: ProceduralBlockSymbol) -> None:
    block_body = block.body
    if (
        block.procedureKind in _BY_CLOCK
        and isinstance(block_body, TimedStatement)
        and (clock := _clock_and_resets_if_one_clock(graph, block_body))
    ):
        _add_clocked_process(graph, block_body, *clock)
    elif block.procedureKind in _BY_VALUE:
        assignments = _assignments_in(block_body)
        assigned_ranges = {
            text_range
            for assignment in assignments
            for text_range in _buffers_and_offsets_of_signal_names(graph, assignment)
        }
        conditions = [
            name
            for name, source_range in paths_and_ranges_of_signals(graph, block_body)
            if _buffer_and_start_offset(source_range) not in assigned_ranges
        ]
        for assignment in assignments:
            _add_assignment_drivers(graph, assignment)
            for target in _assigned_signal_paths(graph, assignment.left):
                for condition in conditions:
                    graph.add_driver(target, condition, is_without_logic=False)


def _clock_and_resets_if_one_clock(graph: SignalGraph, timed_body: TimedStatement) -> tuple[str, set[str]] | None:
    """The clock of a block, and what else it waits for, which are its resets."""
    timing = timed_body.timing
    events = timing.events if isinstance(timing, EventListControl) else [timing]
    edges = [event for event in events if isinstance(event, SignalEventControl) and event.edge in _EDGES]
    if not edges or len(edges) < len(events):
        return None
    waited = [signal_path_of(graph, edge.expr) for edge in edges]
    read_names = {name for name, _ in paths_and_ranges_of_signals(graph, timed_body.stmt)}
    clocks = [name for name in waited if name is not None and (len(waited) == 1 or name not in read_names)]
    return (clocks[0], {name for name in waited if name} - {clocks[0]}) if len(clocks) == 1 else None


def _add_clocked_process(graph: SignalGraph, timed_body: TimedStatement, clock: str, resets: set[str]) -> None:
    assigned_ranges: set[tuple[int, int]] = set()
    guarded_parts = _guarded_parts(graph, timed_body.stmt)
    for assignment in _assignments_in(timed_body.stmt):
        assigned_ranges |= set(_buffers_and_offsets_of_signal_names(graph, assignment))
        targets = _assigned_signal_paths(graph, assignment.left)
        for target in targets:
            graph.clocks_by_register.setdefault(target, set()).add(clock)
            graph.assigned_expressions.setdefault(target, []).append(assignment.right)
        destination = targets[0] if len(targets) == 1 else None
        assigned_value = unwrap_conversions(assignment.right)
        is_shifted = isinstance(assigned_value, ConcatenationExpression) and destination in {
            signal_path_of(graph, part) for part in assigned_value.operands
        }
        is_plain = is_shifted or signal_path_of(graph, assigned_value) is not None
        for name, source_range in paths_and_ranges_of_signals(graph, assignment.right):
            if name != destination and name not in resets:
                guards = _guards_of(guarded_parts, source_range)
                graph.clocked_reads.append(
                    ClockedRead(name, clock, source_range, destination if is_plain else None, is_shifted, guards)
                )
    for name, source_range in paths_and_ranges_of_signals(graph, timed_body.stmt):
        if _buffer_and_start_offset(source_range) not in assigned_ranges and name not in resets:
            guards = _guards_of(guarded_parts, source_range)
            graph.clocked_reads.append(ClockedRead(name, clock, source_range, None, is_shifted=False, guards=guards))


_GuardedPart = tuple[int, int, int, frozenset[str]]
"""Buffer, begin and end of a branch, and the signals of its condition."""


def _guarded_parts(graph: SignalGraph, statement_node: object) -> list[_GuardedPart]:
    """The branches of a statement, each with the signals that decide whether it is taken."""
    guarded_parts: list[_GuardedPart] = []

    def add(branch_conditions: Iterable[object], branches: Iterable[Statement | Expression | None]) -> None:
        names = {name for condition in branch_conditions for name, _ in paths_and_ranges_of_signals(graph, condition)}
        for branch in branches:
            if branch is not None:
                branch_start, branch_end = branch.sourceRange.start, branch.sourceRange.end
                guarded_parts.append((branch_start.buffer.id, branch_start.offset, branch_end.offset, frozenset(names)))

    def visit(node: object) -> None:
        match node:
            case ConditionalStatement():
                add((condition.expr for condition in node.conditions), (node.ifTrue, node.ifFalse))
            case CaseStatement():
                add((node.expr,), (*(item.stmt for item in node.items), node.defaultCase))
            case ConditionalExpression():
                add((condition.expr for condition in node.conditions), (node.left, node.right))
            case _:
                pass

    statement_node.visit(visit)  # type: ignore[attr-defined]
    return guarded_parts


def _guards_of(guarded_parts: list[_GuardedPart], source_range: SourceRange) -> frozenset[str]:
    buffer, offset = _buffer_and_start_offset(source_range)
    return frozenset().union(
        *(names for part, start, end, names in guarded_parts if part == buffer and start <= offset < end)
    )


def _assignments_in(statement_node: object) -> list[AssignmentExpression]:
    assignments: list[AssignmentExpression] = []

    def visit(node: object) -> None:
        if isinstance(node, AssignmentExpression):
            assignments.append(node)

    statement_node.visit(visit)  # type: ignore[attr-defined]
    return assignments


def _buffers_and_offsets_of_signal_names(graph: SignalGraph, expression: Expression) -> Iterator[tuple[int, int]]:
    return (
        _buffer_and_start_offset(source_range) for _, source_range in paths_and_ranges_of_signals(graph, expression)
    )


def _buffer_and_start_offset(source_range: SourceRange) -> tuple[int, int]:
    return source_range.start.buffer.id, source_range.start.offset
