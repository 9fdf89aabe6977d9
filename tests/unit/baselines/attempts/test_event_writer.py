from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from contextlib import closing
from pathlib import Path

from benchwright_attempts.events.event_writer import EventWriter
from benchwright_attempts.events.events import RunFinished, RunStarted, Started
from benchwright_attempts.log.log import EventLog
from benchwright_attempts.services import Services
from benchwright_attempts.terms import Terms
from benchwright_foundation.home import Home
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_problems.verdict import Reason, Verdict


async def test_the_summary_has_an_event_that_nobody_waits_for_any_more(
    tmp_path: Path, path: Path, log: EventLog, attempt: str
) -> None:
    services = Services(Home(tmp_path, tmp_path, tmp_path, tmp_path), lambda _: log, BwrapSandbox)
    writer = EventWriter(services, attempt, Terms("alone"))
    await writer.append(Started())
    await writer.append(RunStarted(run="a", number=1, snapshot={}))
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        # The event can't be written before this ends.
        connection.execute("BEGIN IMMEDIATE")
        finishing = asyncio.create_task(writer.append(RunFinished.of(1, Verdict(reason=Reason.PASSED), run="a")))
        await asyncio.sleep(0)
        finishing.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await finishing
        summary_task = asyncio.create_task(writer.summary())
        await asyncio.wait({summary_task}, timeout=0.2)
        connection.execute("ROLLBACK")
    assert (await summary_task).next_run_number == 2
