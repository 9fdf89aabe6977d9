"""The size of a design in word-level cells: cells by what they do, flip-flops, wires, longest combinational path.

The sizes that were last asked for are kept, with what they were before their sources changed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from benchwright_server.netlist.cell_words import cell_word
from benchwright_server.netlist.yosys import Netlist

_FLIP_FLOPS = ("$dff", "$adff", "$sdff", "$aldff", "$dffsr", "$ff", "$dlatch", "$adlatch", "$sr")
_KEPT = 64
_STEP = re.compile(r"(?P<net>.*?)(?: \[(?P<bit>\d+)\])?(?: \(via (?P<cell>.*)\))?")
_LINE = re.compile(r":(\d+)")
_NO_LOGIC = ("$scopeinfo", "$print", "$check")


@dataclass(frozen=True)
class ModuleSize:
    """The size of a module with all below it."""

    cell_counts: tuple[tuple[str, int], ...]
    """`adder`, `register` and so on with their number, the most frequent first; an adder of 32 bits is one cell."""
    flip_flop_bits: int
    memory_bits: int
    wires: int
    """Named nets."""
    wire_bits: int
    path: tuple[str, ...]
    """The longest combinational path, from a register or input on: nets, and what drives those without a name."""

    @property
    def cell_count(self) -> int:
        """Of all types."""
        return sum(number for _, number in self.cell_counts)

    @property
    def longest_path_cell_count(self) -> int:
        """Cells on the longest combinational path."""
        return max(0, len(self.path) - 1)


def module_size_of_netlist(netlist: Netlist) -> ModuleSize:
    """The size of a netlist without boxes."""
    module = netlist.module
    cells: Counter[str] = Counter()
    flip_flops = memory = 0
    for cell in module["cells"].values():
        kind = str(cell["type"])
        if kind in _NO_LOGIC:
            continue
        cells[cell_word(kind)] += 1
        if kind.startswith(_FLIP_FLOPS) and "latch" not in kind:
            flip_flops += len(cell["connections"]["Q"])
        elif kind.startswith("$mem"):
            memory += _binary_parameter_or_zero(cell, "SIZE") * _binary_parameter_or_zero(cell, "WIDTH")
    nets = [net for name, net in module["netnames"].items() if not net.get("hide_name") and not name.startswith("$")]
    bits = sum(len(net["bits"]) for net in nets)
    ordered_counts = tuple(sorted(cells.items(), key=lambda cell_count: (-cell_count[1], cell_count[0])))
    return ModuleSize(ordered_counts, flip_flops, memory, len(nets), bits, tuple(_longest_path_steps(netlist)))


def _longest_path_steps(netlist: Netlist) -> Iterator[str]:
    """The longest path; what drives a net that nobody named comes with its place: `adder at alu.sv:12`."""
    for step in netlist.path:
        match = _STEP.fullmatch(step)
        if match is None:
            continue
        bit = f"[{match['bit']}]" if match["bit"] is not None else ""
        if not match["net"].startswith("$"):
            yield match["net"].removeprefix("\\") + bit
            continue
        cell = netlist.module["cells"].get(match["cell"] or "")
        source = str(cell["attributes"].get("src", "")).partition("|")[0] if cell is not None else ""
        location = netlist.module_files.location_of_tool_span(source) if source else None
        line = _LINE.search(source)
        word = cell_word(str(cell["type"])) if cell is not None else "a net without a name"
        yield f"{word} at {location.path.name}:{line[1]}" if location is not None and line is not None else word


def _binary_parameter_or_zero(cell: dict[str, dict[str, str]], parameter_name: str) -> int:
    digits = cell["parameters"].get(parameter_name, "0")
    return int(digits, 2) if not set(digits) - {"0", "1"} else 0


@dataclass(frozen=True)
class _KeptSize:
    digest: str
    new_size: ModuleSize
    previous_size: ModuleSize | None


class KeptSizes:
    """The sizes of some modules, those that were last asked for."""

    def __init__(self) -> None:
        self._known_sizes: dict[tuple[str, str], _KeptSize] = {}

    def keep_size_with_previous(
        self, file_and_instance: tuple[str, str], digest: str, new_size: ModuleSize
    ) -> tuple[ModuleSize, ModuleSize | None]:
        """Takes a size; returns it with that of the version before, if there was one.

        Args:
            file_and_instance: The file and the instance.
            digest: Digest of what the size depends on.
            new_size: The size.
        """
        known_size = self._known_sizes.pop(file_and_instance, None)
        if known_size is None or known_size.digest != digest:
            known_size = _KeptSize(digest, new_size, known_size.new_size if known_size is not None else None)
        self._known_sizes[file_and_instance] = known_size
        while len(self._known_sizes) > _KEPT:
            del self._known_sizes[next(iter(self._known_sizes))]
        return known_size.new_size, known_size.previous_size
