"""Candidates for clock-domain crossings: registers of one clock that are read at another.

A crossing is left out if it goes through two registers without logic between them, if it is one bit or a Gray code.
So is a memory beside a Gray-coded pointer that crosses the same way, as in an asynchronous FIFO, and what is read only
under a condition that has crossed the same way through two registers, as the data of a handshake. A clock that is made
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

from benchwright_verilog.semantics.behaviour.clock_graph import (
    ClockedRead,
    SignalGraph,
    is_gray_code_expression,
    paths_and_ranges_of_signals,
    signal_graph_of,
    signal_path_of,
)
from benchwright_verilog.semantics.compilation.diagnostics import DiagnosticSeverity, SlangDiagnostic

if TYPE_CHECKING:
    from pyslang.ast import Compilation

    from benchwright_verilog.semantics.project.file_locations import FileLocations

RULE = "clock-crossing"
"""As of slang's rules: `// slang lint_off clock-crossing` waives it."""


@dataclass(frozen=True)
class _Crossing:
    clocked_read: ClockedRead
    register: str
    write_and_read_domains: tuple[str, str]
    """The domains in which it is written and read, each by the signal that its clock comes from."""


def clock_crossing_candidates(
    compilation: Compilation, locations: FileLocations, reading_files: Collection[Path]
) -> dict[Path, tuple[SlangDiagnostic, ...]]:
    """The candidates that are read in some files.

    Args:
        compilation: The design, elaborated for this alone.
        locations: Resolves slang's locations.
        reading_files: The files.
    """
    by_path: dict[Path, dict[tuple[int, int], SlangDiagnostic]] = {}
    for crossing in _ClockDomains(signal_graph_of(compilation)).unsynchronised_crossings():
        source_range = crossing.clocked_read.source_range
        location = locations.file_location_of(source_range.start)
        if location is None or location.path not in reading_files:
            continue
        length = 0 if location.is_generated else max(0, source_range.end.offset - source_range.start.offset)
        write_domain, read_domain = crossing.write_and_read_domains
        message = (
            f"Candidate for a clock-domain crossing: {crossing.register} is written at {write_domain} and read here "
            f"at {read_domain}, "
            "without two registers in a row, or as several bits that are not Gray-coded"
        )
        span = location.offset, location.offset + length
        by_path.setdefault(location.path, {}).setdefault(
            span, SlangDiagnostic(*span, DiagnosticSeverity.NOTE, RULE, message)
        )
    return {path: tuple(by_span[span] for span in sorted(by_span)) for path, by_span in by_path.items()}


class _ClockDomains:
    """The clock domains of a design.

    Args:
        graph: Its signals.
    """

    def __init__(self, graph: SignalGraph) -> None:
        self._graph = graph
        self._known_domains: dict[str, str | None] = {}
        self._sources: dict[str, dict[str, bool]] = {}
        self._under_way: set[str] = set()

    def unsynchronised_crossings(self) -> Iterator[_Crossing]:
        """The crossings that are not synchronised in a way that is known here."""
        crossings_found = list(self._all_crossings())
        gray = {
            (crossing.write_and_read_domains, _parent_path(crossing.register))
            for crossing in crossings_found
            if self._takes_only_gray_codes(crossing.register)
        }
        for crossing in crossings_found:
            if self._is_memory(crossing.register):
                scope = _parent_path(crossing.register)
                gray_scopes = (gray_scope for domains, gray_scope in gray if domains == crossing.write_and_read_domains)
                if any(
                    f"{scope}.".startswith(f"{gray_scope}.") or f"{gray_scope}.".startswith(f"{scope}.")
                    for gray_scope in gray_scopes
                ):
                    continue
            if not self._is_synchronised(crossing) and not self._is_guarded_by_handshake(crossing):
                yield crossing

    def _all_crossings(self) -> Iterator[_Crossing]:
        for clocked_read in self._graph.clocked_reads:
            read_domain = self._clock_source(clocked_read.clock)
            for register in (
                self._is_fed_without_logic_by_register(clocked_read.signal) if read_domain is not None else ()
            ):
                for clock in self._graph.clocks_by_register[register]:
                    write_domain = self._clock_source(clock)
                    if read_domain is not None and write_domain is not None and write_domain != read_domain:
                        yield _Crossing(clocked_read, register, (write_domain, read_domain))

    def _is_synchronised(self, crossing: _Crossing) -> bool:
        clocked_read = crossing.clocked_read
        if (
            clocked_read.destination_register is None
            or not self._is_fed_without_logic_by_register(clocked_read.signal)[crossing.register]
        ):
            return False
        if not (self._is_one_bit(crossing.register) or self._takes_only_gray_codes(crossing.register)):
            return False
        return clocked_read.is_shifted or self._is_read_only_by_registers(
            clocked_read.destination_register, crossing.write_and_read_domains[1]
        )

    def _is_guarded_by_handshake(self, crossing: _Crossing) -> bool:
        """True if it is read under a condition that has crossed the same way through two registers."""
        synchroniser_outputs = self._synchroniser_outputs_by_domains.get(crossing.write_and_read_domains, set())
        return any(
            synchroniser_outputs & self._is_fed_without_logic_by_register(guard).keys()
            for guard in crossing.clocked_read.guards
        )

    @cached_property
    def _synchroniser_outputs_by_domains(self) -> dict[tuple[str, str], set[str]]:
        """Domains → the registers that synchronised signals come out of, and those that take them a clock later."""
        synchroniser_outputs: dict[tuple[str, str], set[str]] = {}
        for crossing in self._all_crossings():
            first_stage = crossing.clocked_read.destination_register
            if first_stage is None or not self._is_synchronised(crossing):
                continue
            stages = {first_stage} if crossing.clocked_read.is_shifted else self._registers_taking(first_stage)
            synchroniser_outputs.setdefault(crossing.write_and_read_domains, set()).update(
                stages, *(self._registers_taking(stage) for stage in stages)
            )
        return synchroniser_outputs

    def _registers_taking(self, signal: str) -> set[str]:
        """The registers that take a signal as it is."""
        seen_signals, pending_signals, registers = {signal}, [signal], set()
        while pending_signals:
            current = pending_signals.pop()
            registers |= {
                clocked_read.destination_register
                for clocked_read in self._reads_by_signal.get(current, ())
                if clocked_read.destination_register is not None
            }
            loads = {load for load, is_plain in self._graph.loads.get(current, ()) if is_plain} - seen_signals
            seen_signals |= loads
            pending_signals += loads
        return registers

    def _is_read_only_by_registers(self, signal: str, domain: str) -> bool:
        """True if all that reads a signal are registers of a domain, which take it as it is."""
        seen_signals, pending_signals, count = {signal}, [signal], 0
        while pending_signals:
            current = pending_signals.pop()
            for clocked_read in self._reads_by_signal.get(current, ()):
                if clocked_read.destination_register is None or self._clock_source(clocked_read.clock) != domain:
                    return False
                count += 1
            for load, is_plain in self._graph.loads.get(current, ()):
                if not is_plain:
                    return False
                if load not in seen_signals:
                    seen_signals.add(load)
                    pending_signals.append(load)
        return count > 0

    @cached_property
    def _reads_by_signal(self) -> dict[str, list[ClockedRead]]:
        reads: dict[str, list[ClockedRead]] = {}
        for clocked_read in self._graph.clocked_reads:
            reads.setdefault(clocked_read.signal, []).append(clocked_read)
        return reads

    def _is_fed_without_logic_by_register(self, signal: str) -> dict[str, bool]:
        """Register → whether it feeds a signal as it is, without logic, for each that the signal comes from."""
        if signal not in self._sources:
            registers: dict[str, bool] = {}
            seen_paths: set[tuple[str, bool]] = set()
            pending_signals = [(signal, True)]
            while pending_signals:
                current = pending_signals.pop()
                if current in seen_paths:
                    continue
                seen_paths.add(current)
                name, is_plain = current
                if name in self._graph.clocks_by_register:
                    registers[name] = registers.get(name, True) and is_plain
                    continue
                pending_signals += ((driver, is_plain and plain) for driver, plain in self._graph.drivers.get(name, ()))
            self._sources[signal] = registers
        return self._sources[signal]

    # Clocks

    def _clock_source(self, clock: str) -> str | None:
        """The signal that a clock comes from; None if that is unknown."""
        if clock in self._known_domains:
            return self._known_domains[clock]
        if clock in self._under_way:
            return None
        self._under_way.add(clock)
        origin = self._trace_clock_source(clock)
        self._under_way.discard(clock)
        self._known_domains[clock] = origin
        return origin

    def _trace_clock_source(self, clock: str) -> str | None:
        root = self._source_without_logic(clock)
        if root in self._graph.unknown_signals:
            return None
        if root in self._graph.clocks_by_register:
            made_of = {self._clock_source(clock_name) for clock_name in self._graph.clocks_by_register[root]} - {None}
            return made_of.pop() if len(made_of) == 1 else root
        if not self._graph.drivers.get(root):
            return root
        registers = self._is_fed_without_logic_by_register(root)
        made_of = {
            self._clock_source(clock_name)
            for register in registers
            for clock_name in self._graph.clocks_by_register[register]
        } - {None}
        inputs = self._undriven_signals_feeding(root)
        made_of |= inputs & self._undriven_clocks if made_of or inputs & self._undriven_clocks else inputs
        return made_of.pop() if len(made_of) == 1 else root

    def _source_without_logic(self, signal: str) -> str:
        """The signal from which a signal comes by ports and assignments alone."""
        seen_signals = {signal}
        while signal not in self._graph.clocks_by_register:
            drivers = {name for name, is_plain in self._graph.drivers.get(signal, ()) if is_plain}
            if (
                len(drivers) != 1
                or not all(plain for _, plain in self._graph.drivers[signal])
                or drivers <= seen_signals
            ):
                break
            signal = drivers.pop()
            seen_signals.add(signal)
        return signal

    @cached_property
    def _undriven_clocks(self) -> set[str]:
        """The signals that nothing in the design drives, and that are clocks as they are."""
        used_clocks = {clock for clocks in self._graph.clocks_by_register.values() for clock in clocks}
        return {
            root for clock in used_clocks if not self._graph.drivers.get(root := self._source_without_logic(clock))
        } - {*self._graph.clocks_by_register}

    def _undriven_signals_feeding(self, signal: str) -> set[str]:
        """The signals that nothing in the design drives, of all that a signal is made of."""
        seen_signals, pending_signals, inputs = {signal}, [signal], set()
        while pending_signals:
            current = pending_signals.pop()
            drivers = [] if current in self._graph.clocks_by_register else self._graph.drivers.get(current, [])
            if not drivers and current not in self._graph.clocks_by_register:
                inputs.add(current)
            new_signals = {name for name, _ in drivers} - seen_signals
            seen_signals |= new_signals
            pending_signals += new_signals
        return inputs

    # Values

    def _takes_only_gray_codes(self, register: str) -> bool:
        """True if a register only takes Gray codes, and constants."""
        assigned_expressions = [
            expression
            for expression in self._graph.assigned_expressions.get(register, ())
            if any(paths_and_ranges_of_signals(self._graph, expression))
        ]
        return bool(assigned_expressions) and all(
            self._is_or_names_gray_code(expression) for expression in assigned_expressions
        )

    def _is_or_names_gray_code(self, value: object) -> bool:
        from pyslang.ast import Expression

        if not isinstance(value, Expression):
            return False
        if is_gray_code_expression(self._graph, value):
            return True
        name = signal_path_of(self._graph, value)
        if name is None or name in self._graph.clocks_by_register:
            return False
        made_of = self._graph.assigned_expressions.get(name, ())
        return bool(made_of) and all(is_gray_code_expression(self._graph, expression) for expression in made_of)

    def _is_one_bit(self, signal: str) -> bool:
        symbol = self._graph.symbol_by_path.get(signal)
        return isinstance(symbol, ValueSymbol) and symbol.type.isIntegral and symbol.type.bitWidth == 1

    def _is_memory(self, signal: str) -> bool:
        symbol = self._graph.symbol_by_path.get(signal)
        return isinstance(symbol, ValueSymbol) and symbol.type.canonicalType.isUnpackedArray


def _parent_path(path: str) -> str:
    return path.rpartition(".")[0]
