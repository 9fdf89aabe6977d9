"""Regrading in the browser: begin it, see who it changes, accept or drop it."""

from __future__ import annotations

from http import HTTPStatus
from urllib.parse import quote

from starlette.responses import RedirectResponse, Response

from benchwright_remote.messages import Membership
from benchwright_service.errors import BenchServiceError
from benchwright_service.grades.regrades import Regrade
from benchwright_service.pages.rendering import SECURITY, Problem, render
from benchwright_service.pages.visit import Visit, unknown_page


async def begin(visit: Visit) -> Response:
    """Runs everything of a problem again."""
    member = await visit.changing()
    path = visit.request.path_params
    assignments = await visit.bench.courses.all_of(member.course)
    view = next((assignment for assignment in assignments if assignment.id == path["assignment"]), None)
    if view is None or path["problem"] not in view.problems:
        raise unknown_page()
    try:
        regrade = await visit.bench.grades.regrades.begin(view, path["problem"], visit.account)
    except BenchServiceError as error:
        return _refused(visit, error)
    await visit.bench.audit.note(visit.account, member.course, "began regrade", f"{view.pack}/{path['problem']}")
    await visit.bench.runs.take_up()
    return _onward(member, regrade)


async def regrade(visit: Visit) -> Response:
    """Page on the progress of a regrade, and on the students whom it changes."""
    member, regrade = await _chosen_regrade(visit)
    assignments = await visit.bench.courses.all_of(member.course)
    changes = await visit.bench.grades.regrades.changes(member.course, assignments, regrade)
    return render("regrade", visit.session, member=member, regrade=regrade, changes=changes)


async def decide(visit: Visit) -> Response:
    """Accepts or drops it."""
    await visit.changing()
    member, regrade = await _chosen_regrade(visit)
    decision = visit.field("decision")
    if decision not in ("accept", "drop"):
        raise unknown_page()
    try:
        if decision == "accept":
            await visit.bench.grades.regrades.accept(regrade)
        else:
            await visit.bench.grades.regrades.drop(regrade)
    except BenchServiceError as error:
        return _refused(visit, error)
    action = "accepted regrade" if decision == "accept" else "dropped regrade"
    await visit.bench.audit.note(visit.account, member.course, action, f"{regrade.assignment.pack}/{regrade.problem}")
    return _onward(member, regrade.id)


async def _chosen_regrade(visit: Visit) -> tuple[Membership, Regrade]:
    member = await visit.staffed()
    assignments = await visit.bench.courses.all_of(member.course)
    regrade = await visit.bench.grades.regrades.find(assignments, visit.request.path_params["regrade"])
    if regrade is None:
        raise unknown_page()
    return member, regrade


def _onward(member: Membership, regrade: str) -> Response:
    return RedirectResponse(f"/courses/{quote(member.course)}/regrades/{regrade}", HTTPStatus.SEE_OTHER, SECURITY)


def _refused(visit: Visit, error: BenchServiceError) -> Response:
    problem = Problem(str(error), "Go back to the problem.")
    return render("told", visit.session, HTTPStatus.CONFLICT, title="That did not work", problem=problem)
