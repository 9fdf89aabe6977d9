"""Notices to somebody, over all their courses."""

from __future__ import annotations

from http import HTTPStatus

from starlette.responses import RedirectResponse, Response

from benchwright_service.pages.rendering import SECURITY, render
from benchwright_service.pages.visit import Visit


async def notices_page(visit: Visit) -> Response:
    """Lists them."""
    return render(
        "notices",
        visit.session,
        notices=await visit.bench.collecting.notices.notices_of(visit.account),
        has_mail=visit.bench.sign_in.mailer is not None,
    )


async def mark_notices_read(visit: Visit) -> Response:
    """Marks those that the page showed as read."""
    await visit.bench.collecting.notices.mark_read(visit.account, visit.ticked_values("notice"))
    return RedirectResponse("/notices", HTTPStatus.SEE_OTHER, headers=SECURITY)
