"""A save whose run waits for room: every view of the editor's says so, and none shows the old verdict for it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from benchwright_foundation.home import Home
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_server.attempts.sessions import EditorSessions
from benchwright_server.features.language.code_lens import lens_title_and_operation


async def test_a_run_that_waits_for_a_slot_is_queued_in_the_status_the_lens_and_the_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions = EditorSessions(Home.from_environment({"BENCHWRIGHT_HOME": str(tmp_path)}), BwrapSandbox())
    grading = sessions.services.grading
    monkeypatch.setattr(grading, "slots", asyncio.Semaphore(0))
    monkeypatch.setattr(grading, "start_sandbox_ahead", _start_nothing)
    try:
        opened = await sessions.open("starter/saturating-counter", always_new=False)
        session = await sessions.require_session(Path(opened.status.workspace.removeprefix("file://")))
        await sessions.start_clock(session)
        await session.attempt.start_run("newer_save")
        async with asyncio.timeout(10):
            while (status := await session.status()).view.standing != "queued":  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        assert (status.view.run, status.view.short, status.running) == (1, "run 1 queued", True)
        assert lens_title_and_operation(status)[0] == "■ Stop the hidden tests · run 1 queued"
        (pack,) = [pack for pack in (await sessions.refresh_and_list_packs()).packs if pack.name == "starter"]
        (problem,) = [problem for problem in pack.problems if problem.id == "saturating-counter"]
        assert (problem.state, problem.sign, problem.run) == ("queued", "…", 1)
        await session.attempt.runs.cancel("solver")
        assert (await session.status()).view.standing == "open"
    finally:
        await sessions.close()


async def _start_nothing(ref: str, *, attempt: str) -> None:
    """Starts no sandbox ahead."""
