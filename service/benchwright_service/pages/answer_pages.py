"""Grading answers in the browser: one at a time, without a name."""

from __future__ import annotations

from http import HTTPStatus
from urllib.parse import quote

from starlette.responses import RedirectResponse, Response

from benchwright_judges.human_grading import DIFFICULTIES
from benchwright_remote.messages import Membership, Role
from benchwright_service.errors import BenchServiceError
from benchwright_service.pages.rendering import SECURITY, Problem, render
from benchwright_service.pages.visit import STAFF, Visit, unknown_page

GRADERS = STAFF | {Role.GRADER}
"""Who may grade answers."""


async def answer(visit: Visit) -> Response:
    """The next answer for who asks."""
    return await _answer(visit, await _member(visit), None)


async def grade(visit: Visit) -> Response:
    """Takes the grade of one."""
    member = await _member(visit)
    if await visit.is_archived():
        return await _answer(visit, member, Problem("The course is archived.", "An owner of it can restore it."))
    difficulty = visit.field("difficulty")
    try:
        await visit.bench.answers.grade(
            member.course,
            visit.field("item"),
            visit.account,
            visit.field("label"),
            int(difficulty) if difficulty.isdecimal() else 0,
            visit.field("comment"),
        )
    except BenchServiceError as error:
        return await _answer(visit, member, Problem(f"{error}.".capitalize(), "Grade the answer that is shown now."))
    await visit.bench.audit.note(visit.account, member.course, "graded answer", visit.field("item"))
    return RedirectResponse(f"/courses/{quote(member.course)}/answers", HTTPStatus.SEE_OTHER, headers=SECURITY)


async def _member(visit: Visit) -> Membership:
    member = await visit.membership()
    if member.role not in GRADERS:
        raise unknown_page()
    return member


async def _answer(visit: Visit, member: Membership, problem: Problem | None) -> Response:
    desk = await visit.bench.answers.desk(member.course, visit.account)
    return render(
        "answer",
        visit.session,
        HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK,
        member=member,
        item=desk.item,
        left=desk.left,
        difficulties=DIFFICULTIES,
        problem=problem,
    )
