"""Verdicts on designs that passed, with their quality beside the references'."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping

from benchwright_formal.errors import NotModelledError
from benchwright_formal.quality import synthesised_quality
from benchwright_formal.second_opinion import has_reference_design, modules_to_compare, with_given_design_files
from benchwright_harness.errors import HarnessError
from benchwright_harness.execution.run import reference_solution_files
from benchwright_harness.sandbox import Sandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.problem import Problem
from benchwright_problems.verdict import ComparedQuality, Outcome, Quality, Verdict

_LIMIT_S = 10.0


class QualityMeasurement:
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

    async def with_quality_if_passed(
        self, problem: Problem, solution: Mapping[str, bytes], verdict: Verdict
    ) -> Verdict:
        """The verdict with the quality, or as it is if it did not pass or a design can't be synthesised.

        Args:
            problem: Problem with its hidden part.
            solution: Path → content of the files that the verdict is about.
            verdict: On them.
        """
        if verdict.outcome is not Outcome.PASSED or not has_reference_design(problem):
            return verdict
        top_module = modules_to_compare(problem)[0]
        solution_quality, reference_quality = await asyncio.gather(
            self._quality_if_synthesisable(problem, solution, top_module),
            self._cached_reference_quality(problem, top_module),
        )
        if solution_quality is None or reference_quality is None:
            return verdict
        return verdict.model_copy(
            update={"quality": ComparedQuality(solution=solution_quality, reference=reference_quality)}
        )

    async def _cached_reference_quality(self, problem: Problem, top_module: str) -> Quality | None:
        digests = problem.hidden.sha256, problem.public_digest
        async with self._turn:
            if digests not in self._references:
                self._references[digests] = await self._quality_if_synthesisable(
                    problem, reference_solution_files(problem), top_module
                )
            return self._references[digests]

    async def _quality_if_synthesisable(
        self, problem: Problem, files: Mapping[str, bytes], top_module: str
    ) -> Quality | None:
        design_files = with_given_design_files(
            problem, {path: files[path] for path in problem.public.expected if path in files}
        )
        with contextlib.suppress(NotModelledError, HarnessError):
            return await synthesised_quality(
                design_files, top_module, sandbox=self._sandbox, toolchain=self._toolchain, limit_s=_LIMIT_S
            )
        return None
