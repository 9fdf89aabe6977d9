"""Proof of a solver about two designs, without a simulation's word."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchwright_formal.bench import OURS, DesignFolder, require_good_end
from benchwright_formal.correspondence import logic, reference_allows_every_start
from benchwright_formal.errors import NotModelledError
from benchwright_formal.netlist import ComparedNetlist, DesignClock, netlist
from benchwright_formal.sensitivity import check_sensitivity
from benchwright_formal.sources import ComparedSources
from benchwright_formal.tool_freedom import check_freedom
from benchwright_formal.top import Top
from benchwright_formal.yosys_script import (
    OTHER,
    PROVED,
    REFERENCE,
    SAME,
    Miter,
    match_script,
    prove_script,
    read_script,
)
from benchwright_formal.yosys_tree import parse_tree
from benchwright_harness.execution.process import ProcessEnd
from benchwright_problems.equivalence import NO_DONT_CARES, DontCares

_BOUND = re.compile(r"No output asserted in (\d+) frames")
_CHOSEN = re.compile(r"^pi(\d+)@(\d+)=([01])$", re.MULTILINE)
_INPUT = re.compile(rb"^i(\d+) in_(\w+)(?:\[(\d+)\])?$", re.MULTILINE)
_LOOP = re.compile(r"found logic loop|multiple conflicting drivers")
# Yosys makes a new wire of the name of a signal elsewhere, and of a system function that it does not know.
_IMPLICIT = re.compile(r"Identifier `\\?([^']*[.$][^']*)' is implicitly declared")
# Of the module around the top one, whose name no design knows.
_MISSING = re.compile(r"in module `b[0-9a-f]{32}' in cell `dut' does not have a parameter named '(\w+)'", re.ASCII)
_MATCH_SHARE = 0.2
LEAST_CYCLES = 16
"""Fewer say too little to be an opinion."""

Stimulus = tuple[Mapping[str, int], ...]
"""For each cycle: input, without the clock → value."""


@dataclass(frozen=True)
class EquivalenceProof:
    """Result of a proof."""

    reference: ComparedNetlist
    clock: DesignClock | None
    difference: Stimulus | None
    """Inputs that make the outputs differ in the last cycle; None if there are none as far as was looked."""
    depth: int | None
    """Cycles that were compared; None if it holds for all."""


async def read_netlist(
    bench: DesignFolder,
    role: str,
    top_module: Top,
    design: ComparedSources,
    folder: str,
    wall_s: float,
    omitted_outputs: Sequence[str] = (),
) -> ComparedNetlist:
    """Has Yosys read a design for a proof, without the outputs that are left out.

    Raises:
        NotModelledError: The design can't be compared soundly.
    """
    input_files = {"read.ys": read_script(role, top_module, design, folder, omitted_outputs)}
    # Said once, quiet leaves the warnings about loops and several drivers.
    end, code, yosys_output = await bench.run_script(f"yosys -q -s {OURS}/read.ys", input_files, wall_s)
    if _LOOP.search(yosys_output):
        raise NotModelledError("it has a combinational loop, or nets with several drivers")
    if implicit := _IMPLICIT.search(yosys_output):
        raise NotModelledError(f"it reads or drives {implicit[1]}, which is no signal of its module")
    if missing := _MISSING.search(yosys_output):
        raise NotModelledError(f"it has no parameter {missing[1]}")
    netlist_text = bench.read_file(f"{role}.json")
    # What it can't model says more than the error that follows from it.
    design_netlist = netlist(json.loads(netlist_text)) if netlist_text else None
    require_good_end(end, code, yosys_output, "Yosys")
    dumped = bench.read_file(f"{role}.ast")
    if design_netlist is None or dumped is None:
        raise NotModelledError("its netlist is too large")
    root = parse_tree(dumped.decode(errors="replace"), folder)
    check_freedom(root)
    check_sensitivity(root)
    return design_netlist


async def prove_equivalence(
    bench: DesignFolder,
    reference: ComparedNetlist,
    candidate: ComparedNetlist,
    wall_s: float,
    dont_cares: DontCares = NO_DONT_CARES,
) -> EquivalenceProof:
    """Compares two designs that were read.

    Raises:
        NotModelledError: Their ports or clocks differ, the don't-cares name what is no port, or it could not be
            decided in time.
    """
    clock = _common_clock(reference, candidate)
    _check_dont_cares(dont_cares, reference, clock)
    if await _logic_matches(bench, wall_s * _MATCH_SHARE):
        return EquivalenceProof(reference, clock, None, None)
    miter = Miter.from_reference(reference, clock, dont_cares)
    input_files = {"miter.sv": miter.verilog(), "miter.ys": Miter.script()}
    end, code, solver_output = await bench.run_script(prove_script(wall_s), input_files, wall_s)
    proved, bounds = PROVED in solver_output, [int(bound) for bound in _BOUND.findall(solver_output)]
    if witness := bench.read_file("bad.txt"):
        return EquivalenceProof(
            reference, clock, _stimulus(miter, witness, bench.read_file("bad.named.aig") or b""), None
        )
    if end is ProcessEnd.EXITED or not bounds:
        require_good_end(end, code, solver_output, "the solver")
    if not bench.read_file("seen.txt"):
        raise NotModelledError("the reference may never define all bits of its outputs")
    if proved or (clock is None and bounds and bounds[0] > 0):
        return EquivalenceProof(reference, clock, None, None)
    depth = max(bounds, default=0)
    if depth < LEAST_CYCLES:
        raise NotModelledError(f"only {depth} cycles could be compared in the time")
    return EquivalenceProof(reference, clock, None, depth)


async def _logic_matches(bench: DesignFolder, wall_s: float) -> bool:
    """True if the logic between registers is the same, as it is after a small change or none.

    Whatever values the other's registers begin with, the reference's may begin with the same: so the outputs are
    those of a start that the reference allows. What is unknown later is matched likewise.
    """
    logics = [logic(bench.read_file(f"{role}.named.aig") or b"") for role in (REFERENCE, OTHER)]
    if not reference_allows_every_start(*logics):
        return False
    _, _, match_output = await bench.run_script(match_script(wall_s), {}, wall_s + 1)
    return SAME in match_output


def _check_dont_cares(dont_cares: DontCares, reference: ComparedNetlist, clock: DesignClock | None) -> None:
    """Makes sure that what matters only sometimes is an output, and that its condition is a port of one bit."""
    outputs = {port.name for port in reference.outputs}
    bits = {port.name for port in (*reference.outputs, *reference.inputs_besides_clock(clock)) if port.width == 1}
    for name, condition in dont_cares.unless.items():
        if name not in outputs:
            raise NotModelledError(f"the don't-cares name {name}, which is no output of the reference")
        if condition not in bits:
            raise NotModelledError(f"the don't-cares name {condition}, which is no port of one bit of the reference")


def _common_clock(reference: ComparedNetlist, candidate: ComparedNetlist) -> DesignClock | None:
    if reference.outputs != candidate.outputs or reference.inputs != candidate.inputs:
        candidate_ports = {(port.name, port.width) for port in (*candidate.inputs, *candidate.outputs)}
        reference_ports = {(port.name, port.width) for port in (*reference.inputs, *reference.outputs)}
        names = sorted({name for name, _ in candidate_ports ^ reference_ports}) or ["directions"]
        raise NotModelledError(f"the ports differ: {', '.join(names[:5])}")
    if reference.clock and candidate.clock and reference.clock != candidate.clock:
        raise NotModelledError("the two use different clocks or edges")
    clock = reference.clock or candidate.clock
    for compared_netlist in (reference, candidate):
        if clock is not None and compared_netlist.clock is None and clock.port in compared_netlist.read_inputs:
            raise NotModelledError(f"one of the two reads the clock {clock.port} of the other as a value")
    return clock


def _stimulus(miter: Miter, witness: bytes, named_circuit: bytes) -> Stimulus:
    port_bits = {int(number): (name.decode(), int(bit or 0)) for number, name, bit in _INPUT.findall(named_circuit)}
    inputs = {port.name for port in miter.inputs}
    cycles: list[dict[str, int]] = []
    for number, cycle, value in _CHOSEN.findall(witness.decode(errors="replace")):
        while len(cycles) <= int(cycle):
            cycles.append(dict.fromkeys(sorted(inputs), 0))
        name, bit = port_bits.get(int(number), ("", 0))
        if name in inputs:
            cycles[int(cycle)][name] |= int(value) << bit
    if not cycles:
        raise NotModelledError("the solver found a difference, but no inputs for it")
    return tuple(cycles)
