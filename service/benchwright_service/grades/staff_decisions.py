"""Decisions of staff about single students: other times, and points beside those of the runs."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from benchwright_foundation.database import Database
from benchwright_remote.messages import Role
from benchwright_service.errors import BenchServiceError
from benchwright_service.mail.mail_kinds import MailKind
from benchwright_service.mail.queueing import Occasion, queue_notices
from benchwright_service.points.kept_worth import lock_assignments, recompute_worth
from benchwright_service.points.worth import CoursePart
from benchwright_service.storage.tables import (
    ADJUSTMENTS,
    ASSIGNMENTS,
    COURSES,
    EXTENSION_HISTORY,
    EXTENSIONS,
    MEMBERS,
    moment,
)
from benchwright_teaching.local_times import zone_of
from benchwright_teaching.points import AssignmentTimes, extension_refusal


@dataclass(frozen=True)
class Extension:
    """Other times for one student; the newest extension counts, and all of them are kept."""

    assignment: str
    account: str
    times: AssignmentTimes
    reason: str


@dataclass(frozen=True)
class PointsAdjustment:
    """Points that are given to one student, or taken; nothing is ever overwritten."""

    assignment: str
    account: str
    points: float
    reason: str


class DecisionError(BenchServiceError):
    """A decision is not possible.

    Args:
        index: Place of the decision among those that were made together.
        text: The reason.
    """

    def __init__(self, index: int, text: str) -> None:
        super().__init__(text)
        self.index = index


class StaffDecisions:
    """Keeps them.

    Args:
        database: Database of the service.
        clock: Seconds since 1970.
    """

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._now = clock

    async def give_extensions(self, course: str, extensions: Sequence[Extension], staff_account: str) -> None:
        """Gives students other times: all of them or none.

        Raises:
            DecisionError: The course has no such assignment or student, or an extension would take time.
        """
        assignments = {extension.assignment for extension in extensions}
        async with self._database.write_transaction() as connection:
            await lock_assignments(connection, assignments)
            usual_times = await _times_by_assignment(connection, course)
            students = await _student_accounts(connection, course)
            zone = zone_of(
                (await connection.execute(select(COURSES.c.zone).where(COURSES.c.id == course))).scalar_one()
            )
            for index, extension in enumerate(extensions):
                _require_assignment_and_student(index, course, extension, usual_times, students)
                if extension.times == AssignmentTimes():
                    raise DecisionError(index, "an extension needs a time at which it is due, or at which it closes")
                if refusal := extension_refusal(usual_times[extension.assignment], extension.times, zone):
                    raise DecisionError(index, refusal)
                await self._write_extension(connection, extension, staff_account)
            accounts = {extension.account for extension in extensions}
            await recompute_worth(connection, CoursePart(course, assignments, accounts))
            await self._queue_notices(connection, MailKind.EXTENDED, course, extensions)

    async def adjust_points(self, course: str, adjustments: Sequence[PointsAdjustment], staff_account: str) -> None:
        """Gives points to students, or takes some: all of them or none.

        Raises:
            DecisionError: The course has no such assignment or student, or no reason is given.
        """
        current_time = self._now()
        async with self._database.write_transaction() as connection:
            usual_times = await _times_by_assignment(connection, course)
            students = await _student_accounts(connection, course)
            for index, adjustment in enumerate(adjustments):
                _require_assignment_and_student(index, course, adjustment, usual_times, students)
                if not adjustment.reason:
                    raise DecisionError(index, "an adjustment needs a reason")
            adjustment_rows = [
                {
                    "assignment": adjustment.assignment,
                    "account": adjustment.account,
                    "points": adjustment.points,
                    "reason": adjustment.reason,
                    "by": staff_account,
                    "at": current_time,
                }
                for adjustment in adjustments
            ]
            await connection.execute(insert(ADJUSTMENTS), adjustment_rows)
            await self._queue_notices(connection, MailKind.GRADED, course, adjustments)

    async def extensions(self, course: str) -> Sequence[Extension]:
        """The extensions that students of a course have, by assignment and account."""
        query = (
            select(EXTENSIONS)
            .join(ASSIGNMENTS, ASSIGNMENTS.c.id == EXTENSIONS.c.assignment)
            .where(ASSIGNMENTS.c.course == course)
            .order_by(EXTENSIONS.c.assignment, EXTENSIONS.c.account)
        )
        async with self._database.read_transaction() as connection:
            rows = (await connection.execute(query)).all()
        return [
            Extension(row.assignment, row.account, AssignmentTimes(moment(row.due), moment(row.closes)), row.reason)
            for row in rows
        ]

    async def _write_extension(self, connection: AsyncConnection, extension: Extension, staff_account: str) -> None:
        values = {
            "due": _unix_time_s(extension.times.due),
            "closes": _unix_time_s(extension.times.closes),
            "reason": extension.reason,
        }
        row: dict[str, Any] = {"assignment": extension.assignment, "account": extension.account, **values}
        upsert = self._database.insert_into(EXTENSIONS).values(row)
        upsert = upsert.on_conflict_do_update(index_elements=["assignment", "account"], set_=values)
        await connection.execute(upsert)
        await connection.execute(insert(EXTENSION_HISTORY).values(row | {"by": staff_account, "at": self._now()}))

    async def _queue_notices(
        self,
        connection: AsyncConnection,
        kind: MailKind,
        course: str,
        staff_decisions: Sequence[Extension] | Sequence[PointsAdjustment],
    ) -> None:
        for assignment in sorted({staff_decision.assignment for staff_decision in staff_decisions}):
            accounts = {decided.account for decided in staff_decisions if decided.assignment == assignment}
            occasion = Occasion(kind, course, assignment)
            await queue_notices(self._database, connection, occasion, self._now(), accounts)


def _unix_time_s(moment: datetime | None) -> float | None:
    return moment.timestamp() if moment is not None else None


def _require_assignment_and_student(
    index: int,
    course: str,
    staff_decision: Extension | PointsAdjustment,
    usual_times: Mapping[str, AssignmentTimes],
    students: frozenset[str],
) -> None:
    if staff_decision.assignment not in usual_times or staff_decision.account not in students:
        raise DecisionError(index, f"the course {course!r} has no such assignment or student")


async def _times_by_assignment(connection: AsyncConnection, course: str) -> Mapping[str, AssignmentTimes]:
    query = select(ASSIGNMENTS.c.id, ASSIGNMENTS.c.due, ASSIGNMENTS.c.closes).where(ASSIGNMENTS.c.course == course)
    return {
        row.id: AssignmentTimes(moment(row.due), moment(row.closes)) for row in (await connection.execute(query)).all()
    }


async def _student_accounts(connection: AsyncConnection, course: str) -> frozenset[str]:
    query = select(MEMBERS.c.account).where(MEMBERS.c.course == course, MEMBERS.c.role == Role.PARTICIPANT.value)
    return frozenset((await connection.execute(query)).scalars())
