"""The two-sided proof of problems, with the solutions that their author says are right or wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchwright_harness.execution.run import starting_solution_files
from benchwright_harness.grading.check import ProblemChecker
from benchwright_harness.grading.grade import BatchGrader
from benchwright_harness.grading.two_sided import TwoSidedProof
from benchwright_judges.score import judge_key_and_empty_answer
from benchwright_problems.problem import Problem, ProblemKind
from benchwright_problems.storage.pack_folder import right_solutions_by_name, wrong_solutions_by_name


@dataclass(frozen=True)
class ProofCandidate:
    """A problem to prove."""

    problem: Problem
    right_solutions_by_name: Mapping[str, Mapping[str, bytes]]
    """The solutions beside the reference that have to pass, by name: path → content."""
    wrong_solutions_by_name: Mapping[str, Mapping[str, bytes]]
    """The solutions that have to fail."""


def candidates_to_prove(problems: Sequence[Problem], author_folder: Path | None) -> list[ProofCandidate]:
    """Problems with their author's other solutions.

    Args:
        problems: Problems with their hidden parts.
        author_folder: Where their author works on the pack; None for an installed pack, without these solutions.

    Raises:
        DatasetError: A file can't be read.
    """
    return [
        ProofCandidate(problem, {}, {})
        if author_folder is None or problem.kind is not ProblemKind.DESIGN
        else ProofCandidate(
            problem,
            _encoded_solutions(right_solutions_by_name(author_folder, problem.id)),
            _encoded_solutions(wrong_solutions_by_name(author_folder, problem.id)),
        )
        for problem in problems
    ]


def _encoded_solutions(solutions_by_name: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, bytes]]:
    return {name: {path: text.encode() for path, text in files.items()} for name, files in solutions_by_name.items()}


async def prove_both_sides(
    proof_candidates: Sequence[ProofCandidate],
    checker: ProblemChecker,
    grader: BatchGrader,
    on_both_sides_run: Callable[[Problem, TwoSidedProof], None] = lambda problem, two_sided: None,
) -> list[TwoSidedProof]:
    """Prove problems from both sides: design problems by runs, questions by the judges' rules.

    Args:
        proof_candidates: Problems to prove, with their author's other solutions.
        checker: Runs references and unsolved files.
        grader: Runs the author's other solutions.
        on_both_sides_run: Called when the reference and the unsolved files of a design problem have run.

    Returns:
        The proofs, in the order of the problems.
    """
    proofs: dict[int, TwoSidedProof] = {}
    designs = [
        index for index, candidate in enumerate(proof_candidates) if candidate.problem.kind is ProblemKind.DESIGN
    ]
    for index in set(range(len(proof_candidates))) - set(designs):
        reference, starting = judge_key_and_empty_answer(proof_candidates[index].problem)
        proofs[index] = TwoSidedProof(reference=reference.verdict, starting=starting.verdict)

    def finish(number: int, two_sided: TwoSidedProof) -> None:
        proofs[designs[number]] = two_sided
        on_both_sides_run(proof_candidates[designs[number]].problem, two_sided)

    await checker.check_problems([proof_candidates[index].problem for index in designs], finish)
    proof_solutions = [
        (index, side, name, files)
        for index, candidate in enumerate(proof_candidates)
        for side, solutions_by_name in (
            ("right", candidate.right_solutions_by_name),
            ("wrong", candidate.wrong_solutions_by_name),
        )
        for name, files in solutions_by_name.items()
    ]
    solutions = [
        (proof_candidates[index].problem, {**starting_solution_files(proof_candidates[index].problem), **files})
        for index, _, _, files in proof_solutions
    ]
    for (index, side, name, _), verdict in zip(proof_solutions, await grader.grade(solutions), strict=True):
        verdicts = proofs[index].right if side == "right" else proofs[index].wrong
        proofs[index] = proofs[index].model_copy(update={side: verdicts | {name: verdict}})
    return [proofs[index] for index in range(len(proof_candidates))]
