"""Personal access tokens in the browser: made, listed with their last use, revoked."""

from __future__ import annotations

from http import HTTPStatus

from starlette.responses import RedirectResponse, Response

from benchwright_remote.teaching_messages import Scope
from benchwright_service.accounts.personal_tokens import LONGEST_DAYS
from benchwright_service.errors import BenchServiceError
from benchwright_service.pages.rendering import SECURITY, FormProblem, form_problem_of_error, render
from benchwright_service.pages.visit import Visit, unknown_page_refusal

_USUAL_DAYS = 90


async def tokens_page(visit: Visit) -> Response:
    """Somebody's own tokens, and the form for a new one."""
    return await _tokens_page(visit)


async def make_token(visit: Visit) -> Response:
    """Makes a token, and shows it this once."""
    wanted_scopes = visit.ticked_values("scope")
    try:
        days = int(visit.form_number("days", 1, LONGEST_DAYS, _USUAL_DAYS))
        token_text = await visit.bench.teaching.personal_tokens.make_token(
            visit.account,
            visit.form_field("name", 100),
            [token_scope for token_scope in Scope if token_scope.value in wanted_scopes],
            days,
        )
    except (BenchServiceError, ValueError) as error:
        return await _tokens_page(visit, problem=form_problem_of_error(error, "Correct the form, and send it again."))
    return await _tokens_page(visit, token_text=token_text)


async def revoke_token(visit: Visit) -> Response:
    """Revokes one."""
    try:
        await visit.bench.teaching.personal_tokens.revoke_token(visit.account, visit.request.path_params["token"])
    except BenchServiceError:
        raise unknown_page_refusal() from None
    return RedirectResponse("/tokens", HTTPStatus.SEE_OTHER, headers=SECURITY)


async def _tokens_page(visit: Visit, *, problem: FormProblem | None = None, token_text: str = "") -> Response:
    return render(
        "tokens",
        visit.session,
        HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK,
        problem=problem,
        token_text=token_text,
        tokens=await visit.bench.teaching.personal_tokens.valid_tokens_of(visit.account),
        scopes=list(Scope),
        ticked=visit.ticked_values("scope") if problem else [],
        name=visit.form_field("name", 100) if problem else "",
        days=visit.form_field("days") if problem else _USUAL_DAYS,
        most_days=LONGEST_DAYS,
    )
