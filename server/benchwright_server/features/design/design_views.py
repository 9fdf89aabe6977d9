"""`benchwright/drivers`, `loads`, `registers`, `stateMachines`, `schematic` and `designSize`: views of a design."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from lsprotocol import types

from benchwright_problems.aids import Aid
from benchwright_server.errors import ServerError
from benchwright_server.features.attempt import aids
from benchwright_server.features.design.module_views import (
    allowed_requested_instance,
    check_and_record_view_use,
    clocked_view_fields,
    file_range,
    requested_or_chosen_instance,
)
from benchwright_server.features.design.netlists import Netlists
from benchwright_server.features.editor.locations import Locations
from benchwright_server.features.editor.project_of import project_and_inner_path
from benchwright_server.features.requests import register_operation
from benchwright_server.netlist.size import KeptSizes
from benchwright_server.operations.operation import Operation
from benchwright_server.protocol.design_views import (
    CellCount,
    CellEnd,
    CellView,
    ConnectionView,
    DesignSize,
    FlowView,
    ModuleViewParams,
    PortView,
    RegisterTable,
    RegisterView,
    SchematicView,
    SignalEnd,
    SignalParams,
    SignalTrace,
    SignalView,
    SizeView,
    StateMachineTable,
    StateMachineView,
    StateView,
    TransitionView,
)

if TYPE_CHECKING:
    from pathlib import Path

    from benchwright_server.editor_server import EditorServer
    from benchwright_server.features.editor.locations import Locations
    from benchwright_server.netlist.schematic import CellPort, Schematic, WireEnd
    from benchwright_server.netlist.size import ModuleSize
    from benchwright_verilog.semantics.behaviour.registers import Register
    from benchwright_verilog.semantics.behaviour.signal_flow import FlowSignal, SignalEndpoints, SignalFlow
    from benchwright_verilog.semantics.behaviour.state_machines import MachineState, StateMachine, Transition
    from benchwright_verilog.semantics.compilation.instances import DesignInstance, InstanceTree
    from benchwright_verilog.semantics.project.project import Project

_MAX_SHOWN = 500
"""Greatest number of assignments, and of signals of one assignment, in an answer."""
_MAX_REGISTERS = 2_000
_MAX_TRANSITIONS = 2_000
_MAX_CONDITION = 2_000


class DesignViews:
    """The views of one client's designs.

    Args:
        server: The server of the client.
    """

    def __init__(self, server: EditorServer) -> None:
        self.server = server
        self._netlists = Netlists(server)
        self._sizes = KeptSizes()
        self._flows: WeakKeyDictionary[InstanceTree, SignalFlow] = WeakKeyDictionary()

    async def signal_drivers(self, params: SignalParams) -> SignalTrace:
        """The drivers of a signal."""
        return await self._trace_signal(params, "drivers")

    async def signal_loads(self, params: SignalParams) -> SignalTrace:
        """The loads of a signal: what it drives."""
        return await self._trace_signal(params, "loads")

    async def _trace_signal(self, params: SignalParams, drivers_or_loads: str) -> SignalTrace:
        await aids.require_aid_allowed_now(self.server, params.uri, Aid.DESIGN_VIEWS)
        trace = await asyncio.to_thread(self._signal_endpoints, params, drivers_or_loads)
        signal_declaration = trace.signal.declaration
        await check_and_record_view_use(
            self.server,
            params.uri,
            drivers_or_loads,
            trace.signal.path,
            signal_declaration.path if signal_declaration is not None else None,
        )
        locations = Locations(self.server)
        return SignalTrace(
            signal=_signal_view(locations, trace.signal),
            port_of_top=trace.top_port_direction,
            flows=[
                FlowView(
                    kind=flow.flow.kind,
                    text=flow.flow.text,
                    at=file_range(locations, flow.flow.span),
                    instance=flow.flow.instance_path,
                    signals=[
                        SignalEnd(signal=_signal_view(locations, signal), part=assignment_role)
                        for signal, assignment_role in flow.signals[:_MAX_SHOWN]
                    ],
                )
                for flow in trace.endpoints[:_MAX_SHOWN]
            ],
            complete=trace.is_complete and len(trace.endpoints) <= _MAX_SHOWN,
        )

    def _signal_endpoints(self, params: SignalParams, drivers_or_loads: str) -> SignalEndpoints:
        project, path = project_and_inner_path(self.server, params.uri)
        signal = params.signal
        if signal is None:
            signal = self._signal_path_at_position(project, path, params)
        flow = self._cached_signal_flow(project.instance_tree_of(path))
        trace = flow.drivers(signal) if drivers_or_loads == "drivers" else flow.loads(signal)
        if trace is None:
            raise ServerError(f"The design has no signal {signal}. It may have changed since it was shown.")
        return trace

    def _signal_path_at_position(self, project: Project, path: Path, params: SignalParams) -> str:
        analysis = project.analysis_of(path)
        position = params.position
        if analysis is None or position is None:
            raise ServerError("Say which signal: by a position in a design file, or by its path.")
        byte = Locations(self.server).lines_of_file(path).byte_at(types.Position(position.line, position.character))
        targets = [occurrence.target for occurrence in analysis.occurrences_at(min(byte, len(analysis.data)))]
        design = project.instance_tree_of(path)
        for target in targets:
            definition = target.symbol.declaringDefinition if target.symbol is not None else None
            if definition is None:
                continue
            instance = requested_or_chosen_instance(project, design, definition.name, params.instance)
            signal_path = self._cached_signal_flow(design).signal_path_declared_at(
                target.path, target.start, instance.path
            )
            if signal_path is not None:
                return signal_path
        raise ServerError(
            "There is no signal of the design here. Put the cursor on the name of a net, variable or port."
        )

    def _cached_signal_flow(self, design: InstanceTree) -> SignalFlow:
        from benchwright_verilog.semantics.behaviour.signal_flow import SignalFlow

        return self._flows.setdefault(design, SignalFlow(design))

    async def register_table(self, params: ModuleViewParams) -> RegisterTable:
        """The registers of a module."""
        # Imported late, as all that imports slang.
        from benchwright_verilog.semantics.behaviour.registers import registers

        _, design, instance = await allowed_requested_instance(self.server, params)
        module_registers = await asyncio.to_thread(registers, design, instance.path) or []
        module_declaration = instance.declaration
        await check_and_record_view_use(
            self.server,
            params.uri,
            "registers",
            instance.path,
            module_declaration.path if module_declaration is not None else None,
        )
        locations = Locations(self.server)
        return RegisterTable(
            module=instance.module,
            instance=instance.path,
            registers=[_register_view(locations, register) for register in module_registers[:_MAX_REGISTERS]],
            complete=len(module_registers) <= _MAX_REGISTERS,
        )

    async def state_machine_table(self, params: ModuleViewParams) -> StateMachineTable:
        """The state machines of a module."""
        # Imported late, as all that imports slang.
        from benchwright_verilog.semantics.behaviour.state_machines import state_machines

        _, design, instance = await allowed_requested_instance(self.server, params)
        module_declaration = instance.declaration
        await check_and_record_view_use(
            self.server,
            params.uri,
            "state_machines",
            instance.path,
            module_declaration.path if module_declaration is not None else None,
        )
        machines = await asyncio.to_thread(state_machines, design, instance.path) or []
        locations = Locations(self.server)
        return StateMachineTable(
            module=instance.module,
            instance=instance.path,
            machines=[_machine_view(locations, machine) for machine in machines],
        )

    async def module_schematic(self, params: ModuleViewParams) -> SchematicView:
        """The drawing of a module, with its instances as boxes."""
        from benchwright_server.netlist.schematic import draw_schematic

        instance, netlist = await self._netlists.instance_and_netlist(params, "schematic", includes_children=False)
        drawing = await asyncio.to_thread(draw_schematic, netlist)
        return await asyncio.to_thread(_schematic_view, Locations(self.server), instance, drawing)

    async def size_and_previous_size(self, params: ModuleViewParams) -> DesignSize:
        """The size of a module with all below it."""
        from benchwright_server.netlist.size import module_size_of_netlist

        instance, netlist = await self._netlists.instance_and_netlist(params, "design_size", includes_children=True)
        size = await asyncio.to_thread(module_size_of_netlist, netlist)
        declaring_path = str(instance.declaration.path) if instance.declaration is not None else ""
        new_size, old_size = self._sizes.keep_size_with_previous((declaring_path, instance.path), netlist.digest, size)
        return DesignSize(
            module=instance.module,
            instance=instance.path,
            now=_size_view(new_size),
            before=_size_view(old_size) if old_size is not None else None,
            path=list(new_size.path[:_MAX_SHOWN]),
        )


VIEW_OPERATIONS: tuple[Operation[DesignViews, Any, Any], ...] = (
    Operation(
        "drivers",
        SignalParams,
        SignalTrace,
        "Returns what drives a signal, one level, through ports: assignments, connections, and the signals they read.",
        DesignViews.signal_drivers,
    ),
    Operation(
        "loads",
        SignalParams,
        SignalTrace,
        "Returns what a signal drives, one level, through ports: assignments, connections, and what they write.",
        DesignViews.signal_loads,
    ),
    Operation(
        "registers",
        ModuleViewParams,
        RegisterTable,
        "Returns the registers of a module, each with its clock, edge and reset.",
        DesignViews.register_table,
    ),
    Operation(
        "stateMachines",
        ModuleViewParams,
        StateMachineTable,
        "Returns the state machines of a module: states by name, transitions with their conditions, the reset.",
        DesignViews.state_machine_table,
    ),
    Operation(
        "schematic",
        ModuleViewParams,
        SchematicView,
        "Returns the cells of a module and how they are connected, as Yosys synthesises it into word-level cells.",
        DesignViews.module_schematic,
    ),
    Operation(
        "designSize",
        ModuleViewParams,
        DesignSize,
        "Returns the number of cells, flip-flops and wires of a module with all below it and its longest combinational "
        "path, and those before the last change.",
        DesignViews.size_and_previous_size,
    ),
)
"""Every operation that shows a part of a design."""


def register(server: EditorServer) -> None:
    """Serve all of it."""
    views = DesignViews(server)
    for operation in VIEW_OPERATIONS:
        register_operation(server, operation, lambda: views)


def _signal_view(locations: Locations, signal: FlowSignal) -> SignalView:
    return SignalView(path=signal.path, name=signal.name, declared=file_range(locations, signal.declaration))


def _register_view(locations: Locations, register: Register) -> RegisterView:
    reset = register.reset
    return RegisterView(
        **clocked_view_fields(register),
        reset_value=reset.value if reset is not None else None,
        declared=file_range(locations, register.declaration),
        written=file_range(locations, register.written_span),
    )


def _schematic_view(locations: Locations, instance: DesignInstance, drawing: Schematic) -> SchematicView:
    return SchematicView(
        module=instance.module,
        instance=instance.path,
        ports=[_port_view(cell_port) for cell_port in drawing.ports],
        cells=[
            CellView(
                name=cell.name,
                type=cell.type,
                is_instance=cell.is_instance,
                ports=[_port_view(port) for port in cell.ports],
                at=file_range(locations, cell.cell_declaration),
            )
            for cell in drawing.cells
        ],
        connections=[
            ConnectionView(
                source=_cell_end_message(connection.source_end),
                target=_cell_end_message(connection.target_end),
                net=connection.net,
                width=connection.width,
                at=file_range(locations, connection.net_declaration),
            )
            for connection in drawing.connections
        ],
    )


def _port_view(port: CellPort) -> PortView:
    return PortView(name=port.name, direction=port.direction, width=port.width, constant=port.constant)


def _cell_end_message(cell_end: WireEnd) -> CellEnd:
    return CellEnd(cell=cell_end.cell, port=cell_end.port)


def _size_view(size: ModuleSize) -> SizeView:
    return SizeView(
        cells=[CellCount(type=name, count=number) for name, number in size.cell_counts],
        cell_count=size.cell_count,
        flip_flop_bits=size.flip_flop_bits,
        memory_bits=size.memory_bits,
        wires=size.wires,
        wire_bits=size.wire_bits,
        longest_path=size.longest_path_cell_count,
    )


def _machine_view(locations: Locations, machine: StateMachine) -> StateMachineView:
    """The message about one machine."""
    return StateMachineView(
        **clocked_view_fields(machine),
        reset_state=machine.reset_state_index,
        states=[_state_view(locations, state) for state in machine.machine_states],
        transitions=[_transition_view(locations, transition) for transition in machine.transitions[:_MAX_TRANSITIONS]],
        complete=machine.is_complete and len(machine.transitions) <= _MAX_TRANSITIONS,
        declared=file_range(locations, machine.declaration),
    )


def _state_view(locations: Locations, machine_state: MachineState) -> StateView:
    state_range = file_range(locations, machine_state.span)
    return StateView(
        name=machine_state.name, value=machine_state.value, at=state_range, reachable=machine_state.is_reachable
    )


def _transition_view(locations: Locations, transition: Transition) -> TransitionView:
    condition = (
        transition.condition
        if len(transition.condition) <= _MAX_CONDITION
        else f"{transition.condition[: _MAX_CONDITION - 1]}…"
    )
    return TransitionView(
        source=transition.source_state_index,
        target=transition.target_state_index,
        condition=condition,
        at=file_range(locations, transition.span),
    )
