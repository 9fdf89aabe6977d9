"""The size of a design in Yosys's word-level cells: cells by type, flip-flops, wires, longest combinational path.

The sizes that were last asked for are kept, with what they were before their sources changed.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from benchwright_server.netlist.yosys import Netlist

_FLIP_FLOPS = ("$dff", "$adff", "$sdff", "$aldff", "$dffsr", "$ff", "$dlatch", "$adlatch", "$sr")
_KEPT = 64
_NO_LOGIC = ("$scopeinfo", "$print", "$check")


@dataclass(frozen=True)
class ModuleSize:
    """The size of a module with all below it."""

    cell_counts: tuple[tuple[str, int], ...]
    """Types with their number, the most frequent first; an adder of 32 bits is one cell."""
    flip_flop_bits: int
    memory_bits: int
    wires: int
    """Named nets."""
    wire_bits: int
    path: tuple[str, ...]
    """The nets on the longest combinational path, from a register or input on."""

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
        cells[kind.removeprefix("$").removeprefix("\\")] += 1
        if kind.startswith(_FLIP_FLOPS) and "latch" not in kind:
            flip_flops += len(cell["connections"]["Q"])
        elif kind.startswith("$mem"):
            memory += _binary_parameter_or_zero(cell, "SIZE") * _binary_parameter_or_zero(cell, "WIDTH")
    nets = [net for name, net in module["netnames"].items() if not net.get("hide_name") and not name.startswith("$")]
    bits = sum(len(net["bits"]) for net in nets)
    ordered_counts = tuple(sorted(cells.items(), key=lambda cell_count: (-cell_count[1], cell_count[0])))
    return ModuleSize(ordered_counts, flip_flops, memory, len(nets), bits, netlist.path)


def _binary_parameter_or_zero(cell: dict[str, dict[str, str]], name: str) -> int:
    digits = cell["parameters"].get(name, "0")
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
