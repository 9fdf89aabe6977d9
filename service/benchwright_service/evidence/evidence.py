"""Events of attempts as they happen: taken if they follow, kept, and countersigned."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import bindparam, select, update

from benchwright_attempts.errors import AttemptError, LogBusyError, LogError, LogUnavailableError
from benchwright_attempts.events.adopting import ChainHead, IncomingEvents
from benchwright_attempts.events.evidence import Recording
from benchwright_attempts.log.anchors import Anchor
from benchwright_attempts.log.appending import reduce_to_recording_level
from benchwright_attempts.log.log import EventLog
from benchwright_attempts.log.record import AttemptHeader, StoredRow, checked_storable
from benchwright_foundation.database import Database
from benchwright_foundation.errors import StorageError
from benchwright_foundation.json_text import parse_untrusted_json
from benchwright_foundation.refusals import Flaw, RefusalError, RefusalKind
from benchwright_remote.messages import AssignmentView, EventsTaken, NewEvents
from benchwright_service.courses.courses import Courses
from benchwright_service.courses.quotas import QuotaKeeper
from benchwright_service.evidence.batches import Batches
from benchwright_service.evidence.signing import Countersigner
from benchwright_service.storage.tables import ASSIGNMENTS, ATTEMPTS_HELD, COURSES, RECEIPTS, RECORDING_CHOICES
from benchwright_service.studies.study_places import StudyPlaces

_MOST_TOGETHER = 100
"""Attempts whose events are taken in one transaction."""
_PACE_S = 0.08
_AT_ONCE = 2
"""Transactions: while one waits for the disk, the next is prepared."""


@dataclass(frozen=True, slots=True)
class _SentEvents:
    account: str
    new_events: NewEvents
    rows: Sequence[StoredRow]
    came: float


@dataclass(frozen=True, slots=True)
class _Owner:
    account: str
    records_less: bool
    """True if the account has not agreed to the recording of its work, and its course asks."""


class EvidenceWriter:
    """Takes events into the log. What comes while others are being written is written together.

    Args:
        log: The service's.
        database: Database of the service.
        courses: Say who may work on what.
        study_places: Say who is which participant of a study.
        signer: Countersigns.
        quotas: Say how much one account may send.
        clock: Seconds since 1970.
    """

    def __init__(
        self,
        log: EventLog,
        database: Database,
        courses: Courses,
        study_places: StudyPlaces,
        signer: Countersigner,
        quotas: QuotaKeeper,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.log = log
        self.signer = signer
        self._database = database
        self._courses = courses
        self._places = study_places
        self._quotas = quotas
        self._now = clock
        self._taking = Batches(
            self._receive_batch, _attempt_of, most_items=_MOST_TOGETHER, pace_s=_PACE_S, most_batches=_AT_ONCE
        )

    async def receive_events(self, account: str, new_events: NewEvents) -> EventsTaken:
        """Takes events; what is here already changes nothing. When this returns, they are on disk.

        Raises:
            RefusalError: The events do not follow, or are of somebody else's attempt or of none that may be worked on.
            LogError: The events could not be written.
        """
        self._quotas.count_events_or_refuse(account, len(new_events.lines))
        return await self._taking.process(_SentEvents(account, new_events, _parsed_event_rows(new_events), self._now()))

    async def _receive_batch(self, sendings: Sequence[_SentEvents]) -> Sequence[EventsTaken | Exception]:
        results_by_attempt: dict[str, EventsTaken | Exception] = {}
        owners = await self._owners([_attempt_of(sending) for sending in sendings])
        for sending in sendings:
            try:
                await self._claim_or_require_owner(sending, owners.get(_attempt_of(sending)))
            except (RefusalError, StorageError) as error:
                results_by_attempt[_attempt_of(sending)] = error
        held_sendings = [sending for sending in sendings if _attempt_of(sending) not in results_by_attempt]
        heads = await asyncio.to_thread(self._receive_into_log, held_sendings)
        signed = []
        for sending, attempt_head in zip(held_sendings, heads, strict=True):
            if isinstance(attempt_head, ChainHead):
                receipt = self._signed_receipt(sending, attempt_head)
                results_by_attempt[_attempt_of(sending)] = receipt
                if receipt.anchor is not None:
                    signed.append((receipt.anchor, receipt.clock_difference_s))
            else:
                results_by_attempt[_attempt_of(sending)] = attempt_head
        await self._keep_anchors(signed)
        return [results_by_attempt[_attempt_of(sending)] for sending in sendings]

    def _receive_into_log(self, sendings: Sequence[_SentEvents]) -> Sequence[ChainHead | Exception]:
        incoming = [IncomingEvents(sending.new_events.header, sending.rows) for sending in sendings]
        try:
            heads: Sequence[ChainHead | AttemptError] = self.log.append_received_events(incoming) if incoming else ()
        except LogError as error:
            if len(sendings) == 1 or isinstance(error, LogUnavailableError | LogBusyError):
                return [error] * len(sendings)
            # The database does not take one of them, and does not say which.
            return [head for sending in sendings for head in self._receive_into_log([sending])]
        return [_not_following_refusal(head) if isinstance(head, AttemptError) else head for head in heads]

    def _signed_receipt(self, sending: _SentEvents, attempt_head: ChainHead) -> EventsTaken:
        difference = sending.came - sending.new_events.now.timestamp()
        if not attempt_head.events:
            return EventsTaken(anchor=None, clock_difference_s=difference)
        anchor = Anchor(
            attempt=_attempt_of(sending),
            events=attempt_head.events,
            head=attempt_head.hash,
            made=sending.new_events.now,
        )
        signed = self.signer.sign(anchor, datetime.fromtimestamp(sending.came, UTC))
        return EventsTaken(anchor=signed, clock_difference_s=difference)

    async def problem_ref_and_assignment(self, account: str, attempt: str) -> tuple[str, str]:
        """Problem and assignment of an attempt of this account.

        Raises:
            RefusalError: The account has no such attempt.
        """
        query = select(ATTEMPTS_HELD.c.problem, ATTEMPTS_HELD.c.assignment).where(
            ATTEMPTS_HELD.c.attempt == attempt, ATTEMPTS_HELD.c.account == account
        )
        async with self._database.read_transaction() as connection:
            row = (await connection.execute(query)).one_or_none()
        if row is None:
            raise _unknown_attempt_refusal()
        return row.problem, row.assignment

    async def _owners(self, attempts: Sequence[str]) -> dict[str, _Owner]:
        chosen = (RECORDING_CHOICES.c.course == COURSES.c.id) & (RECORDING_CHOICES.c.account == ATTEMPTS_HELD.c.account)
        query = (
            select(
                ATTEMPTS_HELD.c.attempt,
                ATTEMPTS_HELD.c.account,
                COURSES.c.asks_recording,
                RECORDING_CHOICES.c.agrees,
            )
            .join(ASSIGNMENTS, ASSIGNMENTS.c.id == ATTEMPTS_HELD.c.assignment)
            .join(COURSES, COURSES.c.id == ASSIGNMENTS.c.course)
            .outerjoin(RECORDING_CHOICES, chosen)
            .where(ATTEMPTS_HELD.c.attempt.in_(attempts))
        )
        async with self._database.read_transaction() as connection:
            return {
                row.attempt: _Owner(row.account, records_less=bool(row.asks_recording and not row.agrees))
                for row in await connection.execute(query)
            }

    async def _claim_or_require_owner(self, sending: _SentEvents, owner: _Owner | None) -> None:
        """Makes sure that an attempt is the account's; one that nobody has becomes its own.

        Raises:
            RefusalError: It is somebody else's or of nothing that may be worked on, or more was recorded than may be.
        """
        attempt = _attempt_of(sending)
        if owner is None:
            header, assignment = sending.new_events.header, sending.new_events.assignment
            view = await self._courses.require_open_assignment(sending.account, assignment)
            _require_recording_level(sending, records_less=view.records_less)
            self._quotas.count_attempt_or_refuse(sending.account)
            row = {
                "attempt": attempt,
                "account": sending.account,
                "assignment": assignment,
                "problem": await self._checked_problem_ref(sending.account, header, view),
                "created": sending.came,
                "clock_difference_s": sending.came - sending.new_events.now.timestamp(),
            }
            # Another process may have been first.
            insertion = self._database.insert_into(ATTEMPTS_HELD).values(row).on_conflict_do_nothing()
            async with self._database.write_transaction() as connection:
                await connection.execute(insertion)
            owner = (await self._owners([attempt])).get(attempt)
        if owner is None or owner.account != sending.account:
            raise _unknown_attempt_refusal()
        _require_recording_level(sending, records_less=owner.records_less)

    async def _checked_problem_ref(self, account: str, header: AttemptHeader, assignment: AssignmentView) -> str:
        """`pack/id` as this service has it; the solver's machine calls a course's pack after the assignment."""
        if header.study or await self._places.is_study(assignment.course):
            pseudonym = await self._places.find_pseudonym(header.study, account)
            own_place = (assignment.course, header.solver, header.problem.partition("/")[0])
            if own_place != (header.study, pseudonym, assignment.pack):
                raise RefusalError(
                    RefusalKind.INVALID, "The attempt is not this participant's in the study.", "Open the task again."
                )
        return _problem_ref_at_service(header, assignment)

    async def _keep_anchors(self, anchors_with_clock_difference: Sequence[tuple[Anchor, float]]) -> None:
        if not anchors_with_clock_difference:
            return
        # In one order, so that no two processes wait for each other.
        in_order = sorted(anchors_with_clock_difference, key=lambda pair: pair[0].attempt)
        receipt_rows = [
            {"attempt": anchor.attempt, "events": anchor.events, "anchor": anchor.as_line()} for anchor, _ in in_order
        ]
        noted = update(ATTEMPTS_HELD).where(ATTEMPTS_HELD.c.attempt == bindparam("of"))
        async with self._database.write_transaction() as connection:
            await connection.execute(self._database.insert_into(RECEIPTS).on_conflict_do_nothing(), receipt_rows)
            await connection.execute(
                noted.values(clock_difference_s=bindparam("difference")),
                [{"of": anchor.attempt, "difference": difference} for anchor, difference in in_order],
            )


def _require_recording_level(sending: _SentEvents, *, records_less: bool) -> None:
    """Makes sure that nothing comes of who has not agreed that the level `timing` leaves out.

    The events of an attempt are a chain, so one that has too much can't be left out alone: nothing of it is taken.
    """
    if not records_less:
        return
    header = sending.new_events.header
    if header.recording is not Recording.TIMING or any(_has_more_than_timing(row) for row in sending.rows):
        raise RefusalError(
            RefusalKind.INVALID,
            "You have not agreed to the recording of your work in this course, and this attempt records it.",
            "Update Benchwright, list the assignments again, and open the problem again.",
        )


def _has_more_than_timing(row: StoredRow) -> bool:
    try:
        event = row.parse().event
    except (ValueError, TypeError):
        return True
    return reduce_to_recording_level(event, Recording.TIMING) != event


def _attempt_of(sending: _SentEvents) -> str:
    return sending.new_events.header.id


def _not_following_refusal(error: AttemptError) -> RefusalError:
    refusal = RefusalError(RefusalKind.CONFLICT, str(error), "Ask how far the attempt is here, and send what follows.")
    refusal.__cause__ = error
    return refusal


def _problem_ref_at_service(header: AttemptHeader, assignment: AssignmentView) -> str:
    problem = header.problem.partition("/")[2]
    if problem not in assignment.problems:
        raise RefusalError(
            RefusalKind.NOT_FOUND, "The assignment has no such problem.", "Open the problem from the assignment again."
        )
    return f"{assignment.pack}/{problem}"


def _parsed_event_rows(new_events: NewEvents) -> list[StoredRow]:
    rows = []
    for index, line in enumerate(new_events.lines):
        try:
            row = StoredRow.from_json(parse_untrusted_json(line))
            for text in (row.process, row.participant, row.condition):
                checked_storable(text)
        except (ValueError, TypeError) as error:
            raise RefusalError(
                RefusalKind.INVALID,
                "A line is not a record of an event.",
                "Send lines as `benchwright attempts export` writes them.",
                errors=(Flaw(pointer=f"/lines/{index}", detail=type(error).__name__),),
            ) from None
        rows.append(row)
    return rows


def _unknown_attempt_refusal() -> RefusalError:
    return RefusalError(RefusalKind.NOT_FOUND, "There is no such attempt.", "Open the problem again.")
