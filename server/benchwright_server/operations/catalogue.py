"""The operations of `protocol`: name, parameters, result and handler of each."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from benchwright_attempts.events.events import Focus
from benchwright_judges.reading.text_length import count_words
from benchwright_server.attempts.sessions import EditorSessions
from benchwright_server.errors import ServerError
from benchwright_server.operations.operation import Operation, session_of
from benchwright_server.operations.studies import STUDY_OPERATIONS
from benchwright_server.protocol.aids import HintParams, HintsView
from benchwright_server.protocol.messages import (
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
    ProblemPage,
    ProblemPageParams,
    QuestionView,
    ServiceAccount,
    ServiceAccounts,
    SignedInto,
    SignInByBrowserParams,
    SignInCode,
    SignInParams,
    SignOutParams,
    SubmitSummary,
    WorkspaceParams,
)
from benchwright_verilog.syntax.uri import local_path_of

if TYPE_CHECKING:
    from benchwright_attempts.hint_ladder import HintPosition
    from benchwright_remote.messages import Me


async def _list_packs(sessions: EditorSessions, params: Nothing) -> PackList:
    return await sessions.refresh_and_list_packs()


async def _view_problem(sessions: EditorSessions, params: ProblemPageParams) -> ProblemPage:
    return await sessions.problem_page(params.problem)


async def _sign_in_with_code(sessions: EditorSessions, params: SignInParams) -> SignedInto:
    from benchwright_remote.joining import join_course

    return _signed_into(params.url, await join_course(sessions.home, params.url, params.code, params.name))


async def _begin_browser_sign_in(sessions: EditorSessions, params: SignInByBrowserParams) -> SignInCode:
    from benchwright_remote.joining import begin_browser_sign_in

    device = sessions.pending_sign_ins[params.url] = await begin_browser_sign_in(params.url)
    address = f"{device.address}?code={device.code}"
    return SignInCode(code=device.code, address=address, expires_s=device.expires_s)


async def _finish_browser_sign_in(sessions: EditorSessions, params: SignInByBrowserParams) -> SignedInto:
    from benchwright_remote.joining import await_browser_sign_in

    device = sessions.pending_sign_ins.pop(params.url, None)
    if device is None:
        raise ServerError("No sign-in by a browser has begun. Send benchwright/signInByBrowser first.")
    return _signed_into(params.url, await await_browser_sign_in(sessions.home, params.url, device))


def _signed_into(url: str, me: Me) -> SignedInto:
    from benchwright_remote.joining import checked_service_address

    return SignedInto(url=checked_service_address(url), name=me.name, courses=[course.title for course in me.courses])


async def _list_service_accounts(sessions: EditorSessions, params: Nothing) -> ServiceAccounts:
    from benchwright_remote.connections import Connections

    connections = await asyncio.to_thread(Connections(sessions.home).list_all)
    return ServiceAccounts(
        accounts=[ServiceAccount(url=connection.url, name=connection.name) for connection in connections]
    )


async def _sign_out(sessions: EditorSessions, params: SignOutParams) -> ServiceAccounts:
    from benchwright_remote.connections import Connections

    await asyncio.to_thread(Connections(sessions.home).remove, params.url)
    return await _list_service_accounts(sessions, Nothing())


async def _open_problem(sessions: EditorSessions, params: OpenParams) -> OpenedProblem:
    return await sessions.open(params.problem, params.fresh, is_guided=params.guided)


async def _report_status(sessions: EditorSessions, params: WorkspaceParams) -> AttemptStatus:
    return await (await session_of(sessions, params)).status()


async def _start_clock(sessions: EditorSessions, params: WorkspaceParams) -> AttemptStatus:
    return await sessions.start_clock(await session_of(sessions, params))


async def _pause_clock(sessions: EditorSessions, params: PauseParams) -> AttemptStatus:
    return await (await session_of(sessions, params)).pause(params.reason)


async def _resume_clock(sessions: EditorSessions, params: WorkspaceParams) -> AttemptStatus:
    return await sessions.resume_clock(await session_of(sessions, params))


async def _run_hidden_tests(sessions: EditorSessions, params: WorkspaceParams) -> AttemptStatus:
    return await (await session_of(sessions, params)).run()


async def _cancel_run(sessions: EditorSessions, params: WorkspaceParams) -> AttemptStatus:
    session = await session_of(sessions, params)
    await session.attempt.runs.cancel("solver")
    return await session.status()


async def _submit_work(sessions: EditorSessions, params: WorkspaceParams) -> SubmitSummary:
    return await (await session_of(sessions, params)).submit()


async def _abandon_attempt(sessions: EditorSessions, params: AbandonParams) -> AttemptStatus:
    return await (await session_of(sessions, params)).abandon(params.reason)


async def _view_question(sessions: EditorSessions, params: WorkspaceParams) -> QuestionView:
    return await sessions.question_view(await session_of(sessions, params))


async def _count_words(sessions: EditorSessions, params: LengthParams) -> Length:
    return Length(words=count_words(params.text))


async def _examine_machine(sessions: EditorSessions, params: Nothing) -> DoctorReport:
    from benchwright_server.doctor import examine

    return await asyncio.to_thread(examine, sessions.home)


async def _record_focus(sessions: EditorSessions, params: FocusParams) -> Nothing:
    session = await sessions.find_or_open_session(local_path_of(params.uri))
    if session is not None:
        await session.attempt.writer.record_event_and_flag_violations(Focus(focused=params.focused))
    return Nothing()


__all__ = ["CHANGED", "OPERATIONS", "Operation", "local_path_of"]


async def _view_hints(sessions: EditorSessions, params: WorkspaceParams) -> HintsView:
    return _hints_view(await (await session_of(sessions, params)).hint_ladder.current_position())


async def _take_hint(sessions: EditorSessions, params: HintParams) -> HintsView:
    session = await session_of(sessions, params)
    view = _hints_view(await session.hint_ladder.take_hint(params.number))
    session.on_status_changed()
    return view


def _hints_view(hint_position: HintPosition) -> HintsView:
    position_fields = asdict(hint_position)
    return HintsView.model_validate(position_fields | {"of": position_fields.pop("hint_count")})


OPERATIONS: tuple[Operation[EditorSessions, Any, Any], ...] = (
    Operation(
        "packs", Nothing, PackList, "Lists all packs and problems, with this user's record on each.", _list_packs
    ),
    Operation(
        "problemPage",
        ProblemPageParams,
        ProblemPage,
        "Returns the statement of a problem and the user's attempts at it; starts nothing.",
        _view_problem,
    ),
    Operation(
        "signIn",
        SignInParams,
        SignedInto,
        "Joins a course at a bench service by an invitation; `packs` then has its assignments.",
        _sign_in_with_code,
    ),
    Operation(
        "signInByBrowser",
        SignInByBrowserParams,
        SignInCode,
        "Begins to sign in at a bench service by a page of its own, where the code has to be confirmed.",
        _begin_browser_sign_in,
    ),
    Operation(
        "signInFinish",
        SignInByBrowserParams,
        SignedInto,
        "Waits until it is confirmed; can be cancelled.",
        _finish_browser_sign_in,
    ),
    Operation("accounts", Nothing, ServiceAccounts, "Lists where this user has signed in.", _list_service_accounts),
    Operation("signOut", SignOutParams, ServiceAccounts, "Forgets the token for a bench service.", _sign_out),
    Operation(
        "open",
        OpenParams,
        OpenedProblem,
        "Opens a problem: continues its unfinished attempt, or begins a new one in a new workspace.",
        _open_problem,
    ),
    Operation("status", WorkspaceParams, AttemptStatus, "Returns the status of the attempt.", _report_status),
    Operation(
        "start",
        WorkspaceParams,
        AttemptStatus,
        "Starts the clock for the first time; another attempt that runs is paused.",
        _start_clock,
    ),
    Operation("pause", PauseParams, AttemptStatus, "Pauses the clock.", _pause_clock),
    Operation(
        "resume",
        WorkspaceParams,
        AttemptStatus,
        "Resumes the clock; another attempt that runs is paused.",
        _resume_clock,
    ),
    Operation(
        "run",
        WorkspaceParams,
        AttemptStatus,
        "Runs the hidden tests on the saved files, or scores `answer.md`, and waits for the verdict.",
        _run_hidden_tests,
    ),
    Operation("cancelRun", WorkspaceParams, AttemptStatus, "Cancels a run and ends its processes.", _cancel_run),
    Operation(
        "submit",
        WorkspaceParams,
        SubmitSummary,
        "Ends the attempt; runs once more unless the latest verdict is for the current files.",
        _submit_work,
    ),
    Operation("abandon", AbandonParams, AttemptStatus, "Ends the attempt without submitting.", _abandon_attempt),
    Operation("question", WorkspaceParams, QuestionView, "Returns what an answer form shows.", _view_question),
    Operation("length", LengthParams, Length, "Counts the words of an answer.", _count_words),
    Operation(
        "doctor",
        Nothing,
        DoctorReport,
        "Reports what is installed, what is missing, and what that affects.",
        _examine_machine,
    ),
    Operation(
        "focus",
        FocusParams,
        Nothing,
        "Notification: the editor's window gained or lost focus.",
        _record_focus,
        is_request=False,
    ),
    *STUDY_OPERATIONS,
    Operation(
        "hints",
        WorkspaceParams,
        HintsView,
        "Returns the hints that were taken, and what the next one costs and waits for.",
        _view_hints,
    ),
    Operation(
        "hint",
        HintParams,
        HintsView,
        "Takes the problem's next hint, which is recorded before it is shown.",
        _take_hint,
    ),
)
"""Every operation that an editor can request."""

CHANGED = "benchwright/attemptChanged"
"""Notification to the client, with an `AttemptStatus`."""
