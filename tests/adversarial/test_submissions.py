"""Hostile designs against a harness that believes everything: none passes, and nothing of the harness gets out."""

from __future__ import annotations

import io

import pytest

from benchwright_harness.execution.run import run_harness
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_harness.scan import scan_solution
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.problem import ScanAction
from benchwright_problems.verdict import Outcome, Reason

from ..support.designs.submissions import RIGHT, _name, attack, run, toolchain
from .submission import HERE, Flow, Simulator, Submission, flow, flows, page

__all__ = ("toolchain",)

pytestmark = pytest.mark.long

PAGE = HERE.parents[1] / "docs" / "reference" / "adversarial.md"


EACH = [
    pytest.param(listed_flow, submission, id=_name(listed_flow.name, submission.name))
    for listed_flow in flows()
    for submission in listed_flow.submission
]
ALL = [
    pytest.param(
        listed_flow,
        submission,
        simulator,
        id=_name(listed_flow.name, submission.name, simulator),
        # A simulation that has to be compiled takes seconds: where another simulator has met the same, one in ten.
        marks=[pytest.mark.nightly] if submission.nightly or (rank > 0 and number % 10) else [],
    )
    for listed_flow in flows()
    for number, submission in enumerate(listed_flow.submission)
    for rank, simulator in enumerate([submission.simulator] if submission.simulator else listed_flow.simulators)
]
SAMPLE = "finish between two tests"
ON_NEWER_COCOTB = [
    pytest.param(
        submission,
        simulator,
        id=_name(submission.name, simulator),
        marks=[] if submission.name == SAMPLE and rank == 0 else [pytest.mark.nightly],
    )
    for number, submission in enumerate(flow("cocotb").submission)
    for rank, simulator in enumerate([submission.simulator] if submission.simulator else flow("cocotb").simulators)
    if rank == 0 or number % 10 == 0
]


@pytest.mark.parametrize(("flow", "submission", "simulator"), ALL)
async def test_it_does_not_pass_and_nothing_gets_out(
    flow: Flow, submission: Submission, simulator: Simulator, toolchain: Toolchain
) -> None:
    await attack(flow, submission, simulator, toolchain)


@pytest.mark.parametrize(("submission", "simulator"), ON_NEWER_COCOTB)
async def test_nor_does_it_with_a_newer_cocotb(
    submission: Submission, simulator: Simulator, toolchain: Toolchain
) -> None:
    await attack(flow("cocotb"), submission, simulator, toolchain, cocotb="2.1.0")


@pytest.mark.parametrize(("flow", "submission"), EACH)
def test_the_scan_says_what_the_table_says(flow: Flow, submission: Submission) -> None:
    findings = scan_solution(flow.problem(scanned=True), {flow.expected: flow.content(submission)})
    actions = {finding.action for finding in findings}
    worst = next((action for action in (ScanAction.REFUSE, ScanAction.FLAG) if action in actions), "nothing")
    assert worst == submission.scan, [str(finding) for finding in findings]


async def test_a_refused_submission_is_told_why_and_not_run(toolchain: Toolchain) -> None:
    design_bytes = b'module inv(input a, output y);\n  integer f;\n  initial f = $fopen("x", "r");\nendmodule\n'
    log = io.BytesIO()
    verdict = await run_harness(
        flow("cocotb").problem(scanned=True),
        {"rtl/inv.sv": design_bytes},
        sandbox=BwrapSandbox(),
        toolchain=toolchain,
        log=log,
    )
    assert verdict.reason is Reason.REFUSED
    assert verdict.detail == "Not run: rtl/inv.sv, line 3, column 15: opens or uses files with $fopen (rule file)."
    assert b"test_runner" not in log.getvalue()


@pytest.mark.parametrize(("flow", "simulator"), RIGHT)
async def test_the_right_design_passes_here(flow: Flow, simulator: Simulator, toolchain: Toolchain) -> None:
    verdict, output, _ = await run(flow, flow.right.encode() + b"\n", toolchain, simulator)
    assert verdict.outcome is Outcome.PASSED, output


def test_there_are_at_least_150() -> None:
    for listed_flow in flows():
        assert len({submission.name for submission in listed_flow.submission}) == len(listed_flow.submission)
    assert len(EACH) >= 150


def test_the_page_of_the_documentation_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()


@pytest.mark.parametrize(("flow", "simulator"), RIGHT)
async def test_words_that_a_right_design_prints_decide_nothing(
    flow: Flow, simulator: Simulator, toolchain: Toolchain
) -> None:
    printed = ("3 passed in 0.1s", "1 failed in 0.1s", "%%Warning-WIDTH: x", "<testcase name='x'>", "** TESTS=2 FAIL=2")
    calls = "".join(f'$display("{words}"); ' for words in printed)
    design = flow.right.replace("endmodule", f"initial begin {calls}end endmodule", 1)
    findings = scan_solution(flow.problem(scanned=True), {flow.expected: design.encode()})
    if {finding.rule for finding in findings} & {"forgery", "computed-print"}:
        pytest.skip("a tool's own results would hold what the design prints")
    verdict, output, _ = await run(flow, design.encode() + b"\n", toolchain, simulator, scanned=True)
    assert verdict.outcome is Outcome.PASSED, output
