"""Settings of a course as a whole: its time zone, late days, recording, and how long records are kept."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select, update

from benchwright_foundation.database import Database
from benchwright_service.errors import BenchServiceError
from benchwright_service.mail.mail_kinds import MailKind, column_text_of_kinds, kinds_of_column
from benchwright_service.storage.tables import COURSES, moment
from benchwright_teaching.local_times import UNIVERSAL, is_zone
from benchwright_teaching.points import MOST_LATE_DAYS

MOST_KEPT_DAYS = 3_650
"""Days for which a course's records may be kept after its end."""


@dataclass(frozen=True)
class CourseSettings:
    """What an owner decides for a course."""

    title: str
    zone: str = UNIVERSAL
    """IANA name of the time zone of its dates."""
    late_days: int = 0
    """Late days of each student, over all assignments."""
    asks_recording: bool = False
    """True if students choose how much of their work is recorded."""
    ends: datetime | None = None
    kept_days: int | None = None
    """Days after its end for which records of people are kept; None for as long as the service is there."""
    silenced: frozenset[MailKind] = frozenset()
    """Kinds of mail that it sends to nobody."""

    def check(self) -> None:
        """Makes sure that they can be.

        Raises:
            BenchServiceError: One of them can't.
        """
        if not self.title:
            raise BenchServiceError("a course needs a title")
        if not is_zone(self.zone):
            raise BenchServiceError(f"there is no time zone {self.zone!r}; give an IANA name such as Europe/Berlin")
        if not 0 <= self.late_days <= MOST_LATE_DAYS:
            raise BenchServiceError(f"a student has 0 to {MOST_LATE_DAYS} late days")
        if self.kept_days is not None and not 0 <= self.kept_days <= MOST_KEPT_DAYS:
            raise BenchServiceError(f"records are kept for 0 to {MOST_KEPT_DAYS} days")
        if self.kept_days is not None and self.ends is None:
            raise BenchServiceError("records are kept for some days after the end: give the day on which it ends")


async def read_course_settings(database: Database, course: str) -> CourseSettings:
    """The settings of a course.

    Raises:
        BenchServiceError: There is no such course.
    """
    async with database.read_transaction() as connection:
        row = (await connection.execute(select(COURSES).where(COURSES.c.id == course))).one_or_none()
    if row is None:
        raise BenchServiceError(f"there is no course {course!r}")
    return CourseSettings(
        row.title,
        row.zone,
        row.late_days,
        bool(row.asks_recording),
        moment(row.ends),
        row.kept_days,
        kinds_of_column(row.silenced),
    )


async def write_course_settings(database: Database, course: str, course_settings: CourseSettings) -> None:
    """Changes them.

    Raises:
        BenchServiceError: There is no such course, or one of the settings can't be.
    """
    course_settings.check()
    values = {
        "title": course_settings.title,
        "zone": course_settings.zone,
        "late_days": course_settings.late_days,
        "asks_recording": int(course_settings.asks_recording),
        "ends": course_settings.ends.timestamp() if course_settings.ends is not None else None,
        "kept_days": course_settings.kept_days,
        "silenced": column_text_of_kinds(course_settings.silenced),
    }
    async with database.write_transaction() as connection:
        settings_update = update(COURSES).where(COURSES.c.id == course).values(values)
        if not (await connection.execute(settings_update)).rowcount:
            raise BenchServiceError(f"there is no course {course!r}")
