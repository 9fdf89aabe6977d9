"""Mail about courses in the browser: choices of who is signed in, and links in mail that turn it off."""

from __future__ import annotations

from http import HTTPStatus

from starlette.responses import RedirectResponse, Response

from benchwright_service.mail.letters import CHOICES_PATH
from benchwright_service.mail.mail_kinds import MailKind, kinds_named
from benchwright_service.mail.turn_off import PURPOSE, account_and_kind_of_token
from benchwright_service.pages.rendering import SECURITY, FormProblem, render
from benchwright_service.pages.visit import Visit, unknown_page_refusal

_TURNED_OFF = FormProblem(
    "It is turned off: no more mail of this kind comes to you, from any course.",
    f"Sign in, and open {CHOICES_PATH}, to turn it on again.",
)


async def mail_choices_page(visit: Visit) -> Response:
    """Kinds of mail that somebody's roles have, with those that are on."""
    return render(
        "mail",
        visit.session,
        offered=await _offered_kinds(visit),
        unwanted=await visit.bench.mail_choices.unwanted_kinds(visit.account),
        address=await visit.bench.mail_choices.email_address(visit.account),
    )


async def choose_mail(visit: Visit) -> Response:
    """Turns kinds on and off."""
    offered = await _offered_kinds(visit)
    await visit.bench.mail_choices.choose(visit.account, kinds_named(visit.ticked_values("kind")), offered)
    return RedirectResponse(CHOICES_PATH, HTTPStatus.SEE_OTHER, headers=SECURITY)


async def turn_off_page(visit: Visit) -> Response:
    """Asks whether to turn mail off: programs that read mail open links too."""
    _, kind = _account_and_kind(visit)
    return render("mail_off", None, kind=kind, token=_turn_off_token(visit))


async def turn_off_mail(visit: Visit) -> Response:
    """Turns a kind of mail off, or all kinds; by a press of a button, or of the one that mail programs show."""
    account, kind = _account_and_kind(visit)
    await visit.bench.mail_choices.turn_off(account, list(MailKind) if visit.form_field("all") else [kind])
    return render("told", None, title="Mail", problem=_TURNED_OFF)


def _turn_off_token(visit: Visit) -> str:
    return visit.query_field("token")


def _account_and_kind(visit: Visit) -> tuple[str, MailKind]:
    account_and_kind = account_and_kind_of_token(visit.bench.sign_in.cookie_secret(PURPOSE), _turn_off_token(visit))
    if account_and_kind is None:
        raise unknown_page_refusal()
    return account_and_kind


async def _offered_kinds(visit: Visit) -> list[MailKind]:
    """Kinds that the person may get, by their roles; there is no such page where the service sends no mail."""
    if visit.bench.sign_in.mailer is None:
        raise unknown_page_refusal()
    memberships = await visit.bench.accounts.memberships_with_archived(visit.account)
    roles = {membership.role for membership, _ in memberships}
    return [kind for kind in MailKind if kind.roles & roles]
