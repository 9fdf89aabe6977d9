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

from benchwright_verilog.language.declarations import text_without_leading_comments, width_of
from benchwright_verilog.language.explanation.description import bits_phrase
from benchwright_verilog.language.explanation.numbers import LITERAL
from benchwright_verilog.language.explanation.values import constant_text
from benchwright_verilog.semantics.names.occurrence import TargetKind
from benchwright_verilog.separate_results import results_of_each

if TYPE_CHECKING:
    from pyslang import SourceLocation
    from pyslang.ast import Expression
    from pyslang.syntax import SyntaxNode

    from benchwright_verilog.semantics.compilation.analysis import FileAnalysis
    from benchwright_verilog.semantics.compilation.slang import ScopeSymbol
    from benchwright_verilog.settings import InlayHintSettings

_COMPUTED = re.compile(r"[A-Za-z_`$]")
_LONGEST = 40
_BODIES = frozenset({TargetKind.MODULE, TargetKind.INTERFACE, TargetKind.PROGRAM})


@dataclass(frozen=True)
class InlayHint:
    """A label between the text, at a byte of it."""

    byte: int
    label: str
    is_name: bool = False
    """True if it names what follows; else it is about what is before."""
    tooltip: str = ""


def hints_between(
    analysis: FileAnalysis, start_byte: int, end_byte: int, hint_settings: InlayHintSettings
) -> Iterator[InlayHint]:
    """The hints between two bytes of a file."""
    units = analysis.outline.units
    for index, unit in enumerate(units):
        next_start = units[index + 1].start if index + 1 < len(units) else len(analysis.data)
        if next_start < start_byte or unit.start > end_byte:
            continue
        scope: ScopeSymbol | None
        if unit.target_kind in _BODIES:
            scope = analysis.module_body(unit.name)
        elif unit.target_kind is TargetKind.PACKAGE:
            scope = analysis.lookup_compilation.getPackage(unit.name)
        else:
            continue
        if scope is not None:
            yield from _HintCollector(analysis, start_byte, end_byte, hint_settings).scope_hints(scope)


class _HintCollector:
    def __init__(
        self, analysis: FileAnalysis, start_byte: int, end_byte: int, hint_settings: InlayHintSettings
    ) -> None:
        self._analysis = analysis
        self._sources = analysis.sources
        self._start = start_byte
        self._end = end_byte
        self._requested = hint_settings

    def scope_hints(self, scope: ScopeSymbol) -> Iterator[InlayHint]:
        yield from results_of_each(scope, self._symbol_hints)

    def _symbol_hints(self, symbol: Symbol) -> Iterator[InlayHint]:
        match symbol:
            case GenerateBlockArraySymbol():
                first_block = next((entry for entry in symbol if isinstance(entry, GenerateBlockSymbol)), None)
                if first_block is not None:
                    yield from self.scope_hints(first_block)
            case GenerateBlockSymbol() | StatementBlockSymbol() | SubroutineSymbol():
                yield from self.scope_hints(symbol)
            case NetSymbol() | FormalArgumentSymbol():
                yield from self._declaration_hints(symbol)
            case VariableSymbol() if symbol.kind == SymbolKind.Variable:
                yield from self._declaration_hints(symbol)
            case ParameterSymbol():
                yield from self._constant_hints(symbol)
            case InstanceSymbol() | InstanceArraySymbol():
                yield from self._instance_hints(symbol)
            case ContinuousAssignSymbol():
                yield from self._assignment_hints(symbol)

    def _byte_in_range(self, location: SourceLocation) -> int | None:
        """The byte of a location, if it is written in the range."""
        if self._sources.isMacroLoc(location) or not self._start <= location.offset <= self._end:
            return None
        file_location = self._analysis.locations.file_location_of(location)
        return file_location.offset if file_location is not None and file_location.path == self._analysis.path else None

    def _declaration_hints(self, symbol: NetSymbol | VariableSymbol) -> Iterator[InlayHint]:
        byte = self._byte_in_range(symbol.location)
        if byte is None or symbol.syntax is None:
            return
        name_end = byte + len(symbol.name.encode())
        if isinstance(symbol, NetSymbol) and symbol.isImplicit:
            if self._requested.implicit_nets:
                yield InlayHint(name_end, f": {symbol.netType.name}", tooltip="Not declared: an implicit net.")
            return
        if not self._requested.widths or symbol.syntax.parent is None:
            return
        width = width_of(symbol.type)
        dimensions = _written_dimensions(symbol.syntax)
        if width and any(_COMPUTED.search(text) for text in dimensions):
            yield InlayHint(name_end, bits_phrase(width), tooltip="With the default parameters.")

    def _constant_hints(self, symbol: ParameterSymbol) -> Iterator[InlayHint]:
        byte = self._byte_in_range(symbol.location)
        declarator = symbol.syntax
        initializer = declarator.initializer if isinstance(declarator, DeclaratorSyntax) else None
        if byte is None or initializer is None or not self._requested.constants:
            return
        source_text = text_without_leading_comments(initializer, self._sources).removeprefix("=").strip()
        text = constant_text(symbol.value)
        end_location = initializer.sourceRange.end
        if not text or len(text) > _LONGEST or self._sources.isMacroLoc(end_location) or not _is_computed(source_text):
            return
        yield InlayHint(end_location.offset, f"= {text}", tooltip="With the default parameters.")

    def _instance_hints(self, symbol: InstanceSymbol | InstanceArraySymbol) -> Iterator[InlayHint]:
        syntax = symbol.syntax
        instance: Symbol | None = symbol
        while isinstance(instance, InstanceArraySymbol):
            instance = next(iter(instance), None)
        if not isinstance(syntax, HierarchicalInstanceSyntax) or not isinstance(instance, InstanceSymbol):
            return
        extent = syntax.sourceRange
        if extent.start.offset > self._end or extent.end.offset < self._start:
            return
        if self._requested.port_names:
            yield from self._port_name_hints(syntax, instance)
            yield from self._parameter_name_hints(syntax.parent, instance)
        if self._requested.widths:
            for connection in instance.portConnections:
                if connection.expression is not None:
                    yield from self._conversion_hints(connection.expression)

    def _port_name_hints(self, syntax: HierarchicalInstanceSyntax, instance: InstanceSymbol) -> Iterator[InlayHint]:
        """`a:` before `x` in `m u (x);`, where `a` is the first port of `m`."""
        port_connections = [
            connection for connection in syntax.connections if isinstance(connection, PortConnectionSyntax)
        ]
        for written_connection, port in zip(port_connections, instance.body.portList, strict=False):
            if not isinstance(written_connection, OrderedPortConnectionSyntax):
                return
            byte = self._byte_in_range(written_connection.sourceRange.start)
            if byte is not None and text_without_leading_comments(written_connection, self._sources) != port.name:
                yield InlayHint(byte, f"{port.name}:", is_name=True)

    def _parameter_name_hints(self, syntax: SyntaxNode, instance: InstanceSymbol) -> Iterator[InlayHint]:
        """`WIDTH:` before `8` in `m #(8) u (x);`."""
        if not isinstance(syntax, HierarchyInstantiationSyntax) or syntax.parameters is None:
            return
        written_assignments = [
            assignment for assignment in syntax.parameters.parameters if isinstance(assignment, ParamAssignmentSyntax)
        ]
        settable = [
            parameter for parameter in instance.body.parameters if parameter.isPortParam and not parameter.isLocalParam
        ]
        settable = settable or [parameter for parameter in instance.body.parameters if not parameter.isLocalParam]
        for written_assignment, parameter in zip(written_assignments, settable, strict=False):
            if not isinstance(written_assignment, OrderedParamAssignmentSyntax):
                return
            byte = self._byte_in_range(written_assignment.sourceRange.start)
            if byte is not None:
                yield InlayHint(byte, f"{parameter.name}:", is_name=True)

    def _assignment_hints(self, symbol: ContinuousAssignSymbol) -> Iterator[InlayHint]:
        syntax = symbol.syntax
        if not self._requested.widths or syntax is None or self._byte_in_range(syntax.sourceRange.start) is None:
            return
        assignment = symbol.assignment
        if isinstance(assignment, AssignmentExpression):
            yield from self._conversion_hints(assignment.right)

    def _conversion_hints(self, expression: Expression) -> Iterator[InlayHint]:
        """The widths of a value that is implicitly extended or truncated."""
        if not isinstance(expression, ConversionExpression) or not expression.isImplicit:
            return
        operand = expression.operand
        inner_width, outer_width = width_of(operand.type), width_of(expression.type)
        if not inner_width or not outer_width or inner_width == outer_width or operand.kind.name.endswith("Literal"):
            return
        byte = self._byte_in_range(expression.sourceRange.end)
        if byte is not None:
            yield InlayHint(
                byte,
                f"{inner_width} → {outer_width} bits",
                tooltip="Extended." if outer_width > inner_width else "Truncated.",
            )


def _is_computed(source_text: str) -> bool:
    return (
        LITERAL.fullmatch(source_text) is None
        and not source_text.startswith(('"', "'"))
        and bool(re.search(r"\w", source_text))
    )


def _written_dimensions(declarator: SyntaxNode) -> Iterator[str]:
    """The ranges of a declaration as they are written: `[W-1:0]` and `[0:3]` of `logic [W-1:0] memory [0:3];`."""
    holder = declarator.parent
    for typed_node in (getattr(holder, "header", None), holder):
        type_ = getattr(typed_node, "type", None) or getattr(typed_node, "dataType", None)
        yield from (str(dimension) for dimension in getattr(type_, "dimensions", ()))
    yield from (str(dimension) for dimension in getattr(declarator, "dimensions", ()))
