"""From a solver's files to a verdict, for every kind of problem."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from typing import BinaryIO

from benchwright_harness.errors import HarnessError
from benchwright_harness.grade import Grader
from benchwright_harness.sandbox import Sandbox, WarmSandbox
from benchwright_harness.toolchain.native_tools import toolchain_for
from benchwright_harness.verdict_store import VerdictStore
from benchwright_judges.score import score
from benchwright_problems.home import Home
from benchwright_problems.problem import Kind, Problem
from benchwright_problems.verdict import Verdict
from benchwright_server.workspaces.workspace import ANSWER


async def grade(
    problem: Problem,
    files: Mapping[str, bytes],
    *,
    home: Home,
    sandbox: Sandbox,
    log: BinaryIO,
    on_step: Callable[[int, int, str], None] = lambda number, of, service: None,
) -> Verdict:
    """Judge a solver's files.

    Args:
        problem: With its hidden part.
        files: Path → content; `answer.md` for a question.
        home: Where the toolchain is, and the verdicts that are known.
        sandbox: Where a harness runs.
        log: Where its raw output goes.
        on_step: Called before each step of a harness.
    """
    if problem.kind is not Kind.DESIGN:
        return score(problem, files.get(ANSWER, b"").decode("utf-8", "replace")).verdict
    try:
        grader = Grader(sandbox, toolchain_for(sandbox.name, home.cache), VerdictStore.of(home))
        return await grader.grade(problem, files, log=log, on_step=on_step)
    except HarnessError as error:
        return Verdict(reason=error.reason, detail=str(error), hint=error.hint)


async def get_ready(problem: Problem, *, home: Home, sandbox: Sandbox) -> None:
    """Let a sandbox that can do so start ahead for the next run of a design problem.

    Args:
        problem: With its hidden part.
        home: Where the toolchain is, and what is known of the problem.
        sandbox: Where the harness will run.
    """
    # A run will say what is wrong.
    with contextlib.suppress(HarnessError):
        toolchain = toolchain_for(sandbox.name, home.cache)
        await Grader(sandbox, toolchain, VerdictStore.of(home)).get_ready(problem)


async def rest(sandbox: Sandbox) -> None:
    """End the sandbox that waits for a run, if one does."""
    if isinstance(sandbox, WarmSandbox):
        await sandbox.cool()
