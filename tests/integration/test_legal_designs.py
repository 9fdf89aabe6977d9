"""Code that engineers write to look at a design while it runs is legal, and decides no verdict."""

from __future__ import annotations

import io

import pytest

from benchwright_harness.execution.run import run_harness, starting_solution_files
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.problem import Problem, ProblemKind
from benchwright_problems.storage.pack_folder import read_built_in
from benchwright_problems.verdict import Outcome

DESIGNS = [problem for problem in read_built_in("starter").problems if problem.kind is ProblemKind.DESIGN]
LOOKED_AT = """
    reg pass;
    initial begin
        $dumpfile("waves.vcd");
        $dumpvars;
        pass = 1'b1;
        $display("%s passed at %0t, %0d", $sformatf("%0b", pass), $realtime, $urandom);
        $strobe("pass is %b", pass);
        $monitor("Passed: %b", pass);
        $info("built");
        $warning("slow");
        $write("no test failed\\n");
    end
endmodule
"""
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@pytest.mark.parametrize("problem", DESIGNS, ids=lambda problem: str(problem.id))
async def test_debugging_and_a_byte_order_mark_are_legal(problem: Problem, toolchain: Toolchain) -> None:
    solution = starting_solution_files(problem)
    for path, text in problem.hidden.reference.items():
        module_text, _, tail = text.rpartition("endmodule")
        solution[path] = BYTE_ORDER_MARK + (module_text + LOOKED_AT.lstrip("\n") + tail.lstrip()).encode()
    log = io.BytesIO()
    verdict = await run_harness(problem, solution, sandbox=BwrapSandbox(), toolchain=toolchain, log=log)
    assert verdict.outcome is Outcome.PASSED, f"{verdict.summary}\n{log.getvalue().decode(errors='replace')[-4000:]}"
    assert verdict.remarks == ()
