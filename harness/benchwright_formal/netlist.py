"""Netlist that Yosys read, as far as a comparison must know: ports, clocks, and what it can't model.

Yosys numbers bits; a constant bit is a string. Of `write_json`:

    "ports": {"q": {"direction": "output", "bits": [4, 5]}},
    "cells": {"$procdff$7": {"type": "$dff", "parameters": {"CLK_POLARITY": "1", …}, "connections": {"CLK": [2], …}}}
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from benchwright_formal.errors import NotModelledError

_REGISTERS = ("$dff", "$dffe", "$adff", "$adffe", "$sdff", "$sdffe", "$sdffce")
_MEMORY = "$mem"
_NO_LOGIC = ("$scopeinfo", "$print", "$check", "$assert", "$assume", "$cover", "$live", "$fair")
_NAMES = {
    "$aldff": "a register that loads asynchronously",
    "$aldffe": "a register that loads asynchronously",
    "$dffsr": "a register with asynchronous set and reset",
    "$dffsre": "a register with asynchronous set and reset",
    "$dlatch": "a latch",
    "$adlatch": "a latch",
    "$dlatchsr": "a latch",
    "$sr": "a latch",
    "$tribuf": "a tri-state driver",
    "$initstate": "$initstate",
}
_LOGIC = re.compile(
    r"\$(?:not|pos|neg|and|or|xor|xnor|reduce_\w+|logic_\w+|shl|shr|sshl|sshr|shift|shiftx|lt|le|eq|ne|eqx|nex|ge|gt"
    r"|add|sub|mul|div|mod|divfloor|modfloor|pow|mux|pmux|bmux|demux|bwmux|bweqx|slice|concat|lut|sop|alu|fa|lcu|macc)"
)
MAX_MEMORY_BITS = 1 << 13
"""Each becomes a register."""
_PLAIN = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_RESET = re.compile(r"(?:^|_)(?:[asi]?_?)(?:rst|reset|clr|clear)", re.IGNORECASE)
_LOW = re.compile(r"(?:_n|_ni|_b|_l|n)$", re.IGNORECASE)


@dataclass(frozen=True)
class Port:
    """A port of the top module."""

    name: str
    width: int
    """Bits."""


@dataclass(frozen=True)
class DesignClock:
    """The one clock."""

    port_name: str
    is_rising: bool
    """Its active edge."""


@dataclass(frozen=True)
class ComparedNetlist:
    """A design that can be compared."""

    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    clock: DesignClock | None
    """None for combinational logic."""
    is_active_high_by_reset: Mapping[str, bool]
    """Inputs that look like a reset → the level that is active."""
    inputs_read_as_data: frozenset[str]
    """Inputs whose value matters, besides as a clock."""

    def inputs_besides_clock(self, clock: DesignClock | None) -> tuple[Port, ...]:
        """The inputs besides a clock."""
        return tuple(port for port in self.inputs if clock is None or port.name != clock.port_name)


def comparable_netlist(yosys_json: Mapping[str, Any]) -> ComparedNetlist:
    """Reads what Yosys wrote of a flat design, before memories become registers.

    Raises:
        NotModelledError: The design can't be compared soundly; the message names why.
    """
    module = next((candidate for candidate in yosys_json["modules"].values() if "top" in candidate["attributes"]), None)
    if module is None:
        raise NotModelledError("Yosys found no module to compare")
    inputs, outputs = _ports_of_direction(module, "input"), _ports_of_direction(module, "output")
    if any(port["direction"] == "inout" for port in module["ports"].values()):
        raise NotModelledError("it has an inout port")
    if not outputs:
        raise NotModelledError("it has no output")
    read_inputs = frozenset(
        input_port.name
        for input_port in inputs
        if any(_is_read_as_data(module, bit) for bit in module["ports"][input_port.name]["bits"])
    )
    return ComparedNetlist(
        inputs, outputs, _single_clock(module), _is_active_high_by_reset(module, inputs), read_inputs
    )


def _ports_of_direction(module_json: Mapping[str, Any], direction: str) -> tuple[Port, ...]:
    matching_ports = []
    for name, port in module_json["ports"].items():
        if not _PLAIN.fullmatch(name):
            raise NotModelledError(f"its port has the escaped name {name!r}")
        if port["direction"] == direction:
            matching_ports.append(Port(name, len(port["bits"])))
    return tuple(sorted(matching_ports, key=lambda declared_port: declared_port.name))


def _single_clock(module_json: Mapping[str, Any]) -> DesignClock | None:
    clocks: set[tuple[int | str, bool]] = set()
    memory_bits = 0
    for cell in module_json["cells"].values():
        kind, parameters, connections = cell["type"], cell["parameters"], cell["connections"]
        if any("z" in bits for bits in connections.values()):
            raise NotModelledError("it drives z")
        if kind in _REGISTERS:
            clocks.add((connections["CLK"][0], _is_nonzero(parameters["CLK_POLARITY"])))
        elif kind.startswith(_MEMORY):
            clocks |= set(_memory_clock_bits_and_edges(kind, parameters, connections))
            memory_bits += _parameter_number(parameters.get("SIZE", "0")) * _parameter_number(
                parameters.get("WIDTH", "0")
            )
        elif kind not in _NO_LOGIC and not _LOGIC.fullmatch(kind):
            raise NotModelledError(f"it has {_NAMES.get(kind, f'a cell {kind}')}")
    for port in module_json["ports"].values():
        if "z" in port["bits"]:
            raise NotModelledError("it drives z")
    if memory_bits > MAX_MEMORY_BITS:
        raise NotModelledError(f"its memories hold {memory_bits} bits, and at most {MAX_MEMORY_BITS} are modelled")
    if len(clocks) > 1:
        raise NotModelledError("it has more than one clock, or uses both edges of one")
    if not clocks:
        return None
    bit, rising = clocks.pop()
    name = next((name for name, port in module_json["ports"].items() if port["bits"] == [bit]), None)
    if name is None or module_json["ports"][name]["direction"] != "input":
        raise NotModelledError("its clock is not an input of one bit")
    if _is_read_as_data(module_json, bit):
        raise NotModelledError(f"its clock {name} is also read as a value")
    return DesignClock(name, rising)


def _memory_clock_bits_and_edges(
    cell_type: str, parameters: Mapping[str, str], connections: Mapping[str, list[int | str]]
) -> Iterator[tuple[int | str, bool]]:
    """The clocks of a memory after `memory_collect`: a bit of each vector for each port."""
    if cell_type != "$mem_v2":
        raise NotModelledError(f"it has a cell {cell_type}")
    for access in ("RD", "WR"):
        # A number is written from its highest bit on: the bit of port 0 is the rightmost.
        enabled = parameters[f"{access}_CLK_ENABLE"][::-1]
        polarity = parameters[f"{access}_CLK_POLARITY"][::-1]
        for number, bit in enumerate(connections[f"{access}_CLK"]):
            if enabled[number] == "1":
                yield bit, polarity[number] == "1"
            elif access == "WR":
                raise NotModelledError("it writes a memory without a clock")


def _is_read_as_data(module_json: Mapping[str, Any], net_bit: int | str) -> bool:
    if any(net_bit in port["bits"] for port in module_json["ports"].values() if port["direction"] == "output"):
        return True
    return any(
        net_bit in bits
        for cell in module_json["cells"].values()
        if cell["type"] not in _NO_LOGIC
        for name, bits in cell["connections"].items()
        if name not in ("CLK", "RD_CLK", "WR_CLK")
    )


def _is_active_high_by_reset(module_json: Mapping[str, Any], inputs: tuple[Port, ...]) -> dict[str, bool]:
    active_levels = {
        cell["connections"]["ARST"][0]: _is_nonzero(cell["parameters"]["ARST_POLARITY"])
        for cell in module_json["cells"].values()
        if "ARST" in cell["connections"]
    }
    resets = {}
    for port in inputs:
        bit = module_json["ports"][port.name]["bits"][0]
        if port.width == 1 and bit in active_levels:
            resets[port.name] = active_levels[bit]
        elif port.width == 1 and _RESET.search(port.name):
            resets[port.name] = _LOW.search(port.name) is None
    return resets


def _is_nonzero(parameter_value: str | int) -> bool:
    return _parameter_number(parameter_value) != 0


def _parameter_number(parameter_value: str | int) -> int:
    return parameter_value if isinstance(parameter_value, int) else int(parameter_value, 2)
