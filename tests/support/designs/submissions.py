"""Fixtures and helpers of the tests of submissions."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from benchwright_foundation.home import Home
from benchwright_harness.execution.run import run_harness
from benchwright_harness.plan.selection import ToolSelection
from benchwright_harness.sandbox import Sandbox
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.verdict import Outcome, Verdict

from ...adversarial.submission import CANARY, Flow, Simulator, Submission, flows


def _name(*name_parts: str) -> str:
    return "-".join(part.replace(" ", "-") for part in name_parts)


RIGHT = [
    pytest.param(
        flow, simulator, id=_name(flow.name, simulator), marks=[pytest.mark.nightly] if flow.falls_back else []
    )
    for flow in flows()
    for simulator in flow.simulators
]


@pytest.fixture(scope="session")
def toolchain() -> Toolchain:
    return Toolchain.find(Home.from_environment().cache)


async def run(
    flow: Flow,
    design_text: bytes,
    toolchain: Toolchain,
    simulator: Simulator,
    wall_s: float = 300,
    *,
    scanned: bool = False,
    sandbox: Sandbox | None = None,
    cocotb: str = "2.0.1",
) -> tuple[Verdict, str, str]:
    """Its verdict, the raw log, and the text of all files in the run's folder."""
    log = io.BytesIO()
    file_texts = io.StringIO()

    def look(code: Path) -> None:
        for file in code.rglob("*"):
            if file.is_file() and not file.is_symlink() and not str(file).startswith("/src"):
                file_texts.write(file.read_bytes().decode("latin-1") + str(file))

    verdict = await run_harness(
        flow.problem(simulator, wall_s, scanned=scanned),
        {flow.expected: design_text},
        sandbox=sandbox or BwrapSandbox(),
        toolchain=toolchain,
        log=log,
        selection=ToolSelection(simulator=simulator, cocotb=cocotb),
        before_folder_removal=look,
    )
    return verdict, log.getvalue().decode("utf-8", "replace"), file_texts.getvalue()


async def attack(
    flow: Flow,
    submission: Submission,
    simulator: Simulator,
    toolchain: Toolchain,
    sandbox: Sandbox | None = None,
    cocotb: str = "2.0.1",
) -> None:
    """Run a hostile design, and check what the table says about it."""
    verdict, output, files = await run(
        flow,
        flow.content(submission),
        toolchain,
        simulator,
        submission.wall_s,
        scanned=submission.scanned,
        sandbox=sandbox,
        cocotb=cocotb,
    )
    assert verdict.outcome is not Outcome.PASSED, output
    assert verdict.reason in submission.ends, f"{verdict.summary}\n{output[-6000:]}"
    assert submission.says in output, output[-6000:]
    # A waveform holds a text as bits, and so may a design print it.
    for secret in (CANARY, CANARY.encode().hex(), "".join(f"{byte:08b}" for byte in CANARY.encode())):
        for text in (output, files, verdict.model_dump_json()):
            assert secret not in text
    assert submission.unsaid not in output, output[-6000:]
