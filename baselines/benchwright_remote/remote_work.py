"""Work of a process for assignments of bench services: packs, events, grading."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, BinaryIO, Protocol

from benchwright_attempts.errors import AttemptError
from benchwright_attempts.grading.grading import GradingOutcome, OnStep
from benchwright_foundation.home import Home
from benchwright_problems.assignment import Assignment
from benchwright_problems.errors import ProblemsError
from benchwright_problems.storage.store import Store
from benchwright_remote.connections import Connections
from benchwright_remote.errors import ReceiptError, RefusedError, RetryLaterError, ServiceError
from benchwright_remote.hosted_studies import HostedStudies, HostedStudy

if TYPE_CHECKING:
    # The database library takes a third of a second to import, and what speaks to services a sixth: nobody pays
    # before they are needed.
    from benchwright_attempts.log.log import EventLog
    from benchwright_attempts.log.record import AttemptHeader
    from benchwright_remote.event_delivery import EventDelivery
    from benchwright_remote.remote_grading import RemoteGrading
    from benchwright_remote.service_client import ServiceClient
    from benchwright_remote.signed_in import SignedInClients

EVERY_S = 5.0
"""Time between two deliveries of new events, in seconds."""
_LONGEST_PAUSE_S = 300.0
"""After which a service is asked again, whatever it said."""

logger = logging.getLogger(__name__)


class StudyRecords(Protocol):
    """Records that studies at services need beside the events of their attempts."""

    async def join_enrolled_studies(self, client: ServiceClient) -> None:
        """Lets the user begin in the studies that the account takes part in.

        Raises:
            ServiceError: The service refuses, or does not answer.
            AttemptError: A study can't start here.
        """

    async def hand_in_journal_and_draw_if_allowed(self, client: ServiceClient, hosted_study: HostedStudy) -> None:
        """Delivers what is new in the participant's journal.

        Raises:
            ServiceError: The service refuses, or does not answer.
            AttemptError: The journal can't be read.
        """

    def is_journal_delivered(self, study: str) -> bool:
        """True if the service has the participant's whole journal. Reads the log."""


class RemoteWork:
    """Of one process.

    Args:
        home: The folders of this user.
        open_log: The event log, opened once it is needed.
        study_records: Records of studies that services conduct.
        show_sentence: Shows a sentence to the user.
    """

    def __init__(
        self,
        home: Home,
        open_log: Callable[[], EventLog],
        study_records: StudyRecords,
        show_sentence: Callable[[str], None] = lambda sentence: None,
    ) -> None:
        self._home = home
        self._studies = study_records
        self._hosted = HostedStudies(home)
        self._store = Store(home)
        self._log = open_log
        self._tell = show_sentence
        self._connections = Connections(home)
        self._following: asyncio.Task[None] | None = None
        self._refreshing: asyncio.Task[None] | None = None
        self._trouble: dict[str, str] = {}
        self._paused_until: dict[str, float] = {}
        """By attempt, in monotonic seconds."""

    def is_graded_at_service(self, attempt: str) -> bool:
        """True if an attempt belongs to an assignment. Reads files."""
        return self._assignment_of(attempt) is not None

    async def run(
        self,
        ref: str,
        files: Mapping[str, bytes],
        *,
        attempt: str,
        run_number: int,
        log: BinaryIO | None,
        before_step: OnStep,
    ) -> GradingOutcome:
        """As in `RemoteGrading`."""
        await self.start_delivering()
        return await self._grading.run(
            ref, files, attempt=attempt, run_number=run_number, log=log, before_step=before_step
        )

    async def take_hint(self, ref: str, hint_number: int, *, attempt: str) -> str:
        """The text of a hint; the service records that it was taken, and refuses what may not be taken yet.

        Raises:
            ServiceError: The service refuses, or does not answer.
            AttemptError: The attempt is of no assignment any more.
        """
        assignment = await asyncio.to_thread(self._assignment_of, attempt)
        if assignment is None:
            raise AttemptError("The assignment of this attempt is not known here any more. List the packs again.")
        client = await self._signed_in.client(assignment.service)
        # The service decides by what it has of the attempt.
        await self._delivery.deliver_missing_events(client, assignment, attempt)
        return (await client.take_hint(attempt, hint_number)).text

    async def refresh_packs_and_studies(self, longest_wait_s: float) -> None:
        """Brings packs of assignments and studies up to date; what takes longer is there the next time."""
        if self._refreshing is None or self._refreshing.done():
            self._refreshing = asyncio.create_task(self._refresh_all_services())
        await asyncio.wait({self._refreshing}, timeout=longest_wait_s)

    async def _refresh_all_services(self) -> None:
        for url in await self._service_urls():
            from benchwright_remote.assigned_packs import store_assigned_packs

            client = await self._signed_in.client(url)
            try:
                await store_assigned_packs(self._store, client)
                await self._studies.join_enrolled_studies(client)
            except (ServiceError, ProblemsError, AttemptError) as error:
                logger.warning("assignments of %s: %s", url, error)

    async def start_delivering(self) -> None:
        """Hands events in from now on, if the user has signed in somewhere."""
        if (self._following is None or self._following.done()) and await self._service_urls():
            self._following = asyncio.create_task(self._deliver_repeatedly())

    async def deliver_study_in_time(self, study: str, within_s: float) -> bool:
        """Delivers what is new of a study.

        Returns:
            Whether a service conducts the study, and took it in time.
        """
        try:
            hosted = await asyncio.to_thread(self._hosted.find_study, study)
            if hosted is None:
                return False
            client = await self._signed_in.client(hosted.service)
            async with asyncio.timeout(within_s):
                await self._studies.hand_in_journal_and_draw_if_allowed(client, hosted)
                for attempt, assignment in await asyncio.to_thread(self._undelivered_attempts):
                    if assignment.study == study:
                        await self._delivery.deliver_missing_events(client, assignment, attempt)
                # An assignment may have waited for the attempt at the practice problem.
                await self._studies.hand_in_journal_and_draw_if_allowed(client, hosted)
        except (ServiceError, AttemptError, TimeoutError) as error:
            logger.warning("study %s: %s", study, str(error) or "no answer in time")
            return False
        return True

    def is_study_delivered(self, study: str) -> bool:
        """True if a service has everything of a study that is here. Reads files."""
        has_unfinished = any(assignment.study == study for _, assignment in self._undelivered_attempts())
        return not has_unfinished and self._studies.is_journal_delivered(study)

    async def close(self) -> None:
        """Delivers what a moment allows, and ends."""
        if self._refreshing is not None:
            self._refreshing.cancel()
            await asyncio.wait({self._refreshing})
        if self._following is None:
            return
        self._following.cancel()
        await asyncio.wait({self._following})
        with contextlib.suppress(TimeoutError, ServiceError, AttemptError):
            async with asyncio.timeout(EVERY_S):
                await self._deliver_once()
        await self._signed_in.close()

    @cached_property
    def _signed_in(self) -> SignedInClients:
        from benchwright_remote.signed_in import SignedInClients

        return SignedInClients(self._connections)

    @cached_property
    def _delivery(self) -> EventDelivery:
        from benchwright_remote.event_delivery import EventDelivery

        return EventDelivery(self._home, self._log)

    @cached_property
    def _grading(self) -> RemoteGrading:
        from benchwright_remote.remote_grading import RemoteGrading

        return RemoteGrading(self._store, self._assignment_of, self._signed_in, self._delivery)

    async def _service_urls(self) -> list[str]:
        try:
            return [connection.url for connection in await asyncio.to_thread(self._connections.list_all)]
        except ServiceError as error:
            self._show_if_new("", str(error))
            return []

    async def _deliver_repeatedly(self) -> None:
        while True:
            try:
                await self._deliver_once()
            except Exception:
                logger.exception("events can't be handed in")
            await asyncio.sleep(EVERY_S)

    async def _deliver_once(self) -> None:
        # Journals first: no service takes events to which nobody has agreed.
        for hosted in await asyncio.to_thread(self._hosted.list_all):
            try:
                await self._studies.hand_in_journal_and_draw_if_allowed(
                    await self._signed_in.client(hosted.service), hosted
                )
            except (RefusedError, AttemptError) as error:
                self._show_if_new(
                    hosted.study, f"{hosted.service} does not take your records of {hosted.study}: {error}"
                )
            except ServiceError:
                # What is said of it is said for the attempts.
                continue
        for attempt, assignment in await asyncio.to_thread(self._undelivered_attempts):
            service = assignment.service
            if time.monotonic() < self._paused_until.get(attempt, 0.0):
                continue
            try:
                await self._delivery.deliver_missing_events(await self._signed_in.client(service), assignment, attempt)
            except RefusedError as error:
                self._show_if_new(attempt, f"{service} does not take your work: {error}")
            except ReceiptError as error:
                self._show_if_new(attempt, f"Your work is recorded here. {error}")
            except RetryLaterError as error:
                self._paused_until[attempt] = time.monotonic() + min(error.retry_after_s, _LONGEST_PAUSE_S)
                message = f"{service} takes no more of your work for now: {error}"
                self._show_if_new(attempt, f"{message} It is recorded here, and is delivered later; go on working.")
            except ServiceError:
                message = f"{service} does not answer. Your work is recorded here, and is delivered once it does."
                self._show_if_new(service, message)
                return
            except AttemptError as error:
                self._show_if_new(attempt, str(error))
            else:
                self._trouble.pop(attempt, None)
                if self._paused_until.pop(attempt, None) is not None:
                    self._tell(f"{service} has all of your work again.")
                if self._trouble.pop(service, None) is not None:
                    self._tell(f"{service} answers again, and has your work.")

    def _undelivered_attempts(self) -> list[tuple[str, Assignment]]:
        """Attempts at assignments of which the log has more than the service."""
        log = self._log()
        unfinished_attempts = []
        for header in log.headers():
            assignment = self._assignment_of_header(header)
            if assignment is not None and log.summarised_seq(header.id) > self._delivery.acknowledged_count(header.id):
                unfinished_attempts.append((header.id, assignment))
        return unfinished_attempts

    def _assignment_of(self, attempt: str) -> Assignment | None:
        return self._assignment_of_header(self._log().header(attempt))

    def _assignment_of_header(self, header: AttemptHeader) -> Assignment | None:
        pack = header.problem.partition("/")[0]
        if header.study:
            hosted = self._hosted.find_study(header.study)
            return hosted.find_assignment(pack) if hosted is not None else None
        try:
            return self._store.assignment_if_any(pack)
        except ProblemsError:
            return None

    def _show_if_new(self, subject: str, sentence: str) -> None:
        if self._trouble.get(subject) != sentence:
            self._trouble[subject] = sentence
            logger.warning("%s", sentence)
            self._tell(sentence)
