"""The roster of a course in the browser: a file, a look at what it changes, and invitations for who is new."""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import quote

from starlette.datastructures import UploadFile
from starlette.responses import RedirectResponse, Response

from benchwright_foundation.refusals import RefusalError
from benchwright_remote.messages import Membership, Role
from benchwright_service.accounts.roster import invitation_csv, parse_roster
from benchwright_service.accounts.rosters import Invited, RosterFile
from benchwright_service.errors import BenchServiceError
from benchwright_service.pages.people_pages import people_page_with_problem
from benchwright_service.pages.rendering import SECURITY, FormProblem, render
from benchwright_service.pages.visit import Visit

_MOST_BYTES = 500_000
_MOST_TEXT = 900_000
_UPLOAD_AGAIN = "Correct the file, and upload it again; nothing was changed."


@dataclass(frozen=True)
class _Upload:
    """A file that somebody has uploaded, as the page of its preview sends it back."""

    name: str
    content: bytes

    @property
    def compressed_base64(self) -> str:
        return base64.b64encode(zlib.compress(self.content, 9)).decode()


async def preview_roster(visit: Visit) -> Response:
    """Shows what a file would change."""
    membership = await visit.changeable_membership()
    file = visit.form.get("file")
    if not isinstance(file, UploadFile) or not file.filename:
        problem = FormProblem("No file was chosen.", "Choose the roster's CSV file.")
        return await people_page_with_problem(visit, membership, problem)
    upload = _Upload(file.filename[:200], await file.read(_MOST_BYTES + 1))
    return await _preview_page(visit, membership, upload, None)


async def merge_roster(visit: Visit) -> Response:
    """Merges the file that was looked at; who is new gets an invitation."""
    membership = await visit.changeable_membership()
    try:
        content = zlib.decompressobj().decompress(
            base64.b64decode(visit.form_field("content", _MOST_TEXT), validate=True), _MOST_BYTES + 1
        )
    except (binascii.Error, zlib.error):
        problem = FormProblem("The file did not arrive whole.", "Upload it again.")
        return await people_page_with_problem(visit, membership, problem)
    upload = _Upload(visit.form_field("file-name", 200), content)
    try:
        file = _roster_file(upload, membership, drops_missing=visit.form_field("drop") == "on")
        merged = await visit.bench.rosters.merge(
            membership.course, file, expected_digest=visit.form_field("digest") or "none"
        )
    except BenchServiceError as error:
        problem = FormProblem(str(error), _UPLOAD_AGAIN)
        return await people_page_with_problem(visit, membership, problem)
    except RefusalError as refusal:
        problem = FormProblem(refusal.details.detail, "See below what the file changes now.")
        return await _preview_page(visit, membership, upload, problem)
    plan = merged.plan
    dropped_count = len(plan.drops) if file.drops_missing else 0
    await visit.bench.audit.record_action(
        visit.account,
        membership.course,
        "changed roster",
        f"{len(plan.additions)} new, {len(plan.changes)} changed, {dropped_count} dropped",
    )
    if not merged.invited:
        return RedirectResponse(f"/courses/{quote(membership.course)}/people", HTTPStatus.SEE_OTHER, headers=SECURITY)
    return _invitations_file(visit, membership, merged.invited)


async def renew_invitations(visit: Visit) -> Response:
    """Makes new invitations for who has not come yet."""
    membership = await visit.changeable_membership()
    invited = await visit.bench.rosters.renew_invitations(membership.course, by_owner=membership.role is Role.OWNER)
    await visit.bench.audit.record_action(
        visit.account, membership.course, "made new invitations", f"{len(invited)} people"
    )
    return _invitations_file(visit, membership, invited)


async def _preview_page(visit: Visit, membership: Membership, upload: _Upload, problem: FormProblem | None) -> Response:
    try:
        plan = await visit.bench.rosters.preview(membership.course, _roster_file(upload, membership))
    except BenchServiceError as error:
        problem = FormProblem(str(error), _UPLOAD_AGAIN)
        return await people_page_with_problem(visit, membership, problem)
    listed_count = sum(
        entry.is_listed and not entry.is_dropped for entry in await visit.bench.rosters.entries(membership.course)
    )
    return render(
        "roster",
        visit.session,
        HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK,
        member=membership,
        plan=plan,
        upload=upload,
        # A file of a few people is more likely an addition than all that is left.
        drops_by_default=2 * len(plan.drops) <= listed_count,
        problem=problem,
    )


def _roster_file(upload: _Upload, membership: Membership, *, drops_missing: bool = True) -> RosterFile:
    if len(upload.content) > _MOST_BYTES:
        raise BenchServiceError(
            f"{upload.name} has more than {_MOST_BYTES:,} bytes; leave out columns, or use `benchwright course roster`"
        )
    seats = parse_roster(upload.content, upload.name)
    return RosterFile(seats, upload.name, drops_missing, is_by_owner=membership.role is Role.OWNER)


def _invitations_file(visit: Visit, membership: Membership, invited: Sequence[Invited]) -> Response:
    sign_in = f"{visit.bench.evidence.signer.server.rstrip('/')}/sign-in"
    csv_bytes = invitation_csv([person.seat for person in invited], [person.code for person in invited], sign_in)
    headers = SECURITY | {"Content-Disposition": f'attachment; filename="{membership.course}-invitations.csv"'}
    return Response(csv_bytes, media_type="text/csv; charset=utf-8", headers=headers)
