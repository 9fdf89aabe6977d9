"""Messages of the teacher's API of a bench service, below `/api/v1/courses`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from enum import StrEnum
from typing import Annotated

from pydantic import AwareDatetime, Field

from benchwright_foundation.model import Message, UtcTime
from benchwright_remote.messages import TEXT, AssignmentView, Membership, Role

MOST_CHANGES = 1_000
"""People, extensions or adjustments in one request."""
MOST_ITEMS = 500
"""Items of one page of an answer."""

ObjectId = Annotated[str, Field(min_length=1, max_length=200, pattern=TEXT)]
Section = Annotated[str, Field(max_length=200, pattern=TEXT)]
Group = Annotated[str, Field(max_length=60, pattern=TEXT)]
Reason = Annotated[str, Field(max_length=500, pattern=TEXT)]


class Scope(StrEnum):
    """Area that a personal access token may read, or change too."""

    COURSE_READ = "course:read"
    COURSE_WRITE = "course:write"
    ROSTER_READ = "roster:read"
    ROSTER_WRITE = "roster:write"
    EXTENSIONS_READ = "extensions:read"
    EXTENSIONS_WRITE = "extensions:write"
    GRADES_READ = "grades:read"
    GRADES_WRITE = "grades:write"
    RUNS_READ = "runs:read"

    @property
    def is_for_changes(self) -> bool:
        """True if it lets its bearer change something."""
        return self.value.endswith(":write")


class GradingView(Message):
    """Rules by which an assignment is graded."""

    points: float
    """For each problem."""
    counting: str
    """`best` or `last`."""
    partial: bool
    late_percent: float
    """Percentage that each day late takes."""
    by_group: bool
    late_days: int
    """The most late days that a student can use for it."""


class TaughtAssignment(Message):
    """An assignment with its own times, and how it is graded."""

    assignment: AssignmentView
    grading: GradingView


class TaughtCourse(Message):
    """A course as its staff see it."""

    course: str
    title: str
    role: Role
    """Role of the account that asks."""
    archived: bool
    zone: str
    """IANA name of its time zone."""
    late_days: int
    """Late days of each student, over all assignments."""
    assignments: tuple[TaughtAssignment, ...]


class TaughtCourses(Message):
    """The courses that the account that asks is staff of."""

    courses: tuple[Membership, ...]


class RosterEntry(Message):
    """Somebody in a course."""

    account: str
    name: str
    role: Role
    section: str
    group: str
    """Of those who work together; empty for who works alone."""


class RosterPage(Message):
    """People of a course, by account."""

    people: tuple[RosterEntry, ...]
    next: str = ""
    """The `after` of the next page; empty on the last one."""


class NewSeat(Message):
    """Somebody who is to be invited."""

    role: Role = Role.PARTICIPANT
    section: Section = ""


class NewSeats(Message):
    """People to be invited."""

    seats: Annotated[tuple[NewSeat, ...], Field(min_length=1, max_length=MOST_CHANGES)]
    expires: UtcTime | None = None
    """The time until which the invitations can be used; without an end if not given."""


class NewInvitations(Message):
    """Invitations for one person each, in the order of the seats."""

    codes: tuple[str, ...]
    """Shown this once."""


class RosterChange(Message):
    """Other values of an entry; what is not given stays."""

    section: Section | None = None
    group: Group | None = None


class NewExtension(Message):
    """Other times for one student."""

    assignment: ObjectId
    account: ObjectId
    due: UtcTime | None = None
    closes: UtcTime | None = None
    reason: Reason = ""


class NewExtensions(Message):
    """Extensions that are given together: all of them or none."""

    extensions: Annotated[tuple[NewExtension, ...], Field(min_length=1, max_length=MOST_CHANGES)]


class ExtensionView(Message):
    """The extension that a student has."""

    assignment: str
    account: str
    due: AwareDatetime | None
    closes: AwareDatetime | None
    reason: str


class ExtensionPage(Message):
    """Extensions of a course, by assignment and account."""

    extensions: tuple[ExtensionView, ...]
    next: str = ""
    """The `after` of the next page; empty on the last one."""


class NewAdjustment(Message):
    """Points that are given to a student, or taken."""

    assignment: ObjectId
    account: ObjectId
    points: Annotated[float, Field(ge=-1_000_000, le=1_000_000, allow_inf_nan=False)]
    """Added to what the runs brought."""
    reason: Annotated[str, Field(min_length=1, max_length=500, pattern=TEXT)]


class NewAdjustments(Message):
    """Adjustments that are made together: all of them or none."""

    adjustments: Annotated[tuple[NewAdjustment, ...], Field(min_length=1, max_length=MOST_CHANGES)]


class ChangeCount(Message):
    """Number of changes that were made."""

    changed: int


class ProblemPoints(Message):
    """Points that a problem brought."""

    points: float
    run: str | None
    """Id of the run that counts; none if no run was decided in time."""
    days_late: int


class AssignmentPoints(Message):
    """A student's points for an assignment."""

    assignment: str
    points: float
    """With adjustments."""
    most: float
    adjustments: float
    """The sum of them."""
    due: AwareDatetime | None
    """The student's own time."""
    closes: AwareDatetime | None
    extended: bool
    late_days: int
    """Late days that the student has used for it."""
    problems: Mapping[str, ProblemPoints]
    """By problem, those that were worked on."""


class StudentPoints(Message):
    """A student's points."""

    account: str
    name: str
    section: str
    group: str
    assignments: tuple[AssignmentPoints, ...]


class GradePage(Message):
    """Grades of a course, by account."""

    students: tuple[StudentPoints, ...]
    next: str = ""
    """The `after` of the next page; empty on the last one."""


class TaughtRun(Message):
    """A run of a student."""

    id: str
    account: str
    assignment: str
    problem: str
    """Id within the pack."""
    attempt: str
    number: int
    state: str
    outcome: str
    """Empty while there is none."""
    share: float
    """Of the hidden tests that passed, from 0 to 1."""
    queued: AwareDatetime
    ended: AwareDatetime | None


class RunPage(Message):
    """Runs of a course, in the order in which they were asked for."""

    runs: tuple[TaughtRun, ...]
    next: str = ""
    """The `after` of the next page; empty on the last one."""


class NewCourseCopy(Message):
    """A course for a new term."""

    course: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,99}$")]
    """Short name of the new course."""
    title: Annotated[str, Field(max_length=200, pattern=TEXT)] = ""
    """That of the older one if empty."""
    days: Annotated[int, Field(ge=-3_650, le=3_650)] | None = None
    """Days by which dates are shifted, at the same time of day in the course's time zone."""
    starts: date | None = None
    """Instead of `days`: the day of the first date of the copy."""
    preview: bool = False
    """True for the dates alone; nothing is made."""


class CopiedAssignment(Message):
    """An assignment of a copy."""

    title: str
    opens: AwareDatetime | None
    due: AwareDatetime | None
    closes: AwareDatetime | None


class CourseCopy(Message):
    """A copy as it is, or as it would be."""

    course: str
    made: bool
    """False if it is a preview."""
    days: int
    """Days by which dates are shifted."""
    assignments: tuple[CopiedAssignment, ...]
