"""Late days: students move their own due dates, a few times in a course."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Row, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from benchwright_foundation.database import Database
from benchwright_remote.messages import Role
from benchwright_service.errors import BenchServiceError
from benchwright_service.points.kept_worth import lock_assignments, recompute_worth
from benchwright_service.points.worth import CoursePart
from benchwright_service.storage.tables import (
    ACCOUNTS,
    ASSIGNMENTS,
    COURSES,
    EXTENSIONS,
    LATE_DAYS,
    MEMBERS,
    moment,
)
from benchwright_teaching.points import AssignmentTimes, student_times


@dataclass(frozen=True)
class LateDayUse:
    """Late days that were used for an assignment at once."""

    assignment: str
    account: str
    days: int
    by: str
    """The name of who used them."""
    at: datetime


@dataclass(frozen=True)
class LateDayAllowance:
    """Late days of one student."""

    total: int
    """In the whole course."""
    used: int
    usable: int
    """Number that can be used for one assignment now; 0 if none can."""

    @property
    def left(self) -> int:
        """Number that is left in the course."""
        return max(0, self.total - self.used)


class LateDays:
    """Lets students use them, and knows who has.

    Args:
        database: Database of the service.
        clock: Seconds since 1970.
    """

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._now = clock

    async def use(self, course: str, assignment: str, account: str, days: int) -> None:
        """Moves the due date of a student by some days; in an assignment that is graded by group, that of the group.

        Each of the group pays with late days of their own, so that nobody's date moves at the cost of others.

        Raises:
            BenchServiceError: The assignment takes no late days or is closed for the student, or somebody has too few.
        """
        if days < 1:
            raise BenchServiceError("use at least one late day")
        async with self._database.write_transaction() as connection:
            # Two at once wait for each other here.
            await connection.execute(update(COURSES).where(COURSES.c.id == course).values(title=COURSES.c.title))
            await lock_assignments(connection, [assignment])
            row = await _assignment_row(connection, course, assignment, account)
            if row is None or row.due is None or not row.late_days:
                raise BenchServiceError("the assignment takes no late days")
            await self._require_open(connection, row, account)
            paying_accounts = await _accounts_sharing_late_days(connection, row, account)
            for member_account in paying_accounts:
                used_here, used_in_course = await _days_used_for_assignment_and_course(
                    connection, course, assignment, member_account
                )
                whose = "you have" if member_account == account else "somebody of your group has"
                if used_here + days > row.late_days:
                    raise BenchServiceError(
                        f"the assignment takes {row.late_days} late days, and {whose} used {used_here} for it"
                    )
                if used_in_course + days > row.course_late_days:
                    raise BenchServiceError(
                        f"{whose} {row.course_late_days - used_in_course} of {row.course_late_days} late days left"
                    )
                values = {"assignment": assignment, "account": member_account, "days": days}
                await connection.execute(insert(LATE_DAYS).values(values | {"by": account, "at": self._now()}))
            await recompute_worth(connection, CoursePart(course, [assignment], paying_accounts))

    async def allowance(self, course: str, assignment: str, account: str) -> LateDayAllowance:
        """The late days of a student, and how many of them can be used for an assignment now."""
        async with self._database.read_transaction() as connection:
            row = await _assignment_row(connection, course, assignment, account)
            if row is None:
                return LateDayAllowance(0, 0, 0)
            used_here, used_in_course = await _days_used_for_assignment_and_course(
                connection, course, assignment, account
            )
            usable = min(row.late_days - used_here, row.course_late_days - used_in_course)
            try:
                await self._require_open(connection, row, account)
            except BenchServiceError:
                usable = 0
        return LateDayAllowance(row.course_late_days, used_in_course, max(0, usable) if row.due is not None else 0)

    async def uses(self, course: str) -> Sequence[LateDayUse]:
        """All uses in a course, oldest first."""
        query = (
            select(LATE_DAYS, ACCOUNTS.c.name)
            .join(ASSIGNMENTS, ASSIGNMENTS.c.id == LATE_DAYS.c.assignment)
            .outerjoin(ACCOUNTS, ACCOUNTS.c.id == LATE_DAYS.c.by)
            .where(ASSIGNMENTS.c.course == course)
            .order_by(LATE_DAYS.c.id)
        )
        async with self._database.read_transaction() as connection:
            rows = (await connection.execute(query)).all()
        return [LateDayUse(row.assignment, row.account, row.days, row.name or row.by, moment(row.at)) for row in rows]

    async def _require_open(self, connection: AsyncConnection, row: Row[Any], account: str) -> None:
        query = select(EXTENSIONS).where(EXTENSIONS.c.assignment == row.id, EXTENSIONS.c.account == account)
        extension_row = (await connection.execute(query)).one_or_none()
        extension = (
            AssignmentTimes(moment(extension_row.due), moment(extension_row.closes))
            if extension_row is not None
            else None
        )
        used_here, _ = await _days_used_for_assignment_and_course(connection, row.course, row.id, account)
        times = student_times(AssignmentTimes(moment(row.due), moment(row.closes)), extension, used_here)
        current_time = datetime.fromtimestamp(self._now(), UTC)
        if row.archived is not None or (times.closes is not None and times.closes < current_time):
            raise BenchServiceError("the assignment is closed for you")


async def _assignment_row(connection: AsyncConnection, course: str, assignment: str, account: str) -> Row[Any] | None:
    """An assignment with its course's late days and the group of one of its participants."""
    query = (
        select(ASSIGNMENTS, COURSES.c.late_days.label("course_late_days"), COURSES.c.archived, MEMBERS.c.team)
        .join(COURSES, COURSES.c.id == ASSIGNMENTS.c.course)
        .join(MEMBERS, MEMBERS.c.course == ASSIGNMENTS.c.course)
        .where(ASSIGNMENTS.c.id == assignment, ASSIGNMENTS.c.course == course)
        .where(MEMBERS.c.account == account, MEMBERS.c.role == Role.PARTICIPANT.value)
    )
    return (await connection.execute(query)).one_or_none()


async def _accounts_sharing_late_days(
    connection: AsyncConnection, assignment_row: Row[Any], account: str
) -> Sequence[str]:
    if not assignment_row.by_group or not assignment_row.team:
        return [account]
    query = (
        select(MEMBERS.c.account)
        .where(MEMBERS.c.course == assignment_row.course, MEMBERS.c.team == assignment_row.team)
        .where(MEMBERS.c.role == Role.PARTICIPANT.value)
        .order_by(MEMBERS.c.account)
    )
    return (await connection.execute(query)).scalars().all()


async def _days_used_for_assignment_and_course(
    connection: AsyncConnection, course: str, assignment: str, account: str
) -> tuple[int, int]:
    """Late days that a student has used for an assignment, and in the whole course."""
    query = (
        select(LATE_DAYS.c.assignment, func.sum(LATE_DAYS.c.days).label("days"))
        .join(ASSIGNMENTS, ASSIGNMENTS.c.id == LATE_DAYS.c.assignment)
        .where(ASSIGNMENTS.c.course == course, LATE_DAYS.c.account == account)
        .group_by(LATE_DAYS.c.assignment)
    )
    days_by_assignment = {row.assignment: int(row.days) for row in (await connection.execute(query)).all()}
    return days_by_assignment.get(assignment, 0), sum(days_by_assignment.values())
