"""One agent's work on one sample: started with the task, answered by the model, and every change recorded."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Coroutine, Iterator, Mapping
from dataclasses import replace
from typing import Any

import anyio
from inspect_ai.agent import AgentState
from inspect_ai.log import transcript
from inspect_ai.model import Model, ModelOutput, get_model

from benchwright_attempts.errors import EvaluationError
from benchwright_attempts.events.events import Event
from benchwright_attempts.events.evidence import ModelUsage, Violation
from benchwright_attempts.grading.grading import judged_paths
from benchwright_problems.problem import ProblemKind
from benchwright_subjects.agent_workspace import plain_files_below
from benchwright_subjects.agents.acp.conversation import Conversation
from benchwright_subjects.agents.acp.tool_calls import ToolCalls
from benchwright_subjects.agents.agent_sandbox import AgentSandbox, cancelled_at_block_end
from benchwright_subjects.agents.folder_watch import FileState, FolderWatch, PathState, path_state
from benchwright_subjects.agents.launch import AgentEnd, AgentEnding, AgentLaunch
from benchwright_subjects.agents.session_copies import SessionCopies
from benchwright_subjects.bridge import ModelBridge
from benchwright_subjects.bridge.http_server import serve_bridge
from benchwright_subjects.checkpoint import SessionLostError, SolverState
from benchwright_subjects.evaluation import usage
from benchwright_subjects.evaluation.budget import count_cost, refuse_if_budget_is_spent
from benchwright_subjects.evaluation.services import EvaluationServices
from benchwright_subjects.sample_attempt import SampleAttempt
from benchwright_subjects.tree_folder import TreeFolder

_NOT_STARTED = (126, 127)
_CONTINUE = (
    "You were interrupted. The files are as they were when you last asked your model; what you did after that is lost, "
    "and commands that ran have ended. Continue with the task."
)
_MOST_WAITING = 256
"""Changes that wait to be recorded. Of a program that writes faster than that, those in between are left out."""


async def let_agent_work_on_sample(
    services: EvaluationServices,
    sample: SampleAttempt,
    launch: AgentLaunch,
    prompt: str,
    agent_state: AgentState,
    seed: int | None,
) -> AgentState:
    """Let an agent work until it ends or a limit ends it. What it has done by then counts.

    An agent that can continue leaves a checkpoint before each request to its model.

    Returns:
        The conversation that went over the bridge.

    Raises:
        EvaluationError: The end says nothing of the agent: it could not start or continue, or its model could not be
            asked.
    """
    recorder = _ChangeRecorder(sample, launch.title or "agent", grades_saves=launch.grades_saves)
    talk = Conversation(ToolCalls(recorder.queue_event))
    with AgentSandbox.temporary_with_files(services.sandbox, services.toolchain, _folder_files(sample)) as box:
        checkpoints = _Checkpoints(sample, launch, box, talk)

        async def record_and_keep() -> None:
            await recorder.record_changes_until_now()
            await checkpoints.keep_checkpoint()

        bridge = ModelBridge(agent_state, recorder.record_usage, seed, record_and_keep)
        try:
            async with sample.solving_within_time_limit():
                async with (
                    checkpoints.copying_session(),
                    serve_bridge(bridge, box.bridge_address, box.user),
                    _recording_while_watching(recorder, box) as recording,
                ):
                    agent_run = checkpoints.agent_run(prompt)
                    agent_end = await _agent_end_unless_failure(agent_run, bridge.failure, recording)
                checkpoints.refuse_lost_session(agent_end, bridge)
                _record_end_or_raise(sample, agent_end, bridge)
        except SessionLostError:
            sample.forget_checkpoint()
            raise
        finally:
            # Also where a limit has ended it.
            with anyio.CancelScope(shield=True):
                await recorder.record_final_files(box)
                sample.works_during_runs = False
                if launch.acp is not None:
                    await _record_conversation(sample, talk)
    return bridge.state


def _folder_files(sample: SampleAttempt) -> Mapping[str, bytes]:
    """Files of the agent's folder when it begins, or continues."""
    if sample.checkpoint is None:
        return sample.files
    return (
        sample.files
        if sample.tree_files
        else {**sample.checkpoint.solver_state.folder_files, **sample.current_judged_files()}
    )


class _Checkpoints:
    """Checkpoints of an agent, and its start from one.

    Args:
        sample: Attempt of the agent.
        launch: The agent's program.
        agent_sandbox: Its folders.
        conversation: What it says, if it speaks ACP.
    """

    def __init__(
        self,
        sample: SampleAttempt,
        launch: AgentLaunch,
        agent_sandbox: AgentSandbox,
        conversation: Conversation,
    ) -> None:
        self._sample = sample
        self._launch = launch
        self._sandbox = agent_sandbox
        self._conversation = conversation
        self._copies: SessionCopies | None = None

    @contextlib.asynccontextmanager
    async def copying_session(self) -> AsyncIterator[None]:
        """The block in which the session of an agent that has one can be copied."""
        if not self._launch.session_paths:
            yield
            return
        async with SessionCopies.listen_at(self._sandbox.copies_address, self._sandbox.user) as self._copies:
            yield

    def agent_run(self, prompt: str) -> Coroutine[None, None, AgentEnd]:
        """The agent's work, from its checkpoint if there is one."""
        launch, problem, session_copy = self._launch, self._sample.problem, b""
        if self._sample.checkpoint is not None:
            solver_state = self._sample.checkpoint.solver_state
            prompt, session_copy = _CONTINUE, solver_state.session_copy
            self._conversation.session_id = solver_state.session
            launch = replace(launch, command=launch.resume_command or launch.command)
        if launch.acp is None:
            return self._sandbox.run(launch, problem, prompt, session_copy)
        from benchwright_subjects.agents.acp.turn import run_agent_by_acp

        return run_agent_by_acp(self._sandbox, launch, problem, prompt, self._conversation, session_copy)

    async def keep_checkpoint(self) -> None:
        """Keep a checkpoint, if the agent can continue from one; it waits for its model's answer meanwhile."""
        can_continue = bool(self._launch.resume_command or self._conversation.session_id)
        session_copy = await self._copies.request_copy() if can_continue and self._copies is not None else None
        if session_copy is None:
            return
        # All of a repository is recorded, but for what a build leaves.
        folder_files = {} if self._sample.tree_files else await asyncio.to_thread(plain_files_below, self._sandbox.code)
        judged = set(judged_paths(self._sample.problem))
        solver_state = SolverState(
            files=self._sample.checkpoint_files,
            folder_files={path: content for path, content in folder_files.items() if path not in judged},
            session=self._conversation.session_id,
            session_copy=session_copy,
        )
        await self._sample.keep_checkpoint(solver_state)

    def refuse_lost_session(self, agent_end: AgentEnd, bridge: ModelBridge) -> None:
        """Notice that an agent has failed to continue.

        Raises:
            SessionLostError: It ended without a request to its model.
        """
        if self._sample.checkpoint is not None and agent_end.ending is not AgentEnding.DONE and not bridge.requests:
            raise SessionLostError(agent_end.failure_reason)


async def _record_conversation(sample: SampleAttempt, conversation: Conversation) -> None:
    for path in conversation.outside:
        await sample.record_event(Violation(rule="path_outside_folder", detail=path))
    await sample.record_event(ModelUsage(model=str(get_model()), parameters=conversation.facts))


def _record_end_or_raise(sample: SampleAttempt, agent_end: AgentEnd, bridge: ModelBridge) -> None:
    """Notes how the agent has ended, for the log of Inspect and for the attempt.

    Raises:
        EvaluationError: The agent could not start.
        ProviderError: The provider failed at its last request, so that it went on, or gave up, without an answer.
    """
    transcript().info(
        {
            "ending": agent_end.ending.value,
            "code": agent_end.code,
            "stdout": agent_end.stdout,
            "stderr": agent_end.stderr,
        }
    )
    is_done = agent_end.ending is AgentEnding.DONE
    if bridge.provider_error is not None and not (is_done and bridge.provider_error.is_about_request):
        raise bridge.provider_error
    sample.submitted = is_done
    if is_done:
        return
    message = f"The agent stopped: {agent_end.failure_reason}"
    # What the shell says of a program that is not there, or can't be run. A program that ran can say so, too.
    if agent_end.code in _NOT_STARTED and not bridge.requests:
        raise EvaluationError(message)
    sample.unsubmitted_reason = agent_end.failure_reason


class _ChangeRecorder:
    """Records changes to files and calls of tools, one after the other.

    Args:
        sample: Attempt to which the files belong.
        program_name: The one who writes them.
        grades_saves: True if the hidden tests run on each change.
    """

    def __init__(self, sample: SampleAttempt, program_name: str, *, grades_saves: bool = False) -> None:
        self._sample = sample
        self._subject = program_name
        self._grades_saves = grades_saves and sample.problem.kind is ProblemKind.DESIGN
        self._waiting: list[PathState | Event] = []
        self._has_more = asyncio.Event()
        self._turn = asyncio.Lock()
        self._watch: FolderWatch | None = None
        self._tree_folder: TreeFolder | None = None

    def queue_change(self, file_state: PathState) -> None:
        """A file has changed."""
        if len(self._waiting) >= _MOST_WAITING:
            for index in reversed(range(len(self._waiting))):
                waiting = self._waiting[index]
                if isinstance(waiting, PathState) and waiting.path == file_state.path:
                    del self._waiting[index]
                    break
        self._append_change_or_event(file_state)

    def queue_event(self, event: Event) -> None:
        """The agent has reported something; what it has changed before comes first."""
        if self._watch is not None:
            self._watch.report_changes_now()
        asyncio.get_running_loop().call_soon(self._append_change_or_event, event)

    def _append_change_or_event(self, change_or_event: PathState | Event) -> None:
        self._waiting.append(change_or_event)
        self._has_more.set()

    async def record_until_cancelled(self) -> None:
        """Record what comes, until it is cancelled."""
        while True:
            await self._has_more.wait()
            self._has_more.clear()
            await self._record_all_waiting()

    async def _record_all_waiting(self) -> None:
        while self._waiting:
            # Once it has begun, a change is recorded to its end, before the next one.
            await asyncio.shield(self._record_next_waiting())

    async def _record_next_waiting(self) -> None:
        async with self._turn:
            if not self._waiting:
                return
            waiting = self._waiting.pop(0)
            if not isinstance(waiting, PathState):
                await self._sample.record_event(waiting)
                return
            old_content = self._sample.files.get(waiting.path)
            await self._record_edit(waiting)
            if self._grades_saves and self._sample.files.get(waiting.path) != old_content:
                await self._sample.start_run_after_save()

    async def _record_edit(self, file_state: PathState) -> None:
        await self._sample.record_program_edit(file_state.path, file_state.content, self._subject)

    async def record_changes_until_now(self) -> None:
        """Record all that has changed until now: what an agent did before it asks its model comes before the answer.

        Raises:
            EvaluationError: The run has no money left to ask.
        """
        if self._watch is not None:
            self._watch.report_changes_now()
            await asyncio.sleep(0)
        await self._record_all_waiting()
        await self._record_tree_changes()
        refuse_if_budget_is_spent()

    async def _record_tree_changes(self) -> None:
        """Record what has changed in the repository since it was last read."""
        if self._tree_folder is None:
            return
        async with self._turn:
            contents = await asyncio.to_thread(self._tree_folder.read_files)
            changed_paths = [
                path
                for path in sorted({*contents, *self._sample.files})
                if contents.get(path) != self._sample.files.get(path)
            ]
            for path in changed_paths:
                await self._sample.record_program_edit(path, contents.get(path), self._subject)
        if changed_paths and self._grades_saves:
            await self._sample.start_run_after_save()

    async def record_usage(self, model: Model, output: ModelOutput) -> None:
        """The model has answered."""
        self._sample.reply_count += 1
        await self._sample.exclude_provider_waits()
        count_cost(output)
        model_usage = usage.reply_usage(str(model), output)
        if model_usage is not None:
            async with self._turn:
                await self._sample.record_usage(model_usage)

    @contextlib.contextmanager
    def watch_sandbox(self, agent_sandbox: AgentSandbox) -> Iterator[None]:
        """Take what changes in the sandbox while the block lasts; of a repository, whenever a model is asked."""
        if self._sample.tree_files:
            self._tree_folder = TreeFolder(agent_sandbox.code, self._sample.tree_files)
            yield
            return
        watch = FolderWatch(agent_sandbox.code, judged_paths(self._sample.problem), self.queue_change)
        with watch.watch_for_block():
            self._watch = watch
            try:
                yield
            finally:
                self._watch = None

    async def record_final_files(self, agent_sandbox: AgentSandbox) -> None:
        """Record the rest, and what can't be read in the end."""
        await self._record_all_waiting()
        if self._tree_folder is not None:
            await self._record_tree_changes()
            for path in self._tree_folder.unreadable:
                await self._sample.record_event(
                    Violation(rule="unreadable_file", detail=f"{path}: {FileState.NOT_A_FILE.value}")
                )
            return
        for path in judged_paths(self._sample.problem):
            found_file = path_state(agent_sandbox.code, path)
            async with self._turn:
                await self._record_edit(found_file)
            if found_file.state not in (FileState.PLAIN, FileState.MISSING):
                await self._sample.record_event(
                    Violation(rule="unreadable_file", detail=f"{path}: {found_file.state.value}")
                )


@contextlib.asynccontextmanager
async def _recording_while_watching(
    recorder: _ChangeRecorder, agent_sandbox: AgentSandbox
) -> AsyncIterator[asyncio.Task[None]]:
    recording = asyncio.create_task(recorder.record_until_cancelled())
    async with cancelled_at_block_end(recording):
        with recorder.watch_sandbox(agent_sandbox):
            yield recording


async def _agent_end_unless_failure(
    agent_run: Coroutine[None, None, AgentEnd], bridge_failure: asyncio.Future[Exception], recording: asyncio.Task[None]
) -> AgentEnd:
    """The agent's end, unless something of ours fails before.

    Raises:
        Exception: What failed.
    """
    agent = asyncio.create_task(agent_run)
    async with cancelled_at_block_end(agent):
        awaited: set[asyncio.Future[Any]] = {agent, bridge_failure, recording}
        await asyncio.wait(awaited, return_when=asyncio.FIRST_COMPLETED)
        if bridge_failure.done():
            raise bridge_failure.result()
        if recording.done():
            recording.result()
        return await agent
