"""Drivers and loads of a signal of an elaborated design, one level at a time, through ports.

In

    always_ff @(posedge clk) if (load) q <= d;

one assignment drives `q`: `d` is its value, `load` its condition, `clk` its event. An input is driven by what the
instance is connected to, and so on. What a module deeper in the design assigns by a hierarchical name is not found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pyslang.ast import PortSymbol

from benchwright_verilog.semantics.behaviour.body_flows import AssignmentRole, Flow, InstanceFlows, read_instance_flows
from benchwright_verilog.semantics.compilation.instances import FileSpan

if TYPE_CHECKING:
    from pyslang.ast import InstanceSymbol

    from benchwright_verilog.semantics.compilation.instances import InstanceTree


@dataclass(frozen=True)
class FlowSignal:
    """A signal of the design."""

    path: str
    """From the top, such as `top.u_core.count`."""
    name: str
    declaration: FileSpan | None


@dataclass(frozen=True)
class FlowEndpoint:
    """One driver or load of a signal."""

    flow: Flow
    signals: tuple[tuple[FlowSignal, AssignmentRole], ...]
    """The signals at its other end."""


@dataclass(frozen=True)
class SignalEndpoints:
    """A signal with its drivers or loads."""

    signal: FlowSignal
    top_port_direction: str | None
    """`in`, `out`, `inout` or `ref` if what is beyond the signal is not part of the design."""
    endpoints: tuple[FlowEndpoint, ...]
    is_complete: bool
    """False if its instance has more assignments than were examined."""


class SignalFlow:
    """The drivers and loads of a design's signals. Safe in any thread.

    Args:
        design: The design.
    """

    def __init__(self, design: InstanceTree) -> None:
        self._design = design
        self._bodies: dict[str, InstanceFlows] = {}

    def signal_path_declared_at(self, path: Path, start_byte: int, instance_path: str) -> str | None:
        """The path of the signal of an instance that is declared at a byte of a file; of several the first."""
        with self._design.lock:
            instance_symbol = self._design.instance_symbol_around(instance_path)
            for name, symbol in (
                self._read_flows_once(instance_symbol).symbol_by_path.items() if instance_symbol is not None else ()
            ):
                span = self._design.declaration_span(symbol)
                if span is not None and (span.path, span.start) == (path, start_byte):
                    return name
        return None

    def signal(self, signal_path: str) -> FlowSignal | None:
        """The signal of a path; None if the design has none."""
        with self._design.lock:
            instance_symbol = self._design.instance_symbol_around(signal_path)
            return (
                self._flow_signal(signal_path)
                if instance_symbol is not None and signal_path in self._read_flows_once(instance_symbol).symbol_by_path
                else None
            )

    def drivers(self, signal_path: str) -> SignalEndpoints | None:
        """The drivers of a signal; None if the design has none of this path."""
        return self._endpoints(
            signal_path, lambda flow: flow.source_paths_with_roles if signal_path in flow.target_paths else None
        )

    def loads(self, signal_path: str) -> SignalEndpoints | None:
        """The loads of a signal; None if the design has none of this path."""

        def driven(flow: Flow) -> list[tuple[str, AssignmentRole]] | None:
            role = next((role for path, role in flow.source_paths_with_roles if path == signal_path), None)
            return [(path, role) for path in flow.target_paths] if role is not None else None

        return self._endpoints(signal_path, driven)

    def _endpoints(
        self, signal_path: str, other_ends_if_touched: Callable[[Flow], Iterable[tuple[str, AssignmentRole]] | None]
    ) -> SignalEndpoints | None:
        with self._design.lock:
            instance_symbol = self._design.instance_symbol_around(signal_path)
            symbol = (
                self._read_flows_once(instance_symbol).symbol_by_path.get(signal_path)
                if instance_symbol is not None
                else None
            )
            if instance_symbol is None or symbol is None:
                return None
            bodies = list(self._flows_naming_signals_of(instance_symbol))
            endpoints = [
                FlowEndpoint(flow, tuple((self._flow_signal(name), part) for name, part in ends))
                for flow_body in bodies
                for flow in flow_body.flows
                if (ends := other_ends_if_touched(flow)) is not None
            ]
            port = instance_symbol.body.findPort(symbol.name) if _parent_instance(instance_symbol) is None else None
            direction = port.direction.name.lower() if isinstance(port, PortSymbol) else None
            return SignalEndpoints(
                self._flow_signal(signal_path), direction, tuple(endpoints), not any(body.is_cut for body in bodies)
            )

    def _flows_naming_signals_of(self, instance_symbol: InstanceSymbol) -> Iterator[InstanceFlows]:
        """Yield bodies that name signals of an instance: in and around it; of an interface, where it is connected."""
        yield self._read_flows_once(instance_symbol)
        parent = _parent_instance(instance_symbol)
        if parent is None:
            return
        yield self._read_flows_once(parent)
        if instance_symbol.isInterface:
            interface, seen_paths = instance_symbol.hierarchicalPath, {parent.hierarchicalPath}
            pending_bodies = [self._read_flows_once(parent)]
            while pending_bodies:
                for inner_path, connected in pending_bodies.pop().instance_and_interface_paths:
                    symbol = (
                        self._design.instance_symbol_around(inner_path)
                        if connected == interface and inner_path not in seen_paths
                        else None
                    )
                    if symbol is not None:
                        seen_paths.add(inner_path)
                        pending_bodies.append(self._read_flows_once(symbol))
                        yield pending_bodies[-1]

    def _flow_signal(self, signal_path: str) -> FlowSignal:
        instance_symbol = self._design.instance_symbol_around(signal_path)
        symbol = (
            self._read_flows_once(instance_symbol).symbol_by_path.get(signal_path)
            if instance_symbol is not None
            else None
        )
        return FlowSignal(
            signal_path,
            signal_path.rpartition(".")[2],
            self._design.declaration_span(symbol) if symbol is not None else None,
        )

    def _read_flows_once(self, instance: InstanceSymbol) -> InstanceFlows:
        path = instance.hierarchicalPath
        if path not in self._bodies:
            self._bodies[path] = read_instance_flows(self._design, instance)
        return self._bodies[path]


def _parent_instance(instance: InstanceSymbol) -> InstanceSymbol | None:
    scope = instance.parentScope
    body = scope.containingInstance if scope is not None else None
    return body.parentInstance if body is not None else None
