"""Which signals drive which in an elaborated design, and at what clock."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pyslang.ast import (
    AssignmentExpression,
    BinaryExpression,
    BinaryOperator,
    CallExpression,
    ConcatenationExpression,
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
    from pyslang.ast import Compilation, Symbol

_SELECTS = (ElementSelectExpression, RangeSelectExpression, MemberAccessExpression)
_VALUES = (NamedValueExpression, HierarchicalValueExpression)
_BY_CLOCK = (ProceduralBlockKind.Always, ProceduralBlockKind.AlwaysFF)
_EDGES = (EdgeKind.PosEdge, EdgeKind.NegEdge, EdgeKind.BothEdges)
_BY_VALUE = (ProceduralBlockKind.Always, ProceduralBlockKind.AlwaysComb, ProceduralBlockKind.AlwaysLatch)


@dataclass(frozen=True)
class Read:
    """One signal that is read at a clock."""

    signal: str
    """Its path from the top, as everywhere here."""
    clock: str
    where: SourceRange
    into: str | None
    """The register that takes it as it is, without logic; None for any other use."""
    is_shifted: bool
    """Whether that register shifts it through several bits."""


@dataclass
class Graph:
    """The signals of a design by their paths."""

    drivers: dict[str, list[tuple[str, bool]]] = field(default_factory=dict)
    """What drives each signal without a clock, and whether that is all there is: an assignment or a port."""
    loads: dict[str, list[tuple[str, bool]]] = field(default_factory=dict)
    """The same from the other end."""
    clocks: dict[str, set[str]] = field(default_factory=dict)
    """The clocks at which each register is written."""
    reads: list[Read] = field(default_factory=list)
    values: dict[str, list[Expression]] = field(default_factory=dict)
    """What is assigned to each signal."""
    symbols: dict[str, Symbol] = field(default_factory=dict)
    unknown: set[str] = field(default_factory=set)
    """What is connected to modules that no file declares."""

    def drive(self, target: str, source: str, *, is_plain: bool) -> None:
        """A signal drives another."""
        self.drivers.setdefault(target, []).append((source, is_plain))
        self.loads.setdefault(source, []).append((target, is_plain))


def graph_of(compilation: Compilation) -> Graph:
    """The signals below the tops of a compilation, which has to be elaborated for this alone."""
    graph = Graph()

    def visit(symbol: object) -> object:
        match symbol:
            case GenerateBlockSymbol() if symbol.isUninstantiated:
                return VisitAction.Skip
            case InstanceSymbol():
                _connect(graph, symbol)
            case UninstantiatedDefSymbol():
                symbol.visit(lambda inner: graph.unknown.update(_path(graph, one) for one in _values(inner)))
                return VisitAction.Skip
            case ContinuousAssignSymbol():
                if isinstance(symbol.assignment, AssignmentExpression):
                    _combine(graph, symbol.assignment)
            case NetSymbol() if symbol.initializer is not None:
                _drive(graph, [symbol.hierarchicalPath], symbol.initializer)
            case ProceduralBlockSymbol():
                _block(graph, symbol)
                return VisitAction.Skip
        return None

    # Modules that nothing instantiates have no path of their own.
    for top in compilation.getRoot().topInstances:
        top.visit(visit)
    return graph


def names_in(graph: Graph, expression: object) -> Iterator[tuple[str, SourceRange]]:
    """The signals that an expression or a statement names."""
    found: list[NamedValueExpression | HierarchicalValueExpression] = []

    def visit(node: object) -> None:
        found.extend(_values(node))

    expression.visit(visit)  # type: ignore[attr-defined]
    for one in found:
        yield _path(graph, one), one.sourceRange


def unwrapped(expression: Expression) -> Expression:
    """An expression without the conversions that widths and types need."""
    while isinstance(expression, ConversionExpression):
        expression = expression.operand
    return expression


def signal_of(graph: Graph, expression: Expression) -> str | None:
    """The signal that an expression is, or is a part of."""
    expression = unwrapped(expression)
    while isinstance(expression, _SELECTS):
        expression = unwrapped(expression.value)
    return next((_path(graph, one) for one in _values(expression)), None)


def is_gray(graph: Graph, expression: Expression) -> bool:
    """Whether an expression is `x ^ (x >> 1)`, or a call of a function that has `gray` in its name."""
    expression = unwrapped(expression)
    if isinstance(expression, CallExpression):
        return "gray" in expression.subroutineName.lower()
    if not isinstance(expression, BinaryExpression) or expression.op != BinaryOperator.BinaryXor:
        return False
    sides = [unwrapped(expression.left), unwrapped(expression.right)]
    shifted = [one for one in sides if isinstance(one, BinaryExpression) and one.op == BinaryOperator.LogicalShiftRight]
    names = {
        signal_of(graph, one.left if one in shifted and isinstance(one, BinaryExpression) else one) for one in sides
    }
    return len(shifted) == 1 and len(names) == 1 and None not in names


def _values(node: object) -> Iterator[NamedValueExpression | HierarchicalValueExpression]:
    if isinstance(node, _VALUES) and isinstance(node.symbol, NetSymbol | VariableSymbol):
        yield node


def _path(graph: Graph, value: NamedValueExpression | HierarchicalValueExpression) -> str:
    path = value.symbol.hierarchicalPath
    graph.symbols.setdefault(path, value.symbol)
    return path


def _connect(graph: Graph, instance: InstanceSymbol) -> None:
    for connection in instance.portConnections:
        port, outer = connection.port, connection.expression
        if not isinstance(port, PortSymbol) or port.internalSymbol is None or outer is None:
            continue
        inner = port.internalSymbol.hierarchicalPath
        graph.symbols.setdefault(inner, port.internalSymbol)
        if isinstance(outer, AssignmentExpression):
            for target in _targets(graph, outer.left):
                graph.drive(target, inner, is_plain=True)
        else:
            _drive(graph, [inner], outer)


def _drive(graph: Graph, targets: list[str], value: Expression) -> None:
    is_plain = signal_of(graph, value) is not None
    for target in targets:
        graph.values.setdefault(target, []).append(value)
        for source, _ in names_in(graph, value):
            graph.drive(target, source, is_plain=is_plain)


def _combine(graph: Graph, assignment: AssignmentExpression) -> None:
    _drive(graph, _targets(graph, assignment.left), assignment.right)


def _targets(graph: Graph, left: Expression) -> list[str]:
    left = unwrapped(left)
    if isinstance(left, ConcatenationExpression):
        return [name for one in left.operands for name in _targets(graph, one)]
    found = signal_of(graph, left)
    return [found] if found is not None else []


def _block(graph: Graph, block: ProceduralBlockSymbol) -> None:
    body = block.body
    if block.procedureKind in _BY_CLOCK and isinstance(body, TimedStatement) and (clock := _clock(graph, body)):
        _clocked(graph, body, *clock)
    elif block.procedureKind in _BY_VALUE:
        assignments = _assignments(body)
        inside = {where for one in assignments for where in _ranges(graph, one)}
        conditions = [name for name, where in names_in(graph, body) if _place(where) not in inside]
        for one in assignments:
            _combine(graph, one)
            for target in _targets(graph, one.left):
                for condition in conditions:
                    graph.drive(target, condition, is_plain=False)


def _clock(graph: Graph, body: TimedStatement) -> tuple[str, set[str]] | None:
    """The clock of a block, and what else it waits for, which are its resets."""
    timing = body.timing
    events = timing.events if isinstance(timing, EventListControl) else [timing]
    edges = [one for one in events if isinstance(one, SignalEventControl) and one.edge in _EDGES]
    if not edges or len(edges) < len(events):
        return None
    waited = [signal_of(graph, one.expr) for one in edges]
    read = {name for name, _ in names_in(graph, body.stmt)}
    clocks = [name for name in waited if name is not None and (len(waited) == 1 or name not in read)]
    return (clocks[0], {name for name in waited if name} - {clocks[0]}) if len(clocks) == 1 else None


def _clocked(graph: Graph, body: TimedStatement, clock: str, resets: set[str]) -> None:
    inside: set[tuple[int, int]] = set()
    for one in _assignments(body.stmt):
        inside |= set(_ranges(graph, one))
        targets = _targets(graph, one.left)
        for target in targets:
            graph.clocks.setdefault(target, set()).add(clock)
            graph.values.setdefault(target, []).append(one.right)
        into = targets[0] if len(targets) == 1 else None
        value = unwrapped(one.right)
        is_shifted = isinstance(value, ConcatenationExpression) and into in {
            signal_of(graph, part) for part in value.operands
        }
        is_plain = is_shifted or signal_of(graph, value) is not None
        for name, where in names_in(graph, one.right):
            if name != into and name not in resets:
                graph.reads.append(Read(name, clock, where, into if is_plain else None, is_shifted))
    for name, where in names_in(graph, body.stmt):
        if _place(where) not in inside and name not in resets:
            graph.reads.append(Read(name, clock, where, None, is_shifted=False))


def _assignments(statement: object) -> list[AssignmentExpression]:
    found: list[AssignmentExpression] = []

    def visit(node: object) -> None:
        if isinstance(node, AssignmentExpression):
            found.append(node)

    statement.visit(visit)  # type: ignore[attr-defined]
    return found


def _ranges(graph: Graph, expression: Expression) -> Iterator[tuple[int, int]]:
    return (_place(where) for _, where in names_in(graph, expression))


def _place(where: SourceRange) -> tuple[int, int]:
    return where.start.buffer.id, where.start.offset
