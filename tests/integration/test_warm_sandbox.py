"""A sandbox that was started ahead does what any other does, once."""

from __future__ import annotations

import asyncio
import io
import os
import signal
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest

from benchwright_foundation.home import Home
from benchwright_harness.errors import SandboxUnavailableError
from benchwright_harness.execution.run import run_harness, warm_up_sandbox
from benchwright_harness.plan.selection import selections
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.problem import Problem, RunLimits
from benchwright_problems.storage.store import Store
from benchwright_problems.verdict import Outcome, Reason, Verdict


@pytest.fixture(scope="module")
def counter() -> Problem:
    return Store(Home.from_environment()).unseal("starter/saturating-counter")


@pytest.fixture
async def sandbox() -> AsyncIterator[BwrapSandbox]:
    new_sandbox = BwrapSandbox()
    yield new_sandbox
    await new_sandbox.end_warm_sandbox()


async def warm(problem: Problem, sandbox: BwrapSandbox, toolchain: Toolchain) -> None:
    await warm_up_sandbox(problem, sandbox=sandbox, toolchain=toolchain, selection=selections(problem)[0])


async def run(
    problem: Problem, sandbox: BwrapSandbox, toolchain: Toolchain, files: dict[str, bytes] | None = None
) -> tuple[Verdict, str]:
    log = io.BytesIO()
    solution = {path: text.encode() for path, text in problem.hidden.reference.items()} if files is None else files
    verdict = await run_harness(problem, solution, sandbox=sandbox, toolchain=toolchain, log=log)
    return verdict, log.getvalue().decode(errors="replace")


def sandboxes() -> set[int]:
    """The sandboxes that this process has started, by their first process outside.

    Not by their command lines: a program that is just being replaced by the next has none.
    """
    alive = (child for child in psutil.Process().children() if child.status() != psutil.STATUS_ZOMBIE)
    return {child.pid for child in alive} - _other_pids


_other_pids: set[int] = set()


def kill(pid: int) -> None:
    """Kill a process and wait for its end, which its parent has yet to notice."""
    os.kill(pid, signal.SIGKILL)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)


@pytest.fixture(scope="module", autouse=True)
def others() -> None:
    """Notes what this process has started for other tests."""
    _other_pids.update(child.pid for child in psutil.Process().children())


async def test_a_place_that_cannot_be_made_is_an_error_of_the_machine(
    counter: Problem, sandbox: BwrapSandbox, toolchain: Toolchain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with pytest.raises(SandboxUnavailableError, match="No such file"):
        await warm(counter, sandbox, toolchain)
    verdict, _ = await run(counter, sandbox, toolchain)
    assert (verdict.outcome, verdict.reason) == (Outcome.ERROR, Reason.SANDBOX_UNAVAILABLE)
    assert "No such file" in verdict.detail and "temporary files" in verdict.hint


async def test_warm_and_cold_come_to_the_same_verdict(
    counter: Problem, sandbox: BwrapSandbox, toolchain: Toolchain
) -> None:
    for files in (None, {}, {"rtl/sat_counter.sv": b"module sat_counter; endmodule\n"}):
        cold, _ = await run(counter, sandbox, toolchain, files)
        await warm(counter, sandbox, toolchain)
        waiting_sandboxes = sandboxes()
        assert waiting_sandboxes
        warmed, _ = await run(counter, sandbox, toolchain, files)
        assert not waiting_sandboxes & sandboxes()
        unmeasured = {"wall_s": 0, "usage": None}
        assert cold.model_copy(update=unmeasured) == warmed.model_copy(update=unmeasured)


async def test_one_that_waits_is_used_once(counter: Problem, sandbox: BwrapSandbox, toolchain: Toolchain) -> None:
    await warm(counter, sandbox, toolchain)
    waiting_sandboxes = sandboxes()
    await run(counter, sandbox, toolchain)
    assert sandboxes() == set()
    await warm(counter, sandbox, toolchain)
    assert sandboxes()
    assert not waiting_sandboxes & sandboxes()


async def test_a_run_that_finds_the_toolchain_anew_uses_the_one_that_waits(
    counter: Problem, sandbox: BwrapSandbox, toolchain: Toolchain
) -> None:
    await warm(counter, sandbox, toolchain)
    waiting_sandboxes = sandboxes()
    verdict, log = await run(counter, sandbox, Toolchain(toolchain.folder))
    assert verdict.outcome is Outcome.PASSED, log
    assert not waiting_sandboxes & sandboxes()


async def test_warming_twice_keeps_the_one_that_waits(
    counter: Problem, sandbox: BwrapSandbox, toolchain: Toolchain
) -> None:
    await warm(counter, sandbox, toolchain)
    waiting_sandboxes = sandboxes()
    await warm(counter, sandbox, toolchain)
    assert sandboxes() == waiting_sandboxes


async def test_a_job_that_does_not_fit_starts_its_own(
    counter: Problem, sandbox: BwrapSandbox, toolchain: Toolchain
) -> None:
    await warm(counter, sandbox, toolchain)
    waiting_sandboxes = sandboxes()
    small_counter = counter.model_copy(update={"limits": RunLimits(folder_mb=50)})
    verdict, log = await run(small_counter, sandbox, toolchain)
    assert verdict.outcome is Outcome.PASSED, log
    assert sandboxes() == waiting_sandboxes


async def test_one_that_died_is_not_missed(counter: Problem, sandbox: BwrapSandbox, toolchain: Toolchain) -> None:
    await warm(counter, sandbox, toolchain)
    for pid in sandboxes():
        kill(pid)
    verdict, log = await run(counter, sandbox, toolchain)
    assert verdict.outcome is Outcome.PASSED, log


async def test_cancelled_runs_leave_neither_sandbox_nor_folder(
    counter: Problem, sandbox: BwrapSandbox, toolchain: Toolchain, open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(open_folder))
    for delay in (0.0, 0.005, 0.02, 0.1, 0.3):
        await warm(counter, sandbox, toolchain)
        task = asyncio.ensure_future(run(counter, sandbox, toolchain))
        await asyncio.sleep(delay)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await sandbox.end_warm_sandbox()
        assert sandboxes() == set()
        assert list(open_folder.iterdir()) == []


async def test_the_hidden_part_is_nowhere_outside(
    counter: Problem, sandbox: BwrapSandbox, toolchain: Toolchain
) -> None:
    await warm(counter, sandbox, toolchain)
    task = asyncio.ensure_future(run(counter, sandbox, toolchain))
    visible_words: set[str] = set()
    while not task.done():
        for process in psutil.Process().children(recursive=True):
            try:
                visible_words.update(word for word in process.cmdline() if "bwrap" in process.name() and "/src" in word)
            except psutil.Error:
                continue
        await asyncio.sleep(0.02)
    await task
    assert visible_words == set()
