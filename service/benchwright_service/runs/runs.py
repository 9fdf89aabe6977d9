"""Runs: from a solver's files to a verdict, on whatever workers ask for work."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import time
import uuid
from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import Row

from benchwright_attempts.grading.grading import ANSWER, judge_answer, judged_paths
from benchwright_attempts.grading.judging import AttemptJudging
from benchwright_attempts.grading.run_records import RunRecords
from benchwright_foundation.change_notifications import wait_for_change
from benchwright_foundation.database import Database
from benchwright_foundation.errors import StorageError
from benchwright_foundation.home import Home
from benchwright_foundation.refusals import RefusalError, RefusalKind
from benchwright_problems.errors import ProblemsError, UnknownProblemError
from benchwright_problems.problem import ProblemKind as ProblemKind
from benchwright_problems.storage.store import Store
from benchwright_problems.test_groups import TestGroup
from benchwright_problems.verdict import Reason, Verdict
from benchwright_remote.messages import (
    Job,
    JobResult,
    JobStanding,
    JobStep,
    MissingFiles,
    NewRun,
    RunState,
    RunView,
)
from benchwright_service.courses.courses import Courses
from benchwright_service.courses.quotas import QuotaKeeper
from benchwright_service.courses.snapshots import LARGEST, Snapshots, StoredFiles, unpack_content
from benchwright_service.evidence.evidence import EvidenceWriter
from benchwright_service.metrics import Metrics
from benchwright_service.runs.queue_rows import TERM_S, QueueRows, QueueSize
from benchwright_service.runs.run_rows import RunRows
from benchwright_service.runs.run_views import RunViews
from benchwright_service.storage.shared_changes import SharedChanges

MOST_TRIES = 3
"""Workers that may end in the middle of one run before it counts as undecided."""
_TOLD_S = 0.25
_WORK = "work"
_LOOK_AGAIN_S = 5.0
"""Time after which a worker's request looks for a run although nothing was told, in seconds."""
_LOOK_AT_RUN_AGAIN_S = 15.0
_ROUND_S = 5.0
_ROUNDS_BEFORE_EXPIRY = 4
"""Rounds that worked before a lease is taken from anybody: after an outage workers have to be heard first."""

logger = logging.getLogger(__name__)


class RunQueue:
    """Takes runs in, gives them to workers, and shows their verdicts.

    The queue, leases and steps are in the database; this process has what it scores itself.

    Args:
        database: Database of the service.
        change_notifications: Wake who waits, in every process.
        store: Has the hidden parts.
        home: Home folders in which raw logs are kept.
        snapshots: Contents of files.
        courses: Say until when.
        evidence: Says whose an attempt is.
        judging: Scores answers.
        metrics: Count what ends.
        quotas: Say how much one account may ask for.
        clock: Seconds since 1970.
    """

    def __init__(
        self,
        database: Database,
        change_notifications: SharedChanges,
        store: Store,
        home: Home,
        snapshots: Snapshots,
        courses: Courses,
        evidence: EvidenceWriter,
        judging: AttemptJudging,
        metrics: Metrics,
        quotas: QuotaKeeper,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._store = store
        self._home = home
        self._snapshots = snapshots
        self._courses = courses
        self._evidence = evidence
        self._judging = judging
        self._metrics = metrics
        self._quotas = quotas
        self._stored = StoredFiles(database, snapshots, quotas)
        self._rows = RunRows(database)
        self._views = RunViews(store, home, courses)
        self._now = clock
        self._queue = QueueRows(database, clock)
        self._changes = change_notifications
        self._process = uuid.uuid4().hex
        self._scoring: dict[str, str] = {}
        """Lease of each run whose answer this process scores."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_closing = False

    async def start(self, *, is_alone: bool) -> None:
        """Goes on with what an earlier process left; watches over what goes on.

        Args:
            is_alone: True if no other process may be at work.
        """
        if is_alone:
            for row in await self._queue.runs_being_scored():
                await self._requeue_or_fail_run(row)
        await self.begin_queued_runs()
        self._run_in_background(self._maintain_runs_forever())
        loop = asyncio.get_running_loop()
        # Metrics are read in another thread.
        self._metrics.set_queue_gauges(lambda: asyncio.run_coroutine_threadsafe(self._queue.size(), loop).result(5.0))

    async def queue_size(self) -> QueueSize:
        """The number of runs and workers, over all processes."""
        return await self._queue.size()

    async def close(self) -> None:
        """Ends what runs here; workers go on."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._changes.notify_all()
        # Another process goes on with them at once. Without a database, once their leases are over.
        with contextlib.suppress(StorageError):
            for row in await self._queue.runs_being_scored():
                if row.worker == self._process:
                    await self._queue.requeue_if_leased(row)

    def begin_closing_and_wake_all(self) -> None:
        """Answers requests that wait, because the service ends."""
        self._is_closing = True
        self._changes.notify_all()

    # What solvers ask

    async def submit(self, account: str, attempt: str, new_run: NewRun) -> RunView | MissingFiles:
        """Queues a run; older ones of the attempt are cancelled. The same run again changes nothing.

        Raises:
            RefusalError: The attempt is not this account's, the assignment is closed, or the files are not the
                problem's.
        """
        ref, assignment_id = await self._evidence.problem_ref_and_assignment(account, attempt)
        existing_run = await self._rows.find(new_run.id)
        if existing_run is not None:
            self._require_same_run(existing_run, attempt, new_run)
            return await self._run_view(existing_run, ref)
        assignment = await self._courses.require_open_assignment(account, assignment_id)
        problem = await asyncio.to_thread(self._store.problem, ref)
        unknown_paths = set(new_run.files) - set(judged_paths(problem))
        if unknown_paths:
            raise RefusalError(
                RefusalKind.INVALID, "A file is not one of the problem's.", "Send the expected files alone."
            )
        if set(new_run.contents) - set(new_run.files.values()):
            raise RefusalError(
                RefusalKind.INVALID, "A content is of no file of the run.", "Send what the run names alone."
            )
        await self._require_runs_left(attempt, assignment.most_runs)
        missing = await self._stored.keep_and_list_missing(account, attempt, new_run)
        if missing:
            return MissingFiles(missing=tuple(missing))
        is_scored = problem.kind is not ProblemKind.DESIGN
        with self._quotas.counting_run(account, await self._queue.waiting_count(account)):
            stored, superseded = await self._rows.add_and_cancel_older(
                account, attempt, new_run, self._now(), is_scored=is_scored
            )
            if stored is None:
                raise RefusalError(
                    RefusalKind.CONFLICT, "The attempt has another run of this number.", "Use the next number."
                )
            self._require_same_run(stored, attempt, new_run)
            for older in superseded:
                self._count_and_notify_cancelled(older)
            if is_scored:
                await self._score_waiting_answers(stored.id)
            else:
                self._changes.notify_one(_WORK)
        return await self._run_view(await self._rows.find(stored.id) or stored if is_scored else stored, ref)

    async def await_view(self, account: str, run: str, *, seen_revision: int = -1, wait_s: float = 0.0) -> RunView:
        """A run as its solver sees it; waits for a change from the revision that was seen.

        Raises:
            RefusalError: The account has no such run.
        """
        give_up = time.monotonic() + wait_s
        is_awoken = False
        with self._changes.subscribe(run) as changed:
            while True:
                changed.clear()
                row = await self._rows.find(run)
                if row is None or row.account != account:
                    raise _unknown_run_refusal()
                remaining_s = give_up - time.monotonic()
                is_over = row.state in (RunState.DONE, RunState.CANCELLED) or row.regrade
                is_new = row.revision != seen_revision
                if is_over or remaining_s <= 0 or self._is_closing or (is_new and not is_awoken):
                    return await self._run_view(row, await self._rows.problem_ref_of(row.attempt))
                # What goes on is told a few times a second, what is over at once.
                await wait_for_change(changed, min(remaining_s, _TOLD_S if is_new else _LOOK_AT_RUN_AGAIN_S))
                is_awoken = not is_new

    async def cancel(self, account: str, run: str, reason: str = "solver") -> None:
        """Cancels a run that has not ended.

        Raises:
            RefusalError: The account has no such run.
        """
        row = await self._rows.find(run)
        if row is None or row.account != account:
            raise _unknown_run_refusal()
        if row.regrade:
            return
        if await self._rows.cancel_unless_ended(run, reason, self._now()):
            self._count_and_notify_cancelled(run)

    # What workers ask

    async def claim_next(self, worker: str, wait_s: float) -> Job | None:
        """The next run for a worker. None if there was none for so long.

        Args:
            worker: Does one run at a time: what it had before is given to others.
            wait_s: Longest time to wait, in seconds.
        """
        for abandoned in await self._queue.mark_alive_and_list_runs(worker):
            await self._requeue_or_fail_run(abandoned)
        give_up = time.monotonic() + wait_s
        with self._changes.subscribe(_WORK) as changed:
            while not self._is_closing:
                changed.clear()
                row = await self._queue.claim_next(worker)
                if row is not None:
                    self._changes.wake_one_here(_WORK)
                    job = await self._job_or_failure(row)
                    if job is not None:
                        return job
                    continue
                remaining_s = give_up - time.monotonic()
                if remaining_s <= 0:
                    return None
                await wait_for_change(changed, min(remaining_s, _LOOK_AGAIN_S))
        return None

    async def packed_tree(self, run: str) -> bytes:
        """The files of the repository that a run is about, packed.

        Raises:
            RefusalError: There is no such run any more, or its problem has no repository that is here.
        """
        row = await self._rows.find(run)
        try:
            if row is not None:
                problem = await asyncio.to_thread(self._store.problem, await self._rows.problem_ref_of(row.attempt))
                if problem.public.tree is not None:
                    return await asyncio.to_thread(problem.public.tree.packed_as_zip)
        except ProblemsError:
            logger.exception("run %s can't be given its repository", run)
        raise RefusalError(RefusalKind.CONFLICT, "The run has no repository.", "Ask for the next run.")

    async def record_step_if_leased(self, run: str, step: JobStep) -> JobStanding:
        """A worker's word that it is alive, and what it is at."""
        step_text = f"{step.number} of {step.of}: {step.name}" if step.number else ""
        is_wanted = await self._queue.renew_if_leased(run, step.lease, step_text)
        if is_wanted and step_text:
            self._changes.notify(run)
        return JobStanding(wanted=is_wanted)

    async def keep_verdict_if_leased(self, run: str, delivery: JobResult) -> JobStanding:
        """A worker's verdict; it counts if the run is still this worker's."""
        row = await self._rows.find(run)
        if row is None or row.lease != delivery.lease:
            return JobStanding(wanted=False)
        if delivery.log and not row.regrade:
            await asyncio.to_thread(self._keep_log, row, unpack_content(delivery.log, LARGEST))
        return JobStanding(wanted=await self._finish_if_leased(row, delivery.verdict))

    # Inside

    async def begin_queued_runs(self) -> None:
        """Has what was queued elsewhere begin at once: by an earlier process, or by a regrade."""
        await self._score_waiting_answers()
        self._changes.notify_one(_WORK)

    async def _job_or_failure(self, run_row: Row[Any]) -> Job | None:
        """What a worker needs for a run that it has the lease of; None if the run can't be given, and has ended."""
        try:
            ref = await self._rows.problem_ref_of(run_row.attempt)
            problem, files = await asyncio.gather(
                asyncio.to_thread(self._store.unseal, ref),
                asyncio.to_thread(self._snapshots.compressed_base64_by_path, json.loads(run_row.files)),
            )
        except Exception:
            logger.exception("run %s can't be given to a worker", run_row.id)
            detail = "The problem or the files of the run can't be read on the server."
            await self._finish_if_leased(run_row, Verdict(reason=Reason.BAD_HARNESS, detail=detail))
            return None
        # The worker first: who watches can wait.
        self._changes.notify(run_row.id)
        return Job(run=run_row.id, lease=run_row.lease, lease_s=TERM_S, problem=problem, files=files)

    async def _score_waiting_answers(self, run: str = "") -> None:
        """Scores an answer that waits, or all of them, beside what else the service does."""
        for row in await self._queue.claim_answers(self._process, run):
            self._scoring[row.id] = row.lease
            self._changes.notify(row.id)
            self._run_in_background(self._judge_run(row))

    async def _judge_run(self, run_row: Row[Any]) -> None:
        try:
            verdict, score = await self._score_answer(run_row, await self._rows.problem_ref_of(run_row.attempt))
        except Exception:
            logger.exception("run %s could not be judged", run_row.id)
            detail = "The answer could not be judged on the server."
            verdict, score = Verdict(reason=Reason.TOOL_FAILED, detail=detail), None
        try:
            await self._finish_if_leased(run_row, verdict, score=score)
        finally:
            if self._scoring.get(run_row.id) == run_row.lease:
                del self._scoring[run_row.id]

    async def _score_answer(self, run_row: Row[Any], problem_ref: str) -> tuple[Verdict, float | None]:
        """The verdict on an answer, and the judge's score from 0 to 1, if there was a judge."""
        problem = await asyncio.to_thread(self._store.unseal, problem_ref)
        answer = await asyncio.to_thread(self._answer_text, run_row)
        grading_outcome = await judge_answer(
            problem_ref, problem, answer, self._judging, attempt=run_row.attempt, run_number=run_row.number
        )
        return (
            grading_outcome.verdict,
            grading_outcome.judgement.score if grading_outcome.judgement is not None else None,
        )

    def _answer_text(self, run_row: Row[Any]) -> str:
        digest = json.loads(run_row.files).get(ANSWER)
        return self._snapshots.content(digest).decode("utf-8", "replace") if digest else ""

    async def _test_groups(self, run_row: Row[Any]) -> Sequence[TestGroup]:
        problem_ref = await self._rows.problem_ref_of(run_row.attempt)
        try:
            return (await asyncio.to_thread(self._store.problem, problem_ref)).public.test_groups
        except UnknownProblemError:
            # The pack was replaced by one without it.
            return ()

    async def _finish_if_leased(self, run_row: Row[Any], verdict: Verdict, *, score: float | None = None) -> bool:
        end_time = self._now()
        test_groups = await self._test_groups(run_row) if verdict.tests else ()
        is_counted = await self._rows.finish_if_leased(run_row, verdict, end_time, score, test_groups)
        self._changes.notify(run_row.id)
        if is_counted and not run_row.regrade:
            self._metrics.count_ended_run(
                verdict.outcome.value, waited_s=run_row.began - run_row.queued, ran_s=end_time - run_row.began
            )
        return is_counted

    def _count_and_notify_cancelled(self, run: str) -> None:
        self._metrics.count_ended_run(RunState.CANCELLED.value)
        self._changes.notify(run)

    async def _maintain_runs_forever(self) -> None:
        working_rounds = 0
        while True:
            await asyncio.sleep(_ROUND_S)
            try:
                await self._queue.renew_scoring(self._scoring.values())
                if working_rounds >= _ROUNDS_BEFORE_EXPIRY:
                    for row in await self._queue.expired_runs():
                        await self._requeue_or_fail_run(row)
                    await self._queue.forget_silent_workers()
                await self._score_waiting_answers()
                working_rounds += 1
            except Exception:
                # The database may be away: the next round has another try.
                logger.exception("runs can't be looked after")
                working_rounds = 0

    async def _requeue_or_fail_run(self, run_row: Row[Any]) -> None:
        if run_row.tries >= MOST_TRIES:
            detail = f"{run_row.tries} workers ended in the middle of the run."
            await self._finish_if_leased(run_row, Verdict(reason=Reason.MACHINE_BUSY, detail=detail))
        elif await self._queue.requeue_if_leased(run_row):
            self._changes.notify(run_row.id)
            if not run_row.scored:
                self._changes.notify_one(_WORK)

    async def _require_runs_left(self, attempt: str, most_runs: int | None) -> None:
        # One more is for submitting.
        if most_runs is not None and await self._rows.used_run_count(attempt) > most_runs:
            raise RefusalError(RefusalKind.CONFLICT, f"All {most_runs} runs are used.", "Submit your work, or give up.")

    def _require_same_run(self, run_row: Row[Any], attempt: str, new_run: NewRun) -> None:
        if (
            run_row.attempt != attempt
            or run_row.number != new_run.number
            or json.loads(run_row.files) != dict(new_run.files)
        ):
            raise RefusalError(RefusalKind.CONFLICT, "Another run has this id.", "Make a new id for each run.")

    async def _run_view(self, run_row: Row[Any], problem_ref: str) -> RunView:
        is_waiting = run_row.state == RunState.QUEUED and not run_row.scored
        rank = await self._queue.queue_rank(run_row.id) if is_waiting else None
        return await self._views.run_view(
            run_row, problem_ref, revision=run_row.revision, queue_rank=rank, step=run_row.step
        )

    def _keep_log(self, run_row: Row[Any], log_bytes: bytes) -> None:
        with RunRecords(self._home, run_row.attempt).open_log(run_row.number) as stream:
            stream.write(log_bytes)

    def _run_in_background(self, coroutine: Any) -> None:
        task = asyncio.create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _unknown_run_refusal() -> RefusalError:
    return RefusalError(RefusalKind.NOT_FOUND, "There is no such run.", "Run the hidden tests again.")
