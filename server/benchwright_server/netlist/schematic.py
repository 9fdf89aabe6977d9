"""A netlist as a drawing needs it: cells with ports, and connections from what drives to what is driven.

Yosys numbers bits, and a port is a list of them; a constant bit is `"0"`, `"1"`, `"x"` or `"z"`:

    "cells": {"$add": {"type": "$add", "connections": {"A": [4, 5], "B": ["1", "0"], "Y": [6, 7]}, ...}}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from benchwright_server.netlist.cell_words import cell_description, pin_words
from benchwright_server.netlist.yosys import Netlist, NoNetlistError
from benchwright_verilog.semantics.compilation.instances import FileSpan

MAX_CELLS = 3_000
"""Larger drawings help nobody, and take seconds to lay out."""
MAX_CONNECTIONS = 20_000
_OUTPUTS = ("output", "inout")


@dataclass(frozen=True)
class CellPort:
    """A port of a cell, or of the module itself."""

    name: str
    direction: str
    """`input`, `output` or `inout`, of the cell."""
    width: int
    constant: str
    """The value that it is tied to, as `4'b0001`; empty if a signal is connected."""


@dataclass(frozen=True)
class SchematicCell:
    """A box of the drawing."""

    name: str
    """Of the instance or memory in the source, else of the net that the cell drives; empty if nobody named that."""
    type: str
    """`adder`, `register with enable` and so on, or a module's name."""
    is_instance: bool
    ports: tuple[CellPort, ...]
    cell_declaration: FileSpan | None


@dataclass(frozen=True)
class WireEnd:
    """The end of a connection."""

    cell: int | None
    """The number of the cell; None for the module's own port."""
    port: str


@dataclass(frozen=True)
class SchematicWire:
    """From what drives some bits to what they drive."""

    source_end: WireEnd
    target_end: WireEnd
    net: str
    """A name that somebody gave it; empty if nobody did."""
    width: int
    """Number of bits that go this way."""
    net_declaration: FileSpan | None


@dataclass(frozen=True)
class _NamedNet:
    """A net that somebody named."""

    name: str
    width: int
    net_declaration: FileSpan | None


_NetNames: TypeAlias = dict[int, _NamedNet]


@dataclass(frozen=True)
class Schematic:
    """The drawing of a module."""

    ports: tuple[CellPort, ...]
    cells: tuple[SchematicCell, ...]
    connections: tuple[SchematicWire, ...]


def draw_schematic(netlist: Netlist) -> Schematic:
    """The drawing of a netlist.

    Raises:
        NoNetlistError: The netlist is too large to be drawn.
    """
    module = netlist.module
    if len(module["cells"]) > MAX_CELLS:
        raise NoNetlistError(
            f"The module has {len(module['cells']):,} cells, and at most {MAX_CELLS:,} are drawn. "
            "Ask about a module deeper in the design, or for the size of this one."
        )
    names_by_bit = _net_names_by_bit(netlist)
    cells = [_schematic_cell(netlist, names_by_bit, name, cell) for name, cell in module["cells"].items()]
    ports = tuple(_cell_port(name, port["direction"], port["bits"]) for name, port in module["ports"].items())
    schematic_wires = tuple(_schematic_wires(netlist, names_by_bit))
    return Schematic(ports, tuple(cells), schematic_wires)


def _schematic_cell(
    netlist: Netlist, names_by_bit: _NetNames, cell_name: str, cell: Mapping[str, Any]
) -> SchematicCell:
    directions = cell.get("port_directions", {})
    is_named = not cell.get("hide_name") and not cell_name.startswith("$")
    return SchematicCell(
        name=cell_name.removeprefix("\\") if is_named else _driven_net_name(cell, names_by_bit),
        type=cell_description(cell),
        is_instance=not cell["type"].startswith("$"),
        ports=tuple(
            _cell_port(word, directions.get(port_name, "input"), cell["connections"][port_name])
            for port_name, word in pin_words(cell).items()
        ),
        cell_declaration=_source_location(netlist, cell),
    )


def _driven_net_name(cell: Mapping[str, Any], names_by_bit: _NetNames) -> str:
    """The net that a cell drives, all of it or a part; empty if nobody named it."""
    connected_bits: list[Any] = next((bits for name, bits in cell["connections"].items() if name in ("Q", "Y")), [])
    nets = {names_by_bit.get(bit) for bit in connected_bits}
    net = nets.pop() if len(nets) == 1 else None
    if net is None:
        return ""
    return net.name if len(connected_bits) == net.width else f"part of {net.name}"


def _cell_port(port_name: str, direction: str, connected_bits: list[int | str]) -> CellPort:
    is_constant = all(isinstance(bit, str) for bit in connected_bits)
    text = "".join(str(bit) for bit in reversed(connected_bits)) if is_constant else ""
    # A wide constant is shorter in hexadecimal.
    if len(text) > 8 and not set(text) - {"0", "1"}:
        text = f"{len(text)}'h{int(text, 2):x}"
    elif text:
        text = f"{len(text)}'b{text if len(text) <= 16 else f'…{text[-16:]}'}"
    return CellPort(port_name, direction, len(connected_bits), text)


def _schematic_wires(netlist: Netlist, names_by_bit: _NetNames) -> Iterator[SchematicWire]:
    module = netlist.module
    drivers: dict[int, WireEnd] = {}
    driven: list[tuple[WireEnd, list[int | str]]] = []
    for name, port in module["ports"].items():
        cell_end = WireEnd(None, name)
        if port["direction"] in ("input", "inout"):
            drivers.update((bit, cell_end) for bit in port["bits"] if isinstance(bit, int))
        if port["direction"] in _OUTPUTS:
            driven.append((cell_end, port["bits"]))
    for number, cell in enumerate(module["cells"].values()):
        directions = cell.get("port_directions", {})
        for name, word in pin_words(cell).items():
            bits = cell["connections"][name]
            cell_end = WireEnd(number, word)
            if directions.get(name) in _OUTPUTS:
                drivers.update((bit, cell_end) for bit in bits if isinstance(bit, int))
            if directions.get(name) != "output":
                driven.append((cell_end, bits))
    connection_count = 0
    for target_end, bits in driven:
        by_source: dict[WireEnd, list[int]] = {}
        for bit in bits:
            if isinstance(bit, int) and bit in drivers and drivers[bit] != target_end:
                by_source.setdefault(drivers[bit], []).append(bit)
        for source_end, shared in by_source.items():
            connection_count += 1
            if connection_count > MAX_CONNECTIONS:
                raise NoNetlistError(
                    f"More than {MAX_CONNECTIONS:,} connections are not drawn. Ask about a module deeper in the design."
                )
            net = names_by_bit.get(shared[0])
            name, declaration = (net.name, net.net_declaration) if net is not None else ("", None)
            yield SchematicWire(source_end, target_end, name, len(set(shared)), declaration)


def _net_names_by_bit(netlist: Netlist) -> _NetNames:
    """The name of each bit's net; of several the one that is written in this module."""
    bit_names: _NetNames = {}
    for name, net in netlist.module["netnames"].items():
        is_named = not net.get("hide_name") and not name.startswith("$")
        net_location = _source_location(netlist, net) if is_named else None
        named_net = _NamedNet(name.removeprefix("\\"), len(net["bits"]), net_location)
        for bit in net["bits"] if is_named else ():
            if isinstance(bit, int):
                bit_names.setdefault(bit, named_net)
    return bit_names


def _source_location(netlist: Netlist, element: Mapping[str, Any]) -> FileSpan | None:
    source = element.get("attributes", {}).get("src", "")
    return netlist.module_files.location_of_tool_span(str(source).partition("|")[0]) if source else None
