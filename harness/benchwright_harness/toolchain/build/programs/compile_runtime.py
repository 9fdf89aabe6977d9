"""Compiles Verilator's runtime for the ways in which it is used, so that ccache has it ready.

Runs inside the tree, with the tree's own packages.
"""

import os
import re
import subprocess
import tempfile
from pathlib import Path

import cocotb_tools.config

_DESIGN = """
module top(input clk, input [7:0] a, output reg [7:0] q);
  always @(posedge clk) q <= a;
endmodule
"""
_BENCH = """
module top;
  reg clk = 0;
  always #5 clk = ~clk;
  initial begin #20 $display("%0d", $urandom); $finish; end
endmodule
"""
# As the channel of testbenches does.
_SPEAKING = """
module top;
  import "DPI-C" function void benchwright_say(input int flags, input string text);
  initial begin #20 benchwright_say(0, ""); $finish; end
endmodule
"""
_COCOTB = Path(cocotb_tools.config.share_dir) / "lib" / "verilator" / "verilator.cpp"
_WITH_COCOTB = ["--cc", "--exe", "--vpi", "--public-flat-rw", str(_COCOTB)]
# What `--binary` stands for, but for the build.
_ALONE = ["--cc", "--exe", "--main", "--timing"]
# cocotb's runner says itself whether there are traces, whatever Verilator has written down.
_WAYS: tuple[tuple[str, list[str], list[str]], ...] = (
    (_DESIGN, _WITH_COCOTB, ["VM_TRACE=0"]),
    (_DESIGN, [*_WITH_COCOTB, "--trace"], ["VM_TRACE=1"]),
    (_DESIGN, [*_WITH_COCOTB, "--timing"], ["VM_TRACE=0"]),
    (_DESIGN, [*_WITH_COCOTB, "--timing", "--coverage"], []),
    (_DESIGN, [*_WITH_COCOTB, "--timing", "--coverage"], ["OPT_FAST=-O0", "OPT_SLOW=-O0"]),
    (_BENCH, _ALONE, []),
    (_SPEAKING, [*_ALONE, "--trace"], ["OPT_FAST=-O0", "OPT_SLOW=-O0"]),
    (_SPEAKING, _ALONE, ["OPT_FAST=-O0", "OPT_SLOW=-O0"]),
    (_BENCH, [*_ALONE, "--trace"], []),
    (_BENCH, [*_ALONE, "--trace-fst"], []),
    (_BENCH, [*_ALONE, "--coverage"], []),
)


def main() -> None:
    """Make the objects that are not the design's own."""
    for design, options, variables in _WAYS:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            source = folder / "top.sv"
            source.write_text(design)
            subprocess.run(["verilator", *options, "--prefix", "Vtop", "--Mdir", name, str(source)], check=True)
            runtime = re.findall(r"^\s+(verilated\w*)\s", (folder / "Vtop_classes.mk").read_text(), re.MULTILINE)
            objects = [f"{part}.o" for part in runtime] + (["verilator.o"] if "--vpi" in options else [])
            make = ["make", "-C", name, "-f", "Vtop.mk", "-j", str(os.cpu_count() or 1), *variables, *objects]
            subprocess.run(make, check=True)


if __name__ == "__main__":
    main()
