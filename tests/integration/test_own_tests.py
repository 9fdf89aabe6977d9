"""Tests of the solver's own on real simulators: what New Testbench writes, and the command line."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchwright_foundation.home import Home
from benchwright_harness.own_tests.running import run_own_tests
from benchwright_harness.own_tests.simulation import OwnSimulation
from benchwright_harness.sandbox.registry import open_sandbox, toolchain_for
from benchwright_problems.problem import ProblemKind
from benchwright_problems.storage.pack_folder import read_built_in
from benchwright_verilog.language.completion.cocotb_skeleton import cocotb_test_skeleton

REFERENCES = {
    f"{problem.id}:{path}": text
    for problem in read_built_in("starter").problems
    if problem.kind is ProblemKind.DESIGN
    for path, text in problem.hidden.reference.items()
    if path.endswith((".sv", ".v"))
}
PROGRAM = str(Path(sys.executable).with_name("benchwright"))
TESTBENCH = """\
module tb;
  logic a = 0, y;
  invert dut(.*);
  initial begin
    #1 if (y !== 1) $error("y is %b", y);
    $finish;
  end
endmodule
"""


@pytest.mark.parametrize("name", REFERENCES)
def test_the_test_that_is_written_for_a_module_passes(name: str) -> None:
    template = cocotb_test_skeleton(REFERENCES[name])
    assert template is not None
    files = {
        "rtl/design.sv": REFERENCES[name].encode(),
        f"tests/test_{template.module_name}.py": template.text.encode(),
    }
    simulation = OwnSimulation(
        files, ("rtl/design.sv",), template.module_name, module=f"tests/test_{template.module_name}.py"
    )
    sandbox = open_sandbox("bwrap")
    own_run = asyncio.run(
        run_own_tests(simulation, sandbox=sandbox, toolchain=toolchain_for("bwrap", Home.from_environment().cache))
    )
    assert [(outcome.name, outcome.reason.value) for outcome in own_run.outcomes] == [("starts", "passed")], (
        own_run.output
    )


def run_tests(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [PROGRAM, "run-tests", str(folder), *options], capture_output=True, text=True, timeout=120, check=False
    )


def test_the_command_runs_the_tests_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "invert.sv").write_text("module invert(input a, output y); assign y = ~a; endmodule\n")
    (tmp_path / "tb.sv").write_text(TESTBENCH)
    passed_run = run_tests(tmp_path)
    assert (passed_run.returncode, passed_run.stdout.strip()) == (0, "passed tb.sv::tb (icarus)"), passed_run.stderr
    (tmp_path / "invert.sv").write_text("module invert(input a, output y); assign y = a; endmodule\n")
    failed_run = run_tests(tmp_path, "--json", "--waves")
    assert failed_run.returncode == 1, failed_run.stderr
    (run,) = json.loads(failed_run.stdout)
    (result,) = run["results"]
    assert (result["reason"], result["path"], result["line"]) == ("error_reported", "tb.sv", 5)
    assert (tmp_path / run["waves"]).is_file()


def test_the_command_says_what_to_do_where_nothing_can_run(tmp_path: Path) -> None:
    assert "No tests were found" in run_tests(tmp_path).stderr
    (tmp_path / "test_a.py").write_text("import cocotb\n\n\n@cocotb.test()\nasync def t(dut): ...\n")
    (tmp_path / "two.sv").write_text("module b(input x); endmodule\nmodule c(input x); endmodule\n")
    refused_run = run_tests(tmp_path)
    assert refused_run.returncode == 2
    assert "Name the file test_MODULE.py, or set benchwright.ownTests.top" in refused_run.stderr
    assert "There is no test a.py" in run_tests(tmp_path, "--test", "a.py").stderr
