"""Small random designs, each as Verilog and as a function that says what it does: no tool is asked."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

INPUTS = {"a": 6, "b": 5, "c": 5}
_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "*": lambda a, b: a * b,
}
_WIDTH = 6
_MASK = (1 << _WIDTH) - 1

Tree = str | int | tuple[str, "Tree", "Tree"]


@dataclass(frozen=True)
class Logic:
    """Combinational logic of a few inputs; all is computed in six bits."""

    tree: Tree

    @property
    def verilog(self) -> bytes:
        ports = ", ".join(f"input [{width - 1}:0] {name}" for name, width in INPUTS.items())
        head = f"module top({ports}, output [{_WIDTH - 1}:0] y);"
        return f"{head}\n  assign y = {_verilog_expression(self.tree)};\nendmodule\n".encode()

    @cached_property
    def table(self) -> npt.NDArray[np.int64]:
        """The output for all inputs."""
        grid = np.indices([1 << width for width in INPUTS.values()])
        values = {name: axis.ravel() for name, axis in zip(INPUTS, grid, strict=True)}
        return np.broadcast_to(_value_of_tree(self.tree, values) & _MASK, values["a"].shape)

    def output(self, inputs: dict[str, int]) -> int:
        return int(_value_of_tree(self.tree, inputs) & _MASK)

    def changed(self, dice: random.Random) -> Logic:
        return Logic(_tree_with_change(self.tree, dice))


def random_logic(dice: random.Random) -> Logic:
    return Logic(_random_tree(dice, 3))


def _random_tree(dice: random.Random, depth: int) -> Tree:
    if depth == 0:
        return _random_leaf(dice)
    return dice.choice([*_OPERATORS]), _random_tree(dice, depth - 1), _random_tree(dice, depth - 1)


def _random_leaf(dice: random.Random) -> Tree:
    leaves: list[Tree] = [*INPUTS, dice.randrange(1 << _WIDTH)]
    return dice.choice(leaves)


def _tree_with_change(logic_tree: Tree, dice: random.Random) -> Tree:
    """One that differs in a place: in half of the cases only by order."""
    if not isinstance(logic_tree, tuple):
        return _random_leaf(dice)
    operator, left_tree, right_tree = logic_tree
    change_kind = dice.randrange(4)
    if change_kind < 2 and operator != "-":
        return operator, right_tree, left_tree
    if change_kind == 2:
        return operator, _tree_with_change(left_tree, dice), right_tree
    return operator, left_tree, _tree_with_change(right_tree, dice)


def _verilog_expression(logic_tree: Tree) -> str:
    if isinstance(logic_tree, tuple):
        return f"({_verilog_expression(logic_tree[1])} {logic_tree[0]} {_verilog_expression(logic_tree[2])})"
    return logic_tree if isinstance(logic_tree, str) else f"{_WIDTH}'d{logic_tree}"


def _value_of_tree(logic_tree: Tree, input_values: Mapping[str, Any]) -> Any:
    if isinstance(logic_tree, tuple):
        return (
            _OPERATORS[logic_tree[0]](
                _value_of_tree(logic_tree[1], input_values), _value_of_tree(logic_tree[2], input_values)
            )
            & _MASK
        )
    return input_values[logic_tree] if isinstance(logic_tree, str) else logic_tree


@dataclass(frozen=True)
class Machine:
    """A machine with an input of one bit and eight states, begun by an initial value or by a reset."""

    next: tuple[tuple[int, int], ...]
    """For each state, the next one for both inputs."""
    outputs: tuple[int, ...]
    """For each state."""
    has_reset: bool

    @property
    def verilog(self) -> bytes:
        arms = "".join(
            f"      4'd{2 * state_number + bit}: s <= 3'd{next_state};\n"
            for state_number, targets in enumerate(self.next)
            for bit, next_state in enumerate(targets)
        )
        outs = "".join(f"      3'd{state}: y = 2'd{value};\n" for state, value in enumerate(self.outputs))
        reset = "if (rst) s <= 3'd0; else " if self.has_reset else ""
        initial_block = "" if self.has_reset else "  initial s = 3'd0;\n"
        return (
            f"module top(input clk, input rst, input d, output reg [1:0] y);\n  reg [2:0] s;\n{initial_block}"
            f"  always @(posedge clk) {reset}\n    case ({{s, d}})\n{arms}      default: s <= 3'bx;\n    endcase\n"
            f"  always @* case (s)\n{outs}      default: y = 2'bx;\n    endcase\nendmodule\n"
        ).encode()

    def differs_at(self, other_machine: Machine) -> int | None:
        """Steps from the start state to the first difference, by a walk over all pairs of states; None for never."""
        seen_pairs, layer, steps = {(0, 0)}, [(0, 0)], 0
        while layer:
            if any(self.outputs[a] != other_machine.outputs[b] for a, b in layer):
                return steps
            next_pairs = {
                (self.next[a][bit], other_machine.next[b][bit]) for a, b in layer for bit in (0, 1)
            } - seen_pairs
            seen_pairs |= next_pairs
            layer, steps = list(next_pairs), steps + 1
        return None

    def changed(self, dice: random.Random) -> Machine:
        """One that names its states differently, or goes elsewhere from one state, which may not be reached."""
        if dice.random() < 0.4:
            order = [0, *dice.sample(range(1, 8), 7)]
            new_numbers = {old: new for new, old in enumerate(order)}
            moved = tuple((new_numbers[self.next[old][0]], new_numbers[self.next[old][1]]) for old in order)
            return Machine(moved, tuple(self.outputs[old] for old in order), self.has_reset)
        state_number, bit = dice.randrange(8), dice.randrange(2)
        targets = list(self.next[state_number])
        targets[bit] = dice.randrange(8)
        return Machine(
            (*self.next[:state_number], (targets[0], targets[1]), *self.next[state_number + 1 :]),
            self.outputs,
            self.has_reset,
        )


def random_machine(dice: random.Random, *, has_reset: bool) -> Machine:
    # Few targets, so that some states are never reached.
    targets = dice.sample(range(8), 5)
    next_states = tuple((dice.choice(targets), dice.choice(targets)) for _ in range(8))
    return Machine(next_states, tuple(dice.randrange(4) for _ in range(8)), has_reset)
