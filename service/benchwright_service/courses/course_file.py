"""Course files: the problems of each week of a course, without dates, so that a file serves in every term."""

from __future__ import annotations

import tomllib
from datetime import datetime
from importlib.resources import files
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field, ValidationError
from sqlalchemy import select

from benchwright_foundation.database import Database
from benchwright_foundation.model import Model
from benchwright_problems.errors import DatasetError
from benchwright_problems.storage.pack_folder import BUILT_IN
from benchwright_problems.storage.pack_name import PackName
from benchwright_service.courses.courses import Courses
from benchwright_service.errors import BenchServiceError
from benchwright_service.storage.tables import COURSES
from benchwright_teaching.local_times import shift_by_days, zone_of
from benchwright_teaching.points import GradingRules

COURSE_FILE = "course.toml"
"""The course file of a built-in pack, in its folder."""


class Week(Model):
    """`[[weeks]]`: what a course works on from one day of a week on."""

    week: Annotated[int, Field(ge=1, le=60)]
    title: str
    problems: Annotated[tuple[str, ...], Field(min_length=1)]
    points: Annotated[float, Field(ge=0, le=1_000_000)] = 1.0


def _require_single_assignment(weeks: tuple[Week, ...]) -> tuple[Week, ...]:
    """Refuse a week that comes twice, or a problem that is assigned twice."""
    numbers = [str(week.week) for week in weeks]
    problems = [problem for week in weeks for problem in week.problems]
    for name, values in (("week", numbers), ("problem", problems)):
        repeated = next((value for value in values if values.count(value) > 1), None)
        if repeated is not None:
            raise ValueError(f"the {name} {repeated} is there twice")
    return weeks


class CourseFile(Model):
    """A whole course file."""

    pack: PackName
    due_days: Annotated[int, Field(ge=0, le=365)] = 7
    """Days from the opening of an assignment until it is due."""
    closing_days: Annotated[int, Field(ge=0, le=365)] = 14
    """Days from the opening of an assignment until it closes."""
    partial: bool = True
    """True if a run that does not pass is worth its groups or share of the hidden tests."""
    weeks: Annotated[tuple[Week, ...], Field(min_length=1), AfterValidator(_require_single_assignment)]


def read_course_file(path_or_pack: str) -> CourseFile:
    """Read a course file, or the one of a built-in pack.

    Raises:
        DatasetError: The file can't be read, or a field is wrong.
    """
    if path_or_pack in BUILT_IN:
        file = Path(str(files("benchwright_problems") / "packs" / path_or_pack / COURSE_FILE))
    else:
        file = Path(path_or_pack)
    try:
        return CourseFile.model_validate(tomllib.loads(file.read_text(encoding="utf-8")))
    except OSError as error:
        raise DatasetError(file, "", f"can't be read: {error.strerror}") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise DatasetError(file, "", f"is not TOML: {error}") from error
    except ValidationError as error:
        raise DatasetError.from_validation(file, error) from error


async def assign_weeks(
    database: Database, courses: Courses, course: str, course_file: CourseFile, starts: datetime
) -> list[str]:
    """Make an assignment for each week.

    Args:
        database: Has the course.
        courses: Makes the assignments.
        course: Name of the course.
        course_file: What to assign.
        starts: When the first week begins. Later ones begin at the same time of day in the course's zone.

    Returns:
        The ids of the assignments.

    Raises:
        BenchServiceError: No such course, pack or problem exists; no assignment has been made then.
    """
    async with database.read_transaction() as connection:
        zone_name = (await connection.execute(select(COURSES.c.zone).where(COURSES.c.id == course))).scalar()
    if zone_name is None:
        raise BenchServiceError(f"there is no course {course!r}; `benchwright course create` makes one")
    zone = zone_of(zone_name)
    assigned_problems = [problem for week in course_file.weeks for problem in week.problems]
    await courses.require_pack_with_problems(course_file.pack, assigned_problems)
    ids = []
    for week in course_file.weeks:
        first_day = 7 * (week.week - 1)
        ids.append(
            await courses.make_assignment(
                course,
                course_file.pack,
                title=week.title,
                problems=week.problems,
                opens=shift_by_days(starts, first_day, zone),
                due=shift_by_days(starts, first_day + course_file.due_days, zone),
                closes=shift_by_days(starts, first_day + course_file.closing_days, zone),
                grading=GradingRules(points=week.points, partial=course_file.partial),
            )
        )
    return ids
