"""One attempt while this process has its workspace open."""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC
from functools import partial
from typing import TYPE_CHECKING

from benchwright_attempts.attempts import Attempts, AttemptVerdict, Summary
from benchwright_attempts.clock import AttemptState, advance, next_state
from benchwright_attempts.errors import AttemptError
from benchwright_attempts.events import (
    Abandoned,
    Answered,
    Diagnostics,
    Event,
    Focus,
    Paused,
    ProblemCount,
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
    AssistRejected,
    AssistShown,
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
from benchwright_attempts.judging import Judging, judge_answer, judged_by
from benchwright_attempts.record import AttemptHeader, Moment
from benchwright_attempts.replay import ReplayedFile
from benchwright_harness.sandbox import Sandbox
from benchwright_judges.score import INSTANT
from benchwright_problems.home import Home
from benchwright_problems.problem import Kind, Problem
from benchwright_problems.store import Store
from benchwright_problems.verdict import Reason, Verdict
from benchwright_server.attempts.recorder import Recorder
from benchwright_server.attempts.rules import Rules
from benchwright_server.errors import ServerError
from benchwright_server.protocol import AttemptStatus, SubmitSummary, VerdictView
from benchwright_server.runs.grading import get_ready, grade, rest
from benchwright_server.runs.records import RunRecords
from benchwright_server.runs.reveal import reveal, unrevealed
from benchwright_server.workspaces.workspace import ANSWER, Workspace, editable_files, snapshot

if TYPE_CHECKING:
    # The database library takes a third of a second to import: nobody pays before a log is needed.
    from benchwright_studies.study_log import StudyLog

HEARTBEAT_S = 30.0

_PARTED_S = 5.0
"""From when on wall and monotonic time have parted: the computer slept, or its clock was set."""

Report = Callable[[str, int], None]
"""Tells progress: what is being done, and how much of it in percent."""
Progress = Callable[["Session"], AbstractAsyncContextManager[Report]]


@asynccontextmanager
async def silent(session: Session) -> AsyncIterator[Report]:
    """Progress that nobody sees."""
    yield lambda message, percent: None


@dataclass(frozen=True)
class Surroundings:
    """What every session of a process shares."""

    home: Home
    store: Store
    log: StudyLog
    attempts: Attempts
    sandbox: Sandbox
    judging: Judging
    on_change: Callable[[Session], None]
    """Called after anything that a status shows has changed."""
    on_failure: Callable[[BaseException], None]
    """Called when something can't be recorded."""
    progress: Progress = silent
    """Shows a run's progress; leaving it early by cancellation cancels the run."""


class Session:
    """Starts, pauses, runs, submits; records all of it.

    Args:
        around: The process.
        header: The attempt.
        problem: Its problem, without the hidden part.
        workspace: Its folder.
        files: What the log rebuilds at this point.
        summary: What came out so far.
        rules: What the study's plan says about it.
        flagged: Violations that the log has already.
    """

    draft: str | None
    """The answer as it was typed before the editor went away without saving it, if so."""

    def __init__(
        self,
        around: Surroundings,
        header: AttemptHeader,
        problem: Problem,
        workspace: Workspace,
        files: Mapping[str, ReplayedFile],
        summary: Summary,
        rules: Rules,
        flagged: Iterable[Violation] = (),
    ) -> None:
        self.header = header
        self.rules = rules
        self._flagged = set(flagged)
        self._submitting = False
        self._limiting: asyncio.Task[None] | None = None
        self.problem = problem
        self.workspace = workspace
        self.recorder = Recorder(around.log, header.id, files, around.on_failure)
        self.ended = summary.state.ended
        self.draft = _draft(files.get(ANSWER), workspace)
        self._around = around
        self._records = RunRecords(around.home, header.id)
        self._run: asyncio.Task[None] | None = None
        self._waiting = 0
        self._heartbeat: asyncio.Task[None] | None = None
        self._looked_at: Moment | None = None
        self._readying: asyncio.Task[None] | None = None
        if summary.state is AttemptState.RUNNING:
            self._beat()

    # The clock

    async def start(self) -> AttemptStatus:
        """Begin the attempt.

        Raises:
            ServerError: The study wants to know first what the solver expects.
        """
        if self.rules.lacks_forecast((await self._summary()).kinds):
            raise ServerError("Say first what you expect of this task; then the clock can start.")
        await self._step(Started())
        self._beat()
        return await self.status()

    async def pause(self, reason: str | None) -> AttemptStatus:
        """Stop the clock for a while."""
        await self._step(Paused(reason=reason))
        self._stop_beating()
        return await self.status()

    async def resume(self) -> AttemptStatus:
        """Let the clock run again."""
        await self._step(Resumed())
        self._beat()
        return await self.status()

    async def abandon(self, reason: str | None = None) -> AttemptStatus:
        """Give up."""
        await self.cancel_run("abandoned")
        await self._step(Abandoned(reason=reason))
        self._end()
        return await self.status()

    async def submit(self) -> SubmitSummary:
        """Hand in the present files; they are run once more unless the newest verdict is theirs.

        Raises:
            ServerError: The run came to no verdict, for example because it was stopped.
        """
        # Refuse before running anything.
        next_state((await self._summary()).state, "submitted")
        # Who hands in before the time is over may wait for the verdict after it.
        self._submitting = True
        try:
            await self._settle()
        finally:
            self._submitting = False
        await self._step(Submitted())
        self._end()
        first = (await self._summary()).first_pass if self.rules.policy(self.problem.reveal) is not None else None
        return SubmitSummary(
            status=await self.status(),
            first_pass_s=first.active_s if first else None,
            first_pass_run=first.number if first else None,
        )

    async def _settle(self) -> None:
        """Run until the newest verdict is about the present files."""
        tried = False
        while self.is_running or not await self._is_judged():
            if not self.is_running:
                if tried:
                    raise ServerError(
                        "The hidden tests came to no verdict on the present files, so nothing was submitted."
                        " Submit again."
                    )
                tried = True
                self._launch()
            await self._wait_for_run()

    # Runs

    async def run(self) -> AttemptStatus:
        """Run the hidden tests, or score the answer, and wait for the verdict.

        Raises:
            ServerError: The attempt is not running.
        """
        await self.start_run("solver")
        await self._wait_for_run()
        return await self.status()

    async def start_run(self, instead: str) -> None:
        """Begin a run; an older one is cancelled first, and all its processes are gone.

        Args:
            instead: Why an older run is cancelled, a stable word.
        """
        summary = await self._summary()
        if summary.state is not AttemptState.RUNNING:
            raise ServerError(_NOT_RUNNING[summary.state])
        if self.rules.are_runs_used_up(summary.runs):
            raise ServerError(f"All {summary.runs} runs of this task are used. Submit your work, or give up.")
        await self.cancel_run(instead)
        self._launch()

    async def cancel_run(self, reason: str) -> None:
        """Stop the present run, if there is one, and wait until its processes are gone."""
        # While this waits, somebody else who waited may have begun the next one.
        while (run := self._run) is not None and not run.done():
            # A second cancel would break into the clean-up that the first one began.
            if not run.cancelling():
                run.cancel(reason)
            await asyncio.wait({run})

    @property
    def is_scored_at_once(self) -> bool:
        """Whether saving an answer is enough to have it judged: mostly neither model nor person is needed."""
        question = self.problem.public.question
        return question.format in INSTANT if question is not None else self.problem.kind is Kind.TEXT

    async def is_clock_running(self) -> bool:
        """Whether the attempt is started, not paused and not ended."""
        return (await self._summary()).state is AttemptState.RUNNING

    @property
    def is_running(self) -> bool:
        """Whether the hidden tests run right now."""
        return self._run is not None and not self._run.done()

    async def status(self) -> AttemptStatus:
        """The attempt as views show it."""
        summary = await self._summary()
        clock = advance(summary.clock, self._around.log.moment())
        terms = self.rules.assigned
        return AttemptStatus(
            attempt=self.header.id,
            problem=self.header.problem,
            title=self.problem.title,
            kind=self.problem.kind.value,
            workspace=self.workspace.folder.as_uri(),
            state=summary.state,
            elapsed_s=round(clock.elapsed_s, 3),
            active_s=round(clock.active_s, 3),
            runs=summary.runs,
            running=self.is_running,
            verdict=await asyncio.to_thread(self._view, summary.verdict) if summary.verdict else None,
            study=self.header.study or None,
            practice=terms.practice if terms else False,
            recording=self.header.recording.value,
            held=clock.held,
            time_limit_s=terms.time_limit_s if terms else None,
            runs_allowed=terms.runs_allowed if terms else None,
        )

    # What the editor reports

    async def saved(self, path: str, content: bytes) -> None:
        """A file was saved; returns when that is on disk."""
        await self.recorder.saved(path, content)
        if path == ANSWER:
            self.draft = None

    async def linted(self, path: str, counts: Mapping[str, tuple[int, int]]) -> None:
        """Tools found so many errors and warnings in a file."""
        by_source = {
            name: ProblemCount(errors=errors, warnings=warnings) for name, (errors, warnings) in counts.items()
        }
        await self._tell(Diagnostics(path=path, counts=by_source))

    async def allows_own_assistant(self) -> bool:
        """Whether Benchwright's own completion may help in this attempt."""
        return self.rules.allows_own_assistant

    async def assisted(self, event: AssistShown | AssistAccepted | AssistRejected) -> None:
        """The assistant offered something, or this is what became of it."""
        await self.noticed(event)

    async def noticed(self, event: Event) -> None:
        """The editor told a fact; what it shows against the condition is flagged, each only once."""
        await self._tell(event)
        if isinstance(event, Environment | EditReason | AssistAccepted):
            for violation in self.rules.violations(event):
                if violation not in self._flagged:
                    self._flagged.add(violation)
                    await self._tell(violation)

    async def forecast(self, event: Forecast) -> AttemptStatus:
        """The solver said what to expect.

        Raises:
            ServerError: The clock was started already.
        """
        if (await self._summary()).state is not AttemptState.OPEN:
            raise ServerError("What you expect is asked before the clock starts; it runs already.")
        await self._step(event)
        return await self.status()

    async def estimate(self, event: SelfEstimate) -> AttemptStatus:
        """The solver said how it was.

        Raises:
            ServerError: The attempt has not ended.
        """
        if not (await self._summary()).state.ended:
            raise ServerError("How it was is asked when the attempt has ended. Submit or give up first.")
        await self._step(event)
        return await self.status()

    async def focused(self, focused: bool) -> None:
        """The editor's window gained or lost the keyboard."""
        await self._tell(Focus(focused=focused))

    async def close(self) -> None:
        """The editor goes away: nothing keeps running, and the clock is paused."""
        await self.cancel_run("closing")
        await self._notice_suspension()
        self._stop_beating()
        if self._readying is not None:
            self._readying.cancel()
            await asyncio.wait({self._readying})
            await rest(self._around.sandbox)
        if not self.ended and (await self._summary()).state is AttemptState.RUNNING:
            await self._around.log.append(self.header.id, Paused(reason="the editor was closed"))

    def _get_ready(self) -> None:
        """Let a sandbox start ahead for the next run."""
        if self.problem.kind is Kind.DESIGN and (self._readying is None or self._readying.done()):
            self._readying = asyncio.create_task(self._warm())
            self._readying.add_done_callback(self._report_unready)

    async def _warm(self) -> None:
        problem = await asyncio.to_thread(self._around.store.unseal, self.header.problem)
        await get_ready(problem, home=self._around.home, sandbox=self._around.sandbox)

    def _report_unready(self, readying: asyncio.Task[None]) -> None:
        if (error := _failure(readying)) is not None:
            self._around.on_failure(error)

    def _launch(self) -> None:
        self._run = asyncio.create_task(self._judge_now())
        self._run.add_done_callback(self._report_failure)
        self._around.on_change(self)

    async def _is_judged(self) -> bool:
        """Whether the newest verdict is about the present files."""
        verdict = (await self._summary()).verdict
        return verdict is not None and verdict.snapshot == _digests(self._snapshot())

    async def _judge_now(self) -> None:
        summary = await self._summary()
        number = summary.next_number
        files = self._snapshot()
        for path in editable_files(self.problem):
            self.recorder.taken(path, files.get(path))
        problem = await asyncio.to_thread(self._around.store.unseal, self.header.problem)
        if problem.kind is Kind.DESIGN:
            async with self._clock_held("harness"):
                await self._run_tests(problem, number, files)
            self._get_ready()
        else:
            async with self._clock_held("judge"):
                await self._judge_answer(problem, number, files)

    @asynccontextmanager
    async def _clock_held(self, machine: str) -> AsyncIterator[None]:
        """Let the clock stand while a machine works, if the study wants it."""
        if not self.rules.stops_clock_for(machine):
            yield
            return
        await self._tell(ClockHeld(reason=machine))
        try:
            yield
        finally:
            await self._tell(ClockReleased(reason=machine))

    async def _judge_answer(self, problem: Problem, number: int, files: Mapping[str, bytes]) -> None:
        text = files.get(ANSWER, b"").decode("utf-8", "replace")
        verdict, judgement = await judge_answer(
            self.header.problem, problem, text, self._around.judging, attempt=self.header.id, number=number
        )
        self._records.keep(number, verdict)
        await self._around.log.append(
            self.header.id,
            Answered(
                number=number,
                outcome=verdict.outcome,
                reason=verdict.reason.value,
                message=verdict.detail,
                snapshot=_digests(files),
                wall_s=verdict.wall_s,
                digests=verdict.digests.model_dump(),
                judged_by=judged_by(judgement),
            ),
        )

    async def _run_tests(self, problem: Problem, number: int, files: Mapping[str, bytes]) -> None:
        run = uuid.uuid4().hex
        try:
            await self._around.log.append(self.header.id, RunStarted(run=run, number=number, snapshot=_digests(files)))
            async with self._around.progress(self) as report:
                with self._records.log(number) as log:
                    verdict = await grade(
                        problem,
                        files,
                        home=self._around.home,
                        sandbox=self._around.sandbox,
                        log=log,
                        on_step=lambda step, of, name: report(f"step {step} of {of}", round(100 * (step - 1) / of)),
                    )
        except BaseException as error:
            # In the log every start has an end.
            cancelled = RunCancelled(run=run, number=number, reason=_why_ended(error))
            await self._around.log.append(self.header.id, cancelled)
            raise
        self._records.keep(number, verdict)
        await self._around.log.append(
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

    async def _wait_for_run(self) -> None:
        self._waiting += 1
        try:
            # A newer run may take this one's place while we wait.
            while self._run is not None and not self._run.done():
                await asyncio.wait({self._run})
        finally:
            self._waiting -= 1
        if self._run is not None and (error := _failure(self._run)) is not None:
            raise error

    def _report_failure(self, run: asyncio.Task[None]) -> None:
        error = _failure(run)
        # A request that waits for the run answers with the error instead.
        if error is not None and not self._waiting:
            self._around.on_failure(error)
        self._around.on_change(self)

    def _snapshot(self) -> dict[str, bytes]:
        return snapshot(self.workspace.folder, self.problem)

    def _view(self, verdict: AttemptVerdict) -> VerdictView:
        kept = self._records.verdict(verdict.number)
        if kept is None:
            # The record was deleted; the log still has what the solver saw.
            kept = Verdict(reason=Reason(verdict.reason), detail=verdict.message, wall_s=verdict.wall_s)
        at = verdict.at.astimezone(UTC).isoformat(timespec="seconds")
        log = partial(self._records.text, verdict.number)
        policy = self.rules.policy(self.problem.reveal)
        return unrevealed(verdict.number, at) if policy is None else reveal(kept, policy, log, verdict.number, at)

    async def _summary(self) -> Summary:
        return await asyncio.to_thread(self._around.attempts.summary, self.header.id)

    async def _step(self, event: Event) -> None:
        # Who wakes the computer and hands in at once does not wait for a heartbeat.
        await self._notice_suspension()
        await self._around.log.append(self.header.id, event)
        self._around.on_change(self)

    async def _tell(self, event: Event) -> None:
        if not self.ended:
            # Another window may have ended the attempt; then there is nothing to tell.
            with contextlib.suppress(AttemptError):
                await self._around.log.append(self.header.id, event)

    def _end(self) -> None:
        self.ended = True
        self._stop_beating()
        self._around.on_change(self)

    def _beat(self) -> None:
        self._get_ready()

        async def beat() -> None:
            while True:
                await asyncio.sleep(HEARTBEAT_S)
                await self._notice_suspension()
                await self._tell(Tick())

        self._stop_beating()
        self._looked_at = self._around.log.moment()
        self._heartbeat = asyncio.create_task(beat())
        limit_s = self.rules.assigned.time_limit_s if self.rules.assigned else None
        if limit_s is not None:
            self._limiting = asyncio.create_task(self._keep_limit(limit_s))

    async def _notice_suspension(self) -> None:
        """While the clock runs: note it if wall and monotonic time have parted since the last look."""
        before, now = self._looked_at, self._around.log.moment()
        if before is None:
            return
        self._looked_at = now
        wall_s = (now.wall - before.wall).total_seconds()
        mono_s = (now.mono_ns - before.mono_ns) / 1e9
        if abs(wall_s - mono_s) >= _PARTED_S:
            await self._tell(Suspended(wall_s=wall_s, mono_s=mono_s))

    async def _keep_limit(self, limit_s: float) -> None:
        # The clock may be held meanwhile, so what is left is looked at again.
        while (left_s := limit_s - await self._active_s()) > 0 or self._submitting:  # noqa: ASYNC110
            await asyncio.sleep(max(left_s, 0.05))
        # From here on this task ends the attempt; stopping the clock must not stop it.
        self._limiting = None
        await self.cancel_run("timed_out")
        with contextlib.suppress(AttemptError):
            await self._step(TimedOut(reason="time_limit", limit=limit_s))
        self._end()

    async def _active_s(self) -> float:
        return advance((await self._summary()).clock, self._around.log.moment()).active_s

    def _stop_beating(self) -> None:
        if self._heartbeat is not None:
            self._heartbeat.cancel()
            self._heartbeat = None
        self._looked_at = None
        if self._limiting is not None:
            self._limiting.cancel()
            self._limiting = None


def _draft(recorded: ReplayedFile | None, workspace: Workspace) -> str | None:
    """The answer as it was typed last, where that was never saved."""
    if recorded is None or recorded.data in (None, workspace.read(ANSWER)):
        return None
    return recorded.text


def _failure(run: asyncio.Task[None]) -> BaseException | None:
    return None if run.cancelled() else run.exception()


def _why_ended(error: BaseException) -> str:
    if not isinstance(error, asyncio.CancelledError):
        return "broken"
    # Only the end of the whole process cancels without saying why.
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
