"""Runs mutants through the harness, and has those that survive compared with the reference."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Protocol

from benchwright_authoring.mutation.catalogue import KINDS
from benchwright_authoring.mutation.findings import Counterexample, MutantFinding, MutantStatus, ProblemFindings
from benchwright_authoring.mutation.mutant import Mutant
from benchwright_authoring.mutation.mutants import (
    MutantCompiler,
    is_design_file,
    mutants_in_trial_order,
    possible_mutants_by_kind,
)
from benchwright_harness.cluster.task import ClusterTask
from benchwright_harness.execution.run import reference_solution_files
from benchwright_harness.grading.grade import BatchGrader
from benchwright_harness.plan.plan import toplevels_of_harness
from benchwright_problems.equivalence import DontCares, Parameters, ParameterSets
from benchwright_problems.problem import Problem
from benchwright_problems.verdict import Outcome, Reason, Verdict

_PATIENCE = 10.0
"""Time that a mutant has, as a multiple of the reference's time."""
_LEAST_LIMIT_S = 5.0
_SCORED = {kind.name: kind.is_scored for kind in KINDS}
_REFUSED = frozenset({Reason.BUILD_FAILED, Reason.REFUSED})


class EquivalenceOpinion(Protocol):
    """Result that is proved of two designs."""

    @property
    def result(self) -> str:
        """`equivalent`, `differs` or `unknown`."""

    @property
    def parameters(self) -> Parameters:
        """With which they differ; empty for the defaults."""

    @property
    def depth(self) -> int | None:
        """Up to which cycle they are equivalent; None for all."""

    @property
    def cycle(self) -> int | None:
        """The first cycle in which they differ."""

    @property
    def stimulus(self) -> Sequence[Mapping[str, int]]:
        """By cycle: input → value, which a simulation has confirmed."""

    @property
    def reason(self) -> str:
        """The reason for which it is unknown."""


ProveEquivalence = Callable[
    [Mapping[str, bytes], Mapping[str, bytes], str, DontCares, ParameterSets], Awaitable[EquivalenceOpinion]
]
"""Compares a reference with another design.

By their files, the name of their top module, where outputs count, and its parameters besides the defaults.
"""


@dataclass(frozen=True)
class MutantCandidates:
    """The mutants of a problem that are tried."""

    problem: Problem
    files: Mapping[str, bytes]
    """The reference, with what it leaves alone."""
    possible: int
    chosen_mutants: tuple[Mutant, ...]
    refused_mutants: tuple[Mutant, ...]
    """Those before the last chosen one that slang refuses."""
    top_module: str | None
    """The design's top module; None if that is unknown."""
    top_module_by_path: Mapping[str, str]
    """Of a design of several top modules, that of each file which has one alone."""

    def compared_module(self, mutant: Mutant) -> str | None:
        """The module whose behaviour decides whether a mutant is the reference; None if that is unknown.

        Where a module that was changed does what it did, whatever it is connected to does, too.
        """
        return self.top_module or self.top_module_by_path.get(mutant.path)


def candidate_mutants(problem: Problem, *, seed: int, most_mutants: int | None) -> MutantCandidates:
    """The mutants of a problem's reference to try.

    Args:
        problem: A design problem, with its hidden part.
        seed: Seed of the sample. The same one gives the same mutants.
        most_mutants: Number of mutants that slang accepts; None for all.
    """
    files = reference_solution_files(problem)
    changed_files = {path: text for path, text in problem.hidden.reference.items() if path in problem.public.expected}
    mutants_by_kind = possible_mutants_by_kind(files, changed_files)
    compiler = MutantCompiler(files)
    compiling_mutants: list[Mutant] = []
    rejected_mutants: list[Mutant] = []
    for mutant in mutants_in_trial_order(mutants_by_kind, f"{seed} {problem.id}"):
        if len(compiling_mutants) == most_mutants:
            break
        (compiling_mutants if compiler.compiles(mutant) else rejected_mutants).append(mutant)
    possible = sum(map(len, mutants_by_kind.values()))
    top_paths = compiler.path_by_top_module
    return MutantCandidates(
        problem,
        files,
        possible,
        tuple(compiling_mutants),
        tuple(rejected_mutants),
        _tested_or_only_top_module(problem, tuple(top_paths)),
        {path: module for module, path in top_paths.items() if list(top_paths.values()).count(path) == 1},
    )


def _tested_or_only_top_module(problem: Problem, top_modules: Sequence[str]) -> str | None:
    """The module that the harness tests, or the only one that no other instantiates."""
    tested_modules = [module for module in toplevels_of_harness(problem.hidden.harness) if module in top_modules]
    return tested_modules[0] if tested_modules else top_modules[0] if len(top_modules) == 1 else None


class MutantAnalyser(BatchGrader):
    """Runs the mutants of many problems. Verdicts are kept as they come, so that an interrupted analysis continues."""

    async def analyse_mutants(
        self,
        candidates_of_problems: Sequence[MutantCandidates],
        prove_equivalence: ProveEquivalence | None = None,
        proofs_at_once: int = 1,
    ) -> list[ProblemFindings]:
        """The results of the mutants, in the order of the problems.

        The references run first: a problem whose reference does not pass is left out, and what it took limits the
        time of its mutants. Only mutants that survive are compared with the reference: one that fails differs from it.

        Args:
            candidates_of_problems: The mutants.
            prove_equivalence: Compares a survivor with the reference; None leaves all of them survivors.
            proofs_at_once: Number of comparisons that run at a time.
        """
        selected = await self._right_selection_by_index(
            {
                id(problem_candidates.problem): problem_candidates.problem
                for problem_candidates in candidates_of_problems
            }
        )
        references = {
            number: self._make_task(
                problem_candidates.problem, problem_candidates.files, selected[id(problem_candidates.problem)]
            )
            for number, problem_candidates in enumerate(candidates_of_problems)
        }
        reference_verdicts = await self._run_and_get_verdict_by_task_key(references.values())
        mutant_tasks: list[dict[str, ClusterTask]] = []
        for number, problem_candidates in enumerate(candidates_of_problems):
            reference = reference_verdicts[references[number].key]
            limit_s = max(_LEAST_LIMIT_S, _PATIENCE * reference.wall_s)
            is_tried = reference.outcome is Outcome.PASSED
            mutant_tasks.append(
                {
                    mutant.id: self._make_task(
                        problem_candidates.problem,
                        mutant.apply_to(problem_candidates.files),
                        references[number].selection,
                        limit_s,
                    )
                    for mutant in (problem_candidates.chosen_mutants if is_tried else ())
                }
            )
        verdicts = await self._run_and_get_verdict_by_task_key(
            task for tasks in mutant_tasks for task in tasks.values()
        )
        problem_findings = [
            _problem_findings(
                problem_candidates, reference_verdicts[references[number].key], mutant_tasks[number], verdicts
            )
            for number, problem_candidates in enumerate(candidates_of_problems)
        ]
        return (
            problem_findings
            if prove_equivalence is None
            else await self._with_proofs_of_survivors(
                candidates_of_problems, problem_findings, prove_equivalence, asyncio.Semaphore(proofs_at_once)
            )
        )

    async def _with_proofs_of_survivors(
        self,
        candidates_of_problems: Sequence[MutantCandidates],
        problem_findings: Sequence[ProblemFindings],
        prove: ProveEquivalence,
        gate: asyncio.Semaphore,
    ) -> list[ProblemFindings]:
        """The findings, with what is proved of survivors whose kinds are scored."""

        async def compare_finding(problem_candidates: MutantCandidates, finding: MutantFinding) -> MutantFinding:
            compared_module = problem_candidates.compared_module(finding.mutant)
            if compared_module is None or not _needs_proof(finding):
                return finding
            async with gate:
                mutated_design, hidden_part = (
                    _only_design_files(finding.mutant.apply_to(problem_candidates.files)),
                    problem_candidates.problem.hidden,
                )
                opinion = await prove(
                    _only_design_files(problem_candidates.files),
                    mutated_design,
                    compared_module,
                    hidden_part.dont_cares,
                    hidden_part.parameter_sets,
                )
            self._report_progress(new_finished_runs=1)
            return _with_opinion(opinion, finding)

        self._report_progress(
            new_planned_runs=sum(
                _needs_proof(finding)
                for problem_candidates, problem in zip(candidates_of_problems, problem_findings, strict=True)
                for finding in problem.findings
                if problem_candidates.compared_module(finding.mutant) is not None
            )
        )
        return [
            problem.model_copy(
                update={
                    "findings": tuple(
                        await asyncio.gather(
                            *(compare_finding(problem_candidates, finding) for finding in problem.findings)
                        )
                    )
                }
            )
            for problem_candidates, problem in zip(candidates_of_problems, problem_findings, strict=True)
        ]

    async def _run_and_get_verdict_by_task_key(self, tasks: Iterable[ClusterTask]) -> dict[str, Verdict]:
        """The verdicts of tasks, by their keys."""
        task_list = list(tasks)
        self._report_progress(new_planned_runs=len({task.key for task in task_list}))
        async with aclosing(self._verdicts_of(task_list)) as finished:
            return {task.key: verdict async for task, verdict in finished}


def _problem_findings(
    problem_candidates: MutantCandidates,
    reference_verdict: Verdict,
    task_by_mutant_id: Mapping[str, ClusterTask],
    verdict_by_task_key: Mapping[str, Verdict],
) -> ProblemFindings:
    if reference_verdict.outcome is not Outcome.PASSED:
        return ProblemFindings(
            id=problem_candidates.problem.id, left_out=f"The reference does not pass: {reference_verdict.summary}"
        )
    refused_findings = [
        MutantFinding(mutant=mutant, is_scored=_SCORED[mutant.kind], status=MutantStatus.NOT_COMPILED)
        for mutant in problem_candidates.refused_mutants
    ]
    run_findings = [
        _finding_of_verdict(problem_candidates, mutant, verdict_by_task_key[task_by_mutant_id[mutant.id].key])
        for mutant in problem_candidates.chosen_mutants
    ]
    return ProblemFindings(
        id=problem_candidates.problem.id,
        possible=problem_candidates.possible,
        findings=(*run_findings, *refused_findings),
    )


def _finding_of_verdict(problem_candidates: MutantCandidates, mutant: Mutant, verdict: Verdict) -> MutantFinding:
    status = MutantStatus.KILLED
    if verdict.outcome is Outcome.PASSED:
        status = MutantStatus.SURVIVED
    elif verdict.outcome is Outcome.ERROR:
        status = MutantStatus.UNDECIDED
    elif verdict.reason in _REFUSED:
        status = MutantStatus.NOT_COMPILED
    return MutantFinding(
        mutant=mutant,
        is_scored=_SCORED[mutant.kind],
        status=status,
        reason=verdict.reason,
        tests=tuple(test.name for test in verdict.tests if not test.passed),
        diff=mutant.unified_diff(problem_candidates.files) if status is MutantStatus.SURVIVED else "",
    )


def _needs_proof(mutant_finding: MutantFinding) -> bool:
    return mutant_finding.status is MutantStatus.SURVIVED and mutant_finding.is_scored


def _with_opinion(opinion: EquivalenceOpinion, mutant_finding: MutantFinding) -> MutantFinding:
    """A survivor with what is proved of it."""
    if opinion.result == "differs" and opinion.cycle is not None:
        stimulus = tuple(dict(inputs) for inputs in opinion.stimulus)
        example = Counterexample(cycle=opinion.cycle, stimulus=stimulus, parameters=dict(opinion.parameters))
        return mutant_finding.model_copy(update={"counterexample": example})
    if opinion.result != "equivalent":
        return mutant_finding.model_copy(update={"note": opinion.reason})
    if opinion.depth is not None:
        return mutant_finding.model_copy(update={"note": f"does not differ in the first {opinion.depth} cycles"})
    return mutant_finding.model_copy(update={"status": MutantStatus.EQUIVALENT, "diff": ""})


def _only_design_files(content_by_path: Mapping[str, bytes]) -> dict[str, bytes]:
    return {path: content for path, content in content_by_path.items() if is_design_file(path)}
