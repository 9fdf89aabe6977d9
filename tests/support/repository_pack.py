"""A pack whose problems are one small repository with different bugs."""

from __future__ import annotations

from pathlib import Path

from benchwright_problems.repository.changes import CHANGES, diff_of_files

ADDER = "module adder(input [3:0] a, b, output [4:0] y);\n  assign y = a + b;\nendmodule\n"
TOP = "module top(input [3:0] a, b, input s, output [4:0] y);\n  wire [4:0] sum;\n  adder u(a, b, sum);\n" + (
    "  assign y = s ? {1'b0, a & b} : sum;\nendmodule\n"
)
TREE = {"rtl/adder.sv": ADDER, "rtl/top.sv": TOP, "README.md": "# Core\n", "scripts/sources.f": "rtl/adder.sv\n"}
BUGS = {
    "sum": ("rtl/adder.sv", ADDER.replace("a + b", "a - b"), "adds"),
    "mask": ("rtl/top.sv", TOP.replace("a & b", "a | b"), "masks"),
}
BENCH = """
module bench;
  reg [3:0] a, b; reg s; wire [4:0] y;
  top dut(a, b, s, y);
  initial begin
    s = 0; a = 9; b = 8; #1 if (y !== 17) $display("FAILED adds");
    s = 1; #1 if (y !== 8) $display("FAILED masks");
    $display("RAN");
  end
endmodule
"""
VERIFIER = """
cd /code/rundir
iverilog -g2012 -o bench.vvp /code/rtl/*.sv /src/bench.sv && vvp -n bench.vvp > bench.log
echo HWE_BENCH_RESULTS_START
for test in adds masks; do
  if ! grep -q '^RAN$' bench.log; then result=FAIL
  elif grep -q "^FAILED $test$" bench.log; then result=FAIL; else result=PASS; fi
  echo "TEST: $test ... $result"
done
echo HWE_BENCH_RESULTS_END
"""
PROBLEM = """
id = "{name}"
kind = "design"
category = "cid016"
difficulty = "easy"
tree = "core"
reveal = "names"
[tests]
fail_to_pass = ["{test}"]
pass_to_pass = ["{kept}"]
printed = true
"""


def write_repository_pack(folder: Path) -> Path:
    """Write the pack with its two problems, `sum` and `mask`."""
    files = {
        "pack.toml": 'name = "core"\ntitle = "Core"\nversion = "1"\nlicense = "CC0-1.0"\nsource = "test"\n'
        'order = ["sum", "mask"]\n',
        **{f"trees/core/{path}": text for path, text in TREE.items()},
    }
    for name, (path, wrong_text, test) in BUGS.items():
        right, wrong = {path: TREE[path].encode()}, {path: wrong_text.encode()}
        kept = next(other for _, _, other in BUGS.values() if other != test)
        files |= {
            f"{name}/problem.toml": PROBLEM.format(name=name, test=test, kept=kept),
            f"{name}/statement.md": f"# The core does not do what it {test}\n\nMend it.\n",
            f"{name}/start.patch": diff_of_files(right, wrong),
            f"{name}/hidden/reference/{CHANGES}": diff_of_files(wrong, right),
            f"{name}/hidden/harness/verifier.sh": VERIFIER,
            f"{name}/hidden/harness/bench.sv": BENCH,
        }
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder
