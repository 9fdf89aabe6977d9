"""Verdicts on designs that passed, with their quality beside the references'."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping

from benchwright_formal.errors import NotModelledError
from benchwright_formal.quality import quality
from benchwright_formal.second_opinion import can_be_compared, design_of, tested_modules
from benchwright_harness.errors import HarnessError
from benchwright_harness.grading.grade import solved_files
from benchwright_harness.sandbox import Sandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.problem import Problem
from benchwright_problems.verdict import ComparedQuality, Outcome, Quality, Verdict

_LIMIT_S = 10.0


class Measuring:
    """Measures designs; each reference once.

    Args:
        sandbox: Sandbox in which the tools run.
        toolchain: Toolchain that has the tools.
    """

    def __init__(self, sandbox: Sandbox, toolchain: Toolchain) -> None:
        self._sandbox = sandbox
        self._toolchain = toolchain
        self._references: dict[tuple[str, str], Quality | None] = {}
        self._turn = asyncio.Lock()

    async def measured(self, problem: Problem, solution: Mapping[str, bytes], verdict: Verdict) -> Verdict:
        """The verdict with the quality, or as it is if it did not pass or a design can't be synthesised.

        Args:
            problem: Problem with its hidden part.
            solution: Path → content of the files that the verdict is about.
            verdict: On them.
        """
        if verdict.outcome is not Outcome.PASSED or not can_be_compared(problem):
            return verdict
        top = tested_modules(problem)[0]
        ours, theirs = await asyncio.gather(self._quality(problem, solution, top), self._reference(problem, top))
        if ours is None or theirs is None:
            return verdict
        return verdict.model_copy(update={"quality": ComparedQuality(solution=ours, reference=theirs)})

    async def _reference(self, problem: Problem, top: str) -> Quality | None:
        key = problem.hidden.sha256, problem.public_digest
        async with self._turn:
            if key not in self._references:
                self._references[key] = await self._quality(problem, solved_files(problem), top)
            return self._references[key]

    async def _quality(self, problem: Problem, files: Mapping[str, bytes], top: str) -> Quality | None:
        design = design_of(problem, {path: files[path] for path in problem.public.expected if path in files})
        with contextlib.suppress(NotModelledError, HarnessError):
            return await quality(design, top, sandbox=self._sandbox, toolchain=self._toolchain, limit_s=_LIMIT_S)
        return None
