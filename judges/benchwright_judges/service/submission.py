"""Submitted answers and batches of them, as the database has them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from benchwright_judges.judgement import Judgement

if TYPE_CHECKING:
    from sqlalchemy import Row


class SubmissionState(StrEnum):
    """The state of a submission."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"


@dataclass(frozen=True)
class Submission:
    """One answer, as the database has it. Times are seconds since 1970."""

    id: str
    token: str
    problem: str
    answer: str
    state: SubmissionState
    created: float
    batch: str | None = None
    position: int | None = None
    """Position in the batch, from 0."""
    claims: int = 0
    """Number of times that a process claimed it."""
    reserved_usd: float = 0.0
    judgement: Judgement | None = None
    judged: float | None = None
    finished: int | None = None
    """Rank by time of completion within the batch, from 1."""


@dataclass(frozen=True)
class AnswerBatch:
    """Answers submitted together."""

    id: str
    token: str
    created: float
    total: int
    done: int


@dataclass(frozen=True)
class RequestKey:
    """Identifies a repeated request."""

    text: str | None
    """The client's Idempotency-Key, if it sent one."""
    fingerprint: str
    """Digest of the request: the same key with another request is refused."""


def submission_of_row(row: Row[Any]) -> Submission:
    """A row of the table of submissions."""
    return Submission(
        id=row.id,
        token=row.token,
        batch=row.batch,
        position=row.position,
        problem=row.problem,
        answer=row.answer,
        state=SubmissionState(row.state),
        claims=row.claims,
        reserved_usd=row.reserved_usd,
        judgement=Judgement.model_validate_json(row.judgement) if row.judgement else None,
        created=row.created,
        judged=row.judged,
        finished=row.finished,
    )


def batch_of_row(row: Row[Any]) -> AnswerBatch:
    """A row of the table of batches."""
    return AnswerBatch(id=row.id, token=row.token, created=row.created, total=row.total, done=row.done)
