"""Deletion of the records of courses that ended some time ago."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, ScalarSelect, Table, func, select, update

from benchwright_foundation.database import Database
from benchwright_foundation.number_text import counted
from benchwright_remote.messages import Role
from benchwright_service.accounts.people import People
from benchwright_service.evidence.audit import AuditLog
from benchwright_service.points.kept_worth import lock_assignments_of_courses, recompute_worth
from benchwright_service.points.worth import CoursePart
from benchwright_service.storage.tables import ASSIGNMENTS, ATTEMPTS_HELD, COURSES, MEMBERS, ROSTER, moment

OPERATOR = "operator"
"""Who deletes, in the audit log."""
_DAY_S = 86_400.0


@dataclass(frozen=True)
class OverdueCourse:
    """A course whose records of students are kept no longer."""

    course: str
    title: str
    ends: datetime
    kept_days: int
    students: int
    attempts: int


class Retention:
    """Finds and deletes them.

    Args:
        database: Database of the service.
        people: Delete what there is of a person.
        clock: Seconds since 1970.
    """

    def __init__(self, database: Database, people: People, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._people = people
        self._now = clock

    async def overdue_courses(self) -> Sequence[OverdueCourse]:
        """Courses with students whose records were to be kept until now, oldest end first."""
        student_count = _participant_count_query(MEMBERS) + _participant_count_query(
            ROSTER, ROSTER.c.dropped.is_not(None)
        )
        attempt_count = (
            select(func.count())
            .select_from(ATTEMPTS_HELD.join(ASSIGNMENTS, ASSIGNMENTS.c.id == ATTEMPTS_HELD.c.assignment))
            .where(ASSIGNMENTS.c.course == COURSES.c.id)
            .correlate(COURSES)
            .scalar_subquery()
        )
        query = (
            select(COURSES, student_count.label("students"), attempt_count.label("attempts"))
            .where(COURSES.c.kept_days.is_not(None), COURSES.c.ends.is_not(None))
            .where(COURSES.c.ends + COURSES.c.kept_days * _DAY_S <= self._now(), student_count > 0)
            .order_by(COURSES.c.ends, COURSES.c.id)
        )
        async with self._database.read_transaction() as connection:
            rows = (await connection.execute(query)).all()
        return [
            OverdueCourse(row.id, row.title, moment(row.ends), row.kept_days, row.students, row.attempts)
            for row in rows
        ]

    async def delete_students_and_count(self, overdue: OverdueCourse) -> int:
        """Deletes what there is of each student of a course, also of those whom its roster has dropped.

        If this ends in the middle, call it again.

        What is kept: the course with its assignments, rules and questions; its staff; the audit log; of each attempt a
        tombstone with its number of events; accounts of who is in another course.

        Returns:
            Number of people whose records were deleted.
        """
        # Nobody is left whose points the deletion of somebody else could change.
        ungroup = [update(table).where(table.c.course == overdue.course).values(team="") for table in (MEMBERS, ROSTER)]
        async with self._database.write_transaction() as connection:
            await lock_assignments_of_courses(connection, [overdue.course])
            for ungroup_table in ungroup:
                await connection.execute(ungroup_table)
            await recompute_worth(connection, CoursePart(overdue.course))
        everybody = [*await self._people.members(overdue.course), *await self._people.dropped_people(overdue.course)]
        participants = [person for person in everybody if person.role is Role.PARTICIPANT]
        for person in participants:
            reason = f"kept {counted(overdue.kept_days, 'day')} after the end of {overdue.course}"
            await self._people.delete_person_and_count_attempts(overdue.course, person.account, reason)
        await AuditLog(self._database, self._now).record_action(
            OPERATOR,
            overdue.course,
            "deleted records after the course",
            f"{len(participants)} {'student' if len(participants) == 1 else 'students'}",
        )
        return len(participants)


def _participant_count_query(table: Table, *conditions: ColumnElement[bool]) -> ScalarSelect[int]:
    """The number of a course's students in a table of people."""
    is_student = table.c.course == COURSES.c.id, table.c.role == Role.PARTICIPANT.value, *conditions
    return select(func.count()).select_from(table).where(*is_student).correlate(COURSES).scalar_subquery()
