"""The scripts of Yosys and ABC for a comparison.

The reference is encoded in three values (`xprop`): where an output of it is unknown, whatever the other design does is
right. What is unknown in the other design may have any value, which a proof has to hold for. Both begin with registers
of unknown value, unless they are initialised. So no reset has to be recognised: until it comes, nothing is compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchwright_formal.bench import INPUT_FOLDER, random_unguessable_name
from benchwright_formal.netlist import ComparedNetlist, DesignClock, Port
from benchwright_formal.sources import ComparedSources
from benchwright_formal.top import Top
from benchwright_problems.equivalence import NO_DONT_CARES, DontCares

REFERENCE, CANDIDATE = "gold", "gate"
FIRST_CYCLES = 24
"""Compared before a proof is tried: most differences show soon."""
SAME_LOGIC_MESSAGE = "Networks are equivalent"
PROVED_MESSAGE = "Property proved"
"""Message that ABC prints: of logic, of a circuit."""
_DEFINED_CYCLES = 300
_ASIDE = "t:$print t:$check t:$assert t:$assume t:$cover t:$live t:$fair t:$scopeinfo"


def yosys_read_script(
    file_stem: str, top_module: Top, design: ComparedSources, sandbox_folder: str, omitted_outputs: Sequence[str] = ()
) -> str:
    """Reads one design, without the outputs that are left out.

    Leaves ROLE.ast, the tree of its text; ROLE.json, as it was read; ROLE.il, for the miter; ROLE.aig, its logic with
    free inputs for what is unknown; ROLE.named.aig, the same with names.
    """
    # An inout would become an input.
    read_arguments = _read_arguments(design, sandbox_folder)
    removed = (f"delete -output {top_module.name}/o:{name} {top_module.name}/i:{name} %d" for name in omitted_outputs)
    return _joined_lines(
        f"tee -q -o {file_stem}.ast read_verilog -sv -nosynthesis -dump_ast1 -no_dump_ptr {read_arguments}",
        *_elaboration_commands(top_module),
        *("proc", "flatten", f"delete {_ASIDE}", *removed),
        *("opt_clean", "memory_collect", "opt_clean", "check"),
        f"write_json {file_stem}.json",
        *("memory_map", "async2sync", "dffunmap", "opt_clean"),
        f"rename -top {file_stem}",
        f"select {file_stem}",
        f"write_rtlil -selected {file_stem}.il",
        "select -clear",
        # Gates of an index that may be out of range have unknown inputs again.
        *("setundef -undriven -anyseq", "simplemap", "techmap", "setundef -anyseq"),
        *("opt_clean", "dffunmap", "aigmap", "opt_clean"),
        # Of a circuit with names, ABC would compare those of registers.
        *(f"write_aiger {file_stem}.aig", f"write_aiger -symbols {file_stem}.named.aig"),
    )


def _elaboration_commands(top_module: Top) -> Iterable[str]:
    """Makes the module with its parameters the only top."""
    if not top_module.parameters:
        return (f"hierarchy -simcheck -top {top_module.name}",)
    outer = random_unguessable_name()
    return (
        # Of `hierarchy -chparam`, each value would be unsigned, and in a simulation it is not.
        *("read_verilog -sv <<EOT", f"module {outer};", top_module.instance_text("dut"), "endmodule", "EOT"),
        *(f"hierarchy -simcheck -top {outer}", f"delete {outer}"),
        # Its name has the values now.
        *("hierarchy -auto-top", f"rename -top {top_module.name}"),
    )


def yosys_quality_script(top_module: str, design: ComparedSources, sandbox_folder: str, abc_gates: str) -> str:
    """Synthesises one design to the gates that are named; leaves quality.json and path.txt, its longest path."""
    return _joined_lines(
        f"read_verilog -sv {_read_arguments(design, sandbox_folder)}",
        f"synth -flatten -noabc -top {top_module}",
        *("delete t:$print t:$check", f"abc -g {abc_gates}", "opt_clean"),
        *("write_json quality.json", "tee -q -o path.txt ltp -noff"),
    )


def _read_arguments(design: ComparedSources, sandbox_folder: str) -> str:
    includes = (f"-I{include_folder}" for include_folder in design.include_folders(sandbox_folder))
    # Else an empty module would be no design: to a simulator, it is one that drives nothing.
    return " ".join(("-noblackbox", "-noassert", "-noassume", *includes, *design.source_paths(sandbox_folder)))


@dataclass(frozen=True)
class Miter:
    """Both designs side by side."""

    inputs: tuple[Port, ...]
    """Without the clock."""
    outputs: tuple[Port, ...]
    clock: DesignClock | None
    dont_cares: DontCares = NO_DONT_CARES

    @classmethod
    def from_reference(
        cls, reference_netlist: ComparedNetlist, clock: DesignClock | None, dont_cares: DontCares
    ) -> Miter:
        """The miter of designs with the ports of the reference."""
        return cls(reference_netlist.inputs_besides_clock(clock), reference_netlist.outputs, clock, dont_cares)

    def verilog_text(self) -> str:
        """The module: `bad` if an output that counts differs, `seen` once each bit was defined where it counts."""
        inputs = [*self.inputs, *([Port(self.clock.port_name, 1)] if self.clock else [])]
        total = sum(port.width for port in self.outputs)
        shared_ports = [f".{port.name}(in_{port.name})" for port in inputs]
        gold = [f".{port.name}_{kind}({kind}_{port.name})" for port in self.outputs for kind in "dx"]
        gate = [f".{port.name}(g_{port.name})" for port in self.outputs]
        wires = [
            f"wire {_verilog_bit_range(port)} d_{port.name}, x_{port.name}, g_{port.name};" for port in self.outputs
        ]
        unknown_bits = _verilog_concatenation(f"x_{port.name}" for port in self.outputs)
        miter_ports = ["input miter_clock", *(f"input {_verilog_bit_range(port)} in_{port.name}" for port in inputs)]
        return _joined_lines(
            f"module miter({', '.join(miter_ports)},",
            "  output bad, output seen);",
            *wires,
            f"{REFERENCE} the_gold({', '.join([*shared_ports, *gold])});",
            f"{CANDIDATE} the_gate({', '.join([*shared_ports, *gate])});",
            f"wire [{total - 1}:0] unknown = {unknown_bits};",
            f"wire [{total - 1}:0] expected = {_verilog_concatenation(f'd_{port.name}' for port in self.outputs)};",
            f"wire [{total - 1}:0] found = {_verilog_concatenation(f'g_{port.name}' for port in self.outputs)};",
            f"wire [{total - 1}:0] counts = {_verilog_concatenation(map(self._care_mask_expression, self.outputs))};",
            f"reg [{total - 1}:0] defined = 0;",
            "always @(posedge miter_clock) defined <= defined | (~unknown & counts);",
            # ABC's bounded model checking needs a register: the first cycle says all of combinational logic.
            "reg phase = 0;",
            "always @(posedge miter_clock) phase <= ~phase;",
            f"assign bad = |(~unknown & counts & (expected ^ found)){'' if self.clock else ' & ~phase'};",
            "assign seen = &(defined | (~unknown & counts));",
            "endmodule",
        )

    def _care_mask_expression(self, port: Port) -> str:
        """An expression that says whether an output counts in a cycle, for each of its bits."""
        condition = self.dont_cares.unless.get(port.name)
        if condition is None:
            return f"{{{port.width}{{1'b1}}}}"
        is_output = any(output.name == condition for output in self.outputs)
        holds = f"(d_{condition} & ~x_{condition})" if is_output else f"in_{condition}"
        return f"{{{port.width}{{{holds}}}}}"

    @staticmethod
    def yosys_script() -> str:
        """Leaves bad.aig and seen.aig, each with one output, and bad.named.aig with names."""
        return _joined_lines(
            f"read_rtlil {REFERENCE}.il",
            "setundef -undriven -undef",
            f"xprop -split-outputs -formal -assume-def-inputs {REFERENCE}",
            f"read_rtlil {CANDIDATE}.il",
            f"setundef -undriven -anyseq {CANDIDATE}",
            f"read_verilog -sv {INPUT_FOLDER}/miter.sv",
            "hierarchy -check -top miter",
            # ABC simplifies faster than Yosys.
            *(
                "proc",
                "flatten",
                f"delete {_ASIDE}",
                "opt_clean",
                "simplemap",
                "techmap",
                "setundef -anyseq",
                "opt_clean",
            ),
            *("dffunmap", "aigmap", "opt_clean", "design -save both"),
            *("delete -output miter/seen", "write_aiger -zinit bad.aig", "write_aiger -zinit -symbols bad.named.aig"),
            *("design -load both", "delete -output miter/bad", "write_aiger -zinit seen.aig"),
        )


def logic_match_shell_command(limit_s: float) -> str:
    """Compares the logic between registers that correspond in their order; prints `SAME_LOGIC_MESSAGE`."""
    return f'yosys-abc -c "cec -T {max(1, round(limit_s))} {REFERENCE}.aig {CANDIDATE}.aig"'


def miter_proof_shell_script(limit_s: float) -> str:
    """The script of the shell that leaves bad.txt and seen.txt, or prints what could be proved; see `proof`.

    Args:
        limit_s: Time of all its steps in seconds, roughly.
    """
    first_limit_s, defined, proof, deep = (max(1, round(limit_s * share)) for share in (0.2, 0.1, 0.4, 0.2))
    return _joined_lines(
        "set -e",
        f"yosys -q -q -s {INPUT_FOLDER}/miter.ys",
        'abc() { yosys-abc -c "read_aiger $1.aig; $2; write_cex -n $1.txt" >abc.log 2>&1 || true; cat abc.log; }',
        f'abc bad "scorr; bmc3 -F {FIRST_CYCLES} -T {first_limit_s}"',
        "[ ! -s bad.txt ] || exit 0",
        f'abc seen "bmc3 -F {_DEFINED_CYCLES} -T {defined}"',
        "[ -s seen.txt ] || exit 0",
        f'abc bad "scorr; pdr -T {proof}"',
        f'[ -s bad.txt ] || grep -q "{PROVED_MESSAGE}" abc.log || abc bad "bmc3 -T {deep}"',
    )


def _joined_lines(*script_lines: str) -> str:
    return "\n".join(script_lines) + "\n"


def _verilog_bit_range(port: Port) -> str:
    return f"[{port.width - 1}:0]"


def _verilog_concatenation(signal_names: Iterable[str]) -> str:
    return "{" + ", ".join(signal_names) + "}"
