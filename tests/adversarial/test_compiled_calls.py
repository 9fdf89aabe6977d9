"""Calls of a compiled program are refused, whatever the scan of the source has overlooked."""

from __future__ import annotations

import io

import pytest

from benchwright_foundation.home import Home
from benchwright_harness.execution.run import run_harness
from benchwright_harness.plan.selection import ToolSelection
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.problem import ScanAction
from benchwright_problems.verdict import Outcome, Reason, Verdict

from ..support.designs.submissions import run
from .submission import flow

CALLS = {
    "a task": ("initial $fdisplay(1, y);", "line 2, column 11: opens or uses files with $fdisplay (rule file)"),
    "a function": ("integer f;\n  initial f = $fopen(y);", "line 3, column 15: opens or uses files with $fopen"),
    "a net": ("wire [31:0] w = $fopen(y);", "line 2, column 19: opens or uses files with $fopen"),
    "an escaped name": ("always @(a) \\$fclose (y);", "line 2, column 16: opens or uses files with $fclose"),
    "a macro": ("`define T(n) $``n\n  initial `T(fflush);", "line 3, column 1: opens or uses files with $fflush"),
    "another file's lines": (
        '`line 1 "/src/x.v" 0\n  initial $fflush;\n',
        "line 2, column 1: renames its lines with `line, so that messages would name other files",
    ),
}


async def grade(body: str, monkeypatch: pytest.MonkeyPatch, **scan: ScanAction) -> tuple[Verdict, str]:
    """The verdict on the right design with something added, where the scan finds nothing."""
    monkeypatch.setattr("benchwright_harness.execution.run.scan_solution", lambda problem, solution: ())
    chosen_flow = flow("cocotb")
    problem = chosen_flow.problem(scanned=True)
    problem = problem.model_copy(update={"hidden": problem.hidden.model_copy(update={"scan": scan})})
    log = io.BytesIO()
    verdict = await run_harness(
        problem,
        {chosen_flow.expected: f"module inv(input a, output y);\n  {body}\n  assign y = ~a;\nendmodule\n".encode()},
        sandbox=BwrapSandbox(),
        toolchain=Toolchain.find(Home.from_environment().cache),
        log=log,
        selection=ToolSelection(simulator="icarus"),
    )
    return verdict, log.getvalue().decode(errors="replace")


@pytest.mark.parametrize("name", CALLS)
async def test_a_call_is_refused_for_what_icarus_has_compiled(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    body, says = CALLS[name]
    verdict, log = await grade(body, monkeypatch)
    assert verdict.reason is Reason.REFUSED, log
    assert verdict.detail.startswith(f"Not run: rtl/inv.sv, {says}"), verdict.detail


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("/*verilator lint_off UNUSED*/", "line 3, column 1: tells Verilator what not to report: /*verilator lint_off"),
        ("`verilator_config\nlint_off\n`verilog", "line 3, column 1: holds C++ by `verilator_config"),
        (
            "`define C(x) `verilator_``x\n`C(config)\nlint_off\n`verilog",
            "line 4, column 1: holds C++ by `verilator_config",
        ),
    ],
)
async def test_settings_of_verilator_are_refused_for_what_it_has_preprocessed(
    body: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchwright_harness.execution.run.scan_solution", lambda problem, solution: ())
    chosen_flow = flow("lint")
    design_bytes = chosen_flow.around.strip().replace("{body}", body).encode()
    verdict, output, _ = await run(
        chosen_flow, design_bytes, Toolchain.find(Home.from_environment().cache), "icarus", scanned=True
    )
    assert verdict.reason is Reason.REFUSED, f"{verdict}{output}"
    assert verdict.detail.startswith(f"Not run: rtl/sum.sv, {says}"), verdict.detail


async def test_what_is_not_compiled_or_is_allowed_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    verdict, log = await grade("`ifdef NEVER\n  initial $fflush;\n`endif\n  initial $display;", monkeypatch)
    assert verdict.outcome is Outcome.PASSED, log
    verdict, log = await grade("initial $fflush;", monkeypatch, file=ScanAction.ALLOW)
    assert verdict.outcome is Outcome.PASSED, log


async def test_a_line_that_a_design_prints_is_no_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    line = "Benchwright refuses /code/rtl/inv.sv, line 1, column 1: $x (rule none)"
    verdict, log = await grade(f'initial $display("{line}"); assign (supply0, supply1) y = 0;', monkeypatch)
    assert verdict.reason is Reason.TESTS_FAILED, log
