"""Small data sets in the layouts of VerilogEval and RTLLM, written for these tests."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

AND = "module {name} (input a, input b, output y);\n  assign y = a & b;\nendmodule\n"
WRONG_AND = AND.replace("&", "|")

# Uses tb_match before it is declared, as the real ones do: Icarus 13 refuses that.
VERILOGEVAL_TEST = """`timescale 1 ps/1 ps
module stimulus_gen (input clk, output logic a, b);
  initial begin
    {a, b} <= 0;
    repeat (20) @(posedge clk) {a, b} <= $random;
    #1 $finish;
  end
endmodule

module tb();
  typedef struct packed { int errors; int clocks; } stats;
  stats stats1;
  reg clk = 0;
  initial forever #5 clk = ~clk;
  logic a, b, y_ref, y_dut;
  initial begin
    $dumpfile("wave.vcd");
    $dumpvars(1, stim1.clk, tb_mismatch, y_ref, y_dut);
  end
  wire tb_match;
  wire tb_mismatch = ~tb_match;
  stimulus_gen stim1 (.clk, .* );
  RefModule good1 (.a, .b, .y(y_ref));
  TopModule top_module1 (.a, .b, .y(y_dut));
  final begin
    $display("Hint: Total mismatched samples is %1d out of %1d samples\\n", stats1.errors, stats1.clocks);
    $display("Mismatches: %1d in %1d samples", stats1.errors, stats1.clocks);
  end
  assign tb_match = ( { y_ref } === ( { y_ref } ^ { y_dut } ^ { y_ref } ) );
  always @(posedge clk, negedge clk) begin
    stats1.clocks++;
    if (!tb_match) stats1.errors++;
  end
  initial begin
    #1000000
    $display("TIMEOUT");
    $finish();
  end
endmodule
"""

RTLLM_TEST = """`timescale 1ns/1ps
module testbench;
  reg a, b; wire y; integer i; integer error = 0;
  reg [0:0] want [0:3];
  gate uut (.a(a), .b(b), .y(y));
  initial begin
    $readmemh("want.dat", want);
    for (i = 0; i < 4; i = i + 1) begin
      {a, b} = i;
      #10;
      CHECK
    end
    if (error == 0) $display("===========Your Design Passed===========");
    else $display("===========Test completed with %d /4 failures===========", error);
  end
endmodule
"""
STRICT = "error = (y !== want[i]) ? error + 1 : error;"
# An output that nobody drives is neither right nor wrong for it.
WEAK = "if (y == ~want[i]) error = error + 1;"
# Icarus 12 does not know `break`.
NEWER = STRICT + " if (i == 3) break;"


def write_verilogeval(root: Path) -> Path:
    """One problem of each task."""
    for task, extra_files in (("dataset_spec-to-rtl", {}), ("dataset_code-complete-iccad2023", {"ifc.txt": AND[:51]})):
        folder = root / task
        folder.mkdir(parents=True)
        files = {
            "prompt.txt": "Build an AND gate called TopModule.\n",
            "ref.sv": AND.format(name="RefModule"),
            "test.sv": VERILOGEVAL_TEST,
            **{name: text.format(name="TopModule") for name, text in extra_files.items()},
        }
        for name, text in files.items():
            (folder / f"Prob001_and_{name}").write_text(text)
    return root


def write_rtllm(root: Path, designs: Mapping[str, str]) -> Path:
    """Designs by name, each with the check of its testbench."""
    for name, check_text in designs.items():
        folder = root / "Area" / "Kind" / name
        folder.mkdir(parents=True)
        (folder / "design_description.txt").write_text("Module name:\n    gate\n")
        (folder / "testbench.v").write_text(RTLLM_TEST.replace("CHECK", check_text))
        (folder / "verified_gate.v").write_text(AND.format(name="verified_gate"))
        (folder / "want.dat").write_text("0\n0\n0\n1\n")
    return root


def unpack(sample: Path, root: Path) -> Path:
    """A sample of a published set: one JSON object, path → text."""
    for path, text in json.loads(sample.read_text(encoding="utf-8")).items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root
