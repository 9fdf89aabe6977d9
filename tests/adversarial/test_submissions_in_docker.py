"""The hostile designs in containers: all of them nightly, else the first of each flow and every tenth."""

from __future__ import annotations

import io

import pytest

from benchwright_foundation.home import Home
from benchwright_harness.execution.run import run_harness
from benchwright_harness.plan.selection import ToolSelection
from benchwright_harness.sandbox.docker import DockerSandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_harness.toolchain.tree import INSIDE
from benchwright_problems.verdict import Outcome, Reason

from ..support.designs.submissions import RIGHT, attack, run
from .submission import Flow, Simulator, Submission, flow, flows

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


@pytest.mark.parametrize(
    ("name", "outcome", "reason"),
    [("", Outcome.PASSED, Reason.PASSED), ("an unknown constant", Outcome.ERROR, Reason.TOOLS_DISAGREE)],
)
async def test_tools_of_an_image_of_somebody_else_are_compared_by_ours(
    name: str, outcome: Outcome, reason: Reason, toolchain: Toolchain, docker: DockerSandbox
) -> None:
    engine = docker._engine
    engine.api.tag(engine.images.found_or_imported_toolchain_image_id(toolchain), "somebody/tools", "2")
    lint = flow("lint")
    files = dict(lint.problem().hidden.harness)
    path = toolchain.environment(ToolSelection())["PATH"].replace(f"{INSIDE}/bin:", "")
    # Its own path is not that of our tools.
    compose = files["docker-compose.yml"].replace("__OSS_SIM_IMAGE__", "somebody/tools:2")
    files["docker-compose.yml"] = compose.replace("command: ", f"command: env PATH={path} ")
    problem = lint.problem()
    problem = problem.model_copy(update={"hidden": problem.hidden.model_copy(update={"harness": files})})
    content = next((lint.content(row) for row in lint.submission if row.name == name), f"{lint.right}\n".encode())
    log = io.BytesIO()
    verdict = await run_harness(problem, {lint.expected: content}, sandbox=docker, toolchain=toolchain, log=log)
    assert (verdict.outcome, verdict.reason) == (outcome, reason), f"{verdict}{log.getvalue().decode()[-3000:]}"
