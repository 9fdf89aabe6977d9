"""Signing in with an invitation or a token, and signing out."""

from __future__ import annotations

from http import HTTPStatus

from starlette.responses import RedirectResponse, Response

from benchwright_judges.service import access_token
from benchwright_judges.service.refusals import RefusalError
from benchwright_service.pages.rendering import SECURITY, Problem, render
from benchwright_service.pages.visit import Visit, cookie_name
from benchwright_service.sessions import LIFETIME_S

_UNKNOWN = Problem(
    "The invitation or token is unknown, expired or used up.",
    "Check that it was copied whole, or ask who sent it for a new one.",
)
_NO_NAME = Problem("An invitation needs your name.", "Enter the name that the course's staff know you by.")


async def form(visit: Visit) -> Response:
    """The page that asks for a code."""
    if visit.session is not None:
        return RedirectResponse("/", HTTPStatus.SEE_OTHER, headers=SECURITY)
    return render("sign_in", None, problem=None, name="")


async def sign_in(visit: Visit) -> Response:
    """Takes an invitation or a token."""
    visit.bench.check_guesses()
    code, name = visit.field("code"), visit.field("name", 200)
    if visit.session is not None:
        return await _join_another(visit, code)
    accounts = visit.bench.accounts
    if access_token.read(code, accounts.prefix) is not None:
        account = await accounts.account_of(code)
    elif code and not name:
        return render("sign_in", None, HTTPStatus.UNPROCESSABLE_ENTITY, problem=_NO_NAME, name=name)
    else:
        try:
            account = await accounts.enrol(code, name)
        except RefusalError:
            account = None
    if account is None:
        return render("sign_in", None, HTTPStatus.UNPROCESSABLE_ENTITY, problem=_UNKNOWN, name=name)
    return await begin(visit, account)


async def begin(visit: Visit, account: str) -> Response:
    """Ends every way to sign in: the browser has a session from now on, and shows the courses."""
    response = RedirectResponse("/", HTTPStatus.SEE_OTHER, headers=SECURITY)
    response.set_cookie(
        cookie_name(secure=visit.secure),
        await visit.bench.sessions.begin(account),
        max_age=int(LIFETIME_S),
        secure=visit.secure,
        httponly=True,
        samesite="lax",
    )
    return response


async def sign_out(visit: Visit) -> Response:
    """Ends the session."""
    name = cookie_name(secure=visit.secure)
    await visit.bench.sessions.end(visit.request.cookies[name])
    response = RedirectResponse("/sign-in", HTTPStatus.SEE_OTHER, headers=SECURITY)
    response.delete_cookie(name, secure=visit.secure, httponly=True, samesite="lax")
    return response


async def _join_another(visit: Visit, code: str) -> Response:
    await visit.bench.accounts.join_another(visit.account, code)
    return RedirectResponse("/", HTTPStatus.SEE_OTHER, headers=SECURITY)
