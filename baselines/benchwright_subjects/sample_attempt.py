"""One sample of Inspect's as an attempt: the engine of attempts in front of a model or an agent.

The attempt's name follows from Inspect's task, the problem and the epoch. So a sample that is tried again, in the same
run or by `inspect eval-retry`, continues its attempt: from its last checkpoint, or, if its solver left none, from the
starting files. One whose attempt has ended is not asked again.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio
from inspect_ai.util import LimitExceededError
from pydantic import JsonValue

from benchwright_attempts.actor import Actor, KnownActor
from benchwright_attempts.adapter import SolverAdapter
from benchwright_attempts.attribution_method import AttributionMethod
from benchwright_attempts.clock.clock import AttemptState
from benchwright_attempts.engine import Attempt
from benchwright_attempts.errors import UnknownAttemptError
from benchwright_attempts.events.event_body import Request
from benchwright_attempts.events.events import (
    Edit,
    Event,
    Interrupted,
    Opened,
    RunCancelled,
    Save,
    TextCause,
    TextSet,
    Tick,
)
from benchwright_attempts.events.evidence import Assigned, Continued, EditReason, ModelUsage, TimeExcluded
from benchwright_attempts.events.file_text import FileText, sha256
from benchwright_attempts.grading.grading import ANSWER, judged_paths
from benchwright_attempts.grading.run_records import RunRecords
from benchwright_attempts.log.record import AttemptHeader
from benchwright_attempts.summary.summary import AttemptVerdict, Summary
from benchwright_attempts.terms import Terms
from benchwright_problems.errors import PatchError
from benchwright_problems.problem import Problem, ProblemKind
from benchwright_problems.repository.build_output import solution_diff_of_files
from benchwright_problems.repository.changes import CHANGES, changed_content_by_path
from benchwright_problems.verdict import Reason, Verdict
from benchwright_subjects.agents.text_difference import text_changes
from benchwright_subjects.checkpoint import Checkpoint, SolverState, kept_checkpoint
from benchwright_subjects.evaluation.provider_failure import FailedRequest, ProviderError, no_reply_error
from benchwright_subjects.evaluation.services import EvaluationServices
from benchwright_subjects.evaluation.usage import count_earlier_usage, knowledge_cutoff
from benchwright_subjects.inspect_private import sample_clock, sample_waiting_time

DECLINED = "content_filter"
"""Inspect's reason to stop where a model, or its provider's filter, refuses."""
_SHORTEST_WAIT_S = 0.1
"""Waits that add up to less are not taken off the clock: every request has some."""


@dataclass(frozen=True)
class SolvingSubject:
    """The subject that solves, and its terms."""

    name: str
    """The model, or the agent and its model."""
    model: str
    """As Inspect names it."""
    terms: Terms
    study_attempt_id: str = ""
    """Its id in a study, which does not follow from Inspect's task."""
    knowledge_cutoff: str = ""
    """The end of what it was trained on, `YYYY-MM-DD` or `YYYY-MM`; as Inspect knows it if empty."""
    statement_facts: Mapping[str, JsonValue] = field(default_factory=dict)
    """For records: which statement is asked, if it is not the problem's own."""
    program_facts: Mapping[str, JsonValue] = field(default_factory=dict)
    """For records: which program works with the model, and with which settings."""
    start_files: Mapping[str, bytes] = field(default_factory=dict)
    """Files at the start besides the problem's starting files, or in place of them."""
    works_in_tree: bool = False
    """True if it works on the files of a repository; otherwise its solution of one is a diff."""

    @property
    def assigned(self) -> Assigned | None:
        """The assignment of the attempt by a study's plan. None outside studies."""
        return self.terms.assigned

    @property
    def configuration_sha256(self) -> str:
        """Digest of the program's configuration; empty if none works."""
        return str(self.program_facts.get("configuration_sha256", ""))


class SampleAttempt(SolverAdapter):
    """An attempt while its sample runs.

    Args:
        services: Services of the task.
        header: The attempt.
        problem: Its problem, without the hidden part.
        subject: The subject that solves.
    """

    actor = KnownActor(Actor.AGENT, AttributionMethod.ONLY_WRITER)

    def __init__(
        self,
        services: EvaluationServices,
        header: AttemptHeader,
        problem: Problem,
        subject: SolvingSubject,
    ) -> None:
        self.attempt = Attempt(services, header, problem, subject.terms, self, ends_at_limit=False)
        self.header = header
        self.problem = problem
        self.terms = subject.terms
        self.tree_files = problem.public.tree.read_all() if subject.works_in_tree and problem.public.tree else {}
        """Files of the repository that the solver works on, at its start; no event has them before they change."""
        self.files = {**self.tree_files, **starting_files(problem), **subject.start_files}
        """The given files, and those that the solver has written so far."""
        self.checkpoint: Checkpoint | None = None
        """The point from which the solver continues; None if it begins."""
        self.unseen_verdict: AttemptVerdict | None = None
        """The verdict of a run that was asked for after the checkpoint, so that the solver does not know of it."""
        self.earlier_verdict: AttemptVerdict | None = None
        """The verdict of an attempt that had ended before this sample began."""
        self.reply_count = 0
        """Replies of the model."""
        self.recorded_usage: dict[str, ModelUsage] = {}
        """Tokens that each model has used, as far as they are in the log."""
        self.unusable: Verdict | None = None
        """The verdict on a reply without files, or that a filter has ended."""
        self.break_reason = ""
        """The failure that broke the solver off: of the provider, the sandbox, or a bug. Empty where nothing did."""
        self.provider_failure = ""
        """What the model's provider did, if that broke the solver off."""
        self.failed_requests: Callable[[], list[FailedRequest]] = list
        """The requests to the model that were sent again."""
        self._solving_from_s = 0.0
        """When the solver began, on Inspect's clock."""
        self._excluded_s = 0.0
        """Seconds of its waits that are in the log."""
        self.confidence: float | None = None
        """The probability that the work is right, as the solver states it, from 0 to 1; None if it does not."""
        self.submitted = False
        """True if the solver says that it is done."""
        self.unsubmitted_reason = "it stopped without submitting"
        """Why nothing is submitted, if nothing is."""
        self.out_of_time_s: float | None = None
        """The study's time limit in seconds, once it has passed."""
        self._services = services
        self._cutoff = subject.knowledge_cutoff
        self._configuration = subject.configuration_sha256
        self._checkpoint_file = RunRecords(services.home, header.id).checkpoint_file
        self._versions: dict[str, int] = {}
        self._recorded_solution: bytes | None = None
        self._paths_in_log: set[str] = self.files.keys() - self.tree_files.keys()

    @classmethod
    async def begin_or_continue(
        cls,
        services: EvaluationServices,
        task_name: str,
        ref: str,
        problem: Problem,
        epoch: int,
        subject: SolvingSubject,
    ) -> SampleAttempt:
        """Begins the attempt of a sample, or continues it from its last checkpoint or from the starting files.

        Args:
            services: Services of the task.
            task_name: Inspect's name of the task, which retries keep.
            ref: `pack/id`.
            problem: Public part.
            epoch: Rank of the sample among those of the problem, from 1.
            subject: The subject that solves.
        """
        name = subject.study_attempt_id or _attempt_id(task_name, ref, epoch, subject)
        log = services.log
        try:
            header = await asyncio.to_thread(log.header, name)
        except UnknownAttemptError:
            header = AttemptHeader(
                id=name,
                problem=ref,
                problem_digest=problem.public_digest,
                workspace="",
                solver=subject.name,
                condition=subject.terms.condition,
                created=log.moment().wall,
                study=subject.assigned.study if subject.assigned else "",
            )
            sample = cls(services, header, problem, subject)
            opened_event = Opened(
                files={
                    path: FileText.of_bytes(content)
                    for path, content in sample.files.items()
                    if path not in sample.tree_files
                }
            )
            await asyncio.to_thread(log.create, header, opened_event)
            if facts := {**subject.statement_facts, **subject.program_facts}:
                await sample.record_event(ModelUsage(model=subject.model, parameters=facts))
        else:
            sample = cls(services, header, problem, subject)
        await sample._start_or_resume_unless_ended()
        return sample

    def current_judged_files(self) -> Mapping[str, bytes]:
        """The files that the verdict is about; of a repository that it works on, the difference to its start."""
        if not self.tree_files:
            return {path: self.files[path] for path in judged_paths(self.problem) if path in self.files}
        self.unusable = None
        try:
            return {CHANGES: solution_diff_of_files(self.tree_files, self.files)}
        except PatchError as error:
            self.unusable = Verdict(reason=Reason.UNREADABLE, detail=f"{error}.")
            return {}

    def on_files_taken_for_run(self, files: Mapping[str, bytes]) -> None:
        """A run has taken a difference, which nobody has written: the log gets it beside the files."""
        changes_diff = files.get(CHANGES)
        if self.tree_files and changes_diff is not None and changes_diff != self._recorded_solution:
            self._recorded_solution = changes_diff
            derived = TextSet(path=CHANGES, cause=TextCause.RESYNC, file=FileText.of_bytes(changes_diff))
            self._services.log.append_nowait(self.header.id, derived)

    @property
    def checkpoint_files(self) -> Mapping[str, bytes]:
        """The files of a checkpoint: of a repository, the difference to its start."""
        return self.current_judged_files() if self.tree_files else self.files

    def verdict_if_ungradable(self) -> Verdict | None:
        """The verdict on a reply without files, or that a filter has ended."""
        return self.unusable

    async def record_event(self, event: Event) -> None:
        """Records an event; returns when it is on disk."""
        await self._services.log.append(
            self.header.id, event.with_actor_if_missing(self.actor) if isinstance(event, Request) else event
        )

    async def write_file(self, path: str, content: bytes, cause: TextCause = TextCause.WRITTEN) -> None:
        """The solver has written a file."""
        if self.files.get(path) == content:
            return
        self.files[path] = content
        self._paths_in_log.add(path)
        await self.record_event(TextSet(path=path, cause=cause, file=FileText.of_bytes(content)))
        await self.record_event(Save(path=path, sha256=sha256(content), size=len(content)))

    async def record_program_edit(
        self,
        path: str,
        content: bytes | None,
        program_name: str,
        *,
        reason: str = "agent",
        metadata: Mapping[str, JsonValue] | None = None,
    ) -> None:
        """A program has changed a file: where both are text, the difference is recorded.

        Args:
            path: The file.
            content: Its whole content; None if it is not there any more.
            program_name: The program.
            reason: Reason of the edit in the words of `EditReason`.
            metadata: Further properties of the source.
        """
        old_content = self.files.get(path)
        if old_content == content:
            return
        if content is None:
            await self.remove_file(path)
            return
        old_file, new_file = (
            None if file_content is None else FileText.of_bytes(file_content) for file_content in (old_content, content)
        )
        if (
            old_file is None
            or new_file is None
            or old_file.text is None
            or new_file.text is None
            or old_file.bom != new_file.bom
        ):
            await self.write_file(path, content)
            return
        if path not in self._paths_in_log:
            self._paths_in_log.add(path)
            await self.record_event(TextSet(path=path, cause=TextCause.OPENED, file=old_file))
        self.files[path] = content
        version = self._versions[path] = self._versions.get(path, 0) + 1
        edit_reason = EditReason(
            path=path,
            version=version,
            reason=reason,
            metadata={"name": program_name, **(metadata or {})},
            method=AttributionMethod.ONLY_WRITER,
        )
        await self.record_event(edit_reason)
        await self.record_event(Edit(path=path, version=version, changes=text_changes(old_file.text, new_file.text)))
        await self.record_event(Save(path=path, sha256=sha256(content), size=len(content)))

    async def start_run_after_save(self) -> None:
        """Starts a run on the present files while the solver works on: it sees nothing of it, and its clock runs."""
        self.works_during_runs = True
        await self.attempt.runs.cancel("newer_save")
        self.attempt.runs.start()

    def file_version(self, path: str) -> int:
        """The version of a file, from 0, as events of edits count it."""
        return self._versions.get(path, 0)

    async def remove_file(self, path: str) -> None:
        """The solver has deleted a file."""
        del self.files[path]
        await self.record_event(TextSet(path=path, cause=TextCause.DELETED, file=None))

    async def record_usage(self, usage: ModelUsage) -> None:
        """A model was asked."""
        if cutoff := self._cutoff or knowledge_cutoff(usage.model):
            usage_parameters = {**usage.parameters, "knowledge_cutoff": cutoff}
            usage = usage.model_copy(update={"parameters": usage_parameters})
        await self.record_event(usage)
        self._count_usage(usage)

    def _count_usage(self, usage: ModelUsage) -> None:
        previous_usage = self.recorded_usage.get(usage.model)
        self.recorded_usage[usage.model] = summed_usage(previous_usage, usage) if previous_usage else usage

    @asynccontextmanager
    async def solving_within_time_limit(self) -> AsyncIterator[None]:
        """The block in which the solver works: cancelled once the attempt's active time is used up.

        What breaks it off is noted: nothing was submitted, and the sample is tried again.
        """
        self._solving_from_s, self._excluded_s = sample_clock(), 0.0
        self.attempt.clock.unrecorded_wait_s = self._unrecorded_wait_s
        try:
            async with self._within_time_limit():
                yield
        except LimitExceededError:
            raise
        except Exception as error:
            if isinstance(error, ProviderError):
                self.break_reason = self.provider_failure = error.sentence
            else:
                self.break_reason = f"{type(error).__name__}: {error}"
            raise
        finally:
            with anyio.CancelScope(shield=True):
                await self.exclude_provider_waits()
            self.attempt.clock.unrecorded_wait_s = lambda: 0.0

    async def exclude_provider_waits(self) -> None:
        """Takes the time off the clock that the model's provider failed, was waited for, or was busy with others."""
        wait_s = round(self._unrecorded_wait_s(), 3)
        if wait_s >= _SHORTEST_WAIT_S:
            self._excluded_s += wait_s
            await self.attempt.writer.append_unless_ended(TimeExcluded(excluded_s=wait_s, reason="provider"))

    def _unrecorded_wait_s(self) -> float:
        return max(0.0, sample_waiting_time(self._solving_from_s) - self._excluded_s)

    def refuse_if_never_replied(self) -> None:
        """Notices that the time limit was over before the model had replied once: that says nothing of the model.

        Raises:
            ProviderError: It was.
        """
        if self.out_of_time_s is not None and self.reply_count == 0:
            error = no_reply_error(self.out_of_time_s, self.failed_requests())
            self.break_reason = self.provider_failure = error.sentence
            raise error

    @asynccontextmanager
    async def _within_time_limit(self) -> AsyncIterator[None]:
        if self.terms.time_limit_s is None:
            yield
            return
        with anyio.CancelScope() as scope:
            watching = asyncio.create_task(self._cancel_at_time_limit(scope))
            try:
                yield
            finally:
                watching.cancel()
        if scope.cancelled_caught:
            self.out_of_time_s = self.terms.time_limit_s

    async def _cancel_at_time_limit(self, cancel_scope: anyio.CancelScope) -> None:
        await self.attempt.clock.wait_for_time_limit()
        cancel_scope.cancel()

    async def keep_checkpoint(self, solver_state: SolverState) -> None:
        """Keeps the present as the point from which the solver can continue."""
        if self.unusable is not None:
            return
        await self.exclude_provider_waits()
        # The log is to know the time until here, whenever this process ends.
        await self.attempt.writer.append_unless_ended(Tick())
        summary = await self.attempt.writer.summary()
        checkpoint = Checkpoint(
            seq=summary.seq,
            active_s=summary.clock.active_s,
            limited_from_s=self.attempt.clock.limited_from_s,
            configuration=self._configuration,
            solver_state=solver_state,
        )
        await asyncio.to_thread(checkpoint.keep, self._checkpoint_file)

    def forget_checkpoint(self) -> None:
        """Removes the checkpoint: the attempt has ended, or its solver can't continue from there."""
        self._checkpoint_file.unlink(missing_ok=True)

    async def _start_or_resume_unless_ended(self) -> None:
        """Starts the clock, or lets it run again; an attempt that has ended stays as it is."""
        summary = await self.attempt.continue_from_log()
        if summary.state.ended:
            self.earlier_verdict = summary.verdict
            return
        assigned = self.terms.assigned
        if assigned is not None and assigned.type not in summary.event_types:
            await self.record_event(assigned)
        match summary.state:
            case AttemptState.OPEN:
                await self.attempt.start()
            case AttemptState.RUNNING:
                await self.record_event(Interrupted())
                await self._continue_or_begin_again(summary)
            case _:
                await self.attempt.resume()
                await self._continue_or_begin_again(summary)
        await self._reset_files(summary)

    async def _continue_or_begin_again(self, summary: Summary) -> None:
        """Goes back to the last checkpoint. What was paid for since then stays counted, and is asked for again."""
        checkpoint = await asyncio.to_thread(kept_checkpoint, self._checkpoint_file, self._configuration)
        if checkpoint is None:
            self.forget_checkpoint()
            # It has the whole time again.
            self.attempt.clock.limited_from_s = summary.clock.active_s
            await self.record_event(Continued())
            return
        self.checkpoint = checkpoint
        self.attempt.clock.limited_from_s = checkpoint.limited_from_s
        self.files = self._files_of_checkpoint(checkpoint.solver_state.files)
        repeated_s = round(summary.clock.active_s - checkpoint.active_s, 3)
        if repeated_s > 0:
            await self.record_event(TimeExcluded(excluded_s=repeated_s, reason="repeated"))
        if summary.verdict is not None and summary.verdict.seq > checkpoint.seq:
            self.unseen_verdict = summary.verdict
        await self.record_event(Continued(checkpoint=checkpoint.seq))
        for recorded in await asyncio.to_thread(self._services.log.events, self.header.id):
            if isinstance(recorded.event, ModelUsage) and recorded.event.calls:
                self._count_usage(recorded.event)
                self.reply_count += recorded.event.calls
            elif isinstance(recorded.event, Continued) and recorded.event.checkpoint is None:
                self.recorded_usage, self.reply_count = {}, 0
        for model, model_usage in self.recorded_usage.items():
            count_earlier_usage(model, model_usage)

    def _files_of_checkpoint(self, kept_files: Mapping[str, bytes]) -> dict[str, bytes]:
        tree = self.problem.public.tree
        if not self.tree_files or tree is None:
            return dict(kept_files)
        files = self.tree_files | changed_content_by_path(tree, kept_files[CHANGES].decode())
        return {path: content for path, content in files.items() if content is not None}

    async def _reset_files(self, summary: Summary) -> None:
        self._paths_in_log |= summary.files.keys()
        for run in summary.snapshots:
            await self.record_event(RunCancelled(run=run, number=summary.next_run_number, reason="interrupted"))
        for path in summary.files.keys() - self.files.keys():
            await self.record_event(TextSet(path=path, cause=TextCause.DELETED, file=None))
        for path, content in self.files.items():
            if path in self._paths_in_log and summary.files.get(path) != sha256(content):
                await self.record_event(TextSet(path=path, cause=TextCause.RESYNC, file=FileText.of_bytes(content)))
                await self.record_event(Save(path=path, sha256=sha256(content), size=len(content)))


def _attempt_id(task_name: str, ref: str, epoch: int, subject: SolvingSubject) -> str:
    variant = f"\n{subject.statement_facts['statement_sha256']}" if subject.statement_facts else ""
    return sha256(f"{task_name}\n{ref}\n{epoch}\n{subject.terms.condition}{variant}".encode())[:32]


def starting_files(problem: Problem) -> dict[str, bytes]:
    """The files that a solver begins with."""
    files = {path: text.encode() for path, text in problem.public.files.items()}
    return files if problem.kind is ProblemKind.DESIGN else files | {ANSWER: b""}


def summed_usage(first_usage: ModelUsage, second_usage: ModelUsage) -> ModelUsage:
    """The joint usage of two requests to a model."""
    count_fields = (
        "calls",
        "input_tokens",
        "output_tokens",
        "reasoning_tokens",
        "cache_read_tokens",
        "cache_write_tokens",
        "total_tokens",
    )
    sums: dict[str, int | float | None] = {
        name: getattr(first_usage, name) + getattr(second_usage, name) for name in count_fields
    }
    for name in ("cost_usd", "wall_s"):
        amounts = [value for value in (getattr(first_usage, name), getattr(second_usage, name)) if value is not None]
        sums[name] = sum(amounts) if amounts else None
    return first_usage.model_copy(update=sums)
