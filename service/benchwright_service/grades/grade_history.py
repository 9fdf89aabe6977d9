"""Changes of a student's grade besides their own runs: extensions, adjustments, regrades, appeals."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import Select, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from benchwright_foundation.database import Database
from benchwright_foundation.number_text import signed_points_with_noun
from benchwright_service.errors import BenchServiceError
from benchwright_service.mail.mail_kinds import MailKind
from benchwright_service.mail.queueing import Occasion, queue_notices
from benchwright_service.storage.tables import (
    ACCOUNTS,
    ADJUSTMENTS,
    APPEALS,
    ASSIGNMENTS,
    EXTENSION_HISTORY,
    LATE_DAYS,
    REGRADED,
    REGRADES,
    RUNS,
    moment,
)

LONGEST = 4_000
"""Characters of an appeal, and of its answer."""


class AppealState(StrEnum):
    """State of an appeal."""

    OPEN = "open"
    GRANTED = "granted"
    DENIED = "denied"


@dataclass(frozen=True)
class GradeChange:
    """One entry of a grade's history."""

    at: datetime | None
    """None for extensions from before there was a history."""
    by: str
    """The name of who did it; empty if that is not known."""
    what: str
    reason: str
    dates: Sequence[tuple[str, datetime]] = ()
    """Of an extension: what happens then, and when."""


@dataclass(frozen=True)
class Appeal:
    """Appeal of a student against a grade."""

    id: int
    assignment: str
    account: str
    name: str
    """The student's."""
    at: datetime
    text: str
    state: AppealState
    answer: str
    by: str
    """The name of who answered; empty while nobody has."""
    answered: datetime | None


class GradeHistory:
    """Reads it; takes and answers appeals.

    Args:
        database: Database of the service.
        clock: Seconds since 1970.
    """

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._now = clock

    async def grade_changes(self, assignment: str, account: str) -> Sequence[GradeChange]:
        """Returns the changes of a grade, oldest first."""
        async with self._database.read_transaction() as connection:
            extensions = (await connection.execute(_history_query(EXTENSION_HISTORY, assignment, account))).all()
            adjustments = (await connection.execute(_history_query(ADJUSTMENTS, assignment, account))).all()
            late_days = (await connection.execute(_history_query(LATE_DAYS, assignment, account))).all()
            regrades = (await connection.execute(_regrades_query(assignment, account))).all()
        grade_changes = [
            GradeChange(moment(row.at), row.name or row.by, "extended:", row.reason, _extension_times(row))
            for row in extensions
        ]
        grade_changes += [
            GradeChange(
                moment(row.at), row.name or row.by, f"used {row.days} late {'day' if row.days == 1 else 'days'}", ""
            )
            for row in late_days
        ]
        grade_changes += [
            GradeChange(
                moment(row.at),
                row.name or row.by,
                signed_points_with_noun(row.points),
                row.reason,
            )
            for row in adjustments
        ]
        grade_changes += [
            GradeChange(
                moment(row.ended), row.name or row.by, f"{row.problem}: {row.old_outcome} → {row.outcome}", "regrade"
            )
            for row in regrades
        ]
        return sorted(
            grade_changes, key=lambda grade_change: grade_change.at.timestamp() if grade_change.at is not None else 0.0
        )

    async def record_appeal(self, assignment: str, account: str, appeal_text: str) -> None:
        """Takes an appeal.

        Raises:
            BenchServiceError: The appeal says nothing, or an earlier one has no answer yet.
        """
        if not appeal_text:
            raise BenchServiceError("an appeal needs a reason")
        row = {
            "assignment": assignment,
            "account": account,
            "text": appeal_text[:LONGEST],
            "state": AppealState.OPEN.value,
        }
        row |= {"answer": "", "by": ""}
        open_appeal_query = select(APPEALS.c.id).where(
            APPEALS.c.assignment == assignment, APPEALS.c.account == account, APPEALS.c.state == AppealState.OPEN.value
        )
        async with self._database.write_transaction() as connection:
            # Two at once wait for each other here.
            lock = update(ASSIGNMENTS).where(ASSIGNMENTS.c.id == assignment).values(title=ASSIGNMENTS.c.title)
            course = (await connection.execute(lock.returning(ASSIGNMENTS.c.course))).scalar_one()
            if (await connection.execute(open_appeal_query)).first() is not None:
                raise BenchServiceError("your appeal waits for its answer already")
            await connection.execute(insert(APPEALS).values(row | {"at": self._now()}))
            await queue_notices(self._database, connection, Occasion(MailKind.APPEALED, course), self._now())

    async def answer_appeal(
        self, appeal_id: int, assignment: str, account: str, *, granted: bool, answer_text: str, staff_account: str
    ) -> None:
        """Answers an appeal; points are changed by an adjustment.

        Raises:
            BenchServiceError: No such appeal waits, or no reason is given.
        """
        if not answer_text:
            raise BenchServiceError("the answer needs a reason")
        state = AppealState.GRANTED if granted else AppealState.DENIED
        answer_update = (
            update(APPEALS)
            .where(APPEALS.c.id == appeal_id, APPEALS.c.assignment == assignment, APPEALS.c.account == account)
            .where(APPEALS.c.state == AppealState.OPEN.value)
            .values(state=state.value, answer=answer_text[:LONGEST], by=staff_account, answered=self._now())
        )
        async with self._database.write_transaction() as connection:
            if (await connection.execute(answer_update)).rowcount != 1:
                raise BenchServiceError("the appeal has been answered already")
            course_query = select(ASSIGNMENTS.c.course).where(ASSIGNMENTS.c.id == assignment)
            course = (await connection.execute(course_query)).scalar_one()
            answered = Occasion(MailKind.ANSWERED, course, assignment)
            await queue_notices(self._database, connection, answered, self._now(), [account])

    async def waiting_appeal_count(self, course: str) -> int:
        """Returns the number of appeals of a course that have no answer yet."""
        async with self._database.read_transaction() as connection:
            return await count_waiting_appeals(connection, course)

    async def appeals(self, course: str, account: str | None = None) -> Sequence[Appeal]:
        """The appeals of a course, or of one student in it: those that wait first, then the newest."""
        staff = ACCOUNTS.alias()
        query = (
            select(APPEALS, ACCOUNTS.c.name, staff.c.name.label("staff"))
            .join(ASSIGNMENTS, ASSIGNMENTS.c.id == APPEALS.c.assignment)
            .join(ACCOUNTS, ACCOUNTS.c.id == APPEALS.c.account)
            .outerjoin(staff, staff.c.id == APPEALS.c.by)
            .where(ASSIGNMENTS.c.course == course)
            .order_by(APPEALS.c.answered.is_not(None), APPEALS.c.id.desc())
        )
        if account is not None:
            query = query.where(APPEALS.c.account == account)
        async with self._database.read_transaction() as connection:
            rows = (await connection.execute(query)).all()
        return [
            Appeal(
                row.id,
                row.assignment,
                row.account,
                row.name,
                moment(row.at),
                row.text,
                AppealState(row.state),
                row.answer,
                row.staff or row.by,
                moment(row.answered),
            )
            for row in rows
        ]


async def count_waiting_appeals(connection: AsyncConnection, course: str) -> int:
    """The number of appeals of a course that have no answer yet."""
    query = (
        select(func.count())
        .select_from(APPEALS.join(ASSIGNMENTS, ASSIGNMENTS.c.id == APPEALS.c.assignment))
        .where(ASSIGNMENTS.c.course == course, APPEALS.c.state == AppealState.OPEN.value)
    )
    return int((await connection.execute(query)).scalar_one())


def _history_query(table: Any, assignment: str, account: str) -> Select[Any]:
    return (
        select(table, ACCOUNTS.c.name)
        .outerjoin(ACCOUNTS, ACCOUNTS.c.id == table.c.by)
        .where(table.c.assignment == assignment, table.c.account == account)
        .order_by(table.c.id)
    )


def _regrades_query(assignment: str, account: str) -> Select[Any]:
    return (
        select(
            REGRADES.c.ended,
            REGRADES.c.by,
            REGRADES.c.problem,
            REGRADED.c.old_outcome,
            REGRADED.c.outcome,
            ACCOUNTS.c.name,
        )
        .join(REGRADED, REGRADED.c.regrade == REGRADES.c.id)
        .join(RUNS, RUNS.c.id == REGRADED.c.run)
        .outerjoin(ACCOUNTS, ACCOUNTS.c.id == REGRADES.c.by)
        .where(REGRADES.c.assignment == assignment, RUNS.c.account == account, REGRADES.c.state == "accepted")
        .where(REGRADED.c.outcome != REGRADED.c.old_outcome)
    )


def _extension_times(extension_row: Any) -> Sequence[tuple[str, datetime]]:
    named_deadlines = [("due", moment(extension_row.due)), ("closes", moment(extension_row.closes))]
    return [(name, time_limit) for name, time_limit in named_deadlines if time_limit is not None]
