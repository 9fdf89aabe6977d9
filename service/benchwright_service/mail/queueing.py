"""Queueing notices, in the transaction of what they are about. Without a mail server, nothing is queued."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Double, case, func, literal, select
from sqlalchemy.ext.asyncio import AsyncConnection

from benchwright_foundation.database import Database
from benchwright_service.mail.mail_kinds import MailKind
from benchwright_service.points.worth import CoursePart
from benchwright_service.storage.tables import COURSES, FACTS, MAILED_NOTICES, MEMBERS, PLACES, WORTH

MAIL_FACT = "mail"
"""Name of the fact that a service has a mail server, for commands too; its value is when assignments were looked at."""


@dataclass(frozen=True)
class Occasion:
    """Something of a course that people are sent mail about."""

    kind: MailKind
    course: str
    subject: str = ""
    """The id of the assignment; empty for the course as a whole."""
    deadline: float | None = None
    """The one that is near, in seconds since 1970."""


async def queue_notices(
    database: Database,
    connection: AsyncConnection,
    occasion: Occasion,
    current_time: float,
    accounts: Collection[str] | None = None,
) -> None:
    """Queues a notice for people of a course; one that waits already says the newest.

    Args:
        database: Database of the service.
        connection: The transaction that changes what the notice is about.
        occasion: What it is about.
        current_time: Seconds since 1970.
        accounts: Their accounts. None for everybody whom the kind is for.
    """
    has_mail = select(FACTS.c.name).where(FACTS.c.name == MAIL_FACT).exists()
    is_going = select(COURSES.c.id).where(COURSES.c.id == occasion.course, COURSES.c.archived.is_(None)).exists()
    is_study = select(PLACES.c.study).where(PLACES.c.study == occasion.course).exists()
    columns_by_name: dict[str, ColumnElement[Any]] = {
        "account": MEMBERS.c.account,
        "course": MEMBERS.c.course,
        "kind": literal(occasion.kind.value),
        "subject": literal(occasion.subject),
        "deadline": literal(occasion.deadline, Double()),
        "number": literal(1),
        "due": literal(current_time + occasion.kind.collected_s, Double()),
        "tries": literal(0),
    }
    notice_query = select(*(column.label(name) for name, column in columns_by_name.items())).where(
        MEMBERS.c.course == occasion.course,
        MEMBERS.c.role.in_([role.value for role in occasion.kind.roles]),
        has_mail,
        is_going,
        ~is_study,
    )
    if accounts is not None:
        notice_query = notice_query.where(MEMBERS.c.account.in_(accounts))
    # In one order, so that no two transactions wait for each other.
    insertion = database.insert_into(MAILED_NOTICES).from_select(
        [*columns_by_name], notice_query.order_by(MEMBERS.c.account)
    )
    kept, new = MAILED_NOTICES.c, insertion.excluded
    key_columns = [column.name for column in MAILED_NOTICES.primary_key]
    if occasion.kind is MailKind.OPENED:
        await connection.execute(insertion.on_conflict_do_nothing(index_elements=key_columns))
        return
    renewal: dict[str, Any] = {
        "deadline": new.deadline,
        "number": kept.number + 1,
        "due": func.coalesce(kept.due, new.due),
        "tries": case((kept.due.is_(None), 0), else_=kept.tries),
        "failed": None,
    }
    is_new = kept.deadline.is_distinct_from(new.deadline) if occasion.kind is MailKind.NEAR else None
    await connection.execute(insertion.on_conflict_do_update(index_elements=key_columns, set_=renewal, where=is_new))


@asynccontextmanager
async def queueing_changed_grades(
    database: Database, connection: AsyncConnection, scope: CoursePart, current_time: float
) -> AsyncIterator[None]:
    """Queues a notice for each student whose points for a problem are others at the end of the block, or new.

    Args:
        database: Database of the service.
        connection: The transaction that changes them by somebody's decision; it has locked the assignments.
        scope: Assignments that it changes them in.
        current_time: Seconds since 1970.
    """
    old_points = await _points_by_assignment_account_and_problem(connection, scope)
    yield
    new_points = await _points_by_assignment_account_and_problem(connection, scope)
    for assignment in sorted(scope.assignments or ()):
        earlier_points, later_points = old_points.get(assignment, {}), new_points.get(assignment, {})
        accounts = [
            account
            for account in earlier_points.keys() | later_points.keys()
            if earlier_points.get(account) != later_points.get(account)
        ]
        if accounts:
            occasion = Occasion(MailKind.GRADED, scope.course, assignment)
            await queue_notices(database, connection, occasion, current_time, accounts)


async def _points_by_assignment_account_and_problem(
    connection: AsyncConnection, scope: CoursePart
) -> Mapping[str, Mapping[str, Mapping[str, float]]]:
    """Points by assignment, account and problem."""
    query = select(WORTH.c.assignment, WORTH.c.account, WORTH.c.problem, WORTH.c.points).where(
        WORTH.c.assignment.in_(scope.assignments or ())
    )
    points: dict[str, dict[str, dict[str, float]]] = {}
    for row in await connection.execute(query):
        points.setdefault(row.assignment, {}).setdefault(row.account, {})[row.problem] = row.points
    return points
