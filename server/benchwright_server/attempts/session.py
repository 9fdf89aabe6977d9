"""An attempt in an editor: connects the attempt engine to a workspace on disk."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from benchwright_attempts.adapter import ReportProgress, SolverAdapter
from benchwright_attempts.clock.clock import AttemptState, advance_clock
from benchwright_attempts.engine import Attempt
from benchwright_attempts.errors import AttemptElsewhereError, ClaimLostError
from benchwright_attempts.events.events import GUIDED, AgentConnection, Diagnostics, ProblemCount
from benchwright_attempts.events.evidence import SelfEstimate, Violation
from benchwright_attempts.grading.grading import ANSWER, judged_paths
from benchwright_attempts.hint_ladder import HintLadder
from benchwright_attempts.log.record import AttemptHeader
from benchwright_attempts.standing import (
    AttemptView,
    PendingRun,
    ShownVerdict,
    attempt_view,
)
from benchwright_attempts.state import CONSENT_WITHDRAWN
from benchwright_attempts.summary.replay import ReplayedFile
from benchwright_attempts.summary.summary import AttemptVerdict, Summary
from benchwright_attempts.terms import ClockDisplay, Terms
from benchwright_foundation.atomic import write_atomically
from benchwright_judges.formats import rules_of
from benchwright_problems.aids import Aid
from benchwright_problems.problem import Problem
from benchwright_problems.repository.build_output import is_left_out_of_solution
from benchwright_problems.repository.changes import CHANGES, changed_content_by_path
from benchwright_problems.repository.tree import Tree
from benchwright_problems.reveal import Revealed
from benchwright_problems.test_groups import TestGroup, group_scores
from benchwright_problems.verdict import ComparedQuality
from benchwright_server.attempts.recorder import FileRecorder
from benchwright_server.protocol.messages import (
    AttemptStatus,
    CompilerLine,
    GroupLine,
    QualityLine,
    StandingView,
    SubmitSummary,
    TestCount,
    TestLine,
    VerdictView,
)
from benchwright_server.workspaces.workspace import Workspace, read_judged_files

if TYPE_CHECKING:
    # The database library takes a third of a second to import: nobody pays before a log is needed.
    from benchwright_attempts.claim import Claim
    from benchwright_attempts.services import Services
    from benchwright_studies.conduct.study_log import StudyLog

_WATCH_S = 5.0
"""Seconds between two checks of an attempt's claim."""
_ANSWER_S = 20.0
"""Seconds that a log may take to answer that; one that takes longer is taken for gone."""

Progress = Callable[["EditorSession"], AbstractAsyncContextManager[ReportProgress]]
"""Shows a run's progress for the duration of the block; cancelling the block cancels the run."""


@asynccontextmanager
async def no_progress(session: EditorSession) -> AsyncIterator[ReportProgress]:
    """Shows no progress."""
    yield lambda message, percent: None


@dataclass(frozen=True)
class Listeners:
    """Callbacks for what happens in sessions."""

    on_status_change: Callable[[EditorSession], None] = lambda session: None
    """Called after any part of a status has changed."""
    on_attempt_claim: Callable[[EditorSession], None] = lambda session: None
    """Called once this process has claimed an attempt that has not ended."""
    on_failure: Callable[[BaseException], None] = lambda error: None
    """Called when an event can't be recorded, or when a run fails that no request waits for."""
    on_notice: Callable[[str], None] = lambda sentence: None
    """Called with a sentence about what happened without the solver asking for it."""
    progress: Progress = no_progress
    on_study_change: Callable[[], None] = lambda: None
    """Called in any thread when a study has something new to deliver."""


class EditorSession(SolverAdapter):
    """One attempt while the editor has its workspace open; call `continue_from_log` first.

    Args:
        services: Services of the process.
        listeners: Listeners of the process.
        header: The attempt.
        problem: Its problem, without the hidden part.
        workspace: Its folder.
        replayed_files: The files as rebuilt from the log so far.
        terms: Terms of the attempt.
        flagged_violations: Violations already in the log.
        claim_or_holder: On the attempt; or who has it, in words; None if it has ended.
    """

    def __init__(
        self,
        services: Services[StudyLog],
        listeners: Listeners,
        header: AttemptHeader,
        problem: Problem,
        workspace: Workspace,
        replayed_files: Mapping[str, ReplayedFile],
        terms: Terms,
        flagged_violations: list[Violation],
        claim_or_holder: Claim | str | None,
    ) -> None:
        self.header = header
        self.problem = problem
        self.workspace = workspace
        self.terms = terms
        self.attempt = Attempt(
            services, header, problem, terms, self, flagged_violations=flagged_violations, starts_sandbox_ahead=True
        )
        self.hint_ladder = HintLadder(services, header, problem, self.attempt)
        self._claim = None if isinstance(claim_or_holder, str) else claim_or_holder
        self.attempt.writer.elsewhere_error = (
            AttemptElsewhereError(claim_or_holder) if isinstance(claim_or_holder, str) else None
        )
        self._watching: asyncio.Task[None] | None = None
        self._agents: dict[str, str] = {}
        """Connections of agents → the agent's name."""
        self.recorder = FileRecorder(
            services.log,
            header.id,
            replayed_files,
            listeners.on_failure,
            given_content=self._given_content,
            is_recorded_elsewhere=self.is_held_elsewhere,
        )
        self.draft = _unsaved_answer_or_none(replayed_files.get(ANSWER), workspace)
        """The answer as typed but not saved before the editor closed. None if it was saved."""
        self._log = services.log
        self._listeners = listeners
        self._loop = asyncio.get_running_loop()
        services.log.on_failing.add(self._refresh_status_soon)

    @property
    def is_held_elsewhere(self) -> bool:
        """True if another process works on the attempt, so it is only shown here."""
        return self.attempt.writer.elsewhere_error is not None

    async def continue_from_log(self) -> None:
        """Continue from the log, and say so if that is not possible here."""
        self.recorder.remember_disk_digests((await self.attempt.continue_from_log()).files)
        self._report_if_continued_elsewhere()
        if self._claim is not None and not self.ended:
            self._watching = asyncio.create_task(self._stop_recording_once_claim_is_lost(self._claim))
            self._listeners.on_attempt_claim(self)

    def _report_if_continued_elsewhere(self) -> None:
        if self.attempt.writer.elsewhere_error is not None:
            self._listeners.on_failure(self.attempt.writer.elsewhere_error)

    async def _stop_recording_once_claim_is_lost(self, claim: Claim) -> None:
        """Stops recording once the claim is lost, so that no two processes record the attempt."""
        while await self._is_claim_held_in_time(claim):  # noqa: ASYNC110
            await asyncio.sleep(_WATCH_S)
        if self.ended:
            return
        self.attempt.writer.elsewhere_error = ClaimLostError()
        self.recorder.stop_recording_here()
        self.attempt.clock.stop_following()
        self._report_if_continued_elsewhere()
        self.on_status_changed()

    async def _is_claim_held_in_time(self, claim: Claim) -> bool:
        try:
            async with asyncio.timeout(_ANSWER_S):
                return await asyncio.to_thread(lambda: claim.is_held)
        except TimeoutError:
            return False

    def _refresh_status_soon(self) -> None:
        with contextlib.suppress(RuntimeError):  # The server has ended meanwhile.
            self._loop.call_soon_threadsafe(self.on_status_changed)

    # What the engine asks

    def current_judged_files(self) -> Mapping[str, bytes]:
        """The current content of the judged files in the workspace."""
        return read_judged_files(self.workspace.folder, self.problem)

    def on_files_taken_for_run(self, files: Mapping[str, bytes]) -> None:
        """A run reads files from the disk, where another program may have changed them."""
        if self.problem.public.tree is not None:
            self._record_changed_files_and_write_diff(self.problem.public.tree, files.get(CHANGES, b""))
            return
        for path in judged_paths(self.problem):
            self.recorder.record_read_by_run(path, files.get(path))

    def _given_content(self, path: str) -> bytes | None:
        tree = self.problem.public.tree
        return tree.read(path) if tree is not None and path in tree.digest_by_path else None

    def _record_changed_files_and_write_diff(self, tree: Tree, diff: bytes) -> None:
        for path, content in changed_content_by_path(tree, diff.decode()).items():
            self.recorder.record_read_by_run(path, content)
        self.recorder.record_generated_file(CHANGES, diff)
        # For people to read.
        with contextlib.suppress(OSError):
            write_atomically(self.workspace.folder / CHANGES, diff, durable=False)

    def on_status_changed(self) -> None:
        """The status has changed."""
        if self.ended and self._claim is not None:
            if self._watching is not None:
                self._watching.cancel()
            self._claim.release()
        self._listeners.on_status_change(self)

    def on_run_failed(self, error: BaseException) -> None:
        """A run failed that no request waited for."""
        self._listeners.on_failure(error)

    @asynccontextmanager
    async def show_run_progress(self) -> AsyncIterator[ReportProgress]:
        """Shows a run's progress in the editor."""
        async with self._listeners.progress(self) as report:
            yield report

    # What the editor asks

    @property
    def ended(self) -> bool:
        """True if the attempt has ended for good."""
        return self.attempt.ended

    async def start(self) -> AttemptStatus:
        """Start the clock."""
        await self.attempt.start()
        return await self.status()

    async def pause(self, given_reason: str | None) -> AttemptStatus:
        """Pause the clock."""
        await self.attempt.pause(given_reason)
        return await self.status()

    async def resume(self) -> AttemptStatus:
        """Resume the clock."""
        await self.attempt.resume()
        return await self.status()

    async def abandon(self, reason: str | None = None) -> AttemptStatus:
        """Give up."""
        await self.attempt.abandon(reason)
        return await self.status()

    async def submit(self) -> SubmitSummary:
        """Submit the current files.

        Raises:
            AttemptError: The run came to no verdict, for example because it was stopped.
        """
        await self.attempt.submit()
        shows = self.terms.feedback_policy(self.problem.reveal) is not None
        first_pass = (await self.attempt.writer.summary()).first_pass if shows else None
        status = await self.status()
        return SubmitSummary(
            status=status,
            first_pass_s=first_pass.active_s if first_pass and status.active_s is not None else None,
            first_pass_run=first_pass.number if first_pass else None,
        )

    async def run(self) -> AttemptStatus:
        """Run the hidden tests, or score the answer, and wait for the verdict.

        Raises:
            AttemptError: The attempt is not running, or all its runs are used.
        """
        await self.attempt.run()
        return await self.status()

    async def record_self_estimate(self, self_estimate: SelfEstimate) -> AttemptStatus:
        """Record the solver's self-estimate."""
        await self.attempt.record_self_estimate(self_estimate)
        return await self.status()

    async def record_agent_connected(self, connection_id: str, agent_name: str) -> None:
        """An agent uses the attempt through a connection; what it writes on the disk from now on is its own."""
        if connection_id not in self._agents:
            self._agents[connection_id] = agent_name
            await self._record_agent_connection(connection_id, is_connected=True)

    async def record_agent_disconnected(self, connection_id: str) -> None:
        """The connection of an agent has ended."""
        if connection_id in self._agents:
            await self._record_agent_connection(connection_id, is_connected=False)
            del self._agents[connection_id]

    async def _record_agent_connection(self, connection_id: str, *, is_connected: bool) -> None:
        if not self.ended:
            self.on_files_taken_for_run(await asyncio.to_thread(self.current_judged_files))
        connection_event = AgentConnection(
            connection=connection_id, agent=self._agents[connection_id][:200], connected=is_connected
        )
        await self.attempt.writer.append_unless_ended(connection_event)

    async def close(self) -> None:
        """The editor is closing: stop everything and pause the clock."""
        for connection in list(self._agents):
            await self.record_agent_disconnected(connection)
        self._log.on_failing.discard(self._refresh_status_soon)
        if self._watching is not None:
            self._watching.cancel()
        try:
            await self.attempt.suspend("the editor was closed")
        finally:
            if self._claim is not None:
                await asyncio.to_thread(self._claim.release)

    def is_judged_path(self, workspace_path: str) -> bool:
        """True if a change of this file of the workspace changes what is judged."""
        if self.problem.public.tree is None:
            return workspace_path in judged_paths(self.problem)
        own_paths = (CHANGES, self.workspace.marker.statement)
        return workspace_path in self.problem.public.tree.digest_by_path or not (
            workspace_path in own_paths or is_left_out_of_solution(workspace_path)
        )

    @property
    def is_scored_on_save(self) -> bool:
        """True if every save while the clock runs is judged: not an answer that a model or a person has to judge."""
        question = self.problem.public.question
        by_rule = rules_of(question.format).is_instant if question is not None else True
        return self.terms.runs_on_save and by_rule

    @property
    def aids(self) -> tuple[Aid, ...]:
        """The aids that the attempt ever allows; hints only if the problem has some."""
        return tuple(aid for aid in self.terms.allowed_aids if aid is not Aid.HINTS or self.hint_ladder.is_available)

    async def is_clock_running(self) -> bool:
        """True if the attempt is started, not paused and not ended, and this process works on it."""
        return not self.is_held_elsewhere and (await self.attempt.writer.summary()).state is AttemptState.RUNNING

    async def status(self) -> AttemptStatus:
        """The attempt as shown in views."""
        summary = await self.attempt.writer.summary()
        clock = advance_clock(summary.clock, self._log.moment())
        assigned, limit_s, left_s = self.terms.assigned, self.terms.time_limit_s, self.attempt.clock.remaining_s(clock)
        clock_display = self.terms.clock_display(summary.event_types, has_ended=summary.state.ended)
        revealed = await self._revealed_verdict(summary)
        shows_all, shows_rest = clock_display is ClockDisplay.SHOWN, clock_display is not ClockDisplay.HIDDEN
        return AttemptStatus(
            attempt=self.header.id,
            problem=self.header.problem,
            title=self.problem.title,
            kind=self.problem.kind.value,
            workspace=self.workspace.folder.as_uri(),
            state=summary.state,
            elapsed_s=round(clock.elapsed_s, 3) if shows_all else None,
            active_s=round(clock.active_s, 3) if shows_all else None,
            remaining_s=round(max(0.0, left_s), 3) if shows_rest and limit_s is not None else None,
            runs=summary.verdict_count,
            running=self.attempt.runs.is_running,
            view=standing_view(await self._attempt_view(summary, revealed)),
            verdict=_verdict_view(summary.verdict, revealed, self.problem.public.test_groups)
            if summary.verdict and revealed
            else None,
            study=self.header.study or None,
            practice=assigned.practice if assigned else GUIDED in summary.event_types,
            recording=self.header.recording.value,
            held=clock.held,
            time_limit_s=limit_s,
            runs_allowed=self.terms.runs_allowed,
            assistance=self.terms.assistance.rule_and_check_notice if self.terms.assistance is not None else None,
            without_help=self.terms.is_model_help_forbidden_by_assignment,
            aids=[aid.value for aid in self.aids],
            read_only=str(self.attempt.writer.elsewhere_error) if self.is_held_elsewhere else None,
            not_recorded=str(self._log.failing) if self._log.failing is not None else None,
        )

    async def current_attempt_view(self) -> AttemptView:
        """The attempt's standing."""
        summary = await self.attempt.writer.summary()
        return await self._attempt_view(summary, await self._revealed_verdict(summary))

    async def _revealed_verdict(self, summary: Summary) -> Revealed | None:
        verdict = summary.verdict
        return await asyncio.to_thread(self.attempt.runs.reveal, verdict) if verdict is not None else None

    async def _attempt_view(self, summary: Summary, revealed: Revealed | None) -> AttemptView:
        verdict, pending_run = summary.verdict, self.attempt.runs.pending_run(summary.next_run_number)
        if pending_run is None and self.is_held_elsewhere and summary.open_run_numbers_by_id:
            pending_run = PendingRun(max(summary.open_run_numbers_by_id.values()))
        return attempt_view(
            summary.state,
            newest_verdict=ShownVerdict.from_revealed(verdict.number, revealed, verdict.at)
            if verdict is not None and revealed is not None
            else None,
            pending_run=pending_run,
            first_passed_run=summary.first_pass.number if summary.first_pass is not None else None,
            has_changed_files=not summary.state.ended and not await self.attempt.runs.is_verdict_about_present_files(),
            is_withdrawn=summary.abandon_reason == CONSENT_WITHDRAWN,
            problem_kind=self.problem.kind,
        )

    # What the editor reports

    async def record_saved(self, workspace_path: str, content: bytes) -> None:
        """A file was saved; returns once the event is on disk."""
        self._report_if_continued_elsewhere()
        await self.recorder.record_saved(workspace_path, content)
        if workspace_path == ANSWER:
            self.draft = None

    async def record_lint_counts(
        self, workspace_path: str, errors_and_warnings_by_tool: Mapping[str, tuple[int, int]]
    ) -> None:
        """Record how many errors and warnings each tool found in a file."""
        by_source = {
            name: ProblemCount(errors=error_count, warnings=warning_count)
            for name, (error_count, warning_count) in errors_and_warnings_by_tool.items()
        }
        await self.attempt.writer.append_unless_ended(Diagnostics(path=workspace_path, counts=by_source))


def standing_view(view: AttemptView) -> StandingView:
    """The message for the standing of an attempt."""
    return StandingView(
        standing=view.standing,
        sign=view.sign,
        short=view.short,
        headline=view.headline,
        run=view.run,
        decided_at=_utc_iso_text(view.decided_at) if view.decided_at is not None else None,
        newest_run=view.newest_run,
    )


def _verdict_view(verdict: AttemptVerdict, revealed_verdict: Revealed, test_groups: Sequence[TestGroup]) -> VerdictView:
    return VerdictView(
        outcome=revealed_verdict.outcome,
        reason=revealed_verdict.reason,
        message=revealed_verdict.message,
        tests=TestCount(passed=revealed_verdict.passed_count or 0, total=revealed_verdict.total)
        if revealed_verdict.total is not None
        else None,
        lines=[TestLine(**asdict(test)) for test in revealed_verdict.tests] or None,
        compiler=[CompilerLine(**message.model_dump()) for message in revealed_verdict.compiler] or None,
        test_groups=[
            GroupLine(title=score.title, points=score.points, passed=score.is_passed)
            for score in group_scores(test_groups, revealed_verdict.tests)
        ]
        or None,
        quality=quality_lines(revealed_verdict.quality),
        log=revealed_verdict.log,
        reveal=revealed_verdict.policy,
        policy_sentence=revealed_verdict.policy_sentence,
        wall_s=revealed_verdict.wall_s,
        number=verdict.number,
        finished_at=_utc_iso_text(verdict.at),
    )


def _utc_iso_text(time: datetime) -> str:
    return time.astimezone(UTC).isoformat(timespec="seconds")


def quality_lines(quality: ComparedQuality | None) -> list[QualityLine] | None:
    """The message for a design's quality; None if it was not measured."""
    if quality is None:
        return None
    return [QualityLine(measure=field, solution=ours, reference=theirs) for field, ours, theirs in quality.measures]


def _unsaved_answer_or_none(replayed_file: ReplayedFile | None, workspace: Workspace) -> str | None:
    """The answer as last typed. None if it was saved."""
    if replayed_file is None or replayed_file.data in (None, workspace.read(ANSWER)):
        return None
    return replayed_file.text
