"""A request for a page: who asks, and what they may see."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo

from starlette.datastructures import FormData
from starlette.requests import Request

from benchwright_foundation.refusals import RefusalError, RefusalKind
from benchwright_remote.messages import AssignmentView, Membership, Role
from benchwright_service.accounts.sessions import BrowserSession
from benchwright_service.bench import Bench
from benchwright_service.courses.people_rows import BY_NAME, RowChoice
from benchwright_service.pages.rendering import FieldError
from benchwright_teaching.local_times import is_zone, moment_of_local_time, zone_of

STAFF = frozenset({Role.OWNER, Role.STAFF})
"""Roles that may see students' work and change a course."""
GRADERS = STAFF | {Role.GRADER}
"""Roles that may grade answers and review questions."""
WATCHERS = frozenset({Role.OWNER, Role.MONITOR})
"""Roles that may watch a study."""
_MOST_DIGITS = 9
_COOKIE = "benchwright_session"


def cookie_name(*, is_https: bool) -> str:
    """The session's cookie; the prefix makes browsers refuse one that another host or plain HTTP has set."""
    return f"__Host-{_COOKIE}" if is_https else _COOKIE


@dataclass(frozen=True)
class Visit:
    """One request."""

    bench: Bench
    request: Request
    session: BrowserSession | None
    form: FormData
    secure: bool
    _known_memberships: list[tuple[Membership, bool]] = field(default_factory=list, init=False)
    _known_assignments: list[AssignmentView] = field(default_factory=list, init=False)

    @property
    def account(self) -> str:
        """Account of the person who asks; empty for a person who is not signed in."""
        return self.session.account if self.session is not None else ""

    def form_field(self, field_name: str, limit: int = 1_000) -> str:
        """A field of the form, without the space around it."""
        value = self.form.get(field_name)
        return value.strip()[:limit] if isinstance(value, str) else ""

    def query_field(self, name: str, limit: int = 200) -> str:
        """A field of the address, without the space around it."""
        return self.request.query_params.get(name, "").strip()[:limit]

    def ticked_values(self, field_name: str) -> list[str]:
        """The values of a form's check boxes of one name that are ticked."""
        return [value for value in self.form.getlist(field_name) if isinstance(value, str)]

    def form_number(self, field_name: str, minimum: float, maximum: float, default: float | None = None) -> float:
        """A number of the form; the usual one where the field is empty.

        Raises:
            FieldError: The field is no number, or outside the limits.
        """
        text = self.form_field(field_name)
        if not text and default is not None:
            return default
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not minimum <= number <= maximum:
            raise FieldError(field_name, f"“{field_name}” is no number from {minimum:g} to {maximum:g}.")
        return number

    def path_number(self, parameter_name: str) -> int:
        """A number of the path.

        Raises:
            RefusalError: The path has no number there, or a larger one than anything has.
        """
        number = whole_number_or_none(self.request.path_params[parameter_name])
        if number is None:
            raise unknown_page_refusal()
        return number

    def form_time(self, field_name: str, membership: Membership) -> datetime | None:
        """A date and time of the form, which is local where the form says; None for an empty one.

        Raises:
            FieldError: The field is no date and time, or clocks never show it there.
        """
        text = self.form_field(field_name)
        if not text:
            return None
        try:
            return moment_of_local_time(text, self.form_zone(membership))
        except ValueError as error:
            raise FieldError(field_name, f"“{field_name}” {error}.") from None

    def form_zone(self, membership: Membership) -> tzinfo:
        """The time zone of the form's times: that in which they were shown, or else the course's."""
        name = self.form_field("form-zone", 100)
        return zone_of(name if is_zone(name) else membership.zone)

    @property
    def section(self) -> str:
        """The section that a page of a course is about; empty for all."""
        return self.query_field("section")

    @property
    def row_choice(self) -> RowChoice:
        """The rows of a table of people that the page is to show."""
        return RowChoice(
            self.query_field("q"),
            self.section,
            self.query_field("assignment"),
            self.query_field("sort") or BY_NAME,
            self.query_field("order") == "desc",
            self.page,
            max(1, whole_number_or_none(self.query_field("columns")) or 1),
        )

    @property
    def page(self) -> int:
        """Number of the page of a long table, from 1."""
        return max(1, whole_number_or_none(self.query_field("page")) or 1)

    async def membership(self) -> Membership:
        """Returns what the person who asks is in the course of the path.

        Raises:
            RefusalError: Nothing, as where there is no such course. A study's is none: its pages would show who is
                which participant, and outcomes.
        """
        return (await self._membership_and_archived())[0]

    async def _membership_and_archived(self) -> tuple[Membership, bool]:
        # Asked for several times by most pages.
        if not self._known_memberships:
            self._known_memberships.append(await self._find_membership())
        return self._known_memberships[0]

    async def _find_membership(self) -> tuple[Membership, bool]:
        course = self.request.path_params["course"]
        memberships = await self.bench.accounts.memberships_with_archived(self.account)
        membership = next((candidate for candidate in memberships if candidate[0].course == course), None)
        if membership is None or await self.bench.studies.monitor.is_study(course):
            raise unknown_page_refusal()
        return membership

    async def staff_membership(self) -> Membership:
        """The same, if they are of its staff.

        Raises:
            RefusalError: The person is not of its staff.
        """
        membership = await self.membership()
        if membership.role not in STAFF:
            raise unknown_page_refusal()
        return membership

    async def grader_membership(self) -> Membership:
        """The same, if they may grade answers and review questions.

        Raises:
            RefusalError: The person may not grade.
        """
        membership = await self.membership()
        if membership.role not in GRADERS:
            raise unknown_page_refusal()
        return membership

    async def writer_membership(self) -> Membership:
        """The same, if they may write questions: all of a course that collects some, and its staff who may begin that.

        Raises:
            RefusalError: The person may not write questions.
        """
        membership = await self.membership()
        if membership.role is Role.MONITOR:
            raise unknown_page_refusal()
        if membership.role not in STAFF and await self.bench.collecting.questions.find_call(membership.course) is None:
            raise unknown_page_refusal()
        return membership

    async def changeable_membership(self) -> Membership:
        """The same, if the course can be changed.

        Raises:
            RefusalError: The person may not change the course, or it is archived.
        """
        membership = await self.staff_membership()
        if await self.is_archived():
            raise RefusalError(RefusalKind.CONFLICT, "The course is archived.", "An owner of it can restore it.")
        return membership

    async def watcher_membership(self) -> Membership:
        """Returns what the person who asks is in the study of the path, if they own or monitor it.

        Raises:
            RefusalError: The person neither owns nor monitors it.
        """
        study = self.request.path_params["study"]
        memberships = await self.bench.accounts.memberships_with_archived(self.account)
        membership = next((candidate for candidate, _ in memberships if candidate.course == study), None)
        if (
            membership is None
            or membership.role not in WATCHERS
            or not await self.bench.studies.monitor.is_study(study)
        ):
            raise unknown_page_refusal()
        return membership

    async def owner_membership(self) -> Membership:
        """The same, if they own it.

        Raises:
            RefusalError: The person does not own it.
        """
        membership = await self.watcher_membership()
        if membership.role is not Role.OWNER:
            raise unknown_page_refusal()
        return membership

    async def visible_assignments(self, membership: Membership) -> Sequence[AssignmentView]:
        """The assignments of a course that the person who asks may see, also once it is archived."""
        # The page asks, and its navigation.
        if not self._known_assignments:
            views = await self.bench.courses.visible_assignments(self.account, include_archived=True)
            self._known_assignments.extend(view for view in views if view.course == membership.course)
        return self._known_assignments

    async def is_archived(self) -> bool:
        """True if the course of the path is archived."""
        return (await self._membership_and_archived())[1]


def whole_number_or_none(text: str) -> int | None:
    """A number that counts something; None for what is none, and for what is larger than a database's numbers."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS else None


def unknown_page_refusal() -> RefusalError:
    """The answer about a page that there is not, and about one that the person who asks may not see."""
    return RefusalError(RefusalKind.NOT_FOUND, "There is no such page.", "Go to your courses.")
