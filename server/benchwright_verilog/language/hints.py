"""What stands between the text: names of ports, widths, values, nets that nobody declared."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchwright_verilog.language.declarations import source_of, width_of
from benchwright_verilog.language.descriptions import bits, constant_text
from benchwright_verilog.language.numbers import LITERAL
from benchwright_verilog.semantics.occurrence import TargetKind

if TYPE_CHECKING:
    from benchwright_verilog.semantics.analysis import Analysis
    from benchwright_verilog.settings import InlayHints

_COMPUTED = re.compile(r"[A-Za-z_`$]")
_LONGEST = 40
_INNER = frozenset({"GenerateBlock", "StatementBlock", "Subroutine"})
_BODIES = frozenset({TargetKind.MODULE, TargetKind.INTERFACE, TargetKind.PROGRAM})


@dataclass(frozen=True)
class Hint:
    """A word between the text, at a byte of it."""

    byte: int
    label: str
    is_name: bool = False
    """Whether it names what follows; else it says something of what is before."""
    about: str = ""


def hints(analysis: Analysis, start: int, end: int, wanted: InlayHints) -> Iterator[Hint]:
    """The hints between two bytes of a file."""
    units = analysis.outline.units
    for at, unit in enumerate(units):
        following = units[at + 1].start if at + 1 < len(units) else len(analysis.data)
        if following < start or unit.start > end:
            continue
        if unit.kind in _BODIES:
            scope: Any = analysis.body(unit.name)
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

    def of_scope(self, scope: Any) -> Iterator[Hint]:
        for symbol in scope:
            kind = symbol.kind.name
            if kind == "GenerateBlockArray":
                first = next((entry for entry in symbol if entry.kind.name == "GenerateBlock"), None)
                if first is not None:
                    yield from self.of_scope(first)
            elif kind in _INNER:
                yield from self.of_scope(symbol)
            elif kind in ("Net", "Variable", "FormalArgument"):
                yield from self._declared(symbol)
            elif kind == "Parameter":
                yield from self._constant(symbol)
            elif kind in ("Instance", "InstanceArray"):
                yield from self._instance(symbol)
            elif kind == "ContinuousAssign":
                yield from self._assigned(symbol)

    def _here(self, location: Any) -> int | None:
        """The byte of a location, if it is written in the range."""
        if self._sources.isMacroLoc(location) or not self._start <= location.offset <= self._end:
            return None
        place = self._analysis.places.of(location)
        return place.offset if place is not None and place.path == self._analysis.path else None

    def _declared(self, symbol: Any) -> Iterator[Hint]:
        byte = self._here(symbol.location)
        if byte is None or symbol.syntax is None:
            return
        after = byte + len(symbol.name.encode())
        if symbol.kind.name == "Net" and symbol.isImplicit:
            if self._wanted.implicit_nets:
                yield Hint(after, f": {symbol.netType.name}", about="This net is declared by being used here.")
            return
        if not self._wanted.widths or symbol.syntax.parent is None:
            return
        width = width_of(symbol.type)
        dimensions = _dimensions(symbol.syntax)
        if width and any(_COMPUTED.search(text) for text in dimensions):
            yield Hint(after, bits(width), about="With the default parameters.")

    def _constant(self, symbol: Any) -> Iterator[Hint]:
        byte = self._here(symbol.location)
        initializer = getattr(symbol.syntax, "initializer", None)
        if byte is None or initializer is None or not self._wanted.constants:
            return
        written = source_of(initializer, self._sources).removeprefix("=").strip()
        text = constant_text(symbol.value)
        end = initializer.sourceRange.end
        if not text or len(text) > _LONGEST or self._sources.isMacroLoc(end) or not _is_computed(written):
            return
        yield Hint(end.offset, f"= {text}", about="With the default parameters.")

    def _instance(self, symbol: Any) -> Iterator[Hint]:
        syntax = symbol.syntax
        instance = symbol
        while instance is not None and instance.kind.name == "InstanceArray":
            instance = next(iter(instance), None)
        if syntax is None or instance is None or instance.kind.name != "Instance":
            return
        place = syntax.sourceRange
        if place.start.offset > self._end or place.end.offset < self._start:
            return
        if self._wanted.port_names:
            yield from self._port_names(syntax, instance)
            yield from self._parameter_names(syntax.parent, instance)
        if self._wanted.widths:
            for connection in instance.portConnections:
                if connection.expression is not None:
                    yield from self._converted(connection.expression)

    def _port_names(self, syntax: Any, instance: Any) -> Iterator[Hint]:
        connections = [
            one for one in getattr(syntax, "connections", ()) if hasattr(one, "kind") and hasattr(one, "sourceRange")
        ]
        for connection, port in zip(connections, instance.body.portList, strict=False):
            if connection.kind.name != "OrderedPortConnection":
                return
            byte = self._here(connection.sourceRange.start)
            if byte is not None and source_of(connection, self._sources) != port.name:
                yield Hint(byte, f"{port.name}:", is_name=True)

    def _parameter_names(self, syntax: Any, instance: Any) -> Iterator[Hint]:
        assigned = getattr(syntax, "parameters", None)
        if assigned is None:
            return
        listed = [one for one in assigned.parameters if hasattr(one, "sourceRange")]
        settable = [one for one in instance.body.parameters if one.isPortParam and not one.isLocalParam]
        settable = settable or [one for one in instance.body.parameters if not one.isLocalParam]
        for value, parameter in zip(listed, settable, strict=False):
            if value.kind.name != "OrderedParamAssignment":
                return
            byte = self._here(value.sourceRange.start)
            if byte is not None:
                yield Hint(byte, f"{parameter.name}:", is_name=True)

    def _assigned(self, symbol: Any) -> Iterator[Hint]:
        syntax = symbol.syntax
        if not self._wanted.widths or syntax is None or self._here(syntax.sourceRange.start) is None:
            return
        assignment = symbol.assignment
        if assignment.kind.name == "Assignment":
            yield from self._converted(assignment.right)

    def _converted(self, expression: Any) -> Iterator[Hint]:
        """The widths of a value that is made wider or narrower without anybody saying so."""
        if expression.kind.name != "Conversion" or not expression.isImplicit:
            return
        inner = expression.operand
        before, after = width_of(inner.type), width_of(expression.type)
        if not before or not after or before == after or inner.kind.name.endswith("Literal"):
            return
        end = expression.sourceRange.end
        byte = self._here(end)
        if byte is not None:
            yield Hint(byte, f"{before} → {after} bits", about="Made wider." if after > before else "Cut.")


def _is_computed(written: str) -> bool:
    return LITERAL.fullmatch(written) is None and not written.startswith(('"', "'")) and bool(re.search(r"\w", written))


def _dimensions(declarator: Any) -> Iterator[str]:
    """The ranges that a declaration gives its names, as they are written."""
    holder = declarator.parent
    for one in (getattr(holder, "header", None), holder):
        kind = getattr(one, "type", None) or getattr(one, "dataType", None)
        yield from (str(dimension) for dimension in getattr(kind, "dimensions", ()))
    yield from (str(dimension) for dimension in getattr(declarator, "dimensions", ()))
