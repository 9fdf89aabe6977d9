"""Opening a problem: creates a workspace and an attempt, or finds ones that can be continued."""

from __future__ import annotations

import contextlib
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from benchwright_attempts.errors import UnknownAttemptError
from benchwright_attempts.events.events import GUIDED, Abandoned, Guided
from benchwright_attempts.events.evidence import Assigned, Consent, Recording
from benchwright_attempts.events.file_text import FileText
from benchwright_attempts.log.record import AttemptHeader
from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.workspaces_folder import refusal_reason, repository_or_pack_in
from benchwright_problems.assistance import Assistance
from benchwright_problems.problem import Problem
from benchwright_server.attempts.assistance_rule_text import statement_with_assistance_rule
from benchwright_server.attempts.pack_views import other_language_variants
from benchwright_server.attempts.participation import Participation
from benchwright_server.errors import ServerError, WorkspaceError
from benchwright_server.workspaces.workspace import (
    Marker,
    Workspace,
    create_workspace_files,
    mark_workspace,
    statement_path_and_workspace_files,
    unused_folder,
)

if TYPE_CHECKING:
    # The database library takes a third of a second to import: nobody pays before a log is needed.
    from benchwright_attempts.services import Services
    from benchwright_studies.conduct.study_log import StudyLog


class ProblemOpener:
    """Opens problems; every method blocks on the disk.

    Args:
        services: Services of the process.
        has_answer_form: True if questions are answered in a form.
    """

    def __init__(self, services: Services[StudyLog], *, has_answer_form: bool = False) -> None:
        self._services = services
        self._has_answer_form = has_answer_form

    def reuse_or_make_attempt(self, problem_ref: str, always_new: bool, is_guided: bool = False) -> tuple[str, Path]:
        """The unfinished attempt at a problem and its folder, or new ones.

        Args:
            problem_ref: `pack/id`.
            always_new: True to make new ones in any case.
            is_guided: True if it is the guided first problem, which counts as practice.

        Raises:
            ServerError: A problem of an assignment is to be guided, or the problem is one of a study that continues.
        """
        problem = self._services.store.problem(problem_ref)
        self.refuse_if_in_open_study(problem_ref)
        if is_guided:
            return self._reuse_or_make_guided_attempt(problem_ref, problem)
        while (
            not always_new
            and (unfinished := self._services.attempts.newest_unfinished_attempt_of_person(problem=problem_ref))
            is not None
        ):
            if self._is_guided(unfinished):
                break
            if self._is_recording_reduced(problem_ref) and unfinished.recording is not Recording.TIMING:
                # The service takes nothing more of it; its folder stays.
                self._services.log.append_blocking(unfinished.id, Abandoned(reason="its recording was declined"))
                continue
            if self._repair_marker_if_workspace_exists(unfinished, problem):
                self._update_rule_in_statement(unfinished)
                return unfinished.id, Path(unfinished.workspace)
            self._services.log.append_blocking(unfinished.id, Abandoned(reason="its workspace was deleted"))
        header = self._make_workspace_and_attempt(problem_ref, problem, None)
        return header.id, Path(header.workspace)

    def refuse_if_in_open_study(self, problem_ref: str) -> None:
        """Refuses a problem that a study here will ask, or asks: nobody may see it, or take its hints, before.

        Raises:
            ServerError: It is one of a study that continues.
        """
        name = self.open_study_id_with_problem(problem_ref)
        if name is not None:
            raise ServerError(
                f"{problem_ref} is a problem of the study {name}, so it can't be opened outside it: who has seen "
                "it, or its hints, before would not count. Open it in the study, or after it."
            )

    def open_study_id_with_problem(self, problem_ref: str) -> str | None:
        """The study here that will ask a problem, or asks it; None if there is none."""
        names = self._services.log.journal.studies()
        if not names:
            return None
        from benchwright_studies.conduct.studies import Studies
        from benchwright_studies.plan.vocabulary import ParticipantStep

        studies = Studies(self._services.log, self._services.attempts)
        participants = Participation(self._services.home).pseudonym_by_study()
        for name in names:
            registered_study = studies.study(name)
            study = registered_study.study
            is_over = registered_study.closed is not None or not study.people_conditions
            if is_over or problem_ref not in [task.problem for task in study.problems]:
                continue
            participant = participants.get(name)
            step = (
                studies.progress_in_registered(registered_study, participant).step if participant is not None else None
            )
            if step not in (ParticipantStep.FINISHED, ParticipantStep.WITHDRAWN):
                return name
        return None

    def _reuse_or_make_guided_attempt(self, problem_ref: str, problem: Problem) -> tuple[str, Path]:
        if self._services.store.assignment_if_any(problem_ref.partition("/")[0]) is not None:
            raise ServerError(
                f"{problem_ref} belongs to an assignment, which is no practice. Take a problem of another pack."
            )
        header = self._services.attempts.newest_unfinished_attempt_of_person(problem=problem_ref)
        if (
            header is None
            or not self._is_guided(header)
            or not self._repair_marker_if_workspace_exists(header, problem)
        ):
            header = self._make_workspace_and_attempt(problem_ref, problem, None)
            self._services.log.append_blocking(header.id, Guided())
        return header.id, Path(header.workspace)

    def _is_guided(self, header: AttemptHeader) -> bool:
        return GUIDED in self._services.attempts.summary(header.id).event_types

    def begin_or_reuse_task_attempt(self, assigned: Assigned, consent: Consent, problem_ref: str) -> str:
        """The attempt at a study's task; its first events are assignment, consent and blind forecast."""
        # Most sessions have nothing to do with studies, whose libraries are not quick to load.
        from benchwright_studies.conduct.studies import Studies

        problem = self._services.store.problem(problem_ref)
        # An attempt that was created just before a crash is reused: the journal does not have it yet.
        header = self._services.attempts.newest_unfinished_attempt_of_person(
            problem=problem_ref, study=assigned.study, solver=assigned.participant
        )
        if header is None or not self._repair_marker_if_workspace_exists(header, problem):
            header = self._make_workspace_and_attempt(problem_ref, problem, assigned)
        studies = Studies(self._services.log, self._services.attempts)
        forecast = (
            studies.find_forecast(assigned.study, assigned.participant, problem_ref) if not assigned.practice else None
        )
        recorded_kinds = self._services.attempts.summary(header.id).event_types
        for event in (assigned, consent, forecast):
            if event is not None and event.type not in recorded_kinds:
                self._services.log.append_blocking(header.id, event)
        studies.record_task_begun(assigned, problem_ref, header.id)
        return header.id

    def _make_workspace_and_attempt(
        self, problem_ref: str, problem: Problem, assigned: Assigned | None
    ) -> AttemptHeader:
        """Creates a workspace and its attempt."""
        question = problem.public.question
        variants = (
            {
                variant.language: variant.problem
                for variant in other_language_variants(self._services.store, problem_ref, question)
            }
            if question
            else {}
        )
        statement, files = statement_path_and_workspace_files(problem, variants, has_answer_form=self._has_answer_form)
        files[statement] = statement_with_assistance_rule(
            files[statement].decode(), self._assistance_rule(problem_ref)
        ).encode()
        figures = {figure.path for figure in problem.public.figures}
        root = self._services.home.workspaces
        if (intruding_path := repository_or_pack_in(root)) is not None:
            raise WorkspaceError(refusal_reason(root, intruding_path))
        folder = unused_folder(root, problem_ref)
        try:
            create_workspace_files(folder, files, problem.public.tree)
            texts = {path: FileText.of_bytes(content) for path, content in files.items() if path not in figures}
            header = self._services.attempts.create(
                problem_ref,
                problem.public_digest,
                folder,
                texts,
                **_study_attempt_fields(assigned, is_recording_reduced=self._is_recording_reduced(problem_ref)),
            )
            mark_workspace(folder, _marker_of(header, problem))
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        return header

    def _is_recording_reduced(self, problem_ref: str) -> bool:
        assignment = self._services.store.assignment_if_any(problem_ref.partition("/")[0])
        return assignment is not None and assignment.records_less

    def _assistance_rule(self, problem_ref: str) -> Assistance | None:
        assignment = self._services.store.assignment_if_any(problem_ref.partition("/")[0])
        return assignment.assistance if assignment is not None else None

    def _update_rule_in_statement(self, header: AttemptHeader) -> None:
        """Brings the statement up to date: the course's staff may have changed the rule since it was written."""
        workspace = Workspace.find_containing(Path(header.workspace))
        if workspace is None:
            return
        # A statement that was deleted or is no text any more is the solver's own business.
        with contextlib.suppress(OSError, UnicodeError):
            old_text = workspace.statement.read_bytes().decode()
            new_text = statement_with_assistance_rule(old_text, self._assistance_rule(header.problem))
            if new_text.strip() != old_text.strip():
                write_atomically(workspace.statement, new_text.encode())

    def _repair_marker_if_workspace_exists(self, header: AttemptHeader, problem: Problem) -> bool:
        """True if an attempt's workspace still exists; a damaged marker in it is repaired."""
        folder = Path(header.workspace)
        if not folder.is_dir():
            return False
        workspace = Workspace.find_containing(folder)
        marked_attempt = workspace.marker.attempt if workspace is not None and workspace.folder == folder else None
        if marked_attempt is not None and marked_attempt != header.id:
            with contextlib.suppress(UnknownAttemptError):
                if Path(self._services.log.header(marked_attempt).workspace) == folder:
                    return False
        if marked_attempt != header.id:
            mark_workspace(folder, _marker_of(header, problem))
        return True


def _marker_of(header: AttemptHeader, problem: Problem) -> Marker:
    return Marker(
        attempt=header.id,
        problem=header.problem,
        statement=statement_path_and_workspace_files(problem)[0],
        is_repository=problem.public.tree is not None,
    )


class _StudyFields(TypedDict, total=False):
    solver: str
    condition: str
    study: str
    recording: Recording


def _study_attempt_fields(assigned: Assigned | None, *, is_recording_reduced: bool) -> _StudyFields:
    """The participant, condition and study of the attempt; outside studies the level of recording, if it is lower."""
    if assigned is None:
        return {"recording": Recording.TIMING} if is_recording_reduced else {}
    return {
        "solver": assigned.participant,
        "condition": assigned.condition,
        "study": assigned.study,
        "recording": assigned.recording,
    }
