"""Notices that time alone brings about: an assignment opens, or is due within a day."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Row, and_, case, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from benchwright_foundation.database import Database
from benchwright_remote.messages import Role
from benchwright_service.mail.mail_kinds import MailKind
from benchwright_service.mail.queueing import MAIL_FACT, Occasion, queue_notices
from benchwright_service.points.worth import CoursePart, work_out_worth
from benchwright_service.storage.tables import (
    ASSIGNMENTS,
    COURSES,
    EXTENSIONS,
    FACTS,
    LATE_DAYS,
    MAILED_NOTICES,
    MEMBERS,
    PLACES,
    moment,
)
from benchwright_teaching.points import AssignmentTimes, student_times

LOOKED_EVERY_S = 300.0
"""Time after which a process looks at all assignments again, in seconds."""
_NEAR_S = 86_400.0
_STILL_NEW_S = 2 * 86_400.0
"""Time after its opening for which an assignment is news, in seconds: a service may have been down."""


class TimedNotices:
    """Queues them.

    Args:
        database: Database of the service.
        clock: Seconds since 1970.
    """

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._now = clock

    async def record_has_mail_server(self, *, has_mail_server: bool) -> None:
        """Says to all that queue notices whether the service has a mail server."""
        row = {"name": MAIL_FACT, "value": "0"}
        async with self._database.write_transaction() as connection:
            if has_mail_server:
                await connection.execute(self._database.insert_into(FACTS).values(row).on_conflict_do_nothing())
            else:
                await connection.execute(FACTS.delete().where(FACTS.c.name == MAIL_FACT))

    async def queue_due_notices_if_time(self) -> None:
        """Looks at all assignments, if it is time again and no other process does."""
        current_time = self._now()
        query = select(FACTS.c.value).where(FACTS.c.name == MAIL_FACT)
        async with self._database.read_transaction() as connection:
            last_time = (await connection.execute(query)).scalar()
        if last_time is None or float(last_time) > current_time - LOOKED_EVERY_S:
            return
        turn = update(FACTS).where(FACTS.c.name == MAIL_FACT, FACTS.c.value == last_time)
        async with self._database.write_transaction() as connection:
            if (await connection.execute(turn.values(value=str(current_time)))).rowcount != 1:
                return
        await self._queue_opened_notices(current_time)
        await self._queue_deadline_notices(current_time)

    async def _queue_opened_notices(self, current_time: float) -> None:
        opening = case((ASSIGNMENTS.c.opens > ASSIGNMENTS.c.created, ASSIGNMENTS.c.opens), else_=ASSIGNMENTS.c.created)
        query = (
            select(ASSIGNMENTS.c.id, ASSIGNMENTS.c.course)
            .join(COURSES, COURSES.c.id == ASSIGNMENTS.c.course)
            .where(*_open_assignment_conditions(current_time), opening > current_time - _STILL_NEW_S)
            .where(ASSIGNMENTS.c.closes.is_(None) | (ASSIGNMENTS.c.closes > current_time))
            .order_by(ASSIGNMENTS.c.id)
        )
        async with self._database.read_transaction() as connection:
            rows = (await connection.execute(query)).all()
        for row in rows:
            async with self._database.write_transaction() as connection:
                occasion = Occasion(MailKind.OPENED, row.course, row.id)
                await queue_notices(self._database, connection, occasion, current_time)

    async def _queue_deadline_notices(self, current_time: float) -> None:
        async with self._database.read_transaction() as connection:
            student_rows = await _rows_of_students_with_deadlines(connection, current_time)
        accounts: dict[tuple[str, str], dict[float, list[str]]] = defaultdict(lambda: defaultdict(list))
        for row in student_rows:
            deadline = _own_deadline(row)
            if deadline is None or not current_time < deadline <= current_time + _NEAR_S:
                continue
            if row.deadline != deadline:
                accounts[row.course, row.id][deadline].append(row.account)
        for (course, assignment), accounts_by_deadline in accounts.items():
            everybody = [account for some_accounts in accounts_by_deadline.values() for account in some_accounts]
            async with self._database.read_transaction() as connection:
                worth = (await work_out_worth(connection, CoursePart(course, [assignment], everybody))).by_student
            idle_accounts = {account for account, _ in worth if not worth[account, assignment].by_problem}
            for deadline, some_accounts in accounts_by_deadline.items():
                occasion = Occasion(MailKind.NEAR, course, assignment, deadline)
                reminded = idle_accounts.intersection(some_accounts)
                async with self._database.write_transaction() as connection:
                    await queue_notices(self._database, connection, occasion, current_time, reminded)


def _open_assignment_conditions(current_time: float) -> Sequence[ColumnElement[bool]]:
    """Conditions of assignments that have opened, of courses that go on."""
    return (
        ASSIGNMENTS.c.opens.is_(None) | (ASSIGNMENTS.c.opens <= current_time),
        COURSES.c.archived.is_(None),
        COURSES.c.id.not_in(select(PLACES.c.study)),
    )


async def _rows_of_students_with_deadlines(connection: AsyncConnection, current_time: float) -> Sequence[Row[Any]]:
    """Students of assignments that are due within a day for all, or for who has other times."""
    assigned = ASSIGNMENTS.c
    usual_deadline = func.coalesce(assigned.due, assigned.closes)
    late_days = (
        select(LATE_DAYS.c.assignment, LATE_DAYS.c.account, func.sum(LATE_DAYS.c.days).label("days"))
        .group_by(LATE_DAYS.c.assignment, LATE_DAYS.c.account)
        .subquery()
    )
    has_other_times = or_(EXTENSIONS.c.account.is_not(None), late_days.c.account.is_not(None))
    shown_columns: Sequence[ColumnElement[Any]] = (
        *(assigned[name] for name in ("id", "course", "due", "closes")),
        MEMBERS.c.account,
        EXTENSIONS.c.account.label("extended"),
        EXTENSIONS.c.due.label("own_due"),
        EXTENSIONS.c.closes.label("own_closes"),
        late_days.c.days,
        MAILED_NOTICES.c.deadline,
    )
    query = (
        select(*shown_columns)
        .join(COURSES, COURSES.c.id == assigned.course)
        .join(MEMBERS, MEMBERS.c.course == assigned.course)
        .outerjoin(
            EXTENSIONS,
            and_(EXTENSIONS.c.assignment == assigned.id, EXTENSIONS.c.account == MEMBERS.c.account),
        )
        .outerjoin(late_days, and_(late_days.c.assignment == assigned.id, late_days.c.account == MEMBERS.c.account))
        .outerjoin(
            MAILED_NOTICES,
            and_(
                MAILED_NOTICES.c.account == MEMBERS.c.account,
                MAILED_NOTICES.c.course == assigned.course,
                MAILED_NOTICES.c.kind == MailKind.NEAR.value,
                MAILED_NOTICES.c.subject == assigned.id,
            ),
        )
        .where(*_open_assignment_conditions(current_time), MEMBERS.c.role == Role.PARTICIPANT.value)
        .where(usual_deadline <= current_time + _NEAR_S, or_(usual_deadline > current_time, has_other_times))
        .order_by(assigned.id, MEMBERS.c.account)
    )
    return (await connection.execute(query)).all()


def _own_deadline(row: Row[Any]) -> float | None:
    """When an assignment is due for a student, or else closes."""
    extension = AssignmentTimes(moment(row.own_due), moment(row.own_closes)) if row.extended is not None else None
    times = student_times(AssignmentTimes(moment(row.due), moment(row.closes)), extension, int(row.days or 0))
    deadline = times.due or times.closes
    return deadline.timestamp() if deadline is not None else None
