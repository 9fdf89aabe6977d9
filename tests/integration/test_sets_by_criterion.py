"""Sets without an importer: records of their form, by the criteria that the page on data sets gives."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest

from benchwright_harness.execution.run import run_harness
from benchwright_harness.plan.selection import selections
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.storage.pack_folder import read_pack_folder
from benchwright_problems.verdict import Reason

PAGE = Path(__file__).parents[2] / "docs/reference/data-sets.md"
DESIGN = "module inverter(input [3:0] in, output [3:0] out);\n  assign out = ~in;\nendmodule\n"
WRONG = DESIGN.replace("~in", "~in ^ (in == 4'd9)")
LOOP = "reg [3:0] in; wire [3:0] out; integer passed = 0, failed = 0, i;\n  inverter dut(.in(in), .out(out));\n"
TESTBENCHES = {
    "ResBench": f"""`timescale 1ns/1ps
module inverter_tb;
  {LOOP}
  initial begin
    for (i = 0; i < 16; i = i + 1) begin
      in = i; #10;
      if (out === ~in) $display("  %b | %b | PASS", in, out);
      else begin $display("  %b | %b | FAIL", in, out); failed = failed + 1; end
    end
    if (failed == 0) $display("All tests passed"); else $display("Some tests failed");
    $finish;
  end
endmodule
""",
    "ArchXBench": f"""`timescale 1ns/1ps
module tb_inverter;
  {LOOP}
  initial begin
    for (i = 0; i < 16; i = i + 1) begin
      in = i; #10;
      if (out === ~in) passed = passed + 1;
      else begin $display("[FAIL] Expected=%b, Got=%b", ~in, out); failed = failed + 1; end
    end
    $display("Passed: %0d, Failed: %0d", passed, failed);
    $display("{{\\"module\\": \\"inverter\\", \\"passed\\": %0d, \\"failed\\": %0d}}", passed, failed);
    if (failed > 0) $finish(1);
    $finish;
  end
endmodule
""",
    "RealBench": f"""`timescale 1 ps/1 ps
module tb();
  {LOOP}
  initial begin
    for (i = 0; i < 16; i = i + 1) begin in = i; #10 if (out !== ~in) failed = failed + 1; end
    $finish;
  end
  final begin
    if (failed != 0) $display("Hint: Output out has %0d mismatches. First at time 0", failed);
    else $display("Hint: Output 'out' has no mismatches.");
    $display("Hint: Total mismatched samples is %1d out of %1d samples", failed, 16);
  end
endmodule
""",
}


def criterion_of_page(name: str) -> str:
    match = re.search(rf"^\*\*{name}\*\*.*?^```toml\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert match is not None
    return match[1]


@pytest.mark.parametrize(
    "name", ["ResBench", *(pytest.param(name, marks=pytest.mark.nightly) for name in ("ArchXBench", "RealBench"))]
)
async def test_a_record_of_the_sets_form_tells_right_from_wrong_by_the_pages_criterion(
    name: str, toolchain: Toolchain, tmp_path: Path
) -> None:
    testbench = TESTBENCHES[name]
    top = re.findall(r"^module (\w+)", testbench, re.MULTILINE)[0]
    description = {"top": top, "design": ["rtl/inverter.v"], "testbench": ["tb.sv"]}
    files = {
        "pack.toml": 'name = "p"\ntitle = "P"\nversion = "1"\nlicense = "CC0-1.0"\nsource = "test"\norder = ["inv"]\n',
        "inv/problem.toml": 'id = "inv"\nkind = "design"\ncategory = "cid003"\ndifficulty = "easy"\n'
        f'expected = ["rtl/inverter.v"]\n{criterion_of_page(name)}',
        "inv/statement.md": "# Inverter\n\nWrite `inverter` with `in` and `out`.\n",
        "inv/hidden/harness/testbench.json": json.dumps(description),
        "inv/hidden/harness/tb.sv": testbench,
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    (problem,) = read_pack_folder(tmp_path).problems
    for design, reason in ((DESIGN, Reason.PASSED), (WRONG, Reason.TESTS_FAILED)):
        log = io.BytesIO()
        verdict = await run_harness(
            problem,
            {"rtl/inverter.v": design.encode()},
            sandbox=BwrapSandbox(),
            toolchain=toolchain,
            selection=selections(problem)[0],
            log=log,
        )
        assert verdict.reason is reason, f"{verdict}{log.getvalue()[-2000:].decode()}"
