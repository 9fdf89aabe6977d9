"""A participant's part in studies that a bench service conducts: beginning, and handing the journal in."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from pydantic import JsonValue

from benchwright_foundation.home import Home
from benchwright_foundation.json_text import parse_untrusted_json
from benchwright_problems.errors import ProblemsError
from benchwright_problems.storage.store import Store
from benchwright_remote.hosted_studies import HostedStudies, HostedStudy

if TYPE_CHECKING:
    # The database library takes a third of a second to import: nobody pays before a log is needed.
    from benchwright_remote.messages import EnrolledStudy
    from benchwright_remote.service_client import ServiceClient
    from benchwright_studies.conduct.study_log import StudyLog
    from benchwright_studies.plan.allocation import ParticipantFile


class EnrolledStudies:
    """Of one process.

    Args:
        home: The folders of this user.
        open_log: The event log, opened once it is needed.
        begin_study: Notes that the user takes part in a study, under a pseudonym.
    """

    def __init__(self, home: Home, open_log: Callable[[], StudyLog], begin_study: Callable[[str, str], None]) -> None:
        self._store = Store(home)
        self._hosted = HostedStudies(home)
        self._log = open_log
        self._begin = begin_study
        self._delivered_counts: dict[str, int] = {}
        """Study → entries that the service has."""
        self._turn = asyncio.Lock()

    async def join_enrolled_studies(self, client: ServiceClient) -> None:
        """Lets the user begin in the studies that the account takes part in.

        Raises:
            ServiceError: The service refuses, or does not answer.
            ProblemsError: A study's pack can't be stored.
            AttemptError: A study can't start here.
        """
        known_studies = {hosted_study.study for hosted_study in await asyncio.to_thread(self._hosted.list_all)}
        for enrolled_study in await client.enrol_and_list_studies():
            # Rules and places never change.
            if enrolled_study.study not in known_studies and enrolled_study.file is not None:
                await self._install_packs_and_join(client, enrolled_study)

    async def hand_in_journal_and_draw_if_allowed(self, client: ServiceClient, hosted_study: HostedStudy) -> None:
        """Delivers what is new in the participant's journal, and draws the assignment once the service allows it.

        Raises:
            ServiceError: The service refuses, or does not answer.
            AttemptError: The journal can't be read.
        """
        async with self._turn:
            lines = await asyncio.to_thread(self._journal_lines, hosted_study)
            waits = await asyncio.to_thread(self._is_draw_next, hosted_study)
            if not lines or (len(lines) == self._delivered_counts.get(hosted_study.study) and not waits):
                return
            journal_receipt = await client.hand_in_journal(hosted_study.study, lines)
            self._delivered_counts[hosted_study.study] = journal_receipt.entries
            if journal_receipt.code and waits:
                await asyncio.to_thread(self._draw_with_code, hosted_study, journal_receipt.code)

    def is_journal_delivered(self, study: str) -> bool:
        """True if the service has the participant's whole journal. Reads the log."""
        hosted = self._hosted.find_study(study)
        return hosted is not None and len(self._journal_lines(hosted)) == self._delivered_counts.get(study)

    async def _install_packs_and_join(self, client: ServiceClient, enrolled_study: EnrolledStudy) -> None:
        from benchwright_studies.plan.allocation import ParticipantFile

        file = ParticipantFile.model_validate(enrolled_study.file)
        hosted = HostedStudy(
            service=client.url,
            study=file.study,
            participant=file.participant,
            assignments={assignment.pack: assignment.id for assignment in enrolled_study.assignments},
        )
        for pack in hosted.assignments:
            await self._install_pack_if_missing(client, hosted, pack)
        await asyncio.to_thread(self._join_and_keep_hosted, hosted, file)

    async def _install_pack_if_missing(self, client: ServiceClient, hosted_study: HostedStudy, pack_name: str) -> None:
        """Stores the public part of a pack that is not here. One that is has to be the study's version."""
        assignment = hosted_study.find_assignment(pack_name)
        if assignment is None or await asyncio.to_thread(self._has_unassigned_pack, pack_name):
            return
        from benchwright_remote.assigned_packs import store_missing_trees

        public = (await client.fetch_pack(pack_name)).model_copy(update={"name": pack_name})
        await store_missing_trees(self._store, client, pack_name, public.problems)
        await asyncio.to_thread(self._store.add_assigned, public, assignment)

    def _has_unassigned_pack(self, pack_name: str) -> bool:
        try:
            assignment = self._store.assignment_if_any(pack_name) if pack_name in self._store.pack_names() else None
        except ProblemsError:
            return True
        return pack_name in self._store.pack_names() and assignment is None

    def _join_and_keep_hosted(self, hosted_study: HostedStudy, participant_file: ParticipantFile) -> None:
        from benchwright_studies.plan.registration import join_study

        join_study(self._log(), self._store, participant_file)
        self._begin(hosted_study.study, hosted_study.participant)
        self._hosted.add(hosted_study)

    def _journal_lines(self, hosted_study: HostedStudy) -> list[dict[str, JsonValue]]:
        from benchwright_studies.conduct.archive import journal_json_lines

        entries = self._log().journal.entries(hosted_study.study, hosted_study.participant)
        return [parse_untrusted_json(line) for line in journal_json_lines(entries)]

    def _is_draw_next(self, hosted_study: HostedStudy) -> bool:
        """True if the assignment is what comes next."""
        from benchwright_attempts.attempts import Attempts
        from benchwright_studies.conduct.studies import Studies
        from benchwright_studies.plan.vocabulary import ParticipantStep

        log = self._log()
        if hosted_study.participant not in log.journal.participants(hosted_study.study):
            return False
        return (
            Studies(log, Attempts(log)).progress(hosted_study.study, hosted_study.participant).step
            is ParticipantStep.UNLOCK
        )

    def _draw_with_code(self, hosted_study: HostedStudy, unlock_code: str) -> None:
        from benchwright_attempts.attempts import Attempts
        from benchwright_studies.conduct.studies import Studies

        log = self._log()
        Studies(log, Attempts(log)).draw_assignment_if_next(hosted_study.study, hosted_study.participant, unlock_code)
