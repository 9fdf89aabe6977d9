"""The hostile designs in containers: all of them nightly, else the first of each flow and every tenth."""

from __future__ import annotations

import pytest

from benchwright_foundation.home import Home
from benchwright_harness.sandbox.docker import DockerSandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.verdict import Outcome

from ..support.designs.submissions import RIGHT, attack, run
from .submission import Flow, Simulator, Submission, flows

pytestmark = pytest.mark.long

ROWS = [
    pytest.param(
        flow,
        submission,
        submission.simulator or flow.simulators[0],
        id=f"{flow.name}-{submission.name}".replace(" ", "-"),
        marks=[pytest.mark.nightly] if submission.nightly or number % 10 else [],
    )
    for flow in flows()
    for number, submission in enumerate(flow.submission)
]


@pytest.fixture(scope="session")
def toolchain() -> Toolchain:
    return Toolchain.find(Home.from_environment().cache)


@pytest.mark.parametrize(("flow", "submission", "simulator"), ROWS)
async def test_it_does_not_pass_and_nothing_gets_out(
    flow: Flow, submission: Submission, simulator: Simulator, toolchain: Toolchain, docker: DockerSandbox
) -> None:
    await attack(flow, submission, simulator, toolchain, docker)


@pytest.mark.sampled
@pytest.mark.parametrize(("flow", "simulator"), RIGHT)
async def test_the_right_design_passes_here(
    flow: Flow, simulator: Simulator, toolchain: Toolchain, docker: DockerSandbox
) -> None:
    verdict, output, _ = await run(flow, flow.right.encode() + b"\n", toolchain, simulator, sandbox=docker)
    assert verdict.outcome is Outcome.PASSED, output
