"""Everything that one process serves: packs, attempts, and the sessions of open workspaces."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

from benchwright_attempts.attempts import Attempts
from benchwright_attempts.errors import AttemptError, LogError, UnknownAttemptError
from benchwright_attempts.events.events import Abandoned
from benchwright_attempts.events.evidence import Assigned, Consent, Violation
from benchwright_attempts.grading.grading import judged_paths
from benchwright_attempts.log.record import AttemptHeader
from benchwright_attempts.services import Services
from benchwright_attempts.standing import AttemptView
from benchwright_attempts.summary.replay import replay
from benchwright_attempts.terms import Terms
from benchwright_foundation.home import Home
from benchwright_harness.sandbox import Sandbox
from benchwright_problems.problem import Problem, ProblemKind, Question, QuestionFormat
from benchwright_remote.remote_work import RemoteWork
from benchwright_server.attempts.one_clock import OneClock
from benchwright_server.attempts.opening import ProblemOpener
from benchwright_server.attempts.pack_views import other_language_variants, pack_list, problem_page, question_view
from benchwright_server.attempts.participation import Participation
from benchwright_server.attempts.session import EditorSession, Listeners
from benchwright_server.errors import WorkspaceError
from benchwright_server.protocol.messages import (
    AttemptStatus,
    OpenedProblem,
    PackList,
    ProblemPage,
    QuestionView,
    WorkspaceFile,
)
from benchwright_server.workspaces.workspace import Workspace
from benchwright_studies import open_log
from benchwright_studies.plan.enrolment import EnrolledStudies

if TYPE_CHECKING:
    # The database library takes a third of a second to import: nobody pays before a log is needed.
    from benchwright_attempts.claim import Claim, ClaimHolder
    from benchwright_remote.messages import Device
    from benchwright_studies.conduct.study_log import StudyLog

_SERVICES_S = 3.0
"""Seconds that the list of packs waits for services; without an answer it shows what was known."""


class EditorSessions:
    """The sessions of one editor by workspace, and the packs whose problems it opens.

    Args:
        home: The folders of this user.
        sandbox: The sandbox in which hidden tests run.
        listeners: Callbacks for what happens in sessions.
        has_answer_form: True if the editor shows a form in which questions are answered.
    """

    def __init__(
        self, home: Home, sandbox: Sandbox, listeners: Listeners | None = None, *, has_answer_form: bool = False
    ) -> None:
        self.home = home
        self.has_answer_form = has_answer_form
        self.sandbox = sandbox
        self._listeners = listeners or Listeners()
        enrolled = EnrolledStudies(home, lambda: self.services.log, Participation(home).add_study)
        self._remote = RemoteWork(home, lambda: self.services.log, enrolled, self._listeners.on_notice)
        self.services: Services[StudyLog] = Services(home, open_log, lambda: sandbox, remote_grader=self._remote)
        self.store = self.services.store
        self._problem_opener = ProblemOpener(self.services, has_answer_form=has_answer_form)
        self.pending_sign_ins: dict[str, Device] = {}
        """Sign-ins by a browser that wait for their confirmation, by the address of the service."""
        self._sessions: dict[Path, EditorSession] = {}
        self._opening = asyncio.Lock()
        self._clock = OneClock(self.services, lambda: list(self._sessions.values()), self._listeners.on_notice)

    def notify_study_changed(self) -> None:
        """A study has something new to deliver; may be called in any thread."""
        self._listeners.on_study_change()

    async def begin_joined_studies(self) -> None:
        """Begin in the studies that the user has joined at services, as far as these answer."""
        await self._remote.refresh_packs_and_studies(_SERVICES_S)

    async def hand_in_study(self, study_id: str) -> bool:
        """Deliver what is new of a study; whether a service conducts it and took that."""
        await self._remote.start_delivering()
        return await self._remote.deliver_study_in_time(study_id, _SERVICES_S)

    def is_handed_in(self, study_id: str) -> bool:
        """True if the service that conducts a study has everything that is here. Blocks on the disk."""
        return self._remote.is_study_delivered(study_id)

    @property
    def has_unfinished_study_attempt(self) -> bool:
        """True if an attempt of a study goes on here."""
        return any(session.header.study and not session.ended for session in self._sessions.values())

    def set_judge_service(self, url: str) -> None:
        """Have questions judged by a service; by the local judges if the URL is empty."""
        self.services.judging.service_url = url

    async def refresh_and_list_packs(self) -> PackList:
        """All packs, with this user's record on each problem; those of assignments as their services have them now."""
        await self._remote.refresh_packs_and_studies(_SERVICES_S)
        await self._remote.start_delivering()
        return await asyncio.to_thread(pack_list, self.store, self.attempts, await self._views_by_open_attempt_id())

    async def problem_page(self, problem_ref: str) -> ProblemPage:
        """Everything that the user may see of a problem without opening it.

        Raises:
            UnknownProblemError: No pack has such a problem.
        """
        live_views = await self._views_by_open_attempt_id()
        return await asyncio.to_thread(
            problem_page,
            self.home,
            self.store,
            self.attempts,
            live_views,
            problem_ref,
            is_in_open_study=await asyncio.to_thread(self._problem_opener.open_study_id_with_problem, problem_ref)
            is not None,
        )

    async def _views_by_open_attempt_id(self) -> dict[str, AttemptView]:
        """Attempt → its standing, of those that are open here."""
        return {session.header.id: await session.current_attempt_view() for session in list(self._sessions.values())}

    async def open(self, problem_ref: str, always_new: bool, *, is_guided: bool = False) -> OpenedProblem:
        """Continue the unfinished attempt at a problem, or begin one in a new workspace.

        Args:
            problem_ref: `pack/id`.
            always_new: True to begin a new one in any case.
            is_guided: True if a guide leads through it, as practice.

        Raises:
            UnknownProblemError: No pack has such a problem.
            WorkspaceError: The workspace can't be written.
            AttemptError: The attempt can't be recorded.
        """
        async with self._opening:
            attempt, folder = await asyncio.to_thread(
                self._problem_opener.reuse_or_make_attempt, problem_ref, always_new, is_guided
            )
            stale = self._sessions.get(folder)
            if stale is not None and stale.header.id != attempt:
                # The folder of that attempt was deleted, and another attempt reused its name.
                del self._sessions[folder]
                with contextlib.suppress(AttemptError):
                    await stale.close()
        session = await self.find_or_open_session(folder)
        if session is None:
            raise WorkspaceError(f"The workspace {folder} was created but can't be read. Open the problem again.")
        return await self._opened_problem(session)

    async def open_task(self, assigned: Assigned, consent: Consent, problem_ref: str) -> OpenedProblem:
        """Begin a task of a study, as an attempt of the participant under the recorded consent.

        Raises:
            UnknownProblemError: No pack has such a problem.
            WorkspaceError: The workspace can't be written.
            AttemptError: The attempt can't be recorded.
        """
        async with self._opening:
            attempt = await asyncio.to_thread(
                self._problem_opener.begin_or_reuse_task_attempt, assigned, consent, problem_ref
            )
        return await self.reopen_attempt_workspace(attempt)

    async def reopen_attempt_workspace(self, attempt_id: str) -> OpenedProblem:
        """Open the workspace of an attempt.

        Raises:
            WorkspaceError: Its folder was deleted.
        """
        header = await asyncio.to_thread(self.log.header, attempt_id)
        session = await self.find_or_open_session(Path(header.workspace))
        if session is None or session.header.id != attempt_id:
            summary = await asyncio.to_thread(self.attempts.summary, attempt_id)
            if not summary.state.ended:
                await self.log.append(attempt_id, Abandoned(reason="its workspace was deleted"))
            raise WorkspaceError(f"The task was abandoned because its folder {header.workspace} was deleted.")
        return await self._opened_problem(session)

    async def close_session_of_workspace(self, workspace_folder: Path) -> None:
        """Close the session of a workspace that is about to be deleted."""
        session = self._sessions.pop(workspace_folder, None)
        if session is not None:
            with contextlib.suppress(AttemptError):
                await session.close()

    async def find_or_open_session(self, path: Path) -> EditorSession | None:
        """The session of the workspace that contains a file or folder; None outside workspaces."""
        for folder in (path, *path.parents):
            if folder in self._sessions:
                return await self._reopened_if_released(self._sessions[folder])
        workspace = await asyncio.to_thread(Workspace.find_containing, path)
        if workspace is None:
            return None
        async with self._opening:
            if workspace.folder not in self._sessions:
                session = await self._open_session_unless_copied(workspace)
                if session is None:
                    return None
                self._sessions[workspace.folder] = session
        return self._sessions[workspace.folder]

    async def _reopened_if_released(self, session: EditorSession) -> EditorSession:
        """The session itself; or its successor, if another process worked on the attempt and does not any more."""
        if not session.is_held_elsewhere:
            return session
        folder = session.workspace.folder
        async with self._opening:
            if self._sessions.get(folder) is session:
                try:
                    claim = await asyncio.to_thread(self.log.claim, session.header.id)
                except LogError:
                    # The log can't be reached, as the session says.
                    return session
                if isinstance(claim, str):
                    return session
                successor = await self._open_session_unless_copied(session.workspace, claim)
                if successor is None:
                    claim.release()
                else:
                    successor.recorder.record_files_open_in(session.recorder)
                    await session.close()
                    self._sessions[folder] = successor
                    successor.on_status_changed()
            return self._sessions.get(folder, session)

    def find_open_session_of_attempt(self, attempt_id: str) -> EditorSession | None:
        """The open session of an attempt."""
        return next((session for session in self._sessions.values() if session.header.id == attempt_id), None)

    async def require_session(self, path: Path) -> EditorSession:
        """The session of the workspace that contains a file or folder.

        Raises:
            WorkspaceError: The path does not belong to a workspace of this user.
        """
        session = await self.find_or_open_session(path)
        if session is None:
            raise WorkspaceError(
                f"{path} does not belong to an open problem. Open one from the Benchwright view, or with"
                " `benchwright open`."
            )
        return session

    async def start_clock(self, session: EditorSession) -> AttemptStatus:
        """Start the clock of an attempt; any other that runs is paused, since nobody works on two at a time.

        Raises:
            AttemptError: The clock was started before.
            ServerError: It is practice on a problem of a study that continues.
        """
        await self._refuse_practice_in_study(session)
        return await self._clock.run_only_clock_of(session, session.start)

    async def resume_clock(self, session: EditorSession) -> AttemptStatus:
        """Let the clock of an attempt run again; see `start_clock`.

        Raises:
            AttemptError: The attempt is not paused.
        """
        await self._refuse_practice_in_study(session)
        return await self._clock.run_only_clock_of(session, session.resume)

    async def _refuse_practice_in_study(self, session: EditorSession) -> None:
        """Refuses practice on what a study asks: it may have been opened before the study was registered."""
        if not session.header.study:
            await asyncio.to_thread(self._problem_opener.refuse_if_in_open_study, session.header.problem)

    async def question_view(self, session: EditorSession) -> QuestionView:
        """The content of an answer form.

        Raises:
            WorkspaceError: The problem is a design problem.
        """
        if session.problem.kind is ProblemKind.DESIGN:
            raise WorkspaceError(f"{session.problem.title} is not a question; its statement lists the files to write.")
        # A text problem is asked and answered like a free response; only the scoring differs.
        question = session.problem.public.question or Question(format=QuestionFormat.FREE_RESPONSE)
        variants = await asyncio.to_thread(other_language_variants, self.store, session.header.problem, question)
        return question_view(session, question, variants)

    async def wait_until_written(self) -> None:
        """Wait until everything recorded so far is on disk."""
        await self.services.wait_until_settled()

    async def close(self) -> None:
        """Pause every running clock, stop every run, and write pending events."""
        self._clock.close()
        for session in list(self._sessions.values()):
            with contextlib.suppress(AttemptError):
                await session.close()
        await self._remote.close()
        await self.services.close()

    @property
    def log(self) -> StudyLog:
        """The event log, opened at first use."""
        return self.services.log

    @property
    def attempts(self) -> Attempts:
        """The summaries of attempts."""
        return self.services.attempts

    async def _open_session_unless_copied(
        self, workspace: Workspace, claim: Claim | None = None
    ) -> EditorSession | None:
        def read() -> tuple[AttemptHeader, Problem] | None:
            try:
                header = self.log.header(workspace.marker.attempt)
            except UnknownAttemptError:
                return None
            # A copied folder must not write to the log of the original.
            if Path(header.workspace) != workspace.folder:
                return None
            return header, self.store.problem(header.problem)

        header_and_problem = await asyncio.to_thread(read)
        if header_and_problem is None:
            return None
        header, problem = header_and_problem
        holding: Claim | ClaimHolder | None = claim
        if holding is None:
            holding = await asyncio.to_thread(self._claim_or_holder_unless_ended, header.id)
        if not isinstance(holding, str):
            await asyncio.to_thread(self.attempts.take_over_if_left_running, header.id)
        events = await asyncio.to_thread(self.log.events, header.id)
        files = await asyncio.to_thread(lambda: replay(events).files)
        assigned = next(
            (recorded_event.event for recorded_event in events if isinstance(recorded_event.event, Assigned)), None
        )
        flagged = [recorded_event.event for recorded_event in events if isinstance(recorded_event.event, Violation)]
        assignment = await asyncio.to_thread(self.store.assignment_if_any, header.problem.partition("/")[0])
        terms = (
            Terms(header.condition, assigned)
            if assigned is not None or assignment is None
            else Terms(
                header.condition,
                most_runs=assignment.most_runs,
                most_shown_outside_studies=assignment.reveal,
                assistance=assignment.assistance,
                aids=frozenset(assignment.aids) if assignment.aids is not None else None,
            )
        )
        session = EditorSession(
            self.services, self._listeners, header, problem, workspace, files, terms, flagged, holding
        )
        await session.continue_from_log()
        self._clock.watch_other_servers()
        # Also what an editor that was killed has left behind.
        await self._remote.start_delivering()
        return session

    def _claim_or_holder_unless_ended(self, attempt_id: str) -> Claim | ClaimHolder | None:
        """A claim on an attempt, or who has it; None if it has ended."""
        return None if self.attempts.summary(attempt_id).state.ended else self.log.claim(attempt_id)

    async def _opened_problem(self, session: EditorSession) -> OpenedProblem:
        problem, workspace = session.problem, session.workspace
        editable = judged_paths(problem)
        paths = dict.fromkeys((*editable, *problem.public.files))
        files = [
            WorkspaceFile(uri=(workspace.folder / path).as_uri(), path=path, editable=path in editable)
            for path in (paths if problem.public.tree is None else ())
        ]
        # Where everything may be changed, nothing says what to read first.
        primary = workspace.statement if problem.public.tree is not None else workspace.folder / editable[0]
        return OpenedProblem(
            status=await session.status(),
            statement=workspace.statement.as_uri(),
            primary=primary.as_uri(),
            files=files,
        )
