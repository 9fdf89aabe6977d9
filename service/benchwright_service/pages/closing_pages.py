"""The end of a study in the browser: closing it, its report, and its records for another lab."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from typing import IO
from urllib.parse import quote

from starlette.responses import RedirectResponse, Response, StreamingResponse

from benchwright_foundation.refusals import RefusalError, RefusalKind
from benchwright_remote.messages import Membership
from benchwright_service.pages.rendering import SECURITY, FormProblem, render
from benchwright_service.pages.visit import Visit
from benchwright_service.studies.lab_closing import ClosingEffects, ClosingState, unfinished_participants
from benchwright_service.studies.lab_monitor import report_headers

_CHUNK = 1 << 16


@dataclass(frozen=True)
class _Confirmation:
    """Confirmation that the owner has still to give."""

    outlook: ClosingEffects
    is_second: bool
    """True if they want to close it, and have to confirm that it is forced."""


async def closing_page(visit: Visit) -> Response:
    """Page on the effects of closing, its progress, or its result."""
    return await _closing_page(visit, await visit.owner_membership())


async def closing_state_fragment(visit: Visit) -> Response:
    """Part with which the page refreshes itself while the study is being closed."""
    membership = await visit.owner_membership()
    closing_state = await visit.bench.studies.closings.closing_state(membership.course)
    return render("study_closing_state", visit.session, state=closing_state, now=datetime.now(UTC))


async def begin_closing_if_confirmed(visit: Visit) -> Response:
    """Begins to close it, or to make its report again; what it would end is confirmed by itself."""
    membership = await visit.owner_membership()
    closings, study = visit.bench.studies.closings, membership.course
    closing_state = await closings.closing_state(study)
    if closing_state.is_running:
        return _redirect_to_closing(membership)
    if closing_state.digest:
        await closings.begin_closing(study, visit.account, force=False)
        return _redirect_to_closing(membership)
    if visit.form_field("name", 200) != study:
        problem = FormProblem("This is not the study's id.", f"Type {study}; nothing was closed.")
        return await _closing_page(visit, membership, problem)
    outlook = await _closing_effects(visit, membership)
    # Confirmed is what was shown: an attempt that was begun since has to be confirmed too.
    is_forced = visit.form_field("end") == (outlook.going or "none")
    if outlook.needs_force and not is_forced:
        return await _closing_page(visit, membership, is_second_confirmation=True)
    await closings.begin_closing(study, visit.account, force=outlook.needs_force)
    return _redirect_to_closing(membership)


async def study_report_page(visit: Visit) -> Response:
    """The report as it was made, which may not act for who is signed in."""
    membership = await visit.owner_membership()
    report_page = await visit.bench.studies.monitor.report_html_for_owner(visit.account, membership.course)
    await visit.bench.audit.record_action(visit.account, membership.course, "read report", "page")
    return Response(report_page, media_type="text/html", headers=report_headers(report_page))


async def study_records_download(visit: Visit) -> Response:
    """The records of a closed study, which tell who worked under which condition and how well."""
    membership = await visit.owner_membership()
    if not (await visit.bench.studies.closings.closing_state(membership.course)).digest:
        raise RefusalError(
            RefusalKind.CONFLICT,
            "The study goes on: nobody sees outcomes by condition.",
            "Close it first; its records can be downloaded then.",
        )
    await visit.bench.audit.record_action(visit.account, membership.course, "exported records", "")
    file = await visit.bench.studies.closings.records_zip(membership.course)
    headers = SECURITY | {
        "Content-Disposition": f'attachment; filename="{membership.course}.zip"',
        "Content-Length": str(file.seek(0, 2)),
    }
    return StreamingResponse(_file_chunks(file), media_type="application/zip", headers=headers)


def _file_chunks(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        file.seek(0)
        while chunk := file.read(_CHUNK):
            yield chunk


async def _closing_effects(visit: Visit, membership: Membership) -> ClosingEffects:
    watch = await visit.bench.studies.monitor.study_watch(membership.course)
    return await visit.bench.studies.closings.closing_effects(
        membership.course, [participant.participant for participant in watch.participants]
    )


async def _closing_page(
    visit: Visit, membership: Membership, problem: FormProblem | None = None, *, is_second_confirmation: bool = False
) -> Response:
    closing_state: ClosingState = await visit.bench.studies.closings.closing_state(membership.course)
    is_open = not (closing_state.is_running or closing_state.digest)
    watch = await visit.bench.studies.monitor.study_watch(membership.course)
    if is_open:
        await visit.bench.audit.record_action_unless_recent(
            visit.account, membership.course, "saw what closing ends", ""
        )
    status = (
        HTTPStatus.CONFLICT if is_second_confirmation else HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK
    )
    return render(
        "study_closing",
        visit.session,
        status,
        member=membership,
        state=closing_state,
        now=datetime.now(UTC),
        problem=problem,
        confirmation=_Confirmation(await _closing_effects(visit, membership), is_second_confirmation)
        if is_open
        else None,
        unfinished=unfinished_participants(watch) if is_open else (),
    )


def _redirect_to_closing(membership: Membership) -> Response:
    return RedirectResponse(f"/studies/{quote(membership.course)}/closing", HTTPStatus.SEE_OTHER, headers=SECURITY)
