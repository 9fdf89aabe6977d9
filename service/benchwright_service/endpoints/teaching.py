"""Endpoints for programs of a course's staff, which come with a personal access token for some areas."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Depends, Path, Query, Request

from benchwright_foundation.refusals import (
    BODY_REFUSAL_KINDS,
    Flaw,
    RefusalError,
    RefusalKind,
    openapi_responses_with_common_refusals,
)
from benchwright_judges.service.json_route import JsonRoute
from benchwright_remote.messages import TEXT, Role
from benchwright_remote.teaching_messages import (
    MOST_ITEMS,
    AssignmentPoints,
    ChangeCount,
    CopiedAssignment,
    CourseCopy,
    ExtensionPage,
    ExtensionView,
    GradePage,
    GradingView,
    NewAdjustments,
    NewCourseCopy,
    NewExtensions,
    NewInvitations,
    NewSeats,
    ObjectId,
    ProblemPoints,
    RosterChange,
    RosterEntry,
    RosterPage,
    RunPage,
    Scope,
    StudentPoints,
    TaughtAssignment,
    TaughtCourse,
    TaughtCourses,
)
from benchwright_service.accounts.accounts import AccountTokenKind, ServiceToken
from benchwright_service.accounts.people import Person
from benchwright_service.courses.course_copy import TermShift
from benchwright_service.courses.course_settings import read_course_settings
from benchwright_service.courses.progress import CourseStudent
from benchwright_service.endpoints.admitted import SCOPE, AdmittedToken, TheBench, openapi_extra_of_roles
from benchwright_service.errors import BenchServiceError
from benchwright_service.grades.gradebook import Gradebook
from benchwright_service.grades.staff_decisions import DecisionError, Extension, PointsAdjustment
from benchwright_teaching.points import AssignmentTimes, GradingRules

router = APIRouter(prefix="/api/v1/courses", route_class=JsonRoute)

TEACHERS = (Role.OWNER, Role.STAFF)
_FOR_STAFF = frozenset({Role.PARTICIPANT, Role.GRADER, Role.MONITOR})
"""Roles that staff may invite for; an owner may invite for all."""
_USUAL_LIMIT = 100

T = TypeVar("T")
CourseName = Annotated[str, Path(max_length=200, pattern=TEXT)]
Limit = Annotated[int, Query(ge=1, le=MOST_ITEMS, description="The largest number of items.")]
After = Annotated[
    str, Query(max_length=400, pattern=TEXT, description="`next` of the page before; empty for the first one.")
]


@dataclass(frozen=True)
class Teacher:
    """Somebody of a course's staff, by a token of theirs."""

    account: str
    course: str
    title: str
    """Of the course."""
    role: Role
    is_archived: bool


def _openapi_extra_of_scope_and_roles(token_scope: Scope, *roles: Role) -> dict[str, Any]:
    """For an endpoint's `openapi_extra`: the area of its token, and the roles in the course of its path."""
    return {SCOPE: token_scope.value} | (openapi_extra_of_roles(*roles) if roles else {})


def _require_scope_and_get_account(token: ServiceToken, token_scope: Scope) -> str:
    """The account of a personal token for this area.

    Raises:
        RefusalError: The token is of another kind, or for other areas.
    """
    if token.kind is not AccountTokenKind.PERSONAL or token.account is None:
        raise RefusalError(
            RefusalKind.WRONG_SCOPE,
            "This is for personal access tokens of a course's staff.",
            "Make one on the page /tokens of the service.",
        )
    if token_scope.value not in token.scopes.split():
        raise RefusalError(
            RefusalKind.WRONG_SCOPE,
            f"The token is not for the area {token_scope.value}.",
            "Make a token for this area on the page /tokens of the service.",
        )
    return token.account


def _teacher_dependency(
    token_scope: Scope, *roles: Role
) -> Callable[[Request, CourseName, AdmittedToken, TheBench], Awaitable[Teacher]]:
    async def find(request: Request, course: CourseName, token: AdmittedToken, bench: TheBench) -> Teacher:
        account = _require_scope_and_get_account(token, token_scope)
        memberships = await bench.accounts.memberships_with_archived(account)
        membership = next((candidate for candidate in memberships if candidate[0].course == course), None)
        if (
            membership is None
            or membership[0].role not in (roles or TEACHERS)
            # A study's course would show who is which participant, and outcomes.
            or await bench.studies.monitor.is_study(course)
        ):
            raise RefusalError(RefusalKind.NOT_FOUND, "There is no such course.", "List your courses.")
        teacher = Teacher(account, course, membership[0].title, membership[0].role, is_archived=membership[1])
        await bench.teaching.personal_tokens.record_use(
            token, course, f"{request.method} {request.scope['route'].path}"
        )
        if token_scope.is_for_changes and token_scope is not Scope.COURSE_WRITE and teacher.is_archived:
            raise RefusalError(RefusalKind.CONFLICT, "The course is archived.", "An owner of it can restore it.")
        return teacher

    return find


CourseWriter = Annotated[Teacher, Depends(_teacher_dependency(Scope.COURSE_WRITE, Role.OWNER))]
CourseReader = Annotated[Teacher, Depends(_teacher_dependency(Scope.COURSE_READ))]
RosterReader = Annotated[Teacher, Depends(_teacher_dependency(Scope.ROSTER_READ))]
RosterWriter = Annotated[Teacher, Depends(_teacher_dependency(Scope.ROSTER_WRITE))]
ExtensionsReader = Annotated[Teacher, Depends(_teacher_dependency(Scope.EXTENSIONS_READ))]
ExtensionsWriter = Annotated[Teacher, Depends(_teacher_dependency(Scope.EXTENSIONS_WRITE))]
GradesReader = Annotated[Teacher, Depends(_teacher_dependency(Scope.GRADES_READ))]
GradesWriter = Annotated[Teacher, Depends(_teacher_dependency(Scope.GRADES_WRITE))]
RunsReader = Annotated[Teacher, Depends(_teacher_dependency(Scope.RUNS_READ))]
_READING = openapi_responses_with_common_refusals(RefusalKind.NOT_FOUND)
_WRITING = openapi_responses_with_common_refusals(*BODY_REFUSAL_KINDS, RefusalKind.NOT_FOUND, RefusalKind.CONFLICT)


@router.get(
    "",
    summary="The courses that one teaches",
    responses=openapi_responses_with_common_refusals(),
    openapi_extra=_openapi_extra_of_scope_and_roles(Scope.COURSE_READ),
)
async def courses(token: AdmittedToken, bench: TheBench) -> TaughtCourses:
    """Those that the account is an owner or staff of, also archived ones; no studies."""
    account = _require_scope_and_get_account(token, Scope.COURSE_READ)
    memberships = [
        membership
        for membership, _ in await bench.accounts.memberships_with_archived(account)
        if membership.role in TEACHERS and not await bench.studies.monitor.is_study(membership.course)
    ]
    for membership in memberships:
        await bench.teaching.personal_tokens.record_use(token, membership.course, "GET /api/v1/courses")
    return TaughtCourses(courses=tuple(memberships))


@router.get(
    "/{course}",
    summary="A course and its assignments",
    responses=_READING,
    openapi_extra=_openapi_extra_of_scope_and_roles(Scope.COURSE_READ, *TEACHERS),
)
async def read_course(teacher: CourseReader, bench: TheBench) -> TaughtCourse:
    """Also assignments that have not opened yet, each with its own times and how it is graded."""
    assignments = await bench.courses.all_assignments(teacher.course)
    course_settings = await read_course_settings(bench.database, teacher.course)
    rules_by_assignment = await bench.grades.gradebooks.grading_rules_by_assignment(teacher.course)
    return TaughtCourse(
        course=teacher.course,
        title=teacher.title,
        role=teacher.role,
        archived=teacher.is_archived,
        zone=course_settings.zone,
        late_days=course_settings.late_days,
        assignments=tuple(
            TaughtAssignment(assignment=view, grading=_grading_view(rules_by_assignment[view.id]))
            for view in assignments
        ),
    )


@router.post(
    "/{course}/copies",
    summary="Copy a course for a new term",
    responses=_WRITING,
    openapi_extra=_openapi_extra_of_scope_and_roles(Scope.COURSE_WRITE, Role.OWNER),
)
async def copy_course(body: NewCourseCopy, teacher: CourseWriter, bench: TheBench) -> CourseCopy:
    """Assignments, rules and settings with shifted dates, also of an archived course; no people and no work."""
    shift = TermShift(body.days, body.starts)
    try:
        copy_plan = (
            await bench.teaching.copies.plan(teacher.course, shift)
            if body.preview
            else await bench.teaching.copies.copy(teacher.course, body.course, body.title, shift, teacher.account)
        )
    except BenchServiceError as error:
        raise _invalid_refusal("/", str(error)) from None
    if not body.preview:
        await bench.audit.record_action(teacher.account, teacher.course, "copied course", body.course)
        await bench.audit.record_action(teacher.account, body.course, "copied from course", teacher.course)
    assignments = tuple(CopiedAssignment(title=shifted.title, **shifted.new_times) for shifted in copy_plan.assignments)
    return CourseCopy(course=body.course, made=not body.preview, days=copy_plan.days, assignments=assignments)


@router.get(
    "/{course}/roster",
    summary="The people of a course",
    responses=_READING,
    openapi_extra=_openapi_extra_of_scope_and_roles(Scope.ROSTER_READ, *TEACHERS),
)
async def read_roster(
    teacher: RosterReader, bench: TheBench, after: After = "", limit: Limit = _USUAL_LIMIT
) -> RosterPage:
    """Everybody in it with role, section and group, by account."""
    entries = [_roster_entry(person) for person in await bench.people_service.members(teacher.course)]
    shown, next_cursor = _page_and_next_cursor(entries, lambda entry: entry.account, after, limit)
    return RosterPage(people=tuple(shown), next=next_cursor)


@router.post(
    "/{course}/roster",
    summary="Invite people to a course",
    status_code=201,
    responses=_WRITING,
    openapi_extra=_openapi_extra_of_scope_and_roles(Scope.ROSTER_WRITE, *TEACHERS),
)
async def invite(body: NewSeats, teacher: RosterWriter, bench: TheBench) -> NewInvitations:
    """Makes an invitation for each seat, which one person can use; only an owner invites owners and staff."""
    for index, seat in enumerate(body.seats):
        if teacher.role is not Role.OWNER and seat.role not in _FOR_STAFF:
            raise _invalid_refusal(f"/seats/{index}/role", "only an owner of the course invites owners and staff")
    codes = await bench.accounts.make_invitations(
        teacher.course,
        [(seat.role, seat.section) for seat in body.seats],
        expire_time=body.expires.timestamp() if body.expires is not None else None,
    )
    await bench.audit.record_action(teacher.account, teacher.course, "invited", f"{len(codes)} people")
    return NewInvitations(codes=tuple(codes))


@router.patch(
    "/{course}/roster/{account}",
    summary="Change somebody's section or group",
    responses=_WRITING,
    openapi_extra=_openapi_extra_of_scope_and_roles(Scope.ROSTER_WRITE, *TEACHERS),
)
async def change_entry(
    account: Annotated[ObjectId, Path()], body: RosterChange, teacher: RosterWriter, bench: TheBench
) -> RosterEntry:
    """Returns the entry as it is then."""
    try:
        await bench.people_service.change_section_or_group(
            teacher.course, account, section=body.section, group=body.group
        )
        person = await bench.people_service.member_or_dropped(teacher.course, account)
    except BenchServiceError:
        raise RefusalError(
            RefusalKind.NOT_FOUND, "The course has no such person.", "List the course's people."
        ) from None
    await bench.audit.record_action(teacher.account, teacher.course, "changed person", account)
    return _roster_entry(person)


@router.get(
    "/{course}/extensions",
    summary="The extensions of a course",
    responses=_READING,
    openapi_extra=_openapi_extra_of_scope_and_roles(Scope.EXTENSIONS_READ, *TEACHERS),
)
async def read_extensions(
    teacher: ExtensionsReader, bench: TheBench, after: After = "", limit: Limit = _USUAL_LIMIT
) -> ExtensionPage:
    """The one that holds of each student and assignment."""
    extensions = [
        ExtensionView(
            assignment=extension.assignment,
            account=extension.account,
            due=extension.times.due,
            closes=extension.times.closes,
            reason=extension.reason,
        )
        for extension in await bench.grades.decisions.extensions(teacher.course)
    ]
    shown, next_cursor = _page_and_next_cursor(
        extensions, lambda extension: f"{extension.assignment} {extension.account}", after, limit
    )
    return ExtensionPage(extensions=tuple(shown), next=next_cursor)


@router.post(
    "/{course}/extensions",
    summary="Give extensions",
    responses=_WRITING,
    openapi_extra=_openapi_extra_of_scope_and_roles(Scope.EXTENSIONS_WRITE, *TEACHERS),
)
async def give_extensions(body: NewExtensions, teacher: ExtensionsWriter, bench: TheBench) -> ChangeCount:
    """All of them or none; the newest extension of a student and an assignment counts."""
    extensions = [
        Extension(new.assignment, new.account, AssignmentTimes(new.due, new.closes), new.reason)
        for new in body.extensions
    ]
    try:
        await bench.grades.decisions.give_extensions(teacher.course, extensions, teacher.account)
    except DecisionError as error:
        raise _invalid_refusal(f"/extensions/{error.index}", str(error)) from None
    await bench.audit.record_actions(
        teacher.account,
        teacher.course,
        [("extended", f"{extension.account} {extension.assignment}") for extension in extensions],
    )
    return ChangeCount(changed=len(extensions))


@router.get(
    "/{course}/grades",
    summary="The grades of a course",
    responses=_READING,
    openapi_extra=_openapi_extra_of_scope_and_roles(Scope.GRADES_READ, *TEACHERS),
)
async def read_grades(
    teacher: GradesReader, bench: TheBench, after: After = "", limit: Limit = _USUAL_LIMIT
) -> GradePage:
    """Points of each student for each assignment, and the runs that made them; by account."""
    assignments = await bench.courses.all_assignments(teacher.course)
    all_students = await bench.coursework.progress.students(teacher.course)
    students, next_cursor = _page_and_next_cursor(all_students, lambda student: student.account, after, limit)
    accounts = [student.account for student in students]
    book = await bench.grades.gradebooks.gradebook(teacher.course, assignments, accounts=accounts)
    # Somebody may have left meanwhile.
    points_by_account = {student.account: _student_points(book, student) for student in book.students}
    points = tuple(points_by_account[account] for account in accounts if account in points_by_account)
    return GradePage(students=points, next=next_cursor)


@router.post(
    "/{course}/grades/adjustments",
    summary="Adjust points",
    responses=_WRITING,
    openapi_extra=_openapi_extra_of_scope_and_roles(Scope.GRADES_WRITE, *TEACHERS),
)
async def adjust_points(body: NewAdjustments, teacher: GradesWriter, bench: TheBench) -> ChangeCount:
    """All of them or none; adjustments add up and stay."""
    adjustments = [
        PointsAdjustment(new.assignment, new.account, new.points, new.reason.strip()) for new in body.adjustments
    ]
    try:
        await bench.grades.decisions.adjust_points(teacher.course, adjustments, teacher.account)
    except DecisionError as error:
        raise _invalid_refusal(f"/adjustments/{error.index}", str(error)) from None
    actions = [
        (f"adjusted by {adjustment.points:+g}", f"{adjustment.account} {adjustment.assignment}")
        for adjustment in adjustments
    ]
    await bench.audit.record_actions(teacher.account, teacher.course, actions)
    return ChangeCount(changed=len(adjustments))


@router.get(
    "/{course}/runs",
    summary="The runs of a course",
    responses=_READING,
    openapi_extra=_openapi_extra_of_scope_and_roles(Scope.RUNS_READ, *TEACHERS),
)
async def read_runs(
    teacher: RunsReader,
    bench: TheBench,
    assignment: Annotated[str, Query(max_length=200, pattern=TEXT, description="Those of one assignment.")] = "",
    account: Annotated[str, Query(max_length=200, pattern=TEXT, description="Those of one student.")] = "",
    after: After = "",
    limit: Limit = _USUAL_LIMIT,
) -> RunPage:
    """Without files and logs, in the order in which they were asked for."""
    try:
        return await bench.teaching.course_runs.page(
            teacher.course, assignment=assignment, account=account, after_run=after, limit=limit
        )
    except BenchServiceError as error:
        raise _invalid_refusal("after", str(error)) from None


def _page_and_next_cursor(
    items: Sequence[T], cursor_of: Callable[[T], str], after: str, limit: int
) -> tuple[Sequence[T], str]:
    """The items that follow a cursor, by cursor, and the cursor of the page after; empty after the last one."""
    following = sorted((item for item in items if cursor_of(item) > after), key=cursor_of)
    shown = following[:limit]
    return shown, cursor_of(shown[-1]) if len(following) > limit else ""


def _roster_entry(person: Person) -> RosterEntry:
    return RosterEntry(
        account=person.account, name=person.name, role=person.role, section=person.section, group=person.group
    )


def _student_points(book: Gradebook, student: CourseStudent) -> StudentPoints:
    assignment_points = []
    for view, _ in book.assignments:
        grade = book.grade(student, view)
        assignment_points.append(
            AssignmentPoints(
                assignment=view.id,
                points=grade.points,
                most=book.maximum_points(view),
                adjustments=round(sum(adjustment.points for adjustment in grade.adjustments), 3),
                due=grade.times.due,
                closes=grade.times.closes,
                extended=grade.is_extended,
                late_days=grade.late_days,
                problems={
                    problem: ProblemPoints(
                        points=worth.points,
                        run=worth.run.id if worth.run is not None else None,
                        days_late=worth.days_late,
                    )
                    for problem, worth in grade.worth.items()
                },
            )
        )
    return StudentPoints(
        account=student.account,
        name=student.name,
        section=student.section,
        group=student.group,
        assignments=tuple(assignment_points),
    )


def _grading_view(grading: GradingRules) -> GradingView:
    return GradingView(
        points=grading.points,
        counting=grading.counting.value,
        partial=grading.partial,
        late_percent=grading.late_percent,
        by_group=grading.by_group,
        late_days=grading.late_days,
    )


def _invalid_refusal(pointer: str, detail: str) -> RefusalError:
    return RefusalError(
        RefusalKind.INVALID,
        "The request is not possible, and nothing was changed.",
        "Correct what `errors` names, and send the whole request again.",
        errors=(Flaw(pointer=pointer, detail=detail),),
    )
