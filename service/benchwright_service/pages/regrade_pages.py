"""Regrading in the browser: begin it, see who it changes, accept or drop it."""

from __future__ import annotations

from http import HTTPStatus
from urllib.parse import quote

from starlette.responses import RedirectResponse, Response

from benchwright_remote.messages import Membership
from benchwright_service.errors import BenchServiceError
from benchwright_service.grades.regrades import Regrade
from benchwright_service.pages.long_tables import LIST_ROWS, page_of
from benchwright_service.pages.rendering import SECURITY, FormProblem, render
from benchwright_service.pages.visit import Visit, unknown_page_refusal


async def begin_problem_regrade(visit: Visit) -> Response:
    """Runs everything of a problem again."""
    membership = await visit.changeable_membership()
    path = visit.request.path_params
    assignments = await visit.bench.courses.all_assignments(membership.course)
    view = next((assignment for assignment in assignments if assignment.id == path["assignment"]), None)
    if view is None or path["problem"] not in view.problems:
        raise unknown_page_refusal()
    try:
        regrade = await visit.bench.grades.regrades.begin_regrade(view, path["problem"], visit.account)
    except BenchServiceError as error:
        return _refusal_page(visit, error)
    await visit.bench.audit.record_action(
        visit.account, membership.course, "began regrade", f"{view.pack}/{path['problem']}"
    )
    await visit.bench.runs.begin_queued_runs()
    return _redirect_to_regrade(membership, regrade)


async def regrade_page(visit: Visit) -> Response:
    """Page on the progress of a regrade, and on the students whom it changes."""
    membership, regrade = await _chosen_regrade(visit)
    regrades = visit.bench.grades.regrades
    student_page = page_of(await regrades.changed_students(membership.course, regrade), visit.page, LIST_ROWS)
    student_changes = await regrades.student_changes(membership.course, regrade, student_page.lines)
    titles = await visit.bench.courses.problem_titles([regrade.assignment.pack])
    return render(
        "regrade",
        visit.session,
        member=membership,
        regrade=regrade,
        title=titles.get((regrade.assignment.pack, regrade.problem), regrade.problem),
        changes=student_changes,
        students=student_page,
    )


async def accept_or_drop_regrade(visit: Visit) -> Response:
    """Accepts or drops it."""
    await visit.changeable_membership()
    membership, regrade = await _chosen_regrade(visit)
    decision = visit.form_field("decision")
    if decision not in ("accept", "drop"):
        raise unknown_page_refusal()
    try:
        if decision == "accept":
            await visit.bench.grades.regrades.accept(regrade)
        else:
            await visit.bench.grades.regrades.drop(regrade)
    except BenchServiceError as error:
        return _refusal_page(visit, error)
    action = "accepted regrade" if decision == "accept" else "dropped regrade"
    await visit.bench.audit.record_action(
        visit.account, membership.course, action, f"{regrade.assignment.pack}/{regrade.problem}"
    )
    return _redirect_to_regrade(membership, regrade.id)


async def _chosen_regrade(visit: Visit) -> tuple[Membership, Regrade]:
    membership = await visit.staff_membership()
    assignments = await visit.bench.courses.all_assignments(membership.course)
    regrade = await visit.bench.grades.regrades.find_regrade(assignments, visit.request.path_params["regrade"])
    if regrade is None:
        raise unknown_page_refusal()
    return membership, regrade


def _redirect_to_regrade(membership: Membership, regrade_id: str) -> Response:
    return RedirectResponse(
        f"/courses/{quote(membership.course)}/regrades/{regrade_id}", HTTPStatus.SEE_OTHER, SECURITY
    )


def _refusal_page(visit: Visit, error: BenchServiceError) -> Response:
    problem = FormProblem(str(error), "Go back to the problem.")
    return render("told", visit.session, HTTPStatus.CONFLICT, title="That did not work", problem=problem)
