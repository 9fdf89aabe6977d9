"""Solutions of a built-in pack, on the real simulators in the real sandbox."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Mapping

from benchwright_harness.execution.run import run_harness
from benchwright_harness.plan.selection import ToolSelection
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.problem import Problem
from benchwright_problems.verdict import Verdict


async def run_all(
    problem: Problem,
    solutions: Mapping[str, Mapping[str, bytes]],
    toolchain: Toolchain,
    selection: ToolSelection | None = None,
) -> dict[str, tuple[Verdict, str]]:
    """The verdict and the end of the log of each solution, by its name."""
    sandbox = BwrapSandbox()
    turn = asyncio.Semaphore(2)

    async def run_solution(solution: Mapping[str, bytes]) -> tuple[Verdict, str]:
        log = io.BytesIO()
        async with turn:
            verdict = await run_harness(
                problem, solution, sandbox=sandbox, toolchain=toolchain, log=log, selection=selection
            )
        return verdict, log.getvalue().decode(errors="replace")[-4000:]

    verdicts_with_logs = await asyncio.gather(*(run_solution(solution) for solution in solutions.values()))
    return dict(zip(solutions, verdicts_with_logs, strict=True))


def as_bytes(texts: Mapping[str, str]) -> dict[str, bytes]:
    """Files as a run takes them."""
    return {path: text.encode() for path, text in texts.items()}
