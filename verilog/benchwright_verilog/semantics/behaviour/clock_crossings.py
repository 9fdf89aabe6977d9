"""Candidates for clock-domain crossings: registers of one clock that are read at another.

A crossing is left out if it goes through two registers without logic between them, if it is one bit or a Gray code.
So is a memory beside a Gray-coded pointer that crosses the same way, as in an asynchronous FIFO. A clock that is made
of one other clock by gates or registers belongs to that clock's domain. What is left may still be right, and what is
not found may still be wrong: this proves nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from pyslang.ast import ValueSymbol

from benchwright_verilog.semantics.behaviour.clock_graph import Graph, Read, graph_of, is_gray, names_in, signal_of
from benchwright_verilog.semantics.compilation.diagnostics import Severity, SlangDiagnostic

if TYPE_CHECKING:
    from pyslang.ast import Compilation

    from benchwright_verilog.semantics.project.file_locations import FileLocations

RULE = "clock-crossing"
"""As of slang's rules: `// slang lint_off clock-crossing` waives it."""


@dataclass(frozen=True)
class _Crossing:
    read: Read
    register: str
    domains: tuple[str, str]
    """Where it is written and where it is read, each by the signal that its clock comes from."""


def crossings(
    compilation: Compilation, locations: FileLocations, paths: Collection[Path]
) -> dict[Path, tuple[SlangDiagnostic, ...]]:
    """The candidates that are read in some files.

    Args:
        compilation: The design, elaborated for this alone.
        locations: Where locations are.
        paths: The files.
    """
    found: dict[Path, dict[tuple[int, int], SlangDiagnostic]] = {}
    for one in _Domains(graph_of(compilation)).candidates():
        where = one.read.where
        place = locations.of(where.start)
        if place is None or place.path not in paths:
            continue
        length = 0 if place.generated else max(0, where.end.offset - where.start.offset)
        written, read = one.domains
        message = (
            f"Candidate for a clock-domain crossing: {one.register} is written at {written} and read here at {read}, "
            "without two registers in a row, or as several bits that are not Gray-coded"
        )
        span = place.offset, place.offset + length
        found.setdefault(place.path, {}).setdefault(span, SlangDiagnostic(*span, Severity.NOTE, RULE, message))
    return {path: tuple(each[span] for span in sorted(each)) for path, each in found.items()}


class _Domains:
    """The clock domains of a design.

    Args:
        graph: Its signals.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._known: dict[str, str | None] = {}
        self._sources: dict[str, dict[str, bool]] = {}
        self._under_way: set[str] = set()

    def candidates(self) -> Iterator[_Crossing]:
        """The crossings that are not synchronised in a way that is known here."""
        found = list(self._crossings())
        gray = {(one.domains, _around(one.register)) for one in found if self._is_gray(one.register)}
        for one in found:
            if self._is_memory(one.register):
                scope = _around(one.register)
                beside = (other for domains, other in gray if domains == one.domains)
                if any(f"{scope}.".startswith(f"{other}.") or f"{other}.".startswith(f"{scope}.") for other in beside):
                    continue
            if not self._is_synchronised(one):
                yield one

    def _crossings(self) -> Iterator[_Crossing]:
        for read in self._graph.reads:
            here = self._domain(read.clock)
            for register in self._registers(read.signal) if here is not None else ():
                for clock in self._graph.clocks[register]:
                    there = self._domain(clock)
                    if here is not None and there is not None and there != here:
                        yield _Crossing(read, register, (there, here))

    def _is_synchronised(self, one: _Crossing) -> bool:
        read = one.read
        if read.into is None or not self._registers(read.signal)[one.register]:
            return False
        if not (self._is_bit(one.register) or self._is_gray(one.register)):
            return False
        return read.is_shifted or self._is_read_by_registers(read.into, one.domains[1])

    def _is_read_by_registers(self, signal: str, domain: str) -> bool:
        """Whether all that reads a signal are registers of a domain, which take it as it is."""
        seen, waiting, count = {signal}, [signal], 0
        while waiting:
            here = waiting.pop()
            for read in self._reads_of.get(here, ()):
                if read.into is None or self._domain(read.clock) != domain:
                    return False
                count += 1
            for load, is_plain in self._graph.loads.get(here, ()):
                if not is_plain:
                    return False
                if load not in seen:
                    seen.add(load)
                    waiting.append(load)
        return count > 0

    @cached_property
    def _reads_of(self) -> dict[str, list[Read]]:
        found: dict[str, list[Read]] = {}
        for read in self._graph.reads:
            found.setdefault(read.signal, []).append(read)
        return found

    def _registers(self, signal: str) -> dict[str, bool]:
        """The registers that a signal comes from, and whether it is such a one as it is, without logic."""
        if signal not in self._sources:
            found: dict[str, bool] = {}
            seen: set[tuple[str, bool]] = set()
            waiting = [(signal, True)]
            while waiting:
                here = waiting.pop()
                if here in seen:
                    continue
                seen.add(here)
                name, is_plain = here
                if name in self._graph.clocks:
                    found[name] = found.get(name, True) and is_plain
                    continue
                waiting += ((one, is_plain and plain) for one, plain in self._graph.drivers.get(name, ()))
            self._sources[signal] = found
        return self._sources[signal]

    # Clocks

    def _domain(self, clock: str) -> str | None:
        """The signal that a clock comes from; None if that is unknown."""
        if clock in self._known:
            return self._known[clock]
        if clock in self._under_way:
            return None
        self._under_way.add(clock)
        found = self._origin(clock)
        self._under_way.discard(clock)
        self._known[clock] = found
        return found

    def _origin(self, clock: str) -> str | None:
        root = self._root(clock)
        if root in self._graph.unknown:
            return None
        if root in self._graph.clocks:
            made_of = {self._domain(one) for one in self._graph.clocks[root]} - {None}
            return made_of.pop() if len(made_of) == 1 else root
        if not self._graph.drivers.get(root):
            return root
        registers = self._registers(root)
        made_of = {self._domain(one) for register in registers for one in self._graph.clocks[register]} - {None}
        inputs = self._inputs(root)
        made_of |= inputs & self._roots if made_of or inputs & self._roots else inputs
        return made_of.pop() if len(made_of) == 1 else root

    def _root(self, signal: str) -> str:
        """Where a signal comes from by ports and assignments alone."""
        seen = {signal}
        while signal not in self._graph.clocks:
            drivers = {name for name, is_plain in self._graph.drivers.get(signal, ()) if is_plain}
            if len(drivers) != 1 or not all(plain for _, plain in self._graph.drivers[signal]) or drivers <= seen:
                break
            signal = drivers.pop()
            seen.add(signal)
        return signal

    @cached_property
    def _roots(self) -> set[str]:
        """The signals that nothing in the design drives, and that are clocks as they are."""
        used = {clock for clocks in self._graph.clocks.values() for clock in clocks}
        return {root for clock in used if not self._graph.drivers.get(root := self._root(clock))} - {
            *self._graph.clocks
        }

    def _inputs(self, signal: str) -> set[str]:
        """What nothing in the design drives, of all that a signal is made of."""
        seen, waiting, found = {signal}, [signal], set()
        while waiting:
            here = waiting.pop()
            drivers = [] if here in self._graph.clocks else self._graph.drivers.get(here, [])
            if not drivers and here not in self._graph.clocks:
                found.add(here)
            new = {name for name, _ in drivers} - seen
            seen |= new
            waiting += new
        return found

    # Values

    def _is_gray(self, register: str) -> bool:
        """Whether a register only takes Gray codes, and constants."""
        values = [one for one in self._graph.values.get(register, ()) if any(names_in(self._graph, one))]
        return bool(values) and all(self._has_gray(one) for one in values)

    def _has_gray(self, value: object) -> bool:
        from pyslang.ast import Expression

        if not isinstance(value, Expression):
            return False
        if is_gray(self._graph, value):
            return True
        name = signal_of(self._graph, value)
        if name is None or name in self._graph.clocks:
            return False
        made_of = self._graph.values.get(name, ())
        return bool(made_of) and all(is_gray(self._graph, one) for one in made_of)

    def _is_bit(self, signal: str) -> bool:
        symbol = self._graph.symbols.get(signal)
        return isinstance(symbol, ValueSymbol) and symbol.type.isIntegral and symbol.type.bitWidth == 1

    def _is_memory(self, signal: str) -> bool:
        symbol = self._graph.symbols.get(signal)
        return isinstance(symbol, ValueSymbol) and symbol.type.canonicalType.isUnpackedArray


def _around(path: str) -> str:
    return path.rpartition(".")[0]
