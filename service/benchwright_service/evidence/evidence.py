"""Events of attempts as they happen: taken if they follow, kept, and countersigned."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import bindparam, select, update

from benchwright_attempts.errors import AttemptError, LogBusyError, LogError, LogUnavailableError
from benchwright_attempts.events.adopting import Head, Incoming
from benchwright_attempts.log.anchors import Anchor
from benchwright_attempts.log.log import EventLog
from benchwright_attempts.log.record import AttemptHeader, Row, read_json
from benchwright_foundation.database import Database
from benchwright_foundation.errors import StorageError
from benchwright_foundation.refusals import Flaw, Kind, RefusalError
from benchwright_remote.messages import AssignmentView, NewEvents, Taken
from benchwright_service.courses.courses import Courses
from benchwright_service.courses.quotas import QuotaKeeper
from benchwright_service.evidence.gathered import Gathered
from benchwright_service.evidence.signing import Countersigner
from benchwright_service.storage.tables import ATTEMPTS_HELD, RECEIPTS
from benchwright_service.studies.study_places import StudyPlaces

_MOST_TOGETHER = 100
"""Attempts whose events are taken in one transaction."""
_PACE_S = 0.04
_AT_ONCE = 2
"""Transactions: while one waits for the disk, the next is prepared."""


@dataclass(frozen=True, slots=True)
class _Sent:
    account: str
    events: NewEvents
    rows: Sequence[Row]
    came: float


class Evidence:
    """Takes events into the log. What comes while others are being written is written together.

    Args:
        log: The service's.
        database: Of the service.
        courses: Say who may work on what.
        places: Say who is which participant of a study.
        signer: Countersigns.
        quotas: Say how much one account may send.
        now: Seconds since 1970.
    """

    def __init__(
        self,
        log: EventLog,
        database: Database,
        courses: Courses,
        places: StudyPlaces,
        signer: Countersigner,
        quotas: QuotaKeeper,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.log = log
        self.signer = signer
        self._database = database
        self._courses = courses
        self._places = places
        self._quotas = quotas
        self._now = now
        self._taking = Gathered(self._take_all, _attempt_of, most=_MOST_TOGETHER, pace_s=_PACE_S, at_once=_AT_ONCE)

    async def take(self, account: str, sent: NewEvents) -> Taken:
        """Takes events; what is here already changes nothing. When this returns, they are on disk.

        Raises:
            RefusalError: They do not follow, or are of somebody else's attempt or of none that may be worked on.
            LogError: They could not be written.
        """
        self._quotas.take_events(account, len(sent.lines))
        return await self._taking.do(_Sent(account, sent, _rows(sent), self._now()))

    async def _take_all(self, sent: Sequence[_Sent]) -> Sequence[Taken | Exception]:
        results: dict[str, Taken | Exception] = {}
        owners = await self._owners([_attempt_of(one) for one in sent])
        for one in sent:
            try:
                await self._hold(one, owners.get(_attempt_of(one)))
            except (RefusalError, StorageError) as error:
                results[_attempt_of(one)] = error
        held = [one for one in sent if _attempt_of(one) not in results]
        heads = await asyncio.to_thread(self._receive, held)
        signed = []
        for one, head in zip(held, heads, strict=True):
            if isinstance(head, Head):
                taken = self._taken(one, head)
                results[_attempt_of(one)] = taken
                if taken.anchor is not None:
                    signed.append((taken.anchor, taken.clock_difference_s))
            else:
                results[_attempt_of(one)] = head
        await self._keep(signed)
        return [results[_attempt_of(one)] for one in sent]

    def _receive(self, sent: Sequence[_Sent]) -> Sequence[Head | Exception]:
        incoming = [Incoming(one.events.header, one.rows) for one in sent]
        try:
            heads: Sequence[Head | AttemptError] = self.log.receive_all(incoming) if incoming else ()
        except LogError as error:
            if len(sent) == 1 or isinstance(error, LogUnavailableError | LogBusyError):
                return [error] * len(sent)
            # The database does not take one of them, and does not say which.
            return [head for one in sent for head in self._receive([one])]
        return [_not_following(head) if isinstance(head, AttemptError) else head for head in heads]

    def _taken(self, one: _Sent, head: Head) -> Taken:
        difference = one.came - one.events.now.timestamp()
        if not head.events:
            return Taken(anchor=None, clock_difference_s=difference)
        anchor = Anchor(attempt=_attempt_of(one), events=head.events, head=head.hash, made=one.events.now)
        signed = self.signer.sign(anchor, datetime.fromtimestamp(one.came, UTC))
        return Taken(anchor=signed, clock_difference_s=difference)

    async def held(self, account: str, attempt: str) -> tuple[str, str]:
        """Problem and assignment of an attempt of this account.

        Raises:
            RefusalError: There is none.
        """
        wanted = select(ATTEMPTS_HELD.c.problem, ATTEMPTS_HELD.c.assignment).where(
            ATTEMPTS_HELD.c.attempt == attempt, ATTEMPTS_HELD.c.account == account
        )
        async with self._database.reading() as connection:
            found = (await connection.execute(wanted)).one_or_none()
        if found is None:
            raise _unknown()
        return found.problem, found.assignment

    async def _owners(self, attempts: Sequence[str]) -> dict[str, str]:
        wanted = select(ATTEMPTS_HELD.c.attempt, ATTEMPTS_HELD.c.account).where(ATTEMPTS_HELD.c.attempt.in_(attempts))
        async with self._database.reading() as connection:
            return {row.attempt: row.account for row in await connection.execute(wanted)}

    async def _hold(self, one: _Sent, owner: str | None) -> None:
        """Makes sure that an attempt is the account's; one that nobody has becomes its own."""
        attempt = _attempt_of(one)
        if owner is None:
            header, assignment = one.events.header, one.events.assignment
            self._quotas.take_attempt(one.account)
            row = {
                "attempt": attempt,
                "account": one.account,
                "assignment": assignment,
                "problem": await self._problem(
                    one.account, header, await self._courses.open_to(one.account, assignment)
                ),
                "created": one.came,
                "clock_difference_s": one.came - one.events.now.timestamp(),
            }
            # Another process may have been first.
            kept = self._database.insert_into(ATTEMPTS_HELD).values(row).on_conflict_do_nothing()
            async with self._database.writing() as connection:
                await connection.execute(kept)
            owner = (await self._owners([attempt])).get(attempt)
        if owner != one.account:
            raise _unknown()

    async def _problem(self, account: str, header: AttemptHeader, assignment: AssignmentView) -> str:
        """`pack/id` as this service has it; the solver's machine calls a course's pack after the assignment."""
        if header.study or await self._places.is_study(assignment.course):
            pseudonym = await self._places.pseudonym(header.study, account)
            own = (assignment.course, header.solver, header.problem.partition("/")[0])
            if own != (header.study, pseudonym, assignment.pack):
                raise RefusalError(
                    Kind.INVALID, "The attempt is not this participant's in the study.", "Open the task again."
                )
        return _named(header, assignment)

    async def _keep(self, signed: Sequence[tuple[Anchor, float]]) -> None:
        if not signed:
            return
        rows = [{"attempt": one.attempt, "events": one.events, "anchor": one.as_line()} for one, _ in signed]
        noted = update(ATTEMPTS_HELD).where(ATTEMPTS_HELD.c.attempt == bindparam("of"))
        async with self._database.writing() as connection:
            await connection.execute(self._database.insert_into(RECEIPTS).on_conflict_do_nothing(), rows)
            await connection.execute(
                noted.values(clock_difference_s=bindparam("difference")),
                [{"of": one.attempt, "difference": difference} for one, difference in signed],
            )


def _attempt_of(one: _Sent) -> str:
    return one.events.header.id


def _not_following(error: AttemptError) -> RefusalError:
    refusal = RefusalError(Kind.CONFLICT, str(error), "Ask how far the attempt is here, and send what follows.")
    refusal.__cause__ = error
    return refusal


def _named(header: AttemptHeader, assignment: AssignmentView) -> str:
    problem = header.problem.partition("/")[2]
    if problem not in assignment.problems:
        raise RefusalError(
            Kind.NOT_FOUND, "The assignment has no such problem.", "Open the problem from the assignment again."
        )
    return f"{assignment.pack}/{problem}"


def _rows(sent: NewEvents) -> list[Row]:
    rows = []
    for index, line in enumerate(sent.lines):
        try:
            row = Row.from_json(json.loads(line))
            read_json(row.body)
        except (ValueError, TypeError, RecursionError) as error:
            raise RefusalError(
                Kind.INVALID,
                "A line is not a record of an event.",
                "Send lines as `benchwright attempts export` writes them.",
                errors=(Flaw(pointer=f"/lines/{index}", detail=type(error).__name__),),
            ) from None
        rows.append(row)
    return rows


def _unknown() -> RefusalError:
    return RefusalError(Kind.NOT_FOUND, "There is no such attempt.", "Open the problem again.")
