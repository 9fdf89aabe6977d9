"""The operations of studies and of evidence; see `operations`."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from benchwright_attempts.events.evidence import (
    CommandUsed,
    EditReason,
    Environment,
    Forecast,
    Idle,
    InstalledExtension,
    SelfEstimate,
)
from benchwright_server.attempts.sessions import EditorSessions
from benchwright_server.operations.operation import Operation, session_of
from benchwright_server.protocol.messages import AttemptStatus, Nothing, OpenedProblem
from benchwright_server.protocol.numbers import NumbersParams, OwnNumbers
from benchwright_server.protocol.studies import (
    CommandParams,
    EditReasonsParams,
    EnvironmentParams,
    ForecastParams,
    GiveConsentParams,
    IdleParams,
    QuestionnaireParams,
    ReplayAtParams,
    ReplayedFiles,
    ReplayParams,
    ReplayView,
    SelfEstimateParams,
    StudyList,
    StudyParams,
    StudyView,
    TracePage,
    UnlockParams,
    WithdrawConsentParams,
)
from benchwright_verilog.syntax.uri import local_path_of

if TYPE_CHECKING:
    from benchwright_server.attempts.participant_studies import ParticipantStudies


def _participant_studies(sessions: EditorSessions) -> ParticipantStudies:
    # Most sessions have nothing to do with studies, whose libraries are not quick to load.
    from benchwright_server.attempts.participant_studies import ParticipantStudies

    return ParticipantStudies(sessions)


async def _list_studies(sessions: EditorSessions, params: Nothing) -> StudyList:
    return await _participant_studies(sessions).begin_joined_and_list_studies()


async def _view_study(sessions: EditorSessions, params: StudyParams) -> StudyView:
    return await _participant_studies(sessions).study_view(params.study)


async def _give_consent(sessions: EditorSessions, params: GiveConsentParams) -> StudyView:
    return await _participant_studies(sessions).give_consent(params.study, params.version)


async def _withdraw_consent(sessions: EditorSessions, params: WithdrawConsentParams) -> StudyView:
    return await _participant_studies(sessions).withdraw_consent(params.study, params.delete)


async def _open_task(sessions: EditorSessions, params: StudyParams) -> OpenedProblem:
    return await _participant_studies(sessions).open_task(params.study)


async def _answer_questionnaire(sessions: EditorSessions, params: QuestionnaireParams) -> StudyView:
    return await _participant_studies(sessions).answer_questionnaire(params.study, params.answers)


async def _record_forecast(sessions: EditorSessions, params: ForecastParams) -> StudyView:
    forecast = Forecast(**params.model_dump(exclude={"study", "problem"}))
    return await _participant_studies(sessions).record_forecast(params.study, params.problem, forecast)


async def _unlock_assignment(sessions: EditorSessions, params: UnlockParams) -> StudyView:
    return await _participant_studies(sessions).unlock_assignment(params.study, params.code)


async def _record_self_estimate(sessions: EditorSessions, params: SelfEstimateParams) -> AttemptStatus:
    estimate = SelfEstimate(
        minutes=params.minutes,
        difficulty=params.difficulty,
        prior_exposure=params.prior_exposure,
        external_help=params.external_help,
        help_note=params.help_note,
        solved=params.success,
    )
    return await (await session_of(sessions, params)).record_self_estimate(estimate)


async def _record_edit_reasons(sessions: EditorSessions, params: EditReasonsParams) -> Nothing:
    for edit_view in params.edits:
        file = local_path_of(edit_view.uri)
        session = await sessions.find_or_open_session(file)
        path = session.workspace.relative(file) if session is not None else None
        if session is not None and path is not None:
            reason = EditReason(
                path=path, version=edit_view.version, reason=edit_view.reason, metadata=edit_view.metadata
            )
            await session.attempt.writer.record_event_and_flag_violations(reason)
    return Nothing()


async def _record_command_use(sessions: EditorSessions, params: CommandParams) -> Nothing:
    file = local_path_of(params.uri)
    session = await sessions.find_or_open_session(file)
    if session is not None:
        path = session.workspace.relative(file)
        command_used = CommandUsed(command=params.command, path=path, version=params.version, length=params.length)
        await session.attempt.writer.record_event_and_flag_violations(command_used)
    return Nothing()


async def _record_environment(sessions: EditorSessions, params: EnvironmentParams) -> Nothing:
    session = await sessions.find_or_open_session(local_path_of(params.uri))
    if session is not None:
        extensions = tuple(InstalledExtension(**extension.model_dump()) for extension in params.extensions)
        environment_fields = params.model_dump(exclude={"uri", "extensions"})
        await session.attempt.writer.record_event_and_flag_violations(
            Environment(**environment_fields, extensions=extensions)
        )
    return Nothing()


async def _record_idleness(sessions: EditorSessions, params: IdleParams) -> Nothing:
    session = await sessions.find_or_open_session(local_path_of(params.uri))
    if session is not None:
        await session.attempt.writer.record_event_and_flag_violations(Idle(idle=params.idle, after_s=params.after_s))
    return Nothing()


async def _view_replay(sessions: EditorSessions, params: ReplayParams) -> ReplayView:
    from benchwright_server.attempts.attempt_views import replay_view

    return await asyncio.to_thread(replay_view, sessions.log, params.attempt)


async def _files_at_replayed_event(sessions: EditorSessions, params: ReplayAtParams) -> ReplayedFiles:
    from benchwright_server.attempts.attempt_views import files_after_event

    return await asyncio.to_thread(files_after_event, sessions.log, params.attempt, params.seq)


async def _make_trace_page(sessions: EditorSessions, params: ReplayParams) -> TracePage:
    from benchwright_server.attempts.attempt_views import trace_page

    return await asyncio.to_thread(trace_page, sessions.log, sessions.home, params.attempt)


async def _view_own_numbers(sessions: EditorSessions, params: NumbersParams) -> OwnNumbers:
    from benchwright_server.attempts.attempt_views import own_numbers

    return await asyncio.to_thread(own_numbers, sessions, params.study, include_practice=params.practice)


STUDY_OPERATIONS: tuple[Operation[EditorSessions, Any, Any], ...] = (
    Operation("studies", Nothing, StudyList, "Lists the studies that the user takes part in.", _list_studies),
    Operation("study", StudyParams, StudyView, "Describes a study and its next step.", _view_study),
    Operation("giveConsent", GiveConsentParams, StudyView, "Agrees to a study's consent form.", _give_consent),
    Operation(
        "withdrawConsent",
        WithdrawConsentParams,
        StudyView,
        "Withdraws consent: ends the attempt in progress; with `delete`, deletes all recorded data.",
        _withdraw_consent,
    ),
    Operation(
        "openTask",
        StudyParams,
        OpenedProblem,
        "Opens the next task of a study, or reopens the current one.",
        _open_task,
    ),
    Operation(
        "forecast",
        ForecastParams,
        StudyView,
        "Records what the participant expects of a problem, before anything of the assignment is shown.",
        _record_forecast,
    ),
    Operation("unlock", UnlockParams, StudyView, "Opens the assignment with the organisers' code.", _unlock_assignment),
    Operation(
        "selfEstimate",
        SelfEstimateParams,
        AttemptStatus,
        "Records a self-estimate, after the attempt ends.",
        _record_self_estimate,
    ),
    Operation(
        "questionnaire",
        QuestionnaireParams,
        StudyView,
        "Answers the questionnaire at the end of a study.",
        _answer_questionnaire,
    ),
    Operation(
        "replay", ReplayParams, ReplayView, "Returns the timeline of an attempt: edits, runs, pauses.", _view_replay
    ),
    Operation(
        "replayAt",
        ReplayAtParams,
        ReplayedFiles,
        "Rebuilds every file at one point in an attempt.",
        _files_at_replayed_event,
    ),
    Operation("trace", ReplayParams, TracePage, "Returns a page that steps through an attempt.", _make_trace_page),
    Operation("numbers", NumbersParams, OwnNumbers, "Returns the user's own times and results.", _view_own_numbers),
    Operation(
        "editReasons",
        EditReasonsParams,
        Nothing,
        "Notification: the origin of edits, as reported by the editor.",
        _record_edit_reasons,
        is_request=False,
    ),
    Operation(
        "commandUsed",
        CommandParams,
        Nothing,
        "Notification: a command that inserts text is about to run.",
        _record_command_use,
        is_request=False,
    ),
    Operation(
        "environment",
        EnvironmentParams,
        Nothing,
        "Notification: the solver's editor, and the assistance that it offers.",
        _record_environment,
        is_request=False,
    ),
    Operation(
        "idle",
        IdleParams,
        Nothing,
        "Notification: the user became idle, or active again.",
        _record_idleness,
        is_request=False,
    ),
)
"""Every operation of studies."""
