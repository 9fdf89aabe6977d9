"""A student's own grade in the browser, and what they have against it."""

from __future__ import annotations

from http import HTTPStatus
from urllib.parse import quote

from starlette.responses import RedirectResponse, Response

from benchwright_remote.messages import AssignmentView, Membership, Role
from benchwright_service.courses.progress import Student
from benchwright_service.errors import BenchServiceError
from benchwright_service.grades.grade_history import LONGEST
from benchwright_service.grades.gradebook import Gradebook
from benchwright_service.pages.rendering import SECURITY, Problem, render
from benchwright_service.pages.visit import Visit, unknown_page, whole_number


async def own(visit: Visit) -> Response:
    """The grade of who asks."""
    return await _own(visit, None)


async def appeal(visit: Visit) -> Response:
    """Takes an appeal against it."""
    member, view, student, _ = await _mine(visit)
    if await visit.is_archived():
        return await _own(visit, Problem("The course is archived.", "Ask its staff."))
    try:
        await visit.bench.grades.history.appeal(view.id, student.account, visit.field("text", LONGEST))
    except BenchServiceError as error:
        return await _own(visit, Problem(f"{error}.".capitalize(), "Correct it, and send it again."))
    path = f"/courses/{quote(member.course)}/mine/{view.id}"
    return RedirectResponse(path, HTTPStatus.SEE_OTHER, headers=SECURITY)


async def appeals(visit: Visit) -> Response:
    """All appeals of a course."""
    member = await visit.staffed()
    found = await visit.bench.grades.history.appeals(member.course)
    titles = {one.id: one.title for one in await visit.bench.courses.all_of(member.course)}
    await visit.bench.audit.note(visit.account, member.course, "saw appeals", "")
    return render("appeals", visit.session, member=member, appeals=found, titles=titles)


async def answer(visit: Visit) -> Response:
    """Grants or denies one."""
    member = await visit.changing()
    path, decision, number = visit.request.path_params, visit.field("decision"), whole_number(visit.field("appeal"))
    if decision not in ("grant", "deny") or number is None:
        raise unknown_page()
    views = {one.id for one in await visit.bench.courses.all_of(member.course)}
    if path["assignment"] not in views:
        raise unknown_page()
    try:
        await visit.bench.grades.history.answer(
            number,
            path["assignment"],
            path["account"],
            granted=decision == "grant",
            text=visit.field("answer", LONGEST),
            by=visit.account,
        )
    except BenchServiceError as error:
        told = Problem(f"{error}.".capitalize(), "Go back to the grade.")
        return render("told", visit.session, HTTPStatus.CONFLICT, title="That did not work", problem=told)
    action = "granted appeal" if decision == "grant" else "denied appeal"
    await visit.bench.audit.note(visit.account, member.course, action, f"{path['account']} {path['assignment']}")
    onward = f"/courses/{quote(member.course)}/grades/{path['assignment']}/{path['account']}"
    return RedirectResponse(onward, HTTPStatus.SEE_OTHER, headers=SECURITY)


async def _own(visit: Visit, problem: Problem | None) -> Response:
    member, view, student, book = await _mine(visit)
    appeals_ = await visit.bench.grades.history.appeals(member.course, student.account)
    return render(
        "own",
        visit.session,
        HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK,
        member=member,
        assignment=view,
        grade=book.grade(student, view),
        rubrics=await visit.bench.grades.rubrics.of(book.grade(student, view).counted, for_staff=False),
        most=book.most(view),
        history=await visit.bench.grades.history.of(view.id, student.account),
        appeals=[one for one in appeals_ if one.assignment == view.id],
        runs=await visit.bench.coursework.own_runs.of(visit.account, view.id),
        is_archived=await visit.is_archived(),
        longest=LONGEST,
        problem=problem,
    )


async def _mine(visit: Visit) -> tuple[Membership, AssignmentView, Student, Gradebook]:
    member = await visit.membership()
    if member.role is not Role.PARTICIPANT:
        raise unknown_page()
    mine = await visit.bench.courses.of(visit.account, archived=True)
    view = next((one for one in mine if one.id == visit.request.path_params["assignment"]), None)
    if view is None or view.course != member.course:
        raise unknown_page()
    book = await visit.bench.grades.gradebooks.of(member.course, await visit.bench.courses.all_of(member.course))
    return member, view, next(one for one in book.students if one.account == visit.account), book
