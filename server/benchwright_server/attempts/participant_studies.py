"""Studies as a participant sees them: what comes next, and doing it."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from benchwright_attempts.errors import AttemptError, StudyError
from benchwright_attempts.events.events import Abandoned
from benchwright_attempts.events.evidence import Forecast
from benchwright_attempts.grading.run_records import RunRecords
from benchwright_attempts.log.record import AttemptHeader
from benchwright_attempts.state import CONSENT_WITHDRAWN
from benchwright_foundation.home import Home
from benchwright_problems.errors import ProblemsError
from benchwright_problems.problem import Problem
from benchwright_problems.storage.store import Store
from benchwright_remote.hosted_studies import HostedStudies
from benchwright_server.attempts.participation import Participation
from benchwright_server.attempts.sessions import EditorSessions
from benchwright_server.protocol.messages import OpenedProblem
from benchwright_server.protocol.studies import (
    ConsentView,
    DeliveryView,
    ForecastFile,
    ForecastView,
    InformationView,
    StudyList,
    StudyQuestionView,
    StudySummary,
    StudyView,
)
from benchwright_server.workspaces.workspace import Workspace, statement_path_and_workspace_files
from benchwright_studies.conduct.delivery import Deliveries
from benchwright_studies.conduct.progress import ParticipantProgress, is_finished
from benchwright_studies.conduct.studies import RegisteredStudy, Studies
from benchwright_studies.plan.information import participant_information
from benchwright_studies.plan.questionnaire import Answer
from benchwright_studies.plan.study import AT_SERVICE, NOWHERE, Study
from benchwright_studies.plan.study_question import StudyQuestion
from benchwright_studies.plan.vocabulary import ParticipantStep

if TYPE_CHECKING:
    # The database library takes a third of a second to import: nobody pays before a log is needed.
    from benchwright_studies.conduct.study_log import StudyLog


class ParticipantStudies:
    """The studies of one user.

    Args:
        sessions: Sessions that the editor's requests are about.
    """

    def __init__(self, sessions: EditorSessions) -> None:
        self._sessions = sessions
        self._participation = Participation(sessions.home)
        self._deliveries = Deliveries(sessions.home)
        self._hosted = HostedStudies(sessions.home)

    async def begin_joined_and_list_studies(self) -> StudyList:
        """The studies that this user takes part in."""
        await self._sessions.begin_joined_studies()
        return await asyncio.to_thread(self._study_list)

    async def study_view(self, study_id: str) -> StudyView:
        """A study and what comes next in it.

        Raises:
            ServerError: The user does not take part in it.
        """
        view = await asyncio.to_thread(self._advance_and_view_study, study_id)
        if view.step in (ParticipantStep.UNLOCK, ParticipantStep.FINISHED) and await self._sessions.hand_in_study(
            study_id
        ):
            view = await asyncio.to_thread(self._advance_and_view_study, study_id)
        return view

    async def give_consent(self, study_id: str, form_version: str) -> StudyView:
        """Agree to a study's consent form."""

        def give() -> StudyView:
            self._administration.give_consent(study_id, self._participation.pseudonym(study_id), form_version)
            return self._advance_and_view_study(study_id)

        return await asyncio.to_thread(give)

    async def record_forecast(self, study_id: str, problem_ref: str, forecast: Forecast) -> StudyView:
        """Keep what the participant expects of a problem.

        Raises:
            StudyError: Something else comes next, or the forecast is not complete.
        """

        def keep() -> None:
            self._administration.record_next_forecast(
                study_id, self._participation.pseudonym(study_id), problem_ref, forecast
            )

        await asyncio.to_thread(keep)
        return await self.study_view(study_id)

    async def unlock_assignment(self, study_id: str, organisers_code: str) -> StudyView:
        """Open the assignment with the organisers' code.

        Raises:
            StudyError: Something else comes next, or the code does not open it.
        """

        def unlock() -> StudyView:
            if not self._administration.draw_assignment_if_next(
                study_id, self._participation.pseudonym(study_id), organisers_code
            ):
                raise StudyError("There is nothing to unlock now. Do the step that the page shows.")
            return self._advance_and_view_study(study_id)

        return await asyncio.to_thread(unlock)

    async def withdraw_consent(self, study_id: str, delete_records: bool) -> StudyView:
        """Withdraw consent: end the attempt in progress and, on request, delete all recorded data."""
        participant = await asyncio.to_thread(self._participation.pseudonym, study_id)
        view = await asyncio.to_thread(self._advance_and_view_study, study_id)
        headers = await asyncio.to_thread(self._attempt_headers, study_id, participant)
        for header in headers:
            with contextlib.suppress(AttemptError):
                session = await self._sessions.find_or_open_session(Path(header.workspace))
                if session is not None and session.header.id == header.id and not session.ended:
                    await session.abandon(CONSENT_WITHDRAWN)
                else:
                    await self._sessions.log.append(header.id, Abandoned(reason=CONSENT_WITHDRAWN))
        await asyncio.to_thread(self._administration.take_consent_back, study_id, participant, delete=delete_records)
        await asyncio.to_thread(self._deliver, study_id, participant)
        await self._sessions.hand_in_study(study_id)
        if not delete_records:
            return await asyncio.to_thread(self._advance_and_view_study, study_id)
        await asyncio.to_thread(self._deliveries.drop_delivery, study_id, participant)
        for header in headers:
            await self._sessions.close_session_of_workspace(Path(header.workspace))
        await asyncio.to_thread(
            delete_participant_and_count_attempts,
            self._sessions.home,
            self._sessions.log,
            study_id,
            participant,
            "asked for by the participant",
        )
        await asyncio.to_thread(self._participation.remove_study, study_id)
        return view.model_copy(
            update={"step": ParticipantStep.WITHDRAWN, "done": 0, "workspace": None, "consent": None}
        )

    async def open_task(self, study_id: str) -> OpenedProblem:
        """Open the next task's problem, or reopen the current one.

        Raises:
            StudyError: Something else comes next.
        """
        participant = await asyncio.to_thread(self._participation.pseudonym, study_id)
        progress = await asyncio.to_thread(self._administration.progress, study_id, participant)
        if progress.attempt is not None:
            return await self._sessions.reopen_attempt_workspace(progress.attempt)
        assigned, agreed, problem = await asyncio.to_thread(self._administration.next_task, study_id, participant)
        return await self._sessions.open_task(assigned, agreed, problem)

    async def answer_questionnaire(self, study_id: str, answers: Mapping[str, Answer]) -> StudyView:
        """Answer the questionnaire at the end."""

        def keep() -> StudyView:
            self._administration.answer_questionnaire(study_id, self._participation.pseudonym(study_id), answers)
            return self._advance_and_view_study(study_id)

        return await asyncio.to_thread(keep)

    def _deliver(self, study_id: str, participant: str) -> None:
        self._deliveries.deliver_waiting(
            self._sessions.log, lambda delivery: (delivery.study, delivery.participant) == (study_id, participant)
        )

    @property
    def _administration(self) -> Studies:
        return Studies(self._sessions.log, self._sessions.attempts)

    def _attempt_headers(self, study_id: str, participant: str) -> list[AttemptHeader]:
        return [header for header in self._sessions.log.journal.attempts(study_id) if header.solver == participant]

    def _study_list(self) -> StudyList:
        summaries: list[StudySummary] = []
        for study, participant in self._participation.pseudonym_by_study().items():
            registered_study = self._administration.study(study)
            progress = self._administration.progress(study, participant)
            summary = StudySummary(
                study=study,
                title=registered_study.study.title,
                participant=participant,
                step=progress.step,
                done=progress.done,
                total=progress.total,
            )
            summaries.append(summary)
        return StudyList(studies=summaries)

    def _advance_and_view_study(self, study_id: str) -> StudyView:
        participant = self._participation.pseudonym(study_id)
        registered_study = self._administration.study(study_id)
        # Without a code there is nothing to wait for between the last forecast and the draw.
        self._administration.draw_assignment_if_next(study_id, participant)
        progress = self._administration.progress(study_id, participant)
        has_finished = is_finished(self._administration.entries(study_id, participant))
        has_agreed = self._administration.standing_consent(study_id, participant) is not None
        if registered_study.study.data.to not in (NOWHERE, AT_SERVICE) and has_agreed and not has_finished:
            self._deliveries.add_delivery_if_missing(study_id, participant)
        if progress.step is ParticipantStep.FINISHED:
            self._administration.record_finish_if_finished(study_id, participant)
            self._deliver(study_id, participant)
        elif has_agreed:
            # A page need not wait for a place that does not answer.
            self._sessions.notify_study_changed()
        return self._make_study_view(registered_study, participant, progress)

    def _delivery_view(self, registered_study: RegisteredStudy, participant: str) -> DeliveryView | None:
        """The state of delivery of the records of a participant who has finished."""
        study = registered_study.study
        if study.data.to == NOWHERE or not is_finished(self._administration.entries(study.study, participant)):
            return None
        if study.data.to == AT_SERVICE:
            return DeliveryView(arrived=self._sessions.is_handed_in(study.study))
        pending_delivery = self._deliveries.find_delivery(study.study, participant)
        return (
            DeliveryView(arrived=False, tries=pending_delivery.tries, told=pending_delivery.told)
            if pending_delivery
            else DeliveryView(arrived=True)
        )

    def _make_study_view(
        self, registered_study: RegisteredStudy, participant: str, progress: ParticipantProgress
    ) -> StudyView:
        study = registered_study.study
        condition = study.condition(progress.condition) if progress.condition is not None else None
        consent = self._administration.standing_consent(study.study, participant)
        hosted = self._hosted.find_study(study.study)
        problem = self._problem_if_installed(progress.problem)
        agreed = consent is not None and study.consent is not None and consent.version == study.consent.version
        return StudyView(
            study=study.study,
            title=study.title,
            description=study.description,
            participant=participant,
            step=progress.step,
            done=progress.done,
            total=progress.total,
            position=progress.position,
            practice=progress.position == 0,
            problem=progress.problem,
            # Opening the task reports what is missing; the rest of the study can be shown.
            problem_title=problem.title if problem is not None else progress.problem,
            problem_kind=problem.kind.value if problem is not None else None,
            to_forecast=self._forecast_view(study, progress.problem)
            if progress.step is ParticipantStep.FORECAST and progress.problem
            else None,
            receipt=self._journal_receipt(study.study, participant)
            if progress.step is ParticipantStep.UNLOCK and hosted is None
            else None,
            condition=progress.condition,
            solver=condition.solver.value if condition else None,
            assistants=list(condition.assistants) if condition else [],
            workspace=Path(self._sessions.log.header(progress.attempt).workspace).as_uri()
            if progress.attempt
            else None,
            consent=ConsentView(version=study.consent.version, text=study.consent.text, given=agreed)
            if study.consent
            else None,
            recording=study.recording.value,
            data_to=hosted.service if hosted is not None else study.data.to,
            information=[
                InformationView(kind=sentence.kind, value=sentence.value, text=sentence.text)
                for sentence in participant_information(study, hosted.service if hosted is not None else "")
            ],
            delivery=self._delivery_view(registered_study, participant),
            feedback=_shown_feedback(study, problem),
            time_limit_s=study.time_limit_s(progress.problem) if progress.problem else None,
            runs_allowed=study.limits.runs,
            forecasts=list(study.forecast_fields),
            self_estimates=list(study.self_estimates),
            questions=[_question_view(question) for question in study.questionnaire],
        )

    def _forecast_view(self, study: Study, problem_ref: str) -> ForecastView:
        problem = Store(self._sessions.home).problem(problem_ref)
        name, statement_files = statement_path_and_workspace_files(
            problem, has_answer_form=self._sessions.has_answer_form
        )
        refs = [task.problem for task in study.problems]
        pictures = {
            figure.path: f"data:{figure.media_type.value};base64,{figure.data}" for figure in problem.public.figures
        }
        return ForecastView(
            number=refs.index(problem_ref) + 1,
            total=len(refs),
            statement=statement_files[name].decode(),
            files=[ForecastFile(path=path, text=text) for path, text in problem.public.files.items()],
            pictures=pictures,
        )

    def _journal_receipt(self, study_id: str, participant: str) -> str:
        head = self._sessions.log.journal.entries(study_id, participant)[-1].hash
        return f"{head[:4]}-{head[4:8]}-{head[8:12]}".upper()

    def _problem_if_installed(self, problem_ref: str | None) -> Problem | None:
        if problem_ref is None:
            return None
        with contextlib.suppress(ProblemsError):
            return Store(self._sessions.home).problem(problem_ref)
        return None


def _shown_feedback(study: Study, problem: Problem | None) -> str:
    """The part of a run that is shown: the study's, as far as the problem itself shows it."""
    if study.feedback == "none" or problem is None:
        return str(study.feedback)
    return problem.reveal.limited_to(study.feedback).value


def _question_view(question: StudyQuestion) -> StudyQuestionView:
    return StudyQuestionView(
        id=question.id,
        ask=question.ask,
        kind=question.kind,
        choices=list(question.choices),
        required=question.required,
    )


def delete_participant_and_count_attempts(
    home: Home, log: StudyLog, study_id: str, participant: str, reason: str
) -> int:
    """Delete all data of a participant: events, verdicts, run logs and workspace folders.

    Returns:
        How many attempts there were.

    Raises:
        StudyError: Nothing of this participant is recorded.
    """
    headers = [header for header in log.journal.attempts(study_id) if header.solver == participant]
    folders = {header.id: Path(header.workspace) for header in headers}
    attempts = log.delete_participant(study_id, participant, reason)
    for attempt in attempts:
        RunRecords(home, attempt).delete()
        folder = folders[attempt]
        # Another attempt may have reused the folder's name.
        workspace = Workspace.find_containing(folder)
        if workspace is not None and workspace.folder == folder and workspace.marker.attempt == attempt:
            shutil.rmtree(folder, ignore_errors=True)
    return len(attempts)
