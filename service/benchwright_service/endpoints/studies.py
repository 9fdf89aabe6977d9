"""Endpoints for participants of studies, and for those who watch over them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response

from benchwright_foundation.refusals import BODY_REFUSAL_KINDS, RefusalKind, openapi_responses_with_common_refusals
from benchwright_judges.service.json_route import JsonRoute
from benchwright_remote.messages import EnrolledStudy, JournalTaken, NewJournal, Role, StudyWatch
from benchwright_service.endpoints.admitted import Account, TheAudit, TheStudies, openapi_extra_of_roles
from benchwright_service.studies.lab_monitor import STUCK_AFTER_S, report_headers

router = APIRouter(prefix="/api/v1", route_class=JsonRoute)

StudyName = Annotated[str, Path(pattern=r"^[a-z0-9][a-z0-9._-]{0,99}$")]


@router.post("/studies", summary="Take part in studies", responses=openapi_responses_with_common_refusals())
async def enrolled(account: Account, studies: TheStudies) -> list[EnrolledStudy]:
    """Gives a place in each study whose invitation the account has used, once; returns the rules, and no assignment."""
    return list(await studies.lab.enrol_and_list_studies(account))


@router.post(
    "/studies/{study}/journal",
    summary="Hand a participant's journal in",
    responses=openapi_responses_with_common_refusals(*BODY_REFUSAL_KINDS, RefusalKind.NOT_FOUND, RefusalKind.CONFLICT),
)
async def take_journal(study: StudyName, body: NewJournal, account: Account, studies: TheStudies) -> JournalTaken:
    """Consent, forecasts, tasks and answers; the code of the assignment comes back once every forecast is here."""
    return await studies.lab.adopt_journal(account, study, body.lines)


@router.get(
    "/studies/{study}/watch",
    summary="Watch a study",
    responses=openapi_responses_with_common_refusals(RefusalKind.NOT_FOUND),
    openapi_extra=openapi_extra_of_roles(Role.OWNER, Role.MONITOR),
)
async def watch(
    study: StudyName,
    account: Account,
    studies: TheStudies,
    audit: TheAudit,
    stuck_after_s: Annotated[float, Query(ge=30, le=86_400)] = STUCK_AFTER_S,
) -> StudyWatch:
    """Progress of each participant, for the study's owners and monitors: no condition, no verdict, no time of work."""
    study_watch = await studies.monitor.study_watch_for_account(account, study, stuck_after_s)
    await audit.record_action_unless_recent(account, study, "watched", "by a program")
    return study_watch


@router.get(
    "/studies/{study}/report",
    summary="The report of a closed study",
    response_class=Response,
    openapi_extra=openapi_extra_of_roles(Role.OWNER),
    responses={
        200: {"content": {"text/html": {}}},
        **openapi_responses_with_common_refusals(RefusalKind.NOT_FOUND, RefusalKind.CONFLICT),
    },
)
async def report(study: StudyName, account: Account, studies: TheStudies, audit: TheAudit) -> Response:
    """An HTML page, for the study's owners alone; 409 until it is closed."""
    report_page = await studies.monitor.report_html_for_owner(account, study)
    await audit.record_action(account, study, "read report", "by a program")
    return Response(report_page, media_type="text/html", headers=report_headers(report_page))
