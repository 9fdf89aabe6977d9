"""Endpoints for workers. Their tokens see hidden parts, and nothing else does."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response

from benchwright_foundation.refusals import BODY_REFUSAL_KINDS, RefusalKind, openapi_responses_with_common_refusals
from benchwright_judges.service.json_route import JsonRoute
from benchwright_remote.messages import Id, Job, JobAsk, JobResult, JobStanding, JobStep
from benchwright_service.endpoints.admitted import TheRuns, Worker

LONGEST_WAIT_S = 30.0

router = APIRouter(prefix="/api/v1/jobs", route_class=JsonRoute)

RunId = Annotated[Id, Path()]


@router.post(
    "",
    summary="Ask for a run",
    responses={
        200: {"description": "A run.", "model": Job},
        204: {"description": "There was none for so long."},
        **openapi_responses_with_common_refusals(*BODY_REFUSAL_KINDS),
    },
    response_model=None,
)
async def claim(
    body: JobAsk, worker: Worker, runs: TheRuns, wait_s: Annotated[float, Query(ge=0, le=LONGEST_WAIT_S)] = 0.0
) -> Response:
    """The next run, with its hidden part; 204 if there was none for so long."""
    job = await runs.claim_next(f"{worker}/{body.worker}", wait_s)
    if job is None:
        return Response(status_code=204)
    return Response(job.model_dump_json(), media_type="application/json")


@router.get(
    "/{run}/tree",
    summary="The repository that a run is about",
    response_class=Response,
    responses={
        200: {"description": "A ZIP archive.", "content": {"application/zip": {}}},
        **openapi_responses_with_common_refusals(RefusalKind.CONFLICT),
    },
)
async def tree(run: RunId, worker: Worker, runs: TheRuns) -> Response:
    """All files that the solver of its problem starts with."""
    return Response(await runs.packed_tree(run), media_type="application/zip")


@router.post(
    "/{run}/step", summary="Say what runs now", responses=openapi_responses_with_common_refusals(*BODY_REFUSAL_KINDS)
)
async def step(run: RunId, body: JobStep, worker: Worker, runs: TheRuns) -> JobStanding:
    """Shows the solver how far the run is; without a word for too long it goes to another worker."""
    return await runs.record_step_if_leased(run, body)


@router.post(
    "/{run}/verdict", summary="Hand a verdict in", responses=openapi_responses_with_common_refusals(*BODY_REFUSAL_KINDS)
)
async def done(run: RunId, body: JobResult, worker: Worker, runs: TheRuns) -> JobStanding:
    """It counts once, and only if the run is still this worker's."""
    return await runs.keep_verdict_if_leased(run, body)
