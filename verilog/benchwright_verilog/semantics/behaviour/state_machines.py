"""The state machines of an instance: states with their names, transitions with their conditions, and the reset.

In

    always_ff @(posedge clk or negedge rst_n) if (!rst_n) state <= IDLE; else state <= next;

`state` is the register of a state machine if constants with names are assigned to it or to `next`, or if a `case` tests
it. Where it goes from each state is what the processes make of `next` with `state` at that value: `NextStates`. A
member of a structure is not recognised as a state, nor what a function with other arguments returns.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchwright_verilog.semantics.behaviour.next_states import NextStates, ProcessPath, TooManyWaysError, conjunction
from benchwright_verilog.semantics.behaviour.registers import RegisterClock, Reset
from benchwright_verilog.semantics.behaviour.state_facts import StateRegister, VariableFacts, read_variable_facts
from benchwright_verilog.semantics.compilation.instances import FileSpan
from benchwright_verilog.semantics.compilation.slang import type_text

if TYPE_CHECKING:
    from benchwright_verilog.semantics.compilation.instances import InstanceTree

_MAX_STATES = 128
_MAX_MACHINES = 50


@dataclass(frozen=True)
class MachineState:
    """A state of a machine."""

    name: str
    """Of the constant; a number as it is written if it has no name."""
    value: str
    """In binary, such as `2'b01`."""
    span: FileSpan | None
    """The label of the `case` that handles it, or the declaration of its name."""
    is_reachable: bool | None
    """True if transitions lead there from the reset; None without a reset, or if not all transitions are known."""


@dataclass(frozen=True)
class Transition:
    """A way from one state to another, or to itself."""

    source_state_index: int
    """The number of the state in the list."""
    target_state_index: int
    condition: str
    """As an expression of SystemVerilog; empty if there is none."""
    span: FileSpan | None
    """The assignment; None if the register keeps its value there."""


@dataclass(frozen=True)
class StateMachine:
    """A register with the states that it goes through."""

    path: str
    """From the top."""
    name: str
    type: str
    clock: RegisterClock | None
    reset: Reset | None
    reset_state_index: int | None
    """The number of the state that a reset leads to."""
    machine_states: tuple[MachineState, ...]
    """In the order of the enumeration, or of their values."""
    transitions: tuple[Transition, ...]
    is_complete: bool
    """False if it also gets values that the state and constants alone don't decide."""
    declaration: FileSpan | None


def state_machines(design: InstanceTree, instance_path: str) -> list[StateMachine] | None:
    """The state machines of an instance in the order of the file; None if there is no such instance."""
    with design.lock:
        symbol = design.instance_symbol_around(instance_path)
        if symbol is None or symbol.hierarchicalPath != instance_path:
            return None
        variable_facts = read_variable_facts(design, symbol.body)
        machines = (_machine_if_recognised(design, variable_facts, register) for register in variable_facts.registers)
        return [machine for machine in machines if machine is not None][:_MAX_MACHINES]


def _machine_if_recognised(
    design: InstanceTree, variable_facts: VariableFacts, register: StateRegister
) -> StateMachine | None:
    labels = variable_facts.state_labels_by_value(register)
    named_states = {value for value, label in labels.items() if label.is_named}
    if len(labels) < 2 or not (len(named_states) > 1 or variable_facts.is_tested_by_case(register)):
        return None
    try:
        explored = _paths_by_reached_state(variable_facts, register, sorted(labels))
    except TooManyWaysError:
        return None
    process_paths = [way for state_ways in explored.values() for way in state_ways if way.reset is None]
    # A counter also has values with names, but not only.
    is_counter = not named_states.issuperset(explored) and any(
        way.is_computed or way.value is None for way in process_paths
    )
    if is_counter or len({_next_values_and_conditions(state_ways) for state_ways in explored.values()}) < 2:
        return None
    return _ResolvedMachine(design, variable_facts, register, explored).state_machine()


def _next_values_and_conditions(process_paths: Sequence[ProcessPath]) -> tuple[tuple[int | None, tuple[str, ...]], ...]:
    """The states that a state leads to, alike for states that are not told apart."""
    return tuple((None if way.is_kept else way.value, way.conditions) for way in process_paths if way.reset is None)


def _paths_by_reached_state(
    variable_facts: VariableFacts, register: StateRegister, labelled_values: Sequence[int]
) -> dict[int, list[ProcessPath]]:
    """The ways from each state, also from those that are only found on the way."""
    pending_values, ways_by_state = deque(labelled_values), dict[int, list[ProcessPath]]()
    while pending_values:
        value = pending_values.popleft()
        if value in ways_by_state:
            continue
        if len(ways_by_state) >= _MAX_STATES:
            raise TooManyWaysError
        ways_by_state[value] = NextStates(
            register.symbol, value, variable_facts.writer_by_path, register.reset_levels_by_path
        ).paths_through(register.process_body)
        pending_values.extend(way.value for way in ways_by_state[value] if way.value is not None)
    return ways_by_state


class _ResolvedMachine:
    """One machine of which the ways are known."""

    def __init__(
        self,
        design: InstanceTree,
        variable_facts: VariableFacts,
        register: StateRegister,
        paths_by_state: dict[int, list[ProcessPath]],
    ) -> None:
        self._design = design
        self._register = register
        self._paths_by_state = paths_by_state
        self._labels = variable_facts.state_labels_by_value(register)
        order = {value: number for number, value in enumerate(register.enum_values)}
        self._values = sorted(paths_by_state, key=lambda value: (order.get(value, len(order)), value))
        self._numbers = {value: number for number, value in enumerate(self._values)}

    def state_machine(self) -> StateMachine:
        register, symbol = self._register, self._register.symbol
        valued_paths = [(value, way) for value, state_ways in self._paths_by_state.items() for way in state_ways]
        transitions = tuple(dict.fromkeys(self._transitions()))
        resets = [way for _, way in valued_paths if way.reset is not None and way.value is not None]
        reset_state = self._numbers[resets[0].value] if resets and resets[0].value is not None else None
        is_complete = all(way.value is not None for _, way in valued_paths)
        reached_states = (
            _reachable_states(transitions, reset_state) if reset_state is not None and is_complete else None
        )
        return StateMachine(
            path=symbol.hierarchicalPath,
            name=symbol.name,
            type=type_text(symbol.type),
            clock=register.clock,
            reset=resets[0].reset if resets else None,
            reset_state_index=reset_state,
            machine_states=tuple(
                self._machine_state(number, value, reached_states) for number, value in enumerate(self._values)
            ),
            transitions=transitions,
            is_complete=is_complete,
            declaration=self._design.declaration_span(symbol),
        )

    def _transitions(self) -> Iterator[Transition]:
        for value in self._values:
            for way in self._paths_by_state[value]:
                if way.reset is None and way.value is not None:
                    span = self._design.file_span(way.source_range) if way.source_range is not None else None
                    condition = conjunction(way.conditions)
                    yield Transition(self._numbers[value], self._numbers[way.value], condition, span)

    def _machine_state(self, state_index: int, state_value: int, reached_states: frozenset[int] | None) -> MachineState:
        width = self._register.width
        label = self._labels.get(state_value)
        text = f"{width}'b{state_value:0{width}b}"
        is_reachable = state_index in reached_states if reached_states is not None else None
        return MachineState(label.name if label else text, text, label.span if label else None, is_reachable)


def _reachable_states(transitions: Sequence[Transition], first_state_index: int) -> frozenset[int]:
    reached_states, pending_states = {first_state_index}, deque([first_state_index])
    while pending_states:
        source = pending_states.popleft()
        next_states = {
            transition.target_state_index for transition in transitions if transition.source_state_index == source
        } - reached_states
        reached_states |= next_states
        pending_states.extend(next_states)
    return frozenset(reached_states)
