"""Endpoints for solvers: assignments, packs, evidence, runs."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response

from benchwright_foundation.refusals import (
    BODY_REFUSAL_KINDS,
    RefusalError,
    RefusalKind,
    openapi_responses_with_common_refusals,
)
from benchwright_judges.service.json_route import JsonRoute
from benchwright_problems.hints import MOST_HINTS
from benchwright_remote.hint_text import HintText
from benchwright_remote.messages import (
    AssignmentView,
    EventsTaken,
    Id,
    JoinAnother,
    Me,
    MissingFiles,
    NewEvents,
    NewRun,
    PublicPack,
    RunView,
)
from benchwright_service.endpoints.admitted import (
    Account,
    TheAccounts,
    TheCourses,
    TheCoursework,
    TheEvidence,
    TheRuns,
)

LONGEST_WAIT_S = 30.0

router = APIRouter(prefix="/api/v1", route_class=JsonRoute)

OneId = Annotated[Id, Path()]
TreeId = Annotated[str, Path(pattern=r"^[0-9a-f]{64}$")]
PackName = Annotated[str, Path(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")]


@router.get("/me", summary="The account and its courses", responses=openapi_responses_with_common_refusals())
async def me(account: Account, accounts: TheAccounts) -> Me:
    """Returns the account that asks."""
    return await accounts.me(account)


@router.post(
    "/me/courses",
    summary="Join another course",
    responses=openapi_responses_with_common_refusals(*BODY_REFUSAL_KINDS, RefusalKind.NOT_FOUND),
)
async def join(body: JoinAnother, account: Account, accounts: TheAccounts) -> Me:
    """By an invitation, with the account that asks."""
    await accounts.join_course(account, body.code)
    return await accounts.me(account)


@router.get("/assignments", summary="What there is to do", responses=openapi_responses_with_common_refusals())
async def assignments(account: Account, courses: TheCourses) -> list[AssignmentView]:
    """The assignments that have opened, of all the account's courses."""
    return list(await courses.visible_assignments(account))


@router.get(
    "/packs/{name}",
    summary="The public part of a pack",
    responses=openapi_responses_with_common_refusals(RefusalKind.NOT_FOUND),
)
async def pack(name: PackName, account: Account, courses: TheCourses) -> PublicPack:
    """Its problems that the account may work on, without any hidden part."""
    return await courses.public_pack(account, name)


@router.get(
    "/packs/{name}/trees/{tree}",
    summary="The files of a repository problem",
    response_class=Response,
    responses={
        200: {"description": "A ZIP archive.", "content": {"application/zip": {}}},
        **openapi_responses_with_common_refusals(RefusalKind.NOT_FOUND),
    },
)
async def tree(name: PackName, tree: TreeId, account: Account, courses: TheCourses) -> Response:
    """All files that its solver starts with, of a problem that the account may work on."""
    return Response(await courses.packed_tree(account, name, tree), media_type="application/zip")


@router.post(
    "/attempts/{attempt}/events",
    summary="Hand events in",
    responses=openapi_responses_with_common_refusals(
        *BODY_REFUSAL_KINDS, RefusalKind.NOT_FOUND, RefusalKind.CONFLICT, RefusalKind.QUOTA_USED_UP
    ),
)
async def take_events(attempt: OneId, body: NewEvents, account: Account, evidence: TheEvidence) -> EventsTaken:
    """Takes what follows from what is here; returns a countersigned anchor once it is on disk."""
    if body.header.id != attempt:
        raise RefusalError(
            RefusalKind.INVALID, "The header is of another attempt.", "Send an attempt's events to its path."
        )
    return await evidence.receive_events(account, body)


@router.post(
    "/attempts/{attempt}/runs",
    summary="Run the hidden tests, or have an answer scored",
    status_code=202,
    responses={
        202: {"description": "Queued.", "model": RunView},
        424: {"description": "Contents have to be sent too.", "model": MissingFiles},
        **openapi_responses_with_common_refusals(
            *BODY_REFUSAL_KINDS,
            RefusalKind.NOT_FOUND,
            RefusalKind.CONFLICT,
            RefusalKind.QUOTA_USED_UP,
            RefusalKind.STORAGE_USED_UP,
        ),
    },
    response_model=None,
)
async def run(attempt: OneId, body: NewRun, account: Account, runs: TheRuns) -> Response:
    """Queues a run of these files: 202. 424 with the digests of contents that have to be sent with it."""
    outcome = await runs.submit(account, attempt, body)
    status = 424 if isinstance(outcome, MissingFiles) else 202
    return Response(outcome.model_dump_json(), status, media_type="application/json")


@router.post(
    "/attempts/{attempt}/hints/{number}",
    summary="Take a hint, or read it again",
    responses=openapi_responses_with_common_refusals(RefusalKind.NOT_FOUND, RefusalKind.CONFLICT),
)
async def hint(
    attempt: OneId, number: Annotated[int, Path(ge=1, le=MOST_HINTS)], account: Account, coursework: TheCoursework
) -> HintText:
    """Hands out the next hint of the attempt's problem; what it costs is noted before it is sent."""
    return await coursework.hints.take_hint(account, attempt, number)


@router.get(
    "/runs/{run}", summary="How far a run is", responses=openapi_responses_with_common_refusals(RefusalKind.NOT_FOUND)
)
async def read_run(
    run: OneId,
    account: Account,
    runs: TheRuns,
    seen: Annotated[int, Query(description="The revision that is known.")] = -1,
    wait_s: Annotated[float, Query(ge=0, le=LONGEST_WAIT_S, description="How long to wait for another one.")] = 0.0,
) -> RunView:
    """Waits for a change; shows of a verdict what the problem and the assignment allow."""
    return await runs.await_view(account, run, seen_revision=seen, wait_s=wait_s)


@router.delete(
    "/runs/{run}",
    summary="Cancel a run",
    status_code=204,
    responses=openapi_responses_with_common_refusals(RefusalKind.NOT_FOUND),
)
async def cancel(run: OneId, account: Account, runs: TheRuns) -> None:
    """Cancels it, unless it has ended."""
    await runs.cancel(account, run)
