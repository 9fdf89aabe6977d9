"""From a solver's files to a verdict, for every kind of problem."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import BinaryIO

from benchwright_harness.errors import HarnessError
from benchwright_harness.run import run_harness
from benchwright_harness.sandbox import Sandbox
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_harness.sandbox.native import NativeSandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_harness.verdict import Digests, Reason, Verdict
from benchwright_judges.score import Judgement, Score, score
from benchwright_problems.home import Home
from benchwright_problems.problem import Kind, Problem
from benchwright_server.errors import ServerError
from benchwright_server.workspaces.workspace import ANSWER

DEFAULT_SANDBOX = "bwrap"

_REASONS = {
    Score.RIGHT: Reason.PASSED,
    Score.WRONG: Reason.WRONG_ANSWER,
    Score.EMPTY: Reason.WRONG_ANSWER,
    Score.UNREADABLE: Reason.NO_ANSWER,
    Score.UNDECIDED: Reason.JUDGE_UNAVAILABLE,
}


def choose_sandbox(name: str) -> Sandbox:
    """The sandbox of this name.

    Raises:
        ServerError: There is none of this name.
    """
    if name == BwrapSandbox.name:
        return BwrapSandbox()
    if name == NativeSandbox.name:
        return NativeSandbox()
    raise ServerError(f"There is no sandbox {name!r}; choose bwrap, or native, which runs without protection.")


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
        home: Where the toolchain is.
        sandbox: Where a harness runs.
        log: Where its raw output goes.
        on_step: Called before each step of a harness.
    """
    if problem.kind is not Kind.DESIGN:
        return judge(problem, files.get(ANSWER, b"").decode("utf-8", "replace"))
    try:
        toolchain = Toolchain.find(home.cache)
        return await run_harness(problem, files, sandbox=sandbox, toolchain=toolchain, log=log, on_step=on_step)
    except HarnessError as error:
        return Verdict(reason=error.reason, detail=str(error), hint=error.hint)


def judge(problem: Problem, answer: str) -> Verdict:
    """Score the answer to a question or text problem."""
    start = time.monotonic()
    judgement = score(problem, answer)
    digests = Digests(problem=problem.public_digest, harness=problem.harness_digest)
    return as_verdict(judgement).model_copy(update={"wall_s": round(time.monotonic() - start, 6), "digests": digests})


def as_verdict(judgement: Judgement) -> Verdict:
    """A judge's word as a verdict."""
    return Verdict(reason=_REASONS[judgement.score], detail=judgement.message)
