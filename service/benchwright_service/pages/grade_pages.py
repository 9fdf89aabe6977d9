"""Grades in the browser: the gradebook, one student's grade with what made it, files for other systems, items."""

from __future__ import annotations

from http import HTTPStatus
from urllib.parse import quote

from starlette.responses import RedirectResponse, Response

from benchwright_problems.problem import ProblemKind as ProblemKind
from benchwright_remote.messages import AssignmentView, Membership
from benchwright_service.courses.progress import CourseStudent
from benchwright_service.errors import BenchServiceError
from benchwright_service.grades.gradebook import Gradebook
from benchwright_service.grades.item_report import LEAST_ALIKE, item_statistics_by_problem
from benchwright_service.grades.staff_decisions import Extension, PointsAdjustment
from benchwright_service.pages.rendering import SECURITY, FormProblem, render
from benchwright_service.pages.visit import Visit, sections_of, unknown_page_refusal
from benchwright_teaching.grade_files import canvas_csv, moodle_csv, people_csv
from benchwright_teaching.points import MOST_LATE_DAYS, AssignmentTimes, Counting, GradingRules

_FILES = {"canvas": canvas_csv, "moodle": moodle_csv}
TABLE = "table"
"""The file for people: it has more than a learning management system would take."""
_FILE_WITHIN_S = 20.0
"""Time in seconds that a file waits for records that have to be checked."""


async def grades_page(visit: Visit) -> Response:
    """Students by assignments."""
    membership = await visit.staff_membership()
    book = await _course_book(visit, membership)
    await visit.bench.audit.record_action(visit.account, membership.course, "saw grades", visit.section)
    services = visit.bench.sign_in.lti_services
    platform = await services.platform_name_of(membership.course) if services is not None else ""
    return render(
        "grades",
        visit.session,
        member=membership,
        book=book.narrowed_to_section(visit.section),
        files=[*_FILES, TABLE],
        platform=platform,
        section=visit.section,
        sections=sections_of(book.students),
    )


async def gradebook_file(visit: Visit) -> Response:
    """The gradebook as a file for another system."""
    membership = await visit.staff_membership()
    kind = visit.request.path_params["kind"]
    if kind not in (*_FILES, TABLE):
        raise unknown_page_refusal()
    book = (await _course_book(visit, membership)).narrowed_to_section(visit.section)
    await visit.bench.audit.record_action(
        visit.account, membership.course, "exported grades", f"{kind} {visit.section}".rstrip()
    )
    if kind == TABLE:
        checks = await visit.bench.coursework.assistance.checks_of_course(membership.course, _FILE_WITHIN_S)
        help_ = [
            [checks.table_cell(student.account, view.id) for view, _ in book.assignments] for student in book.students
        ]
        text = people_csv(book.columns, book.lines, help_)
    else:
        text = _FILES[kind](book.columns, book.lines)
    name = f"{membership.course}-{kind}.csv"
    headers = SECURITY | {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type="text/csv; charset=utf-8", headers=headers)


async def student_grade_page(visit: Visit) -> Response:
    """One student's grade."""
    return await _grade_page(visit, None)


async def change_student_grade(visit: Visit) -> Response:
    """Extends an assignment for a student, or adjusts their points."""
    membership = await visit.changeable_membership()
    view, student, _ = await _chosen_assignment_and_student(visit, membership)
    decisions, reason = visit.bench.grades.decisions, visit.form_field("reason", 500)
    try:
        if visit.form_field("points"):
            points = visit.form_number("points", -1_000_000, 1_000_000)
            adjustment = PointsAdjustment(view.id, student.account, points, reason)
            await decisions.adjust_points(membership.course, [adjustment], visit.account)
            action = f"adjusted by {points:+g}"
        else:
            times = AssignmentTimes(visit.form_time("due", membership), visit.form_time("closes", membership))
            extension = Extension(view.id, student.account, times, reason)
            await decisions.give_extensions(membership.course, [extension], visit.account)
            action = "extended"
    except (BenchServiceError, ValueError) as error:
        return await _grade_page(visit, FormProblem(str(error), "Correct the field, and send the form again."))
    await visit.bench.audit.record_action(visit.account, membership.course, action, f"{student.account} {view.id}")
    return RedirectResponse(visit.request.url.path, HTTPStatus.SEE_OTHER, headers=SECURITY)


async def change_grading_rules(visit: Visit) -> Response:
    """Changes how an assignment is graded."""
    membership = await visit.changeable_membership()
    assignment = visit.request.path_params["assignment"]
    try:
        grading = grading_of_form(visit)
        await visit.bench.grades.gradebooks.change_grading_rules(membership.course, assignment, grading)
    except BenchServiceError:
        raise unknown_page_refusal() from None
    except ValueError as error:
        problem = FormProblem(str(error), "Go back, and correct the field.")
        return render(
            "told", visit.session, HTTPStatus.UNPROCESSABLE_ENTITY, title="That did not work", problem=problem
        )
    await visit.bench.audit.record_action(visit.account, membership.course, "changed grading", assignment)
    return RedirectResponse(f"/courses/{quote(membership.course)}/grades", HTTPStatus.SEE_OTHER, headers=SECURITY)


async def item_analysis_page(visit: Visit) -> Response:
    """Item analysis."""
    membership = await visit.staff_membership()
    book = await _course_book(visit, membership)
    section_book = book.narrowed_to_section(visit.section)
    return render(
        "items",
        visit.session,
        member=membership,
        book=section_book,
        items=item_statistics_by_problem(section_book),
        section=visit.section,
        sections=sections_of(book.students),
    )


async def item_page(visit: Visit) -> Response:
    """One problem."""
    membership = await visit.staff_membership()
    whole_book = await _course_book(visit, membership)
    book = whole_book.narrowed_to_section(visit.section)
    problem = visit.request.path_params["problem"]
    view = _chosen_assignment(visit, book)
    if problem not in view.problems:
        raise unknown_page_refusal()
    public_problem = await visit.bench.courses.public_problem(view.pack, problem)
    item_report = await visit.bench.grades.item_reports.report(book, view.id, public_problem)
    return render(
        "item",
        visit.session,
        member=membership,
        assignment=view,
        problem=problem,
        item=item_statistics_by_problem(book)[view.id, problem],
        report=item_report,
        outdated=await visit.bench.grades.regrades.outdated_runs(view, problem),
        is_question=public_problem.kind is ProblemKind.QUESTION,
        section=visit.section,
        sections=sections_of(whole_book.students),
    )


async def similar_solutions_page(visit: Visit) -> Response:
    """Pairs of students whose solutions of a problem have much in common."""
    membership = await visit.staff_membership()
    book = await _course_book(visit, membership)
    problem = visit.request.path_params["problem"]
    view = _chosen_assignment(visit, book)
    if problem not in view.problems:
        raise unknown_page_refusal()
    public_problem = await visit.bench.courses.public_problem(view.pack, problem)
    if public_problem.kind is ProblemKind.QUESTION:
        raise unknown_page_refusal()
    similar_pairs = await visit.bench.grades.item_reports.similar_student_pairs(book, view.id, public_problem)
    await visit.bench.audit.record_action(
        visit.account, membership.course, "compared solutions", f"{view.pack}/{problem}"
    )
    return render(
        "alike",
        visit.session,
        member=membership,
        assignment=view,
        problem=problem,
        pairs=similar_pairs,
        names={student.account: student.name for student in book.students},
        least=LEAST_ALIKE,
    )


def grading_of_form(visit: Visit) -> GradingRules:
    """Returns the grading of an assignment that a form gives.

    Raises:
        ValueError: A field is none of its values.
    """
    usual = GradingRules()
    counting = visit.form_field("counting") or usual.counting.value
    if counting not in {counting_rule.value for counting_rule in Counting}:
        raise ValueError("“counting” is neither best nor last.")
    return GradingRules(
        visit.form_number("worth", 0, 1_000_000, usual.points),
        Counting(counting),
        visit.form_field("partial") == "on",
        visit.form_number("late", 0, 100, usual.late_percent),
        visit.form_field("by-group") == "on",
        int(visit.form_number("graders", 1, 2, usual.graders)),
        int(visit.form_number("late-days", 0, MOST_LATE_DAYS, usual.late_days)),
    )


async def _grade_page(visit: Visit, problem: FormProblem | None) -> Response:
    membership = await visit.staff_membership()
    view, student, book = await _chosen_assignment_and_student(visit, membership)
    await visit.bench.audit.record_action(visit.account, membership.course, "saw grade", f"{student.account} {view.id}")
    return render(
        "grade",
        visit.session,
        HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK,
        member=membership,
        assignment=view,
        student=student,
        grade=book.grade(student, view),
        cells=await visit.bench.coursework.progress.student_cells(membership.course, student.account, view.id),
        rubrics=await visit.bench.grades.rubrics.grades_of_runs(book.grade(student, view).counted_runs, for_staff=True),
        most=book.maximum_points(view),
        history=await visit.bench.grades.history.grade_changes(view.id, student.account),
        appeals=[
            appeal
            for appeal in await visit.bench.grades.history.appeals(membership.course, student.account)
            if appeal.assignment == view.id
        ],
        problem=problem,
    )


async def _course_book(visit: Visit, membership: Membership) -> Gradebook:
    assignments = await visit.bench.courses.all_assignments(membership.course)
    return await visit.bench.grades.gradebooks.gradebook(membership.course, assignments)


async def _chosen_assignment_and_student(
    visit: Visit, membership: Membership
) -> tuple[AssignmentView, CourseStudent, Gradebook]:
    book = await _course_book(visit, membership)
    account = visit.request.path_params["account"]
    student = next((candidate for candidate in book.students if candidate.account == account), None)
    if student is None:
        raise unknown_page_refusal()
    return _chosen_assignment(visit, book), student, book


def _chosen_assignment(visit: Visit, book: Gradebook) -> AssignmentView:
    assignment_id = visit.request.path_params["assignment"]
    assignment = next((view for view, _ in book.assignments if view.id == assignment_id), None)
    if assignment is None:
        raise unknown_page_refusal()
    return assignment
