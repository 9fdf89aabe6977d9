"""The two-sided proof of problems, with the solutions that their author says are wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchwright_harness.execution.run import starting_files
from benchwright_harness.grading.check import Checker
from benchwright_harness.grading.grade import BatchGrader
from benchwright_harness.grading.two_sided import TwoSided
from benchwright_judges.score import judge_key_and_empty_answer
from benchwright_problems.problem import Problem, ProblemKind
from benchwright_problems.storage.pack_folder import wrong_solutions_by_name


@dataclass(frozen=True)
class ProofCandidate:
    """A problem to prove."""

    problem: Problem
    wrong_solutions_by_name: Mapping[str, Mapping[str, bytes]]
    """The solutions that have to fail, by name: path → content."""


def candidates_to_prove(problems: Sequence[Problem], author_folder: Path | None) -> list[ProofCandidate]:
    """Problems with their wrong solutions.

    Args:
        problems: Problems with their hidden parts.
        author_folder: Where their author works on the pack; None for an installed pack, without wrong solutions.

    Raises:
        DatasetError: A file can't be read.
    """
    return [ProofCandidate(problem, _wrong_solutions_by_name(author_folder, problem)) for problem in problems]


def _wrong_solutions_by_name(author_folder: Path | None, problem: Problem) -> dict[str, dict[str, bytes]]:
    if author_folder is None or problem.kind is not ProblemKind.DESIGN:
        return {}
    return {
        name: {path: text.encode() for path, text in files.items()}
        for name, files in wrong_solutions_by_name(author_folder, problem.id).items()
    }


async def prove_both_sides(
    proof_candidates: Sequence[ProofCandidate],
    checker: Checker,
    grader: BatchGrader,
    on_both_sides_run: Callable[[Problem, TwoSided], None] = lambda problem, two_sided: None,
) -> list[TwoSided]:
    """Prove problems from both sides: design problems by runs, questions by the judges' rules.

    Args:
        proof_candidates: Problems to prove, with their wrong solutions.
        checker: Runs references and unsolved files.
        grader: Runs wrong solutions.
        on_both_sides_run: Called when the reference and the unsolved files of a design problem have run.

    Returns:
        The proofs, in the order of the problems.
    """
    proofs: dict[int, TwoSided] = {}
    designs = [
        index for index, candidate in enumerate(proof_candidates) if candidate.problem.kind is ProblemKind.DESIGN
    ]
    for index in set(range(len(proof_candidates))) - set(designs):
        reference, starting = judge_key_and_empty_answer(proof_candidates[index].problem)
        proofs[index] = TwoSided(reference=reference.verdict, starting=starting.verdict)

    def finish(number: int, two_sided: TwoSided) -> None:
        proofs[designs[number]] = two_sided
        on_both_sides_run(proof_candidates[designs[number]].problem, two_sided)

    await checker.check_problems([proof_candidates[index].problem for index in designs], finish)
    wrong_cases = [
        (index, name, files)
        for index, candidate in enumerate(proof_candidates)
        for name, files in candidate.wrong_solutions_by_name.items()
    ]
    solutions = [
        (proof_candidates[index].problem, {**starting_files(proof_candidates[index].problem), **files})
        for index, _, files in wrong_cases
    ]
    for (index, name, _), verdict in zip(wrong_cases, await grader.grade(solutions), strict=True):
        proofs[index] = proofs[index].model_copy(update={"wrong": proofs[index].wrong | {name: verdict}})
    return [proofs[index] for index in range(len(proof_candidates))]
