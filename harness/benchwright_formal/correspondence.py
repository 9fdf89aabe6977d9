"""Correspondence of two circuits: their inputs, outputs and registers match in their order.

Of AIGER's binary format (Biere, The AIGER And-Inverter Graph (AIG) Format, version 20071012, and AIGER 1.9):

    aig 42 8 5 3 29     header: variables, inputs, latches, outputs, AND gates
    60 18               a line for each latch: its next state, and its reset unless that is 0;
                        a latch that resets to itself begins unknown
    i0 d[0]             after the AND gates: the names of inputs, and as l0 and o0 those of latches and outputs
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_HEADER = re.compile(rb"aig (\d+) (\d+) (\d+) (\d+) (\d+)\n")
_PORT = re.compile(rb"^[io]\d+ .+", re.MULTILINE)


@dataclass(frozen=True)
class AigerInterface:
    """Properties that two circuits must have in common."""

    input_bit_count: int
    """Bits, with those for unknown values."""
    port_bit_names: tuple[bytes, ...]
    """The names of their bits."""
    register_initial_values: tuple[str, ...]
    """Start value of each register: `0`, `1` or `x`."""


def aiger_interface(named_aiger: bytes) -> AigerInterface | None:
    """Reads a circuit with names; None if it is none."""
    header_match = _HEADER.match(named_aiger)
    if header_match is None:
        return None
    input_bits, latches = int(header_match[2]), int(header_match[3])
    lines = named_aiger[header_match.end() :].split(b"\n", latches)[:latches]
    initial_values = []
    for number, line in enumerate(lines):
        reset = line.split()[1:]
        latch = b"%d" % (2 * (input_bits + number + 1))
        initial_values.append("x" if reset == [latch] else "1" if reset == [b"1"] else "0")
    # The gates before them are binary, and may hold anything.
    name_parts = named_aiger.rpartition(b"\ni0 ")[1:]
    return AigerInterface(input_bits, tuple(_PORT.findall(b"".join(name_parts))), tuple(initial_values))


def reference_allows_candidate_starts(
    reference_interface: AigerInterface | None, candidate_interface: AigerInterface | None
) -> bool:
    """True if each start of the other circuit is one that the reference allows."""
    return (
        reference_interface is not None
        and candidate_interface is not None
        and (reference_interface.input_bit_count, reference_interface.port_bit_names)
        == (candidate_interface.input_bit_count, candidate_interface.port_bit_names)
        and len(reference_interface.register_initial_values) == len(candidate_interface.register_initial_values)
        and all(
            ours in ("x", theirs)
            for ours, theirs in zip(
                reference_interface.register_initial_values, candidate_interface.register_initial_values, strict=True
            )
        )
    )
