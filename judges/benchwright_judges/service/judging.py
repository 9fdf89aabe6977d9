"""The part of the service that judges: takes submissions off the queue and stores the judgements."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import traceback
import uuid
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from sqlalchemy.exc import SQLAlchemyError

from benchwright_foundation.change_notifications import ChangeNotifications, wait_for_change
from benchwright_foundation.errors import StorageError
from benchwright_foundation.refusals import Flaw, Kind, RefusalError
from benchwright_judges.agreement.agreement import FormatAgreement, measure
from benchwright_judges.agreement.rated import rated_answers
from benchwright_judges.errors import GradingError
from benchwright_judges.judgement import Judgement, Method, Status
from benchwright_judges.models.budget import JudgingBudget
from benchwright_judges.models.panel import Panel
from benchwright_judges.people.human_grading import Grading
from benchwright_judges.records.recorded_judging import judge_and_record
from benchwright_judges.records.records import Records
from benchwright_judges.rubric import rubric_for
from benchwright_judges.score import score
from benchwright_judges.service.submission import Key, Submission
from benchwright_judges.service.submissions import Submissions
from benchwright_problems.errors import ProblemsError
from benchwright_problems.problem import Kind as ProblemKind
from benchwright_problems.problem import Problem
from benchwright_problems.storage.store import Store

T = TypeVar("T")

logger = logging.getLogger(__name__)

_QUEUE = "queue"
_MOST_CLAIMS = 3
"""The most claims of a submission: more means that it crashes the process that judges it."""
_BUDGET_TRIES = 120
_BUDGET_WAIT_S = 0.5
"""The interval at which to check whether reserved money has been released, and the number of checks."""


@dataclass(frozen=True)
class Pace:
    """Concurrency and waiting times, in seconds."""

    at_once: int = 16
    """Concurrent judgements."""
    lease_s: float = 15.0
    """Duration of a lease in seconds, before another process may claim the submission."""
    poll_s: float = 1.0
    """Interval of polling for what other processes queued or finished."""
    grace_s: float = 10.0
    """Time for which running judgements may continue when the service shuts down, in seconds."""


class Judging:
    """Judges submissions until it is closed.

    Args:
        store: The problems with their hidden parts.
        records: Database in which judgements are kept.
        panel: The model judges, if there are any.
        pace: Concurrency and waiting times.
    """

    def __init__(self, store: Store, records: Records, panel: Panel | None, pace: Pace) -> None:
        owner = f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"
        self.submissions = Submissions(records, owner=owner, lease_s=pace.lease_s)
        self.changes = ChangeNotifications()
        self.grading = Grading(records, store.unseal)
        self._closing: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._store = store
        self._records = records
        self._panel = panel
        self._pace = pace
        self._free = asyncio.Semaphore(pace.at_once)
        self._work: set[asyncio.Task[Submission | None]] = set()
        self._has_more = True
        self._ended = asyncio.Event()
        self._running: set[str] = set()
        self._loops: list[asyncio.Task[None]] = []

    @property
    def closing(self) -> bool:
        """True if new work is no longer accepted."""
        return self._closing.done()

    def start(self) -> None:
        """Start judging, including submissions left behind by a process that died."""
        self._loops = [asyncio.create_task(self._take_from_queue()), asyncio.create_task(self._stay_alive())]

    def stop_taking(self) -> None:
        """Accept nothing new, and wake all requests that wait for a result."""
        if not self.closing:
            self._closing.set_result(None)
        self.changes.notify_all()

    async def close(self) -> None:
        """Finish running judgements, or return them to the queue."""
        self.stop_taking()
        if self._work:
            await asyncio.wait(self._work, timeout=self._pace.grace_s)
        for task in self._work:
            task.cancel()
        await asyncio.gather(*self._work, return_exceptions=True)
        self._ended.set()
        await asyncio.gather(*self._loops)
        await self.submissions.hand_back()

    def question(self, ref: str) -> Problem:
        """A problem with its hidden part.

        Raises:
            RefusalError: No problem has this name, or it is not for a judge.
        """
        try:
            problem = self._store.unseal(ref)
        except ProblemsError as error:
            raise RefusalError(
                Kind.NOT_FOUND,
                f"The service has no problem {ref}.",
                "Ask the service's administrator to import its pack, in the same version.",
            ) from error
        if problem.kind is ProblemKind.DESIGN:
            raise RefusalError(
                Kind.NOT_FOUND,
                f"{ref} is not a question: hidden tests decide it, not a judge.",
                "Run `benchwright grade` where the problem was opened.",
            )
        return problem

    async def submit(self, token: str, key: Key, ref: str, answer: str, *, wait_s: float) -> Submission:
        """Accept one answer and judge it.

        Returns:
            The submission, judged unless that takes longer than `wait_s`; judging then continues.

        Raises:
            RefusalError: See `question` and `Submissions.accept`.
        """
        problem = await asyncio.to_thread(self.question, ref)
        cost = await self._most_it_costs(problem, answer)
        submission, is_new = await self.submissions.accept(token, key, ref, answer, reserve_usd=cost)
        if not is_new:
            (current,) = await self.current([await self._result(submission, wait_s)])
            return current
        work = self._begin(self._judge(submission, problem))
        futures: set[asyncio.Future[Any]] = {work, self._closing}
        await asyncio.wait(futures, timeout=wait_s, return_when=asyncio.FIRST_COMPLETED)
        finished = work.result() if work.done() and not work.cancelled() else None
        return finished or submission

    async def grade(self, item: str, grader: str, label: str, difficulty: int, comment: str) -> bool:
        """Accept a person's grade; True if it completes a judgement.

        Raises:
            RefusalError: The item is not one to grade, or the label is not on the scale.
        """
        judged_answer = await self._records.judged_answer(item)
        rubric = (
            rubric_for(await asyncio.to_thread(self.question, judged_answer.answer.problem)) if judged_answer else None
        )
        if judged_answer is None or rubric is None:
            raise RefusalError(
                Kind.NOT_FOUND, "There is no such answer to grade.", "Take one from /v1/pending or /v1/pending/next."
            )
        if label not in rubric.scale.labels:
            scale = ", ".join(rubric.scale.labels)
            raise RefusalError(
                Kind.INVALID,
                "The label is not on the scale.",
                f"Choose from {scale}.",
                errors=(Flaw(pointer="/label", detail=f"Input should be one of {scale}"),),
            )
        decided = (
            judged_answer.judgement is not None
            and judged_answer.judgement.method is Method.PERSON
            and judged_answer.judgement.status is Status.SCORED
        )
        if (label, difficulty, comment) in [
            (grade.label, grade.difficulty, grade.comment) for grade in judged_answer.grades if grade.grader == grader
        ]:
            return decided
        settled = RefusalError(
            Kind.CONFLICT,
            "People have already decided on this answer; it needs no more grades.",
            "Continue with /v1/pending/next.",
        )
        if decided:
            raise settled
        try:
            return await self.grading.grade(item, grader, label, difficulty, comment) is not None
        except GradingError as error:
            raise settled from error

    async def agreement(self, resamples: int) -> Sequence[FormatAgreement]:
        """Agreement of judges with people."""
        rated = rated_answers(await self._records.judged())
        return await asyncio.to_thread(measure, rated, resamples=resamples)

    async def current(self, submissions: Sequence[Submission]) -> Sequence[Submission]:
        """The rated answers, with later judgements of those that were left pending."""
        undecided = [
            submission.id
            for submission in submissions
            if submission.judgement is not None and not submission.judgement.status.is_final
        ]
        later = await self._records.judgements(undecided) if undecided else {}
        return [
            replace(submission, judgement=later.get(submission.id, submission.judgement)) for submission in submissions
        ]

    def queued(self) -> None:
        """Wake the worker: something was queued."""
        self.changes.notify(_QUEUE)

    async def _result(self, submission: Submission, wait_s: float) -> Submission:
        ends = asyncio.get_running_loop().time() + wait_s
        with self.changes.subscribe(submission.id) as changed:
            while True:
                changed.clear()
                submission = await self.submissions.find(submission.id) or submission
                left = ends - asyncio.get_running_loop().time()
                if submission.judgement is not None or left <= 0 or self.closing:
                    return submission
                await wait_for_change(changed, min(left, self._pace.poll_s))

    async def _take_from_queue(self) -> None:
        with self.changes.subscribe(_QUEUE) as changed:
            while not self.closing:
                changed.clear()
                free = self._pace.at_once - len(self._work)
                # Half of the slots at a time: each poll is a transaction.
                if 2 * free >= self._pace.at_once:
                    claimed = await self._quietly(self.submissions.claim(free, self._running)) or ()
                    for submission in claimed:
                        self._begin(self._judge(submission))
                    self._has_more = len(claimed) == free
                await wait_for_change(changed, self._pace.poll_s)

    async def _stay_alive(self) -> None:
        while not self._ended.is_set():
            await wait_for_change(self._ended, self._pace.lease_s / 4)
            if self._running:
                await self._quietly(self.submissions.renew(self._running))

    def _begin(self, work: Coroutine[Any, Any, Submission | None]) -> asyncio.Task[Submission | None]:
        task = asyncio.create_task(work)
        self._work.add(task)

        def ended(task: asyncio.Task[Submission | None]) -> None:
            self._work.discard(task)
            if self._has_more:
                self.queued()

        task.add_done_callback(ended)
        return task

    async def _judge(self, submission: Submission, accepted: Problem | None = None) -> Submission | None:
        self._running.add(submission.id)
        finished = None
        try:
            async with self._free:
                judgement = await self._judgement(submission, accepted)
                finished = await self.submissions.finish(submission, judgement)
        except (SQLAlchemyError, OSError, StorageError) as error:
            # The lease expires, and another process, or this one later, claims the submission.
            _log_place(error)
        finally:
            self._running.discard(submission.id)
        self.changes.notify(submission.id)
        if submission.batch is not None:
            self.changes.notify(submission.batch)
        return finished

    async def _judgement(self, submission: Submission, accepted: Problem | None) -> Judgement:
        if submission.claims > _MOST_CLAIMS:
            return _error("The service stopped several times while judging this answer.")
        try:
            if accepted is not None:
                # A single submission was accepted together with its reservation.
                return await self._ask(submission, accepted, submission.reserved_usd)
            problem = await asyncio.to_thread(self.question, submission.problem)
            return await self._ask(submission, problem, await self._reserve(submission, problem))
        except RefusalError as refusal:
            return _error(refusal.details.detail)
        except (SQLAlchemyError, OSError, StorageError):
            raise
        except Exception as error:
            _log_place(error)
            return _error(f"The service failed on this answer ({type(error).__name__}).")

    async def _ask(self, submission: Submission, problem: Problem, usd: float | None) -> Judgement:
        return await judge_and_record(
            problem,
            submission.answer,
            self._panel if usd is not None else None,
            self._records,
            ref=submission.problem,
            answer_id=submission.id,
            budget=JudgingBudget(usd or None),
        )

    async def _reserve(self, submission: Submission, problem: Problem) -> float | None:
        """The money reserved; None if there is not enough, and the accepted answer has to wait."""
        cost = await self._most_it_costs(problem, submission.answer)
        for _ in range(_BUDGET_TRIES):
            try:
                return await self.submissions.reserve(submission, cost)
            except RefusalError as refusal:
                if refusal.kind is not Kind.BUDGET_RESERVED:
                    return None
            await asyncio.sleep(_BUDGET_WAIT_S)
        return None

    async def _most_it_costs(self, problem: Problem, answer: str) -> float:
        """The maximum cost of model judges for an answer; 0 for one that is decided without them."""
        if self._panel is None:
            return 0.0
        decided = await asyncio.to_thread(score, problem, answer)
        return self._panel.most_it_costs(problem, answer, decided)

    async def _quietly(self, work: Coroutine[Any, Any, T]) -> T | None:
        """The result; None if the database failed: it will be tried again."""
        try:
            return await work
        except Exception as error:
            _log_place(error)
            return None


def _error(message: str) -> Judgement:
    return Judgement(status=Status.ERROR, message=message, method=Method.MODEL)


def _log_place(error: BaseException) -> None:
    # The text of an error may quote an answer key.
    logger.error("%s\n%s", type(error).__name__, "".join(traceback.format_tb(error.__traceback__)))
