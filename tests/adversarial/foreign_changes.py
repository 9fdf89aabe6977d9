"""Designs that are simulated with a testbench which says whether something has changed what is its own.

Run by the toolchain's own Python in its own tree, as `python3 foreign_changes.py DESIGNS`, with a JSON list of sources:
prints a JSON list of their outcomes: `unread`, `unsupported`, `refused`, `kept`, `ended`, or the numbers of what was
changed.
"""

import json
import subprocess
import sys
from pathlib import Path

DESIGN = Path("/code/rtl/top.sv")
TESTBENCH = Path("/src/tb.sv")
GUARD = "/opt/benchwright/inside/guard/iverilog"
TEXT = """`timescale 1ns/1ns
module tb;
  logic clk = 0, level = 0; logic [3:0] d = 5, source = 6; wire [3:0] n = source; wire [3:0] q;
  int count = 7, runs = 0; event e;
  logic [3:0] memory [0:3];
  top dut(.clk(clk), .d(d), .n(n), .q(q));
  task run(input int amount); runs = runs + amount; endtask
  task check(input logic same, input int number); if (!same) $display("changed %0d", number); endtask
  always @(e) $display("changed 0");
  initial begin
    memory[1] = 3;
    repeat (6) begin
      #3 check(d === 4'd5, 1); check(source === 4'd6, 2); check(n === 4'd6, 3); check(count === 7, 4);
      check(runs === 0, 5); check(memory[1] === 4'd3, 6); check(clk === level, 7);
      level = !level; clk = level;
    end
    $display("the end");
    $finish;
  end
endmodule
"""


def main() -> None:
    """Simulate every design of the list."""
    TESTBENCH.write_text(TEXT)
    print(json.dumps([_outcome(text) for text in json.loads(Path(sys.argv[1]).read_text())]))


def _outcome(text: str) -> str:
    DESIGN.write_text(text)
    code, output = _run(GUARD, "-g2012", "-s", "tb", "-o", "/tmp/sim.vvp", str(TESTBENCH), str(DESIGN))
    if code:
        return "refused" if "Benchwright refuses" in output else "unsupported" if ": sorry:" in output else "unread"
    _, output = _run("timeout", "10", "vvp", "-n", "/tmp/sim.vvp")
    changes = sorted({line for line in output.splitlines() if line.startswith("changed")})
    return ", ".join(changes) if changes else "kept" if "the end" in output else "ended"


def _run(*command: str) -> "tuple[int, str]":
    process = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    return process.returncode, process.stdout.decode("utf-8", "replace")


if __name__ == "__main__":
    main()
