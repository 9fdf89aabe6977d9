"""A course's settings, late days and copies for a new term, in the browser."""

from __future__ import annotations

import zoneinfo
from datetime import date
from http import HTTPStatus
from urllib.parse import quote

from starlette.responses import RedirectResponse, Response

from benchwright_attempts.errors import AttemptError
from benchwright_remote.messages import Membership, Role
from benchwright_service.courses.course_copy import MOST_DAYS, CourseCopyPlan, TermShift
from benchwright_service.courses.course_settings import (
    MOST_KEPT_DAYS,
    CourseSettings,
    read_course_settings,
    write_course_settings,
)
from benchwright_service.errors import BenchServiceError
from benchwright_service.mail.mail_kinds import MailKind, kinds_named
from benchwright_service.pages.rendering import SECURITY, FormProblem, form_problem_of_error, render
from benchwright_service.pages.visit import Visit, unknown_page_refusal, whole_number_or_none
from benchwright_teaching.local_times import UNIVERSAL
from benchwright_teaching.points import MOST_LATE_DAYS

_CORRECT = "Correct the field, and send the form again."


async def settings_page(visit: Visit) -> Response:
    """The form of a course's settings."""
    return await _settings_page(visit, await _owner_membership(visit), None)


async def change_settings(visit: Visit) -> Response:
    """Changes them."""
    membership = await _owner_membership(visit)
    await visit.changeable_membership()
    try:
        kept_days = visit.form_field("kept-days")
        course_settings = CourseSettings(
            visit.form_field("title", 200),
            visit.form_field("zone", 100) or UNIVERSAL,
            int(visit.form_number("late-days", 0, MOST_LATE_DAYS, 0)),
            visit.form_field("asks-recording") == "on",
            visit.form_time("ends", membership),
            int(visit.form_number("kept-days", 0, MOST_KEPT_DAYS)) if kept_days else None,
            await _silenced_kinds(visit, membership),
        )
        await write_course_settings(visit.bench.database, membership.course, course_settings)
    except (BenchServiceError, ValueError) as error:
        return await _settings_page(visit, membership, form_problem_of_error(error, _CORRECT))
    await visit.bench.audit.record_action(visit.account, membership.course, "changed settings", "")
    return RedirectResponse(f"/courses/{quote(membership.course)}", HTTPStatus.SEE_OTHER, headers=SECURITY)


async def late_days_page(visit: Visit) -> Response:
    """Late days that students have used."""
    membership = await visit.staff_membership()
    await visit.bench.audit.record_action(visit.account, membership.course, "saw late days", "")
    titles = {view.id: view.title for view in await visit.bench.courses.all_assignments(membership.course)}
    return render(
        "late_days",
        visit.session,
        member=membership,
        total=(await read_course_settings(visit.bench.database, membership.course)).late_days,
        uses=await visit.bench.grades.late_days.uses(membership.course),
        students=await visit.bench.coursework.progress.students(membership.course),
        titles=titles,
    )


async def spend_late_days_as_student(visit: Visit) -> Response:
    """Has a student use late days for an assignment."""
    membership = await visit.membership()
    assignment = visit.request.path_params["assignment"]
    if membership.role is not Role.PARTICIPANT:
        raise unknown_page_refusal()
    if not any(view.id == assignment for view in await visit.visible_assignments(membership)):
        raise unknown_page_refusal()
    try:
        days = int(visit.form_number("days", 1, MOST_LATE_DAYS))
        await visit.bench.grades.late_days.use(membership.course, assignment, visit.account, days)
    except (BenchServiceError, ValueError) as error:
        problem = form_problem_of_error(error, "Go back to the assignment; nothing was used.")
        return render("told", visit.session, HTTPStatus.CONFLICT, title="That did not work", problem=problem)
    path = f"/courses/{quote(membership.course)}/mine/{quote(assignment)}"
    return RedirectResponse(path, HTTPStatus.SEE_OTHER, headers=SECURITY)


async def choose_own_recording(visit: Visit) -> Response:
    """Has a student agree to the recording of their work, or decline it."""
    membership = await visit.membership()
    choice = visit.form_field("choice")
    if membership.role is not Role.PARTICIPANT or choice not in ("agree", "decline"):
        raise unknown_page_refusal()
    try:
        count = await visit.bench.coursework.recording_choices.choose_and_count_deleted_recordings(
            membership.course, visit.account, agrees=choice == "agree"
        )
    except (BenchServiceError, AttemptError) as error:
        problem = form_problem_of_error(error, "Go back to the course, and repeat it.")
        return render("told", visit.session, HTTPStatus.CONFLICT, title="That did not work", problem=problem)
    action, noun = ("agreed to" if choice == "agree" else "declined"), "recording" if count == 1 else "recordings"
    await visit.bench.audit.record_action(
        visit.account, membership.course, f"{action} recording", f"{count} {noun} deleted" if count else ""
    )
    return RedirectResponse(f"/courses/{quote(membership.course)}", HTTPStatus.SEE_OTHER, headers=SECURITY)


async def copy_page(visit: Visit) -> Response:
    """The form for a copy of a course."""
    return _copy_page(visit, await _owner_membership(visit))


async def plan_or_make_copy(visit: Visit) -> Response:
    """Shows the dates that a copy will have, or makes it."""
    membership = await _owner_membership(visit)
    try:
        shift = _shift_of_form(visit)
        copies = visit.bench.teaching.copies
        if visit.form_field("make") != "yes":
            return _copy_page(visit, membership, copy_plan=await copies.plan(membership.course, shift))
        new_course = visit.form_field("course", 100)
        await copies.copy(membership.course, new_course, visit.form_field("title", 200), shift, visit.account)
    except (BenchServiceError, ValueError) as error:
        return _copy_page(visit, membership, problem=form_problem_of_error(error, _CORRECT))
    await visit.bench.audit.record_action(visit.account, membership.course, "copied course", new_course)
    await visit.bench.audit.record_action(visit.account, new_course, "copied from course", membership.course)
    return RedirectResponse(f"/courses/{quote(new_course)}", HTTPStatus.SEE_OTHER, headers=SECURITY)


def _shift_of_form(visit: Visit) -> TermShift:
    days, starts = visit.form_field("days", 10), visit.form_field("starts", 10)
    try:
        start_day = date.fromisoformat(starts) if starts else None
    except ValueError:
        raise ValueError("“starts” is no day such as 2027-04-12.") from None
    negative = days.startswith("-")
    number = whole_number_or_none(days.removeprefix("-")) if days else None
    if days and (number is None or number > MOST_DAYS):
        raise ValueError(f"“days” is no number of at most {MOST_DAYS:,} days.")
    return TermShift(-number if number is not None and negative else number, start_day)


def _copy_page(
    visit: Visit, membership: Membership, *, problem: FormProblem | None = None, copy_plan: CourseCopyPlan | None = None
) -> Response:
    return render(
        "copy",
        visit.session,
        HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK,
        member=membership,
        problem=problem,
        plan=copy_plan,
        fields={name: visit.form_field(name, 200) for name in ("course", "title", "days", "starts")},
    )


async def _settings_page(visit: Visit, membership: Membership, problem: FormProblem | None) -> Response:
    return render(
        "settings",
        visit.session,
        HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK,
        member=membership,
        settings=await read_course_settings(visit.bench.database, membership.course),
        zones=sorted(zoneinfo.available_timezones() | {UNIVERSAL}),
        is_archived=await visit.is_archived(),
        most_late_days=MOST_LATE_DAYS,
        most_kept_days=MOST_KEPT_DAYS,
        mail_kinds=list(MailKind) if visit.bench.sign_in.mailer is not None else [],
        problem=problem,
    )


async def _silenced_kinds(visit: Visit, membership: Membership) -> frozenset[MailKind]:
    """The kinds of mail that are not ticked; those that are silenced already if the form does not ask."""
    if not visit.form_field("mail-said"):
        return (await read_course_settings(visit.bench.database, membership.course)).silenced
    return frozenset(MailKind) - kinds_named(visit.ticked_values("mail"))


async def _owner_membership(visit: Visit) -> Membership:
    membership = await visit.membership()
    if membership.role is not Role.OWNER:
        raise unknown_page_refusal()
    return membership
