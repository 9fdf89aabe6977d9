"""Administration of studies: registering a file, enrolling, consent, tasks, and the progress of participants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchwright_attempts.attempts import Attempts
from benchwright_attempts.errors import ConsentMissingError, StudyClosedError, StudyError
from benchwright_attempts.events.evidence import Assigned, Consent, Forecast
from benchwright_attempts.events.file_text import sha256
from benchwright_problems.problem import Difficulty
from benchwright_studies.conduct.entry import (
    Closed,
    ConsentEntry,
    Drawn,
    Enrolled,
    Entry,
    Finished,
    Planned,
    PlanSealed,
    Preregistered,
    QuestionnaireAnswered,
    Registered,
    TaskBegun,
    TaskForecast,
)
from benchwright_studies.conduct.progress import ParticipantProgress, assignment_if_drawn, is_finished, progress_of
from benchwright_studies.plan.allocation import ParticipantFile, decrypt_row, plan_commitment_sha256
from benchwright_studies.plan.assignment import Plan, draw_plan
from benchwright_studies.plan.questionnaire import validated_answers
from benchwright_studies.plan.study import Study
from benchwright_studies.plan.study_file import StudyFile, parse_study
from benchwright_studies.plan.vocabulary import ParticipantStep

if TYPE_CHECKING:
    from benchwright_studies.conduct.study_log import StudyLog


class NextTask(NamedTuple):
    """What an attempt at a task begins with."""

    assigned: Assigned
    consent: Consent
    problem: str
    """Its `pack/id`."""


@dataclass(frozen=True, slots=True)
class RegisteredStudy:
    """A registered study."""

    study: Study
    text: str
    """The study file."""
    sha256: str
    """Its digest."""
    plan: Plan
    """Without assignments on a machine that only has a commitment to it."""
    closed: Closed | None
    digests: Mapping[str, str] = field(default_factory=dict)
    """Of the public part of each problem when the study began, by `pack/id`; empty if they were not recorded."""
    sealed_plan: str = ""
    """The commitment to the plan, on a machine that has no plan."""
    preregistered: Preregistered | None = None
    """The document that froze the study before there were data."""

    @property
    def rule_and_plan_digests(self) -> frozenset[tuple[str, str]]:
        """Digests of rules and plan by which records of this study are known, here and on participants' machines."""
        if self.sealed_plan:
            return frozenset({(self.sha256, self.sealed_plan)})
        identity_pairs = {(self.sha256, self.plan.sha256)}
        if self.preregistered is not None:
            form, secret = self.preregistered.form, self.preregistered.secret
            identity_pairs.add((sha256(form.encode()), plan_commitment_sha256(self.plan, secret)))
        return frozenset(identity_pairs)

    def refuse_unknown_participant(self, participant: str) -> None:
        """Refuses a pseudonym that the study does not have.

        Raises:
            StudyError: The study has no such participant.
        """
        if participant in self.study.pseudonyms:
            return
        examples = ", ".join(self.study.pseudonyms[:3])
        raise StudyError(
            f"{participant} is not a participant of {self.study.study}. Its participants are {examples} …"
            if examples
            else f"The study {self.study.study} has no participants: only models work in it."
        )


class Studies:
    """Studies in one event log.

    All methods wait for the disk; asynchronous code calls them in a thread.

    Args:
        log: The event log.
        attempts: The summaries of its attempts.
    """

    def __init__(self, log: StudyLog, attempts: Attempts) -> None:
        self._log = log
        self._journal = log.journal
        self._attempts = attempts

    def register(
        self,
        file: StudyFile,
        difficulties: Mapping[str, Difficulty],
        digest_by_problem: Mapping[str, str] | None = None,
    ) -> RegisteredStudy:
        """Registers a study file, and assigns tasks and conditions. Doing it again with the same file changes nothing.

        Args:
            file: The study.
            difficulties: Difficulties of its problems, as their packs have them.
            digest_by_problem: `pack/id` → digest of the problem's public part: models are asked these and no others.

        Raises:
            StudyError: A study of this id was registered with other content.
        """
        study = file.study.study
        if study in self._journal.studies():
            registered_study = self.study(study)
            if registered_study.sha256 != file.sha256:
                raise StudyError(
                    f"The study {study} has begun with other content of its file, and its rules are fixed. "
                    "Undo the change, or give the changed study another id in its field `study`."
                )
            return registered_study
        plan = draw_plan(file.study, file.sha256, difficulties)
        self._journal.append_entry(
            study, "", Registered(study_sha256=file.sha256, text=file.text, problems=digest_by_problem or {})
        )
        self._journal.append_entry(study, "", Planned(plan=plan, sha256=plan.sha256))
        return self.study(study)

    def join(self, file: ParticipantFile) -> RegisteredStudy:
        """Registers a study on a participant's machine, and lets the participant begin.

        Raises:
            StudyError: The study is here with other rules or another plan, or the participant's data were deleted.
        """
        identity = (sha256(file.text.encode()), file.plan_sha256)
        if file.study not in self._journal.studies():
            registered_entry = Registered(study_sha256=identity[0], text=file.text, problems=file.problems)
            self._journal.append_entry(file.study, "", registered_entry)
            self._journal.append_entry(file.study, "", PlanSealed(sha256=file.plan_sha256))
        if identity not in self.study(file.study).rule_and_plan_digests:
            raise StudyError(
                f"The study {file.study} is here already with other rules or another plan. "
                "Ask the organisers which file is the right one."
            )
        enrolled_entry = Enrolled(sealed=file.sealed, sealed_sha256=file.sealed_sha256, code=file.code)
        self.enroll(file.study, file.participant, enrolled_entry)
        return self.study(file.study)

    def studies(self) -> list[str]:
        """Ids of all studies."""
        return self._journal.studies()

    def study(self, study: str) -> RegisteredStudy:
        """A registered study.

        Raises:
            StudyError: No study has this id.
            LogDamagedError: Its journal is not as it was written.
        """
        entries = [journal_entry.recorded_entry for journal_entry in self._journal.entries(study)]
        registered = next((entry for entry in entries if isinstance(entry, Registered)), None)
        planned = next((entry for entry in entries if isinstance(entry, Planned | PlanSealed)), None)
        if registered is None or planned is None:
            known_ids = ", ".join(self._journal.studies())
            raise StudyError(
                f"There is no study {study!r} here. "
                + (f"There are: {known_ids}." if known_ids else "Register one with ")
                + ("" if known_ids else "`benchwright study run FILE`.")
            )
        closed = next((entry for entry in entries if isinstance(entry, Closed)), None)
        parsed = parse_study(registered.text, Path(f"{study}.yaml")).study
        if isinstance(planned, Planned):
            plan, sealed = planned.plan, ""
        else:
            plan = Plan(study=study, study_sha256=registered.study_sha256, seed=0, assignments=())
            sealed = planned.sha256
        return RegisteredStudy(
            study=parsed,
            text=registered.text,
            sha256=registered.study_sha256,
            plan=plan,
            closed=closed,
            digests=registered.problems,
            sealed_plan=sealed,
            preregistered=next((entry for entry in entries if isinstance(entry, Preregistered)), None),
        )

    # A participant

    def enroll(self, study: str, participant: str, enrolled_entry: Enrolled | None = None) -> None:
        """Lets a participant begin; nothing happens if they have begun.

        Args:
            study: The study.
            participant: A pseudonym.
            enrolled_entry: Entry with the sealed row, where the plan is not on this machine.

        Raises:
            StudyError: The study has no such participant, or their data were deleted.
        """
        registered_study = self.study(study)
        registered_study.refuse_unknown_participant(participant)
        if registered_study.sealed_plan and enrolled_entry is None:
            raise StudyError(f"Only the file for {participant} can let {participant} begin here. Ask the organisers.")
        if any(stone.id == f"{study}/{participant}" for stone in self._journal.tombstones(study)):
            raise StudyError(f"The data of {participant} were deleted; this pseudonym cannot be used again.")
        if participant not in self._journal.participants(study):
            self._journal.append_entry(study, participant, enrolled_entry or Enrolled())

    def entries(self, study: str, participant: str) -> list[Entry]:
        """A participant's journal."""
        return [journal_entry.recorded_entry for journal_entry in self._journal.entries(study, participant)]

    def progress(self, study: str, participant: str) -> ParticipantProgress:
        """Progress of a participant."""
        return self.progress_in_registered(self.study(study), participant)

    def progress_in_registered(self, registered_study: RegisteredStudy, participant: str) -> ParticipantProgress:
        """The same, for who asks of many participants: a study file takes longer to read than a journal."""
        entries = self.entries(registered_study.study.study, participant)
        summaries = {
            study_entry.attempt: self._attempts.summary(study_entry.attempt)
            for study_entry in entries
            if isinstance(study_entry, TaskBegun)
        }
        assignment = assignment_if_drawn(entries, registered_study.plan, participant)
        return progress_of(
            registered_study.study, assignment, entries, summaries, is_closed=registered_study.closed is not None
        )

    def give_consent(self, study: str, participant: str, consent_version: str) -> None:
        """The participant agrees.

        Raises:
            StudyError: The text is of another version than the study's, or consent was withdrawn.
        """
        text = self.study(study).study.consent
        if text is None or text.version != consent_version:
            raise StudyError("The consent text has changed. Read it again, then agree.")
        if self.progress(study, participant).step is ParticipantStep.WITHDRAWN:
            raise StudyError("You withdrew your consent. Contact the researchers if you want to take part again.")
        consent_entry = ConsentEntry(version=consent_version, sha256=sha256(text.text.encode()), given=True)
        self._journal.append_entry(study, participant, consent_entry)

    def take_consent_back(self, study: str, participant: str, *, delete: bool = False) -> None:
        """The participant withdraws consent; nothing more is recorded. Earlier records are kept until deleted."""
        standing_consent = self.standing_consent(study, participant)
        if standing_consent is not None:
            self._journal.append_entry(
                study, participant, standing_consent.model_copy(update={"given": False, "delete": delete})
            )

    def standing_consent(self, study: str, participant: str) -> ConsentEntry | None:
        """A participant's consent in force."""
        entries = self.entries(study, participant)
        newest_consent = next((entry for entry in reversed(entries) if isinstance(entry, ConsentEntry)), None)
        return newest_consent if newest_consent is not None and newest_consent.given else None

    def record_next_forecast(self, study: str, participant: str, problem: str, given_forecast: Forecast) -> None:
        """Keeps what the participant expects of a problem, before anything of the assignment is shown.

        Raises:
            StudyError: Another step or another problem comes next, or something that is asked for is missing.
        """
        progress = self.progress(study, participant)
        if progress.step is not ParticipantStep.FORECAST or progress.problem != problem:
            next_step = (
                f"a forecast of {progress.problem}"
                if progress.step is ParticipantStep.FORECAST
                else progress.step.value.replace("_", "-")
            )
            raise StudyError(f"There is no forecast of {problem} to give now: what comes next is {next_step}.")
        required_fields = self.study(study).study.forecast_fields
        missing = [name.replace("_", " ") for name in required_fields if getattr(given_forecast, name) is None]
        if missing:
            raise StudyError(f"The forecast is not complete. Also say: {', '.join(missing)}.")
        blind = given_forecast.model_copy(update={"blind": True})
        self._journal.append_entry(study, participant, TaskForecast(problem=problem, forecast=blind))

    def find_forecast(self, study: str, participant: str, problem: str) -> Forecast | None:
        """The blind forecast of a problem; none if there is none."""
        task_forecasts = (entry for entry in self.entries(study, participant) if isinstance(entry, TaskForecast))
        return next((entry.forecast for entry in task_forecasts if entry.problem == problem), None)

    def draw_assignment_if_next(self, study: str, participant: str, unlock_code: str = "") -> bool:
        """Draws the participant's assignment, if that is what comes next and nothing more is needed for it.

        Args:
            study: The study.
            participant: A pseudonym.
            unlock_code: Code from the organisers, where they keep it.

        Returns:
            Whether it was drawn now.

        Raises:
            StudyError: The code does not open the assignment.
        """
        if self.progress(study, participant).step is not ParticipantStep.UNLOCK:
            return False
        enrolled = next(entry for entry in self.entries(study, participant) if isinstance(entry, Enrolled))
        assignment = self.study(study).plan.assignment_of(participant)
        if enrolled.sealed:
            if not (unlock_code or enrolled.code):
                return False
            sealed, digest = enrolled.sealed, enrolled.sealed_sha256
            assignment = decrypt_row(sealed, digest, unlock_code or enrolled.code, study, participant)
        if assignment is None:
            raise StudyError(f"The plan of {study} has no row for {participant}. Ask the organisers.")
        self._journal.append_entry(study, participant, Drawn(assignment=assignment))
        return True

    def next_task(self, study: str, participant: str) -> NextTask:
        """The task to open next: the assignment and consent its attempt's log has to begin with, and its problem.

        Raises:
            StudyError: Something else comes next.
        """
        self.draw_assignment_if_next(study, participant)
        registered_study = self.study(study)
        if registered_study.closed is not None:
            raise StudyClosedError(study)
        progress = self.progress(study, participant)
        consent = self.standing_consent(study, participant)
        if consent is None or progress.step is ParticipantStep.CONSENT:
            raise ConsentMissingError(study, participant)
        if (
            progress.step is not ParticipantStep.OPEN
            or progress.position is None
            or progress.problem is None
            or progress.condition is None
        ):
            raise StudyError(
                f"There is no task to open now: what comes next is {progress.step.value.replace('_', '-')}."
            )
        assigned = assigned_terms(
            registered_study, participant, progress.position, progress.problem, progress.condition
        )
        agreed = Consent(
            study=study,
            version=consent.version,
            sha256=consent.sha256,
            given=True,
            recording=registered_study.study.recording,
        )
        return NextTask(assigned, agreed, progress.problem)

    def record_task_begun(self, assigned: Assigned, problem: str, attempt: str) -> None:
        """Notes that a task's problem was opened."""
        begun_entry = TaskBegun(position=assigned.position, problem=problem, attempt=attempt)
        self._journal.append_entry(assigned.study, assigned.participant, begun_entry)

    def answer_questionnaire(
        self, study: str, participant: str, answers: Mapping[str, str | int | float | bool]
    ) -> None:
        """Keeps the answers to the questions at the end.

        Raises:
            StudyError: The time for it has not come or is over, or an answer does not fit its question.
        """
        if self.progress(study, participant).step is not ParticipantStep.QUESTIONNAIRE:
            raise StudyError("The questions come when all tasks are done.")
        checked_answers = validated_answers(self.study(study).study.questionnaire, answers)
        self._journal.append_entry(study, participant, QuestionnaireAnswered(answers=checked_answers))

    def record_finish_if_finished(self, study: str, participant: str) -> bool:
        """Records that a participant has finished; nothing happens if they have not, or if it was recorded before.

        Returns:
            Whether it was noted now.
        """
        has_finished = self.progress(study, participant).step is ParticipantStep.FINISHED
        if not has_finished or is_finished(self.entries(study, participant)):
            return False
        self._journal.append_entry(study, participant, Finished())
        return True


def assigned_terms(
    registered_study: RegisteredStudy, participant: str, position: int, problem: str, condition: str
) -> Assigned:
    """The plan's terms for one attempt."""
    study = registered_study.study
    arm = study.condition(condition)
    return Assigned(
        study=study.study,
        study_sha256=registered_study.sha256,
        participant=participant,
        condition=condition,
        solver=arm.solver.value,
        assistants=arm.assistants,
        aids=None if arm.aids is None else tuple(aid.value for aid in arm.aids),
        subject=None if arm.subject is None else arm.subject.assigned,
        position=position,
        practice=position == 0,
        recording=study.recording,
        time_limit_s=study.time_limit_s(problem),
        runs_allowed=study.limits.runs,
        feedback=str(study.feedback),
        clock=study.clock.value,
        forecasts=tuple(estimate.value for estimate in study.forecasts) if position else (),
        self_estimates=tuple(estimate.value for estimate in study.self_estimates),
        clock_stops_for=tuple(machine.value for machine in study.clock_stops_for),
    )
