"""What participants of studies ask."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path

from benchwright_judges.service.refusals import BODY, Kind, refusals
from benchwright_remote.messages import EnrolledStudy, JournalTaken, NewJournal
from benchwright_service.endpoints.admitted import Account, TheBench

router = APIRouter(prefix="/api/v1")

StudyName = Annotated[str, Path(pattern=r"^[a-z0-9][a-z0-9._-]{0,99}$")]


@router.post("/studies", summary="Take part in studies", responses=refusals())
async def enrolled(account: Account, bench: TheBench) -> list[EnrolledStudy]:
    """Gives a place in each study whose invitation the account has used, once; returns the rules, and no assignment."""
    return list(await bench.lab.enrolled(account))


@router.post(
    "/studies/{study}/journal",
    summary="Hand a participant's journal in",
    responses=refusals(*BODY, Kind.NOT_FOUND, Kind.CONFLICT),
)
async def take_journal(study: StudyName, body: NewJournal, account: Account, bench: TheBench) -> JournalTaken:
    """Consent, forecasts, tasks and answers; the code of the assignment comes back once every forecast is here."""
    return await bench.lab.take(account, study, body.lines)
