"""Inlay hints: names of ports, widths, values, implicit nets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyslang.ast import (
    AssignmentExpression,
    ContinuousAssignSymbol,
    ConversionExpression,
    FormalArgumentSymbol,
    GenerateBlockArraySymbol,
    GenerateBlockSymbol,
    InstanceArraySymbol,
    InstanceSymbol,
    NetSymbol,
    ParameterSymbol,
    StatementBlockSymbol,
    SubroutineSymbol,
    Symbol,
    SymbolKind,
    VariableSymbol,
)
from pyslang.syntax import (
    DeclaratorSyntax,
    HierarchicalInstanceSyntax,
    HierarchyInstantiationSyntax,
    OrderedParamAssignmentSyntax,
    OrderedPortConnectionSyntax,
    ParamAssignmentSyntax,
    PortConnectionSyntax,
)

from benchwright_verilog.language.declarations import source_of, width_of
from benchwright_verilog.language.explanation.description import bits
from benchwright_verilog.language.explanation.numbers import LITERAL
from benchwright_verilog.language.explanation.values import constant_text
from benchwright_verilog.semantics.names.occurrence import TargetKind

if TYPE_CHECKING:
    from pyslang import SourceLocation
    from pyslang.ast import Expression
    from pyslang.syntax import SyntaxNode

    from benchwright_verilog.semantics.compilation.analysis import Analysis
    from benchwright_verilog.semantics.compilation.slang import ScopeSymbol
    from benchwright_verilog.settings import InlayHints

_COMPUTED = re.compile(r"[A-Za-z_`$]")
_LONGEST = 40
_BODIES = frozenset({TargetKind.MODULE, TargetKind.INTERFACE, TargetKind.PROGRAM})


@dataclass(frozen=True)
class Hint:
    """A label between the text, at a byte of it."""

    byte: int
    label: str
    is_name: bool = False
    """Whether it names what follows; else it is about what is before."""
    about: str = ""


def hints(analysis: Analysis, start: int, end: int, wanted: InlayHints) -> Iterator[Hint]:
    """The hints between two bytes of a file."""
    units = analysis.outline.units
    for at, unit in enumerate(units):
        following = units[at + 1].start if at + 1 < len(units) else len(analysis.data)
        if following < start or unit.start > end:
            continue
        scope: ScopeSymbol | None
        if unit.kind in _BODIES:
            scope = analysis.body(unit.name)
        elif unit.kind is TargetKind.PACKAGE:
            scope = analysis.compilation.getPackage(unit.name)
        else:
            continue
        if scope is not None:
            yield from _Hints(analysis, start, end, wanted).of_scope(scope)


class _Hints:
    def __init__(self, analysis: Analysis, start: int, end: int, wanted: InlayHints) -> None:
        self._analysis = analysis
        self._sources = analysis.sources
        self._start = start
        self._end = end
        self._wanted = wanted

    def of_scope(self, scope: ScopeSymbol) -> Iterator[Hint]:
        for symbol in scope:
            match symbol:
                case GenerateBlockArraySymbol():
                    first = next((entry for entry in symbol if isinstance(entry, GenerateBlockSymbol)), None)
                    if first is not None:
                        yield from self.of_scope(first)
                case GenerateBlockSymbol() | StatementBlockSymbol() | SubroutineSymbol():
                    yield from self.of_scope(symbol)
                case NetSymbol() | FormalArgumentSymbol():
                    yield from self._declared(symbol)
                case VariableSymbol() if symbol.kind == SymbolKind.Variable:
                    yield from self._declared(symbol)
                case ParameterSymbol():
                    yield from self._constant(symbol)
                case InstanceSymbol() | InstanceArraySymbol():
                    yield from self._instance(symbol)
                case ContinuousAssignSymbol():
                    yield from self._assigned(symbol)

    def _here(self, location: SourceLocation) -> int | None:
        """The byte of a location, if it is written in the range."""
        if self._sources.isMacroLoc(location) or not self._start <= location.offset <= self._end:
            return None
        place = self._analysis.locations.of(location)
        return place.offset if place is not None and place.path == self._analysis.path else None

    def _declared(self, symbol: NetSymbol | VariableSymbol) -> Iterator[Hint]:
        byte = self._here(symbol.location)
        if byte is None or symbol.syntax is None:
            return
        after = byte + len(symbol.name.encode())
        if isinstance(symbol, NetSymbol) and symbol.isImplicit:
            if self._wanted.implicit_nets:
                yield Hint(after, f": {symbol.netType.name}", about="Not declared: an implicit net.")
            return
        if not self._wanted.widths or symbol.syntax.parent is None:
            return
        width = width_of(symbol.type)
        dimensions = _dimensions(symbol.syntax)
        if width and any(_COMPUTED.search(text) for text in dimensions):
            yield Hint(after, bits(width), about="With the default parameters.")

    def _constant(self, symbol: ParameterSymbol) -> Iterator[Hint]:
        byte = self._here(symbol.location)
        declarator = symbol.syntax
        initializer = declarator.initializer if isinstance(declarator, DeclaratorSyntax) else None
        if byte is None or initializer is None or not self._wanted.constants:
            return
        written = source_of(initializer, self._sources).removeprefix("=").strip()
        text = constant_text(symbol.value)
        end = initializer.sourceRange.end
        if not text or len(text) > _LONGEST or self._sources.isMacroLoc(end) or not _is_computed(written):
            return
        yield Hint(end.offset, f"= {text}", about="With the default parameters.")

    def _instance(self, symbol: InstanceSymbol | InstanceArraySymbol) -> Iterator[Hint]:
        syntax = symbol.syntax
        instance: Symbol | None = symbol
        while isinstance(instance, InstanceArraySymbol):
            instance = next(iter(instance), None)
        if not isinstance(syntax, HierarchicalInstanceSyntax) or not isinstance(instance, InstanceSymbol):
            return
        extent = syntax.sourceRange
        if extent.start.offset > self._end or extent.end.offset < self._start:
            return
        if self._wanted.port_names:
            yield from self._port_names(syntax, instance)
            yield from self._parameter_names(syntax.parent, instance)
        if self._wanted.widths:
            for connection in instance.portConnections:
                if connection.expression is not None:
                    yield from self._converted(connection.expression)

    def _port_names(self, syntax: HierarchicalInstanceSyntax, instance: InstanceSymbol) -> Iterator[Hint]:
        """`a:` before `x` in `m u (x);`, where `a` is the first port of `m`."""
        connections = [one for one in syntax.connections if isinstance(one, PortConnectionSyntax)]
        for connection, port in zip(connections, instance.body.portList, strict=False):
            if not isinstance(connection, OrderedPortConnectionSyntax):
                return
            byte = self._here(connection.sourceRange.start)
            if byte is not None and source_of(connection, self._sources) != port.name:
                yield Hint(byte, f"{port.name}:", is_name=True)

    def _parameter_names(self, syntax: SyntaxNode, instance: InstanceSymbol) -> Iterator[Hint]:
        """`WIDTH:` before `8` in `m #(8) u (x);`."""
        if not isinstance(syntax, HierarchyInstantiationSyntax) or syntax.parameters is None:
            return
        listed = [one for one in syntax.parameters.parameters if isinstance(one, ParamAssignmentSyntax)]
        settable = [one for one in instance.body.parameters if one.isPortParam and not one.isLocalParam]
        settable = settable or [one for one in instance.body.parameters if not one.isLocalParam]
        for value, parameter in zip(listed, settable, strict=False):
            if not isinstance(value, OrderedParamAssignmentSyntax):
                return
            byte = self._here(value.sourceRange.start)
            if byte is not None:
                yield Hint(byte, f"{parameter.name}:", is_name=True)

    def _assigned(self, symbol: ContinuousAssignSymbol) -> Iterator[Hint]:
        syntax = symbol.syntax
        if not self._wanted.widths or syntax is None or self._here(syntax.sourceRange.start) is None:
            return
        assignment = symbol.assignment
        if isinstance(assignment, AssignmentExpression):
            yield from self._converted(assignment.right)

    def _converted(self, expression: Expression) -> Iterator[Hint]:
        """The widths of a value that is implicitly extended or truncated."""
        if not isinstance(expression, ConversionExpression) or not expression.isImplicit:
            return
        inner = expression.operand
        before, after = width_of(inner.type), width_of(expression.type)
        if not before or not after or before == after or inner.kind.name.endswith("Literal"):
            return
        byte = self._here(expression.sourceRange.end)
        if byte is not None:
            yield Hint(byte, f"{before} → {after} bits", about="Extended." if after > before else "Truncated.")


def _is_computed(written: str) -> bool:
    return LITERAL.fullmatch(written) is None and not written.startswith(('"', "'")) and bool(re.search(r"\w", written))


def _dimensions(declarator: SyntaxNode) -> Iterator[str]:
    """The ranges of a declaration as they are written: `[W-1:0]` and `[0:3]` of `logic [W-1:0] memory [0:3];`."""
    holder = declarator.parent
    for one in (getattr(holder, "header", None), holder):
        type_ = getattr(one, "type", None) or getattr(one, "dataType", None)
        yield from (str(dimension) for dimension in getattr(type_, "dimensions", ()))
    yield from (str(dimension) for dimension in getattr(declarator, "dimensions", ()))
