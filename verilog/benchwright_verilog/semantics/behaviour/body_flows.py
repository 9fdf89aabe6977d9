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

from benchwright_verilog.semantics.behaviour.guarded_statements import Guarded, events_of, guarded
from benchwright_verilog.semantics.compilation.instances import NameLocation
from benchwright_verilog.semantics.names.named_values import indices_of, symbol_of, symbols_in, targets_of, text_of

if TYPE_CHECKING:
    from pyslang import SourceRange
    from pyslang.ast import Expression, InstanceBodySymbol, Symbol

    from benchwright_verilog.semantics.compilation.instances import Design

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
    span: NameLocation | None
    instance: str
    """The path of the instance that is connected, or that the assignment is in."""
    targets: tuple[str, ...]
    """Paths of the signals that it writes."""
    sources: tuple[tuple[str, AssignmentRole], ...]
    """Paths of those that it reads."""


@dataclass
class Body:
    """The content of one instance, without the instances in it."""

    flows: list[Flow] = field(default_factory=list)
    signals: dict[str, Symbol] = field(default_factory=dict)
    """By their paths."""
    interfaces: list[tuple[str, str]] = field(default_factory=list)
    """Paths of instances in it, with those of the interfaces that each is connected to."""
    is_cut: bool = False
    """True if it has more assignments than were examined."""


class _TooManyError(Exception):
    pass


def body_of(design: Design, instance: InstanceSymbol) -> Body:
    """Reads an instance; `Design.lock` has to be held."""
    reader = _Reader(design, instance.hierarchicalPath)
    try:
        reader.read(instance.body)
    except _TooManyError:
        reader.body.is_cut = True
    return reader.body


class _Reader:
    def __init__(self, design: Design, path: str) -> None:
        self.body = Body()
        self._design = design
        self._path = path

    def read(self, scope: InstanceBodySymbol | GenerateBlockSymbol | GenerateBlockArraySymbol) -> None:
        for member in scope:
            match member:
                case GenerateBlockSymbol():
                    if not member.isUninstantiated:
                        self.read(member)
                case GenerateBlockArraySymbol():
                    self.read(member)
                case InstanceSymbol():
                    self._connect(member)
                case InstanceArraySymbol():
                    self._array(member)
                case ContinuousAssignSymbol():
                    self._assign("assign", member.assignment)
                case ProceduralBlockSymbol():
                    self._process(member)
                case NetSymbol() | VariableSymbol():
                    self._declare(member)

    def _array(self, array: InstanceArraySymbol) -> None:
        for member in array:
            if isinstance(member, InstanceSymbol):
                self._connect(member)
            elif isinstance(member, InstanceArraySymbol):
                self._array(member)

    def _declare(self, symbol: NetSymbol | VariableSymbol) -> None:
        path = symbol.hierarchicalPath
        is_generated = isinstance(symbol, VariableSymbol) and VariableFlags.CompilerGenerated in symbol.flags
        if not is_generated:
            self.body.signals[path] = symbol
        value = symbol.initializer
        if value is not None:
            self._add("declaration", text_of(symbol.syntax), value.sourceRange, [path], _read(value))

    def _connect(self, instance: InstanceSymbol) -> None:
        path = instance.hierarchicalPath
        for connection in instance.portConnections:
            port, outer = connection.port, connection.expression
            if isinstance(port, InterfacePortSymbol):
                interface = connection.ifaceConn[0]
                if interface is not None:
                    self.body.interfaces.append((path, interface.hierarchicalPath))
            if not isinstance(port, PortSymbol) or port.internalSymbol is None or outer is None:
                continue
            inner = port.internalSymbol.hierarchicalPath
            name = f".{port.name}({{}})"
            if isinstance(outer, AssignmentExpression):
                text = name.format(text_of(outer.left.syntax))
                targets = [symbol.hierarchicalPath for left in targets_of(outer.left) if (symbol := symbol_of(left))]
                self._add("connection", text, outer.left.sourceRange, targets, [(inner, AssignmentRole.VALUE)], path)
                continue
            text = name.format(text_of(outer.syntax))
            self._add("connection", text, outer.sourceRange, [inner], _read(outer), path)
            if port.direction in (ArgumentDirection.InOut, ArgumentDirection.Ref) and (back := symbol_of(outer)):
                sources = [(inner, AssignmentRole.VALUE)]
                self._add("connection", text, outer.sourceRange, [back.hierarchicalPath], sources, path)

    def _process(self, block: ProceduralBlockSymbol) -> None:
        kind = _keyword(block)
        events = [(path, AssignmentRole.EVENT) for event in events_of(block.body) for path in symbols_in(event.expr)]
        for guarded_statement in guarded(block.body):
            conditions = [
                path for guard in guarded_statement.guards for path in _conditions(guard.expression, guard.values)
            ]
            dependencies = [*((path, AssignmentRole.CONDITION) for path in conditions), *events]
            for expression in _writing(guarded_statement):
                if isinstance(expression, AssignmentExpression):
                    self._assign(kind, expression, dependencies)
                elif (symbol := symbol_of(expression.operand)) is not None:
                    path = symbol.hierarchicalPath
                    text = text_of(expression.syntax)
                    self._add(kind, text, expression.sourceRange, [path], [(path, AssignmentRole.VALUE), *dependencies])

    def _assign(
        self, kind: str, expression: Expression, dependencies: Iterable[tuple[str, AssignmentRole]] = ()
    ) -> None:
        if not isinstance(expression, AssignmentExpression):
            return
        lefts = list(targets_of(expression.left))
        targets = [symbol.hierarchicalPath for left in lefts if (symbol := symbol_of(left)) is not None]
        selected = [read_part for left in lefts for index in indices_of(left) for read_part in _read(index)]
        # In `a += b` the value is `a + b`.
        sources = [*_read(expression.right), *selected, *dependencies]
        self._add(kind, text_of(expression.syntax), expression.sourceRange, targets, sources)

    def _add(
        self,
        kind: str,
        text: str,
        source_range: SourceRange,
        targets: Iterable[str],
        sources: Iterable[tuple[str, AssignmentRole]],
        instance: str = "",
    ) -> None:
        if len(self.body.flows) >= _MAX_FLOWS:
            raise _TooManyError
        parts: dict[str, AssignmentRole] = {}
        for path, part in sources:
            if len(parts) < _MAX_SOURCES:
                parts.setdefault(path, part)
        span = self._design.range(source_range)
        written_paths = tuple(dict.fromkeys(targets))
        self.body.flows.append(Flow(kind, text, span, instance or self._path, written_paths, tuple(parts.items())))


def _read(expression: Expression) -> list[tuple[str, AssignmentRole]]:
    return [(path, AssignmentRole.VALUE) for path in symbols_in(expression)]


def _conditions(expression: Expression, values: Iterable[Expression]) -> Iterator[str]:
    for part in (expression, *values):
        yield from symbols_in(part)


def _writing(guarded_statement: Guarded) -> list[AssignmentExpression | UnaryExpression]:
    """The assignments and steps in a statement."""
    expressions: list[AssignmentExpression | UnaryExpression] = []

    def visit(node: object) -> object:
        if isinstance(node, AssignmentExpression) or (isinstance(node, UnaryExpression) and node.op in _STEPS):
            expressions.append(node)
        return VisitAction.Advance

    guarded_statement.statement.visit(visit)
    return expressions


def _keyword(block: ProceduralBlockSymbol) -> str:
    syntax = block.syntax
    return str(syntax.getFirstToken().rawText) if syntax is not None else "always"
