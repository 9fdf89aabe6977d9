"""Signing in with an invitation or a token, and signing out."""

from __future__ import annotations

from http import HTTPStatus

from starlette.responses import RedirectResponse, Response

from benchwright_foundation import access_token
from benchwright_foundation.refusals import RefusalError, RefusalKind
from benchwright_service.accounts.sessions import LIFETIME_S
from benchwright_service.caller_address import caller_address
from benchwright_service.errors import SignInError
from benchwright_service.pages.rendering import SECURITY, FormProblem, render
from benchwright_service.pages.visit import Visit, cookie_name, unknown_page_refusal

_UNKNOWN = FormProblem(
    "The invitation or token is unknown, expired or used up.",
    "Check that it was copied whole, or ask who sent it for a new one.",
)
_LINK_SENT = FormProblem(
    "If a course has this address, a link is on its way to it; it signs you in once, within half an hour.",
    "Nothing there in five minutes? Look into the spam folder, or ask the course's staff which address they have.",
)
_LINK_UNKNOWN = FormProblem("This link was used, or is too old.", "Ask for a new one, or sign in with your invitation.")
_RETURN_CODE_S = 365 * 86_400.0
_NO_NAME = FormProblem("An invitation needs your name.", "Enter the name that the course's staff know you by.")


async def sign_in_form_page(visit: Visit) -> Response:
    """The page that asks for a code."""
    if visit.session is not None:
        return RedirectResponse("/", HTTPStatus.SEE_OTHER, headers=SECURITY)
    return _sign_in_form(visit, None, "")


async def sign_in_by_code(visit: Visit) -> Response:
    """Takes an invitation or a token."""
    code, name = visit.form_field("code"), visit.form_field("name", 200)
    if visit.session is not None:
        return await _join_course(visit, code)
    accounts = visit.bench.accounts
    if access_token.id_and_secret_of_token(code, accounts.prefix) is not None:
        account = await accounts.account_of_valid_token(code)
    else:
        try:
            account = await accounts.sign_in_and_get_account(code, name)
        except RefusalError as refusal:
            return _sign_in_form(visit, _problem_of_refusal(refusal), name)
    if account is None:
        return _sign_in_form(visit, _UNKNOWN, name)
    return await begin_session_and_redirect(visit, account)


async def request_link(visit: Visit) -> Response:
    """Sends a link to an address; the answer is the same for every address."""
    mailer = visit.bench.sign_in.mailer
    if mailer is None:
        raise unknown_page_refusal()
    visit.bench.sign_in.count_begun_sign_in_or_refuse(caller_address(visit.request))
    email = visit.form_field("email", 200)
    if email:
        mailer.begin_sending(email)
    return render("told", None, title="Look into your mail", problem=_LINK_SENT)


async def link_page(visit: Visit) -> Response:
    """Asks whether to sign in by a link: programs that read mail open links too."""
    code = visit.request.query_params.get("code", "")[:200]
    name = await visit.bench.sign_in.links.find_person_name(code)
    if name is None:
        return _sign_in_form(visit, _LINK_UNKNOWN, "")
    return render("link", None, code=code, name=name, present_name=visit.session.name if visit.session else "")


async def sign_in_by_link(visit: Visit) -> Response:
    """Takes a link's code, once."""
    account = await visit.bench.sign_in.links.redeem_and_get_account(visit.form_field("code", 200))
    if account is None:
        return _sign_in_form(visit, _LINK_UNKNOWN, "")
    return await begin_session_and_redirect(visit, account)


async def make_sign_in_again_code(visit: Visit) -> Response:
    """A code to come back with, for who has no other way."""
    memberships = await visit.bench.accounts.memberships_with_archived(visit.account)
    if not memberships:
        raise unknown_page_refusal()
    code = await visit.bench.accounts.make_sign_in_again_code(visit.account, memberships[0][0].course, _RETURN_CODE_S)
    problem = FormProblem(
        f"{code} signs you in, in any browser or editor, for a year. It is shown this once.",
        "Keep it where you keep passwords; nobody else needs it.",
    )
    return render("told", visit.session, title="Your code to come back", problem=problem)


async def begin_session_and_redirect(visit: Visit, account: str, next_path: str = "") -> Response:
    """Ends every way to sign in: the browser has a session from now on, and shows the courses, or what is given."""
    target = "/device" if "device" in (next_path, visit.form_field("onward")) else next_path or "/"
    response = RedirectResponse(target, HTTPStatus.SEE_OTHER, headers=SECURITY)
    response.set_cookie(
        cookie_name(is_https=visit.secure),
        await visit.bench.sign_in.sessions.begin_session_with_cookie(account),
        max_age=int(LIFETIME_S),
        secure=visit.secure,
        httponly=True,
        samesite="lax",
    )
    return response


async def redirect_to_provider(visit: Visit) -> Response:
    """Sends the browser to the identity provider."""
    provider = visit.bench.sign_in.provider
    if provider is None:
        raise unknown_page_refusal()
    visit.request.session.clear()
    visit.request.session[_ONWARD] = "device" if "device" in visit.request.query_params else ""
    try:
        with visit.bench.sign_in.counting_failures(caller_address(visit.request)):
            response = await provider.begin_sign_in(visit.request)
    except SignInError:
        return _sign_in_form(visit, _unknown_person_problem(provider.name), "")
    response.headers.update(SECURITY)
    return response


async def sign_in_from_provider(visit: Visit) -> Response:
    """Takes the provider's word for who it is."""
    provider = visit.bench.sign_in.provider
    if provider is None:
        raise unknown_page_refusal()
    sign_in_memory = visit.request.session
    onward = str(sign_in_memory.get(_ONWARD, ""))
    try:
        with visit.bench.sign_in.counting_failures(caller_address(visit.request)):
            identity = await provider.finish_sign_in(visit.request)
    except SignInError:
        return _sign_in_form(visit, _unknown_person_problem(provider.name), "")
    finally:
        sign_in_memory.clear()
    account = await visit.bench.accounts.find_or_make_enabled_account(identity, provider.course)
    if account is None:
        return _sign_in_form(visit, DISABLED, "")
    return await begin_session_and_redirect(visit, account, onward)


async def sign_out(visit: Visit) -> Response:
    """Ends the session."""
    name = cookie_name(is_https=visit.secure)
    await visit.bench.sign_in.sessions.end(visit.request.cookies[name])
    response = RedirectResponse("/sign-in", HTTPStatus.SEE_OTHER, headers=SECURITY)
    response.delete_cookie(name, secure=visit.secure, httponly=True, samesite="lax")
    return response


async def device_code_page(visit: Visit) -> Response:
    """Asks for the code that a program shows, then whether to sign that program in."""
    code = visit.request.query_params.get("code", "")[:40]
    waiting_device = await visit.bench.sign_in.devices.find_waiting_device(code) if code else None
    problem = _NO_DEVICE if code and waiting_device is None else None
    return render("device", visit.session, device=waiting_device, problem=problem)


async def decide_on_device(visit: Visit) -> Response:
    """Signs a program in, or refuses to."""
    visit.bench.sign_in.require_few_failures(visit.account)
    granted = visit.form_field("decision") == "grant"
    is_decided = await visit.bench.sign_in.devices.decide_if_waiting(
        visit.form_field("code", 40), visit.account, granted=granted
    )
    if not is_decided:
        visit.bench.sign_in.count_failure(visit.account)
        return render("device", visit.session, HTTPStatus.UNPROCESSABLE_ENTITY, device=None, problem=_NO_DEVICE)
    problem = _GRANTED if granted else _DENIED
    return render("told", visit.session, title="Sign in another program", problem=problem)


def _problem_of_refusal(refusal: RefusalError) -> FormProblem:
    if refusal.refusal_kind is RefusalKind.NOT_FOUND:
        return _UNKNOWN
    if refusal.refusal_kind is RefusalKind.INVALID:
        return _NO_NAME
    return FormProblem(refusal.details.detail, refusal.details.next_step)


_ONWARD = "onward"
DISABLED = FormProblem("This account was disabled.", "Ask the course's staff.")


def _unknown_person_problem(provider_name: str) -> FormProblem:
    return FormProblem(
        f"{provider_name} did not say who you are, or not in time.", "Try again; if it stays so, ask the staff."
    )


_NO_DEVICE = FormProblem(
    "No program waits with this code: it is mistyped, older than ten minutes, or was used.",
    "Type the code that the program shows, or let it begin again.",
)
_GRANTED = FormProblem("The program is signed in.", "You can close this page.")
_DENIED = FormProblem("The program was not signed in.", "You can close this page.")


def _sign_in_form(visit: Visit, problem: FormProblem | None, typed_name: str) -> Response:
    status = HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK
    is_for_device = "device" in visit.request.query_params or visit.form_field("onward") == "device"
    onward = "device" if is_for_device else ""
    provider = visit.bench.sign_in.provider.name if visit.bench.sign_in.provider is not None else ""
    return render(
        "sign_in",
        None,
        status,
        problem=problem,
        name=typed_name,
        onward=onward,
        provider=provider,
        sends_links=visit.bench.sign_in.mailer is not None,
    )


async def _join_course(visit: Visit, invitation_code: str) -> Response:
    await visit.bench.accounts.join_course(visit.account, invitation_code)
    return RedirectResponse("/", HTTPStatus.SEE_OTHER, headers=SECURITY)
