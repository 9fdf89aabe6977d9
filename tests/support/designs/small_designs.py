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
        return f"{head}\n  assign y = {_text(self.tree)};\nendmodule\n".encode()

    @cached_property
    def table(self) -> npt.NDArray[np.int64]:
        """The output for all inputs."""
        grid = np.indices([1 << width for width in INPUTS.values()])
        values = {name: axis.ravel() for name, axis in zip(INPUTS, grid, strict=True)}
        return np.broadcast_to(_value(self.tree, values) & _MASK, values["a"].shape)

    def output(self, inputs: dict[str, int]) -> int:
        return int(_value(self.tree, inputs) & _MASK)

    def changed(self, chosen: random.Random) -> Logic:
        return Logic(_changed(self.tree, chosen))


def random_logic(chosen: random.Random) -> Logic:
    return Logic(_random_tree(chosen, 3))


def _random_tree(chosen: random.Random, depth: int) -> Tree:
    if depth == 0:
        return _random_leaf(chosen)
    return chosen.choice([*_OPERATORS]), _random_tree(chosen, depth - 1), _random_tree(chosen, depth - 1)


def _random_leaf(chosen: random.Random) -> Tree:
    leaves: list[Tree] = [*INPUTS, chosen.randrange(1 << _WIDTH)]
    return chosen.choice(leaves)


def _changed(tree: Tree, chosen: random.Random) -> Tree:
    """One that differs in a place: in half of the cases only by order."""
    if not isinstance(tree, tuple):
        return _random_leaf(chosen)
    operator, left, right = tree
    kind = chosen.randrange(4)
    if kind < 2 and operator != "-":
        return operator, right, left
    if kind == 2:
        return operator, _changed(left, chosen), right
    return operator, left, _changed(right, chosen)


def _text(tree: Tree) -> str:
    if isinstance(tree, tuple):
        return f"({_text(tree[1])} {tree[0]} {_text(tree[2])})"
    return tree if isinstance(tree, str) else f"{_WIDTH}'d{tree}"


def _value(tree: Tree, inputs: Mapping[str, Any]) -> Any:
    if isinstance(tree, tuple):
        return _OPERATORS[tree[0]](_value(tree[1], inputs), _value(tree[2], inputs)) & _MASK
    return inputs[tree] if isinstance(tree, str) else tree


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
            f"      4'd{2 * state + bit}: s <= 3'd{target};\n"
            for state, targets in enumerate(self.next)
            for bit, target in enumerate(targets)
        )
        outs = "".join(f"      3'd{state}: y = 2'd{value};\n" for state, value in enumerate(self.outputs))
        reset = "if (rst) s <= 3'd0; else " if self.has_reset else ""
        start = "" if self.has_reset else "  initial s = 3'd0;\n"
        return (
            f"module top(input clk, input rst, input d, output reg [1:0] y);\n  reg [2:0] s;\n{start}"
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

    def changed(self, chosen: random.Random) -> Machine:
        """One that names its states differently, or goes elsewhere from one state, which may not be reached."""
        if chosen.random() < 0.4:
            order = [0, *chosen.sample(range(1, 8), 7)]
            new_numbers = {old: new for new, old in enumerate(order)}
            moved = tuple((new_numbers[self.next[old][0]], new_numbers[self.next[old][1]]) for old in order)
            return Machine(moved, tuple(self.outputs[old] for old in order), self.has_reset)
        state, bit = chosen.randrange(8), chosen.randrange(2)
        targets = list(self.next[state])
        targets[bit] = chosen.randrange(8)
        return Machine(
            (*self.next[:state], (targets[0], targets[1]), *self.next[state + 1 :]), self.outputs, self.has_reset
        )


def random_machine(chosen: random.Random, *, has_reset: bool) -> Machine:
    # Few targets, so that some states are never reached.
    targets = chosen.sample(range(8), 5)
    step = tuple((chosen.choice(targets), chosen.choice(targets)) for _ in range(8))
    return Machine(step, tuple(chosen.randrange(4) for _ in range(8)), has_reset)
