"""One attempt while this process works on it: clock, limit, runs, reveal, end, evidence.

The rules are the same for a person, a person with a copilot, a model and an agent. Around the engine are adapters:
the editor's session and Inspect's sample. An adapter says what the solver's files are at present, shows what changes,
and records how the files came to be.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from typing import TYPE_CHECKING

from benchwright_attempts.actor import acting_as
from benchwright_attempts.adapter import SolverAdapter
from benchwright_attempts.clock.clock import AttemptState, next_state
from benchwright_attempts.clock.clock_follower import ClockFollower
from benchwright_attempts.errors import AidRefusedError, AttemptError
from benchwright_attempts.events.event_writer import EventWriter
from benchwright_attempts.events.events import Abandoned, AidUsed, Event, Paused, Resumed, Started, Submitted
from benchwright_attempts.events.evidence import SelfEstimate, TimedOut, Violation
from benchwright_attempts.grading.grading import GradingOutcome
from benchwright_attempts.grading.grading_runs import GradingRuns, hold_harness_slot
from benchwright_attempts.grading.regrading import is_regradable, regrade_if_undecided
from benchwright_attempts.log.record import AttemptHeader
from benchwright_attempts.summary.summary import Summary
from benchwright_attempts.terms import Terms
from benchwright_problems.aids import Aid
from benchwright_problems.problem import Problem

if TYPE_CHECKING:
    # The database library takes a third of a second to import: nobody pays before a log is needed.
    from benchwright_attempts.log.log import EventLog
    from benchwright_attempts.services import Services

LIMIT = "limit"
"""Reason for holding the clock while the work is graded that a limit has ended."""
SUBMITTING = "submitting"
"""Reason for holding the clock while the submitted files are graded."""
REGRADING = "regrading"
"""Reason for holding the clock while files are graded again that the machinery could not decide."""


class Attempt:
    """Starts, pauses, runs, submits; records all of it.

    Args:
        services: Services of the process.
        header: The attempt, which the log has already.
        problem: Its problem, without the hidden part.
        terms: Rules for what the solver may do and see.
        adapter: The solver's side.
        flagged_violations: Violations that the log has already.
        starts_sandbox_ahead: True if a sandbox is started ahead for the next run.
        ends_at_limit: True if the engine ends the attempt at its time limit; if not, the adapter does, which knows how
            to stop its solver: see `ClockFollower.wait_for_time_limit`.
    """

    def __init__(
        self,
        services: Services[EventLog],
        header: AttemptHeader,
        problem: Problem,
        terms: Terms,
        adapter: SolverAdapter,
        *,
        flagged_violations: Iterable[Violation] = (),
        starts_sandbox_ahead: bool = False,
        ends_at_limit: bool = True,
    ) -> None:
        self.writer = EventWriter(services, header.id, terms, flagged_violations, adapter.actor)
        """Records facts of the attempt."""
        self.clock = ClockFollower(
            self.writer, terms.time_limit_s, self._time_out_unless_ended if ends_at_limit else None
        )
        self.runs = GradingRuns(
            services,
            header,
            problem,
            terms,
            adapter,
            self.writer,
            self.clock,
            starts_sandbox_ahead=starts_sandbox_ahead,
        )
        self._services = services
        self._attempt = header.id
        self._terms = terms
        self._adapter = adapter
        self._is_time_over = False

    async def continue_from_log(self) -> Summary:
        """Continues from the log: the clock is followed if it runs. Returns the summary."""
        summary = await self.writer.summary()
        self.writer.has_ended = summary.state.ended
        if summary.state is AttemptState.RUNNING and self.writer.elsewhere_error is None:
            self._follow_clock_and_start_sandbox()
        return summary

    @property
    def ended(self) -> bool:
        """True if nothing can follow in the attempt but late facts."""
        return self.writer.has_ended

    # The clock

    async def start(self) -> None:
        """Starts the clock.

        Raises:
            AttemptError: The clock was started before.
        """
        await self._append_and_report_status(Started())
        self._follow_clock_and_start_sandbox()

    async def pause(self, given_reason: str | None) -> None:
        """Stops the clock for a while."""
        await self._append_and_report_status(Paused(reason=given_reason))
        self.clock.stop_following()

    async def resume(self) -> None:
        """Lets the clock run again."""
        await self._append_and_report_status(Resumed())
        self._follow_clock_and_start_sandbox()

    def _follow_clock_and_start_sandbox(self) -> None:
        self.runs.start_sandbox_ahead()
        self.clock.start_following()

    # Runs

    async def run(self) -> GradingOutcome | None:
        """Runs the hidden tests, or scores the answer, and waits for the verdict; see `start_run`."""
        await self.start_run("solver")
        await self.runs.wait_until_idle()
        return await self.runs.newest_outcome()

    async def start_run(self, older_run_cancel_reason: str) -> None:
        """Starts a run; an older one is cancelled first, and all its processes have ended.

        Args:
            older_run_cancel_reason: Reason why an older run is cancelled, a stable word.

        Raises:
            AttemptError: The clock is not running, all runs are used, or another process works on the attempt.
        """
        self.writer.refuse_unless_worked_on_here()
        summary = await self.writer.summary()
        if summary.state is not AttemptState.RUNNING:
            raise AttemptError(_NOT_RUNNING[summary.state])
        self._refuse_after_time_limit()
        if self._terms.runs_left(summary.verdict_count) == 0:
            raise AttemptError(f"All {summary.verdict_count} runs of this task are used. Submit your work, or give up.")
        await self.runs.cancel(older_run_cancel_reason)
        self.runs.start()

    async def run_until_verdict_is_current(self) -> GradingOutcome | None:
        """Runs until the newest verdict is about the present files, and returns it; see `_decided`.

        Raises:
            AttemptError: A run of the present files came to no verdict.
        """
        has_run = False
        while self.runs.is_running or not await self.runs.is_verdict_about_present_files():
            if not self.runs.is_running:
                if has_run:
                    raise AttemptError(
                        "The hidden tests came to no verdict on the present files, so nothing was submitted."
                        " Submit again."
                    )
                has_run = True
                self.runs.start()
            await self.runs.wait_until_idle()
        return await self._regrade_newest_outcome_if_undecided()

    async def _regrade_newest_outcome_if_undecided(self) -> GradingOutcome | None:
        """The newest verdict. One that decided nothing is tried once more; if it stays so, it can be decided later."""
        verdict = (await self.writer.summary()).verdict
        if verdict is not None and is_regradable(verdict):
            async with hold_harness_slot(self._services.grading.slots, self.clock), self.clock.hold_clock(REGRADING):
                new_verdict = await regrade_if_undecided(self._services, self._attempt)
            return new_verdict or await self.runs.newest_outcome()
        return await self.runs.newest_outcome()

    # The end

    async def submit(self) -> GradingOutcome | None:
        """Ends the attempt with the present files; they are run unless the newest verdict is about them.

        The clock is held meanwhile: grading is not the solver's time. The attempt also ends if the machinery could
        decide nothing: what was submitted stays, and `regrade` decides it once the machinery works.

        Returns:
            The verdict.

        Raises:
            AttemptError: The run came to no verdict, for example because it was stopped.
        """
        # Refuse before running anything.
        self.writer.refuse_unless_worked_on_here()
        state = (await self.writer.summary()).state
        next_state(state, "submitted")
        self._refuse_after_time_limit()
        # Who submits before the time is over may wait for the verdict after it.
        self.clock.grants_overtime = True
        try:
            needs_run = self.runs.is_running or not await self.runs.is_verdict_about_present_files()
            is_held = needs_run and state is AttemptState.RUNNING
            async with self.clock.hold_clock(SUBMITTING) if is_held else contextlib.nullcontext():
                grading_outcome = await self.run_until_verdict_is_current()
                # Ending lets go of the clock as well.
                await self._append_end_event(Submitted())
        finally:
            self.clock.grants_overtime = False
        return await self._measure_quality_if_passed(grading_outcome)

    async def time_out(self, limit_name: str, limit_value: float | None) -> GradingOutcome | None:
        """Ends the attempt because a limit is reached, with the verdict of the present files; see `submit`.

        Args:
            limit_name: Name of the limit, a stable word such as `time_limit`.
            limit_value: Its value. None if it has none.
        """
        self._is_time_over = True
        # Nobody asked for it, in whosever request the clock was started.
        with acting_as(None):
            return await self._end_at_limit(limit_name, limit_value)

    async def _end_at_limit(self, limit_name: str, limit_value: float | None) -> GradingOutcome | None:
        async with self.clock.hold_clock(LIMIT):
            grading_outcome = await self._grade_at_limit()
            # Ending lets go of the clock as well.
            await self._append_end_event(TimedOut(reason=limit_name, limit=limit_value or None))
        return await self._measure_quality_if_passed(grading_outcome)

    async def abandon(self, reason: str | None = None) -> None:
        """Ends the attempt without submitting."""
        await self.runs.cancel("abandoned")
        await self._append_end_event(Abandoned(reason=reason))

    async def suspend(self, reason: str) -> None:
        """Stops what this process does for the attempt; one that has not ended is paused and can go on later."""
        await self.runs.cancel("closing")
        await self.clock.record_suspension_if_any()
        self.clock.stop_following()
        await self.runs.end_waiting_sandbox()
        if self.ended or self.writer.elsewhere_error is not None:
            return
        if (await self.writer.summary()).state is AttemptState.RUNNING:
            with acting_as(None):
                await self.writer.append(Paused(reason=reason))

    async def _time_out_unless_ended(self, limit_s: float) -> None:
        # Another window may have ended it.
        with contextlib.suppress(AttemptError):
            await self.time_out("time_limit", limit_s)

    def _refuse_after_time_limit(self) -> None:
        if self._is_time_over:
            raise AttemptError(_NOT_RUNNING[AttemptState.TIMED_OUT])

    async def _grade_at_limit(self) -> GradingOutcome | None:
        try:
            await self.runs.wait_until_idle()
            if not await self.runs.is_verdict_about_present_files():
                # Once: what is saved while this runs came too late.
                self.runs.start()
                await self.runs.wait_until_idle()
            return await self._regrade_newest_outcome_if_undecided()
        except Exception as error:
            # The time is over anyway.
            self._adapter.on_run_failed(error)
            return None

    # Aids

    def refuse_forbidden_aid(self, aid: Aid) -> None:
        """Refuses an aid that the attempt never allows; see `refuse_aid_or_must_record` for what depends on its state.

        Raises:
            AidRefusedError: The condition or the assignment forbids it.
        """
        if not self._terms.allows_aid(aid):
            assigned = self._terms.assigned
            authority = (
                "assignment that this attempt belongs to"
                if assigned is None
                else f"condition {assigned.condition} of the study {assigned.study}"
            )
            raise AidRefusedError(f"The {authority} does not allow {_AIDS[aid]}.")

    async def refuse_aid_or_must_record(self, aid: Aid) -> bool:
        """True if the use of an aid is recorded now: not any more once an attempt outside studies has ended.

        Raises:
            AidRefusedError: The condition or the assignment forbids it, or the clock does not run.
            AttemptError: Another process works on the attempt.
        """
        self.refuse_forbidden_aid(aid)
        self.writer.refuse_unless_worked_on_here()
        state = (await self.writer.summary()).state
        if state is AttemptState.RUNNING:
            self._refuse_after_time_limit()
            return True
        if state.ended and self._terms.assigned is None:
            return False
        raise AidRefusedError(_NO_AID[state])

    async def record_aid_use(self, event: AidUsed) -> None:
        """Records that the solver used an aid; see `refuse_aid_or_must_record`, which comes before any work for it."""
        if await self.refuse_aid_or_must_record(Aid(event.aid)):
            await self.record_finished_aid_use(event)

    async def record_finished_aid_use(self, event: AidUsed) -> None:
        """Records an aid whose use was allowed at its beginning; the attempt may have ended meanwhile."""
        await self.writer.append(event)

    # What a study asks

    async def record_self_estimate(self, event: SelfEstimate) -> None:
        """Records how the solver found the task.

        Raises:
            AttemptError: The attempt has not ended.
        """
        if not (await self.writer.summary()).state.ended:
            raise AttemptError("A self-estimate is asked for once the attempt has ended. Submit or give up first.")
        await self._append_and_report_status(event)

    async def _append_and_report_status(self, event: Event) -> None:
        # Who wakes the computer and submits at once does not wait for a heartbeat.
        await self.clock.record_suspension_if_any()
        await self.writer.append(event)
        self._adapter.on_status_changed()

    async def _measure_quality_if_passed(self, grading_outcome: GradingOutcome | None) -> GradingOutcome | None:
        try:
            return await self.runs.measure_and_keep_quality_if_passed(grading_outcome)
        except Exception as error:
            # The attempt has ended anyway.
            self._adapter.on_run_failed(error)
            return grading_outcome

    async def _append_end_event(self, event: Event) -> None:
        await self._append_and_report_status(event)
        self.writer.has_ended = True
        self.clock.stop_following()
        self._adapter.on_status_changed()


_NOT_RUNNING = {
    AttemptState.OPEN: "The hidden tests run once the clock runs. Press Start first.",
    AttemptState.PAUSED: "The clock is paused. Press Resume to run the hidden tests.",
    AttemptState.SUBMITTED: "This attempt was submitted. Open the problem again to begin a new one.",
    AttemptState.ABANDONED: "This attempt was abandoned. Open the problem again to begin a new one.",
    AttemptState.TIMED_OUT: "The time for this attempt is over. Open the problem again to begin a new one.",
}
_AIDS = {
    Aid.HINTS: "hints",
    Aid.EXPLANATIONS: "explanations",
    Aid.GENERATED: "hints and explanations by a model",
    Aid.OWN_TESTS: "tests of your own",
    Aid.WAVEFORMS: "waveforms",
    Aid.DESIGN_VIEWS: "views of the design",
    Aid.AGENT_TOOLS: "Benchwright's tools for agents",
}
_ENDED = "This attempt has ended. Open the problem again to begin a new one."
_NO_AID = {
    AttemptState.OPEN: "The clock does not run yet. Press Start first.",
    AttemptState.PAUSED: "The clock is paused. Press Resume first.",
    AttemptState.SUBMITTED: _ENDED,
    AttemptState.ABANDONED: _ENDED,
    AttemptState.TIMED_OUT: _ENDED,
}
