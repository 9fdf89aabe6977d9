"""A student's own grade in the browser, and what they have against it."""

from __future__ import annotations

from http import HTTPStatus
from urllib.parse import quote

from starlette.responses import RedirectResponse, Response

from benchwright_remote.messages import AssignmentView, Membership, Role
from benchwright_service.courses.progress import CourseStudent
from benchwright_service.errors import BenchServiceError
from benchwright_service.grades.grade_history import LONGEST
from benchwright_service.grades.gradebook import Gradebook
from benchwright_service.pages.long_tables import LIST_ROWS, page_of
from benchwright_service.pages.rendering import SECURITY, FormProblem, render
from benchwright_service.pages.visit import Visit, unknown_page_refusal, whole_number_or_none


async def own_grade_page(visit: Visit) -> Response:
    """The grade of who asks."""
    return await _own_grade_page(visit, None)


async def submit_appeal(visit: Visit) -> Response:
    """Takes an appeal against it."""
    membership, view, student, _ = await _own_assignment(visit)
    if await visit.is_archived():
        return await _own_grade_page(visit, FormProblem("The course is archived.", "Ask its staff."))
    try:
        await visit.bench.grades.history.record_appeal(view.id, student.account, visit.form_field("text", LONGEST))
    except BenchServiceError as error:
        return await _own_grade_page(visit, FormProblem(f"{error}.".capitalize(), "Correct it, and send it again."))
    path = f"/courses/{quote(membership.course)}/mine/{view.id}"
    return RedirectResponse(path, HTTPStatus.SEE_OTHER, headers=SECURITY)


async def appeals_page(visit: Visit) -> Response:
    """All appeals of a course."""
    membership = await visit.staff_membership()
    course_appeals = await visit.bench.grades.history.appeals(membership.course)
    titles = {
        assignment.id: assignment.title for assignment in await visit.bench.courses.all_assignments(membership.course)
    }
    await visit.bench.audit.record_action(visit.account, membership.course, "saw appeals", "")
    appeals_page_ = page_of(course_appeals, visit.page, LIST_ROWS)
    return render("appeals", visit.session, member=membership, appeals=appeals_page_, titles=titles)


async def submit_appeal_answer(visit: Visit) -> Response:
    """Grants or denies one."""
    membership = await visit.changeable_membership()
    path, decision, number = (
        visit.request.path_params,
        visit.form_field("decision"),
        whole_number_or_none(visit.form_field("appeal")),
    )
    if decision not in ("grant", "deny") or number is None:
        raise unknown_page_refusal()
    views = {assignment.id for assignment in await visit.bench.courses.all_assignments(membership.course)}
    if path["assignment"] not in views:
        raise unknown_page_refusal()
    try:
        await visit.bench.grades.history.answer_appeal(
            number,
            path["assignment"],
            path["account"],
            granted=decision == "grant",
            answer_text=visit.form_field("answer", LONGEST),
            staff_account=visit.account,
        )
    except BenchServiceError as error:
        problem = FormProblem(f"{error}.".capitalize(), "Go back to the grade.")
        return render("told", visit.session, HTTPStatus.CONFLICT, title="That did not work", problem=problem)
    action = "granted appeal" if decision == "grant" else "denied appeal"
    await visit.bench.audit.record_action(
        visit.account, membership.course, action, f"{path['account']} {path['assignment']}"
    )
    onward = f"/courses/{quote(membership.course)}/grades/{path['assignment']}/{path['account']}"
    return RedirectResponse(onward, HTTPStatus.SEE_OTHER, headers=SECURITY)


async def _own_grade_page(visit: Visit, problem: FormProblem | None) -> Response:
    membership, view, student, book = await _own_assignment(visit)
    appeals_ = await visit.bench.grades.history.appeals(membership.course, student.account)
    return render(
        "own",
        visit.session,
        HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK,
        member=membership,
        assignment=view,
        titles=await visit.bench.courses.problem_titles([view.pack]),
        grade=book.grade(student, view),
        rubrics=await visit.bench.grades.rubrics.grades_of_runs(
            book.grade(student, view).counted_run_by_problem, for_staff=False
        ),
        most=book.maximum_points(view),
        history=await visit.bench.grades.history.grade_changes(view.id, student.account),
        appeals=[student_appeal for student_appeal in appeals_ if student_appeal.assignment == view.id],
        cells=await visit.bench.coursework.progress.student_cells(membership.course, visit.account, view.id),
        runs=await visit.bench.coursework.own_runs.newest_runs_by_problem(visit.account, view.id),
        test_groups=await visit.bench.courses.test_groups_by_problem(view.pack),
        late_days=await visit.bench.grades.late_days.allowance(membership.course, view.id, visit.account),
        by_group=bool(student.group) and book.grading_rules(view).by_group,
        is_archived=await visit.is_archived(),
        longest=LONGEST,
        problem=problem,
    )


async def _own_assignment(visit: Visit) -> tuple[Membership, AssignmentView, CourseStudent, Gradebook]:
    membership = await visit.membership()
    if membership.role is not Role.PARTICIPANT:
        raise unknown_page_refusal()
    assignment = visit.request.path_params["assignment"]
    view = next((own for own in await visit.visible_assignments(membership) if own.id == assignment), None)
    if view is None:
        raise unknown_page_refusal()
    book = await visit.bench.grades.gradebooks.gradebook(membership.course, [view], accounts=[visit.account])
    student = next(iter(book.students), None)
    if student is None:
        raise unknown_page_refusal()
    return membership, view, student, book
