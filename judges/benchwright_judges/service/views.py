"""The API's data types. Answer keys, rubrics and judges' reasons, which may quote them, have no field here."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

from pydantic import AwareDatetime, BeforeValidator, Field, StringConstraints

from benchwright_foundation.model import Message
from benchwright_judges.judgement import Judgement, JudgementStatus, ScoringMethod, Share, Vote
from benchwright_judges.service.submission import AnswerBatch, Submission, SubmissionState
from benchwright_problems.problem import Public

if TYPE_CHECKING:
    # A client has these types, but no database.
    from benchwright_judges.people.human_grading import GradableAnswer

LONGEST_ANSWER = 65_536
"""Characters."""
LARGEST_BATCH = 1_000

ProblemRef = Annotated[
    str,
    StringConstraints(pattern=r"^[a-z0-9][a-z0-9._-]{0,59}/[A-Za-z0-9][A-Za-z0-9._-]{0,119}$"),
    Field(examples=["starter/load-use-stalls"], description="`PACK/PROBLEM`, as the service's own store calls it."),
]
Answer = Annotated[
    str,
    # PostgreSQL can't store U+0000.
    StringConstraints(max_length=LONGEST_ANSWER, pattern=r"^[^\x00]*$"),
    Field(examples=["The answer is (C)."], description="The content of `answer.md`."),
]
Id = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$"), Field(examples=["0f8fad5bd9cb469fa16570867728950e"])]


class NewSubmission(Message):
    """One answer to one problem."""

    problem: ProblemRef
    answer: Answer


class NewBatch(Message):
    """Answers that are submitted together."""

    items: tuple[NewSubmission, ...] = Field(min_length=1, max_length=LARGEST_BATCH)


class Usage(Message):
    """The tokens and time of a vote."""

    input_tokens: int
    output_tokens: int
    seconds: float
    cached: bool


class VoteView(Message):
    """One judge's vote, without its reasons: they may quote the answer key."""

    judge: str
    label: str
    score: Share | None
    failed: bool
    """Its reply could not be used."""
    cost_usd: float
    usage: Usage | None = None
    """For administrators."""


class JudgementView(Message):
    """A judgement."""

    status: JudgementStatus
    score: Share | None
    passed: bool | None
    label: str
    message: str
    """One sentence for the solver that reveals nothing hidden."""
    method: ScoringMethod
    rubric: str
    """Name and content hash of the rubric."""
    tie_break: bool
    votes: tuple[VoteView, ...]
    metrics: dict[str, float] | None = None
    """For administrators."""


class SubmissionView(Message):
    """One submitted answer."""

    id: Id
    problem: ProblemRef
    batch: Id | None
    position: int | None
    """Place within the batch, from 0."""
    state: SubmissionState
    created: AwareDatetime
    judged: AwareDatetime | None
    judgement: JudgementView | None
    """None until the state is `done`."""


class BatchView(Message):
    """Progress of a batch."""

    id: Id
    created: AwareDatetime
    total: int
    done: int
    finished: bool


class ResultsPage(Message):
    """Some submissions of a batch, by position."""

    results: tuple[SubmissionView, ...]
    next_after: int | None
    """The value of `after` for the next page; null on the last one."""


class GradingItem(Message):
    """An answer as a person grades it: blind, without the key, which stays with the service."""

    id: Id
    problem: ProblemRef
    public: Public
    """The part of the problem that the solver saw."""
    answer: str
    rubric: str = Field(examples=["free-response@3fa9c0d2b1e8"])
    """Name and content hash of the rubric."""
    labels: tuple[str, ...] = Field(examples=[["incorrect", "partially correct", "correct"]])
    """The scale, the worst first."""


class GradingQueue(Message):
    """The answers that a person may grade."""

    total: int
    items: tuple[GradingItem, ...]


def _int_if_whole(json_value: object) -> object:
    # JSON knows one kind of number: 1.0 is an integer.
    return int(json_value) if isinstance(json_value, float) and json_value.is_integer() else json_value


class NewGrade(Message):
    """A person's grade of an answer."""

    label: Annotated[str, StringConstraints(max_length=60), Field(examples=["correct"])]
    """One of the item's `labels`."""
    difficulty: Annotated[int, Field(ge=1, le=5, strict=True), BeforeValidator(_int_if_whole)]
    """Difficulty of grading it: 1 easy to 5 hard."""
    comment: Annotated[str, StringConstraints(max_length=4_000, pattern=r"^[^\x00]*$")] = ""


class GradeView(Message):
    """An accepted grade."""

    item: Id
    grader: str
    label: str
    difficulty: int
    decided: bool
    """True if it completes a judgement; if not, another person is needed."""


class Health(Message):
    """State of the service: able to work or not."""

    status: str = Field(examples=["ready"])


def view_grading_item(gradable_answer: GradableAnswer) -> GradingItem:
    """An answer as a person grades it."""
    return GradingItem(
        id=gradable_answer.id,
        problem=gradable_answer.ref,
        public=gradable_answer.problem.public,
        answer=gradable_answer.answer,
        rubric=gradable_answer.rubric.reference,
        labels=gradable_answer.rubric.scale.labels,
    )


def view_submission(submission: Submission, *, for_admin: bool) -> SubmissionView:
    """A submission as visible to a token; `for_admin` for administrators."""
    return SubmissionView(
        id=submission.id,
        problem=submission.problem,
        batch=submission.batch,
        position=submission.position,
        state=submission.state,
        created=_utc_time(submission.created),
        judged=_utc_time(submission.judged) if submission.judged is not None else None,
        judgement=_judgement_view(submission.judgement, for_admin) if submission.judgement is not None else None,
    )


def view_batch(batch: AnswerBatch) -> BatchView:
    """A batch as visible to its token."""
    return BatchView(
        id=batch.id,
        created=_utc_time(batch.created),
        total=batch.total,
        done=batch.done,
        finished=batch.done == batch.total,
    )


def _judgement_view(judgement: Judgement, for_admin: bool) -> JudgementView:
    return JudgementView(
        status=judgement.status,
        score=judgement.score,
        passed=judgement.passed,
        label=judgement.label,
        message=judgement.message,
        method=judgement.method,
        rubric=judgement.rubric,
        tie_break=judgement.tie_break,
        votes=tuple(_vote_view(vote, judgement.method, for_admin) for vote in judgement.votes),
        metrics=judgement.metrics if for_admin else None,
    )


def _vote_view(vote: Vote, method: ScoringMethod, for_admin: bool) -> VoteView:
    usage = Usage(
        input_tokens=vote.input_tokens,
        output_tokens=vote.output_tokens,
        seconds=vote.seconds,
        cached=vote.cached,
    )
    return VoteView(
        # A solver does not learn who graded.
        judge="person" if method is ScoringMethod.PERSON and not for_admin else vote.judge,
        label=vote.label,
        score=vote.score,
        failed=bool(vote.error),
        cost_usd=vote.cost_usd,
        usage=usage if for_admin else None,
    )


def _utc_time(unix_seconds: float) -> datetime:
    return datetime.fromtimestamp(unix_seconds, UTC)
