"""The assignments and connections of one instance of a design: which signals go into which."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from pyslang.ast import (
    ArgumentDirection,
    AssignmentExpression,
    ContinuousAssignSymbol,
    GenerateBlockArraySymbol,
    GenerateBlockSymbol,
    InstanceArraySymbol,
    InstanceSymbol,
    InterfacePortSymbol,
    NetSymbol,
    PortSymbol,
    ProceduralBlockSymbol,
    UnaryExpression,
    UnaryOperator,
    VariableFlags,
    VariableSymbol,
    VisitAction,
)
from pyslang.syntax import HierarchicalInstanceSyntax, NamedPortConnectionSyntax

from benchwright_verilog.semantics.behaviour.guarded_statements import (
    GuardedStatement,
    awaited_signal_events,
    guarded_statements,
)
from benchwright_verilog.semantics.compilation.instances import FileSpan
from benchwright_verilog.semantics.names.named_values import (
    assigned_parts,
    one_line_source,
    selector_expressions,
    signal_symbol_of,
    signals_by_path,
)

if TYPE_CHECKING:
    from pyslang import SourceRange
    from pyslang.ast import Expression, InstanceBodySymbol, Symbol

    from benchwright_verilog.semantics.compilation.instances import InstanceTree

_MAX_FLOWS = 50_000
"""The most assignments of one instance that are examined: an unrolled loop may have any number."""
_MAX_SOURCES = 500
_STEPS = (
    UnaryOperator.Preincrement,
    UnaryOperator.Predecrement,
    UnaryOperator.Postincrement,
    UnaryOperator.Postdecrement,
)


class AssignmentRole(StrEnum):
    """The role of a signal in an assignment."""

    VALUE = "value"
    CONDITION = "condition"
    """Of an `if`, a `case` or a loop around it."""
    EVENT = "event"
    """The signal that the process waits for: a clock, or an asynchronous reset."""


@dataclass(frozen=True)
class Flow:
    """An assignment or the connection of a port: from some signals to others."""

    kind: str
    """`assign`, `always_ff` and so on, `declaration`, or `connection`."""
    text: str
    """As it is written, on one line; a long one is cut."""
    span: FileSpan | None
    instance_path: str
    """The path of the instance that is connected, or that the assignment is in."""
    target_paths: tuple[str, ...]
    """Paths of the signals that it writes."""
    source_paths_with_roles: tuple[tuple[str, AssignmentRole], ...]
    """Paths of those that it reads."""


@dataclass
class InstanceFlows:
    """The content of one instance, without the instances in it."""

    flows: list[Flow] = field(default_factory=list)
    symbol_by_path: dict[str, Symbol] = field(default_factory=dict)
    """By their paths."""
    instance_and_interface_paths: list[tuple[str, str]] = field(default_factory=list)
    """Paths of instances in it, with those of the interfaces that each is connected to."""
    is_cut: bool = False
    """True if it has more assignments than were examined."""


class _TooManyFlowsError(Exception):
    pass


def read_instance_flows(design: InstanceTree, instance: InstanceSymbol) -> InstanceFlows:
    """Reads an instance; `InstanceTree.lock` has to be held."""
    body_reader = _FlowReader(design, instance.hierarchicalPath)
    try:
        body_reader.add_scope_flows(instance.body)
    except _TooManyFlowsError:
        body_reader.instance_flows.is_cut = True
    return body_reader.instance_flows


class _FlowReader:
    def __init__(self, design: InstanceTree, path: str) -> None:
        self.instance_flows = InstanceFlows()
        self._design = design
        self._path = path

    def add_scope_flows(self, scope: InstanceBodySymbol | GenerateBlockSymbol | GenerateBlockArraySymbol) -> None:
        for scope_member in scope:
            match scope_member:
                case GenerateBlockSymbol():
                    if not scope_member.isUninstantiated:
                        self.add_scope_flows(scope_member)
                case GenerateBlockArraySymbol():
                    self.add_scope_flows(scope_member)
                case InstanceSymbol():
                    self._add_port_connections(scope_member)
                case InstanceArraySymbol():
                    self._add_array_connections(scope_member)
                case ContinuousAssignSymbol():
                    self._add_assignment("assign", scope_member.assignment)
                case ProceduralBlockSymbol():
                    self._add_process_flows(scope_member)
                case NetSymbol() | VariableSymbol():
                    self._add_signal_and_initial_value(scope_member)

    def _add_array_connections(self, array: InstanceArraySymbol) -> None:
        for array_element in array:
            if isinstance(array_element, InstanceSymbol):
                self._add_port_connections(array_element)
            elif isinstance(array_element, InstanceArraySymbol):
                self._add_array_connections(array_element)

    def _add_signal_and_initial_value(self, symbol: NetSymbol | VariableSymbol) -> None:
        path = symbol.hierarchicalPath
        is_generated = isinstance(symbol, VariableSymbol) and VariableFlags.CompilerGenerated in symbol.flags
        if not is_generated:
            self.instance_flows.symbol_by_path[path] = symbol
        initial_value = symbol.initializer
        if initial_value is not None:
            self._add_flow(
                "declaration",
                one_line_source(symbol.syntax),
                initial_value.sourceRange,
                [path],
                _value_paths_with_roles(initial_value),
            )

    def _add_port_connections(self, instance: InstanceSymbol) -> None:
        path = instance.hierarchicalPath
        for connection in instance.portConnections:
            port, expression = connection.port, connection.expression
            if isinstance(port, InterfacePortSymbol):
                interface = connection.ifaceConn[0]
                if interface is not None:
                    self.instance_flows.instance_and_interface_paths.append((path, interface.hierarchicalPath))
            if not isinstance(port, PortSymbol) or port.internalSymbol is None or expression is None:
                continue
            inner_path = port.internalSymbol.hierarchicalPath
            if isinstance(expression, AssignmentExpression):
                text = _connection_text(instance, port.name, expression.left)
                targets = [
                    symbol.hierarchicalPath
                    for left in assigned_parts(expression.left)
                    if (symbol := signal_symbol_of(left))
                ]
                self._add_flow(
                    "connection", text, expression.left.sourceRange, targets, [(inner_path, AssignmentRole.VALUE)], path
                )
                continue
            text = _connection_text(instance, port.name, expression)
            self._add_flow(
                "connection", text, expression.sourceRange, [inner_path], _value_paths_with_roles(expression), path
            )
            if port.direction in (ArgumentDirection.InOut, ArgumentDirection.Ref) and (
                back := signal_symbol_of(expression)
            ):
                sources = [(inner_path, AssignmentRole.VALUE)]
                self._add_flow("connection", text, expression.sourceRange, [back.hierarchicalPath], sources, path)

    def _add_process_flows(self, block: ProceduralBlockSymbol) -> None:
        kind = _process_keyword(block)
        event_sources = [
            (path, AssignmentRole.EVENT)
            for event in awaited_signal_events(block.body)
            for path in signals_by_path(event.expr)
        ]
        for guarded_statement in guarded_statements(block.body):
            conditions = [
                path
                for guard in guarded_statement.guards
                for path in _condition_paths(guard.expression, guard.label_values)
            ]
            dependencies = [*((path, AssignmentRole.CONDITION) for path in conditions), *event_sources]
            for expression in _writing_expressions(guarded_statement):
                if isinstance(expression, AssignmentExpression):
                    self._add_assignment(kind, expression, dependencies)
                elif (symbol := signal_symbol_of(expression.operand)) is not None:
                    path = symbol.hierarchicalPath
                    text = one_line_source(expression.syntax)
                    self._add_flow(
                        kind, text, expression.sourceRange, [path], [(path, AssignmentRole.VALUE), *dependencies]
                    )

    def _add_assignment(
        self, kind: str, expression: Expression, dependencies: Iterable[tuple[str, AssignmentRole]] = ()
    ) -> None:
        if not isinstance(expression, AssignmentExpression):
            return
        lefts = list(assigned_parts(expression.left))
        targets = [symbol.hierarchicalPath for left in lefts if (symbol := signal_symbol_of(left)) is not None]
        selected = [
            read_part
            for left in lefts
            for index in selector_expressions(left)
            for read_part in _value_paths_with_roles(index)
        ]
        # In `a += b` the value is `a + b`.
        sources = [*_value_paths_with_roles(expression.right), *selected, *dependencies]
        self._add_flow(kind, one_line_source(expression.syntax), expression.sourceRange, targets, sources)

    def _add_flow(
        self,
        kind: str,
        text: str,
        source_range: SourceRange,
        target_paths: Iterable[str],
        source_paths_with_roles: Iterable[tuple[str, AssignmentRole]],
        instance_path: str = "",
    ) -> None:
        if len(self.instance_flows.flows) >= _MAX_FLOWS:
            raise _TooManyFlowsError
        roles_by_path: dict[str, AssignmentRole] = {}
        for path, role in source_paths_with_roles:
            if len(roles_by_path) < _MAX_SOURCES:
                roles_by_path.setdefault(path, role)
        span = self._design.file_span(source_range)
        written_paths = tuple(dict.fromkeys(target_paths))
        self.instance_flows.flows.append(
            Flow(kind, text, span, instance_path or self._path, written_paths, tuple(roles_by_path.items()))
        )


def _connection_text(instance: InstanceSymbol, port_name: str, expression: Expression) -> str:
    """The connection of a port as it is written: `.a(x)`, `.a` or `.*`; one by its place as if by its name."""
    if expression.syntax is not None:
        return f".{port_name}({one_line_source(expression.syntax)})"
    syntax = instance.syntax
    connections = syntax.connections if isinstance(syntax, HierarchicalInstanceSyntax) else ()
    is_named = any(
        isinstance(connection, NamedPortConnectionSyntax) and connection.name.valueText == port_name
        for connection in connections
    )
    return f".{port_name}" if is_named else ".*"


def _value_paths_with_roles(expression: Expression) -> list[tuple[str, AssignmentRole]]:
    return [(path, AssignmentRole.VALUE) for path in signals_by_path(expression)]


def _condition_paths(expression: Expression, guard_values: Iterable[Expression]) -> Iterator[str]:
    for condition_part in (expression, *guard_values):
        yield from signals_by_path(condition_part)


def _writing_expressions(guarded_statement: GuardedStatement) -> list[AssignmentExpression | UnaryExpression]:
    """The assignments and steps in a statement."""
    expressions: list[AssignmentExpression | UnaryExpression] = []

    def visit(node: object) -> object:
        if isinstance(node, AssignmentExpression) or (isinstance(node, UnaryExpression) and node.op in _STEPS):
            expressions.append(node)
        return VisitAction.Advance

    guarded_statement.statement.visit(visit)
    return expressions


def _process_keyword(block: ProceduralBlockSymbol) -> str:
    syntax = block.syntax
    return str(syntax.getFirstToken().rawText) if syntax is not None else "always"
