"""A course in the browser: its assignments, how far its students are, and one student's work."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from http import HTTPStatus
from itertools import groupby
from urllib.parse import quote, urlencode

from sqlalchemy.sql.selectable import Subquery
from starlette.responses import RedirectResponse, Response

from benchwright_attempts.attribution.actors import UNKNOWN_CONDITION
from benchwright_remote.messages import AssignmentView, Membership, Role
from benchwright_service.accounts.sign_in_links import LIFETIMES_S, LinkKind
from benchwright_service.courses.people_rows import RowChoice, read_people_rows
from benchwright_service.courses.playback import PlaybackError
from benchwright_service.courses.progress import AttemptLine, TextFromSource, text_sources
from benchwright_service.evidence.audit import AuditEntry, AuditSelection, audit_csv, audit_jsonl
from benchwright_service.grades.points_table import passed_problems_of_students, shares_of_students
from benchwright_service.pages.long_tables import (
    LIST_ROWS,
    MATRIX_COLUMNS,
    TablePage,
    matrix_row_limit,
    page_of,
    student_of_row,
)
from benchwright_service.pages.rendering import SECURITY, form_problem_of_error, render
from benchwright_service.pages.replay_pages import membership_assignment_and_student_of_path
from benchwright_service.pages.visit import STAFF, WATCHERS, Visit, unknown_page_refusal
from benchwright_teaching.local_times import first_moment_of_day, zone_of

_AUDIT_FILTERS = ("since", "until", "name", "action")
_AUDIT_FILES = {"csv": (audit_csv, "text/csv"), "jsonl": (audit_jsonl, "application/jsonl")}
CHECKED_WITHIN_S = 0.3
"""Time in seconds that a page waits for records that have to be checked; they go on in the background."""


async def courses_page(visit: Visit) -> Response:
    """The courses of who is signed in, and the studies that they watch."""
    memberships = await visit.bench.accounts.memberships_with_archived(visit.account)
    studies = [pair for pair in memberships if await visit.bench.studies.monitor.is_study(pair[0].course)]
    shown_courses = [pair for pair in memberships if pair not in studies]
    watched = [pair for pair in studies if pair[0].role in WATCHERS]
    teaches = any(membership.role in STAFF for membership, _ in shown_courses)
    return render(
        "courses",
        visit.session,
        courses=shown_courses,
        studies=watched,
        teaches=teaches,
        has_way_back=not memberships or await visit.bench.accounts.can_sign_in_again(visit.account),
    )


async def visited_course_page(visit: Visit) -> Response:
    """A course: for its staff its assignments, for others with their own standing."""
    membership = await visit.membership()
    is_staff, is_archived = membership.role in STAFF, await visit.is_archived()
    is_participant = membership.role is Role.PARTICIPANT
    progress = visit.bench.coursework.progress
    return render(
        "course",
        visit.session,
        member=membership,
        is_staff=is_staff,
        is_owner=membership.role is Role.OWNER,
        is_archived=is_archived,
        recording=await visit.bench.coursework.recording_choices.choice(membership.course, visit.account)
        if is_participant
        else None,
        assignments=await visit.bench.courses.all_assignments(membership.course)
        if is_staff
        else await visit.visible_assignments(membership),
        mine=await progress.passed_count_by_assignment(visit.account, membership.course) if is_participant else None,
        editors=None if is_staff or is_archived else await _make_editor_ways(visit),
    )


async def archive_or_restore_course(visit: Visit) -> Response:
    """Archives a course, or restores it."""
    membership = await visit.membership()
    if membership.role is not Role.OWNER:
        raise unknown_page_refusal()
    restore = visit.form_field("restore") == "yes"
    await visit.bench.courses.archive_or_restore(membership.course, restore=restore)
    await visit.bench.audit.record_action(
        visit.account, membership.course, "restored course" if restore else "archived course", ""
    )
    return RedirectResponse(f"/courses/{quote(membership.course)}", HTTPStatus.SEE_OTHER, headers=SECURITY)


@dataclass(frozen=True)
class _EditorWays:
    """Ways from a student's page into an editor."""

    vscode_link: str
    browser_link: str
    """Empty if the service knows of no editor in the browser."""
    command: str
    minutes: int
    """Time that the link of VS Code signs in, in minutes."""


async def _make_editor_ways(visit: Visit) -> _EditorWays:
    address = visit.bench.evidence.signer.server.rstrip("/")
    code = await visit.bench.sign_in.links.make_code(visit.account, LinkKind.EDITOR)
    return _EditorWays(
        f"vscode://benchwright.benchwright/sign-in?{urlencode({'url': address, 'code': code})}",
        visit.bench.sign_in.browser_editor,
        f"benchwright login {address} --browser",
        round(LIFETIMES_S[LinkKind.EDITOR] / 60),
    )


async def progress_page(visit: Visit) -> Response:
    """Students by problems."""
    membership = await visit.staff_membership()
    assignments = await visit.bench.courses.all_assignments(membership.course)
    chosen_assignments = [view for view in assignments if visit.row_choice.assignment in ("", view.id)]
    column_page = page_of(
        [(view, problem) for view in chosen_assignments for problem in view.problems],
        visit.row_choice.column_page,
        MATRIX_COLUMNS,
    )
    people = await read_people_rows(
        visit.bench.database,
        membership.course,
        visit.row_choice,
        matrix_row_limit(column_page.total),
        sort_values=_sort_values(chosen_assignments, visit.row_choice),
    )
    students = [student_of_row(row) for row in people.rows]
    matrix = await visit.bench.coursework.progress.matrix(membership.course, students, column_page.lines)
    checks = await visit.bench.coursework.assistance.checks_of_course(
        membership.course, CHECKED_WITHIN_S, [student.account for student in students]
    )
    await visit.bench.audit.record_action(visit.account, membership.course, "saw progress", visit.section)
    return render(
        "progress",
        visit.session,
        member=membership,
        titles=await visit.bench.courses.problem_titles(view.pack for view in chosen_assignments),
        matrix=matrix,
        passed=await visit.bench.coursework.progress.passed_count_by_account(chosen_assignments, students),
        problem_count=column_page.total,
        columns=column_page,
        assignments=assignments,
        heads=[
            (view, [*head_columns])
            for view, head_columns in groupby(
                column_page.lines, key=lambda assignment_and_problem: assignment_and_problem[0]
            )
        ],
        people=people,
        choice=people.choice,
        checks=checks,
    )


def _sort_values(assignments: Sequence[AssignmentView], choice: RowChoice) -> Subquery | None:
    """Values of the column by which rows are sorted. None if they are sorted by a column of everybody."""
    if choice.sort == "passed":
        return passed_problems_of_students(assignments)
    assignment, _, problem = choice.sort.partition("/")
    has_column = any(view.id == assignment and problem in view.problems for view in assignments)
    return shares_of_students(assignment, problem) if has_column else None


async def student_work_page(visit: Visit) -> Response:
    """One student's attempts at a problem."""
    membership, assignment, student = await membership_assignment_and_student_of_path(visit)
    path = visit.request.path_params
    attempt_lines = await visit.bench.coursework.progress.attempts(student.account, assignment.id, path["problem"])
    makers = [await _makers_or_reason(visit, attempt) for attempt in attempt_lines]
    attempt_checks = [
        await visit.bench.coursework.assistance.check_of_attempt(membership.course, assignment.id, attempt_line.id)
        if attempt_line.recording is not None
        else None
        for attempt_line in attempt_lines
    ]
    seen_work = f"{student.account} {assignment.pack}/{path['problem']}"
    await visit.bench.audit.record_action(visit.account, membership.course, "saw work", seen_work)
    return render(
        "work",
        visit.session,
        member=membership,
        assignment=assignment,
        problem=path["problem"],
        title=(await visit.bench.courses.problem_titles([assignment.pack])).get(
            (assignment.pack, path["problem"]), path["problem"]
        ),
        student=student,
        test_groups=(await visit.bench.courses.test_groups_by_problem(assignment.pack)).get(path["problem"], ()),
        attempts=list(zip(attempt_lines, makers, strict=True)),
        checked=attempt_checks,
    )


@dataclass(frozen=True)
class _Makers:
    """Who made an attempt, and where its text came from."""

    made_by: str
    text_origins: Sequence[TextFromSource]


async def _makers_or_reason(visit: Visit, attempt_line: AttemptLine) -> _Makers | str:
    """Who made it; or the reason why that can't be said."""
    if attempt_line.recording is None:
        return "Not recorded: the student declined the recording, and what was recorded before was deleted."
    try:
        playback = await visit.bench.coursework.replays.playback(attempt_line.id, attempt_line.event_count)
        condition = playback.actors.condition
        return _Makers(condition.value if condition else UNKNOWN_CONDITION, text_sources(playback.inserted))
    except PlaybackError as error:
        return str(error)


async def course_audit_page(visit: Visit) -> Response:
    """Page of the audit log: who of the staff saw or changed what."""
    membership = await visit.staff_membership()
    filters = {name: visit.query_field(name) for name in _AUDIT_FILTERS}
    problem, wanted_entries = None, None
    try:
        wanted_entries = _audit_selection(visit, membership)
    except ValueError as error:
        problem = form_problem_of_error(error, "Correct the field, and filter again.")
    return render(
        "course_audit",
        visit.session,
        HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK,
        member=membership,
        entries=await audit_table_page(visit, membership.course, wanted_entries),
        filters=filters,
        query=urlencode({name: text for name, text in filters.items() if text}),
        problem=problem,
    )


async def course_audit_file(visit: Visit) -> Response:
    """The audit log, or the entries of it that are wanted, as a file."""
    membership = await visit.staff_membership()
    kind = visit.request.path_params["kind"]
    if kind not in _AUDIT_FILES:
        raise unknown_page_refusal()
    try:
        wanted_entries = _audit_selection(visit, membership)
    except ValueError as error:
        problem = form_problem_of_error(error, "Go back to the audit log, and filter again.")
        return render(
            "told", visit.session, HTTPStatus.UNPROCESSABLE_ENTITY, title="That did not work", problem=problem
        )
    await visit.bench.audit.record_action(visit.account, membership.course, "exported audit log", kind)
    entries = await visit.bench.audit.newest_entries(membership.course, None, wanted_entries=wanted_entries)
    make_text, media_type = _AUDIT_FILES[kind]
    headers = SECURITY | {"Content-Disposition": f'attachment; filename="{membership.course}-audit.{kind}"'}
    text = await asyncio.to_thread(make_text, entries)
    return Response(text, media_type=f"{media_type}; charset=utf-8", headers=headers)


def _audit_selection(visit: Visit, membership: Membership) -> AuditSelection:
    """The entries that a page's address asks for; days are whole ones where the course is.

    Raises:
        ValueError: A day is none.
    """
    days = {}
    for name in ("since", "until"):
        text = visit.query_field(name)
        try:
            days[name] = date.fromisoformat(text) if text else None
        except ValueError:
            raise ValueError(f"“{name}” is no day such as 2026-12-01.") from None
    zone, since, until = zone_of(membership.zone), days["since"], days["until"]
    return AuditSelection(
        first_moment_of_day(since, zone) if since is not None else None,
        first_moment_of_day(until + timedelta(days=1), zone) if until is not None and until < date.max else None,
        visit.query_field("name"),
        visit.query_field("action"),
    )


async def audit_table_page(
    visit: Visit, course: str, wanted_entries: AuditSelection | None = None
) -> TablePage[AuditEntry]:
    """The page of a course's audit log, or of the entries of it that are wanted, that the address asks for."""
    total = await visit.bench.audit.entry_count(course, wanted_entries)
    page_count = max(1, -(-total // LIST_ROWS))
    page = min(visit.page, page_count)
    entries = await visit.bench.audit.newest_entries(course, LIST_ROWS, page, wanted_entries=wanted_entries)
    return TablePage(entries, page, page_count, total)
