"""Runs: from a solver's files to a verdict, on whatever workers ask for work."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Callable
from typing import Any

from sqlalchemy import Row, update

from benchwright_attempts.grading.grading import ANSWER, judge_answer, judged_paths
from benchwright_attempts.grading.judging import AttemptJudging
from benchwright_attempts.grading.run_records import RunRecords
from benchwright_foundation.change_notifications import ChangeNotifications, wait_for_change
from benchwright_foundation.database import Database
from benchwright_foundation.home import Home
from benchwright_foundation.refusals import RefusalError, RefusalKind
from benchwright_problems.problem import ProblemKind as ProblemKind
from benchwright_problems.storage.store import Store
from benchwright_problems.verdict import Reason, Verdict
from benchwright_remote.messages import (
    Done,
    Heard,
    Job,
    MissingFiles,
    NewRun,
    RunState,
    RunView,
    Step,
)
from benchwright_service.courses.courses import Courses
from benchwright_service.courses.quotas import QuotaKeeper
from benchwright_service.courses.snapshots import LARGEST, Snapshots, StoredFiles, unpack_content
from benchwright_service.evidence.evidence import EvidenceWriter
from benchwright_service.metrics import Metrics
from benchwright_service.runs.fair_queue import FairQueue
from benchwright_service.runs.leases import Leases
from benchwright_service.runs.run_rows import RunRows
from benchwright_service.runs.run_views import RunViews
from benchwright_service.storage.tables import RUNS

MOST_TRIES = 3
"""Workers that may end in the middle of one run before it counts as undecided."""
_TOLD_S = 0.25
_WORK = "work"

logger = logging.getLogger(__name__)


class RunQueue:
    """Takes runs in, gives them to workers, and shows their verdicts.

    Args:
        database: Database of the service.
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
        self._database = database
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
        self._queue = FairQueue()
        self._leases = Leases(clock)
        self._changes = ChangeNotifications()
        self._being_leased: set[str] = set()
        self._being_judged: dict[str, str] = {}
        """Account of each run whose answer is being scored."""
        self._steps = _RunSteps(self._changes, clock)
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_closing = False
        metrics.set_queue_gauges(self._queue.__len__, self._leases.__len__, self._leases.live_worker_count)

    async def start(self) -> None:
        """Goes on with what an earlier process left; watches over what goes on."""
        await self.resume_unfinished_runs()
        self._run_in_background(self._requeue_expired_runs())

    async def close(self) -> None:
        """Ends what runs here; workers go on."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._changes.notify_all()

    def wake_all(self) -> None:
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
        ref, assignment_id = await self._evidence.problem_and_assignment(account, attempt)
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
        with self._quotas.counting_run(account, self._waiting_count(account)):
            stored, superseded = await self._rows.add_and_cancel_older(account, attempt, new_run, self._now())
            if stored is None:
                raise RefusalError(
                    RefusalKind.CONFLICT, "The attempt has another run of this number.", "Use the next number."
                )
            self._require_same_run(stored, attempt, new_run)
            for older in superseded:
                self._count_and_forget_cancelled(older)
            self._queue_or_score(stored, problem.kind)
        return await self._run_view(stored, ref)

    async def await_view(self, account: str, run: str, *, seen_revision: int = -1, wait_s: float = 0.0) -> RunView:
        """A run as its solver sees it; waits for a change from the revision that was seen.

        Raises:
            RefusalError: The account has no such run.
        """
        give_up = time.monotonic() + wait_s
        with self._changes.subscribe(run) as changed:
            while True:
                changed.clear()
                row = await self._rows.find(run)
                if row is None or row.account != account:
                    raise _unknown_run_refusal()
                remaining_s = give_up - time.monotonic()
                is_over = row.state in (RunState.DONE, RunState.CANCELLED) or row.regrade
                if is_over or remaining_s <= 0 or self._is_closing or self._steps.revision(run) != seen_revision:
                    return await self._run_view(row, await self._rows.problem_ref_of(row.attempt))
                await wait_for_change(changed, remaining_s)
                if run in self._steps:
                    # What goes on is told a few times a second, what is over at once.
                    changed.clear()
                    await wait_for_change(changed, min(_TOLD_S, remaining_s))

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
            self._count_and_forget_cancelled(run)
        else:
            self._forget_run(run)

    # What workers ask

    async def claim_next(self, worker: str, wait_s: float) -> Job | None:
        """The next run for a worker. None if there was none for so long.

        Args:
            worker: Does one run at a time: what it had before is given to others.
            wait_s: Longest time to wait, in seconds.
        """
        self._leases.mark_alive(worker)
        for abandoned in self._leases.runs_of_worker(worker):
            await self._requeue_or_fail_run(abandoned)
        give_up = time.monotonic() + wait_s
        with self._changes.subscribe(_WORK) as changed:
            while True:
                changed.clear()
                run = self._queue.begin_next_run()
                if run is not None:
                    job = await self._lease_run(run, worker)
                    if job is not None:
                        return job
                    continue
                remaining_s = give_up - time.monotonic()
                if remaining_s <= 0 or self._is_closing:
                    return None
                await wait_for_change(changed, remaining_s)

    async def record_step_if_leased(self, run: str, step: Step) -> Heard:
        """A worker's word that it is alive, and what it is at."""
        if not self._leases.is_valid(run, step.lease):
            return Heard(wanted=False)
        self._leases.renew(run)
        if step.number:
            self._steps.record_change(run, f"{step.number} of {step.of}: {step.name}")
        return Heard(wanted=True)

    async def keep_verdict_if_leased(self, run: str, delivery: Done) -> Heard:
        """A worker's verdict; it counts if the run is still this worker's."""
        row = await self._rows.find(run)
        if row is None or row.lease != delivery.lease:
            return Heard(wanted=False)
        if delivery.log and not row.regrade:
            await asyncio.to_thread(self._keep_log, row, unpack_content(delivery.log, LARGEST))
        return Heard(wanted=await self._finish_if_leased(row, delivery.verdict, lease=delivery.lease))

    # Inside

    async def _lease_run(self, run: str, worker: str) -> Job | None:
        lease = self._leases.new_lease_id()
        values = {
            "state": RunState.RUNNING.value,
            "worker": worker,
            "lease": lease,
            "began": self._now(),
            "tries": RUNS.c.tries + 1,
        }
        claimed = update(RUNS).where(RUNS.c.id == run, RUNS.c.state == RunState.QUEUED.value)
        self._being_leased.add(run)
        try:
            async with self._database.write_transaction() as connection:
                row = (await connection.execute(claimed.values(values).returning(RUNS))).one_or_none()
        except BaseException:
            self._queue.mark_ended(run, None)
            raise
        finally:
            self._being_leased.discard(run)
        if row is None:
            self._queue.mark_ended(run, None)
            return None
        self._leases.begin(run, lease, worker)
        try:
            ref = await self._rows.problem_ref_of(row.attempt)
            problem, files = await asyncio.gather(
                asyncio.to_thread(self._store.unseal, ref),
                asyncio.to_thread(self._snapshots.packed_contents_by_path, json.loads(row.files)),
            )
        except Exception:
            logger.exception("run %s can't be given to a worker", run)
            detail = "The problem or the files of the run can't be read on the server."
            await self._finish_if_leased(row, Verdict(reason=Reason.BAD_HARNESS, detail=detail), lease=lease)
            return None
        # The worker first: who watches can wait.
        self._steps.record_change(run)
        return Job(run=run, lease=lease, lease_s=self._leases.term_s, problem=problem, files=files)

    def _queue_or_score(self, run_row: Row[Any], kind: ProblemKind) -> None:
        """Queues a run, or has its answer scored, unless this process is at it."""
        if self._is_handling(run_row.id):
            return
        if kind is ProblemKind.DESIGN:
            self._queue.add(run_row.id, run_row.regrade or run_row.account)
            self._changes.notify(_WORK)
            self._steps.record_change(run_row.id)
        else:
            self._being_judged[run_row.id] = run_row.account
            self._run_in_background(self._judge_run(run_row))

    def _waiting_count(self, account: str) -> int:
        """Runs of an account that wait for a worker, or for a judge."""
        return self._queue.waiting_count(account) + list(self._being_judged.values()).count(account)

    def _is_handling(self, run: str) -> bool:
        return run in self._queue or run in self._leases or run in self._being_leased or run in self._being_judged

    async def _judge_run(self, run_row: Row[Any]) -> None:
        try:
            verdict, score = await self._score_answer(run_row, await self._rows.problem_ref_of(run_row.attempt))
        except Exception:
            logger.exception("run %s could not be judged", run_row.id)
            detail = "The answer could not be judged on the server."
            verdict, score = Verdict(reason=Reason.TOOL_FAILED, detail=detail), None
        try:
            await self._finish_if_leased(run_row, verdict, lease="", score=score)
        finally:
            self._being_judged.pop(run_row.id, None)

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

    async def _finish_if_leased(
        self, run_row: Row[Any], verdict: Verdict, *, lease: str, score: float | None = None
    ) -> bool:
        end_time = self._now()
        is_counted = await self._rows.finish_if_leased(run_row, verdict, end_time, lease=lease, score=score)
        self._leases.end_if_any(run_row.id)
        self._queue.mark_ended(run_row.id, verdict.wall_s)
        self._steps.end_run(run_row.id)
        if is_counted and not run_row.regrade:
            waited_s = run_row.began - run_row.queued if run_row.began is not None else None
            ran_s = end_time - (run_row.queued if run_row.began is None else run_row.began)
            self._metrics.count_ended_run(verdict.outcome.value, waited_s=waited_s, ran_s=ran_s)
        return is_counted

    def _count_and_forget_cancelled(self, run: str) -> None:
        self._metrics.count_ended_run(RunState.CANCELLED.value)
        self._forget_run(run)

    def _forget_run(self, run: str) -> None:
        self._queue.remove(run)
        self._leases.end_if_any(run)
        self._queue.mark_ended(run, None)
        self._steps.end_run(run)

    async def _requeue_expired_runs(self) -> None:
        while True:
            await asyncio.sleep(self._leases.term_s / 10)
            try:
                for run in self._leases.expired_runs():
                    await self._requeue_or_fail_run(run)
                await self.resume_unfinished_runs()
            except Exception:
                # The database may be away: the next round has another try.
                logger.exception("runs can't be looked after")

    async def resume_unfinished_runs(self) -> None:
        """Begins what the database has and this process does not: of an earlier one, or after a write that failed."""
        for row in await self._rows.unfinished_runs():
            if row.state == RunState.QUEUED:
                if not self._is_handling(row.id):
                    ref = await self._rows.problem_ref_of(row.attempt)
                    self._queue_or_score(row, await self._views.problem_kind_or_design(ref))
            elif row.id not in self._leases:
                self._leases.begin(row.id, row.lease, row.worker)

    async def _requeue_or_fail_run(self, run: str) -> None:
        row = await self._rows.find(run)
        if row is None or row.state != RunState.RUNNING:
            self._leases.end_if_any(run)
            self._queue.mark_ended(run, None)
            return
        if row.tries >= MOST_TRIES:
            detail = f"{row.tries} workers ended in the middle of the run."
            await self._finish_if_leased(row, Verdict(reason=Reason.MACHINE_BUSY, detail=detail), lease=row.lease)
            return
        waits = update(RUNS).where(RUNS.c.id == run, RUNS.c.lease == row.lease, RUNS.c.state == row.state)
        async with self._database.write_transaction() as connection:
            is_requeued = (await connection.execute(waits.values(state=RunState.QUEUED.value, lease=""))).rowcount == 1
        self._leases.end_if_any(run)
        self._queue.mark_ended(run, None)
        if is_requeued:
            self._queue.add(run, row.regrade or row.account)
            self._changes.notify(_WORK)
            self._steps.record_change(run)

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
        revision, rank = self._steps.revision(run_row.id), self._queue.queue_rank(run_row.id)
        step = self._steps.step(run_row.id)
        return await self._views.run_view(run_row, problem_ref, revision=revision, queue_rank=rank, step=step)

    def _keep_log(self, run_row: Row[Any], log_bytes: bytes) -> None:
        with RunRecords(self._home, run_row.attempt).open_log(run_row.number) as stream:
            stream.write(log_bytes)

    def _run_in_background(self, coroutine: Any) -> None:
        task = asyncio.create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


class _RunSteps:
    """Steps of the runs of this process that have not ended: what their workers said last.

    Args:
        notifications: Wakes who waits for a run.
        clock: Seconds since 1970.
    """

    def __init__(self, notifications: ChangeNotifications, clock: Callable[[], float]) -> None:
        self._changes = notifications
        self._steps: dict[str, str] = {}
        self._revisions: dict[str, int] = {}
        # Higher than any of an earlier process.
        self._last = int(clock() * 1000)

    def __contains__(self, run: str) -> bool:
        """True if the run has not ended."""
        return run in self._revisions

    def step(self, run: str) -> str:
        """Step of a run; empty if nobody has said so."""
        return self._steps.get(run, "")

    def revision(self, run: str) -> int:
        """Another one after each change."""
        return self._revisions.get(run, 0)

    def record_change(self, run: str, step: str = "") -> None:
        """It is somewhere else, or at another step."""
        if step:
            self._steps[run] = step
        self._last += 1
        self._revisions[run] = self._last
        self._changes.notify(run)

    def end_run(self, run: str) -> None:
        """It has ended."""
        self._steps.pop(run, None)
        self._revisions.pop(run, None)
        self._changes.notify(run)


def _unknown_run_refusal() -> RefusalError:
    return RefusalError(RefusalKind.NOT_FOUND, "There is no such run.", "Run the hidden tests again.")
