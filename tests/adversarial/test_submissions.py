"""Hostile designs against a harness that believes everything: none passes, and nothing of the harness gets out."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from benchwright_foundation.home import Home
from benchwright_harness.execution.run import run_harness
from benchwright_harness.plan.selection import Selection
from benchwright_harness.sandbox import Sandbox
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_harness.scan import scan
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.problem import ScanAction
from benchwright_problems.verdict import Outcome, Reason, Verdict

from .submission import CANARY, HERE, Flow, Simulator, Submission, flow, flows, page

PAGE = HERE.parents[1] / "docs" / "reference" / "adversarial.md"


def _name(*parts: str) -> str:
    return "-".join(part.replace(" ", "-") for part in parts)


EACH = [
    pytest.param(one, submission, id=_name(one.name, submission.name))
    for one in flows()
    for submission in one.submission
]
ALL = [
    pytest.param(
        one,
        submission,
        simulator,
        id=_name(one.name, submission.name, simulator),
        # A simulation that has to be compiled takes seconds: where another simulator has met the same, one in ten.
        marks=[pytest.mark.nightly] if submission.nightly or (place > 0 and number % 10) else [],
    )
    for one in flows()
    for number, submission in enumerate(one.submission)
    for place, simulator in enumerate([submission.simulator] if submission.simulator else one.simulators)
]
RIGHT = [pytest.param(one, simulator, id=_name(one.name, simulator)) for one in flows() for simulator in one.simulators]


@pytest.fixture(scope="session")
def toolchain() -> Toolchain:
    return Toolchain.find(Home.find().cache)


async def run(
    flow: Flow,
    design: bytes,
    toolchain: Toolchain,
    simulator: Simulator,
    wall_s: float = 300,
    *,
    scanned: bool = False,
    sandbox: Sandbox | None = None,
) -> tuple[Verdict, str, str]:
    """Its verdict, the raw log, and the text of all files in the run's folder."""
    log = io.BytesIO()
    files = io.StringIO()

    def look(code: Path) -> None:
        for file in code.rglob("*"):
            if file.is_file() and not file.is_symlink() and not str(file).startswith("/src"):
                files.write(file.read_bytes().decode("latin-1") + str(file))

    verdict = await run_harness(
        flow.problem(simulator, wall_s, scanned=scanned),
        {flow.expected: design},
        sandbox=sandbox or BwrapSandbox(),
        toolchain=toolchain,
        log=log,
        selection=Selection(simulator=simulator),
        on_folder=look,
    )
    return verdict, log.getvalue().decode("utf-8", "replace"), files.getvalue()


@pytest.mark.parametrize(("flow", "submission", "simulator"), ALL)
async def test_it_does_not_pass_and_nothing_gets_out(
    flow: Flow, submission: Submission, simulator: Simulator, toolchain: Toolchain
) -> None:
    await attack(flow, submission, simulator, toolchain)


async def attack(
    flow: Flow, submission: Submission, simulator: Simulator, toolchain: Toolchain, sandbox: Sandbox | None = None
) -> None:
    """Run a hostile design, and check what the table says about it."""
    verdict, out, files = await run(
        flow,
        flow.content(submission),
        toolchain,
        simulator,
        submission.wall_s,
        scanned=submission.scanned,
        sandbox=sandbox,
    )
    assert verdict.outcome is not Outcome.PASSED, out
    assert verdict.reason in submission.ends, f"{verdict.summary}\n{out[-6000:]}"
    assert submission.says in out, out[-6000:]
    # A waveform holds a text as bits, and so may a design print it.
    for secret in (CANARY, CANARY.encode().hex(), "".join(f"{byte:08b}" for byte in CANARY.encode())):
        for shown in (out, files, verdict.model_dump_json()):
            assert secret not in shown
    assert submission.unsaid not in out, out[-6000:]


@pytest.mark.parametrize(("flow", "submission"), EACH)
def test_the_scan_says_what_the_table_says(flow: Flow, submission: Submission) -> None:
    found = scan(flow.problem(scanned=True), {flow.expected: flow.content(submission)})
    actions = {finding.action for finding in found}
    worst = next((action for action in (ScanAction.REFUSE, ScanAction.FLAG) if action in actions), "nothing")
    assert worst == submission.scan, [str(finding) for finding in found]


async def test_a_refused_submission_is_told_why_and_not_run(toolchain: Toolchain) -> None:
    design = b'module inv(input a, output y);\n  integer f;\n  initial f = $fopen("x", "r");\nendmodule\n'
    log = io.BytesIO()
    verdict = await run_harness(
        flow("cocotb").problem(scanned=True),
        {"rtl/inv.sv": design},
        sandbox=BwrapSandbox(),
        toolchain=toolchain,
        log=log,
    )
    assert verdict.reason is Reason.REFUSED
    assert verdict.detail == "Not run: rtl/inv.sv, line 3, column 15: opens or uses files with $fopen (rule file)."
    assert b"test_runner" not in log.getvalue()


@pytest.mark.parametrize(("flow", "simulator"), RIGHT)
async def test_the_right_design_passes_here(flow: Flow, simulator: Simulator, toolchain: Toolchain) -> None:
    verdict, out, _ = await run(flow, flow.right.encode() + b"\n", toolchain, simulator)
    assert verdict.outcome is Outcome.PASSED, out


def test_there_are_at_least_150() -> None:
    for one in flows():
        assert len({submission.name for submission in one.submission}) == len(one.submission)
    assert len(EACH) >= 150


def test_the_page_of_the_documentation_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()
