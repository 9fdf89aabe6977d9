"""How a sample is solved: in one reply, by an agent with tools, or by a command-line agent."""

from __future__ import annotations

import asyncio
import contextlib
import shlex

import anyio
from inspect_ai.agent import AgentState, sandbox_agent_bridge
from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.model import (
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    execute_tools,
    get_model,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import ExecResult, OutputLimitExceededError, sandbox

from benchwright_attempts.errors import EvaluationError
from benchwright_attempts.grading import judged_paths
from benchwright_attempts.grading_runs import QUEUE
from benchwright_subjects import usage
from benchwright_subjects.agent_workspace import MOST_BYTES, AgentWorkspace
from benchwright_subjects.sample_attempt import DECLINED, SampleAttempt
from benchwright_subjects.task_run import TaskRun
from benchwright_subjects.tools import agent_tools

# Inspect writes the arguments of registered functions into its logs, so these have none: they close over them.

_AGENT = (
    "You are an experienced hardware designer and work in a folder with the files of a task, by means of tools."
    " Read what is given, change or write the files that the task names, and check them: lint them, write testbenches"
    " of your own, simulate. Hidden tests decide in the end, and you can't read them. Call submit when you are done."
)
_URGE = "Go on by calling a tool. Call submit once the work is done."
_PORT = 13131
_BRIDGE = f"http://localhost:{_PORT}"
_NOT_STARTED = (126, 127)
_MOST_URGED = 3
"""An agent that only talks is asked this many times in a row to continue."""


def open_attempt(task: TaskRun) -> Solver:
    """Begin the sample's attempt, whatever solves it then."""

    @solver(name="benchwright_open_attempt")
    def made() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            await task.begin(state)
            return state

        return solve

    return made()


def reply(task: TaskRun, seed: int | None) -> Solver:
    """Ask the model once. Each epoch has a seed of its own, where one is given."""

    @solver(name="benchwright_reply")
    def made() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            sample = task.sample(state)
            if not sample.attempt.ended:
                async with sample.solving():
                    own = None if seed is None else seed + state.epoch - 1
                    state = await generate(state) if own is None else await generate(state, seed=own)
            return state

        return solve

    return made()


def work(task: TaskRun, command_s: float, seed: int | None) -> Solver:
    """Let the model work with tools until it submits or a limit ends it."""

    @solver(name="benchwright_work")
    def made() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            sample = task.sample(state)
            if sample.attempt.ended:
                return state
            workspace = AgentWorkspace(task.services, sample, command_s)
            state.messages.insert(0, ChatMessageSystem(content=_AGENT))
            async with sample.solving():
                await _converse(state, workspace, None if seed is None else seed + state.epoch - 1)
            return state

        return solve

    return made()


async def _converse(state: TaskState, workspace: AgentWorkspace, seed: int | None) -> None:
    sample = workspace.sample
    tools = agent_tools(workspace)
    model = get_model()
    urged = 0
    while not sample.submitted and urged < _MOST_URGED:
        state.output = await model.generate(state.messages, tools, config=GenerateConfig(seed=seed))
        state.messages.append(state.output.message)
        used = usage.of_output(str(state.model), state.output)
        if used is not None:
            await sample.record_usage(used)
        if state.output.stop_reason == "model_length":
            break
        if state.output.message.tool_calls:
            urged = 0
            called = await execute_tools(state.messages, tools)
            state.messages.extend(called.messages)
        elif state.output.stop_reason == DECLINED:
            sample.why_stopped = "the provider's content filter ended its reply"
            break
        else:
            urged += 1
            state.messages.append(ChatMessageUser(content=_URGE))


def command_line_agent(task: TaskRun, command: str, *, shared: bool) -> Solver:
    """Let a program work in a sandbox of Inspect's; it reaches the model through Inspect's bridge.

    Args:
        task: The run of the task.
        command: For the sandbox's shell. `{prompt}` stands for the task, quoted; without it the task is its input.
            `OPENAI_BASE_URL`, `ANTHROPIC_BASE_URL` and `GOOGLE_GEMINI_BASE_URL` name the bridge.
        shared: Whether all samples share one machine, and so one bridge at a time.
    """

    @solver(name="benchwright_command_line_agent")
    def made() -> Solver:
        turn = asyncio.Lock() if shared else contextlib.nullcontext()

        async def solve(state: TaskState, generate: Generate) -> TaskState:
            sample = task.sample(state)
            if sample.attempt.ended:
                return state
            async with contextlib.AsyncExitStack() as stack:
                async with sample.attempt.clock.held(QUEUE):
                    await stack.enter_async_context(turn)
                told = AgentState(messages=state.messages)
                try:
                    async with sample.solving():
                        told = await _start(sample, command, state.input_text, told)
                finally:
                    # Also where a limit has ended it: the work counts as it then is.
                    with anyio.CancelScope(shield=True):
                        await _collect_files(sample)
            state.messages, state.output = told.messages, told.output
            return state

        return solve

    return made()


async def _start(sample: SampleAttempt, command: str, prompt: str, state: AgentState) -> AgentState:
    box = sandbox()
    for path, content in sample.files.items():
        await box.write_file(path, content)
    async with sandbox_agent_bridge(state, port=_PORT) as bridge:
        await _wait_for_bridge()
        ended = await box.exec(
            ["/bin/sh", "-c", command.replace("{prompt}", shlex.quote(prompt))],
            input=None if "{prompt}" in command else prompt,
            env={
                "OPENAI_BASE_URL": f"{_BRIDGE}/v1",
                "OPENAI_API_KEY": "none",
                "ANTHROPIC_BASE_URL": _BRIDGE,
                "ANTHROPIC_API_KEY": "none",
                "GOOGLE_GEMINI_BASE_URL": _BRIDGE,
                "GEMINI_API_KEY": "none",
            },
        )
    sample.submitted = ended.success
    if not ended.success:
        _refuse_what_is_not_its_own(ended)
        sample.why_stopped = f"its command ended with {ended.returncode}: {ended.stderr[-500:].strip()}"
    return bridge.state


def _refuse_what_is_not_its_own(ended: ExecResult[str]) -> None:
    """Refuses a failure of an agent's command that says nothing of the agent.

    Raises:
        EvaluationError: The program could not be started, or its last request to the model was not answered.
    """
    asked = [event for event in transcript().events if isinstance(event, ModelEvent)]
    said = f"The agent's command ended with {ended.returncode}: {ended.stderr[-500:].strip()}"
    # What the shell says of a program that is not there, or can't be run. A program that ran can say so, too.
    if ended.returncode in _NOT_STARTED and not asked:
        raise EvaluationError(said)
    if asked and asked[-1].error is not None:
        raise EvaluationError(f"The model could not be asked: {asked[-1].error}. {said}")


async def _collect_files(sample: SampleAttempt) -> None:
    """The files that count, as the agent has left them."""
    for path in judged_paths(sample.problem):
        try:
            content = await sandbox().read_file(path, text=False)
        except (OSError, OutputLimitExceededError):
            continue
        except RuntimeError:
            # The sandbox no longer exists; its user gets an error.
            return
        if len(content) <= MOST_BYTES:
            await sample.write(path, content)


async def _wait_for_bridge() -> None:
    """The bridge says when it is there, but not when its port is open."""
    for _ in range(100):
        tried = await sandbox().exec(["/bin/bash", "-c", f"exec 3<>/dev/tcp/127.0.0.1/{_PORT}"])
        # Without bash there is nothing to ask with.
        if tried.returncode in (0, *_NOT_STARTED):
            return
        await asyncio.sleep(0.2)
