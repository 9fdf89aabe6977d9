"""Studies at the service: participants get their rules, and their assignment once their forecasts are here."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import JsonValue

from benchwright_analysis.code_digest import analysis_digest
from benchwright_attempts.attempts import Attempts
from benchwright_attempts.errors import AttemptError, ExportError, LogError, StudyError, UnknownAttemptError
from benchwright_attempts.events.evidence import Assigned
from benchwright_attempts.log.record import canonical_json
from benchwright_foundation.refusals import RefusalError, RefusalKind
from benchwright_problems.reveal import Reveal
from benchwright_problems.storage.store import Store
from benchwright_remote.messages import EnrolledStudy, JournalTaken, StudyAssignment
from benchwright_service.courses.courses import Courses
from benchwright_service.errors import BenchServiceError
from benchwright_service.studies.study_places import StudyPlaces
from benchwright_studies.conduct.entry import ENTRY, OF_A_STUDY, Drawn
from benchwright_studies.conduct.readiness import refuse_placeholders
from benchwright_studies.conduct.studies import RegisteredStudy, Studies, assigned_terms
from benchwright_studies.conduct.study_log import StudyLog
from benchwright_studies.plan.allocation import row_unlock_code, sealed_participant_file
from benchwright_studies.plan.preregistration import preregister_once
from benchwright_studies.plan.registration import register_study
from benchwright_studies.plan.study import AT_SERVICE
from benchwright_studies.plan.study_file import StudyFile
from benchwright_studies.plan.vocabulary import ParticipantStep
from benchwright_subjects.prompts.study_prompts import prompt_digests, refuse_uncovered_prompts


class Lab:
    """The studies of one service.

    Args:
        log: The service's: it has the journals of studies too.
        store: Has the problems.
        courses: Each study is a course of its name, so that people can be invited to it.
        study_places: Say who is which participant.
    """

    def __init__(self, log: StudyLog, store: Store, courses: Courses, study_places: StudyPlaces) -> None:
        self._log = log
        self._store = store
        self._courses = courses
        self._places = study_places

    async def open_study(self, study_file: StudyFile) -> RegisteredStudy:
        """Registers a study, with the codes at the lab, and lets people be invited to it. Again, it changes nothing.

        Raises:
            AttemptError: The file can't be used, or the study is here with other content.
            BenchServiceError: Records would not come here, or a course has the study's name.
        """
        study = study_file.study
        if study.data.to != AT_SERVICE:
            raise BenchServiceError(
                f"{study_file.path}, line {study_file.line_of('data.to')}, data.to: records of this study go to "
                f"{study.data.to!r}, and its consent form says so. Write `data: {{to: {AT_SERVICE}}}`."
            )
        registered_study = await asyncio.to_thread(self._register_and_preregister, study_file)
        if not await self._places.is_study(study.study):
            await self._courses.create(study.study, study.title)
            # That a run passed can't be kept from the machine that it is shown on.
            most_shown = study.feedback if isinstance(study.feedback, Reveal) else Reveal.VERDICT
            for pack, problems in _problem_ids_by_pack(study.problem_refs).items():
                await self._courses.make_assignment(
                    study.study, pack, title=study.title, problems=problems, reveal=most_shown
                )
            await self._places.make_places(study.study, study.pseudonyms)
        return registered_study

    def _register_and_preregister(self, study_file: StudyFile) -> RegisteredStudy:
        refuse_uncovered_prompts(self._store, study_file)
        refuse_placeholders(study_file)
        registered_study = register_study(self._log, self._store, study_file)
        preregister_once(
            self._log,
            registered_study,
            analysis_digest(),
            digest_by_prompt_set=prompt_digests(),
            unlock_codes_at_lab=True,
        )
        return self._registered_study(study_file.study.study)

    async def enrol_and_list_studies(self, account: str) -> Sequence[EnrolledStudy]:
        """The studies whose course somebody has joined; gives them a place in each."""
        own_places = await self._places.claim_free_places(account)
        assigned = await self._courses.visible_assignments(account, include_studies=True)
        return [
            await asyncio.to_thread(
                self._enrolled_study,
                study,
                name,
                tuple(
                    StudyAssignment(id=assignment.id, pack=assignment.pack)
                    for assignment in assigned
                    if assignment.course == study
                ),
            )
            for study, name in own_places.items()
        ]

    def _enrolled_study(
        self, study: str, pseudonym: str | None, assignments: tuple[StudyAssignment, ...]
    ) -> EnrolledStudy:
        registered_study = self._registered_study(study)
        registered, row = registered_study.preregistered, registered_study.plan.assignment_of(pseudonym or "")
        if registered is None or row is None:
            return EnrolledStudy(study=study, title=registered_study.study.title, file=None)
        # Each file takes a moment to encrypt: this one alone.
        own_file = sealed_participant_file(
            registered.form,
            registered_study.plan,
            row,
            registered_study.digests,
            registered.secret,
            holds_unlock_code=False,
        )
        return EnrolledStudy(
            study=study,
            title=registered_study.study.title,
            file=own_file.model_dump(mode="json"),
            assignments=assignments,
        )

    async def planned_terms(self, account: str, study: str, problem_ref: str) -> Assigned | None:
        """Returns what the plan says about somebody's attempt at a problem, whatever their own log says of it.

        Returns:
            None if the course is no study's, or they have no place in it.
        """
        pseudonym = await self._places.find_pseudonym(study, account)
        return (
            None
            if pseudonym is None
            else await asyncio.to_thread(self._planned_assignment, study, pseudonym, problem_ref)
        )

    def _planned_assignment(self, study: str, pseudonym: str, problem_ref: str) -> Assigned | None:
        registered_study = self._registered_study(study)
        row = registered_study.plan.assignment_of(pseudonym)
        for task in row.tasks if row is not None else ():
            if task.problem == problem_ref:
                return assigned_terms(registered_study, pseudonym, task.position, problem_ref, task.condition)
        # What no task names is practice.
        return assigned_terms(
            registered_study, pseudonym, 0, problem_ref, registered_study.study.people_conditions[0].name
        )

    async def adopt_journal(
        self, account: str, study: str, journal_lines: Sequence[Mapping[str, JsonValue]]
    ) -> JournalTaken:
        """Takes a participant's journal; what is here of it must be its beginning.

        Raises:
            RefusalError: Somebody has no place in the study, or it is not their journal.
            LogError: The journal could not be written.
        """
        pseudonym = await self._places.find_pseudonym(study, account)
        if pseudonym is None:
            raise RefusalError(RefusalKind.NOT_FOUND, "There is no such study.", "Join it by its invitation.")
        return await asyncio.to_thread(self._adopt_journal_and_get_code, study, pseudonym, journal_lines)

    def _adopt_journal_and_get_code(
        self, study: str, pseudonym: str, journal_lines: Sequence[Mapping[str, JsonValue]]
    ) -> JournalTaken:
        try:
            _require_own_journal(study, pseudonym, journal_lines)
            self._log.journal.adopt_and_count_new(Path("journal.jsonl"), journal_lines)
        except LogError:
            raise
        except (AttemptError, ValueError, TypeError, KeyError) as error:
            message = (
                str(error) if isinstance(error, AttemptError) else "A line is no entry of a participant's journal."
            )
            raise RefusalError(RefusalKind.CONFLICT, message, "Ask the organisers of the study.") from error
        return JournalTaken(entries=len(journal_lines), code=self._unlock_code_if_forecasts_given(study, pseudonym))

    def _unlock_code_if_forecasts_given(self, study: str, pseudonym: str) -> str:
        """The code of a participant whose consent and forecasts are here; empty for all others."""
        registered_study, studies = self._registered_study(study), self._studies()
        is_drawn = any(isinstance(entry, Drawn) for entry in studies.entries(study, pseudonym))
        try:
            is_unlocked = is_drawn or studies.progress(study, pseudonym).step is ParticipantStep.UNLOCK
        except (StudyError, UnknownAttemptError):
            # An attempt at the practice problem is still on its way.
            is_unlocked = False
        return (
            row_unlock_code(registered_study.preregistered.secret, study, pseudonym)
            if is_unlocked and registered_study.preregistered
            else ""
        )

    def _studies(self) -> Studies:
        return Studies(self._log, Attempts(self._log))

    def _registered_study(self, study: str) -> RegisteredStudy:
        return self._studies().study(study)


def _require_own_journal(study: str, pseudonym: str, journal_lines: Sequence[Mapping[str, JsonValue]]) -> None:
    for number, line in enumerate(journal_lines, start=1):
        journal_entry = ENTRY.validate_json(canonical_json(line["entry"]))
        if (line["study"], line["participant"]) != (study, pseudonym) or isinstance(journal_entry, OF_A_STUDY):
            raise ExportError(Path("journal.jsonl"), number, "this entry is not of this participant.")


def _problem_ids_by_pack(refs: Sequence[str]) -> Mapping[str, list[str]]:
    """The problems of each pack."""
    packs: dict[str, list[str]] = {}
    for ref in refs:
        pack, _, problem = ref.partition("/")
        packs.setdefault(pack, []).append(problem)
    return packs
