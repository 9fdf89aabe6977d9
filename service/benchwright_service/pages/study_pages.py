"""A study in the browser while it goes on: where everybody is, invitations, and who saw and changed what."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from starlette.responses import Response

from benchwright_remote.messages import Membership, Role, StudyWatch, Whereabouts
from benchwright_service.pages.course_pages import audit_table_page
from benchwright_service.pages.rendering import FormProblem, render
from benchwright_service.pages.visit import Visit, whole_number_or_none
from benchwright_service.studies.lab_monitor import STUCK_AFTER_S

INVITED = (Role.PARTICIPANT, Role.MONITOR, Role.OWNER)
"""Roles that a study has."""
_MINUTES = (0.5, 1_440.0)
_MOST_USES = 1_000
_ASKED_AFTER = (Whereabouts.STUCK, Whereabouts.SILENT, Whereabouts.DROPPED_OUT)
_MOST_NAMED = 10


async def study_page(visit: Visit) -> Response:
    """The study, for those who watch it."""
    return await _study_page(visit, await visit.watcher_membership())


async def study_watch_fragment(visit: Visit) -> Response:
    """Part with which the page refreshes itself."""
    membership = await visit.watcher_membership()
    return render("study_watch", visit.session, **await _record_watch_and_get_template_values(visit, membership))


async def invite_to_study(visit: Visit) -> Response:
    """Makes an invitation; its code is in this answer and nowhere else."""
    membership = await visit.owner_membership()
    role = next((candidate for candidate in INVITED if candidate.value == visit.form_field("role")), None)
    uses = whole_number_or_none(visit.form_field("uses")) or 0
    if role is None or not 1 <= uses <= _MOST_USES:
        problem = FormProblem(f"“How many” is no number from 1 to {_MOST_USES:,}.", "Correct it, and invite again.")
        return await _study_page(visit, membership, problem)
    if (await visit.bench.studies.closings.closing_state(membership.course)).digest:
        return await _study_page(visit, membership, FormProblem("The study is closed.", "Nobody can join it any more."))
    code = await visit.bench.accounts.make_invitation(membership.course, role, uses=uses)
    await visit.bench.audit.record_action(visit.account, membership.course, "invited", f"{role.value}, {uses} uses")
    return await _study_page(visit, membership, invitation=(code, role, uses))


async def study_audit_page(visit: Visit) -> Response:
    """Page of the audit log: who saw and changed what."""
    membership = await visit.owner_membership()
    entry_page = await audit_table_page(visit, membership.course)
    await visit.bench.audit.record_action_unless_recent(visit.account, membership.course, "read audit log", "")
    return render("study_audit", visit.session, member=membership, entries=entry_page, query="")


async def _study_page(
    visit: Visit,
    membership: Membership,
    problem: FormProblem | None = None,
    invitation: tuple[str, Role, int] | None = None,
) -> Response:
    return render(
        "study",
        visit.session,
        HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK,
        problem=problem,
        invitation=invitation,
        roles=INVITED,
        **await _record_watch_and_get_template_values(visit, membership),
    )


async def _record_watch_and_get_template_values(visit: Visit, membership: Membership) -> Mapping[str, Any]:
    minutes = _stuck_after_minutes(visit.request.query_params.get("stuck", ""))
    watch = await visit.bench.studies.monitor.study_watch(membership.course, minutes * 60)
    is_owner = membership.role is Role.OWNER
    await visit.bench.audit.record_action_unless_recent(visit.account, membership.course, "watched", "page")
    counts = Counter(participant.where for participant in watch.participants)
    return {
        "member": membership,
        "is_owner": is_owner,
        "watch": watch,
        "counts": [
            (whereabouts, counts[whereabouts])
            for whereabouts in Whereabouts
            if counts[whereabouts] or whereabouts is not Whereabouts.CLOSED
        ],
        "free": counts[Whereabouts.FREE],
        "attention": attention_sentences(watch),
        "arrived": await visit.bench.studies.monitor.arrived_records(membership.course) if is_owner else {},
        "minutes": minutes,
        "refresh": f"?{urlencode({'stuck': f'{minutes:g}'})}",
        "now": datetime.now(UTC),
    }


def _stuck_after_minutes(text: str) -> float:
    """Minutes; what is no such number is the usual one, as the page then shows."""
    try:
        minutes = float(text)
    except ValueError:
        minutes = math.nan
    minimum, maximum = _MINUTES
    return minutes if minimum <= minutes <= maximum else STUCK_AFTER_S / 60


def attention_sentences(watch: StudyWatch) -> str:
    """Participants who have to be asked after, as sentences; also what a screen reader says when it changes."""
    if watch.digest:
        return "The study is closed."
    sentences = []
    for whereabouts in _ASKED_AFTER:
        names = [participant.participant for participant in watch.participants if participant.where is whereabouts]
        suffix = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
        if names:
            sentences.append(f"{whereabouts.value.capitalize()}: {', '.join(names[:_MOST_NAMED])}{suffix}.")
    return " ".join(sentences) or "Nobody is stuck or silent."
