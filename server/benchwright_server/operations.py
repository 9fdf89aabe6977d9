"""The operations of `protocol`, by name: what each takes, gives, and does."""

from __future__ import annotations

import asyncio
from typing import Any

from benchwright_attempts.events import Focus
from benchwright_server.attempts.workbench import Workbench
from benchwright_server.operation import Operation, session_of
from benchwright_server.protocol import (
    AbandonParams,
    AttemptStatus,
    DoctorReport,
    FocusParams,
    Length,
    LengthParams,
    Nothing,
    OpenedProblem,
    OpenParams,
    PackList,
    PauseParams,
    QuestionView,
    SubmitSummary,
    WorkspaceParams,
)
from benchwright_server.study_operations import STUDY_OPERATIONS
from benchwright_verilog.syntax.uri import path_of


async def _packs(bench: Workbench, params: Nothing) -> PackList:
    return await bench.packs()


async def _open(bench: Workbench, params: OpenParams) -> OpenedProblem:
    return await bench.open(params.problem, params.fresh)


async def _status(bench: Workbench, params: WorkspaceParams) -> AttemptStatus:
    return await (await session_of(bench, params)).status()


async def _start(bench: Workbench, params: WorkspaceParams) -> AttemptStatus:
    return await (await session_of(bench, params)).start()


async def _pause(bench: Workbench, params: PauseParams) -> AttemptStatus:
    return await (await session_of(bench, params)).pause(params.reason)


async def _resume(bench: Workbench, params: WorkspaceParams) -> AttemptStatus:
    return await (await session_of(bench, params)).resume()


async def _run(bench: Workbench, params: WorkspaceParams) -> AttemptStatus:
    return await (await session_of(bench, params)).run()


async def _cancel_run(bench: Workbench, params: WorkspaceParams) -> AttemptStatus:
    session = await session_of(bench, params)
    await session.attempt.runs.cancel("solver")
    return await session.status()


async def _submit(bench: Workbench, params: WorkspaceParams) -> SubmitSummary:
    return await (await session_of(bench, params)).submit()


async def _abandon(bench: Workbench, params: AbandonParams) -> AttemptStatus:
    return await (await session_of(bench, params)).abandon(params.reason)


async def _question(bench: Workbench, params: WorkspaceParams) -> QuestionView:
    return await bench.question(await session_of(bench, params))


async def _length(bench: Workbench, params: LengthParams) -> Length:
    return await bench.length(params.text)


async def _doctor(bench: Workbench, params: Nothing) -> DoctorReport:
    from benchwright_server.doctor import examine

    return await asyncio.to_thread(examine, bench.home)


async def _focus(bench: Workbench, params: FocusParams) -> Nothing:
    session = await bench.session(path_of(params.uri))
    if session is not None:
        await session.attempt.writer.record(Focus(focused=params.focused))
    return Nothing()


__all__ = ["CHANGED", "OPERATIONS", "Operation", "path_of"]

OPERATIONS: tuple[Operation[Any, Any], ...] = (
    Operation("packs", Nothing, PackList, "Lists all packs and problems, with what this user did with each.", _packs),
    Operation(
        "open",
        OpenParams,
        OpenedProblem,
        "Opens a problem: goes on with its unfinished attempt, or makes a workspace and a new one.",
        _open,
    ),
    Operation("status", WorkspaceParams, AttemptStatus, "Tells where the attempt stands.", _status),
    Operation("start", WorkspaceParams, AttemptStatus, "Starts the clock for the first time.", _start),
    Operation("pause", PauseParams, AttemptStatus, "Pauses the clock.", _pause),
    Operation("resume", WorkspaceParams, AttemptStatus, "Lets the clock run again.", _resume),
    Operation(
        "run",
        WorkspaceParams,
        AttemptStatus,
        "Runs the hidden tests on the saved files, or scores `answer.md`, and waits for the verdict.",
        _run,
    ),
    Operation("cancelRun", WorkspaceParams, AttemptStatus, "Stops a run and ends its processes.", _cancel_run),
    Operation(
        "submit",
        WorkspaceParams,
        SubmitSummary,
        "Ends the attempt; runs once more unless the newest verdict is for the present files.",
        _submit,
    ),
    Operation("abandon", AbandonParams, AttemptStatus, "Ends the attempt without handing in.", _abandon),
    Operation("question", WorkspaceParams, QuestionView, "Tells an answer form what to show.", _question),
    Operation("length", LengthParams, Length, "Counts the words and tokens of a text.", _length),
    Operation("doctor", Nothing, DoctorReport, "Tells what is installed and what is missing for what.", _doctor),
    Operation(
        "focus",
        FocusParams,
        Nothing,
        "Notification: the editor's window gained or lost focus.",
        _focus,
        is_request=False,
    ),
    *STUDY_OPERATIONS,
)
"""Every operation an editor can ask for."""

CHANGED = "benchwright/attemptChanged"
"""Notification to the client, with an `AttemptStatus`."""
