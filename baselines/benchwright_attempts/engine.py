"""One attempt while this process works on it: clock, limit, runs, reveal, end, evidence.

The rules are the same for a person, a person with a copilot, a model and an agent. Around the engine stand adapters:
the editor's session and Inspect's sample. An adapter says what the solver's files are at present, shows what changes,
and records how the files came to be.
"""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

from benchwright_attempts.attempts import AttemptVerdict, Summary
from benchwright_attempts.clock import AttemptState, ClockState, advance, next_state
from benchwright_attempts.errors import AttemptError
from benchwright_attempts.events import (
    Abandoned,
    Answered,
    Event,
    Paused,
    Resumed,
    RunCancelled,
    RunFinished,
    RunStarted,
    Started,
    Submitted,
    Tick,
)
from benchwright_attempts.evidence import (
    AssistAccepted,
    ClockHeld,
    ClockReleased,
    EditReason,
    Environment,
    Forecast,
    SelfEstimate,
    Suspended,
    TimedOut,
    Violation,
)
from benchwright_attempts.file_text import sha256
from benchwright_attempts.grading import ANSWER, Graded
from benchwright_attempts.judging import judged_by
from benchwright_attempts.record import AttemptHeader, Moment
from benchwright_attempts.reveal import Revealed, reveal
from benchwright_attempts.run_records import RunRecords
from benchwright_attempts.services import Services
from benchwright_attempts.terms import Machine, Terms
from benchwright_problems.problem import Kind, Problem
from benchwright_problems.verdict import Reason, Verdict

if TYPE_CHECKING:
    # The database library takes a third of a second to import: nobody pays before a log is needed.
    from benchwright_attempts.log import EventLog

HEARTBEAT_S = 30.0

_SUSPENDED_S = 5.0
"""Difference of wall and monotonic time from which on the computer has slept, or its clock was set."""

_POLL_S = 0.05
"""Shortest wait before the time left is checked again."""

QUEUE = "queue"
"""Why the clock is held while a run waits for a free slot: other attempts' work is nobody's time."""

LIMIT = "limit"
"""Why the clock is held while the work is graded that a limit has ended."""

Report = Callable[[str, int], None]
"""Shows progress: what is being done, and how much of it in percent."""


class Adapter:
    """What the engine asks of those who put a solver in front of it. Nothing has to be overridden but `snapshot`."""

    def snapshot(self) -> Mapping[str, bytes]:
        """The present content of the files that are judged, missing ones left out."""
        raise NotImplementedError

    def run_taken(self, files: Mapping[str, bytes]) -> None:
        """A run has taken these files; called before anything of it is recorded."""

    def changed(self) -> None:
        """Something that an attempt's status shows has changed."""

    def failed(self, error: BaseException) -> None:
        """A run, or its preparation, failed while nobody waited for it."""

    @asynccontextmanager
    async def progress(self) -> AsyncIterator[Report]:
        """Shows a run's progress while the block lasts."""
        yield lambda message, percent: None


class Attempt:
    """Starts, pauses, runs, submits; records all of it.

    Args:
        services: Of the process.
        header: The attempt, which the log has already.
        problem: Its problem, without the hidden part.
        terms: What the solver may do and see.
        adapter: The solver's side.
        flagged: Violations that the log has already.
        warms_up: Whether a sandbox is started ahead for the next run.
        ends_at_limit: Whether the engine ends the attempt at its time limit; if not, the adapter does, which knows how
            to stop its solver: see `until_out_of_time`.
    """

    def __init__(
        self,
        services: Services[EventLog],
        header: AttemptHeader,
        problem: Problem,
        terms: Terms,
        adapter: Adapter,
        *,
        flagged: Iterable[Violation] = (),
        warms_up: bool = False,
        ends_at_limit: bool = True,
    ) -> None:
        self.header = header
        self.problem = problem
        self.terms = terms
        self.ended = False
        """Whether nothing can follow in the attempt but late facts."""
        self._services = services
        self._adapter = adapter
        self._records = RunRecords(services.home, header.id)
        self._flagged = set(flagged)
        self._warms_up = warms_up and problem.kind is Kind.DESIGN
        self._ends_at_limit = ends_at_limit
        self._is_held = False
        self._newest: tuple[int, Graded] | None = None
        self._run: asyncio.Task[None] | None = None
        self._waiting = 0
        self._ending = False
        self._heartbeat: asyncio.Task[None] | None = None
        self._limiting: asyncio.Task[None] | None = None
        self._warming: asyncio.Task[None] | None = None
        self._last_beat: Moment | None = None

    async def follow(self) -> Summary:
        """Goes on from what the log has: the clock is followed if it runs. Returns the summary."""
        summary = await self.summary()
        self.ended = summary.state.ended
        if summary.state is AttemptState.RUNNING:
            self._follow_clock()
        return summary

    # The clock

    async def start(self) -> None:
        """Starts the clock.

        Raises:
            AttemptError: The study asks for a forecast first, or the clock was started before.
        """
        if self.terms.lacks_forecast((await self.summary()).kinds):
            raise AttemptError("Say first what you expect of this task; then the clock can start.")
        await self._step(Started())
        self._follow_clock()

    async def pause(self, reason: str | None) -> None:
        """Stops the clock for a while."""
        await self._step(Paused(reason=reason))
        self._leave_clock()

    async def resume(self) -> None:
        """Lets the clock run again."""
        await self._step(Resumed())
        self._follow_clock()

    async def clock(self) -> ClockState:
        """The clock as of now."""
        return advance((await self.summary()).clock, self._services.log.moment())

    async def until_out_of_time(self) -> float:
        """Waits until the active time is used up; returns the limit in seconds. Never returns without a limit."""
        limit_s = self.terms.time_limit_s
        if limit_s is None:
            await asyncio.Event().wait()
            raise AssertionError("nobody sets this event")
        # The clock may be held or paused meanwhile, so what is left is checked again.
        while (left_s := limit_s - (await self.clock()).active_s) > 0 or self._ending:  # noqa: ASYNC110
            await asyncio.sleep(max(left_s, _POLL_S))
        return limit_s

    @asynccontextmanager
    async def held(self, reason: str) -> AsyncIterator[None]:
        """Holds the clock while the block lasts. Inside another such block nothing changes."""
        if self._is_held:
            yield
            return
        self._is_held = True
        await self.note(ClockHeld(reason=reason))
        try:
            yield
        finally:
            self._is_held = False
            await self.note(ClockReleased(reason=reason))

    # The end

    async def submit(self, *, accepts_undecided: bool = True) -> Graded | None:
        """Ends the attempt with the present files; they are run unless the newest verdict is about them.

        Args:
            accepts_undecided: Whether the attempt also ends if no verdict could be reached, for example because a tool
                is missing. If not, such a run is tried again, and the attempt goes on if that does not help.

        Returns:
            The verdict. None if only the log still has it.

        Raises:
            AttemptError: The run came to no verdict, for example because it was stopped.
        """
        # Refuse before running anything.
        next_state((await self.summary()).state, "submitted")
        # Who submits before the time is over may wait for the verdict after it.
        self._ending = True
        try:
            graded = await self.settle(retries_undecided=not accepts_undecided)
        finally:
            self._ending = False
        if accepts_undecided or graded is None or not graded.verdict.reason.is_worth_a_retry:
            await self._end(Submitted())
        return graded

    async def time_out(self, reason: str, limit: float | None, *, accepts_undecided: bool = True) -> Graded | None:
        """Ends the attempt because a limit is reached, with the verdict of the present files.

        The clock is held meanwhile: grading is not the solver's time.

        Args:
            reason: Which limit, a stable word such as `time_limit`.
            limit: Its value. None if it has none.
            accepts_undecided: See `submit`.
        """
        self._ending = True
        try:
            async with self.held(LIMIT):
                graded = await self._last_verdict(accepts_undecided)
                if accepts_undecided or graded is None or not graded.verdict.reason.is_worth_a_retry:
                    # Ending lets go of the clock as well.
                    await self._end(TimedOut(reason=reason, limit=limit or None))
        finally:
            self._ending = False
        return graded

    async def _last_verdict(self, accepts_undecided: bool) -> Graded | None:
        if not accepts_undecided:
            return await self.settle(retries_undecided=True)
        try:
            return await self.settle()
        except Exception as error:
            # The time is over all the same.
            self._adapter.failed(error)
            return None

    async def abandon(self, reason: str | None = None) -> None:
        """Ends the attempt without submitting."""
        await self.cancel_run("abandoned")
        await self._end(Abandoned(reason=reason))

    async def close(self, reason: str) -> None:
        """Stops what this process does for the attempt; an attempt that has not ended is paused and can go on later."""
        await self.cancel_run("closing")
        await self._note_suspension()
        self._leave_clock()
        if self._warming is not None:
            self._warming.cancel()
            await asyncio.wait({self._warming})
            await self._services.grading.cool_down()
        if not self.ended and (await self.summary()).state is AttemptState.RUNNING:
            await self._services.log.append(self.header.id, Paused(reason=reason))

    async def settle(self, *, retries_undecided: bool = False) -> Graded | None:
        """Runs until the newest verdict is about the present files, and returns it.

        Args:
            retries_undecided: Whether a verdict that decided nothing is tried once more.

        Raises:
            AttemptError: A run of the present files came to no verdict.
        """
        tried = False
        while self.is_running or not await self._is_judged(decided=retries_undecided and not tried):
            if not self.is_running:
                if tried:
                    raise AttemptError(
                        "The hidden tests came to no verdict on the present files, so nothing was submitted."
                        " Submit again."
                    )
                tried = True
                self._launch()
            await self.wait_for_run()
        return await asyncio.to_thread(self._graded)

    # Runs

    async def run(self) -> Graded | None:
        """Runs the hidden tests, or scores the answer, and waits for the verdict; see `start_run`."""
        await self.start_run("solver")
        await self.wait_for_run()
        return await asyncio.to_thread(self._graded)

    async def start_run(self, instead: str) -> None:
        """Starts a run; an older one is cancelled first, and all its processes have ended.

        Args:
            instead: Why an older run is cancelled, a stable word.

        Raises:
            AttemptError: The clock is not running, or all runs are used.
        """
        summary = await self.summary()
        if summary.state is not AttemptState.RUNNING:
            raise AttemptError(_NOT_RUNNING[summary.state])
        if self.terms.runs_left(summary.runs) == 0:
            raise AttemptError(f"All {summary.runs} runs of this task are used. Submit your work, or give up.")
        await self.cancel_run(instead)
        self._launch()

    async def cancel_run(self, reason: str) -> None:
        """Stops the present run, if there is one, and waits until its processes have ended."""
        # While this waits, somebody else who waited may have started the next one.
        while (run := self._run) is not None and not run.done():
            # A second cancel would break into the clean-up that the first one began.
            if not run.cancelling():
                run.cancel(reason)
            await asyncio.wait({run})

    async def wait_for_run(self) -> None:
        """Waits until no run is in progress; raises what made the last one fail."""
        self._waiting += 1
        try:
            # A newer run may take this one's place while we wait.
            while self._run is not None and not self._run.done():
                await asyncio.wait({self._run})
        finally:
            self._waiting -= 1
        if self._run is not None and (error := _failure(self._run)) is not None:
            raise error

    @property
    def is_running(self) -> bool:
        """Whether the hidden tests run right now."""
        return self._run is not None and not self._run.done()

    def reveal(self, verdict: AttemptVerdict) -> Revealed:
        """What the solver may see of a verdict of this attempt. Waits for the disk."""
        return reveal(
            self._whole(verdict), self.terms.reveal(self.problem.reveal), partial(self._records.text, verdict.number)
        )

    # Evidence

    async def summary(self) -> Summary:
        """What came out of the attempt so far."""
        return await asyncio.to_thread(self._services.attempts.summary, self.header.id)

    async def record(self, event: Event) -> None:
        """Records a fact; what it shows against the condition is flagged, each violation once."""
        await self.note(event)
        if isinstance(event, Environment | EditReason | AssistAccepted):
            for violation in self.terms.violations(event):
                if violation not in self._flagged:
                    self._flagged.add(violation)
                    await self.note(violation)

    async def forecast(self, event: Forecast) -> None:
        """Records what the solver expects.

        Raises:
            AttemptError: The clock was started already.
        """
        if (await self.summary()).state is not AttemptState.OPEN:
            raise AttemptError("What you expect is asked before the clock starts; it runs already.")
        await self._step(event)

    async def estimate(self, event: SelfEstimate) -> None:
        """Records how the solver found the task.

        Raises:
            AttemptError: The attempt has not ended.
        """
        if not (await self.summary()).state.ended:
            raise AttemptError("How it was is asked when the attempt has ended. Submit or give up first.")
        await self._step(event)

    async def _step(self, event: Event) -> None:
        # Who wakes the computer and submits at once does not wait for a heartbeat.
        await self._note_suspension()
        await self._services.log.append(self.header.id, event)
        self._adapter.changed()

    async def note(self, event: Event) -> None:
        """Records a fact unless the attempt has ended."""
        if not self.ended:
            # Another window may have ended the attempt; then there is nothing to record.
            with contextlib.suppress(AttemptError):
                await self._services.log.append(self.header.id, event)

    async def _end(self, event: Event) -> None:
        await self._step(event)
        self.ended = True
        self._leave_clock()
        self._adapter.changed()

    # Following the clock

    def _follow_clock(self) -> None:
        if self._warms_up:
            self._warm_up()
        self._leave_clock()
        self._last_beat = self._services.log.moment()
        self._heartbeat = asyncio.create_task(self._beat())
        if self.terms.time_limit_s is not None and self._ends_at_limit:
            self._limiting = asyncio.create_task(self._keep_limit())

    def _leave_clock(self) -> None:
        for task in (self._heartbeat, self._limiting):
            if task is not None:
                task.cancel()
        self._heartbeat = self._limiting = self._last_beat = None

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(HEARTBEAT_S)
            await self._note_suspension()
            await self.note(Tick())

    async def _keep_limit(self) -> None:
        limit_s = await self.until_out_of_time()
        # From here on this task ends the attempt; leaving the clock must not stop it.
        self._limiting = None
        # Another window may have ended it.
        with contextlib.suppress(AttemptError):
            await self.time_out("time_limit", limit_s)

    async def _note_suspension(self) -> None:
        """While the clock runs: records a suspension if wall and monotonic time have parted since the last beat."""
        before, now = self._last_beat, self._services.log.moment()
        if before is None:
            return
        self._last_beat = now
        wall_s = (now.wall - before.wall).total_seconds()
        mono_s = (now.mono_ns - before.mono_ns) / 1e9
        if abs(wall_s - mono_s) >= _SUSPENDED_S:
            await self.note(Suspended(wall_s=wall_s, mono_s=mono_s))

    # Running

    def _launch(self) -> None:
        self._run = asyncio.create_task(self._grade_present_files())
        self._run.add_done_callback(self._run_ended)
        self._adapter.changed()

    def _run_ended(self, run: asyncio.Task[None]) -> None:
        error = _failure(run)
        # Who waits for the run is answered with the error instead.
        if error is not None and not self._waiting:
            self._adapter.failed(error)
        self._adapter.changed()

    async def _grade_present_files(self) -> None:
        number = (await self.summary()).next_number
        files = dict(self._adapter.snapshot())
        self._adapter.run_taken(files)
        if self.problem.kind is not Kind.DESIGN:
            async with self._clock_stopped_for(Machine.JUDGE):
                await self._judge_answer(number, files)
            return
        async with slot(self._services.grading.slots, self), self._clock_stopped_for(Machine.HARNESS):
            await self._run_tests(number, files)
        if self._warms_up:
            self._warm_up()

    @asynccontextmanager
    async def _clock_stopped_for(self, machine: Machine) -> AsyncIterator[None]:
        if not self.terms.stops_clock_for(machine):
            yield
            return
        async with self.held(machine.value):
            yield

    async def _judge_answer(self, number: int, files: Mapping[str, bytes]) -> None:
        graded = await self._services.grading.judge(
            self.header.problem, files.get(ANSWER, b""), attempt=self.header.id, number=number
        )
        verdict = graded.verdict
        self._keep(number, graded)
        await self._services.log.append(
            self.header.id,
            Answered(
                number=number,
                outcome=verdict.outcome,
                reason=verdict.reason.value,
                message=verdict.detail,
                snapshot=_digests(files),
                wall_s=verdict.wall_s,
                digests=verdict.digests.model_dump(),
                judged_by=judged_by(graded.judgement) if graded.judgement is not None else None,
            ),
        )

    async def _run_tests(self, number: int, files: Mapping[str, bytes]) -> None:
        run = uuid.uuid4().hex
        log = self._services.log
        try:
            await log.append(self.header.id, RunStarted(run=run, number=number, snapshot=_digests(files)))
            async with self._adapter.progress() as report:
                with self._records.log(number) as raw:
                    graded = await self._services.grading.run(
                        self.header.problem,
                        files,
                        log=raw,
                        on_step=lambda step, of, name: report(f"step {step} of {of}", round(100 * (step - 1) / of)),
                    )
        except BaseException as error:
            # In the log every start has an end.
            await log.append(self.header.id, RunCancelled(run=run, number=number, reason=_why_ended(error)))
            raise
        verdict = graded.verdict
        self._keep(number, graded)
        await log.append(
            self.header.id,
            RunFinished(
                run=run,
                number=number,
                outcome=verdict.outcome,
                reason=verdict.reason.value,
                message=verdict.detail,
                passed=verdict.passed_tests if verdict.tests else None,
                total=len(verdict.tests) or None,
                wall_s=verdict.wall_s,
                digests=verdict.digests.model_dump(),
            ),
        )

    def _keep(self, number: int, graded: Graded) -> None:
        self._newest = (number, graded)
        self._records.keep(number, graded.verdict)

    async def _is_judged(self, *, decided: bool) -> bool:
        """Whether the newest verdict is about the present files, and one that decides, if that is wanted."""
        verdict = (await self.summary()).verdict
        if verdict is None or (decided and Reason(verdict.reason).is_worth_a_retry):
            return False
        return verdict.snapshot == _digests(self._adapter.snapshot())

    def _graded(self) -> Graded | None:
        newest = self._services.attempts.summary(self.header.id).verdict
        if newest is None:
            return None
        kept = self._in_memory(newest)
        return kept or Graded(self._whole(newest))

    def _whole(self, verdict: AttemptVerdict) -> Verdict:
        """A verdict with its tests, of which the log has only the count."""
        kept = self._in_memory(verdict)
        whole = kept.verdict if kept is not None else self._records.verdict(verdict.number)
        # Where the record was deleted, the log still has what the solver saw.
        return whole or Verdict(reason=Reason(verdict.reason), detail=verdict.message, wall_s=verdict.wall_s)

    def _in_memory(self, verdict: AttemptVerdict) -> Graded | None:
        """The verdict of this process's newest run, unless an answer has been judged anew since."""
        if self._newest is None or self._newest[0] != verdict.number:
            return None
        graded = self._newest[1]
        return graded if graded.verdict.reason == verdict.reason else None

    def _warm_up(self) -> None:
        if self._warming is None or self._warming.done():
            self._warming = asyncio.create_task(self._services.grading.warm_up(self.header.problem))
            self._warming.add_done_callback(self._warmed_up)

    def _warmed_up(self, warming: asyncio.Task[None]) -> None:
        if (error := _failure(warming)) is not None:
            self._adapter.failed(error)


@asynccontextmanager
async def slot(slots: asyncio.Semaphore | None, attempt: Attempt) -> AsyncIterator[None]:
    """Takes one of a process's slots for the block; the attempt's clock is held while it waits for one.

    Args:
        slots: None for any number.
        attempt: Whose clock.
    """
    if slots is None:
        yield
        return
    if slots.locked():
        async with attempt.held(QUEUE):
            await slots.acquire()
    else:
        await slots.acquire()
    try:
        yield
    finally:
        slots.release()


def _failure(run: asyncio.Task[None]) -> BaseException | None:
    return None if run.cancelled() else run.exception()


def _why_ended(error: BaseException) -> str:
    if not isinstance(error, asyncio.CancelledError):
        return "broken"
    # Only the end of the whole process cancels without a reason.
    return str(error.args[0]) if error.args else "closing"


def _digests(files: Mapping[str, bytes]) -> dict[str, str]:
    return {path: sha256(content) for path, content in files.items()}


_NOT_RUNNING = {
    AttemptState.OPEN: "The hidden tests run once the clock runs. Press Start first.",
    AttemptState.PAUSED: "The clock is paused. Press Resume to run the hidden tests.",
    AttemptState.SUBMITTED: "This attempt was submitted. Open the problem again to begin a new one.",
    AttemptState.ABANDONED: "This attempt was abandoned. Open the problem again to begin a new one.",
    AttemptState.TIMED_OUT: "The time for this attempt is over. Open the problem again to begin a new one.",
}
