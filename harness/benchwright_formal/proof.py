"""Proof of a solver about two designs, without a simulation's word."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchwright_formal.bench import INPUT_FOLDER, DesignFolder, require_tool_success
from benchwright_formal.correspondence import aiger_interface, reference_allows_candidate_starts
from benchwright_formal.errors import NotModelledError, OtherPortsError
from benchwright_formal.netlist import ComparedNetlist, DesignClock, comparable_netlist
from benchwright_formal.sensitivity import require_complete_sensitivity
from benchwright_formal.sources import ComparedSources
from benchwright_formal.tool_freedom import require_simulator_meaning
from benchwright_formal.top import Top
from benchwright_formal.yosys_script import (
    CANDIDATE,
    PROVED_MESSAGE,
    REFERENCE,
    SAME_LOGIC_MESSAGE,
    Miter,
    logic_match_shell_command,
    miter_proof_shell_script,
    yosys_read_script,
)
from benchwright_formal.yosys_tree import parse_yosys_ast
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
class EquivalenceSearchResult:
    """Result of a proof."""

    reference_netlist: ComparedNetlist
    clock: DesignClock | None
    differing_stimulus: Stimulus | None
    """Inputs that make the outputs differ in the last cycle; None if there are none as far as was looked."""
    compared_cycle_count: int | None
    """Cycles that were compared; None if it holds for all."""


async def read_netlist_with_yosys(
    workbench: DesignFolder,
    file_stem: str,
    top_module: Top,
    design: ComparedSources,
    sandbox_folder: str,
    wall_s: float,
    omitted_outputs: Sequence[str] = (),
) -> ComparedNetlist:
    """Has Yosys read a design for a proof, without the outputs that are left out.

    Raises:
        NotModelledError: The design can't be compared soundly.
    """
    input_files = {"read.ys": yosys_read_script(file_stem, top_module, design, sandbox_folder, omitted_outputs)}
    # Said once, quiet leaves the warnings about loops and several drivers.
    end, code, yosys_output = await workbench.run_shell_script(
        f"yosys -q -s {INPUT_FOLDER}/read.ys", input_files, wall_s
    )
    if _LOOP.search(yosys_output):
        raise NotModelledError("it has a combinational loop, or nets with several drivers")
    if implicit := _IMPLICIT.search(yosys_output):
        raise NotModelledError(f"it reads or drives {implicit[1]}, which is no signal of its module")
    if missing := _MISSING.search(yosys_output):
        raise NotModelledError(f"it has no parameter {missing[1]}")
    netlist_text = workbench.file_left_by_script(f"{file_stem}.json")
    # What it can't model says more than the error that follows from it.
    design_netlist = comparable_netlist(json.loads(netlist_text)) if netlist_text else None
    require_tool_success(end, code, yosys_output, "Yosys")
    dumped = workbench.file_left_by_script(f"{file_stem}.ast")
    if design_netlist is None or dumped is None:
        raise NotModelledError("its netlist is too large")
    root = parse_yosys_ast(dumped.decode(errors="replace"), sandbox_folder)
    require_simulator_meaning(root)
    require_complete_sensitivity(root)
    return design_netlist


async def search_difference(
    workbench: DesignFolder,
    reference_netlist: ComparedNetlist,
    candidate_netlist: ComparedNetlist,
    limit_s: float,
    dont_cares: DontCares = NO_DONT_CARES,
) -> EquivalenceSearchResult:
    """Compares two designs that were read.

    Raises:
        NotModelledError: Their ports or clocks differ, the don't-cares name what is no port, or it could not be
            decided in time.
    """
    clock = _common_clock_of_same_ports(reference_netlist, candidate_netlist)
    _require_ports_of_dont_cares(dont_cares, reference_netlist, clock)
    if await _logic_between_registers_matches(workbench, limit_s * _MATCH_SHARE):
        return EquivalenceSearchResult(reference_netlist, clock, None, None)
    miter = Miter.from_reference(reference_netlist, clock, dont_cares)
    input_files = {"miter.sv": miter.verilog_text(), "miter.ys": Miter.yosys_script()}
    end, code, solver_output = await workbench.run_shell_script(miter_proof_shell_script(limit_s), input_files, limit_s)
    proved, bounds = PROVED_MESSAGE in solver_output, [int(bound) for bound in _BOUND.findall(solver_output)]
    if witness := workbench.file_left_by_script("bad.txt"):
        return EquivalenceSearchResult(
            reference_netlist,
            clock,
            _stimulus_of_witness(miter, witness, workbench.file_left_by_script("bad.named.aig") or b""),
            None,
        )
    if end is ProcessEnd.EXITED or not bounds:
        require_tool_success(end, code, solver_output, "the solver")
    if not workbench.file_left_by_script("seen.txt"):
        raise NotModelledError("the reference may never define all bits of its outputs")
    if proved or (clock is None and bounds and bounds[0] > 0):
        return EquivalenceSearchResult(reference_netlist, clock, None, None)
    depth = max(bounds, default=0)
    if depth < LEAST_CYCLES:
        raise NotModelledError(f"only {depth} cycles could be compared in the time")
    return EquivalenceSearchResult(reference_netlist, clock, None, depth)


async def _logic_between_registers_matches(workbench: DesignFolder, limit_s: float) -> bool:
    """True if the logic between registers is the same, as it is after a small change or none.

    Whatever values the other's registers begin with, the reference's may begin with the same: so the outputs are
    those of a start that the reference allows. What is unknown later is matched likewise.
    """
    logics = [
        aiger_interface(workbench.file_left_by_script(f"{role}.named.aig") or b"") for role in (REFERENCE, CANDIDATE)
    ]
    if not reference_allows_candidate_starts(*logics):
        return False
    _, _, match_output = await workbench.run_shell_script(logic_match_shell_command(limit_s), {}, limit_s + 1)
    return SAME_LOGIC_MESSAGE in match_output


def _require_ports_of_dont_cares(
    dont_cares: DontCares, reference_netlist: ComparedNetlist, clock: DesignClock | None
) -> None:
    """Makes sure that what matters only sometimes is an output, and that its condition is a port of one bit."""
    outputs = {port.name for port in reference_netlist.outputs}
    bits = {
        port.name
        for port in (*reference_netlist.outputs, *reference_netlist.inputs_besides_clock(clock))
        if port.width == 1
    }
    for name, condition in dont_cares.unless.items():
        if name not in outputs:
            raise NotModelledError(f"the don't-cares name {name}, which is no output of the reference")
        if condition not in bits:
            raise NotModelledError(f"the don't-cares name {condition}, which is no port of one bit of the reference")


def _common_clock_of_same_ports(
    reference_netlist: ComparedNetlist, candidate_netlist: ComparedNetlist
) -> DesignClock | None:
    if reference_netlist.outputs != candidate_netlist.outputs or reference_netlist.inputs != candidate_netlist.inputs:
        candidate_ports = {(port.name, port.width) for port in (*candidate_netlist.inputs, *candidate_netlist.outputs)}
        reference_ports = {(port.name, port.width) for port in (*reference_netlist.inputs, *reference_netlist.outputs)}
        names = sorted({name for name, _ in candidate_ports ^ reference_ports}) or ["directions"]
        raise OtherPortsError(f"the ports differ: {', '.join(names[:5])}")
    if reference_netlist.clock and candidate_netlist.clock and reference_netlist.clock != candidate_netlist.clock:
        raise NotModelledError("the two use different clocks or edges")
    clock = reference_netlist.clock or candidate_netlist.clock
    for compared_netlist in (reference_netlist, candidate_netlist):
        if (
            clock is not None
            and compared_netlist.clock is None
            and clock.port_name in compared_netlist.inputs_read_as_data
        ):
            raise NotModelledError(f"one of the two reads the clock {clock.port_name} of the other as a value")
    return clock


def _stimulus_of_witness(miter: Miter, abc_witness: bytes, named_aiger: bytes) -> Stimulus:
    port_bits = {int(number): (name.decode(), int(bit or 0)) for number, name, bit in _INPUT.findall(named_aiger)}
    inputs = {port.name for port in miter.inputs}
    cycles: list[dict[str, int]] = []
    for number, cycle, value in _CHOSEN.findall(abc_witness.decode(errors="replace")):
        while len(cycles) <= int(cycle):
            cycles.append(dict.fromkeys(sorted(inputs), 0))
        name, bit = port_bits.get(int(number), ("", 0))
        if name in inputs:
            cycles[int(cycle)][name] |= int(value) << bit
    if not cycles:
        raise NotModelledError("the solver found a difference, but no inputs for it")
    return tuple(cycles)
