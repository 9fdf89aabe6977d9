"""Grades in the browser: the gradebook, one student's grade with what made it, files for other systems, items."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from urllib.parse import quote

from sqlalchemy.sql.selectable import Subquery
from starlette.responses import RedirectResponse, Response

from benchwright_problems.problem import Problem, ProblemKind
from benchwright_remote.messages import AssignmentView, Membership
from benchwright_service.courses.people_rows import RowChoice, read_people_rows
from benchwright_service.courses.progress import CourseStudent
from benchwright_service.errors import BenchServiceError
from benchwright_service.grades.gradebook import Gradebook
from benchwright_service.grades.points_table import PointsTable, points_of_students, read_points_table
from benchwright_service.grades.side_by_side import lines_side_by_side
from benchwright_service.grades.solution_comparisons import LEAST_ALIKE
from benchwright_service.grades.staff_decisions import Extension, PointsAdjustment
from benchwright_service.pages.long_tables import LIST_ROWS, MATRIX_COLUMNS, matrix_row_limit, page_of, student_of_row
from benchwright_service.pages.rendering import SECURITY, FormProblem, form_problem_of_error, render
from benchwright_service.pages.visit import Visit, unknown_page_refusal
from benchwright_teaching.grade_files import canvas_csv, moodle_csv, people_csv
from benchwright_teaching.points import MOST_LATE_DAYS, AssignmentTimes, CountedRunChoice, GradingRules

_FILES = {"canvas": canvas_csv, "moodle": moodle_csv}
BY_POINTS = "sum"
"""Column of all points."""
_MOST_NAMES = 20
"""Students whom a hidden test has failed, as far as they are named at once."""
TABLE = "table"
"""The file for people: it has more than a learning management system would take."""
_FILE_WITHIN_S = 20.0
"""Time in seconds that a file waits for records that have to be checked."""


async def grades_page(visit: Visit) -> Response:
    """Students by assignments."""
    membership = await visit.staff_membership()
    assignments = await visit.bench.courses.all_assignments(membership.course)
    people = await read_people_rows(
        visit.bench.database,
        membership.course,
        visit.row_choice,
        matrix_row_limit(len(assignments)),
        sort_values=_sort_values(assignments, visit.row_choice),
    )
    points_table = await read_points_table(
        visit.bench.database, membership.course, assignments, [student_of_row(row) for row in people.rows]
    )
    column_page = page_of(points_table.assignments, people.choice.column_page, MATRIX_COLUMNS)
    await visit.bench.audit.record_action(visit.account, membership.course, "saw grades", visit.section)
    services = visit.bench.sign_in.lti_services
    platform = await services.platform_name_of(membership.course) if services is not None else ""
    return render(
        "grades",
        visit.session,
        member=membership,
        table=points_table,
        columns=column_page,
        people=people,
        choice=people.choice,
        files=[*_FILES, TABLE],
        platform=platform,
    )


async def gradebook_file(visit: Visit) -> Response:
    """The gradebook as a file for another system."""
    membership = await visit.staff_membership()
    kind = visit.request.path_params["kind"]
    if kind not in (*_FILES, TABLE):
        raise unknown_page_refusal()
    assignments = await visit.bench.courses.all_assignments(membership.course)
    students = _students_of_section(await visit.bench.coursework.progress.students(membership.course), visit.section)
    points_table = await read_points_table(visit.bench.database, membership.course, assignments, students)
    await visit.bench.audit.record_action(
        visit.account, membership.course, "exported grades", f"{kind} {visit.section}".rstrip()
    )
    if kind == TABLE:
        help_ = await _model_help_cells(visit, membership.course, points_table)
        text = await asyncio.to_thread(lambda: people_csv(points_table.columns, points_table.lines, help_))
    else:
        text = await asyncio.to_thread(lambda: _FILES[kind](points_table.columns, points_table.lines))
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
        problem = form_problem_of_error(error, "Correct the field, and send the form again.")
        return await _grade_page(visit, problem)
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
    assignments = await visit.bench.courses.all_assignments(membership.course)
    students = await visit.bench.coursework.progress.students(membership.course)
    column_page = page_of([(view, problem) for view in assignments for problem in view.problems], visit.page, LIST_ROWS)
    return render(
        "items",
        visit.session,
        member=membership,
        columns=column_page,
        items=await visit.bench.grades.item_reports.item_statistics(
            assignments, _students_of_section(students, visit.section)
        ),
        choice=visit.row_choice,
        sections=sorted({student.section for student in students if student.section}),
        titles=await visit.bench.courses.problem_titles(view.pack for view in assignments),
    )


async def item_page(visit: Visit) -> Response:
    """One problem."""
    membership = await visit.staff_membership()
    problem = visit.request.path_params["problem"]
    view = await _chosen_assignment(visit, membership)
    if problem not in view.problems:
        raise unknown_page_refusal()
    assignments = await visit.bench.courses.all_assignments(membership.course)
    students = await visit.bench.coursework.progress.students(membership.course)
    public_problem = await visit.bench.courses.public_problem(view.pack, problem)
    item_report = await visit.bench.grades.item_reports.report(
        assignments, _students_of_section(students, visit.section), view.id, public_problem
    )
    return render(
        "item",
        visit.session,
        member=membership,
        assignment=view,
        problem=public_problem,
        item=item_report.statistics,
        report=item_report,
        shown_test=visit.query_field("test"),
        most_names=_MOST_NAMES,
        outdated=await visit.bench.grades.regrades.outdated_runs(view, problem),
        is_question=public_problem.kind is ProblemKind.QUESTION,
        choice=visit.row_choice,
        sections=sorted({student.section for student in students if student.section}),
    )


async def similar_solutions_page(visit: Visit) -> Response:
    """Pairs of students whose solutions of a problem have much in common."""
    membership = await visit.staff_membership()
    view, public_problem = await _chosen_design_problem(visit, membership)
    names = await _student_names(visit, membership)
    similar_pairs = await visit.bench.grades.item_reports.similar_student_pairs_if_compared(
        await visit.bench.courses.all_assignments(membership.course), names, view.id, public_problem
    )
    await visit.bench.audit.record_action(
        visit.account, membership.course, "compared solutions", f"{view.pack}/{public_problem.id}"
    )
    return render(
        "alike",
        visit.session,
        member=membership,
        assignment=view,
        problem=public_problem,
        pairs=similar_pairs,
        names=names,
        least=LEAST_ALIKE,
    )


async def solutions_side_by_side(visit: Visit) -> Response:
    """Two solutions beside each other, with what they have in common."""
    membership = await visit.staff_membership()
    view, public_problem = await _chosen_design_problem(visit, membership)
    names = await _student_names(visit, membership)
    item_reports = visit.bench.grades.item_reports
    assignments = await visit.bench.courses.all_assignments(membership.course)
    pairs = await item_reports.similar_student_pairs_if_compared(assignments, names, view.id, public_problem)
    accounts = visit.request.path_params["first"], visit.request.path_params["second"]
    similar_pair = next((pair for pair in pairs or () if (pair.first, pair.second) == accounts), None)
    if similar_pair is None and pairs is not None:
        raise unknown_page_refusal()
    solutions = (
        ()
        if similar_pair is None
        else lines_side_by_side(
            similar_pair,
            await item_reports.counted_solution_texts(assignments, accounts, view.id, public_problem),
        )
    )
    await visit.bench.audit.record_action(
        visit.account, membership.course, "compared solutions", f"{view.pack}/{public_problem.id}"
    )
    return render(
        "alike_pair",
        visit.session,
        member=membership,
        assignment=view,
        problem=public_problem,
        pair=similar_pair,
        accounts=accounts,
        names=names,
        solutions=solutions,
    )


async def _chosen_design_problem(visit: Visit, membership: Membership) -> tuple[AssignmentView, Problem]:
    view = await _chosen_assignment(visit, membership)
    if visit.request.path_params["problem"] not in view.problems:
        raise unknown_page_refusal()
    public_problem = await visit.bench.courses.public_problem(view.pack, visit.request.path_params["problem"])
    if public_problem.kind is ProblemKind.QUESTION:
        raise unknown_page_refusal()
    return view, public_problem


async def _student_names(visit: Visit, membership: Membership) -> Mapping[str, str]:
    students = await visit.bench.coursework.progress.students(membership.course)
    return {student.account: student.name for student in students}


def grading_of_form(visit: Visit) -> GradingRules:
    """Returns the grading of an assignment that a form gives.

    Raises:
        ValueError: A field is none of its values.
    """
    usual_rules = GradingRules()
    counting = visit.form_field("counting") or usual_rules.counting.value
    if counting not in {counting_rule.value for counting_rule in CountedRunChoice}:
        raise ValueError("“counting” is neither best nor last.")
    return GradingRules(
        visit.form_number("worth", 0, 1_000_000, usual_rules.points),
        CountedRunChoice(counting),
        visit.form_field("partial") == "on",
        visit.form_number("late", 0, 100, usual_rules.late_percent),
        visit.form_field("by-group") == "on",
        int(visit.form_number("graders", 1, 2, usual_rules.graders)),
        int(visit.form_number("late-days", 0, MOST_LATE_DAYS, usual_rules.late_days)),
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
        rubrics=await visit.bench.grades.rubrics.grades_of_runs(
            book.grade(student, view).counted_run_by_problem, for_staff=True
        ),
        most=book.maximum_points(view),
        history=await visit.bench.grades.history.grade_changes(view.id, student.account),
        appeals=[
            appeal
            for appeal in await visit.bench.grades.history.appeals(membership.course, student.account)
            if appeal.assignment == view.id
        ],
        problem=problem,
        titles=await visit.bench.courses.problem_titles([view.pack]),
    )


async def _chosen_assignment_and_student(
    visit: Visit, membership: Membership
) -> tuple[AssignmentView, CourseStudent, Gradebook]:
    view = await _chosen_assignment(visit, membership)
    account = visit.request.path_params["account"]
    book = await visit.bench.grades.gradebooks.gradebook(membership.course, [view], accounts=[account])
    student = next(iter(book.students), None)
    if student is None:
        raise unknown_page_refusal()
    return view, student, book


async def _chosen_assignment(visit: Visit, membership: Membership) -> AssignmentView:
    assignment_id = visit.request.path_params["assignment"]
    assignment = await visit.bench.courses.assignment_of_course(membership.course, assignment_id)
    if assignment is None:
        raise unknown_page_refusal()
    return assignment


async def _model_help_cells(visit: Visit, course: str, points_table: PointsTable) -> list[list[str]]:
    """Results of the checks of help by models, by student and assignment."""
    cells = []
    give_up = time.monotonic() + _FILE_WITHIN_S
    for start in range(0, len(points_table.students), LIST_ROWS):
        # Others have their turn between two parts.
        students_at_once = points_table.students[start : start + LIST_ROWS]
        checks = await visit.bench.coursework.assistance.checks_of_course(
            course, max(0.0, give_up - time.monotonic()), [student.account for student in students_at_once]
        )
        cells += [
            [checks.table_cell(student.account, view.id) for view, _ in points_table.assignments]
            for student in students_at_once
        ]
    return cells


def _students_of_section(students: Sequence[CourseStudent], section: str) -> Sequence[CourseStudent]:
    """The students of a section; all of them if none is named."""
    return [student for student in students if not section or student.section == section]


def _sort_values(assignments: Sequence[AssignmentView], choice: RowChoice) -> Subquery | None:
    """Values of the column of points by which rows are sorted. None if they are sorted by another column."""
    if choice.sort == BY_POINTS:
        return points_of_students(assignments)
    chosen_assignments = [view for view in assignments if view.id == choice.sort]
    return points_of_students(chosen_assignments) if chosen_assignments else None
