"""The people of a course in the browser: groups, and export and deletion of one person's data."""

from __future__ import annotations

from http import HTTPStatus
from urllib.parse import quote

from starlette.responses import RedirectResponse, Response

from benchwright_attempts.errors import AttemptError
from benchwright_remote.messages import Membership, Role
from benchwright_service.accounts.people import Person
from benchwright_service.errors import BenchServiceError
from benchwright_service.pages.rendering import SECURITY, Problem, render
from benchwright_service.pages.visit import Visit, unknown_page

_LONGEST_GROUP = 60


async def people(visit: Visit) -> Response:
    """Everybody."""
    return await _people(visit, await visit.staffed(), None)


async def group(visit: Visit) -> Response:
    """Puts people in groups."""
    member = await visit.changing()
    people = await visit.bench.people.members(member.course)
    groups = {person.account: visit.field(f"group-{person.account}", _LONGEST_GROUP) for person in people}
    changed = {person.account: groups[person.account] for person in people if person.group != groups[person.account]}
    await visit.bench.people.group(member.course, changed)
    if changed:
        await visit.bench.audit.note(visit.account, member.course, "changed groups", f"{len(changed)} people")
    return _onward(member)


async def export(visit: Visit) -> Response:
    """Export of the data that the service has of a person in the course."""
    member, person = await _chosen(visit)
    content = await visit.bench.people.export(member.course, person.account)
    await visit.bench.audit.note(visit.account, member.course, "exported person", person.account)
    headers = SECURITY | {"Content-Disposition": f'attachment; filename="{person.account}.zip"'}
    return Response(content, media_type="application/zip", headers=headers)


async def delete(visit: Visit) -> Response:
    """Deletes it."""
    member, person = await _chosen(visit)
    if person.account == visit.account:
        return await _people(visit, member, Problem("This is you.", "Ask another owner of the course."))
    if visit.field("name", 200) != person.name.strip():
        problem = Problem("The name is not that of the person.", "Type it as the list has it; nothing was deleted.")
        return await _people(visit, member, problem)
    try:
        await visit.bench.people.delete(member.course, person.account, f"deleted in {member.course}")
    except (BenchServiceError, AttemptError) as error:
        return await _people(visit, member, Problem(str(error), "Try again."))
    await visit.bench.audit.note(visit.account, member.course, "deleted person", person.account)
    return _onward(member)


async def _chosen(visit: Visit) -> tuple[Membership, Person]:
    member = await visit.membership()
    if member.role is not Role.OWNER:
        raise unknown_page()
    try:
        return member, await visit.bench.people.find(member.course, visit.request.path_params["account"])
    except BenchServiceError:
        raise unknown_page() from None


async def _people(visit: Visit, member: Membership, problem: Problem | None) -> Response:
    people = await visit.bench.people.members(member.course)
    await visit.bench.audit.note(visit.account, member.course, "saw people", "")
    return render(
        "people",
        visit.session,
        HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK,
        member=member,
        people=people,
        is_owner=member.role is Role.OWNER,
        is_archived=await visit.is_archived(),
        problem=problem,
    )


def _onward(member: Membership) -> Response:
    return RedirectResponse(f"/courses/{quote(member.course)}/people", HTTPStatus.SEE_OTHER, headers=SECURITY)
