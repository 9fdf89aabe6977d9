"""Solvers of a sample: in one reply, by an agent with tools, or by a command-line agent."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Awaitable
from typing import TypeVar

from inspect_ai.agent import AgentState
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    GenerateConfigArgs,
    execute_tools,
    get_model,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolDef
from inspect_ai.util import LimitExceededError

from benchwright_attempts.grading.grading_runs import QUEUE
from benchwright_subjects.agent_workspace import AgentWorkspace
from benchwright_subjects.agents import agent_work
from benchwright_subjects.agents.launch import AgentLaunch
from benchwright_subjects.checkpoint import SolverState
from benchwright_subjects.evaluation import usage
from benchwright_subjects.evaluation.budget import count_cost, refuse_if_budget_is_spent
from benchwright_subjects.evaluation.limit_words import limits_in_words
from benchwright_subjects.evaluation.provider_failure import provider_error, refuse_missing_reply
from benchwright_subjects.evaluation.task_run import TaskRun
from benchwright_subjects.sample_attempt import DECLINED, SampleAttempt
from benchwright_subjects.tools import agent_tools, python_tool

# Inspect writes the arguments of registered functions into its logs, so these have none: they close over them.

_AGENT = (
    "You are an experienced hardware designer and work in a folder with the files of a task, by means of tools."
    " Read what is given, change or write the files that the task names, and check them: lint them, write testbenches"
    " of your own, simulate. Hidden tests decide in the end, and you can't read them. Call submit when you are done."
)
_URGE = "Go on by calling a tool. Call submit once the work is done."
_Reply = TypeVar("_Reply")
_MOST_SCRIPTS = 20
"""Python scripts that a model may run for one question; what it says then is its reply."""
_MOST_URGED = 3
"""An agent that only talks is asked this many times in a row to continue."""


def open_attempt(task: TaskRun) -> Solver:
    """Begin the sample's attempt, whatever solves it then."""

    @solver(name="benchwright_open_attempt")
    def create_solver() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            await task.begin_sample_attempt(state)
            return state

        return solve

    return create_solver()


def ask_once(task: TaskRun, seed: int | None) -> Solver:
    """Ask the model once. Each epoch has a seed of its own, where one is given."""

    @solver(name="benchwright_reply")
    def create_solver() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            sample = task.sample_attempt(state)
            if not sample.attempt.ended:
                async with sample.solving_within_time_limit():
                    config: GenerateConfigArgs = {}
                    if seed is not None:
                        config["seed"] = seed + state.epoch - 1
                    if task.prompts is not None and task.prompts.reply_schema is not None:
                        config["response_schema"] = task.prompts.reply_schema(sample.problem)
                    refuse_if_budget_is_spent()
                    state = await _await_reply(generate(state, **config))
                    refuse_missing_reply(state.output)
                    count_cost(state.output)
                    sample.reply_count += 1
                sample.refuse_if_never_replied()
            return state

        return solve

    return create_solver()


def work_with_tools(task: TaskRun, command_limit_s: float, seed: int | None) -> Solver:
    """Let the model work with tools until it submits or a limit ends it."""

    @solver(name="benchwright_work")
    def create_solver() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            sample = task.sample_attempt(state)
            if sample.attempt.ended:
                return state
            workspace = AgentWorkspace(task.services, sample, command_limit_s)
            async with sample.solving_within_time_limit():
                if sample.checkpoint is not None:
                    state.messages = list(sample.checkpoint.solver_state.messages)
                else:
                    instructions = f"{_AGENT} {limits_in_words(sample.terms)}".strip()
                    state.messages.insert(0, ChatMessageSystem(content=instructions))
                await _work_until_submitted(state, workspace, None if seed is None else seed + state.epoch - 1)
            sample.refuse_if_never_replied()
            return state

        return solve

    return create_solver()


def ask_with_python(task: TaskRun, command_limit_s: float, seed: int | None) -> Solver:
    """Ask the model, which may run Python scripts before it replies."""

    @solver(name="benchwright_reply_with_python")
    def create_solver() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            sample = task.sample_attempt(state)
            if sample.attempt.ended:
                return state
            tool_defs = [python_tool(AgentWorkspace(task.services, sample, command_limit_s))]
            async with sample.solving_within_time_limit():
                for script_number in range(_MOST_SCRIPTS + 1):
                    await _take_reply(state, sample, tool_defs, None if seed is None else seed + state.epoch - 1)
                    if not _has_pending_tool_calls(state) or script_number == _MOST_SCRIPTS:
                        break
                    state.messages.extend((await execute_tools(state.messages, tool_defs)).messages)
            sample.refuse_if_never_replied()
            return state

        return solve

    return create_solver()


async def _take_reply(state: TaskState, sample: SampleAttempt, tool_defs: list[ToolDef], seed: int | None) -> None:
    """Ask the model once more."""
    refuse_if_budget_is_spent()
    state.output = await _await_reply(get_model().generate(state.messages, tool_defs, config=GenerateConfig(seed=seed)))
    refuse_missing_reply(state.output)
    count_cost(state.output)
    sample.reply_count += 1
    await sample.exclude_provider_waits()
    state.messages.append(state.output.message)


async def _await_reply(pending_reply: Awaitable[_Reply]) -> _Reply:
    """The model's reply.

    Raises:
        ProviderError: The provider failed.
    """
    try:
        return await pending_reply
    except LimitExceededError:
        raise
    except Exception as error:
        raise provider_error(error) from error


async def _work_until_submitted(state: TaskState, workspace: AgentWorkspace, seed: int | None) -> None:
    sample = workspace.sample
    tool_defs = agent_tools(workspace)
    urged = 0
    if _has_pending_tool_calls(state):
        await _execute_pending_tool_calls(state, workspace, tool_defs)
    while not sample.submitted and urged < _MOST_URGED:
        await _take_reply(state, sample, tool_defs, seed)
        model_usage = usage.reply_usage(str(state.model), state.output)
        if model_usage is not None:
            await sample.record_usage(model_usage)
        if state.output.stop_reason == "model_length":
            break
        if _has_pending_tool_calls(state):
            urged = 0
            # A reply that was paid for is not asked for again.
            await _keep_checkpoint(state, sample)
            await _execute_pending_tool_calls(state, workspace, tool_defs)
        elif state.output.stop_reason == DECLINED:
            sample.unsubmitted_reason = "the provider's content filter ended its reply"
            break
        else:
            urged += 1
            state.messages.append(ChatMessageUser(content=_URGE))


def _has_pending_tool_calls(state: TaskState) -> bool:
    last_message = state.messages[-1]
    return isinstance(last_message, ChatMessageAssistant) and bool(last_message.tool_calls)


async def _execute_pending_tool_calls(state: TaskState, workspace: AgentWorkspace, tool_defs: list[ToolDef]) -> None:
    tool_replies = await execute_tools(state.messages, tool_defs)
    state.messages.extend(tool_replies.messages)
    if not workspace.sample.submitted:
        await _keep_checkpoint(state, workspace.sample)


async def _keep_checkpoint(state: TaskState, sample: SampleAttempt) -> None:
    await sample.keep_checkpoint(SolverState(files=sample.checkpoint_files, messages=tuple(state.messages)))


def command_line_agent(task: TaskRun, launch: AgentLaunch, seed: int | None) -> Solver:
    """Let a program work in a sandbox of its own; it reaches the model through our bridge.

    Args:
        task: The run of the task.
        launch: Launch of the program.
        seed: As of `reply`.
    """

    @solver(name="benchwright_command_line_agent")
    def create_solver() -> Solver:
        # As many at once as there are cores.
        program_slots = asyncio.Semaphore(os.cpu_count() or 1)

        async def solve(state: TaskState, generate: Generate) -> TaskState:
            sample = task.sample_attempt(state)
            if sample.attempt.ended:
                return state
            async with contextlib.AsyncExitStack() as stack:
                async with sample.attempt.clock.hold_clock(QUEUE):
                    await stack.enter_async_context(program_slots)
                sample_seed = None if seed is None else seed + state.epoch - 1
                agent_state = await agent_work.let_agent_work_on_sample(
                    task.services,
                    sample,
                    launch,
                    "\n\n".join(filter(None, (state.input_text, limits_in_words(sample.terms)))),
                    AgentState(messages=state.messages),
                    sample_seed,
                )
            state.messages, state.output = agent_state.messages, agent_state.output
            # A program may also have asked nothing, for which no provider can be blamed.
            if sample.failed_requests():
                sample.refuse_if_never_replied()
            return state

        return solve

    return create_solver()
