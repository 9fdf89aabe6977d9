"""The people of a course in the browser: groups, and export and deletion of one person's data."""

from __future__ import annotations

from http import HTTPStatus
from urllib.parse import quote

from starlette.responses import RedirectResponse, Response

from benchwright_attempts.errors import AttemptError
from benchwright_remote.messages import Membership, Role
from benchwright_service.accounts.people import Person
from benchwright_service.courses.people_rows import read_people_rows
from benchwright_service.errors import BenchServiceError
from benchwright_service.pages.long_tables import LIST_ROWS
from benchwright_service.pages.rendering import SECURITY, FormProblem, form_problem_of_error, render
from benchwright_service.pages.visit import Visit, unknown_page_refusal

_LONGEST_GROUP = 60


async def people_page(visit: Visit) -> Response:
    """Everybody."""
    return await people_page_with_problem(visit, await visit.staff_membership(), None)


async def change_groups(visit: Visit) -> Response:
    """Puts people in groups."""
    membership = await visit.changeable_membership()
    course_people = await visit.bench.people_service.members(membership.course)
    changes = {}
    for person in course_people:
        if f"group-{person.account}" not in visit.form:
            # On another page of the table.
            continue
        new_group, old_group = (
            visit.form_field(f"{field}-{person.account}", _LONGEST_GROUP) for field in ("group", "shown-group")
        )
        if new_group != old_group:
            changes[person.account] = old_group, new_group
    moved_accounts = await visit.bench.people_service.change_groups_and_find_conflicts(membership.course, changes)
    if len(changes) > len(moved_accounts):
        await visit.bench.audit.record_action(
            visit.account, membership.course, "changed groups", f"{len(changes) - len(moved_accounts)} people"
        )
    if moved_accounts:
        names = ", ".join(person.name for person in course_people if person.account in moved_accounts)
        problem = FormProblem(
            f"Somebody else has changed the group of {names} meanwhile; your other changes are saved.",
            "Look at the groups that the list shows now, and change them again if need be.",
        )
        return await people_page_with_problem(visit, membership, problem)
    return _redirect_to_people(membership)


async def person_export(visit: Visit) -> Response:
    """Export of the data that the service has of a person in the course."""
    membership, person = await _chosen_person(visit)
    content = await visit.bench.people_service.export_person_zip(membership.course, person.account)
    await visit.bench.audit.record_action(visit.account, membership.course, "exported person", person.account)
    headers = SECURITY | {"Content-Disposition": f'attachment; filename="{person.account}.zip"'}
    return Response(content, media_type="application/zip", headers=headers)


async def research_export(visit: Visit) -> Response:
    """Figures of the course for research."""
    membership = await visit.membership()
    if membership.role is not Role.OWNER:
        raise unknown_page_refusal()
    try:
        content = await visit.bench.grades.research.export_zip(membership.course)
    except BenchServiceError as error:
        problem = form_problem_of_error(error, "Nothing was exported: figures of so few would show single people.")
        return render("told", visit.session, HTTPStatus.CONFLICT, title="That did not work", problem=problem)
    await visit.bench.audit.record_action(visit.account, membership.course, "exported for research", "")
    headers = SECURITY | {"Content-Disposition": f'attachment; filename="{membership.course}-research.zip"'}
    return Response(content, media_type="application/zip", headers=headers)


async def delete_chosen_person(visit: Visit) -> Response:
    """Deletes it."""
    membership, person = await _chosen_person(visit)
    if person.account == visit.account:
        return await people_page_with_problem(
            visit, membership, FormProblem("This is you.", "Ask another owner of the course.")
        )
    if visit.form_field("name", 200) != person.name.strip():
        problem = FormProblem("The name is not that of the person.", "Type it as the list has it; nothing was deleted.")
        return await people_page_with_problem(visit, membership, problem)
    try:
        await visit.bench.people_service.delete_person_and_count_attempts(
            membership.course, person.account, f"deleted in {membership.course}"
        )
    except (BenchServiceError, AttemptError) as error:
        return await people_page_with_problem(visit, membership, FormProblem(str(error), "Try again."))
    await visit.bench.audit.record_action(visit.account, membership.course, "deleted person", person.account)
    return _redirect_to_people(membership)


async def _chosen_person(visit: Visit) -> tuple[Membership, Person]:
    membership = await visit.membership()
    if membership.role is not Role.OWNER:
        raise unknown_page_refusal()
    try:
        return membership, await visit.bench.people_service.member_or_dropped(
            membership.course, visit.request.path_params["account"]
        )
    except BenchServiceError:
        raise unknown_page_refusal() from None


async def people_page_with_problem(visit: Visit, membership: Membership, problem: FormProblem | None) -> Response:
    """Everybody, with the reason why a form was not taken."""
    people = await read_people_rows(
        visit.bench.database, membership.course, visit.row_choice, LIST_ROWS, students_only=False
    )
    entries = {entry.account: entry for entry in await visit.bench.rosters.entries(membership.course)}
    await visit.bench.audit.record_action(visit.account, membership.course, "saw people", "")
    return render(
        "people",
        visit.session,
        HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK,
        member=membership,
        people=people,
        choice=people.choice,
        dropped_people=await visit.bench.people_service.dropped_people(membership.course),
        entries=entries,
        is_owner=membership.role is Role.OWNER,
        is_archived=await visit.is_archived(),
        problem=problem,
    )


def _redirect_to_people(membership: Membership) -> Response:
    return RedirectResponse(f"/courses/{quote(membership.course)}/people", HTTPStatus.SEE_OTHER, headers=SECURITY)
