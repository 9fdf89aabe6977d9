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
from benchwright_foundation.refusals import Flaw, RefusalError, RefusalKind
from benchwright_judges.agreement.agreement import FormatAgreement, measure_agreement
from benchwright_judges.agreement.rated import answers_rated_by_people_and_models
from benchwright_judges.errors import GradingError
from benchwright_judges.judgement import Judgement, JudgementStatus, ScoringMethod
from benchwright_judges.models.budget import JudgingBudget
from benchwright_judges.models.panel import Panel
from benchwright_judges.people.human_grading import HumanGrading
from benchwright_judges.records.recorded_judging import judge_and_record
from benchwright_judges.records.records import Records
from benchwright_judges.rubric import rubric_for
from benchwright_judges.score import score_by_rules
from benchwright_judges.service.submission import RequestKey, Submission
from benchwright_judges.service.submissions import SubmissionQueue
from benchwright_problems.errors import ProblemsError
from benchwright_problems.problem import Problem
from benchwright_problems.problem import ProblemKind as ProblemKind
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
class JudgingPace:
    """Concurrency and waiting times, in seconds."""

    at_once: int = 16
    """Concurrent judgements."""
    lease_s: float = 15.0
    """Duration of a lease in seconds, before another process may claim the submission."""
    poll_s: float = 1.0
    """Interval of polling for what other processes queued or finished."""
    grace_s: float = 10.0
    """Time for which running judgements may continue when the service shuts down, in seconds."""


class SubmissionJudging:
    """Judges submissions until it is closed.

    Args:
        store: The problems with their hidden parts.
        records: Database in which judgements are kept.
        panel: The model judges, if there are any.
        pace: Concurrency and waiting times.
    """

    def __init__(self, store: Store, records: Records, panel: Panel | None, pace: JudgingPace) -> None:
        process_name = f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"
        self.submissions = SubmissionQueue(records, process_name=process_name, lease_s=pace.lease_s)
        self.notifications = ChangeNotifications()
        self.grading = HumanGrading(records, store.unseal)
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
    def is_closing(self) -> bool:
        """True if new work is no longer accepted."""
        return self._closing.done()

    def start(self) -> None:
        """Start judging, including submissions left behind by a process that died."""
        self._loops = [
            asyncio.create_task(self._judge_queued_until_closed()),
            asyncio.create_task(self._renew_leases_until_closed()),
        ]

    def refuse_new_work(self) -> None:
        """Accept nothing new, and wake all requests that wait for a result."""
        if not self.is_closing:
            self._closing.set_result(None)
        self.notifications.notify_all()

    async def close(self) -> None:
        """Finish running judgements, or return them to the queue."""
        self.refuse_new_work()
        if self._work:
            await asyncio.wait(self._work, timeout=self._pace.grace_s)
        for judging_task in self._work:
            judging_task.cancel()
        await asyncio.gather(*self._work, return_exceptions=True)
        self._ended.set()
        await asyncio.gather(*self._loops)
        await self.submissions.release_claims()

    def problem_for_judge(self, problem_ref: str) -> Problem:
        """A problem with its hidden part.

        Raises:
            RefusalError: No problem has this name, or it is not for a judge.
        """
        try:
            problem = self._store.unseal(problem_ref)
        except ProblemsError as error:
            raise RefusalError(
                RefusalKind.NOT_FOUND,
                f"The service has no problem {problem_ref}.",
                "Ask the service's administrator to import its pack, in the same version.",
            ) from error
        if problem.kind is ProblemKind.DESIGN:
            raise RefusalError(
                RefusalKind.NOT_FOUND,
                f"{problem_ref} is not a question: hidden tests decide it, not a judge.",
                "Run `benchwright grade` where the problem was opened.",
            )
        return problem

    async def submit(
        self, token_id: str, request_key: RequestKey, problem_ref: str, answer: str, *, wait_s: float
    ) -> Submission:
        """Accept one answer and judge it.

        Returns:
            The submission, judged unless that takes longer than `wait_s`; judging then continues.

        Raises:
            RefusalError: See `problem_for_judge` and `SubmissionQueue.add_claimed_or_find`.
        """
        problem = await asyncio.to_thread(self.problem_for_judge, problem_ref)
        cost = self._maximum_cost_usd(problem, answer, await asyncio.to_thread(score_by_rules, problem, answer))
        submission, is_new = await self.submissions.add_claimed_or_find(
            token_id, request_key, problem_ref, answer, reserved_usd=cost
        )
        if not is_new:
            (current,) = await self.with_later_judgements([await self._await_judgement(submission, wait_s)])
            return current
        judging_task = self._start_judging_task(self._judge_and_finish(submission, problem))
        futures: set[asyncio.Future[Any]] = {judging_task, self._closing}
        await asyncio.wait(futures, timeout=wait_s, return_when=asyncio.FIRST_COMPLETED)
        finished_submission = judging_task.result() if judging_task.done() and not judging_task.cancelled() else None
        return finished_submission or submission

    async def grade(self, answer_id: str, grader_name: str, label: str, difficulty: int, comment: str) -> bool:
        """Accept a person's grade; True if it completes a judgement.

        Raises:
            RefusalError: The item is not one to grade, or the label is not on the scale.
        """
        answer_record = await self._records.find_answer_record(answer_id)
        rubric = (
            rubric_for(await asyncio.to_thread(self.problem_for_judge, answer_record.answer.problem))
            if answer_record
            else None
        )
        if answer_record is None or rubric is None:
            raise RefusalError(
                RefusalKind.NOT_FOUND,
                "There is no such answer to grade.",
                "Take one from /v1/pending or /v1/pending/next.",
            )
        if label not in rubric.scale.labels:
            scale = ", ".join(rubric.scale.labels)
            raise RefusalError(
                RefusalKind.INVALID,
                "The label is not on the scale.",
                f"Choose from {scale}.",
                errors=(Flaw(pointer="/label", detail=f"Input should be one of {scale}"),),
            )
        is_decided = (
            answer_record.judgement is not None
            and answer_record.judgement.method is ScoringMethod.PERSON
            and answer_record.judgement.status is JudgementStatus.SCORED
        )
        if (label, difficulty, comment) in [
            (grade.label, grade.difficulty, grade.comment)
            for grade in answer_record.grades
            if grade.grader == grader_name
        ]:
            return is_decided
        settled = RefusalError(
            RefusalKind.CONFLICT,
            "People have already decided on this answer; it needs no more grades.",
            "Continue with /v1/pending/next.",
        )
        if is_decided:
            raise settled
        try:
            return (
                await self.grading.store_grade_and_judgement_if_decided(
                    answer_id, grader_name, label, difficulty, comment
                )
                is not None
            )
        except GradingError as error:
            raise settled from error

    async def measure_agreement_by_format(self, resamples: int) -> Sequence[FormatAgreement]:
        """Agreement of judges with people."""
        rated = answers_rated_by_people_and_models(await self._records.answer_records())
        return await asyncio.to_thread(measure_agreement, rated, resamples=resamples)

    async def with_later_judgements(self, stored_submissions: Sequence[Submission]) -> Sequence[Submission]:
        """The rated answers, with later judgements of those that were left pending."""
        undecided = [
            submission.id
            for submission in stored_submissions
            if submission.judgement is not None and not submission.judgement.status.is_final
        ]
        later_judgements = await self._records.latest_judgement_by_answer_id(undecided) if undecided else {}
        return [
            replace(submission, judgement=later_judgements.get(submission.id, submission.judgement))
            for submission in stored_submissions
        ]

    def wake_queue_reader(self) -> None:
        """Wake the worker: something was queued."""
        self.notifications.notify(_QUEUE)

    async def _await_judgement(self, submission: Submission, wait_s: float) -> Submission:
        deadline = asyncio.get_running_loop().time() + wait_s
        with self.notifications.subscribe(submission.id) as changed:
            while True:
                changed.clear()
                submission = await self.submissions.find_submission(submission.id) or submission
                seconds_left = deadline - asyncio.get_running_loop().time()
                if submission.judgement is not None or seconds_left <= 0 or self.is_closing:
                    return submission
                await wait_for_change(changed, min(seconds_left, self._pace.poll_s))

    async def _judge_queued_until_closed(self) -> None:
        with self.notifications.subscribe(_QUEUE) as changed:
            while not self.is_closing:
                changed.clear()
                free_slots = self._pace.at_once - len(self._work)
                # Half of the slots at a time: each poll is a transaction.
                if 2 * free_slots >= self._pace.at_once:
                    claimed = (
                        await self._result_unless_database_failed(
                            self.submissions.claim_waiting(free_slots, self._running)
                        )
                        or ()
                    )
                    for submission in claimed:
                        self._start_judging_task(self._judge_and_finish(submission))
                    self._has_more = len(claimed) == free_slots
                await wait_for_change(changed, self._pace.poll_s)

    async def _renew_leases_until_closed(self) -> None:
        while not self._ended.is_set():
            await wait_for_change(self._ended, self._pace.lease_s / 4)
            if self._running:
                await self._result_unless_database_failed(self.submissions.renew_leases(self._running))

    def _start_judging_task(
        self, judging_coroutine: Coroutine[Any, Any, Submission | None]
    ) -> asyncio.Task[Submission | None]:
        judging_task = asyncio.create_task(judging_coroutine)
        self._work.add(judging_task)

        def ended(ended_task: asyncio.Task[Submission | None]) -> None:
            self._work.discard(ended_task)
            if self._has_more:
                self.wake_queue_reader()

        judging_task.add_done_callback(ended)
        return judging_task

    async def _judge_and_finish(
        self, submission: Submission, accepted_problem: Problem | None = None
    ) -> Submission | None:
        self._running.add(submission.id)
        finished_submission = None
        try:
            async with self._free:
                judgement = await self._judgement_or_error(submission, accepted_problem)
                finished_submission = await self.submissions.finish_unless_claimed(submission, judgement)
        except (SQLAlchemyError, OSError, StorageError) as error:
            # The lease expires, and another process, or this one later, claims the submission.
            _log_traceback(error)
        finally:
            self._running.discard(submission.id)
        self.notifications.notify(submission.id)
        if submission.batch is not None:
            self.notifications.notify(submission.batch)
        return finished_submission

    async def _judgement_or_error(self, submission: Submission, accepted_problem: Problem | None) -> Judgement:
        if submission.claims > _MOST_CLAIMS:
            return _error_judgement("The service stopped several times while judging this answer.")
        try:
            problem = (
                await asyncio.to_thread(self.problem_for_judge, submission.problem)
                if accepted_problem is None
                else accepted_problem
            )
            rule_judgement = await asyncio.to_thread(score_by_rules, problem, submission.answer)
            # A single submission was accepted together with its reservation.
            usd = (
                submission.reserved_usd
                if accepted_problem
                else await self._reserve_if_affordable(submission, problem, rule_judgement)
            )
            return await judge_and_record(
                problem,
                submission.answer,
                self._panel if usd is not None else None,
                self._records,
                problem_ref=submission.problem,
                answer_id=submission.id,
                budget=JudgingBudget(usd or None),
                rule_judgement=rule_judgement,
            )
        except RefusalError as refusal:
            return _error_judgement(refusal.details.detail)
        except (SQLAlchemyError, OSError, StorageError):
            raise
        except Exception as error:
            _log_traceback(error)
            return _error_judgement(f"The service failed on this answer ({type(error).__name__}).")

    async def _reserve_if_affordable(
        self, submission: Submission, problem: Problem, rule_judgement: Judgement
    ) -> float | None:
        """The money reserved; None if there is not enough, and the accepted answer has to wait."""
        cost = self._maximum_cost_usd(problem, submission.answer, rule_judgement)
        for _ in range(_BUDGET_TRIES):
            try:
                return await self.submissions.reserve_budget(submission, cost)
            except RefusalError as refusal:
                if refusal.refusal_kind is not RefusalKind.BUDGET_RESERVED:
                    return None
            await asyncio.sleep(_BUDGET_WAIT_S)
        return None

    def _maximum_cost_usd(self, problem: Problem, answer: str, rule_judgement: Judgement) -> float:
        """The maximum cost of model judges for an answer; 0 for one that is decided without them."""
        return 0.0 if self._panel is None else self._panel.maximum_cost_usd(problem, answer, rule_judgement)

    async def _result_unless_database_failed(self, database_work: Coroutine[Any, Any, T]) -> T | None:
        """The result; None if the database failed: it will be tried again."""
        try:
            return await database_work
        except Exception as error:
            _log_traceback(error)
            return None


def _error_judgement(message: str) -> Judgement:
    return Judgement(status=JudgementStatus.ERROR, message=message, method=ScoringMethod.MODEL)


def _log_traceback(error: BaseException) -> None:
    # The text of an error may quote an answer key.
    logger.error("%s\n%s", type(error).__name__, "".join(traceback.format_tb(error.__traceback__)))
