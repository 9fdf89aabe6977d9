"""Events of attempts as they happen: taken if they follow, kept, and countersigned."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from datetime import UTC, datetime

from sqlalchemy import insert, select, update
from sqlalchemy.exc import IntegrityError

from benchwright_attempts.anchors import Anchor
from benchwright_attempts.errors import AttemptError, LogError
from benchwright_attempts.log import EventLog
from benchwright_attempts.record import AttemptHeader, Row, read_json
from benchwright_judges.database import Database
from benchwright_judges.service.refusals import Flaw, Kind, RefusalError
from benchwright_remote.messages import AssignmentView, NewEvents, Taken
from benchwright_service.courses import Courses
from benchwright_service.signing import Countersigner
from benchwright_service.study_places import StudyPlaces
from benchwright_service.tables import ATTEMPTS_HELD, RECEIPTS

_AT_ONCE = 8
"""Transactions of the log at a time, where the database allows more than one."""


class Evidence:
    """Takes events into the log.

    Args:
        log: The service's.
        database: Of the service.
        courses: Say who may work on what.
        places: Say who is which participant of a study.
        signer: Countersigns.
        now: Seconds since 1970.
    """

    def __init__(
        self,
        log: EventLog,
        database: Database,
        courses: Courses,
        places: StudyPlaces,
        signer: Countersigner,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.log = log
        self._database = database
        self._courses = courses
        self._places = places
        self._signer = signer
        self._now = now
        self._turns = asyncio.Semaphore(1 if database.engine.dialect.name == "sqlite" else _AT_ONCE)

    async def take(self, account: str, sent: NewEvents) -> Taken:
        """Takes events; what is here already changes nothing. When this returns, they are on disk.

        Raises:
            RefusalError: They do not follow, or are of somebody else's attempt or of none that may be worked on.
            LogError: They could not be written.
        """
        header = sent.header
        rows = _rows(sent)
        now = self._now()
        difference = now - sent.now.timestamp()
        await self._hold(account, header, sent.assignment, difference)
        try:
            async with self._turns:
                head = await asyncio.to_thread(self.log.receive, header, rows)
        except LogError:
            raise
        except AttemptError as error:
            raise RefusalError(
                Kind.CONFLICT, str(error), "Ask how far the attempt is here, and send what follows."
            ) from error
        if not head.events:
            return Taken(anchor=None, clock_difference_s=difference)
        time_ = datetime.fromtimestamp(now, UTC)
        anchor = Anchor(attempt=header.id, events=head.events, head=head.hash, made=sent.now)
        signed = self._signer.sign(anchor, time_)
        await self._keep(signed, difference)
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

    async def _hold(self, account: str, header: AttemptHeader, assignment: str, difference: float) -> None:
        wanted = select(ATTEMPTS_HELD.c.account).where(ATTEMPTS_HELD.c.attempt == header.id)
        async with self._database.reading() as connection:
            owner = (await connection.execute(wanted)).scalar()
        if owner is None:
            row = {
                "attempt": header.id,
                "account": account,
                "assignment": assignment,
                "problem": await self._problem(account, header, await self._courses.open_to(account, assignment)),
                "created": self._now(),
                "clock_difference_s": difference,
            }
            try:
                async with self._database.writing() as connection:
                    await connection.execute(insert(ATTEMPTS_HELD).values(row))
            except IntegrityError:
                # Two requests at once.
                return await self._hold(account, header, assignment, difference)
        elif owner != account:
            raise _unknown()
        return None

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

    async def _keep(self, signed: Anchor, difference: float) -> None:
        row = {"attempt": signed.attempt, "events": signed.events, "anchor": signed.as_line()}
        kept = self._database.insert_into(RECEIPTS).values(row).on_conflict_do_nothing()
        noted = update(ATTEMPTS_HELD).where(ATTEMPTS_HELD.c.attempt == signed.attempt)
        async with self._database.writing() as connection:
            await connection.execute(kept)
            await connection.execute(noted.values(clock_difference_s=difference))


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
