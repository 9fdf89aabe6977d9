"""A course for a new term: assignments and rules of an older one, with later dates; nobody and no work of anybody."""

from __future__ import annotations

import json
import re
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, tzinfo
from typing import Any

from sqlalchemy import Row, insert, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from benchwright_foundation.database import Database
from benchwright_remote.messages import Role
from benchwright_service.errors import BenchServiceError
from benchwright_service.questions.tables import CALLS
from benchwright_service.storage.tables import ASSIGNMENTS, COURSES, MEMBERS, PLACES, moment
from benchwright_teaching.local_times import in_zone, shift_by_days, zone_of

MOST_DAYS = 3_650
"""Days by which dates are shifted."""
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,99}")
_TIMES = ("opens", "due", "closes")
_KEPT_SETTINGS = ("zone", "late_days", "asks_recording", "kept_days", "silenced")


@dataclass(frozen=True)
class TermShift:
    """Way in which dates are shifted: by whole days, or so that the first one is on a day."""

    days: int | None = None
    starts: date | None = None

    def check(self) -> None:
        """Makes sure that it is one of both.

        Raises:
            BenchServiceError: It is both or none, or too far.
        """
        if (self.days is None) == (self.starts is None):
            raise BenchServiceError("give a number of days by which dates are shifted, or the day of the first date")
        if self.days is not None and abs(self.days) > MOST_DAYS:
            raise BenchServiceError(f"dates are shifted by at most {MOST_DAYS} days")


@dataclass(frozen=True)
class ShiftedAssignment:
    """An assignment of the older course, with the dates of its copy."""

    title: str
    old_times: Mapping[str, datetime | None]
    """By `opens`, `due`, `closes`."""
    new_times: Mapping[str, datetime | None]


@dataclass(frozen=True)
class CourseCopyPlan:
    """What a copy will be."""

    days: int
    """By which dates are shifted."""
    ends: datetime | None
    """Of the new course."""
    assignments: Sequence[ShiftedAssignment]


class CourseCopies:
    """Plans and makes them.

    Args:
        database: Database of the service.
        clock: Seconds since 1970.
    """

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._now = clock

    async def plan(self, course: str, shift: TermShift) -> CourseCopyPlan:
        """Dates as a copy will have them; nothing is made.

        Raises:
            BenchServiceError: There is no such course, or the shift is none.
        """
        shift.check()
        async with self._database.read_transaction() as connection:
            course_row, assignment_rows = await _course_and_assignment_rows(connection, course)
        return _plan(course_row, assignment_rows, shift)

    async def copy(self, course: str, new_course: str, title: str, shift: TermShift, owner: str) -> CourseCopyPlan:
        """Makes a course with the assignments, rules and settings of an older one; its owner is alone in it.

        Questions that the older course has published are in its pack, from which the copy assigns them; it collects
        its own in the same way.

        Args:
            course: The older one.
            new_course: Short name of the new one.
            title: Title of the new one; that of the older one if empty.
            shift: Way in which dates are shifted.
            owner: Account that owns the new one.

        Raises:
            BenchServiceError: There is no such course, one of the new name exists, or the shift is none.
        """
        shift.check()
        if _NAME.fullmatch(new_course) is None:
            raise BenchServiceError(
                "the short name has letters from a to z, digits, and . _ - within it, 100 characters at most"
            )
        async with self._database.write_transaction() as connection:
            course_row, assignment_rows = await _course_and_assignment_rows(connection, course)
            copy_plan = _plan(course_row, assignment_rows, shift)
            new_row = {
                "id": new_course,
                "title": title or course_row.title,
                "created": self._now(),
                "ends": copy_plan.ends.timestamp() if copy_plan.ends is not None else None,
            }
            new_row |= {
                name: getattr(course_row, name)
                for name in ("zone", "late_days", "asks_recording", "kept_days", "silenced")
            }
            try:
                await connection.execute(insert(COURSES).values(new_row))
            except IntegrityError:
                raise BenchServiceError(f"there is a course {new_course!r} already; choose another name") from None
            member_row = {"course": new_course, "account": owner, "role": Role.OWNER.value, "section": ""}
            await connection.execute(insert(MEMBERS).values(member_row))
            for rank, (row, shifted) in enumerate(zip(assignment_rows, copy_plan.assignments, strict=True)):
                # They keep their order, which is that of their creation.
                creation = {"id": uuid.uuid4().hex, "course": new_course, "created": self._now() + rank * 1e-3}
                times = {name: at.timestamp() if at is not None else None for name, at in shifted.new_times.items()}
                values = dict(row._mapping) | creation | times | {"assistance": _newest_rule_json(row.assistance)}
                await connection.execute(insert(ASSIGNMENTS).values(values))
            await _copy_question_call(connection, course, new_course, copy_plan.days, zone_of(course_row.zone))
        return copy_plan


async def _copy_question_call(
    connection: AsyncConnection, course: str, new_course: str, days: int, zone: tzinfo
) -> None:
    """Has the new course collect questions as the older one does; none of them, for each names its author."""
    call_row = (await connection.execute(select(CALLS).where(CALLS.c.course == course))).one_or_none()
    if call_row is None:
        return
    values = {name: getattr(call_row, name) for name in ("title", "license", "reviewers")}
    values |= {"course": new_course, "published": 0, "canary": str(uuid.uuid4())}
    for name in ("opens", "closes"):
        at = _shifted(moment(getattr(call_row, name)), days, zone)
        values[name] = at.timestamp() if at is not None else None
    await connection.execute(insert(CALLS).values(values))


async def _course_and_assignment_rows(connection: AsyncConnection, course: str) -> tuple[Row[Any], Sequence[Row[Any]]]:
    course_query = select(COURSES).where(COURSES.c.id == course, COURSES.c.id.not_in(select(PLACES.c.study)))
    course_row = (await connection.execute(course_query)).one_or_none()
    if course_row is None:
        raise BenchServiceError(f"there is no course {course!r}")
    query = select(ASSIGNMENTS).where(ASSIGNMENTS.c.course == course)
    rows = (await connection.execute(query.order_by(ASSIGNMENTS.c.created, ASSIGNMENTS.c.id))).all()
    return course_row, rows


def _plan(course_row: Row[Any], assignment_rows: Sequence[Row[Any]], shift: TermShift) -> CourseCopyPlan:
    zone = zone_of(course_row.zone)
    days = shift.days if shift.days is not None else _days_to_start(assignment_rows, shift.starts, zone)
    try:
        return CourseCopyPlan(
            days,
            _shifted(moment(course_row.ends), days, zone),
            [
                ShiftedAssignment(
                    row.title,
                    {name: moment(getattr(row, name)) for name in _TIMES},
                    {name: _shifted(moment(getattr(row, name)), days, zone) for name in _TIMES},
                )
                for row in assignment_rows
            ],
        )
    except OverflowError:
        raise BenchServiceError("a date would be outside the years that there are") from None


def _days_to_start(assignment_rows: Sequence[Row[Any]], starts: date | None, zone: tzinfo) -> int:
    """Days from the first date of all assignments to the day on which the copy starts."""
    dates = [getattr(row, name) for row in assignment_rows for name in _TIMES if getattr(row, name) is not None]
    if not dates or starts is None:
        raise BenchServiceError("no assignment has a date that could be on that day; give a number of days")
    days = (starts - in_zone(datetime.fromtimestamp(min(dates), UTC), zone).date()).days
    TermShift(days=days).check()
    return days


def _shifted(moment: datetime | None, days: int, zone: tzinfo) -> datetime | None:
    return shift_by_days(moment, days, zone) if moment is not None else None


def _newest_rule_json(rules_json: str | None) -> str | None:
    """The rule on help by models that held last, as if it had held from the start."""
    rule_versions = json.loads(rules_json) if rules_json else []
    return (
        json.dumps([rule_versions[-1] | {"since": None}])
        if rule_versions and rule_versions[-1]["rule"] is not None
        else None
    )
