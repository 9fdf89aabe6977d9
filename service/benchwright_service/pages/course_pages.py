"""A course in the browser: its assignments, how far its students are, and one student's work."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from http import HTTPStatus
from urllib.parse import quote

from starlette.responses import RedirectResponse, Response

from benchwright_problems.problem import Reveal
from benchwright_remote.messages import Membership, Role
from benchwright_service.errors import BenchServiceError
from benchwright_service.pages.rendering import SECURITY, Problem, render
from benchwright_service.pages.replay_pages import student_of
from benchwright_service.pages.visit import STAFF, WATCHERS, Visit, unknown_page
from benchwright_service.playback import PlaybackError
from benchwright_service.progress import AttemptLine, Written, written_of

_MOST_RUNS = 10_000


async def courses(visit: Visit) -> Response:
    """The courses of who is signed in, and the studies that they watch."""
    mine = await visit.bench.accounts.memberships(visit.account)
    studies = [one for one, _ in mine if await visit.bench.monitor.is_study(one.course)]
    shown = [one for one in mine if one[0] not in studies]
    watched = [one for one in studies if one.role in WATCHERS]
    return render("courses", visit.session, courses=shown, studies=watched)


async def course(visit: Visit) -> Response:
    """A course: for its staff with a form for assignments, for others with their own standing."""
    member = await visit.membership()
    return await _course(visit, member, None, {})


async def assign(visit: Visit) -> Response:
    """Makes an assignment."""
    member = await visit.changing()
    try:
        times = {name: visit.time(name) for name in ("opens", "due", "closes")}
        made = await visit.bench.courses.assign(
            member.course,
            visit.field("pack"),
            title=visit.field("title", 200),
            problems=visit.field("problems").split() or None,
            most_runs=_count(visit.field("runs")),
            reveal=Reveal(visit.field("reveal")) if visit.field("reveal") in {one.value for one in Reveal} else None,
            **times,
        )
    except (BenchServiceError, ValueError) as error:
        told = Problem(str(error), "Correct the field, and assign again.")
        return await _course(visit, member, told, {name: visit.field(name) for name in _FIELDS})
    await visit.bench.audit.note(visit.account, member.course, "assigned", made)
    return RedirectResponse(f"/courses/{quote(member.course)}", HTTPStatus.SEE_OTHER, headers=SECURITY)


async def archive(visit: Visit) -> Response:
    """Archives a course, or restores it."""
    member = await visit.membership()
    if member.role is not Role.OWNER:
        raise unknown_page()
    restore = visit.field("restore") == "yes"
    await visit.bench.courses.archive(member.course, restore=restore)
    await visit.bench.audit.note(visit.account, member.course, "restored course" if restore else "archived course", "")
    return RedirectResponse(f"/courses/{quote(member.course)}", HTTPStatus.SEE_OTHER, headers=SECURITY)


async def progress(visit: Visit) -> Response:
    """Students by problems."""
    member = await visit.staffed()
    section = visit.request.query_params.get("section", "")
    assignments = await visit.bench.courses.all_of(member.course)
    found = await visit.bench.progress.matrix(member.course, assignments, section)
    everybody = found.students if not section else await visit.bench.progress.students(member.course)
    await visit.bench.audit.note(visit.account, member.course, "saw progress", section)
    return render(
        "progress",
        visit.session,
        member=member,
        matrix=found,
        assignments=assignments,
        section=section,
        sections=sorted({one.section for one in everybody if one.section}),
    )


async def work(visit: Visit) -> Response:
    """One student's attempts at a problem."""
    member, assignment, student = await student_of(visit)
    path = visit.request.path_params
    attempts = await visit.bench.progress.attempts(student.account, assignment.id, path["problem"])
    written = [await _written(visit, one) for one in attempts]
    seen = f"{student.account} {assignment.pack}/{path['problem']}"
    await visit.bench.audit.note(visit.account, member.course, "saw work", seen)
    return render(
        "work",
        visit.session,
        member=member,
        assignment=assignment,
        problem=path["problem"],
        student=student,
        attempts=list(zip(attempts, written, strict=True)),
    )


async def _written(visit: Visit, attempt: AttemptLine) -> Sequence[Written] | str:
    """Where its text came from; or why that can't be said."""
    try:
        return written_of((await visit.bench.replays.of(attempt.id, attempt.summary.seq)).inserted)
    except PlaybackError as error:
        return str(error)


async def audit(visit: Visit) -> Response:
    """Who of the staff saw or changed what."""
    member = await visit.staffed()
    return render("audit", visit.session, member=member, entries=await visit.bench.audit.of(member.course))


async def _course(visit: Visit, member: Membership, problem: Problem | None, fields: dict[str, str]) -> Response:
    is_staff = member.role in STAFF
    if is_staff:
        assignments = await visit.bench.courses.all_of(member.course)
        mine = None
    else:
        own = await visit.bench.courses.of(visit.account, archived=True)
        assignments = [one for one in own if one.course == member.course]
        is_participant = member.role is Role.PARTICIPANT
        mine = await visit.bench.progress.own(visit.account, member.course) if is_participant else None
    return render(
        "course",
        visit.session,
        HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK,
        member=member,
        is_staff=is_staff,
        is_owner=member.role is Role.OWNER,
        is_grader=member.role is Role.GRADER,
        open_appeals=await visit.bench.history.waiting(member.course) if is_staff else 0,
        is_archived=await visit.is_archived(),
        assignments=assignments,
        mine=mine,
        packs=await asyncio.to_thread(visit.bench.courses.pack_names) if is_staff else (),
        policies=list(Reveal),
        problem=problem,
        fields=dict.fromkeys(_FIELDS, "") | fields,
    )


_FIELDS = ("pack", "title", "problems", "opens", "due", "closes", "runs", "reveal")


def _count(text: str) -> int | None:
    if not text:
        return None
    if not text.isdecimal() or not 1 <= int(text) <= _MOST_RUNS:
        raise ValueError(f"“runs” is no number from 1 to {_MOST_RUNS:,}.")
    return int(text)
