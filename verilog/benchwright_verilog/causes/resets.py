"""Resets of the wrong polarity, resets that nothing uses, registers without one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pyslang.ast import ArgumentDirection, PortSymbol, VariableSymbol

from benchwright_verilog.causes.assignments import assignment_if_any, is_clocked, is_declared_at_module_level
from benchwright_verilog.causes.cause import Cause, CauseKind, ExaminedInstance
from benchwright_verilog.semantics.behaviour.body_flows import read_instance_flows
from benchwright_verilog.semantics.behaviour.guarded_statements import StatementGuard, guarded_statements
from benchwright_verilog.semantics.behaviour.registers import (
    clock_and_reset_levels,
    is_reset_name,
    processes_of,
    registers,
    tested_signal_and_level,
)
from benchwright_verilog.semantics.names.named_values import assigned_parts, signal_symbol_of, signals_by_path

if TYPE_CHECKING:
    from pyslang.ast import AssignmentExpression, ProceduralBlockSymbol, Symbol

    from benchwright_verilog.semantics.behaviour.body_flows import InstanceFlows
    from benchwright_verilog.semantics.behaviour.registers import Register

_LOW = re.compile(r"(?:^n_?(?:rst|reset)|(?:rst|reset|clr|clear)_?(?:n|ni|l|b)$|_n[io]?$)", re.IGNORECASE)


def wrong_reset_polarity(examined: ExaminedInstance) -> Iterator[Cause]:
    """A reset that resets at the level at which its name, or its edge, says that it does not."""
    seen_signals: set[str] = set()
    for block in processes_of(examined.symbol.body):
        timing = clock_and_reset_levels(block) if is_clocked(block) else None
        if timing is None:
            continue
        for guard, symbol, level in _reset_guard_signal_and_level(block):
            by_edge = timing[1].get(symbol.hierarchicalPath)
            is_named_reset = is_reset_name(symbol.name)
            by_name = (0 if _LOW.search(symbol.name) else 1) if is_named_reset else None
            span = examined.design.file_span(guard.expression.sourceRange)
            if span is None or symbol.hierarchicalPath in seen_signals:
                continue
            if by_edge is not None and by_edge != level:
                reason = f"The block waits for its {'negedge' if by_edge == 0 else 'posedge'}, but resets at {level}."
            elif by_edge is None and by_name is not None and by_name != level:
                low = "active low" if by_name == 0 else "active high"
                reason = f"Its name says that it is {low}, but the registers are reset while it is {level}."
            elif by_edge is not None and by_name is not None and by_edge == level != by_name:
                low = "active low" if by_name == 0 else "active high"
                reason = f"Its name says that it is {low}, but edge and condition take it for the opposite."
            else:
                continue
            seen_signals.add(symbol.hierarchicalPath)
            condition = f"!{symbol.name}" if (by_name if by_name is not None else by_edge) == 0 else symbol.name
            yield Cause(
                CauseKind.RESET_POLARITY,
                f"`{symbol.name}` has the wrong polarity",
                span,
                reason,
                f"Write `if ({condition})` for the reset, and the edge to match if it is asynchronous.",
                7,
            )


def unread_reset_inputs(examined: ExaminedInstance) -> Iterator[Cause]:
    """A reset that the module has as an input, and registers, but nothing reads it."""
    module_body = read_instance_flows(examined.design, examined.symbol)
    found_registers = registers(examined.design, examined.instance.path) or []
    read_paths = {path for flow in module_body.flows for path, _ in flow.source_paths_with_roles}
    for port in _reset_input_ports(examined) if found_registers else ():
        inner_symbol = port.internalSymbol
        span = examined.design.declaration_span(port)
        if inner_symbol is not None and inner_symbol.hierarchicalPath not in read_paths and span is not None:
            yield Cause(
                CauseKind.MISSING_RESET,
                f"Nothing reads the reset `{port.name}`",
                span,
                f"The module has {len(found_registers)} registers, such as `{found_registers[0].name}`, and none of "
                "them is reset.",
                f"Begin the clocked blocks by `if ({'!' if _LOW.search(port.name) else ''}{port.name})`.",
                6,
            )


def unreset_registers(examined: ExaminedInstance) -> Iterator[Cause]:
    """Registers without a reset where others have one, or the module has a reset as an input."""
    found_registers = registers(examined.design, examined.instance.path) or []
    has_reset = any(register_.reset is not None for register_ in found_registers)
    if not has_reset and not any(True for _ in _reset_input_ports(examined)):
        return
    module_body = read_instance_flows(examined.design, examined.symbol)
    initial = _initialised_signal_paths(examined)
    for register in found_registers:
        # A memory is not reset, and what has a first value does not need it in simulation.
        if (
            register.reset is not None
            or "$" in register.type
            or register.path in initial
            or register.written_span is None
        ):
            continue
        feeds_itself = _is_fed_by_itself(register, module_body)
        weight = 2 + 3 * feeds_itself + 5 * examined.evidence.has_unknown_value
        yield Cause(
            CauseKind.UNRESET_REGISTER,
            f"`{register.name}` is not reset",
            register.written_span,
            "It is X until it is first written"
            + (", and since its next value depends on itself, X may stay forever." if feeds_itself else "."),
            f"Reset `{register.name}` where the other registers are reset.",
            weight,
        )


def _reset_guard_signal_and_level(block: ProceduralBlockSymbol) -> Iterator[tuple[StatementGuard, Symbol, int]]:
    """Conditions under which registers become constant, where they take a value otherwise."""
    constant: dict[str, tuple[StatementGuard, Symbol, int]] = {}
    untested: set[tuple[str, str, int]] = set()
    for guarded_statement in guarded_statements(block.body):
        assignment, outermost = assignment_if_any(guarded_statement), next(iter(guarded_statement.guards), None)
        tested = tested_signal_and_level(outermost) if outermost is not None else None
        if assignment is None or outermost is None or tested is None:
            continue
        for target in _assigned_module_signal_paths(assignment):
            if len(guarded_statement.guards) == 1 and not signals_by_path(assignment.right):
                constant.setdefault(target, (outermost, *tested))
            else:
                untested.add((target, tested[0].hierarchicalPath, tested[1]))
    for target, (guard, symbol, level) in constant.items():
        if (target, symbol.hierarchicalPath, 1 - level) in untested:
            yield guard, symbol, level


def _assigned_module_signal_paths(assignment: AssignmentExpression) -> Iterator[str]:
    for target_expression in assigned_parts(assignment.left):
        symbol = signal_symbol_of(target_expression)
        if symbol is not None and is_declared_at_module_level(symbol):
            yield symbol.hierarchicalPath


def _reset_input_ports(examined: ExaminedInstance) -> Iterator[PortSymbol]:
    for port in examined.symbol.body.portList:
        if isinstance(port, PortSymbol) and port.direction == ArgumentDirection.In and is_reset_name(port.name):
            yield port


def _initialised_signal_paths(examined: ExaminedInstance) -> set[str]:
    """The signals that have a value before simulation begins."""
    initialised = {
        symbol.hierarchicalPath
        for symbol in examined.symbol.body
        if isinstance(symbol, VariableSymbol) and symbol.initializer is not None
    }
    for block in processes_of(examined.symbol.body):
        if block.procedureKind.name == "Initial":
            for guarded_statement in guarded_statements(block.body):
                assignment = assignment_if_any(guarded_statement)
                if assignment is not None:
                    initialised.update(_assigned_module_signal_paths(assignment))
    return initialised


def _is_fed_by_itself(register: Register, instance_flows: InstanceFlows) -> bool:
    return any(
        register.path in flow.target_paths and any(path == register.path for path, _ in flow.source_paths_with_roles)
        for flow in instance_flows.flows
    )
