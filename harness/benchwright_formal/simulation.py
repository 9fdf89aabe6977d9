"""Simulates a design with given inputs, and writes down its outputs cycle by cycle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchwright_formal.bench import INPUT_FOLDER, DesignFolder, random_unguessable_name, require_tool_success
from benchwright_formal.errors import NotModelledError
from benchwright_formal.netlist import ComparedNetlist, DesignClock
from benchwright_formal.proof import Stimulus
from benchwright_formal.sources import ComparedSources
from benchwright_formal.top import Top
from benchwright_problems.equivalence import NO_DONT_CARES, DontCares

_WALL_S = 10


@dataclass(frozen=True)
class OutputDifference:
    """Place at which two simulations part."""

    cycle: int
    """From 0."""
    output_name: str
    reference_bits: str
    """The value in binary, as the reference has it; `x` is unknown."""
    candidate_bits: str


@dataclass(frozen=True)
class FormalTestbench:
    """Drives a design with given inputs."""

    top_module: Top
    ports: ComparedNetlist
    """With the names and widths of its ports."""
    clock: DesignClock | None
    """None for combinational logic."""
    stimulus: Stimulus

    async def simulated_outputs(
        self, workbench: DesignFolder, design: ComparedSources, sandbox_folder: str
    ) -> list[dict[str, str]]:
        """The outputs of a design in each cycle, before its clock's edge: name → value in binary.

        Args:
            workbench: Holds the design's files.
            design: Design to simulate.
            sandbox_folder: Folder of its files.

        Raises:
            NotModelledError: The simulator refuses it, or it ends early.
        """
        name = random_unguessable_name()
        includes = " ".join(f"-I{include_folder}" for include_folder in design.include_folders(sandbox_folder))
        path_list = " ".join(design.source_paths(sandbox_folder))
        script = (
            f"iverilog -g2012 -s {name} {includes} -o {name}.vvp {INPUT_FOLDER}/bench.sv {path_list}"
            f" && vvp -n {name}.vvp >/dev/null"
        )
        end, code, simulator_output = await workbench.run_shell_script(
            script, {"bench.sv": self._testbench_text(name), "inputs": self._stimulus_text()}, _WALL_S
        )
        require_tool_success(end, code, simulator_output, "Icarus Verilog")
        lines = (workbench.file_left_by_script(f"{name}.txt") or b"").decode("ascii", "replace").split()
        width = sum(port.width for port in self.ports.outputs)
        if len(lines) != len(self.stimulus) or any(len(line) != width for line in lines):
            raise NotModelledError("its simulation ends early")
        return [self._bits_by_output(line) for line in lines]

    def _bits_by_output(self, output_bits: str) -> dict[str, str]:
        outputs_by_name, start = {}, 0
        for port in self.ports.outputs:
            outputs_by_name[port.name] = output_bits[start : start + port.width].lower()
            start += port.width
        return outputs_by_name

    def _stimulus_text(self) -> str:
        driven = self.ports.inputs_besides_clock(self.clock)
        lines = ("".join(f"{cycle[port.name]:0{port.width}b}" for port in driven) or "0" for cycle in self.stimulus)
        return "\n".join(lines) + "\n"

    def _testbench_text(self, testbench_name: str) -> str:
        clock, cycles = self.clock, len(self.stimulus)
        driven = self.ports.inputs_besides_clock(clock)
        width = max(1, sum(port.width for port in driven))
        connected, high = [], width
        for port in driven:
            connected.append(f".{port.name}(now[{high - 1}:{high - port.width}])")
            high -= port.width
        connected += [f".{port.name}(o_{port.name})" for port in self.ports.outputs]
        connected += [f".{clock.port_name}(clock)"] if clock else []
        wires = "\n".join(f"  wire [{port.width - 1}:0] o_{port.name};" for port in self.ports.outputs)
        idle = "0" if clock is None or clock.is_rising else "1"
        # The delays are longer than any in a design, and inputs change far from the clock's edges.
        return f"""`timescale 1us/1ps
module {testbench_name};
  reg [{width - 1}:0] inputs [0:{cycles - 1}];
  reg [{width - 1}:0] now;
  reg clock;
  integer trace, cycle;
{wires}
  {self.top_module.instance_text("dut", ", ".join(connected))}
  initial begin
    $readmemb("{INPUT_FOLDER}/inputs", inputs);
    trace = $fopen("{testbench_name}.txt");
    clock = {idle};
    #1;
    for (cycle = 0; cycle < {cycles}; cycle = cycle + 1) begin
      now = inputs[cycle];
      #1 $fdisplay(trace, "%b", {{{", ".join(f"o_{port.name}" for port in self.ports.outputs)}}});
      clock = ~clock;
      #1 clock = ~clock;
      #1;
    end
    $fclose(trace);
    $finish;
  end
endmodule
"""


def first_known_difference(
    reference_outputs: Sequence[dict[str, str]],
    candidate_outputs: Sequence[dict[str, str]],
    first_counted_cycle: int = 0,
    *,
    stimulus: Stimulus = (),
    dont_cares: DontCares = NO_DONT_CARES,
) -> OutputDifference | None:
    """The first output that differs where the reference has a known value, and where that counts; None if none does.

    Args:
        reference_outputs: Outputs of the reference.
        candidate_outputs: Outputs of the other design.
        first_counted_cycle: The first cycle that counts.
        stimulus: The inputs of both.
        dont_cares: Cases in which an output does not count.
    """
    for cycle, (reference_bits, candidate_bits) in enumerate(zip(reference_outputs, candidate_outputs, strict=True)):
        known_bits = reference_bits | {
            name: f"{value:b}" for name, value in (stimulus[cycle] if stimulus else {}).items()
        }
        for name, bits in reference_bits.items():
            condition = dont_cares.unless.get(name)
            if condition is not None and known_bits[condition] != "1":
                continue
            if cycle >= first_counted_cycle and any(
                a in "01" and a != b for a, b in zip(bits, candidate_bits[name], strict=True)
            ):
                return OutputDifference(cycle, name, bits, candidate_bits[name])
    return None
