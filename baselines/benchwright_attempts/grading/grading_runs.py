"""The runs of one attempt: grading the solver's present files, one run at a time."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from benchwright_attempts.adapter import ReportProgress, SolverAdapter
from benchwright_attempts.clock.clock_follower import ClockFollower
from benchwright_attempts.errors import AttemptError
from benchwright_attempts.events.event_writer import EventWriter
from benchwright_attempts.events.events import Answered, RunCancelled, RunFinished, RunStarted
from benchwright_attempts.events.file_text import sha256
from benchwright_attempts.grading.grading import ANSWER, GradingOutcome
from benchwright_attempts.grading.judging import judged_by
from benchwright_attempts.grading.run_records import RunRecords
from benchwright_attempts.log.record import AttemptHeader
from benchwright_attempts.standing import PendingRun
from benchwright_attempts.summary.summary import AttemptVerdict
from benchwright_attempts.terms import Machine, Terms
from benchwright_harness.decision.design_waves import DesignWaveKeeper, KeptWaveform
from benchwright_problems.problem import Problem, ProblemKind
from benchwright_problems.reveal import Reveal, Revealed, reveal
from benchwright_problems.verdict import Digests, Outcome, Reason, Verdict

if TYPE_CHECKING:
    # The database library takes a third of a second to import: nobody pays before a log is needed.
    from benchwright_attempts.log.log import EventLog
    from benchwright_attempts.services import Services

QUEUE = "queue"
"""Reason for holding the clock while a run waits for a free slot: other attempts' work is nobody's time."""


class GradingRuns:
    """Starts, waits for and cancels the runs of an attempt, and records them.

    Args:
        services: Services of the process.
        header: The attempt.
        problem: Its problem, without the hidden part.
        terms: Terms of the attempt.
        adapter: Knows the present files.
        writer: Event writer of the attempt.
        clock: Clock of the attempt.
        starts_sandbox_ahead: True if a sandbox is started ahead for the next run.
    """

    def __init__(
        self,
        services: Services[EventLog],
        header: AttemptHeader,
        problem: Problem,
        terms: Terms,
        adapter: SolverAdapter,
        writer: EventWriter,
        clock: ClockFollower,
        *,
        starts_sandbox_ahead: bool,
    ) -> None:
        self._services = services
        self._header = header
        self._problem = problem
        self._terms = terms
        self._adapter = adapter
        self._writer = writer
        self._clock = clock
        self._records = RunRecords(services.home, header.id)
        self._newest: tuple[int, GradingOutcome] | None = None
        self._run: asyncio.Task[None] | None = None
        self._run_number: int | None = None
        self._is_queued = False
        self._waiter_count = 0
        self._warms_up = starts_sandbox_ahead and problem.kind is ProblemKind.DESIGN
        self._warming: asyncio.Task[None] | None = None

    @property
    def is_running(self) -> bool:
        """True if a run is in progress."""
        return self._run is not None and not self._run.done()

    def pending_run(self, next_run_number: int) -> PendingRun | None:
        """The run in progress. None if there is none, or if its verdict is in the log already.

        Args:
            next_run_number: Number of the next run, by the log.
        """
        number = next_run_number if self._run_number is None else self._run_number
        return PendingRun(number, self._is_queued) if self.is_running and number == next_run_number else None

    def start(self) -> None:
        """Starts a run. None may be in progress."""
        self._run_number, self._is_queued = None, False
        self._run = asyncio.create_task(self._grade_present_files())
        self._run.add_done_callback(self._on_run_ended)
        self._adapter.on_status_changed()

    async def cancel(self, reason: str) -> None:
        """Stops the present run, if there is one, and waits until its processes have ended.

        Args:
            reason: A stable word.
        """
        # While this waits, somebody else who waited may have started the next one.
        while (run := self._run) is not None and not run.done():
            # A second cancel would break into the clean-up that the first one began.
            if not run.cancelling():
                run.cancel(reason)
            await asyncio.wait({run})

    async def wait_until_idle(self) -> None:
        """Waits until no run is in progress; raises what made the last one fail."""
        self._waiter_count += 1
        try:
            # A newer run may take this one's place while we wait.
            while self._run is not None and not self._run.done():
                await asyncio.wait({self._run})
        finally:
            self._waiter_count -= 1
        if self._run is not None and (error := _error_unless_cancelled(self._run)) is not None:
            raise error

    async def is_verdict_about_present_files(self) -> bool:
        """True if the newest verdict is about the present files."""
        verdict = (await self._writer.summary()).verdict
        return verdict is not None and verdict.snapshot == _sha256_by_path(self._adapter.current_judged_files())

    async def newest_outcome(self) -> GradingOutcome | None:
        """The newest verdict. None before the first."""
        newest_verdict = (await self._writer.summary()).verdict
        if newest_verdict is None:
            return None
        return self._outcome_if_in_memory(newest_verdict) or GradingOutcome(
            await asyncio.to_thread(self._full_verdict, newest_verdict)
        )

    async def measure_and_keep_quality_if_passed(self, grading_outcome: GradingOutcome | None) -> GradingOutcome | None:
        """Outcome of the attempt; a design that passed gets its quality, which is kept with the verdict."""
        if (
            grading_outcome is None
            or grading_outcome.verdict.outcome is not Outcome.PASSED
            or self._problem.kind is not ProblemKind.DESIGN
        ):
            return grading_outcome
        newest_verdict = (await self._writer.summary()).verdict
        grading, files = self._services.grading, self._adapter.current_judged_files()
        if newest_verdict is None or newest_verdict.snapshot != _sha256_by_path(files):
            return grading_outcome
        async with grading.slots or nullcontext():
            verdict = await grading.with_quality_if_passed_here(
                self._header.problem, files, grading_outcome.verdict, attempt=self._header.id
            )
        if verdict is grading_outcome.verdict:
            return grading_outcome
        measured = replace(grading_outcome, verdict=verdict)
        self._keep_outcome(newest_verdict.number, measured)
        self._adapter.on_status_changed()
        return measured

    def reveal(self, verdict: AttemptVerdict) -> Revealed:
        """The part of a verdict that the solver may see. Waits for the disk."""
        policy = self._terms.feedback_policy(self._problem.reveal)
        return reveal(self._full_verdict(verdict), policy, partial(self._records.log_tail, verdict.number))

    async def rerun_for_waveform(self, waveform_file_of: Callable[[int], Path]) -> tuple[KeptWaveform, int]:
        """Runs the hidden tests that failed once more on the same files, for the waveform of the solver's modules.

        It is no run of the attempt: it leads to no verdict, and shows nothing new but the waveform.

        Args:
            waveform_file_of: Number of the run that failed → the file to write, VCD; its folder is there.

        Returns:
            The waveform, and the number of the run that failed.

        Raises:
            AttemptError: The reveal policy hides it, nothing has failed, the files have changed since, or there is no
                waveform.
        """
        files, run = await self._failed_files_and_run_number()
        waves, grading = DesignWaveKeeper(waveform_file_of(run)), self._services.grading
        async with hold_harness_slot(grading.slots, self._clock), self._hold_clock_if_demanded(Machine.HARNESS):
            await grading.rerun_for_waveform(self._header.problem, files, waves, attempt=self._header.id)
        if waves.kept_waveform is None:
            raise AttemptError("The hidden tests left no waveform. Only those that Icarus Verilog simulates leave one.")
        return waves.kept_waveform, run

    async def _failed_files_and_run_number(self) -> tuple[Mapping[str, bytes], int]:
        """The present files, if the newest verdict is about them, and has failed where everything is shown; its run."""
        policy = self._terms.feedback_policy(self._problem.reveal)
        if policy is None or not policy.shows_all_of(Reveal.FULL):
            policy_text = f"shows {policy} only" if policy is not None else "shows no results"
            raise AttemptError(f"There is no waveform of these hidden tests: their reveal policy {policy_text}.")
        verdict = (await self._writer.summary()).verdict
        if verdict is None or verdict.outcome is not Outcome.FAILED:
            raise AttemptError("The hidden tests have not failed, so there is no waveform. Run them first.")
        files = dict(self._adapter.current_judged_files())
        if self.is_running or verdict.snapshot != _sha256_by_path(files):
            raise AttemptError(
                "The files have changed since the hidden tests failed. Run the hidden tests again first."
            )
        return files, verdict.number

    def start_sandbox_ahead(self) -> None:
        """Lets a sandbox start ahead for the next run, if that is wanted."""
        if self._warms_up and (self._warming is None or self._warming.done()):
            self._warming = asyncio.create_task(
                self._services.grading.start_sandbox_ahead(self._header.problem, attempt=self._header.id)
            )
            self._warming.add_done_callback(self._report_warm_up_failure)

    async def end_waiting_sandbox(self) -> None:
        """Ends the sandbox that was started ahead."""
        if self._warming is not None:
            self._warming.cancel()
            await asyncio.wait({self._warming})
            await self._services.grading.end_waiting_sandbox()

    async def _grade_present_files(self) -> None:
        number = self._run_number = (await self._writer.summary()).next_run_number
        files = dict(self._adapter.current_judged_files())
        self._adapter.on_files_taken_for_run(files)
        if self._problem.kind is not ProblemKind.DESIGN:
            async with self._hold_clock_if_demanded(Machine.JUDGE):
                await self._judge_and_record_answer(number, files)
            return
        slots = self._services.grading.slots
        self._set_queued(slots is not None and slots.locked())
        waiting_clock = None if self._adapter.works_during_runs else self._clock
        async with hold_harness_slot(slots, waiting_clock), self._hold_clock_if_demanded(Machine.HARNESS):
            self._set_queued(False)
            await self._run_and_record_tests(number, files)
        self.start_sandbox_ahead()

    def _set_queued(self, is_queued: bool) -> None:
        if self._is_queued is not is_queued:
            self._is_queued = is_queued
            self._adapter.on_status_changed()

    def _hold_clock_if_demanded(self, machine: Machine) -> AbstractAsyncContextManager[None]:
        is_held = self._terms.stops_clock_for(machine) and not self._adapter.works_during_runs
        return self._clock.hold_clock(machine.value) if is_held else nullcontext()

    async def _judge_and_record_answer(self, run_number: int, files: Mapping[str, bytes]) -> None:
        grading_outcome = self._outcome_if_ungradable() or await self._services.grading.judge(
            self._header.problem, files.get(ANSWER, b""), attempt=self._header.id, run_number=run_number
        )
        verdict = grading_outcome.verdict
        self._keep_outcome(run_number, grading_outcome)
        await self._writer.append(
            Answered(
                number=run_number,
                outcome=verdict.outcome,
                reason=verdict.reason.value,
                message=verdict.detail,
                snapshot=_sha256_by_path(files),
                wall_s=verdict.wall_s,
                digests=verdict.digests.model_dump(),
                judged_by=judged_by(grading_outcome.judgement) if grading_outcome.judgement is not None else None,
            ),
        )

    async def _run_and_record_tests(self, run_number: int, files: Mapping[str, bytes]) -> None:
        run = uuid.uuid4().hex
        try:
            run_started = RunStarted(run=run, number=run_number, snapshot=_sha256_by_path(files))
            await self._writer.append(run_started, is_requested=not self._adapter.works_during_runs)
            async with self._adapter.show_run_progress() as report:
                grading_outcome = await self._grade_files(run_number, files, report)
        except BaseException as error:
            # In the log every start has an end.
            await self._writer.append(RunCancelled(run=run, number=run_number, reason=_cancel_reason_of(error)))
            raise
        self._keep_outcome(run_number, grading_outcome)
        await self._writer.append(RunFinished.of(run_number, grading_outcome.verdict, run=run))

    async def _grade_files(
        self, run_number: int, files: Mapping[str, bytes], report_progress: ReportProgress
    ) -> GradingOutcome:
        if (flawed := self._outcome_if_ungradable()) is not None:
            return flawed
        with self._records.open_log(run_number) as raw:
            return await self._services.grading.run(
                self._header.problem,
                files,
                attempt=self._header.id,
                run_number=run_number,
                log=raw,
                before_step=partial(self._show_step, report_progress),
            )

    def _show_step(self, report_progress: ReportProgress, step_number: int, step_count: int, step_name: str) -> None:
        # Before the first step it waits for something.
        self._set_queued(not step_count)
        if step_count:
            report_progress(f"step {step_number} of {step_count}", round(100 * (step_number - 1) / step_count))
        else:
            report_progress(step_name, 0)

    def _outcome_if_ungradable(self) -> GradingOutcome | None:
        flaw = self._adapter.verdict_if_ungradable()
        if flaw is None:
            return None
        return GradingOutcome(flaw.model_copy(update={"digests": Digests(problem=self._problem.public_digest)}))

    def _keep_outcome(self, run_number: int, grading_outcome: GradingOutcome) -> None:
        self._newest = (run_number, grading_outcome)
        self._records.keep_verdict(run_number, grading_outcome.verdict)

    def _full_verdict(self, verdict: AttemptVerdict) -> Verdict:
        """A verdict with its tests, of which the log has only the count."""
        kept_grading = self._outcome_if_in_memory(verdict)
        full_verdict = kept_grading.verdict if kept_grading is not None else self._records.find_verdict(verdict.number)
        # Where the record was deleted, the log still has what the solver saw.
        return full_verdict or Verdict(reason=Reason(verdict.reason), detail=verdict.message, wall_s=verdict.wall_s)

    def _outcome_if_in_memory(self, verdict: AttemptVerdict) -> GradingOutcome | None:
        """The verdict of this process's newest run, unless an answer has been judged again since."""
        if self._newest is None or self._newest[0] != verdict.number:
            return None
        grading_outcome = self._newest[1]
        return grading_outcome if grading_outcome.verdict.reason == verdict.reason else None

    def _report_warm_up_failure(self, warming: asyncio.Task[None]) -> None:
        if (error := _error_unless_cancelled(warming)) is not None:
            self._adapter.on_run_failed(error)

    def _on_run_ended(self, run_task: asyncio.Task[None]) -> None:
        error = _error_unless_cancelled(run_task)
        # Who waits for the run is answered with the error instead.
        if error is not None and not self._waiter_count:
            self._adapter.on_run_failed(error)
        self._adapter.on_status_changed()


@asynccontextmanager
async def hold_harness_slot(slots: asyncio.Semaphore | None, clock: ClockFollower | None) -> AsyncIterator[None]:
    """Takes one of a process's slots for the block; the clock is held while it waits for one.

    Args:
        slots: None for any number.
        clock: Clock of the attempt; None if it is not held.
    """
    if slots is None:
        yield
        return
    if slots.locked() and clock is not None:
        async with clock.hold_clock(QUEUE):
            await slots.acquire()
    else:
        await slots.acquire()
    try:
        yield
    finally:
        slots.release()


def _error_unless_cancelled(run_task: asyncio.Task[None]) -> BaseException | None:
    return None if run_task.cancelled() else run_task.exception()


def _cancel_reason_of(ending_error: BaseException) -> str:
    if not isinstance(ending_error, asyncio.CancelledError):
        return "broken"
    # Only the end of the whole process cancels without a reason.
    return str(ending_error.args[0]) if ending_error.args else "closing"


def _sha256_by_path(files: Mapping[str, bytes]) -> dict[str, str]:
    return {path: sha256(content) for path, content in files.items()}
