"""State machines of a design as messages, in the units of the client."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchwright_server.features.design.module_views import clocked, file_range
from benchwright_server.protocol.design_views import StateMachineView, StateView, TransitionView

if TYPE_CHECKING:
    from benchwright_server.features.editor.locations import Locations
    from benchwright_verilog.semantics.behaviour.state_machines import State, StateMachine, Transition

_MAX_TRANSITIONS = 2_000
_MAX_CONDITION = 2_000


def machine_view(locations: Locations, machine: StateMachine) -> StateMachineView:
    """The message about one machine."""
    return StateMachineView(
        **clocked(machine),
        reset_state=machine.reset_state,
        states=[_state(locations, one) for one in machine.states],
        transitions=[_transition(locations, one) for one in machine.transitions[:_MAX_TRANSITIONS]],
        complete=machine.is_complete and len(machine.transitions) <= _MAX_TRANSITIONS,
        declared=file_range(locations, machine.declared),
    )


def _state(locations: Locations, state: State) -> StateView:
    at = file_range(locations, state.place)
    return StateView(name=state.name, value=state.value, at=at, reachable=state.is_reachable)


def _transition(locations: Locations, one: Transition) -> TransitionView:
    condition = one.condition if len(one.condition) <= _MAX_CONDITION else f"{one.condition[: _MAX_CONDITION - 1]}…"
    return TransitionView(
        source=one.source, target=one.target, condition=condition, at=file_range(locations, one.place)
    )
