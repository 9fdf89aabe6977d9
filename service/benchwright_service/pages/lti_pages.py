"""Launches from a learning management system (LTI 1.3): its two requests, each a browser's."""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from starlette.responses import JSONResponse, RedirectResponse, Response

from benchwright_remote.messages import AssignmentView, Membership, Role
from benchwright_service.caller_address import caller_address
from benchwright_service.errors import BenchServiceError, SignInError, UnknownContextError
from benchwright_service.grades.gradebook import Gradebook
from benchwright_service.pages import sign_in_page
from benchwright_service.pages.rendering import POLICY, SECURITY, FormProblem, render
from benchwright_service.pages.visit import Visit, unknown_page_refusal

if TYPE_CHECKING:
    from benchwright_service.sign_in.lti import DeepLinkingRequest, LtiLaunch
    from benchwright_service.sign_in.lti_services import LtiServices

_AWAY = "lti"
_LONGEST = 2_000
_LONGEST_TOKEN = 60_000
_FAILED = FormProblem(
    "Your learning management system did not say who you are, or not in time.",
    "Open the link there again, in a window of its own; if it stays so, ask the staff.",
)


_CHOICE_TOO_OLD = FormProblem(
    "This choice is older than an hour, or was not begun here.",
    "Choose content in your learning management system again.",
)
_CHOOSE = FormProblem("No assignment was chosen, or more than your system takes at once.", "Choose one.")
_DROPPED = FormProblem("The course's roster here has you no longer.", "Ask the course's staff, who can take you back.")


async def begin_lti_login(visit: Visit) -> Response:
    """The platform asks to sign somebody in: the browser goes back to it."""
    tool = visit.bench.sign_in.lti
    if tool is None:
        raise unknown_page_refusal()
    names = ("iss", "login_hint", "client_id", "lti_message_hint")
    login_fields = visit.form if visit.request.method == "POST" else visit.request.query_params
    try:
        with visit.bench.sign_in.counting_failures(caller_address(visit.request)):
            url, login_state = tool.login_address_and_state(
                {name: str(login_fields.get(name, ""))[:_LONGEST] for name in names}
            )
    except SignInError:
        return _show_failure(visit, _FAILED)
    visit.request.session[_AWAY] = list(login_state)
    return RedirectResponse(url, HTTPStatus.SEE_OTHER, headers=SECURITY)


async def finish_lti_launch(visit: Visit) -> Response:
    """The platform's message: the browser has a session from now on, and shows the course."""
    tool = visit.bench.sign_in.lti
    if tool is None:
        raise unknown_page_refusal()
    # It counts once, whatever comes of it.
    login_state = visit.request.session.pop(_AWAY, None)
    if login_state is None:
        return _show_failure(visit, _FAILED)
    try:
        with visit.bench.sign_in.counting_failures(caller_address(visit.request)):
            launch = await tool.finish_launch(
                (login_state[0], login_state[1], login_state[2]),
                visit.form_field("state"),
                visit.form_field("id_token", _LONGEST_TOKEN),
            )
    except UnknownContextError as error:
        message = f"The course {error} of your learning management system belongs to no course here."
        return _show_failure(visit, FormProblem(message, "Send this sentence to who operates the service."))
    except SignInError:
        return _show_failure(visit, _FAILED)
    services, deep_linking = visit.bench.sign_in.lti_services, visit.bench.sign_in.deep_linking
    if launch.deep_linking is not None and services is not None and deep_linking is not None:
        await services.keep_launch(launch, None)
        signed_request_text = deep_linking.signed_request_text(launch)
        assignments = await visit.bench.courses.all_assignments(launch.course)
        return _link_choice_page(signed_request_text, assignments, launch.deep_linking, None)
    account = await visit.bench.accounts.find_or_make_enabled_account(launch.identity, launch.course)
    if account is None:
        return _show_failure(visit, sign_in_page.DISABLED)
    if services is not None:
        await services.keep_launch(launch, account)
    if await visit.bench.accounts.role(account, launch.course) is None:
        return _show_failure(visit, _DROPPED)
    return await sign_in_page.begin_session_and_redirect(visit, account, await _landing_path(visit, launch, account))


async def _landing_path(visit: Visit, launch: LtiLaunch, account: str) -> str:
    """The page of the link's assignment for who takes part in it, or else the course's."""
    course_path = f"/courses/{quote(launch.course)}"
    if not launch.assignment or await visit.bench.accounts.role(account, launch.course) is not Role.PARTICIPANT:
        return course_path
    views = await visit.bench.courses.visible_assignments(
        account, only_assignment=launch.assignment, include_archived=True
    )
    is_of_course = any(view.course == launch.course for view in views)
    return f"{course_path}/mine/{quote(launch.assignment)}" if is_of_course else course_path


async def answer_link_choice(visit: Visit) -> Response:
    """Sends the assignments that a teacher has chosen to the platform, through the browser."""
    deep_linking = visit.bench.sign_in.deep_linking
    if deep_linking is None:
        raise unknown_page_refusal()
    carried_text = visit.form_field("request", _LONGEST_TOKEN)
    try:
        link_choice = deep_linking.read_signed_request_text(carried_text)
    except SignInError:
        return _show_failure(visit, _CHOICE_TOO_OLD)
    # Few services have platforms, and the protocol takes a quarter of a second to import.
    from benchwright_service.sign_in.deep_linking import ChosenAssignment

    views = await visit.bench.courses.all_assignments(link_choice.course)
    book = await visit.bench.grades.gradebooks.gradebook(link_choice.course, views, accounts=())
    chosen_ids = set(visit.ticked_values("assignment"))
    chosen_assignments = [
        ChosenAssignment(view.id, view.title, book.maximum_points(view), view.opens, view.closes)
        for view in views
        if view.id in chosen_ids
    ]
    if not chosen_assignments or (len(chosen_assignments) > 1 and not link_choice.request.takes_several):
        return _link_choice_page(carried_text, views, link_choice.request, _CHOOSE)
    return_url = link_choice.request.return_url
    answer = deep_linking.signed_answer_jwt(link_choice, chosen_assignments)
    response = render(
        "links_chosen",
        None,
        return_url=return_url,
        answer=answer,
        titles=[assignment.title for assignment in chosen_assignments],
    )
    return_parts = urlsplit(return_url)
    origin = f"{return_parts.scheme}://{return_parts.netloc}"
    response.headers["Content-Security-Policy"] = POLICY.replace("form-action 'self'", f"form-action {origin}")
    return response


def _link_choice_page(
    signed_request_text: str,
    assignments: Sequence[AssignmentView],
    request: DeepLinkingRequest,
    problem: FormProblem | None,
) -> Response:
    status = HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK
    return render(
        "link_choice",
        None,
        status,
        request=signed_request_text,
        assignments=assignments,
        takes_several=request.takes_several,
        problem=problem,
    )


async def tool_key_set(visit: Visit) -> Response:
    """The public key by which platforms know this tool."""
    if visit.bench.sign_in.lti_services is None:
        raise unknown_page_refusal()
    return JSONResponse(visit.bench.sign_in.lti_services.tool_key.public_key_set, headers=SECURITY)


async def add_platform_roster(visit: Visit) -> Response:
    """Takes the roster of the learning management system."""
    membership, services = await _membership_and_services(visit)
    try:
        roster_outcome = await services.add_roster_members(membership.course)
    except BenchServiceError as error:
        return _show_failure(visit, FormProblem(str(error), "Go back to the grades."))
    await visit.bench.audit.record_action(
        visit.account, membership.course, "took roster", f"{roster_outcome.member_count} members"
    )
    message = (
        f"{roster_outcome.member_count} people are in the course there; "
        f"{roster_outcome.new_count} of them are new here."
    )
    if roster_outcome.left_out:
        message += f" {roster_outcome.left_out} more are inactive there, or have another role."
    return _show_success(visit, "The roster was taken", message)


async def send_grades_to_platform(visit: Visit) -> Response:
    """Sends grades to the learning management system."""
    membership, services = await _membership_and_services(visit)

    async def read_book() -> Gradebook:
        assignments = await visit.bench.courses.all_assignments(membership.course)
        return await visit.bench.grades.gradebooks.gradebook(membership.course, assignments)

    try:
        sending_outcome = await services.send_grades(membership.course, read_book)
    except BenchServiceError as error:
        return _show_failure(visit, FormProblem(str(error), "Go back to the grades."))
    await visit.bench.audit.record_action(
        visit.account, membership.course, "sent grades", f"{sending_outcome.sent} scores"
    )
    message = f"{sending_outcome.sent} scores were sent; {sending_outcome.unchanged} have not changed."
    if sending_outcome.unknown_count:
        message += f" {sending_outcome.unknown_count} are of students who did not come from there, and were not sent."
    if sending_outcome.refused_count:
        message += (
            f" {sending_outcome.refused_count} were refused: "
            "send them again later, or see what this tool is allowed there."
        )
    if sending_outcome.problems:
        message += f" Not all of your systems took any: {'; '.join(sending_outcome.problems)}."
    return _show_success(visit, "The grades were sent", message)


async def _membership_and_services(visit: Visit) -> tuple[Membership, LtiServices]:
    membership = await visit.changeable_membership()
    if visit.bench.sign_in.lti_services is None:
        raise unknown_page_refusal()
    return membership, visit.bench.sign_in.lti_services


def _show_success(visit: Visit, title: str, message: str) -> Response:
    problem = FormProblem(message, "You can go back to the grades.")
    return render("told", visit.session, title=title, problem=problem)


def _show_failure(visit: Visit, problem: FormProblem) -> Response:
    return render("told", visit.session, HTTPStatus.UNPROCESSABLE_ENTITY, title="That did not work", problem=problem)
