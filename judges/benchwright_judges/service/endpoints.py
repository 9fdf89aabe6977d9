"""The endpoints."""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Annotated, cast

from fastapi import APIRouter, Depends, Header, Path, Query, Request, Response, Security
from fastapi.responses import StreamingResponse
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from benchwright_foundation.change_notifications import wait_for_change
from benchwright_foundation.model import MOST_COUNTED
from benchwright_foundation.refusals import (
    BODY_REFUSAL_KINDS,
    RefusalError,
    RefusalKind,
    openapi_responses_of_refusals,
    openapi_responses_with_common_refusals,
)
from benchwright_judges.agreement.agreement import FormatAgreement
from benchwright_judges.service.admission import AdmissionControl
from benchwright_judges.service.json_route import JsonRoute
from benchwright_judges.service.judging import SubmissionJudging
from benchwright_judges.service.submission import AnswerBatch, RequestKey, Submission
from benchwright_judges.service.token import AccessToken, TokenScope
from benchwright_judges.service.views import (
    BatchView,
    GradeView,
    GradingItem,
    GradingQueue,
    Health,
    Id,
    NewBatch,
    NewGrade,
    NewSubmission,
    ResultsPage,
    SubmissionView,
    view_batch,
    view_grading_item,
    view_submission,
)

MOST_WAITING = 10_000
"""Answers of one token that may be queued at once."""
LONGEST_WAIT_S = 60.0
_KEEP_ALIVE_S = 15.0
_EVENTS_AT_ONCE = 100

router = APIRouter(prefix="/v1", route_class=JsonRoute)

_bearer = HTTPBearer(auto_error=False, scheme_name="token", description="`bwj_…`, made by `benchwright judge token`.")


def _submission_judging(request: Request) -> SubmissionJudging:
    return cast(SubmissionJudging, request.app.state.judging)


def _dependency_requiring_scope(required_scope: TokenScope) -> Callable[..., Awaitable[AccessToken]]:
    async def allowed(
        request: Request,
        # As a default, because an annotation is read where `token_scope` is not known.
        credentials: HTTPAuthorizationCredentials | None = Security(_bearer, scopes=[required_scope.value]),  # noqa: B008
    ) -> AccessToken:
        # Admission control has put it there.
        token = cast(AccessToken, request.state.token)
        if not token.permits(required_scope):
            granted_scopes = " and ".join(token.scopes)
            raise RefusalError(
                RefusalKind.WRONG_SCOPE,
                f"This needs the scope {required_scope}; the token has {granted_scopes}.",
                f"Ask the service's administrator for a token with the scope {required_scope}.",
            )
        return token

    return allowed


Service = Annotated[SubmissionJudging, Depends(_submission_judging)]
Submitter = Annotated[AccessToken, Depends(_dependency_requiring_scope(TokenScope.SUBMIT))]
Administrator = Annotated[AccessToken, Depends(_dependency_requiring_scope(TokenScope.ADMIN))]
Grader = Annotated[AccessToken, Depends(_dependency_requiring_scope(TokenScope.GRADE))]
IdempotencyKey = Annotated[
    str | None,
    Header(
        pattern=r"^[\x21-\x7e]{1,128}$",
        description="A string unique to the request. A repetition with the same key returns the first response, "
        "and nothing is judged twice. Keys do not expire.",
        examples=["8e03978e-40d5-43e8-bc93-6894a57f9324"],
    ),
]


_EVENT = {
    "description": "One event.",
    "type": "object",
    "properties": {
        "event": {"enum": ["judged", "finished"]},
        "id": {"type": "string", "pattern": "^[0-9]+$"},
        "data": {"type": "string", "contentMediaType": "application/json"},
    },
}
_LOCATION = {"Location": {"description": "Where to poll.", "schema": {"type": "string"}, "required": True}}


@router.post(
    "/submissions",
    summary="Score one answer",
    responses={
        202: {"description": "Not judged yet; poll again.", "model": SubmissionView, "headers": _LOCATION},
        **openapi_responses_with_common_refusals(
            *BODY_REFUSAL_KINDS,
            RefusalKind.KEY_REUSED,
            RefusalKind.NOT_FOUND,
            RefusalKind.BUDGET_USED_UP,
            RefusalKind.BUDGET_RESERVED,
        ),
    },
)
async def submit(
    body: NewSubmission,
    token: Submitter,
    judging: Service,
    response: Response,
    idempotency_key: IdempotencyKey = None,
    wait_s: Annotated[
        float, Query(ge=0, le=LONGEST_WAIT_S, description="How many seconds to wait for the judgement.")
    ] = 30.0,
) -> SubmissionView:
    """Store an answer, judge it, and return the judgement, or 202 if that takes longer than `wait_s`."""
    request_key = RequestKey(idempotency_key, _digest_of_request("submission", body))
    submission = await judging.submit(token.id, request_key, body.problem, body.answer, wait_s=wait_s)
    if submission.judgement is None:
        response.status_code = 202
        response.headers["Location"] = f"/v1/submissions/{submission.id}"
    return view_submission(submission, for_admin=token.permits(TokenScope.ADMIN))


async def _own_submission(
    submission_id: Annotated[Id, Path(description="As returned by the service.")], token: Submitter, judging: Service
) -> Submission:
    submission = await judging.submissions.find_submission(submission_id)
    if submission is None or not _may_see_work_of_owner(token, submission.token):
        raise _not_found_refusal("submission")
    (current,) = await judging.with_later_judgements([submission])
    return current


@router.get(
    "/submissions/{submission_id}",
    summary="One answer",
    responses=openapi_responses_with_common_refusals(RefusalKind.NOT_FOUND),
)
async def read_submission(
    submission: Annotated[Submission, Depends(_own_submission)], token: Submitter
) -> SubmissionView:
    """A submission of this token, judged or not."""
    return view_submission(submission, for_admin=token.permits(TokenScope.ADMIN))


@router.post(
    "/batches",
    summary="Score many answers",
    status_code=202,
    responses={
        202: {"description": "Stored and queued.", "headers": _LOCATION},
        **openapi_responses_with_common_refusals(
            *BODY_REFUSAL_KINDS, RefusalKind.KEY_REUSED, RefusalKind.NOT_FOUND, RefusalKind.QUEUE_FULL
        ),
    },
)
async def submit_batch(
    body: NewBatch, token: Submitter, judging: Service, response: Response, idempotency_key: IdempotencyKey = None
) -> BatchView:
    """Queue answers to be judged one after the other: all of them, or none if the request is refused.

    If the token's budget does not suffice for an answer, its judgement is `pending`.
    """
    refs = dict.fromkeys(item.problem for item in body.items)
    await asyncio.to_thread(lambda: [judging.problem_for_judge(ref) for ref in refs])
    batch, _ = await judging.submissions.add_or_find_batch(
        token.id,
        RequestKey(idempotency_key, _digest_of_request("batch", body)),
        [(item.problem, item.answer) for item in body.items],
        most_waiting_submissions=MOST_WAITING,
    )
    judging.wake_queue_reader()
    response.headers["Location"] = f"/v1/batches/{batch.id}"
    return view_batch(batch)


async def _own_batch(
    batch_id: Annotated[Id, Path(description="As returned by the service.")], token: Submitter, judging: Service
) -> AnswerBatch:
    batch = await judging.submissions.find_batch(batch_id)
    if batch is None or not _may_see_work_of_owner(token, batch.token):
        raise _not_found_refusal("batch")
    return batch


OwnBatch = Annotated[AnswerBatch, Depends(_own_batch)]


@router.get(
    "/batches/{batch_id}",
    summary="Progress of a batch",
    responses=openapi_responses_with_common_refusals(RefusalKind.NOT_FOUND),
)
async def read_batch(batch: OwnBatch) -> BatchView:
    """A batch of this token, with its progress."""
    return view_batch(batch)


@router.get(
    "/batches/{batch_id}/results",
    summary="Results of a batch",
    responses=openapi_responses_with_common_refusals(RefusalKind.NOT_FOUND),
)
async def read_results(
    batch: OwnBatch,
    token: Submitter,
    judging: Service,
    after: Annotated[int, Query(ge=-1, le=MOST_COUNTED, description="Position of the last one known.")] = -1,
    limit: Annotated[int, Query(ge=1, le=1_000)] = 100,
) -> ResultsPage:
    """The batch's submissions by position, judged or not."""
    batch_members = await judging.with_later_judgements(
        await judging.submissions.batch_submissions(batch.id, after_position=after, max_count=limit)
    )
    return ResultsPage(
        results=tuple(view_submission(member, for_admin=token.permits(TokenScope.ADMIN)) for member in batch_members),
        next_after=batch_members[-1].position if len(batch_members) == limit else None,
    )


@router.get(
    "/batches/{batch_id}/events",
    summary="Watch a batch",
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "Server-sent events. `judged` carries `submission`, `done` and `total`, and its `id` is the "
            "number of the submission in the order in which they were done; `finished` comes last.",
            "content": {"text/event-stream": {"schema": _EVENT}},
        },
        **openapi_responses_with_common_refusals(RefusalKind.NOT_FOUND),
    },
)
async def watch_batch(
    batch: OwnBatch,
    token: Submitter,
    judging: Service,
    request: Request,
    last_event_id: Annotated[
        str, Header(pattern=r"^[0-9]{1,9}$", description="Number of the last event that arrived.", examples=["17"])
    ] = "0",
) -> StreamingResponse:
    """Follow a batch, from the beginning or from where a broken connection ended."""
    event_stream = _batch_events(batch, int(last_event_id), token, judging, request)
    return StreamingResponse(event_stream, media_type="text/event-stream", headers={"Cache-Control": "no-store"})


async def _batch_events(
    batch: AnswerBatch, last_seen_number: int, token: AccessToken, judging: SubmissionJudging, request: Request
) -> AsyncIterator[str]:
    admission = cast(AdmissionControl, request.app.state.admission)
    last_sent = time.monotonic()
    yield "retry: 2000\n\n"
    with judging.notifications.subscribe(batch.id) as changed:
        while not judging.is_closing:
            changed.clear()
            finished_submissions = await judging.submissions.finished_submissions(
                batch.id, after_number=last_seen_number, max_count=_EVENTS_AT_ONCE
            )
            for submission in finished_submissions:
                last_seen_number = submission.finished or last_seen_number
                submission_data = view_submission(submission, for_admin=token.permits(TokenScope.ADMIN)).model_dump(
                    mode="json"
                )
                event_data = json.dumps({"submission": submission_data, "done": last_seen_number, "total": batch.total})
                yield f"id: {last_seen_number}\nevent: judged\ndata: {event_data}\n\n"
            if last_seen_number >= batch.total:
                yield f"id: {last_seen_number}\nevent: finished\ndata: {{}}\n\n"
                return
            if finished_submissions:
                continue
            await wait_for_change(changed, 1.0)
            if time.monotonic() - last_sent > _KEEP_ALIVE_S:
                # A revoked token ends what it watches, too.
                await admission.valid_token(request.headers.get("authorization"))
                last_sent = time.monotonic()
                yield ": still here\n\n"


@router.get("/pending", summary="Answers that wait for people", responses=openapi_responses_with_common_refusals())
async def read_pending(
    token: Grader, judging: Service, limit: Annotated[int, Query(ge=1, le=100)] = 20
) -> GradingQueue:
    """Answers that this token's person may still grade, in an order of that person's own."""
    grading_items = await judging.grading.gradable_answers(token.name)
    return GradingQueue(total=len(grading_items), items=tuple(map(view_grading_item, grading_items[:limit])))


@router.get(
    "/pending/next",
    summary="The next answer to grade",
    responses={
        204: {"description": "Nothing is left to grade for this person."},
        **openapi_responses_with_common_refusals(),
    },
    response_model=GradingItem,
)
async def read_next(token: Grader, judging: Service) -> GradingItem | Response:
    """Returns the same answer until it is graded."""
    grading_item = await judging.grading.next_gradable_answer(token.name)
    return Response(status_code=204) if grading_item is None else view_grading_item(grading_item)


@router.put(
    "/pending/{item_id}/grade",
    summary="Grade an answer",
    responses=openapi_responses_with_common_refusals(*BODY_REFUSAL_KINDS, RefusalKind.NOT_FOUND, RefusalKind.CONFLICT),
)
async def grade(
    item_id: Annotated[Id, Path(description="As returned by the service.")],
    body: NewGrade,
    token: Grader,
    judging: Service,
) -> GradeView:
    """Accept a person's grade. Two people grade an answer, a third if they disagree; repeating one changes nothing."""
    is_decided = await judging.grade(item_id, token.name, body.label, body.difficulty, body.comment)
    return GradeView(item=item_id, grader=token.name, label=body.label, difficulty=body.difficulty, decided=is_decided)


@router.get(
    "/agreement", summary="How far judges agree with people", responses=openapi_responses_with_common_refusals()
)
async def read_agreement(
    token: Administrator,
    judging: Service,
    resamples: Annotated[int, Query(ge=100, le=10_000, description="Of the bootstrap intervals.")] = 1_000,
) -> tuple[FormatAgreement, ...]:
    """Return what `benchwright judge agreement` prints, by format. For administrators: it shows who graded how."""
    return tuple(await judging.measure_agreement_by_format(resamples))


@router.get("/health/live", summary="Whether the process is running")
async def live() -> Health:
    """Succeeds as long as the process is running."""
    return Health(status="live")


@router.get(
    "/health/ready",
    summary="Whether it can serve requests",
    responses=openapi_responses_of_refusals(RefusalKind.UNAVAILABLE),
)
async def ready(judging: Service) -> Health:
    """Succeeds if the database answers and the service is not shutting down."""
    if judging.is_closing:
        raise RefusalError(
            RefusalKind.UNAVAILABLE,
            "The service is shutting down.",
            "Try again when it has been restarted.",
            retry_after_s=5,
        )
    await judging.submissions.find_submission("")
    return Health(status="ready")


def _digest_of_request(request_kind: str, request_body: NewSubmission | NewBatch) -> str:
    return hashlib.sha256(f"{request_kind} {request_body.model_dump_json()}".encode()).hexdigest()


def _may_see_work_of_owner(token: AccessToken, owner_id: str) -> bool:
    return owner_id == token.id or token.permits(TokenScope.ADMIN)


def _not_found_refusal(missing_noun: str) -> RefusalError:
    return RefusalError(
        RefusalKind.NOT_FOUND,
        f"This token has no such {missing_noun}.",
        "Check the address, and use the token that submitted it.",
    )
